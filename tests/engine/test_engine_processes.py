# SPDX-License-Identifier: Apache-2.0
"""Whole processes: every sample is fresh, in turns and proven; what is wrong, crashes or hangs is an outcome; a large orchestrator does not show in what a small process holds."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from scripts import ROOT, CommandLine, cost, newest, summary, write_worker
from sessions import HASHING, MACCING, SHORT, Ran

from cipherstone.build.launcher import process_launcher
from cipherstone.build.toolchain import find_toolchain
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.measure.pool import Launch, PassPool
from cipherstone.measure.processes import Processes, able_cells, proven, timing_bound
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    EMPTY_CASE,
    CaseEndRecord,
    OutcomeRecord,
    PassRecord,
    ProcessRecord,
    ProofRecord,
    Record,
    Settings,
)
from cipherstone.worker.single import Starter

HASH = Case.parse("sha-256/hash/bytes=64")
MAC = Case.parse("hmac-sha-256/mac/bytes=64")
A, B = Lane("alpha", "1.0"), Lane("beta", "1.0")
HONEST = """
import hashlib, hmac, os, sys
fields = dict(word.split("=", 1) for word in sys.argv[2:])
if fields["op"] != "harness/empty":
    assert sys.argv[1] == "--once" and fields["known"] == "1" and set(os.environ) == {"LC_ALL", "CS_PAD", "MARK"}
    assert fields["msg"].startswith("file:")
    message = open(fields["msg"][5:], "rb").read()
    if fields["op"] == "sha-256/hash":
        out = hashlib.sha256(message).digest()
    else:
        seed, length = map(int, fields["key"].split(":")[1:])
        key = b""
        while len(key) < length:
            seed = seed + 0x9e3779b97f4a7c15 & (1 << 64) - 1
            z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9 & (1 << 64) - 1
            z = (z ^ z >> 27) * 0x94d049bb133111eb & (1 << 64) - 1
            key += (z ^ z >> 31).to_bytes(8, "little")
        out = hmac.digest(key[:length], message, "sha256")
    sys.stdout.buffer.write(out)
