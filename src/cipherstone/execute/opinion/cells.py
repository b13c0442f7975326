# SPDX-License-Identifier: Apache-2.0
"""Cells of a run against minimal loops: the same call of the same library file, by a program of a few lines, on the same CPU in the same minutes.

Passes of ours and processes of the loops take turns. Both count cycles of the core, each by its own chain of additions, so that a clock that moves between them moves nothing.
Cells that differ, and cells without a free core for long enough, are measured again. All passes and processes of a cell count together.
"""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from cipherstone import METHOD_VERSION, __version__
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.execute.opinion.loops import Cell, LoopPrograms, Loops
from cipherstone.execute.opinion.sample import Candidate, draw, lacking
from cipherstone.execute.survey import Found
from cipherstone.host.facts import load_1min, machine_facts
from cipherstone.host.ipc import IpcReferences
from cipherstone.measure.plan import Plan
from cipherstone.measure.proof import Capability
from cipherstone.measure.session import Session
from cipherstone.measure.start import Start
from cipherstone.measure.watch import AwayFrom
from cipherstone.model.agreement import CellOpinion, RatioOpinion, SecondOpinion
from cipherstone.model.ids import Case, Lane, base_lane
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    Manifest,
    NoiseRecord,
    PassRecord,
    PlannedCase,
    Record,
    Settings,
)
from cipherstone.model.summary import CellSummary, RunSummary
from cipherstone.model.units import counted
from cipherstone.operations.vectors import vectors_of
from cipherstone.stats.agreement import EmptyCall, middle, reason_of
from cipherstone.stats.passvalue import batches_of, pass_cycle_ns
from cipherstone.views.run.summarise import summarise

PASSES, LEAST_PASSES, MOST_PASSES = 7, 6, 10  # fewer than six give no figure, and one may be beside a neighbour
TRIES = 3
LATER = 3  # times that cells without a figure are measured again when all others were
GROUP = 12  # cases that are measured together: passes of a few minutes, as in a run
LONGEST_NS = 100e6  # of a call; a longer one would take the sample's time alone
# How a run is made whose cells are compared: passes enough for a figure, whose interval is not used.
SETTINGS = Settings(memory=False, spectrum=False, min_passes=PASSES, max_passes=MOST_PASSES, target=0.05)
Tell = Callable[[str], None]


class Clock(NamedTuple):
    """Of our passes. `cycle_ns`: by case and pass; `empty`: cycles of an empty call by case and lane, a number a pass."""

    cycle_ns: Mapping[tuple[str, int], float] = {}
    empty: Mapping[Cell, Sequence[float]] = {}


def clock_of(records: Iterable[Record], settings: Settings, reference: float | None) -> Clock:
    """What the passes tell of cycles."""
    cycles: dict[tuple[str, int], float] = {}
    empty: dict[Cell, list[float]] = {}
    for one in records:
        if isinstance(one, PassRecord):
            cycle = pass_cycle_ns(batches_of(one, settings.dropped_batches), reference, settings.clean_threshold)
            if cycle is None:
                continue
            cycles[one.case, one.index] = cycle
            for samples, ns in zip(one.lanes, one.harness_ns, strict=False):
                empty.setdefault((one.case, samples.lane), []).append(ns / cycle)
    return Clock(cycles, empty)


