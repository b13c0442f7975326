# SPDX-License-Identifier: Apache-2.0
"""Figures of instruments whose task is no call in a timing loop, from the turns of their lanes. Exact ones, such as sizes, have no error: no pairing, no threshold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import TWIN
from cipherstone.model.instruments import FigureKind, FigureSummary, InstrumentCase, InstrumentPlan, TurnRecord
from cipherstone.model.later import Later
from cipherstone.model.outcomes import RunStatus, Verdict
from cipherstone.model.records import Manifest
from cipherstone.model.units import counted
from cipherstone.stats.interval import median_estimate
from cipherstone.stats.pairing import LanePasses, PassFigure, pair
from cipherstone.stats.probes import clean_level, session_reference
from cipherstone.stats.verdict import SMALLEST_THRESHOLD, threshold, verdict
from cipherstone.views.run.noise import PUBLISHABLE_DISTURBED, PUBLISHABLE_FALSE_POSITIVES, SETTLED

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

NO_TURN = "no turn of it was made"
NOT_GIVEN = "its turns give no such figure"
NO_PASS_OF_BOTH = "no pass holds both"
NOT_ALIKE = "it must be the same in every turn, and is not"


@dataclass(frozen=True)
class _Lane:
    """A lane in a case. `turns`: those that count, by pass; `made`: how many gave figures, `undisturbed` of them with a free core; `failed`: why others gave none."""

    turns: Mapping[int, Sequence[TurnRecord]]
    made: int
    undisturbed: int | None
    failed: Sequence[str] = field(default=())

    @property
    def worded(self) -> bool:
        """Whether its turns gave texts."""
        return any(one.words for some in self.turns.values() for one in some)

    def values(self, figure: str) -> dict[int, float]:
        """The pass values of a figure: medians of the turns that count."""
        found = {
            number: [one.figures[figure] for one in turns if figure in one.figures]
            for number, turns in self.turns.items()
        }
        return {number: median(some) for number, some in found.items() if some}


def figures_of(
    plans: Sequence[InstrumentPlan], turns: Iterable[TurnRecord], quiet: float | None, target: float
) -> tuple[FigureSummary, ...]:
    """All figures, in the order of the plans. `quiet`: the IPC that a free core reaches, None where it is not known; `target`: the half-width asked of every ratio (0.01: 1 %)."""
    by_place: dict[tuple[str, str, str], list[TurnRecord]] = {}
    for one in turns:
        by_place.setdefault((one.instrument, one.case, one.lane), []).append(one)
    return tuple(
        row
        for plan in plans
        for case in plan.cases
        for row in _case(plan, case, {lane: _lane(by_place.get((plan.name, case.id, lane), ()), quiet) for lane in case.lanes}, target)
    )  # fmt: skip


def _lane(turns: Sequence[TurnRecord], quiet: float | None) -> _Lane:
    """Turns of a free core alone count, in a pass that has some."""
    by_pass: dict[int, list[TurnRecord]] = {}
    for one in turns:
        if one.figures or one.words:
            by_pass.setdefault(one.pass_index, []).append(one)
    failed = [one.failed for one in turns if one.failed]
    made = sum(map(len, by_pass.values()))
    probed = [one for some in by_pass.values() for one in some if one.ipc_before is not None]
    if quiet is None or not probed:
        return _Lane(by_pass, made, None, failed)
    free = {number: [one for one in some if _is_free(one, quiet)] for number, some in by_pass.items()}
    chosen = {number: free[number] or some for number, some in by_pass.items()}
    return _Lane(chosen, made, sum(map(len, free.values())), failed)


def _is_free(turn: TurnRecord, quiet: float) -> bool:
    ends = (turn.ipc_before, turn.ipc_after)
    return all(one is not None and one >= quiet for one in ends)


def _case(
    plan: InstrumentPlan, case: InstrumentCase, lanes: Mapping[str, _Lane], target: float
) -> Iterator[FigureSummary]:
    for kind in plan.figures:
        if kind.words:
            yield from _words(plan, case, kind, lanes)
            continue
        values = {lane: one.values(kind.name) for lane, one in lanes.items()}
        if not any(values.values()) and any(one.made for one in lanes.values()):
            continue  # this case has no such figure
        compared = kind.compared and case.base in lanes
        if kind.exact:
            for lane, one in lanes.items():
                if one.worded and not values[lane]:
                    continue  # its words say what became of it
                yield _exact(_row(plan, case, kind, lane, one, values[lane]), values if compared else {})
            continue
        aa = _ratio(values.get(case.base + TWIN, {}), values[case.base]) if compared else None
        for lane, one in lanes.items():
            if one.made and not values[lane]:
                continue  # this lane has no such figure
            row = _row(plan, case, kind, lane, one, values[lane])
            yield _against(row, values, aa, target) if compared else row


def _row(plan: InstrumentPlan, case: InstrumentCase, kind: FigureKind, lane: str, turns: _Lane, values: Mapping[int, float]) -> FigureSummary:  # fmt: skip
    return FigureSummary(
        plan.name,
        case.id,
        lane,
        kind.name,
        kind.unit,
        median_estimate(list(values.values())) if values else None,
        tuple(values.items()),
        turns.made,
        turns.undisturbed,
        len(turns.failed),
        case.base if kind.compared else "",
        note=next(iter(turns.failed), "" if values else NOT_GIVEN if turns.made else NO_TURN),
    )


def _words(
    plan: InstrumentPlan, case: InstrumentCase, kind: FigureKind, lanes: Mapping[str, _Lane]
) -> Iterator[FigureSummary]:
    """A text of each lane that has it; a lane without any turn has a row that says so."""
    for lane, one in lanes.items():
        seen = {turn.words[kind.name] for some in one.turns.values() for turn in some if kind.name in turn.words}
        if one.made and not seen:
            continue  # this lane has no such text
        row = replace(_row(plan, case, kind, lane, one, {}), base="", threshold=0.0)
        if len(seen) == 1:
            row = replace(row, words=next(iter(seen)), note=next(iter(one.failed), ""))
        yield replace(row, note=NOT_ALIKE) if len(seen) > 1 else row


def _exact(row: FigureSummary, values: Mapping[str, Mapping[int, float]]) -> FigureSummary:
    """An exact figure: its value, and its ratio to the base's and the verdict where `values` has both. A value of zero has a verdict and no ratio."""
    seen = {value for _, value in row.by_pass}
    if len(seen) > 1:
        return replace(row, value=None, threshold=0.0, note=NOT_ALIKE)
    row = replace(row, value=_certain(next(iter(seen))) if seen else None, threshold=0.0)
    base = set(values.get(row.base, {}).values())
    if row.lane == row.base or len(base) != 1 or row.value is None:
        return row
    mine, theirs = row.value.value, next(iter(base))
    said = Verdict.EQUAL if mine == theirs else Verdict.FASTER if mine < theirs else Verdict.SLOWER
    return replace(row, ratio=_certain(mine / theirs) if mine and theirs else None, verdict=said)


