# SPDX-License-Identifier: Apache-2.0
"""Who looks results up is told from who computes, by scripted clocks: caches by input, of the last input, by context; and honest workers that learn over keys, make tables in a context, or are stopped meanwhile."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sessions import SHORT, Ran

from cipherstone.measure import memoization
from cipherstone.measure.memoization import MOST_EACH, MemoizationCheck, Sight, can_probe, first_sight
from cipherstone.measure.proof import Capability
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import OutcomeRecord, PassRecord, Settings
from cipherstone.operations import oracle
from cipherstone.operations.splitmix import stream_number
from cipherstone.operations.values import InputValue
from cipherstone.protocol.messages import Batch, Computed, Empty, Refusal

COST, LOOKED_UP = 8000.0, 40.0
TRIES = 20


@pytest.fixture(autouse=True)
def quick_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the oracle takes is measured, and a test knows no machine."""
    monkeypatch.setattr(memoization, "member_cost_s", lambda case, form: 1e-3)


class Worker:
    """A worker with a clock of its own. `remembers`: None, "input", "last" or "context"."""

    capabilities = frozenset({"ring"})

    def __init__(self, case: Case, remembers: str | None, cost: float = COST, first: float = 0.0, noise: float = 0.0) -> None:  # fmt: skip
        self.case, self.remembers, self.cost, self.first, self.noise = case, remembers, cost, first, noise
        self.contexts: dict[int, dict[str, bytes]] = {}
        self.called: set[int] = set()
        self.seen: set[str] = set()
        self.last = ""
        self.random = random.Random(5)

    def ask_many(self, requests: list[tuple[str, Mapping[str, Any], type]]) -> list[object]:
        for verb, fields, _ in requests:
            number = fields["case"]
            self.called.discard(number)
            if verb == "prepare":
                given = {n: InputValue.parse(v).data for n, v in fields.items() if str(v).startswith(("gen:", "hex:"))}
                self.contexts[number] = given
        return [Empty()] * len(requests)

    def call(self, number: int) -> float:
        text = str(sorted(self.contexts[number].items()))
        known = {"input": text in self.seen, "last": text == self.last, "context": number in self.called}
        spent = LOOKED_UP if self.remembers and known[self.remembers] else self.cost
        spent += 0.0 if number in self.called else self.first
        self.called.add(number), self.seen.add(text)
        self.last = text
        return spent

    def run(self, first: int, calls: int, lead: int = 0, *, ring: int = 1) -> Batch:
        places = [first + i % ring for i in range(lead + calls)]
        times = [self.call(place) for place in places]
        late = 1e6 if self.random.random() < self.noise else 0.0
        return Batch(ns=round(sum(times[lead:]) + late), failed=0)

    def output(self, number: int) -> Computed:
        output = oracle.expected_output(self.case.operation, self.contexts[number])
        assert output is not None
        return Computed("ok", output.hex())

    def steady(self) -> float:
        """What a pass times: one context, one input, often."""
        self.ask_many([("prepare", {"case": 0, "msg": "gen:4:64"}, Empty)])
        for _ in range(3):
            self.call(0)
        return self.call(0)


CASE = Case.parse("sha-256/hash/bytes=16384")


def sight_of(worker: Worker, number: int = 0) -> Sight:
    timed = worker.steady()
    base = stream_number(7, number)
    found = first_sight(
        worker,  # type: ignore[arg-type]
        worker.case,
        Capability(worker.case.operation, "default"),
        timed,
        lambda place: stream_number(base, place),
    )
    assert found is not None
    return found


@pytest.mark.parametrize("remembers", ["input", "last", "context"])
def test_a_worker_that_looks_results_up_is_found_in_every_try(remembers: str) -> None:
    for number in range(TRIES):
        found = sight_of(Worker(CASE, remembers, noise=0.5), number)
        assert found.remembers, found
        assert found.sentence.startswith("remembers results by input: 8,000 ns a call for inputs")
        assert "40 ns for those" in found.sentence


@pytest.mark.parametrize(
    "honest",
    [
        {},
        {"noise": 0.6},  # three in five batches are stopped for a millisecond
        {"first": 300.0, "cost": 20.0},  # a tiny call, and a context that no cache holds
        {"first": 4 * COST},  # tables in the first call of a context, as Mbed TLS makes them
    ],
)
def test_an_honest_worker_is_never_accused(honest: dict[str, float]) -> None:
    for number in range(TRIES):
        assert not sight_of(Worker(CASE, None, **honest), number).remembers


