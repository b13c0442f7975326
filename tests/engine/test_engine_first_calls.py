# SPDX-License-Identifier: Apache-2.0
"""What a cell costs once is timed in processes in which nothing was asked before, step by step; what they told is stored, summed up and shown."""

from __future__ import annotations

import statistics
from collections import defaultdict
from pathlib import Path

from scripts import HASH, CommandLine, cells, cost, newest, records, summary, write_worker

from cipherstone.measure.firstcall import PROCESSES, measure_first_calls
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, Expectations
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import FirstCallRecord, MemoryRecord, PassRecord
from cipherstone.stats.interval import SMALLEST_K
from cipherstone.store.database import open_duckdb

PHASES = {
    "open_ns": 5000,
    "available_ns": 70,
    "fetch_ns": 300,
    "setup_ns": 20,
    "teardown_ns": 40,
    "first_ns": 9000,
    "grow": 1000,
}
CASE = f"{HASH}/bytes=16384"


def measured(cli: CommandLine, *workers: Path, fine: bool = True) -> object:
    words = [word for worker in workers for word in ("--worker", str(worker))]
    done = cli.measure("--op", HASH, "--size", "16384", "--passes", "6", "--base", "alpha", "--memory", *words)
    assert done.code == 0 or not fine, done.err
    return done


def test_every_step_is_kept_and_summed_up(cli: CommandLine, tmp_path: Path) -> None:
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, phases=PHASES, harness_ns=1, log=True)
    done = measured(cli, alpha)
    bundle = newest(cli.runs)
    (record,) = records(bundle, FirstCallRecord)
    assert (record.case, record.lane) == (CASE, "alpha@1.0")
    numbers = [(ns - PHASES["open_ns"]) // PHASES["grow"] for ns in record.open_ns]
    assert len(numbers) == PROCESSES and numbers == sorted(set(numbers))
    for step in ("open_ns", "fetch_ns", "setup_ns", "teardown_ns"):
        assert list(getattr(record, step)) == [PHASES[step] + 1000 * number for number in numbers]
    assert record.seed_ns == ()
    assert list(record.first_call_ns) == [1001 + 9000 + 1000 * number for number in numbers]
    assert set(record.steady_call_ns) == {1001.0}
    # Asking is timed in processes of its own.
    assert len(record.available_ns) == PROCESSES
    assert not {(ns - 70) // 1000 for ns in record.available_ns} & set(numbers)

    first = cells(summary(done), CASE)["alpha@1.0"].first  # type: ignore[arg-type]
    assert first is not None and first.seed is None and first.setup is not None
    middle = statistics.median(numbers)
    assert (first.setup.value, first.setup.low, first.setup.high) == (
        20 + 1000 * middle,
        20 + 1000 * numbers[0],
        20 + 1000 * numbers[-1],
    )
    assert first.teardown is not None and first.teardown.value == 40 + 1000 * middle
    assert first.once.value == 5000 + 300 + 20 + 10001 + 4 * 1000 * middle
    with open_duckdb([bundle.path]) as connection:
        rows = connection.execute(
            "SELECT process, open_ns, seed_ns, teardown_ns FROM first_calls ORDER BY process"
        ).fetchall()
        kept = connection.execute(
            "SELECT once_ns, setup_ns_low, seed_ns, teardown_ns FROM cells WHERE NOT twin"
        ).fetchall()
    assert rows == [(i, ns, None, record.teardown_ns[i]) for i, ns in enumerate(record.open_ns)]
    assert kept == [(first.once.value, first.setup.low, None, first.teardown.value)]

    # Nothing but the case was asked for before the first call, and not whether it can run.
    by_process: dict[str, list[str]] = defaultdict(list)
    for line in (alpha.parent / "requests.log").read_text().splitlines():
        number, _, request = line.partition(" ")
        by_process[number].append(request.partition(" ")[2])
    for number in numbers:
        asked = by_process[str(number)]
        assert asked[0].startswith("prepare") and asked[0].endswith("known=1")
        assert [request.partition(" ")[0] for request in asked[1:3]] == ["run", "output"]
        assert asked[1] == "run case=0 calls=1 lead=0"


def test_they_come_after_the_timing(cli: CommandLine, tmp_path: Path) -> None:
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, phases=PHASES)
    measured(cli, alpha)
    kinds = [type(record) for record in newest(cli.runs).records()]
    last = max(i for i, kind in enumerate(kinds) if kind is PassRecord)
    assert last < kinds.index(MemoryRecord) < kinds.index(FirstCallRecord)


def test_a_worker_that_cannot_tell_its_steps_has_no_first_call(cli: CommandLine, tmp_path: Path) -> None:
    """It may have warmed the library while it was asked whether it can run; missing, not 0."""
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, phases=PHASES)
    beta = write_worker(tmp_path, "beta", {HASH: cost(1000)})
    done = measured(cli, alpha, beta)
    assert [one.lane for one in records(newest(cli.runs), FirstCallRecord)] == ["alpha@1.0"]
    found = cells(summary(done), CASE)["beta@1.0"]  # type: ignore[arg-type]
    assert found.first is None and found.memory is not None and found.ns is not None


