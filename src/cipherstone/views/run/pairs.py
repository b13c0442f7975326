# SPDX-License-Identifier: Apache-2.0
"""Ratios between the lanes of a case with their verdicts, paired by pass: from the values of a run while it is summed up, from the cells of its summary ever after."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RatioSummary
from cipherstone.stats.pairing import LanePasses, PassFigure, common, pair, pair_flags
from cipherstone.stats.verdict import verdict

TARGET = 0.01  # half-width below which a finding that crosses a limit is `undecided` and not `unresolved`


class Pairs:
    """Ratios between the lanes of one case at threshold `d` (0.01 = 1 %); each pair is computed once. `passes_of`: a lane's figures by pass."""

    def __init__(self, case: str, passes_of: Callable[[str], LanePasses], d: float, target: float = TARGET) -> None:
        self.case = case
        self.threshold = d
        self.target = target
        self._passes_of = passes_of
        self._lanes: dict[str, LanePasses] = {}
        self._known: dict[tuple[str, str], Estimate | None] = {}

    def estimate(self, i: str, j: str) -> Estimate | None:
        """Cost of i over cost of j, from the passes that hold both; None without one."""
        if (i, j) not in self._known:
            self._known[i, j] = Estimate(1.0, 1.0, 1.0) if i == j else pair(self._of(i), self._of(j))
        return self._known[i, j]

    def know(self, ratios: Iterable[tuple[str, str, Estimate | None]]) -> None:
        """Takes over ratios (i, j, i over j) that were formed before."""
        self._known.update({(i, j): ratio for i, j, ratio in ratios if ratio is not None})

    def verdict(self, i: str, j: str) -> Verdict:
        """How i stands to j."""
        return Verdict.EQUAL if i == j else verdict(self.estimate(i, j), self.threshold, self.target)

    def has_interval(self, i: str, j: str) -> bool:
        """Whether enough passes hold both for the ratio to have an interval."""
        found = self.estimate(i, j)
        return found is not None and found.low is not None and found.high is not None

    def ratio(self, i: str, j: str) -> RatioSummary:
        """The ratio as a report shows it, with its flags."""
        a, b = self._of(i), self._of(j)
        flags = () if i == j else pair_flags(a, b)
        passes = len(common(a, b))
        return RatioSummary(self.case, i, j, self.verdict(i, j), self.estimate(i, j), passes, self.threshold, flags)

    def _of(self, lane: str) -> LanePasses:
        if lane not in self._lanes:
            self._lanes[lane] = self._passes_of(lane)
        return self._lanes[lane]


def lane_passes(cell: CellSummary) -> LanePasses:
    """A cell as it is paired; without passes if it has no figure, or does not say which passes its values are of."""
    if cell.ns is None or len(cell.passes) != len(cell.pass_ns):
        return LanePasses({})
    medians = cell.pass_median_ns or (None,) * len(cell.passes)
    long = frozenset(cell.long_passes)
    figures: dict[Hashable, PassFigure] = {
        number: PassFigure(ns, median, number in long)
        for number, ns, median in zip(cell.passes, cell.pass_ns, medians, strict=True)
    }
    return LanePasses(figures, None if cell.fast_passes is None else frozenset(cell.fast_passes))


def paired_ratio(a: CellSummary, b: CellSummary) -> Estimate | None:
    """Cost of a over cost of b, cells of one case; None if no pass holds both, or one has no figure."""
    if a.ns is None or b.ns is None:
        return None
    return Estimate(1.0, 1.0, 1.0) if a.lane == b.lane else pair(lane_passes(a), lane_passes(b))


def case_pairs(case: CaseSummary) -> Pairs:
    """All pairs of a case of a summary; those that it holds are not computed again."""
    cells = {cell.lane: cell for cell in case.cells}
    pairs = Pairs(case.case, lambda lane: lane_passes(cells[lane]), case.threshold)
    pairs.know((known.lane, known.base, known.ratio) for known in (*case.to_base, *case.to_best))
    return pairs
