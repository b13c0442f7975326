# SPDX-License-Identifier: Apache-2.0
"""The tables whose rows are computed from the journal: cells, ratios and what lies over sizes. Their columns stand in the summaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from cipherstone.model.bounds import Int
from cipherstone.model.declared import column
from cipherstone.model.deviations import means_words
from cipherstone.model.instruments import FigureSummary
from cipherstone.model.summary import (
    CaseSummary,
    CellSummary,
    Crossover,
    FitSummary,
    RatioSummary,
    RunSummary,
    WireSizes,
)
from cipherstone.stats.verdictwords import verdict_words
from cipherstone.store.from_summaries import SummaryTable


class _CellColumns(msgspec.Struct, frozen=True):
    """What a row of `cells` has besides its case and cell."""

    rank: Annotated[
        Int | None,
        column("count", "group in the case, 1 is fastest; no lane of a group is `slower` than its first; null: not ranked", before="proof_accepted"),
    ]  # fmt: skip
    deviation_means: Annotated[
        str, column("", "what that means for a user of the library, and the clause of the standard; or empty")
    ]


class _RatioColumns(msgspec.Struct, frozen=True):
    """What a row of `ratios` has besides its ratio."""

    against: Annotated[
        str,
        column("", "`best` (fastest group), `base` (asked for), `aa` (the lane against itself)", before="lane"),
    ]
    said: Annotated[
        str,
        column("", "the verdict in words that the interval does not deny: `within 1 %` for `equal`, `slower or within 1 %` where it leaves out 1 and crosses the threshold", before="ratio"),
    ]  # fmt: skip


class _FigureColumns(msgspec.Struct, frozen=True):
    """What a row of `figures` has besides its figure."""

    title: Annotated[str, column("", "the case in words", before="lane")]


def _cells(run: RunSummary) -> Iterator[tuple[CellSummary, _CellColumns, CaseSummary]]:
    for case in run.cases:
        ranks = {lane: rank for rank, lanes in enumerate(case.ranking, start=1) for lane in lanes}
        for cell in case.cells:
            means = " ".join(
                f"{means_words(one, cell.breadth_genuine, cell.breadth_forged)} {one.standard}"
                for one in cell.deviations
            )
            yield cell, _CellColumns(ranks.get(cell.lane), means), case


def _ratios(run: RunSummary) -> Iterator[tuple[RatioSummary, _RatioColumns]]:
    for case in run.cases:
        aa = () if case.aa is None else (case.aa,)
        for against, ratios in (("best", case.to_best), ("base", case.to_base), ("aa", aa)):
            for one in ratios:
                yield one, _RatioColumns(against, verdict_words(one.verdict, one.ratio, one.threshold))


def _figures(run: RunSummary) -> Iterator[tuple[FigureSummary, _FigureColumns]]:
    titles = {(plan.name, case.id): case.title for plan in run.manifest.instruments for case in plan.cases}
    for one in run.figures:
        yield one, _FigureColumns(titles[one.instrument, one.case])


COMPUTED = (
    SummaryTable("cells", "One row per case and lane: the result.", (CellSummary, _CellColumns, CaseSummary), _cells),
    SummaryTable(
        "ratios",
        "One row per comparison: cost of `lane` over cost of `base` in one case.",
        (RatioSummary, _RatioColumns),
        _ratios,
    ),
    SummaryTable(
        "fits",
        "One row per operation with sizes and lane: `ns(n) = overhead_ns + per_byte_ns * n`.",
        (FitSummary,),
        lambda run: ((fit,) for fit in run.fits),
    ),
    SummaryTable(
        "crossovers",
        "One row per size at which the faster of two lanes changes.",
        (Crossover,),
        lambda run: ((one,) for one in run.crossovers),
    ),
    SummaryTable(
        "wire_sizes",
        "One row per algorithm with public keys: what its parties send each other.",
        (WireSizes,),
        lambda run: ((one,) for one in run.wire_sizes),
    ),
    SummaryTable(
        "figures",
        "One row per figure of a lane in a case of an instrument: what is no call in a timing loop.",
        (FigureSummary, _FigureColumns),
        _figures,
    ),
)
SUMMARY_TABLES = tuple(one.table() for one in COMPUTED)


def result_tables(run: RunSummary) -> dict[str, list[dict[str, object]]]:
    """The rows of every computed table, as `BundleWriter.finish` takes them."""
    return {one.name: one.rows(run) for one in COMPUTED}