def test_a_first_call_that_is_wrong_has_no_time(cli: CommandLine, tmp_path: Path) -> None:
    """Wrong from the second `run` on, as first calls make it in their processes; in passes as well, so that the cell has no figure at all."""
    wrong = [{"op": HASH, "after_runs": 1}]
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, phases=PHASES, wrong=wrong)
    measured(cli, alpha, fine=False)
    assert records(newest(cli.runs), FirstCallRecord) == []


def test_random_bytes_that_are_known_are_kept(cli: CommandLine, tmp_path: Path) -> None:
    told = {"random_bytes": 40, "system_random_bytes": 0, "system_random_before": 48}
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, memory=told)
    beta = write_worker(tmp_path, "beta", {HASH: cost(1000)})
    measured(cli, alpha, beta)
    kept = {one.lane: one for one in records(newest(cli.runs), MemoryRecord)}
    assert (kept["alpha@1.0"].random_bytes, kept["alpha@1.0"].warm_system_random_bytes) == (40, 0)
    assert (kept["alpha@1.0"].first_system_random_bytes, kept["alpha@1.0"].opening_system_random_bytes) == (0, 48)
    assert (kept["beta@1.0"].random_bytes, kept["beta@1.0"].warm_system_random_bytes) == (None, None)
    lines = [line for line in cli("export", "--as", "csv").out.splitlines() if ",random," in line]
    assert len(lines) == 1 and ",alpha@1.0," in lines[0]


def test_cells_of_a_case_take_turns(tmp_path: Path) -> None:
    """So what disturbs one disturbs the other; one that becomes late between them keeps what is enough for an interval, and nothing less."""
    workers = [write_worker(tmp_path, name, phases=PHASES, log=True) for name in ("alpha", "beta")]
    launches = {f"{path.parent.name}@1.0": Launch((str(path),)) for path in workers}
    found = [(Case.parse(CASE), Lane.parse(build), Capability(HASH, "default")) for build in launches]

    def measured_until(processes: int) -> list[FirstCallRecord]:
        left = iter(range(processes))
        return list(measure_first_calls(found, launches, Expectations(), None, lambda: next(left, None) is None))

    both = measured_until(2 * SMALLEST_K)
    assert [(record.lane, len(record.first_call_ns)) for record in both] == [("alpha@1.0", 6), ("beta@1.0", 6)]
    assert all(record.available_ns == () for record in both)
    assert [record.lane for record in measured_until(2 * SMALLEST_K - 1)] == ["alpha@1.0"]
    assert measured_until(2 * (SMALLEST_K - 1)) == []
    whole = measured_until(4 * PROCESSES)
    assert [len(record.available_ns) for record in whole] == [PROCESSES, PROCESSES]
