# SPDX-License-Identifier: Apache-2.0
"""What follows from several cases, or from records beside the passes: lines over sizes and sizes at which lanes change places, first calls step by step, whole processes beside the empty one. Of generated runs in which passes, rounds and steps are missing here and there."""

from __future__ import annotations

import math
import random
from itertools import combinations, pairwise
from statistics import fmean

import obvious
from generated_runs import CYCLE_NS, IPC, build, examples
from hypothesis import given
from hypothesis import strategies as st
from obvious import Told, median, near

from cipherstone import METHOD_VERSION
from cipherstone.model.estimate import Estimate
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    EMPTY_CASE,
    FirstCallRecord,
    LaneSamples,
    Machine,
    Manifest,
    PassRecord,
    PlannedCase,
    ProcessRecord,
    Record,
    Settings,
)
from cipherstone.model.summary import CaseSummary, ProcessSummary, RunSummary, Spread
from cipherstone.views.run.summarise import summarise

LANES = ("openssl@3.0", "nettle@3.8", "botan@2.19")
SIZES = (16, 64, 130, 1024, 4096, 16384)


def ends(one: Estimate | None) -> Told | None:
    return None if one is None else (one.value, one.low, one.high)


def summed(cases: list[str], records: list[Record]) -> RunSummary:
    machine = Machine("0", "CPU", "x86_64", 4, (), None, None, "linux", "6", None, None, None, None, "none")
    plan = tuple(PlannedCase(case, LANES) for case in cases)
    builds = tuple(build(lane.partition("@")[0], 20) for lane in LANES)
    manifest = Manifest(BUNDLE_FORMAT, METHOD_VERSION, "0.1", "r", "now", "run", "s", "finished", Settings(dropped_batches=0), machine, builds, plan, IPC)  # fmt: skip
    return summarise(manifest, records)


@st.composite
def sized_runs(draw: st.DrawFn) -> tuple[str, list[str], list[Record]]:
    """An operation over sizes: each lane a line of its own, perhaps with a step, perhaps one that does not grow; lanes lack passes and sizes."""
    operation = draw(st.sampled_from(("sha-256/hash", "aes-128-ctr/encrypt", "sha3-256/hash", "blake2b-512/hash")))
    sizes = SIZES[: draw(st.integers(3, 6))]
    rng = random.Random(draw(st.integers(0, 2**32)))
    cost = {}
    for lane in LANES:
        start, rate = draw(st.sampled_from((80.0, 140.0, 700.0))), draw(st.sampled_from((0.3, 0.6, 2.0, 0.0)))
        cost[lane] = (start, rate, draw(st.sampled_from((1.0, 1.0, 2.0, 4.0))))
    absent = draw(st.sets(st.tuples(st.sampled_from(LANES), st.sampled_from(SIZES)), max_size=2))
    lost = draw(st.sets(st.tuples(st.sampled_from(LANES), st.sampled_from(SIZES), st.integers(0, 8)), max_size=6))
    records: list[Record] = []
    for p in range(9):
        for number, size in enumerate(sizes):
            lanes = []
            for lane in LANES:
                if (lane, size) not in absent and (lane, size, p) not in lost:
                    start, rate, step = cost[lane]
                    ns = (start + rate * size) * (step if size >= 1024 else 1.0) * math.exp(rng.gauss(0, 0.004))
                    calls = max(1, round(20_000 / ns))
                    times = tuple(round(calls * ns * (1 + 0.005 * rng.random())) for _ in range(20))
                    lanes.append(LaneSamples(lane, calls, times, per_turn=4, chain_ns=(CYCLE_NS,) * 25, tput_ns=(CYCLE_NS / IPC,) * 25))  # fmt: skip
            if lanes:
                records.append(
                    PassRecord(f"{operation}/bytes={size}", p, 10.0 * p + number, 1.0, 0.5, tuple(lanes), ())
                )
    return operation, [f"{operation}/bytes={size}" for size in sizes], records