"""


@pytest.fixture(scope="module")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return process_launcher(find_toolchain(), ROOT, tmp_path_factory.mktemp("cache"))


def launch_of(folder: Path, name: str, script: str = HONEST, patience: float = 1.0) -> Launch:
    path = folder / f"{name}.py"
    path.write_text(script)
    return Launch((sys.executable, "-S", "-E", str(path)), {"MARK": name}, patience=patience)


def processes(
    folder: Path, launcher: Path, rounds: int = 3, cases: tuple[Case, ...] = (HASH,), **more: Any
) -> Processes:
    """Two builds in each case; `alpha` and `beta`: what their scripts are."""
    patience = more.pop("patience", 1.0)
    launches = {
        lane.build_id: launch_of(folder, lane.library, more.pop(lane.library, HONEST), patience) for lane in (A, B)
    }
    cells = [(case, lane, Capability(case.operation, "default")) for case in cases for lane in (A, B)]
    settings = Settings(processes=rounds, seed=7)
    return Processes(cells, launches, launcher, settings, more.pop("seconds", None), more.pop("earlier", ()))


def of(records: list[Record], kind: type[Any]) -> list[Any]:
    return [record for record in records if isinstance(record, kind)]


def test_every_lane_has_a_process_in_each_round(launcher: Path, tmp_path: Path) -> None:
    job = processes(tmp_path, launcher, rounds=3, cases=(HASH, MAC))
    rounds: list[tuple[int, int]] = []
    records = list(job.run(lambda number, count: rounds.append((number, count))))
    assert not of(records, OutcomeRecord) and job.note == ""
    assert rounds == [(0, 3), (1, 3), (2, 3)]
    samples = of(records, ProcessRecord)
    cells = {
        (case, f"{lane.id}{more}")
        for lane in (A, B)
        for case, more in ((HASH.id, ""), (MAC.id, ""), (EMPTY_CASE, ":sdk"))
    }
    assert Counter((one.case, one.lane) for one in samples) == dict.fromkeys(cells, 3)
    assert [one.round for one in samples] == sorted(one.round for one in samples)
    orders = {tuple((one.case, one.lane) for one in samples if one.round == number) for number in range(3)}
    assert len(orders) > 1
    assert all(one.wall_ns > 0 and one.cpu_ns > 0 and 1000 < one.max_rss_kib < 100_000 for one in samples)
    with_lanes_together = [tuple(o.case for o in samples if o.round == number) for number in range(3)]
    assert all(len([1 for a, b in pairwise(o) if a != b]) == 2 for o in with_lanes_together)


@pytest.mark.parametrize(
    ("script", "outcome", "words"),
    [
        (HONEST.replace("buffer.write(out)", "buffer.write(out[:-1] + b'?')"), Outcome.WRONG, "32 and"),
        (HONEST.replace("buffer.write(out)", "buffer.write(b'')"), Outcome.WRONG, "length 0"),
        (HONEST + "    sys.stdout.flush(); sys.exit(3)\n", Outcome.WRONG, "rejected"),
        (HONEST + "    sys.stderr.write('no luck'); sys.exit(1)\n", Outcome.WRONG, "no luck"),
        (HONEST + "    sys.exit(4)\n", Outcome.CRASHED, "refused"),
        (HONEST + "    os.abort()\n", Outcome.CRASHED, "SIGABRT"),
        (HONEST + "    import time; time.sleep(600)\n", Outcome.TIMED_OUT, "did not end"),
    ],
)
def test_what_a_process_does_wrong_is_an_outcome(
    launcher: Path, tmp_path: Path, script: str, outcome: Outcome, words: str
) -> None:
    """And no figure: its lane is asked no more, the other goes on, and so does the empty process."""
    job = processes(tmp_path, launcher, rounds=2, beta=script, patience=0.1 if "sleep" in script else 1.0)
    records = list(job.run())
    (found,) = of(records, OutcomeRecord)
    assert (found.case, found.lane, found.outcome) == (HASH.id, B.id, outcome)
    assert words in found.detail and found.detail.startswith("as a process of its own: ")
    samples = Counter((one.case, one.lane) for one in of(records, ProcessRecord))
    assert samples[HASH.id, B.id] == 0 and samples[HASH.id, A.id] == 2 and samples[EMPTY_CASE, f"{B.id}:sdk"] == 2


def test_a_lane_that_becomes_wrong_later_is_found_then(launcher: Path, tmp_path: Path) -> None:
    count = tmp_path / "count"
    script = HONEST + f"    with open({str(count)!r}, 'a') as f: f.write('x')\n"
    script += f"    os.path.getsize({str(count)!r}) == 3 and sys.stdout.buffer.write(b'!')\n"
    records = list(processes(tmp_path, launcher, rounds=5, beta=script).run())
    assert [(one.outcome, one.lane) for one in of(records, OutcomeRecord)] == [(Outcome.WRONG, B.id)]
    assert sum(one.lane == B.id for one in of(records, ProcessRecord)) == 2


def test_rounds_that_were_made_are_not_made_again(launcher: Path, tmp_path: Path) -> None:
    earlier = [ProcessRecord(HASH.id, A.id, number, 1, 1, 1) for number in range(2)]
    records = list(processes(tmp_path, launcher, rounds=3, earlier=earlier).run())
    assert {one.round for one in of(records, ProcessRecord)} == {2}


def test_it_ends_with_its_time_and_says_how_far_it_came(launcher: Path, tmp_path: Path) -> None:
    job = processes(tmp_path, launcher, rounds=30, seconds=0.0)
    assert list(job.run()) == []
    assert job.note == "whole processes: 0 of 30 rounds, too few for an interval: the run's bound leaves no more time"


def test_a_large_orchestrator_is_not_seen_in_a_small_process(launcher: Path, tmp_path: Path) -> None:
    """The system counts what the starting process held as the new one's own until it has its own memory."""
    held = b"x" * (200 << 20)
    (tmp_path / "true").write_text("#!/bin/sh\nexit 0\n")
    (tmp_path / "true").chmod(0o700)
    single = Starter(launcher, tmp_path).start((str(tmp_path / "true"),), {}, {})
    assert len(held) and single.max_rss_kib < 20_000