def opinion(
    cell: CellSummary,
    family: str,
    clock: Clock,
    loops: Loops,
    draws: bool,
    earlier: Sequence[float] = (),
) -> CellOpinion:
    """Our figure of a cell beside that of the loops that were taken of it. `earlier`: cycles per call of passes before these, which count as well: the figure is then the median of all, as it is of those of one run."""
    key = (cell.case, cell.lane)
    taken = loops.values(key, draws)
    cycles, wall = [one.cycles for one in taken], [one.ns for one in taken]
    numbers = [clock.cycle_ns.get((cell.case, number)) for number in cell.passes]
    new = [ns / cycle for ns, cycle in zip(cell.pass_ns, numbers, strict=True) if cycle is not None]
    passes = [*earlier, *new]
    known = [cycle for cycle in numbers if cycle is not None]
    # Without a probe in the worker, or a pass of now, there is no clock of ours to take the loop to.
    cycle_ns = middle(known) if known else middle(wall) / middle(cycles) if cycles else None
    ours = cell.ns.value if cell.ns is not None else None
    # Of a lane with two speeds the figure is the faster one, and no median.
    if earlier and not cell.levels and cycle_ns is not None and len(passes) >= LEAST_PASSES:
        ours = middle(passes) * cycle_ns
    refused = loops.refused.get(key, "")
    contended = not refused and cell.outcome.timed and (ours is None or not cycles)
    if ours is None:
        refused = refused or f"no figure of ours: {cell.refused or cell.detail or cell.outcome}"
    if not cycles:
        refused = refused or "no loop saw a free core for long enough"
    loop = middle(cycles) * cycle_ns if cycles and cycle_ns is not None else None
    found = CellOpinion(
        cell.case, cell.lane, family, ours, loop, 1, tuple(passes), tuple(cycles), middle(wall) if wall else None, "", refused,
        contended=contended,
    )  # fmt: skip
    if not found.beyond:
        return found
    own = clock.empty.get(key, ())
    empty = EmptyCall(middle(own), middle([one.empty for one in taken])) if own and taken else EmptyCall()
    return msgspec.structs.replace(found, reason=reason_of(passes, cycles, draws, [one.before for one in taken], empty))


def ratios(cells: Sequence[CellOpinion], base: str | None) -> list[RatioOpinion]:
    """To the base lane of each case, where both have it."""
    by_case: dict[str, list[CellOpinion]] = {}
    for one in cells:
        if one.difference is not None:
            by_case.setdefault(one.case, []).append(one)
    found = []
    for case, members in by_case.items():
        named = base_lane(base, [one.lane for one in members])
        under = next((one for one in members if one.lane == named), None)
        if under is None or not under.ours_ns or not under.loop_ns:
            continue
        found += [
            RatioOpinion(case, one.lane, under.lane, one.ours_ns / under.ours_ns, one.loop_ns / under.loop_ns)
            for one in members
            if one is not under and one.ours_ns is not None and one.loop_ns is not None
        ]
    return found


def again(before: CellOpinion | None, one: CellOpinion) -> CellOpinion:
    """What is known of a cell after one more try, in which all earlier ones count; one that gave no figure changes nothing."""
    if before is None or before.difference is None:
        return one
    if one.difference is None:
        return before
    return msgspec.structs.replace(one, tries=before.tries + 1, earlier=(*before.earlier, before.difference))


