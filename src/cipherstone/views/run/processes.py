# SPDX-License-Identifier: Apache-2.0
"""Whole processes as figures: spread, what a task takes beyond the empty process, lanes against each other by round. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence

import msgspec

from cipherstone.model.ids import Lane
from cipherstone.model.records import EMPTY_CASE, Build, ProcessRecord
from cipherstone.model.summary import (
    CaseSummary,
    CellSummary,
    EmptyProcess,
    Estimate,
    ProcessLine,
    ProcessSummary,
    Spread,
)
from cipherstone.stats.interval import median_estimate
from cipherstone.stats.line import SMALLEST_SIZES, LineFit, fit_passes
from cipherstone.stats.quantiles import quantile

Samples = Mapping[tuple[str, str], Sequence[ProcessRecord]]  # by (case, lane)
Figure = Callable[[ProcessRecord], int]


def spread(values: Sequence[float]) -> Spread:
    """Of one value at least; ValueError for none."""
    median = median_estimate(values)
    if median is None:
        raise ValueError("spread of no values")
    sd = statistics.stdev(values) if len(values) > 1 else None
    q10, q25, q75, q90 = (quantile(values, q) for q in (0.1, 0.25, 0.75, 0.9))
    return Spread(statistics.fmean(values), sd, median, q10, q25, q75, q90)


def with_processes(cells: Mapping[str, CellSummary], samples: Samples) -> dict[str, CellSummary]:
    """The cells of a case, by lane, with the figures of their whole processes: none where the outcome is no timed one."""
    told = {
        lane: samples[cell.case, lane]
        for lane, cell in cells.items()
        if cell.outcome.timed and samples.get((cell.case, lane))
    }
    empties = {lane.partition(":")[0]: rows for (case, lane), rows in samples.items() if case == EMPTY_CASE}
    best = min(told, key=lambda lane: statistics.median(map(_cpu, told[lane])), default="")
    found = dict(cells)
    for lane, rows in told.items():
        empty = empties.get(Lane.parse(lane).build_id, ())
        process = msgspec.structs.replace(
            summary(rows, empty), ratio=None if lane == best else _by_round(rows, told[best], _cpu, _quotient)
        )
        found[lane] = msgspec.structs.replace(cells[lane], process=process)
    return found


def summary(rows: Sequence[ProcessRecord], empty: Sequence[ProcessRecord] = ()) -> ProcessSummary:
    """Of one process at least. `empty`: those of the same build that did nothing."""
    return ProcessSummary(
        samples=len(rows),
        wall=spread([*map(_wall, rows)]),
        cpu=spread([*map(_cpu, rows)]),
        rss=spread([*map(_rss, rows)]),
        beyond_wall=_by_round(rows, empty, _wall, _difference),
        beyond_cpu=_by_round(rows, empty, _cpu, _difference),
        beyond_rss=_by_round(rows, empty, _rss, _difference),
    )


def empty_processes(builds: Sequence[Build], samples: Samples) -> tuple[EmptyProcess, ...]:
    """The empty process of each build that has one, in the order of the builds."""
    rows = {Lane.parse(lane).build_id: told for (case, lane), told in samples.items() if case == EMPTY_CASE}
    named = ((f"{build.library}@{build.build}", build) for build in builds)
    return tuple(EmptyProcess(name, linked(build), summary(rows[name])) for name, build in named if name in rows)


def process_lines(cases: Sequence[CaseSummary], samples: Samples) -> tuple[ProcessLine, ...]:
    """What starting costs and what a byte costs, of each lane with processes at four sizes at least."""
    sized: dict[tuple[str, str], dict[int, Sequence[ProcessRecord]]] = {}
    for case in cases:
        for cell in case.cells:
            if cell.process is not None and case.size_bytes is not None:
                sized.setdefault((case.operation, cell.lane), {})[case.size_bytes] = samples[case.case, cell.lane]
    lines = (_line(*key, dict(sorted(rows.items()))) for key, rows in sized.items() if len(rows) >= SMALLEST_SIZES)
    return tuple(line for line in lines if line is not None)


def _line(operation: str, lane: str, rows: Mapping[int, Sequence[ProcessRecord]]) -> ProcessLine | None:
    """None where the clock saw nothing of some process."""
    if any(min(_cpu(row), _rss(row)) <= 0 for told in rows.values() for row in told):
        return None
    time, memory = _fit(rows, _cpu), _fit(rows, _rss)
    rounds = len(_common(rows))
    share = 1024.0  # KiB a byte to bytes a byte
    grown = Estimate(*(None if end is None else end * share for end in (memory.per_byte_ns.value, memory.per_byte_ns.low, memory.per_byte_ns.high)))  # type: ignore[arg-type]  # fmt: skip
    return ProcessLine(
        operation, lane, time.overhead_ns, time.per_byte_ns, memory.overhead_ns, grown, time.rms_relative, tuple(rows), rounds
    )  # fmt: skip


def _fit(rows: Mapping[int, Sequence[ProcessRecord]], figure: Figure) -> LineFit:
    """The line through the medians; each round that has every size gives one more."""
    by_round = [{row.round: figure(row) for row in told} for told in rows.values()]
    medians = [statistics.median(map(figure, told)) for told in rows.values()]
    return fit_passes([*rows], medians, [[told[number] for told in by_round] for number in _common(rows)])


def _common(rows: Mapping[int, Sequence[ProcessRecord]]) -> list[int]:
    """The rounds that every size has."""
    return sorted(set.intersection(*({row.round for row in told} for told in rows.values())))


def linked(build: Build) -> str:
    """`dynamic: libcrypto.so.3`, or `static: libgcrypt.a`; "" from a worker that cannot tell its files."""
    for role, word in (("library", "dynamic"), ("archive", "static")):
        names = [one.name for one in build.objects if one.role == role]
        if names:
            return f"{word}: {', '.join(names)}"
    return "static" if build.objects else ""


def _by_round(
    rows: Sequence[ProcessRecord],
    others: Sequence[ProcessRecord],
    figure: Figure,
    combine: Callable[[float, float], float | None],
) -> Estimate | None:
    """Median over the rounds that both have; None without one."""
    beside = {row.round: figure(row) for row in others}
    pairs = (combine(figure(row), beside[row.round]) for row in rows if row.round in beside)
    return median_estimate([value for value in pairs if value is not None])


def _difference(one: float, other: float) -> float:
    return one - other


def _quotient(one: float, other: float) -> float | None:
    """None where the clock saw nothing."""
    return one / other if one > 0 and other > 0 else None


def _wall(row: ProcessRecord) -> int:
    return row.wall_ns


def _cpu(row: ProcessRecord) -> int:
    return row.cpu_ns


def _rss(row: ProcessRecord) -> int:
    return row.max_rss_kib