def test_what_can_be_looked_at() -> None:
    for text in ("sha-256/hash/bytes=64", "aes-128-gcm/open/bytes=16384", "ecdsa-p256-sha256/verify", "p-256/derive"):
        assert can_probe(Case.parse(text), None)
    for text in ("x25519/agree", "x25519/keygen", "p-256-spki/import-public", "aes-128-gcm/seal/bytes=64,key=fresh"):
        assert not can_probe(Case.parse(text), None)


def test_keys_stay_where_a_library_may_learn_over_them() -> None:
    """The other side of an agreement and the key of a verification are the same in all contexts, and the messages differ."""
    for text, same, other in (("p-256/derive", "pub", "key"), ("ecdsa-p256-sha256/verify", "pub", "msg")):
        worker = Worker(Case.parse(text), None, cost=60_000.0)
        sight_of(worker)
        contexts = [given for number, given in worker.contexts.items() if number]
        assert len({given[same] for given in contexts}) == 1
        assert len({given[other] for given in contexts}) == len(contexts) == 2 * MOST_EACH


def test_a_wrong_output_at_first_sight_is_told() -> None:
    class Wrong(Worker):
        def output(self, number: int) -> Computed:
            return Computed("ok", bytes(32).hex())

    with pytest.raises(Refusal, match="at first sight of an input"):
        sight_of(Wrong(CASE, None))
    looking = MemoizationCheck(Settings(breadth_share=0.1))
    looking.begin(CASE, 0)
    assert "first sight" in looking.look(Wrong(CASE, None), CASE, Capability(CASE.operation, "default"), 1.0)  # type: ignore[arg-type]


def test_each_case_is_looked_at_once_in_a_run() -> None:
    looking = MemoizationCheck(Settings(breadth_share=0.1, min_passes=9))
    cases = [Case.parse(f"{name}/hash/bytes=64") for name in ("md5", "sha-1", "sha-224", "sha-256", "sha-384", "sha-512", "sha3-256", "sm3")]  # fmt: skip
    when = {case: next(index for index in range(9) if looking.wants(case, index)) for case in cases}
    assert len(set(when.values())) > 1  # so that no pass takes much longer
    first = cases[0]
    looking.begin(first, when[first])
    assert not any(looking.wants(first, index) for index in range(9))
    assert looking.wants(cases[1], when[cases[1]] + 1)  # a case that was not in that pass
    # Another size of an operation comes when each has had one, and so does a long message.
    last = memoization.SPREAD - 1
    for text in ("md5/hash/bytes=1024", "sha-512-256/hash/bytes=1048576"):
        assert [looking.wants(Case.parse(text), index) for index in (last - 1, last)] == [False, True]
    assert not MemoizationCheck(Settings()).wants(first, 5)


def test_a_lane_that_remembers_has_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "remembers results by input: 8,000 ns a call for inputs that its process had not seen, 40 ns for those that it had"
    monkeypatch.setattr(MemoizationCheck, "look", lambda self, worker, *_: said if worker.name == "cs-alpha" else "")
    settings = msgspec.structs.replace(SHORT, breadth_share=0.05)
    ran = Ran(tmp_path, settings=settings).all()
    (outcome,) = ran.of(OutcomeRecord)
    assert (outcome.lane, outcome.outcome, outcome.detail) == ("alpha@1.0", Outcome.WRONG, said)
    assert {lane.lane for lane in ran.of(PassRecord)[-1].lanes} == {"beta@1.0"}


def test_a_pass_that_has_no_time_leaves_cases_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0, 3.0, 8.0])
    monkeypatch.setattr(memoization.time, "perf_counter", lambda: next(clock))
    looking = MemoizationCheck(Settings(breadth_share=0.1, min_passes=1, max_time_s=240.0))
    one, two, three = (Case.parse(f"{name}/hash/bytes=64") for name in ("md5", "sha-1", "sha-512"))
    capability = Capability(CASE.operation, "default")
    assert looking.wants(one, 0) and looking.wants(two, 0)
    looking.begin(one, 0)
    looking.look(Worker(CASE, None), CASE, capability, COST)  # type: ignore[arg-type]
    assert not looking.wants(two, 0) and looking.wants(two, 1)
    looking.begin(two, 1)
    looking.look(Worker(CASE, None), CASE, capability, COST)  # type: ignore[arg-type]
    assert not looking.wants(three, 2)  # all of the share is spent