def test_a_run_has_them_beside_its_passes(cli: CommandLine, tmp_path: Path) -> None:
    """And stores, resumes and shows them; the worker that cannot be started so has passes alone, and the run says it."""
    costs = {HASH.operation: cost(1000)}
    alpha, beta, gamma = (
        write_worker(tmp_path, "alpha", costs, single={"sleep_s": 0.02}),
        write_worker(tmp_path, "beta", costs, single={"wrong_from": 5}),
        write_worker(tmp_path, "gamma", costs),
    )
    done = cli.measure(
        "--op", HASH.operation, "--size", "64", "--base", "alpha", "--processes", "7", "--passes", "6",
        "--worker", alpha, "--worker", beta, "--worker", gamma,
    )  # fmt: skip
    assert done.code == 4, done.err  # beta became wrong
    assert "then 7 whole processes of 3 cells, in turns" in done.err
    assert "note: whole processes: not of 1 cell, which cannot be one call of a fresh worker" in done.err
    bundle = newest(cli.runs)
    samples = Counter((one.case, one.lane) for one in of(list(bundle.records()), ProcessRecord))
    assert samples[HASH.id, "alpha@1.0"] == samples[EMPTY_CASE, "alpha@1.0:sdk"] == 7
    assert 0 < samples[HASH.id, "beta@1.0"] < 7
    told = {cell.lane: cell for case in summary(done).cases for cell in case.cells}
    assert told["beta@1.0"].outcome is Outcome.WRONG and told["beta@1.0"].process is None
    assert told["gamma@1.0"].process is None and told["gamma@1.0"].ns is not None
    process = told["alpha@1.0"].process
    assert process is not None and process.samples == 7 and process.wall.q10 > 20e6
    assert process.beyond_wall is not None and process.beyond_wall.low is not None
    assert bundle.verify() == []
    shown = cli.inside("show", bundle.path)
    assert "What does one task cost as a program of its own?" in shown.out


def test_a_cell_that_no_pass_came_to_is_proven_before_it_has_samples(tmp_path: Path) -> None:
    costs = {HASH.operation: cost(1000)}
    workers = {
        "alpha": write_worker(tmp_path, "alpha", costs),
        "beta": write_worker(tmp_path, "beta", costs, wrong=[{"op": HASH.operation}]),
        "gamma": tmp_path / "none",
    }
    launches = {f"{name}@1.0": Launch((str(path),)) for name, path in workers.items()}
    cells = [(HASH, Lane(name, "1.0"), Capability(HASH.operation, "default")) for name in workers]
    with PassPool(launches, lambda algorithm: load_vectors(ROOT, algorithm).vectors, None, False, 0) as pool:
        records = list(proven(cells, pool))
    proofs = {one.lane: one.outcome for one in of(records, ProofRecord)}
    assert proofs == {"alpha@1.0": Outcome.OK, "beta@1.0": Outcome.WRONG}
    outcomes = {one.lane: one.outcome for one in of(records, OutcomeRecord)}
    assert outcomes == {"beta@1.0": Outcome.WRONG, "gamma@1.0": Outcome.CRASHED}


def test_only_builds_that_can_and_cases_without_conditions_are_asked() -> None:
    cold = Case.parse("sha-256/hash/bytes=64,cache=cold")
    cells = [(case, lane, Capability(case.operation, "default")) for case in (HASH, cold) for lane in (A, B)]
    assert [(case, lane) for case, lane, _ in able_cells(cells, {A.build_id})] == [(HASH, A)]


def test_half_of_the_bound_is_left_for_them() -> None:
    assert timing_bound(Settings(max_time_s=600.0, processes=30)) == 300.0
    assert timing_bound(Settings(max_time_s=600.0)) == 600.0
    assert timing_bound(Settings(processes=30)) is None


def test_a_command_that_is_not_there_is_a_crash(launcher: Path, tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match="No such file"):
        Starter(launcher, tmp_path).start((str(tmp_path / "none"),), {}, {})


@pytest.mark.parametrize("samples", [3, 0])
def test_what_is_timed_as_processes_alone_has_no_pass(samples: int, tmp_path: Path) -> None:
    """Where the run makes whole processes; else it is timed as everything is."""
    settings = msgspec.structs.replace(SHORT, processes=samples)
    ran = Ran(tmp_path, cases=(HASHING, MACCING), settings=settings, processes_only=(MACCING,)).all()
    assert {record.case for record in ran.of(PassRecord)} == ({HASHING} if samples else {HASHING, MACCING})
    ends = {record.case: record.end for record in ran.of(CaseEndRecord)}
    assert (ends[MACCING] is CaseEnd.PROCESSES) == bool(samples)
    assert ends[HASHING] is CaseEnd.MAX_PASSES
