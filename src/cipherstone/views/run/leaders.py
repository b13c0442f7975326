# SPDX-License-Identifier: Apache-2.0
"""What may be called the fastest, a tie, equal or slower: the one place that says it, by the ranking and the verdicts of the method.

Nothing in a report, a card, a laboratory or an exporter calls a lane a winner because its figure is the smallest: it asks for the standing of the lanes that it speaks of.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate
from cipherstone.stats.verdict import LARGEST_EQUAL, rank
from cipherstone.stats.verdictwords import beside_one
from cipherstone.views.run.pairs import Pairs, case_pairs

TOLD = (Verdict.FASTER, Verdict.SLOWER)


@dataclass(frozen=True)
class Standing:
    """How some lanes of a case stand to each other. `groups`: as in a ranking, fastest group first; inside a group the order means nothing, its first is what the others were held against."""

    groups: tuple[tuple[str, ...], ...]
    pairs: Pairs

    @property
    def leaders(self) -> tuple[str, ...]:
        """The first group: one lane is the fastest, several are a tie; none without a figure."""
        return self.groups[0] if self.groups else ()

    @property
    def first(self) -> str | None:
        """Who stands for the leaders where one must; never a winner by itself."""
        return self.leaders[0] if self.leaders else None

    @property
    def tied(self) -> bool:
        """Whether no lane is the fastest alone."""
        return len(self.leaders) > 1

    @property
    def order(self) -> tuple[str, ...]:
        """All lanes, group after group."""
        return tuple(lane for group in self.groups for lane in group)

    @property
    def margin(self) -> float:
        """Within how much lanes that are called equal are equal (0.01 = 1 %)."""
        return min(self.pairs.threshold, LARGEST_EQUAL)

    def estimate(self, i: str, j: str) -> Estimate | None:
        """Cost of i over cost of j; None without a common pass."""
        return self.pairs.estimate(i, j)

    def verdict(self, i: str, j: str) -> Verdict:
        """How i stands to j."""
        return self.pairs.verdict(i, j)

    def all_equal(self, lanes: Sequence[str]) -> bool:
        """Whether each pair of `lanes` is `equal`: being equal to the first does not make two lanes equal."""
        return all(self.verdict(b, a) is Verdict.EQUAL for a, b in combinations(lanes, 2))

    def any_apart(self, lanes: Sequence[str]) -> bool:
        """Whether the interval of some pair of `lanes` leaves out 1, however near it lies."""
        return any(beside_one(self.estimate(b, a)) for a, b in combinations(lanes, 2))

    def any_told(self, lanes: Sequence[str]) -> bool:
        """Whether some pair of `lanes` is `faster` or `slower`: a group promises nothing about pairs without its first."""
        return any(self.verdict(b, a) in TOLD for a, b in combinations(lanes, 2))

    def all_slower(self, lanes: Sequence[str], than: Sequence[str]) -> bool:
        """Whether each of `lanes` is `slower` than each of `than`."""
        return all(self.verdict(i, j) is Verdict.SLOWER for i in lanes for j in than)


def standing(case: CaseSummary) -> Standing:
    """Of all ranked lanes of a case: its ranking."""
    return Standing(case.ranking, case_pairs(case))


def standing_of(case: CaseSummary, lanes: Iterable[str]) -> Standing:
    """Of some lanes of a case, ranked among themselves by the same rule; those without a figure are left out. Where nothing is settled between them they are one group, which says that they cannot be told apart."""
    wanted = set(lanes)
    pairs = case_pairs(case)
    lanes = [lane for lane in _by_time(case) if lane in wanted]
    return Standing(rank(lanes, pairs.verdict, pairs.has_interval) or rank(lanes, pairs.verdict), pairs)


def unsettled(case: CaseSummary) -> tuple[str, ...]:
    """Lanes with a figure that the ranking leaves out, because their ratio to the fastest has no interval; the A/A lane is none."""
    ranked = {lane for group in case.ranking for lane in group}
    return tuple(lane for lane in _by_time(case) if lane not in ranked and not Lane.parse(lane).twin)


def standing_order(case: CaseSummary) -> list[str]:
    """The lanes of a case that have a figure, in the order in which the rule of groups takes them; by itself it says nothing of who is ahead."""
    return [lane for lane in _by_time(case) if not Lane.parse(lane).twin]


def _by_time(case: CaseSummary) -> list[str]:
    return [lane for _, lane in sorted((cell.ns.value, cell.lane) for cell in case.cells if cell.ns is not None)]


@dataclass(frozen=True)
class Overall:
    """One lane a case, over several cases. `wins`: no other build is in the first group; `ties`: in it with other builds. `mean`: geometric mean of the cost over the best, over `cases` of them.

    `worst`: (case, cost over the best) of the largest; None without a figure.
    """

    wins: int
    ties: int
    cases: int
    mean: float | None
    worst: tuple[str, Estimate] | None


def overall(chosen: Iterable[tuple[CaseSummary, str]]) -> Overall:
    """Of (case, lane) pairs; a case in which the lane has no ratio to the best counts for neither mean nor worst."""
    wins = ties = 0
    ratios: list[tuple[str, Estimate]] = []
    for case, lane in chosen:
        leaders = standing(case).leaders
        if lane in leaders:
            shared = tied_builds(leaders, lane)
            wins, ties = wins + (not shared), ties + shared
        ratios += [(case.case, r.ratio) for r in case.to_best if r.lane == lane and r.ratio is not None]
    if not ratios:
        return Overall(wins, ties, 0, None, None)
    mean = math.exp(statistics.fmean(math.log(ratio.value) for _, ratio in ratios))
    return Overall(wins, ties, len(ratios), mean, max(ratios, key=lambda known: known[1].value))


def tied_builds(leaders: Iterable[str], lane: str) -> bool:
    """Whether `leaders` (lane ids) have a lane of another build than that of `lane`: implementations of one build are no tie for a reader who compares builds."""
    own = Lane.parse(lane).build_id
    return any(Lane.parse(other).build_id != own for other in leaders)


def by_rank(case: CaseSummary, cells: Iterable[CellSummary]) -> list[CellSummary]:
    """Cells with a figure in the order of the case's ranking; what the ranking leaves out comes last, by name."""
    place = {lane: number for number, lane in enumerate(lane for group in case.ranking for lane in group)}
    timed = [cell for cell in cells if cell.ns is not None]
    return sorted(timed, key=lambda cell: (place.get(cell.lane, len(place)), cell.lane))
