# SPDX-License-Identifier: Apache-2.0
"""Figures of instruments between two runs, or between two lanes of one run. As times are: of one run by pass, of two runs each over the base beside it."""

from __future__ import annotations

from collections.abc import Iterator

from cipherstone.model.ids import Lane, base_lane
from cipherstone.model.instruments import FigureSummary, InstrumentCase, InstrumentPlan
from cipherstone.model.outcomes import Verdict
from cipherstone.model.records import Manifest
from cipherstone.model.summary import Estimate, RunSummary
from cipherstone.stats.pairing import LanePasses, PassFigure, pair
from cipherstone.stats.verdict import verdict
from cipherstone.views.comparison import ComparedRow, by_role, divide

NOT_COMPARED = "there is no ratio to the base on one side"
NO_PASS_OF_BOTH = "no pass holds both lanes"
_Side = tuple[dict[tuple[str, str, str], FigureSummary], str]  # a run's figures, and a lane of it


def figure_lanes(run: RunSummary) -> set[str]:
    """Ids of the lanes that instruments measured, A/A left out."""
    return {one.lane for one in run.figures if not Lane.parse(one.lane).twin}


def between_lanes(run: RunSummary, lane_a: str, lane_b: str) -> Iterator[ComparedRow]:
    """Lane b over lane a by every figure that lanes are compared by; names as in `compare_lanes`."""
    for plan, case, a, b in _lanes_of_run(run, lane_a, lane_b):
        for name in _compared(plan):
            one, other = _figure(a, case, name), _figure(b, case, name)
            if one is not None and other is not None:
                label = f"{_label(b[1])} / {_label(a[1])}"
                yield _row(case, name, label, (one, other), _pair(other, one), run.manifest.settings.target)


def between_runs(a: RunSummary, b: RunSummary) -> Iterator[ComparedRow]:
    """Run b over run a: each lane over the base of its case, which both runs have; the base itself has no row."""
    target = max(a.manifest.settings.target, b.manifest.settings.target)
    for plan, (case, theirs), ours, others in _lanes_of_runs(a, b):
        if not case.base or not theirs.base or _label(case.base) != _label(theirs.base) or ours[1] == case.base:
            continue
        for name in _compared(plan):
            one, other = _figure(ours, case, name), _figure(others, case, name)
            if one is not None and other is not None:
                ratio = None if one.ratio is None or other.ratio is None else divide(other.ratio, one.ratio)
                yield _row(case, name, _label(ours[1]), (one, other), ratio, target)


def _lanes_of_run(
    run: RunSummary, lane_a: str, lane_b: str
) -> Iterator[tuple[InstrumentPlan, InstrumentCase, _Side, _Side]]:
    """Each case of a run that has both lanes, and these."""
    for plan in run.manifest.instruments:
        found = _found(run, plan)
        for case in plan.cases:
            a, b = base_lane(lane_a, case.lanes), base_lane(lane_b, case.lanes)
            if a is not None and b is not None and a != b:
                yield plan, case, (found, a), (found, b)


def _lanes_of_runs(
    a: RunSummary, b: RunSummary
) -> Iterator[tuple[InstrumentPlan, tuple[InstrumentCase, InstrumentCase], _Side, _Side]]:
    """Each lane that a case of both runs has by its label: the instrument of a, the case in a and in b, the lane in a and in b."""
    others = {plan.name: plan for plan in b.manifest.instruments}
    for plan in a.manifest.instruments:
        if plan.name not in others:
            continue
        in_a, in_b = _found(a, plan), _found(b, others[plan.name])
        cases = {case.id: case for case in others[plan.name].cases}
        for case in plan.cases:
            theirs = cases.get(case.id)
            roles = by_role(theirs.lanes) if theirs is not None else {}
            for label, lane in by_role(case.lanes).items():
                if theirs is not None and label in roles:
                    yield plan, (case, theirs), (in_a, lane), (in_b, roles[label])


def _figure(side: _Side, case: InstrumentCase, name: str) -> FigureSummary | None:
    found, lane = side
    return found.get((case.id, lane, name))


def named_lanes(run: RunSummary, name: str) -> set[str]:
    """Ids of the lanes that `name` means in cases of instruments."""
    every = (base_lane(name, case.lanes) for plan in run.manifest.instruments for case in plan.cases)
    return {lane for lane in every if lane is not None}


def words_between_lanes(run: RunSummary, lane_a: str, lane_b: str) -> Iterator[str]:
    """A line for each text that lanes are compared by, "" where both are the same; names as in `compare_lanes`."""
    for plan, case, a, b in _lanes_of_run(run, lane_a, lane_b):
        yield from _changed(case, f"{_label(b[1])} / {_label(a[1])}", plan, a, b)


def words_between_runs(a: RunSummary, b: RunSummary) -> Iterator[str]:
    """A line for each text that lanes are compared by, "" where both are the same; lanes are matched as in `between_runs`, without a base."""
    for plan, (case, _), ours, others in _lanes_of_runs(a, b):
        yield from _changed(case, _label(ours[1]), plan, ours, others)


def _changed(case: InstrumentCase, label: str, plan: InstrumentPlan, a: _Side, b: _Side) -> Iterator[str]:
    for kind in plan.figures:
        if not kind.words or not kind.compared:
            continue
        one, other = _figure(a, case, kind.name), _figure(b, case, kind.name)
        if one is None or other is None:
            continue  # what became of it says why
        before, now = one.words or one.note, other.words or other.note
        yield f"{case.id} {label}, {kind.name}: {before} in A, {now} in B" if before != now else ""


def same_programs(a: Manifest, b: Manifest) -> bool:
    """Whether every program that both runs measured is the same executable: there is nothing to compare."""
    known = {(plan.name, _label(lane.id)): lane.program for plan in a.instruments for lane in plan.lanes}
    both = [
        lane.program != "" and lane.program == known[plan.name, _label(lane.id)]
        for plan in b.instruments
        for lane in plan.lanes
        if (plan.name, _label(lane.id)) in known
    ]
    return bool(both) and all(both)


def _label(lane: str) -> str:
    return Lane.parse(lane).label


def _compared(plan: InstrumentPlan) -> list[str]:
    return [kind.name for kind in plan.figures if kind.compared and not kind.words]


def _found(run: RunSummary, plan: InstrumentPlan) -> dict[tuple[str, str, str], FigureSummary]:
    return {(one.case, one.lane, one.figure): one for one in run.figures if one.instrument == plan.name}


def _pair(one: FigureSummary, other: FigureSummary) -> Estimate | None:
    """The first over the second, by pass."""
    return pair(*(LanePasses({n: PassFigure(value) for n, value in it.by_pass if value > 0.0}) for it in (one, other)))


def _row(
    case: InstrumentCase, name: str, label: str, sides: tuple[FigureSummary, FigureSummary], ratio: Estimate | None, target: float
) -> ComparedRow:  # fmt: skip
    one, other = sides
    d = max(one.threshold, other.threshold)
    passes = min(len(one.by_pass), len(other.by_pass))
    missing = next((it.note for it in sides if it.value is None), "") or (NOT_COMPARED if one.base else NO_PASS_OF_BOTH)
    return ComparedRow(
        f"{case.id} {name}",
        label,
        one.lane,
        other.lane,
        ratio,
        Verdict.UNRESOLVED if ratio is None else verdict(ratio, d, target),
        d,
        missing if ratio is None else "",
        passes,
        d,
        one.value is not None and ratio is None,
    )