def _certain(value: float) -> Estimate:
    return Estimate(value, value, value)


def _against(row: FigureSummary, values: Mapping[str, Mapping[int, float]], aa: Estimate | None, target: float) -> FigureSummary:  # fmt: skip
    """The row with its ratio to the base and the verdict; the base itself has none. The A/A lane is held against the smallest threshold: what it shows must not excuse itself."""
    d = SMALLEST_THRESHOLD if row.lane == row.base + TWIN else threshold(aa)
    if row.lane == row.base or row.value is None:
        return replace(row, threshold=d)
    ratio = _ratio(values[row.lane], values[row.base])
    note = row.note or ("" if ratio is not None else NO_PASS_OF_BOTH)
    return replace(row, ratio=ratio, verdict=verdict(ratio, d, target), threshold=d, note=note)


def _ratio(i: Mapping[int, float], j: Mapping[int, float]) -> Estimate | None:
    """By pass. A value of zero has no ratio."""
    return pair(_passes(i), _passes(j))


def _passes(values: Mapping[int, float]) -> LanePasses:
    return LanePasses({number: PassFigure(value) for number, value in values.items() if value > 0.0})


def turns_reference(turns: Sequence[TurnRecord], stored: float | None) -> float | None:
    """The IPC of a free core: what the probes beside the turns show, and what was stored before."""
    seen = [ipc for one in turns for ipc in (one.ipc_before, one.ipc_after) if ipc is not None]
    return session_reference(clean_level(np.array(seen)) if seen else None, stored)


def figures_trust(manifest: Manifest, figures: Sequence[FigureSummary]) -> tuple[str, str]:
    """The trust word of a run of instruments, and its reason. `empty`: no figure. `publishable`: the run finished with all passes, probes watched, a tenth of the turns or more had a free core, A/A lanes were there and at most 5 % of them came out different, and every comparison is settled. `indicative`: all else, with what is missing. Exact figures are settled as they are, and need no A/A lane."""
    exact = {(plan.name, kind.name) for plan in manifest.instruments for kind in plan.figures if kind.exact}
    rows = [one for one in figures if not one.lane.endswith(TWIN)]
    there = [one for one in rows if one.known]
    if not there:
        return "empty", "nothing was measured"
    told = f"{len(there)} of {counted(len(rows), 'figure is', 'figures are')} there"
    missing = [f"the run is {manifest.status}"] if manifest.status != RunStatus.FINISHED else []
    missing += [one.unprobed for one in manifest.instruments if one.unprobed]
    probed = [one for one in there if one.undisturbed is not None]
    turns, free = sum(one.turns for one in probed), sum(one.undisturbed or 0 for one in probed)
    if turns and free < (1 - PUBLISHABLE_DISTURBED) * turns:
        missing.append(f"{1 - free / turns:.0%} of the turns were disturbed")
    if failed := sum(bool(one.note) for one in there if one.note != NO_PASS_OF_BOTH):
        missing.append(f"{counted(failed, 'figure lacks turns', 'figures lack turns')} that failed")
    timed = [one for one in there if (one.instrument, one.figure) not in exact]
    twins = [
        one
        for one in figures
        if one.lane.endswith(TWIN) and one.verdict is not None and (one.instrument, one.figure) not in exact
    ]
    apart = sum(one.verdict in (Verdict.FASTER, Verdict.SLOWER) for one in twins)
    if timed and not twins:
        missing.append("nothing was measured against itself")
    elif apart > PUBLISHABLE_FALSE_POSITIVES * len(twins):
        missing.append(f"{apart} of {counted(len(twins), 'A/A comparison')} came out different")
    told_nothing = sum(one.verdict not in SETTLED for one in twins)
    if told_nothing:
        missing.append(f"{told_nothing} of {counted(len(twins), 'A/A comparison')} {'is' if told_nothing == 1 else 'are'} not settled")  # fmt: skip
    compared = [one for one in timed if one.verdict is not None]
    unsettled = sum(one.verdict not in SETTLED for one in compared)
    if unsettled:
        missing.append(f"{unsettled} of {counted(len(compared), 'comparison')} {'is' if unsettled == 1 else 'are'} not settled")  # fmt: skip
    if missing:
        return "indicative", f"{told}; {'; '.join(missing)}"
    if not timed:
        return "publishable", f"{told}, all of them exact"
    return "publishable", f"{told}, {counted(len(twins), 'A/A comparison')} came out alike, every comparison is settled"
