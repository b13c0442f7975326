# SPDX-License-Identifier: Apache-2.0
"""Processes of a pass: what is proven is proven of one process, and what each is started with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, MAC, PYTHON, ROOT, cost, write_worker

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.conditions import KEYS
from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.execute.survey import survey
from cipherstone.measure.pool import Launch, PassPool, outcome_of
from cipherstone.measure.proof import Capability
from cipherstone.measure.rounds import HARNESS_CASE, HARNESS_TRIALS
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Empty, ProbeCheck
from cipherstone.worker import WorkerProcess

ALPHA = Lane("alpha", "1.0", "default")
TWIN = Lane("alpha", "1.0", "default", twin=True)
HASHING, MACCING = Capability(HASH, "default"), Capability(MAC, "default")


def vectors(algorithm: str) -> Sequence[Vector]:
    return load_vectors(ROOT, algorithm).vectors


def pool_of(folder: Path, **behaviour: Any) -> PassPool:
    """A pass with one scripted build."""
    worker = write_worker(folder, "alpha", {HASH: cost(1000), MAC: cost(1000)}, **behaviour)
    return PassPool({ALPHA.build_id: Launch((str(worker),))}, vectors, None, False, 4)


def test_a_restarted_worker_inherits_no_proof(tmp_path: Path) -> None:
    """The process that was proven is gone: its successor is another one, of which nothing is known."""
    with pool_of(tmp_path, faults=[{"at": "check-probe", "do": "segv", "processes": [0]}]) as pool:
        first = pool.prove(ALPHA, HASHING)
        assert first is not None and first.outcome is Outcome.OK and first.pass_index == 4
        assert pool.prove(ALPHA, HASHING) is None and pool.is_proven(ALPHA, HASHING)
        before = pool.worker(ALPHA)
        with pytest.raises(WorkerError):
            before.ask("check-probe", {}, ProbeCheck)  # the script says: it crashes there
        assert pool.worker(ALPHA) is not before
        assert not pool.is_proven(ALPHA, HASHING)
        again = pool.prove(ALPHA, HASHING)
        assert again is not None and again.outcome is Outcome.OK and again.accepted == first.accepted


def test_a_restarted_worker_has_answered_nothing(tmp_path: Path) -> None:
    """What its predecessor answered to vectors of several operations is not taken for its own."""
    with pool_of(tmp_path, faults=[{"at": "check-probe", "do": "segv", "processes": [0]}]) as pool:
        pool.prove(ALPHA, HASHING)
        key = (ALPHA.build_id, False)
        pool._answers[key]["asked"] = ("told", "of", "the first")  # type: ignore[index]
        with pytest.raises(WorkerError):
            pool.worker(ALPHA).ask("check-probe", {}, ProbeCheck)
        pool.worker(ALPHA)
        assert pool._answers[key] == {}
        pool._answers[key]["asked"] = ("told", "of", "the second")  # type: ignore[index]
        pool.discard(ALPHA)
        pool.worker(ALPHA)
        assert pool._answers[key] == {}


def test_what_became_of_the_one_says_nothing_of_the_other(tmp_path: Path) -> None:
    """Neither another operation, nor the process of the A/A lane, nor the one that follows `discard`; and the twin keeps its own proof when the original is started again."""
    with pool_of(tmp_path) as pool:
        pool.prove(ALPHA, HASHING)
        assert not pool.is_proven(ALPHA, MACCING) and not pool.is_proven(TWIN, HASHING)
        pool.prove(TWIN, HASHING)
        original = pool.worker(ALPHA)
        assert pool.worker(TWIN) is not original
        for _ in range(2):  # of one that is gone nothing is left to end
            pool.discard(ALPHA)
            assert not original.alive and pool.worker(TWIN).alive
        pool.worker(ALPHA)
        assert not pool.is_proven(ALPHA, HASHING) and pool.is_proven(TWIN, HASHING)


def test_a_wrong_process_is_not_proven(tmp_path: Path) -> None:
    with pool_of(tmp_path, wrong=[{"op": HASH, "exact_bytes": 3}]) as pool:
        record = pool.prove(ALPHA, HASHING)
        assert record is not None and record.outcome is Outcome.WRONG and record.failures
        assert not pool.is_proven(ALPHA, HASHING)
        outcome, said = pool.failure(ALPHA, HASHING)
        assert outcome is Outcome.WRONG and "vectors failed" in said
        assert pool.failure(ALPHA, MACCING)[0] is Outcome.WRONG  # never asked is not proven either


@pytest.mark.parametrize(
    ("script", "outcome", "said"),
    [
        ({"faults": [{"at": "prepare", "do": "refused", "op": HASH}]}, Outcome.UNAVAILABLE, "unavailable"),
        # Some known answers were right, and then it would not: what was not asked is not proven.
        (
            {"faults": [{"at": "prepare", "do": "refused", "op": HASH, "after": 3}]},
            Outcome.WRONG,
            "some answers only: ",
        ),
        ({"refuse": {HASH: "unsupported-size"}}, Outcome.WRONG, "no known answer could be computed"),
    ],
)
def test_a_proof_takes_every_answer(tmp_path: Path, script: dict[str, Any], outcome: Outcome, said: str) -> None:
    with pool_of(tmp_path, **script) as pool:
        record = pool.prove(ALPHA, HASHING)
        assert record is not None and record.outcome is outcome
        assert said in record.failures[-1] and not pool.is_proven(ALPHA, HASHING)


def test_of_many_failures_the_first_are_kept(tmp_path: Path) -> None:
    """A line each, for a screen; that there are more changes nothing."""
    with pool_of(tmp_path, wrong=[{"op": HASH}]) as pool:
        record = pool.prove(ALPHA, HASHING)
        assert record is not None and len(record.failures) == 8 < len(vectors("sha-256"))
        first = [vector.id for vector in vectors("sha-256")][:8]
        assert all(one in said for one, said in zip(first, record.failures, strict=True))


def test_the_cost_of_the_empty_call_is_of_the_process(tmp_path: Path) -> None:
    with pool_of(tmp_path, harness_ns=2.5) as pool:
        pool.worker(ALPHA)
        assert pool.harness_ns(ALPHA) == pool.harness_ns(ALPHA, 4) == pytest.approx(2.5)


def test_the_empty_call_under_a_condition_is_prepared_as_the_case_is(tmp_path: Path) -> None:
    """With a ring of as many keys, once a process."""
    fresh = Case.parse(f"{MAC}/bytes=64,key=fresh")
    with pool_of(tmp_path, harness_ns=2.5, log=True) as pool:
        pool.worker(ALPHA)
        before = len(asked(tmp_path, "run"))
        assert pool.harness_ns(ALPHA, 1, fresh) == pool.harness_ns(ALPHA, 1, fresh) == pytest.approx(2.5)
        (prepared,) = [words for words in asked(tmp_path, "prepare") if "params=key=fresh" in words]
        assert {"op=harness/empty", f"case={HARNESS_CASE}"} <= set(prepared)
        assert len(asked(tmp_path, "add-key")) == KEYS - 1
        assert len(asked(tmp_path, "run")) == before + HARNESS_TRIALS


def asked(folder: Path, verb: str) -> list[list[str]]:
    """Requests of this verb, as words."""
    lines = [line.split() for line in (folder / "alpha" / "requests.log").read_text().splitlines()]
    return [words for words in lines if words[2] == verb]


def test_a_process_that_cannot_be_pinned_is_noted_and_used(tmp_path: Path) -> None:
    worker = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    with PassPool({ALPHA.build_id: Launch((str(worker),))}, vectors, 1_000_000 % 8191, False, 0) as pool:
        assert pool.worker(ALPHA).alive
        (note,) = pool.notes
        assert note.startswith("not pinned to CPU")


@pytest.mark.parametrize(
    ("outcome", "stored"),
    [("timed-out", Outcome.TIMED_OUT), ("unavailable", Outcome.UNAVAILABLE), ("crashed", Outcome.CRASHED)],
)
def test_what_a_broken_worker_stands_for(outcome: str, stored: Outcome) -> None:
    assert outcome_of(WorkerError(outcome, "it")) is stored


# -- patience --------------------------------------------------------------------------------------------------------------------

SLOW_TO_ANSWER = f"""#!{PYTHON} -IS
import sys, time
for line in sys.stdin:
    time.sleep(1.5)
    print('{{"seq":%s,"ok":true}}' % line.split()[0], flush=True)