class OpinionBench:
    """Measures cells by us and by loops in turn."""

    def __init__(
        self,
        workshop: Workshop,
        catalogue: Catalogue,
        found: Sequence[Found],
        capabilities: Mapping[tuple[str, str], Capability],
        settings: Settings,
        tell: Tell,
    ) -> None:
        self._catalogue = catalogue
        self._capabilities = capabilities
        self._vectors = functools.cache(functools.partial(vectors_of, workshop.root))
        self._settings = settings
        self._tell = tell
        self._launches = {f"{f.id}@{f.build.build}": f.launch for f in found if f.build and f.launch}
        self._machine = machine_facts()
        references = IpcReferences(workshop.cache / "ipc-reference.json")
        self._reference = references.known(self._machine.cpu_model, self._machine.hypervisor)[0]
        self.loops = Loops(LoopPrograms(workshop, found), capabilities, self._launches.values(), settings.cpu)
        self._deadline: float | None = None

    def sample(
        self, candidates: Sequence[Candidate], count: int, seed: int, bases: Mapping[str, str]
    ) -> tuple[list[Candidate], list[str]]:
        """(cells, what is left out and why). How long a call takes is found by a short loop, of a quarter more than are drawn."""
        first = draw(candidates, count + count // 4, seed, bases)
        self._tell(f"looking at {len(first)} cells, of {len(candidates)}")
        known: list[Candidate] = []
        left_out: dict[str, int] = {}
        with AwayFrom(self._settings.cpu):
            for one in first:
                ns = self.loops.rough((one.case, one.lane))
                why = self.loops.refused.get((one.case, one.lane), "")
                if ns is not None and ns > LONGEST_NS:
                    why = f"calls of more than {LONGEST_NS / 1e6:g} ms"
                if why:
                    left_out[why] = left_out.get(why, 0) + 1
                else:
                    known.append(msgspec.structs.replace(one, ns=ns))
        chosen = draw(known, count, seed, bases)
        told = [f"{counted(number, 'cell')}: {why}" for why, number in left_out.items()]
        told += [f"no cell of {trait}" for trait in lacking([*candidates, *known], chosen)]
        return chosen, told

    def compare(self, cells: Sequence[Candidate], seed: int, most_s: float | None = None) -> SecondOpinion:
        """All of the cells, some cases after others in an order by lot, each group again while one in it differs. A KeyboardInterrupt ends it with what is there."""
        began = time.monotonic()
        self._deadline = None if most_s is None else began + most_s
        cases = sorted({one.case for one in cells})
        random.Random(seed).shuffle(cases)
        found: dict[Cell, CellOpinion] = {}
        try:
            for start in range(0, len(cases), GROUP):
                group = {*cases[start : start + GROUP]}
                self._tell(f"cases {start + 1} to {start + len(group)} of {len(cases)}")
                self._group([one for one in cells if one.case in group], found)
                if self._late():
                    break
            self._wait_for(cells, found)
        except KeyboardInterrupt:
            self._tell("interrupted: what is there follows")
        told = tuple(found.values())
        missed = len(cells) - len(told)
        left_out = (f"{counted(missed, 'cell')}: the time was over",) if missed else ()
        found_ratios = tuple(ratios(told, self._settings.base))
        return SecondOpinion(seed, told, found_ratios, "", left_out, time.monotonic() - began, load_1min())

    def _wait_for(self, cells: Sequence[Candidate], found: dict[Cell, CellOpinion]) -> None:
        """Measures the cases again that have a cell without a free core for long enough, up to `LATER` times: a neighbour comes and goes."""
        for _ in range(LATER):
            waiting = {case for (case, _), one in found.items() if one.contended}
            if not waiting or self._late():
                return
            self._tell(f"{counted(len(waiting), 'case')} without a figure so far: measured again")
            cases = [case for case in dict.fromkeys(one.case for one in cells) if case in waiting]
            for start in range(0, len(cases), GROUP):
                group = {*cases[start : start + GROUP]}
                self._group([one for one in cells if one.case in group], found)
                if self._late():
                    return

    def of_run(
        self,
        summary: RunSummary,
        cells: Sequence[Candidate],
        records: Iterable[Record],
        seed: int,
        most_s: float | None,
    ) -> SecondOpinion:
        """Cells of a stored run, whose figures stay: loops alone are measured now, and again where they differ."""
        began = time.monotonic()
        manifest = summary.manifest
        clock = clock_of(records, manifest.settings, manifest.ipc_reference)
        families = {(one.case, one.lane): one.family for one in cells}
        asked = {(cell.case, cell.lane): cell for case in summary.cases for cell in case.cells}
        found: dict[Cell, CellOpinion] = {}
        keys = list(families)
        try:
            with AwayFrom(self._settings.cpu):
                for _ in range(TRIES):
                    for number in range(PASSES):
                        if most_s is not None and time.monotonic() - began > most_s and number >= LEAST_PASSES:
                            break
                        self._tell(f"process {number + 1} of {PASSES}: {counted(len(keys), 'loop')}")
                        self.loops.round(keys)
                    for key in keys:
                        one = opinion(asked[key], families[key], clock, self.loops, self._draws(key[0]))
                        found[key] = again(found.get(key), one)
                    keys = [key for key in keys if found[key].unexplained or found[key].contended]
                    if not keys or (most_s is not None and time.monotonic() - began > most_s):
                        break
                    self._tell(f"{counted(len(keys), 'cell')} beyond the limit, or without a free core: measured again")
        except KeyboardInterrupt:
            self._tell("interrupted: what is there follows")
        told = tuple(found.values())
        found_ratios = tuple(ratios(told, manifest.settings.base))
        return SecondOpinion(seed, told, found_ratios, manifest.run_id, (), time.monotonic() - began, load_1min())

    def _group(self, cells: Sequence[Candidate], found: dict[Cell, CellOpinion]) -> None:
        """Adds what is found of cells, measured again while one differs and nothing is known to make it."""
        asked = list(cells)
        for number in range(TRIES):
            for one in self._once(asked, found):
                found[one.case, one.lane] = again(found.get((one.case, one.lane)), one)
            differing = [key for one in asked if found[key := (one.case, one.lane)].unexplained]
            if not differing or number + 1 == TRIES or self._late():
                break
            # With the others of its case: what stood before it may be what it is about.
            cases = {case for case, _ in differing}
            asked = [one for one in asked if one.case in cases]
            self._tell(f"{counted(len(differing), 'cell')} beyond the limit: measured again")
        for case in dict.fromkeys(one.case for one in asked if found[one.case, one.lane].unexplained):
            if not self._late():
                self._by_itself([one for one in cells if one.case == case], found)

    def _by_itself(self, cells: Sequence[Candidate], found: dict[Cell, CellOpinion]) -> None:
        """The lanes of one case in processes that compute nothing else. What agrees then depends on what its process did before, as a plain program's does.

        Other libraries stay beside it: in a lane alone no call would be cold, and that must not become a reason.
        """
        if len({Lane.parse(one.lane).build_id for one in cells}) < 2:
            return
        self._tell(f"{cells[0].case}: again, in processes of its own")
        for one in self._once(cells, {}):
            key = (one.case, one.lane)
            if found[key].unexplained and one.difference is not None and not one.beyond:
                reason = f"depends on what its process did before: after nothing else ours is {100 * one.difference:+.1f} % away"
                found[key] = msgspec.structs.replace(found[key], reason=reason)

    def _late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _once(self, cells: Sequence[Candidate], before: Mapping[Cell, CellOpinion]) -> list[CellOpinion]:
        """One session of ours with a loop of each cell between passes; passes of `before` count as well."""
        by_case: dict[str, list[str]] = {}
        for one in cells:
            by_case.setdefault(one.case, []).append(one.lane)
        plan = tuple(PlannedCase(case, tuple(lanes), distribution=self._draws(case)) for case, lanes in by_case.items())
        lanes = {one.lane: Lane.parse(one.lane) for one in cells}
        session = Session(
            Plan(plan, lanes, self._capabilities),
            {lane.build_id: self._launches[lane.build_id] for lane in lanes.values()},
            self._vectors,
            self._settings,
            Start(self._reference),
        )
        keys = [(one.case, one.lane) for one in cells]
        records: list[Record] = []
        number = 0
        with AwayFrom(self._settings.cpu):
            for record in session.run():
                records.append(record)
                if isinstance(record, NoiseRecord):
                    number += 1
                    self._tell(f"pass {number} of {self._settings.min_passes} or more: {len(keys)} loops")
                    self.loops.round(keys)
        self._reference = session.ipc_reference
        summary = summarise(self._manifest(plan), records, self._catalogue)
        clock = clock_of(records, self._settings, session.ipc_reference)
        families = {(one.case, one.lane): one.family for one in cells}
        earlier = {key: before[key].ours_passes if key in before else () for key in families}
        return [
            opinion(cell, families[key], clock, self.loops, self._draws(cell.case), earlier[key])
            for case in summary.cases
            for cell in case.cells
            if (key := (cell.case, cell.lane)) in families
        ]

    def _draws(self, case: str) -> bool:
        known = self._catalogue.known(Case.parse(case).operation)
        return known is not None and known.distribution

    def _manifest(self, plan: tuple[PlannedCase, ...]) -> Manifest:
        return Manifest(
            format=BUNDLE_FORMAT,
            method=METHOD_VERSION,
            tool_version=__version__,
            run_id="opinion",
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            command="doctor",
            suite="",
            status="finished",
            settings=self._settings,
            machine=self._machine,
            builds=(),
            plan=plan,
            ipc_reference=self._reference,
            ipc_reference_from="",
        )
