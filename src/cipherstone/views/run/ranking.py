# SPDX-License-Identifier: Apache-2.0
"""The groups of a ranking, and every lane over the best and over the base."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.summary import CellSummary, Estimate, RatioSummary
from cipherstone.stats.ratio import half_width
from cipherstone.stats.verdict import rank
from cipherstone.views.run.estimates import CaseValues
from cipherstone.views.run.pairs import Pairs


def session_aa(estimates: Sequence[Estimate]) -> Estimate | None:
    """The A/A lane of a case that has none: median offset and median half-width of the run's other cases; None without one with an interval."""
    known = [e for e in estimates if math.isfinite(half_width(e))]
    if not known:
        return None
    value = math.exp(statistics.median(abs(math.log(e.value)) for e in known))
    width = math.exp(statistics.median(half_width(e) for e in known))
    return Estimate(value, value / width, value * width)


def _by_time(cells: Sequence[CellSummary]) -> list[str]:
    with_figure = [(c.ns.value, c.lane) for c in cells if c.ns is not None and not c.lane.endswith("#2")]
    return [lane for _, lane in sorted(with_figure)]


def ranking(pairs: Pairs, cells: Sequence[CellSummary]) -> tuple[tuple[str, ...], ...]:
    """Groups of lanes with a figure, fastest group first. The A/A lane is never ranked, a slow lane is; one whose ratio to the fastest has no interval is not."""
    return rank(_by_time(cells), pairs.verdict, pairs.has_interval)


def to_best(pairs: Pairs, groups: Sequence[Sequence[str]], cells: Sequence[CellSummary]) -> tuple[RatioSummary, ...]:
    """Every lane with a figure over the one whose figure is smallest; that one itself is there with ratio 1. Ranked lanes stand first, in their order."""
    lanes = _by_time(cells)
    ranked = [lane for group in groups for lane in group]
    rest = [lane for lane in lanes if lane not in ranked]
    return tuple(pairs.ratio(lane, lanes[0]) for lane in (*ranked, *rest))


def to_base(
    pairs: Pairs, values: CaseValues, base: str | None, cells: Mapping[str, CellSummary], end: CaseEnd | None
) -> tuple[RatioSummary, ...]:
    """Every lane (A/A left out) over `base`; a lane, or base, without a figure has the verdict that says why and no ratio."""
    if base is None:
        return ()
    found: list[RatioSummary] = []
    for lane, cell in cells.items():
        if lane.endswith("#2"):
            continue
        without = no_figure(cell, values, end) or no_figure(cells[base], values, end)
        if without is None:
            found.append(pairs.ratio(lane, base))
        else:
            found.append(RatioSummary(pairs.case, lane, base, without, threshold=pairs.threshold))
    return tuple(found)


def no_figure(cell: CellSummary, values: CaseValues, end: CaseEnd | None) -> Verdict | None:
    """The verdict that stands in for a missing figure, or None if there is one."""
    if cell.ns is not None:
        return None
    if cell.outcome is Outcome.WRONG:
        return Verdict.WRONG
    if not cell.outcome.timed:
        return Verdict.UNAVAILABLE
    contended = end is CaseEnd.CONTENDED or values.is_contended(cell.lane)
    return Verdict.CONTENDED if contended else Verdict.UNRESOLVED
