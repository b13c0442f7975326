# SPDX-License-Identifier: Apache-2.0
"""Ratios between lanes of a case, their verdicts, and the groups of a ranking."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.summary import CellSummary, Estimate, RatioSummary
from cipherstone.stats.flags import BIMODAL, CONTENTION_SENSITIVE, bimodal, contention_sensitive
from cipherstone.stats.ratio import half_width, log_estimate, log_ratios
from cipherstone.stats.verdict import rank, verdict
from cipherstone.views.estimates import CaseValues, key_of, pair_floors, unseen
from cipherstone.views.passes import PassValue


def session_aa(estimates: Sequence[Estimate]) -> Estimate | None:
    """The A/A lane of a case that has none: median offset and median half-width of the run's other cases; None without one with an interval."""
    known = [e for e in estimates if math.isfinite(half_width(e))]
    if not known:
        return None
    value = math.exp(statistics.median(abs(math.log(e.value)) for e in known))
    width = math.exp(statistics.median(half_width(e) for e in known))
    return Estimate(value, value / width, value * width)


class Pairs:
    """Ratios between the lanes of one case at threshold `d` (0.01 = 1 %); each pair is computed once."""

    def __init__(self, case: str, values: CaseValues, d: float, target: float) -> None:
        self.case = case
        self.values = values
        self.threshold = d
        self.target = target
        self._known: dict[tuple[str, str], RatioSummary] = {}

    def ratio(self, i: str, j: str) -> RatioSummary:
        """Cost of i over cost of j, from the valid passes that hold both."""
        known = self._known.get((i, j))
        if known is None:
            known = self._known[i, j] = self._compute(i, j)
        return known

    def verdict(self, i: str, j: str) -> Verdict:
        """How i stands to j."""
        return self.ratio(i, j).verdict

    def _compute(self, i: str, j: str) -> RatioSummary:
        if i == j:
            one = Estimate(1.0, 1.0, 1.0)
            return RatioSummary(self.case, i, j, Verdict.EQUAL, one, len(self.values.rows(i)), self.threshold)
        pairs = self.values.pair(i, j)
        logs = log_ratios(*pair_floors(pairs))
        estimate = self._estimate(i, j, pairs, logs)
        flags: list[str] = []
        medians = [
            math.log(a.clean_median_ns / b.clean_median_ns)
            for a, b in pairs
            if a.clean_median_ns is not None and b.clean_median_ns is not None
        ]
        if len(medians) == len(logs) and contention_sensitive(logs, medians):
            flags.append(CONTENTION_SENSITIVE)
        if bimodal(logs):
            flags.append(BIMODAL)
        found = verdict(estimate, self.threshold, self.target)
        return RatioSummary(self.case, i, j, found, estimate, len(logs), self.threshold, tuple(flags))

    def _estimate(
        self, i: str, j: str, pairs: Sequence[tuple[PassValue, PassValue]], logs: Sequence[float]
    ) -> Estimate | None:
        """The median of `logs` with its interval. Where a lane's processes keep one of two speeds: the median over passes at the faster one, the interval over all. Long calls: widened by what may have gone unseen."""
        estimate = log_estimate(logs)
        if estimate is None or estimate.low is None or estimate.high is None:
            return estimate
        value = estimate.value
        fast = [keys for keys in (self.values.at_low(i), self.values.at_low(j)) if keys is not None]
        if fast:
            chosen = [log for (a, _), log in zip(pairs, logs, strict=True) if all(key_of(a) in keys for keys in fast)]
            value = math.exp(statistics.median(chosen)) if chosen else value
        low = estimate.low / math.exp(unseen([a for a, _ in pairs]))
        high = estimate.high * math.exp(unseen([b for _, b in pairs]))
        return Estimate(value, min(low, value), max(high, value))


def ranking(pairs: Pairs, cells: Sequence[CellSummary]) -> tuple[tuple[str, ...], ...]:
    """Groups of lanes with a figure, fastest group first. The A/A lane is never ranked, a slow lane is."""
    with_figure = [(c.ns.value, c.lane) for c in cells if c.ns is not None and not c.lane.endswith("#2")]
    return rank([lane for _, lane in sorted(with_figure)], pairs.verdict)


def to_best(pairs: Pairs, groups: Sequence[Sequence[str]]) -> tuple[RatioSummary, ...]:
    """Every ranked lane over the first of the first group; that one itself is there with ratio 1."""
    return tuple(pairs.ratio(lane, groups[0][0]) for group in groups for lane in group) if groups else ()


def to_base(
    pairs: Pairs, base: str | None, cells: Mapping[str, CellSummary], end: CaseEnd | None
) -> tuple[RatioSummary, ...]:
    """Every lane (A/A left out) over `base`; a lane, or base, without a figure has the verdict that says why and no ratio."""
    if base is None:
        return ()
    found: list[RatioSummary] = []
    for lane, cell in cells.items():
        if lane.endswith("#2"):
            continue
        without = no_figure(cell, pairs.values, end) or no_figure(cells[base], pairs.values, end)
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