def length(operation: str, size: int) -> int:
    """docs/concepts/statistics.md: hashes over padded blocks."""
    block, padding = {"sha-256": (64, 9), "sha3-256": (136, 1), "blake2b-512": (128, 0)}.get(operation.partition("/")[0], (1, 0))  # fmt: skip
    return max(block, -(-(size + padding) // block) * block)


@given(sized_runs())
@examples(40)
def test_lines_and_crossings_of_a_run(one: tuple[str, list[str], list[Record]]) -> None:
    operation, cases, records = one
    run = summed(cases, records)
    fits = {fit.lane: fit for fit in run.fits}
    by_size = {case.size_bytes or 0: {cell.lane: cell for cell in case.cells} for case in run.cases}
    for lane in LANES:
        sizes = [size for size, cells in by_size.items() if lane in cells and cells[lane].ns is not None]
        if len(sizes) < 4:
            assert lane not in fits
            continue
        fit = fits[lane]
        x = [float(length(operation, size)) for size in sizes]
        cells = [by_size[size][lane] for size in sizes]
        overhead, rate, error = obvious.line(x, [cell.ns.value for cell in cells if cell.ns is not None])
        # Passes are numbered in each case by themselves: which of the run's they are stands in their records.
        indices = [
            sorted({r.index for r in records if isinstance(r, PassRecord) and r.case == cell.case}) for cell in cells
        ]
        values = [
            dict(zip([numbers[n] for n in cell.passes], cell.pass_ns, strict=True))
            for numbers, cell in zip(indices, cells, strict=True)
        ]
        whole = [p for p in range(9) if all(p in mine for mine in values)]
        refits = [obvious.line(x, [mine[p] for mine in values]) for p in whole]
        assert near(fit.rms_relative_error, error, 1e-5) and fit.sizes == tuple(sizes)
        if error > 0.05:
            assert fit.overhead_ns is None and fit.per_byte_ns is None and fit.withheld
            continue
        mine = [obvious.holding(obvious.told([line[k] for line in refits]) or (value, None, None), value) for k, value in ((0, overhead), (1, rate))]  # fmt: skip
        told = [(value, *(one[1:] if one else (None, None))) for value, one in zip((overhead, rate), mine, strict=True)]
        assert near(ends(fit.overhead_ns), told[0], 1e-4)
        low = told[1][1]
        if rate <= 0 or (low is not None and low <= 0):
            assert fit.per_byte_ns is None and fit.withheld
        else:
            assert near(ends(fit.per_byte_ns), told[1], 1e-4) and not fit.withheld
            assert near(fit.half_size_bytes, overhead / rate if overhead > 0 else None, 1e-4)
    check_crossings(run)


def check_crossings(run: RunSummary) -> None:
    """Of lanes that lead somewhere: between two sizes at which the one is told faster and slower, with nothing told between."""
    leading = {lane for case in run.cases if case.ranking for lane in case.ranking[0]}
    found = {(one.small, one.large, one.below_bytes, one.above_bytes) for one in run.crossovers}
    expected = set()
    for i, j in combinations(sorted(leading), 2):
        told = []
        for case in sorted(run.cases, key=lambda case: case.size_bytes or 0):
            cells = {cell.lane: cell for cell in case.cells}
            if i in cells and j in cells:
                verdict = obvious.verdict(obvious.pair_of(cells[i], cells[j]), case.threshold, 0.01)
                told += [(case.size_bytes, verdict)] if verdict in ("faster", "slower") else []
        for (below, before), (above, after) in pairwise(told):
            if before != after:
                expected.add((i, j, below, above) if before == "faster" else (j, i, below, above))
    assert found == expected
    for one in run.crossovers:
        assert one.below_bytes <= one.size_bytes <= one.above_bytes


steps = st.lists(st.integers(1, 10**6), min_size=1, max_size=9)


@given(st.integers(1, 9), st.sets(st.sampled_from(("open_ns", "seed_ns", "fetch_ns", "setup_ns"))), st.integers(0, 2**32), steps, steps)  # fmt: skip
@examples(80)
def test_first_calls(processes: int, parts: set[str], seed: int, available: list[int], teardown: list[int]) -> None:
    """All once is summed process by process, of the steps that there are; asking and giving back are in no sum."""
    rng = random.Random(seed)
    told = {name: tuple(rng.randrange(10**6) for _ in range(processes)) for name in parts}
    first = tuple(rng.randrange(10**6) for _ in range(processes))
    steady = tuple(rng.uniform(10, 99) for _ in range(processes))
    case = "sha-256/hash/bytes=64"
    record = FirstCallRecord(case=case, lane=LANES[0], first_call_ns=first, steady_call_ns=steady, available_ns=tuple(available), teardown_ns=tuple(teardown), **told)  # fmt: skip
    (cell, *_) = summed([case], [record]).cases[0].cells
    found = cell.first
    assert found is not None and found.processes == processes
    once = [first[n] + sum(values[n] for values in told.values()) for n in range(processes)]
    assert near(ends(found.once), obvious.told(once)) and near(ends(found.call), obvious.told(first))
    assert near(ends(found.steady), obvious.told(steady))
    for name in ("open", "seed", "fetch", "setup"):
        assert near(ends(getattr(found, name)), obvious.told(told.get(f"{name}_ns", ())))
    assert near(ends(found.available), obvious.told(available)) and near(ends(found.teardown), obvious.told(teardown))


@st.composite
def processes(draw: st.DrawFn) -> list[ProcessRecord]:
    """Rounds of whole processes of two lanes and of the empty one; CPU, wall and memory go their own ways, rounds are missing."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    found = []
    lost = draw(st.sets(st.tuples(st.integers(0, 2), st.integers(0, 8)), max_size=9))
    sizes = draw(st.sampled_from((SIZES, SIZES[:2])))
    for lane in LANES[: draw(st.integers(1, 3))]:
        start, rate = draw(st.sampled_from((2e6, 2.1e6, 5e6))), draw(st.sampled_from((30.0, 200.0)))
        for number in range(9):
            if (0, number) not in lost:
                found.append(ProcessRecord(EMPTY_CASE, f"{lane}:sdk", number, round(3e6 * rng.uniform(1, 1.3)), round(1e6 * rng.uniform(1, 1.1)), 2000 + rng.randrange(90)))  # fmt: skip
            for place, size in enumerate(sizes):
                if (1 + place % 2, number) not in lost or size == 64:
                    cpu = (start + rate * size) * rng.uniform(1, 1.05)
                    found.append(ProcessRecord(f"sha-256/hash/bytes={size}", lane, number, round(cpu * rng.uniform(1.1, 2)), round(cpu), 2500 + size // 8 + rng.randrange(40)))  # fmt: skip
    return found


def check_spread(found: Spread, values: list[int]) -> None:
    mean = fmean(values)
    sd = math.sqrt(sum((one - mean) ** 2 for one in values) / (len(values) - 1)) if len(values) > 1 else None
    assert near((found.mean, found.sd), (mean, sd)) and near(ends(found.median), obvious.told(values))
    assert near((found.q10, found.q25, found.q75, found.q90), [obvious.quantile(values, q) for q in (0.1, 0.25, 0.75, 0.9)])  # fmt: skip


def rows_of(records: list[ProcessRecord], case: str, lane: str) -> dict[int, ProcessRecord]:
    return {one.round: one for one in records if one.case == case and one.lane == lane}


def check_process(found: ProcessSummary, records: list[ProcessRecord], case: CaseSummary, lane: str) -> None:
    mine, empty = rows_of(records, case.case, lane), rows_of(records, EMPTY_CASE, f"{lane}:sdk")
    assert found.samples == len(mine)
    for spread, beyond, name in (
        (found.wall, found.beyond_wall, "wall_ns"),
        (found.cpu, found.beyond_cpu, "cpu_ns"),
        (found.rss, found.beyond_rss, "max_rss_kib"),
    ):
        check_spread(spread, [getattr(one, name) for one in mine.values()])
        both = [number for number in mine if number in empty]
        assert near(ends(beyond), obvious.told([getattr(mine[n], name) - getattr(empty[n], name) for n in both]))
    others = {one: rows for one in LANES if (rows := rows_of(records, case.case, one))}
    medians = {one: median(row.cpu_ns for row in rows.values()) for one, rows in others.items()}
    best = min(medians, key=lambda one: medians[one])
    quotients = [row.cpu_ns / others[best][number].cpu_ns for number, row in mine.items() if number in others[best]]
    assert near(ends(found.ratio), None if lane == best else obvious.told(quotients))


@given(processes())
@examples(40)
def test_whole_processes(records: list[ProcessRecord]) -> None:
    cases = sorted(
        {one.case for one in records if one.case != EMPTY_CASE}, key=lambda case: int(case.partition("=")[2])
    )
    run = summed(cases, list(records))
    for case in run.cases:
        for cell in case.cells:
            there = rows_of(records, case.case, cell.lane)
            assert (cell.process is not None) == bool(there)
            if cell.process is not None:
                check_process(cell.process, records, case, cell.lane)
    lines = {one.lane: one for one in run.process_lines}
    for lane in LANES:
        sized = {int(case.partition("=")[2]): rows for case in cases if (rows := rows_of(records, case, lane))}
        assert (lane in lines) == (len(sized) >= 4)
        if lane in lines:
            both = sorted(set.intersection(*(set(rows) for rows in sized.values())))
            x = [float(size) for size in sized]
            time = obvious.line(x, [median(row.cpu_ns for row in rows.values()) for rows in sized.values()])
            refits = [obvious.line(x, [rows[n].cpu_ns for rows in sized.values()]) for n in both]
            mine = obvious.told([rate for _, rate, _ in refits]) or (0.0, None, None)
            expected = obvious.holding(mine, time[1]) or mine
            assert near(ends(lines[lane].per_byte), (time[1], *expected[1:]), 1e-5)
            assert near(lines[lane].start.value, time[0], 1e-5) and lines[lane].rounds == len(both)
            memory = obvious.line(x, [median(row.max_rss_kib for row in rows.values()) for rows in sized.values()])
            assert near((lines[lane].start_kib.value, lines[lane].bytes_per_byte.value / 1024), memory[:2], 1e-5)
