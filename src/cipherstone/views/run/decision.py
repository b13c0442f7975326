# SPDX-License-Identifier: Apache-2.0
"""Who wins a case, who ties, by how much, and what is in doubt about the winner: as values. Reports turn them into sentences, exports write them as they are."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate
from cipherstone.stats.verdictwords import beside_one
from cipherstone.views.run.leaders import Standing, standing, unsettled


class TieKind(StrEnum):
    """What is known of lanes of which none is the fastest alone."""

    EQUAL = "equal"  # each pair is equal, and no interval leaves out 1
    WITHIN = "within"  # each pair is equal, and some interval leaves out 1
    MIXED = "mixed"  # some differ from each other, none from the first
    UNKNOWN = "unknown"  # some have no interval against the first
    NOT_SHOWN = "not-shown"  # an interval leaves out 1 and does not pass the threshold
    OPEN = "open"  # every interval holds 1


class Tie(msgspec.Struct, frozen=True, omit_defaults=True):
    """`within`: the margin that equal lanes are equal to, or the threshold that no difference is shown to pass. `ratio`: cost of the others over the first; None where it says nothing more."""

    kind: TieKind
    within: float
    ratio: Estimate | None = None


class DoubtKind(StrEnum):
    """What to know about a lane before choosing it."""

    LAX = "lax"
    STRICT = "strict"
    WRONG_SIBLING = "wrong-sibling"  # other implementations of its build compute wrong results here
    SECRET_TIME = "secret-time"
    TWO_SPEEDS = "two-speeds"
    DRIFTING = "drifting"


class Doubt(msgspec.Struct, frozen=True, omit_defaults=True):
    """`lanes`: the siblings that are wrong."""

    lane: str
    kind: DoubtKind
    lanes: tuple[str, ...] = ()


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """The decision of a case. `leaders`: the fastest, one lane a library, or the lanes of one library that tie; none where nothing is settled.

    `tie`: of several leaders. `behind`: the next, one lane a library; of the same library where no other has a figure (`alone`). `ahead`: cost of those behind over the leaders, over the first of them alone if `ahead_of_first`; None if it is not known. `unsettled`: lanes with a figure and too few passes beside the fastest.
    """

    case: str
    leaders: tuple[str, ...] = ()
    tie: Tie | None = None
    behind: tuple[str, ...] = ()
    alone: bool = False
    ahead: Estimate | None = None
    ahead_of_first: bool = False
    unsettled: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def decide(case: CaseSummary) -> Decision:
    """The winner or the tie, by library."""
    left = unsettled(case)
    if not case.ranking:
        return Decision(case.case, unsettled=left)
    found = standing(case)
    libraries = _one_a_library(case.ranking[0])
    leaders = libraries if len(libraries) > 1 else list(case.ranking[0])
    behind = _next_group(case, leaders)
    of_all = found.all_slower(behind, leaders)
    against = leaders if of_all else leaders[:1]
    known = [ratio for i in behind for j in against if (ratio := found.estimate(i, j)) is not None]
    cells = {cell.lane: cell for cell in case.cells}
    return Decision(
        case=case.case,
        leaders=tuple(leaders),
        tie=tie_of(found, leaders) if len(leaders) > 1 else None,
        behind=tuple(behind),
        alone=bool(behind) and all(Lane.parse(lane).library == Lane.parse(leaders[0]).library for lane in behind),
        ahead=span_of(known) if known else None,
        ahead_of_first=not of_all and len(leaders) > 1,
        unsettled=left,
        doubts=tuple(doubt for lane in leaders for doubt in doubts_of(case, cells[lane])),
    )


def tie_of(found: Standing, lanes: Sequence[str]) -> Tie:
    """What is known of `lanes` (two or more, the first of their group first). Lanes are called equal only where each pair is `equal`."""
    first, *others = lanes
    if found.all_equal(lanes):
        apart = found.any_apart(lanes)
        ratio = found.estimate(others[0], first) if apart and len(lanes) == 2 else None
        return Tie(TieKind.WITHIN if apart else TieKind.EQUAL, found.margin, ratio)
    threshold = found.pairs.threshold
    if found.any_told(lanes):
        return Tie(TieKind.MIXED, threshold)
    known = [ratio for lane in others if (ratio := found.estimate(lane, first)) is not None]
    if len(known) < len(others) or any(ratio.low is None or ratio.high is None for ratio in known):
        return Tie(TieKind.UNKNOWN, threshold)
    beside = any(map(beside_one, known))
    return Tie(TieKind.NOT_SHOWN if beside else TieKind.OPEN, threshold, span_of(known))


def span_of(ratios: Sequence[Estimate]) -> Estimate:
    """The smallest of several ratios, with the ends of all intervals; without an interval if one of them has none."""
    least = min(ratios, key=lambda ratio: ratio.value)
    lows, highs = [r.low for r in ratios if r.low is not None], [r.high for r in ratios if r.high is not None]
    if len(lows) < len(ratios) or len(highs) < len(ratios):
        return Estimate(least.value)
    return Estimate(least.value, min(lows), max(highs))


def doubts_of(case: CaseSummary, cell: CellSummary) -> list[Doubt]:
    """What is lax, strict or wrong about a lane, and unsteady about its figure."""
    lane, found = Lane.parse(cell.lane), []
    outcomes = dict.fromkeys(one.outcome for one in cell.deviations)
    found += [Doubt(cell.lane, DoubtKind(one.value)) for one in outcomes if one in (Outcome.LAX, Outcome.STRICT)]
    others = [c for c in case.cells if c.lane != cell.lane and Lane.parse(c.lane).build_id == lane.build_id]
    if wrong := tuple(c.lane for c in others if c.outcome is Outcome.WRONG):
        found.append(Doubt(cell.lane, DoubtKind.WRONG_SIBLING, wrong))
    if cell.properties is not None and cell.properties.constant_time == "no":
        found.append(Doubt(cell.lane, DoubtKind.SECRET_TIME))
    if cell.levels or "bimodal" in cell.flags:
        found.append(Doubt(cell.lane, DoubtKind.TWO_SPEEDS))
    if "drift" in cell.flags:
        found.append(Doubt(cell.lane, DoubtKind.DRIFTING))
    return found


def _one_a_library(lanes: Sequence[str]) -> list[str]:
    kept: dict[str, str] = {}
    for lane in lanes:
        kept.setdefault(Lane.parse(lane).library, lane)
    return list(kept.values())


def _next_group(case: CaseSummary, winners: Sequence[str]) -> list[str]:
    """The first later group with another library's lanes (one a library); else the next group of the same library."""
    libraries = {Lane.parse(lane).library for lane in winners}
    for group in case.ranking[1:]:
        others = _one_a_library([lane for lane in group if Lane.parse(lane).library not in libraries])
        if others:
            return others
    return list(case.ranking[1][:1]) if len(case.ranking) > 1 else []
