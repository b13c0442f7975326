# SPDX-License-Identifier: Apache-2.0
"""A run as tidy rows: one figure each, with its unit beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from cipherstone.model.counts import Count
from cipherstone.model.declared import metrics
from cipherstone.model.ids import Case, Lane, params_text
from cipherstone.model.instruments import FigureSummary
from cipherstone.model.outcomes import Outcome
from cipherstone.model.summary import (
    CaseSummary,
    CellSummary,
    Estimate,
    FitSummary,
    ProcessSummary,
    RatioSummary,
    RunSummary,
    WireSizes,
)


class TidyRow(msgspec.Struct, frozen=True):
    """One figure. `value` None: there is none, and `outcome` or `note` says why. `low`, `high`: its interval, None if it has none.

    `bytes`: message length, None where the figure is not of one size; `params`: every other parameter, `bits=2048,crt=yes`. `base`: the lane that a ratio is over, else "".
    `note`: the verdict of a ratio, the reason of a missing figure, why a time is of a lax or strict lane, a fact that is a text, else "". `target`: the machine that instructions were counted on, "" for this one.
    """

    run: str
    case: str
    operation: str
    bytes: int | None
    params: str
    lane: str
    library: str
    build: str
    implementation: str
    twin: bool
    outcome: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    unit: str
    base: str = ""
    note: str = ""
    target: str = ""


def tidy_rows(run: RunSummary) -> list[TidyRow]:
    """Every figure of the run: cases in order (times, rates, ratios, memory of each lane), then the lines over sizes."""
    return (
        [row for case in run.cases for row in _case_rows(run, case)]
        + [row for fit in run.fits for row in _fit_rows(run, fit)]
        + [row for one in run.wire_sizes for row in _wire_rows(run, one)]
        + [row for one in run.figures for row in _figure_rows(run, one)]
    )


def _wire_rows(run: RunSummary, one: WireSizes) -> Iterator[TidyRow]:
    """What an algorithm sends, beside the first of its cases; of no lane, since it is the same for all."""
    of = (case for case in run.cases if case.cells and Case.parse(case.operation).algorithm == one.algorithm)
    if (case := next(of, None)) is None:
        return
    for name, value in (
        ("public_key_bytes", one.public_key),
        ("ciphertext_bytes", one.ciphertext),
        ("signature_bytes", one.signature),
    ):
        if value is not None:
            row = tidy_row(run, case.case, case.cells[0].lane, Metric(name, value, "bytes"))
            yield msgspec.structs.replace(row, lane="", library="", build="", implementation="", twin=False)


def _figure_rows(run: RunSummary, one: FigureSummary) -> Iterator[TidyRow]:
    """The figure of an instrument, and its ratio where lanes are compared. A text stands in the note."""
    outcome = Outcome.OK if one.known else ""
    note = one.words or one.note
    yield tidy_row(run, one.case, one.lane, Metric(one.figure, one.value, one.unit, note=note), outcome)
    if one.ratio is not None:
        ratio = Metric(f"{one.figure}_ratio_to_base", one.ratio, "ratio", one.base, str(one.verdict or ""))
        yield tidy_row(run, one.case, one.lane, ratio, outcome)


class Metric(NamedTuple):
    """A figure without its place. `base`: the lane that a ratio is over; `note`: as in `TidyRow`."""

    name: str
    value: Estimate | float | None
    unit: str
    base: str = ""
    note: str = ""


def tidy_row(run: RunSummary, case_id: str, lane_id: str, metric: Metric, outcome: str = "") -> TidyRow:
    """A figure of a lane in a case, or over the sizes of an operation."""
    case, lane, value = Case.parse(case_id), Lane.parse(lane_id), metric.value
    estimate = value if isinstance(value, Estimate) else None if value is None else Estimate(value)
    return TidyRow(
        run=run.manifest.run_id,
        case=case_id,
        operation=case.operation,
        bytes=case.size_bytes,
        params=params_text(case.params),
        lane=lane_id,
        library=lane.library,
        build=lane.build,
        implementation=lane.implementation,
        twin=lane.twin,
        outcome=outcome,
        metric=metric.name,
        value=estimate.value if estimate else None,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        unit=metric.unit,
        base=metric.base,
        note=metric.note,
    )


def _case_rows(run: RunSummary, case: CaseSummary) -> Iterator[TidyRow]:
    for cell in case.cells:
        yield from _cell_rows(run, case, cell)
    for metric, ratios in (
        ("ratio_to_best", case.to_best),
        ("ratio_to_base", case.to_base),
        ("ratio_to_itself", () if case.aa is None else (case.aa,)),
    ):
        for ratio in ratios:
            yield _ratio_row(run, case, metric, ratio)
    for count in case.counts:
        yield from _count_rows(run, case, count)


def _count_rows(run: RunSummary, case: CaseSummary, one: Count) -> Iterator[TidyRow]:
    """What was counted of a lane on another machine; of one without a count the reason."""
    figures = [Metric(name, value, "count/call", note=one.reason) for name, value in one.classes.items()]
    figures.insert(0, Metric("instructions", one.instructions, "count/call", note=one.reason))
    figures += [Metric(*each) for each in metrics(one)]
    rows = [tidy_row(run, case.case, one.lane, figure, one.outcome) for figure in figures]
    yield from (msgspec.structs.replace(row, target=one.target) for row in rows)


def _cell_rows(run: RunSummary, case: CaseSummary, cell: CellSummary) -> Iterator[TidyRow]:
    outcome = cell.outcome.value
    note = (cell.refused if cell.ns is None else "") or cell.detail
    yield tidy_row(run, case.case, cell.lane, Metric("time", cell.ns, "ns/call", note=note), outcome)
    if cell.ns is not None:
        if case.size_bytes:
            yield tidy_row(
                run,
                case.case,
                cell.lane,
                Metric("throughput", _inverse(cell.ns, case.size_bytes * 1e3), "MB/s"),
                outcome,
            )
        else:
            yield tidy_row(run, case.case, cell.lane, Metric("rate", _inverse(cell.ns, 1e9), "calls/s"), outcome)
    yield from (tidy_row(run, case.case, cell.lane, Metric(*each), outcome) for each in metrics(cell))
    for speed, level in zip(("faster", "slower"), cell.levels, strict=False):
        yield tidy_row(run, case.case, cell.lane, Metric(f"time_at_{speed}_speed", level.ns, "ns/call"), outcome)
        yield tidy_row(run, case.case, cell.lane, Metric(f"share_at_{speed}_speed", level.share, "share"), outcome)
    if cell.learning is not None:
        for calls, ns in cell.learning.steps:
            yield tidy_row(run, case.case, cell.lane, Metric(f"time_after_{calls}_calls", ns, "ns/call"), outcome)
        yield tidy_row(
            run, case.case, cell.lane, Metric("calls_until_steady", cell.learning.settled_after, "calls"), outcome
        )
    for spread in (cell.distribution, cell.latency):
        for each in metrics(spread) if spread is not None else ():
            yield tidy_row(run, case.case, cell.lane, Metric(*each), outcome)
    for group, lanes in enumerate(case.ranking, start=1):
        if cell.lane in lanes:
            yield tidy_row(run, case.case, cell.lane, Metric("rank", group, "group"), outcome)
    for once in (cell.memory, cell.first):
        for each in metrics(once) if once is not None else ():
            yield tidy_row(run, case.case, cell.lane, Metric(*each), outcome)
    for metric, figure, unit in _process_figures(cell.process) if cell.process is not None else ():
        yield tidy_row(run, case.case, cell.lane, Metric(metric, figure, unit), outcome)
    for key, fact in cell.facts.items():
        if isinstance(fact, str):
            yield tidy_row(run, case.case, cell.lane, Metric(f"fact_{key}", None, "text", note=fact), outcome)
        else:
            yield tidy_row(run, case.case, cell.lane, Metric(f"fact_{key}", fact, _fact_unit(key)), outcome)


def _process_figures(one: ProcessSummary) -> Iterator[tuple[str, Estimate | float | None, str]]:
    """(metric, figure, unit) of whole processes; `process_ratio` is over the lane with the least CPU time, which has none."""
    for what, spread, unit in (("wall", one.wall, "ns"), ("cpu", one.cpu, "ns"), ("max_rss", one.rss, "KiB")):
        yield f"process_{what}_mean", spread.mean, unit
        yield f"process_{what}_median", spread.median, unit
        yield from (
            (f"process_{what}_{part}", getattr(spread, part), unit) for part in ("sd", "q10", "q25", "q75", "q90")
        )
    for metric, estimate, unit in (
        ("wall_beyond_empty", one.beyond_wall, "ns"),
        ("cpu_beyond_empty", one.beyond_cpu, "ns"),
        ("max_rss_beyond_empty", one.beyond_rss, "KiB"),
        ("ratio", one.ratio, "ratio"),
    ):
        if estimate is not None:
            yield f"process_{metric}", estimate, unit


def _fact_unit(key: str) -> str:
    """By the end of its name."""
    return {"bytes": "B", "bits": "bits"}.get(key.rpartition("_")[2], "count")


def _inverse(ns: Estimate, amount: float) -> Estimate:
    """`amount / ns`, with the ends of the interval changing places."""
    return Estimate(
        amount / ns.value,
        None if ns.high is None else amount / ns.high,
        None if ns.low is None else amount / ns.low,
    )


def _ratio_row(run: RunSummary, case: CaseSummary, metric: str, ratio: RatioSummary) -> TidyRow:
    outcome = next((cell.outcome.value for cell in case.cells if cell.lane == ratio.lane), "")
    return tidy_row(
        run, case.case, ratio.lane, Metric(metric, ratio.ratio, "ratio", ratio.base, note=ratio.verdict.value), outcome
    )


def _fit_rows(run: RunSummary, fit: FitSummary) -> Iterator[TidyRow]:
    yield tidy_row(run, fit.operation, fit.lane, Metric("overhead", fit.overhead_ns, "ns/call", note=fit.withheld))
    yield tidy_row(run, fit.operation, fit.lane, Metric("slope", fit.per_byte_ns, "ns/B", note=fit.withheld))


def derived_row(run: RunSummary, case: CaseSummary, lane_id: str, metric: Metric) -> TidyRow:
    """A figure that was derived for one lane of a case."""
    outcome = next((cell.outcome.value for cell in case.cells if cell.lane == lane_id), "")
    return tidy_row(run, case.case, lane_id, metric, outcome)