"""


def test_patience_is_a_factor_on_every_time_limit(tmp_path: Path) -> None:
    """An answer after a second and a half, to a limit of a tenth: too late, and in time for who waits a thousand times as long."""
    worker = tmp_path / "cs-slow"
    worker.write_text(SLOW_TO_ANSWER)
    worker.chmod(0o755)
    with Launch((str(worker),)).start() as hasty:
        with pytest.raises(WorkerError) as caught:
            hasty.ask("close", {"case": 1}, Empty, 0.1)
        assert outcome_of(caught.value) is Outcome.TIMED_OUT
    with Launch((str(worker),), patience=1000.0).start() as patient:
        assert patient.ask("close", {"case": 1}, Empty, 0.1) == Empty()


def test_patience_reaches_the_workers_that_will_be_measured(tmp_path: Path, worker_cache: Path) -> None:
    worker = write_worker(tmp_path, "alpha")
    (found,) = survey(Workshop.find(ROOT, worker_cache), {}, (worker,), patience=7.5)
    assert found.launch is not None and found.launch.patience == 7.5


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="shows no environment of a process")
def test_workers_of_a_pass_are_bound_at_their_start(tmp_path: Path) -> None:
    """And no others: finding functions is a part of what a first call costs."""

    def environment(worker: WorkerProcess) -> list[bytes]:
        return Path(f"/proc/{worker.pid}/environ").read_bytes().split(b"\0")

    with pool_of(tmp_path) as pool:
        assert b"LD_BIND_NOW=1" in environment(pool.worker(ALPHA))
        launch = pool._launches[ALPHA.build_id]
        with launch.start() as worker:
            worker.hello()
            assert b"LC_ALL=C" in environment(worker) and b"LD_BIND_NOW=1" not in environment(worker)
