# SPDX-License-Identifier: Apache-2.0
"""Cells of a run against minimal loops: the same call of the same library file, by a program of a few lines, on the same CPU in the same minutes.

Passes of ours and processes of the loops take turns. Both count cycles of the core, each by its own chain of additions, so that a clock that moves between them moves nothing.
What differs is measured anew, and is told as a disagreement only if it differs each time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from cipherstone import METHOD_VERSION, __version__
from cipherstone.build.upstream import prepare
from cipherstone.build.workers import build_worker
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.fleet.sample import Candidate
from cipherstone.fleet.survey import Found
from cipherstone.fleet.workshop import Workshop
from cipherstone.host.facts import load_1min, machine_facts
from cipherstone.host.ipc import IpcReferences
from cipherstone.measure.minimal import REPEATS, Program, Repetitions, not_for_loops, run_minimal
from cipherstone.measure.pool import Vectors
from cipherstone.measure.proof import Capability, Expectations, Expected
from cipherstone.measure.session import Session
from cipherstone.measure.watch import AwayFrom
from cipherstone.model.agreement import CellOpinion, RatioOpinion, SecondOpinion
from cipherstone.model.errors import BuildError, WorkerError
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
from cipherstone.stats.agreement import call_cycles, middle, quantile, reason_of, widths
from cipherstone.stats.passvalue import batches_of, pass_cycle_ns
from cipherstone.views.run.summarise import summarise

PASSES = 9
TRIES = 3
Tell = Callable[[str], None]
Cell = tuple[str, str]  # case, lane


class Programs:
    """Minimal programs of builds that are ready, compiled when first asked for."""

    def __init__(self, workshop: Workshop, found: Iterable[Found]) -> None:
        self._workshop = workshop
        self._found = {f"{one.id}@{one.build.build}": one for one in found if one.build is not None}
        self._made: dict[str, Program | str] = {}

    def of(self, lane: Lane) -> Program | str:
        """The program of a lane's build, or why there is none."""
        if lane.build_id not in self._made:
            self._made[lane.build_id] = self._make(lane.build_id)
        return self._made[lane.build_id]

    def _make(self, build_id: str) -> Program | str:
        found, workshop = self._found.get(build_id), self._workshop
        if found is None or found.library is None or found.launch is None:
            return "its worker was made elsewhere"
        if found.library.worker is not None:
            return "its worker is not linked with the C SDK"
        spec = next(build for build in found.library.builds if build.variant == found.variant)
        try:
            installation = prepare(
                found.library, spec, workshop.toolchain, workshop.system, workshop.cache, lambda _: None
            )
            made = build_worker(
                found.library,
                installation,
                workshop.toolchain,
                workshop.root,
                workshop.cache,
                spec,
                minimal=True,
            )
        except BuildError as error:
            return f"its minimal program cannot be built: {error.message}"
        return Program(made.path, found.launch.environment)


class Loops:
    """Minimal loops of cells, one process at a time."""

    def __init__(
        self, programs: Programs, capabilities: Mapping[tuple[str, str], Capability], cpu: int | None
    ) -> None:
        self._programs = programs
        self._capabilities = capabilities
        self._cpu = cpu
        self._expectations = Expectations()
        self._taken: dict[Cell, list[Repetitions]] = {}
        self.refused: dict[Cell, str] = {}

    def take(self, cell: Cell, repeats: int = REPEATS) -> None:
        """One process more of a cell; one that cannot is `refused`."""
        if cell in self.refused:
            return
        case, lane = Case.parse(cell[0]), Lane.parse(cell[1])
        program, capability = self._programs.of(lane), self._capabilities[case.operation, lane.id]
        why = program if isinstance(program, str) else not_for_loops(capability)
        if why or isinstance(program, str):
            self.refused[cell] = why
            return
        try:
            taken = run_minimal(program, capability, self._members(case, capability), self._cpu, repeats)
        except WorkerError as error:
            self.refused[cell] = str(error)
            return
        self._taken.setdefault(cell, []).append(taken)

    def _members(self, case: Case, capability: Capability) -> list[Expected]:
        return [self._expectations.of(case, capability.form, member) for member in range(capability.ring)]

    def rough_ns(self, cell: Cell) -> float | None:
        """The least time of a call so far."""
        found = [min(one.wall_ns) / one.calls for one in self._taken.get(cell, ())]
        return min(found) if found else None

    def forget(self, cells: Iterable[Cell]) -> None:
        """What these took so far."""
        for cell in cells:
            self._taken.pop(cell, None)

    def values(self, cell: Cell, draws: bool) -> tuple[list[float], list[float]]:
        """(cycles, ns) per call of each process of a cell that saw a free core."""
        free = self._free(Lane.parse(cell[1]).build_id)
        found = [
            call_cycles(one.calls, one.empty_ns, one.wall_ns, one.cpu_ns, one.chain_ns, one.wide_ns, free, draws)
            for one in self._taken.get(cell, ())
        ]
        pairs = [(cycles, ns) for cycles, ns, _ in found if cycles is not None and ns is not None]
        return [cycles for cycles, _ in pairs], [ns for _, ns in pairs]

    def _free(self, build_id: str) -> float:
        """What a reading of a program is on a free core: what a tenth of all are below; interrupted chains are no readings."""
        every = [
            width
            for cell, taken in self._taken.items()
            if Lane.parse(cell[1]).build_id == build_id
            for one in taken
            for width in widths(one.chain_ns, one.wide_ns)
            if width > 0.2
        ]
        return quantile(every, 0.1) if every else 1.0


def clock_of(records: Iterable[Record], settings: Settings, reference: float | None) -> dict[tuple[str, int], float]:
    """ns of a cycle by case and pass."""
    found = {}
    for one in records:
        if isinstance(one, PassRecord):
            cycle = pass_cycle_ns(
                batches_of(one, settings.dropped_batches), reference, settings.clean_threshold
            )
            if cycle is not None:
                found[one.case, one.index] = cycle
    return found


def opinion(
    cell: CellSummary, family: str, clock: Mapping[tuple[str, int], float], loops: Loops, draws: bool
) -> CellOpinion:
    """Our figure of a cell beside that of the loops that were taken of it."""
    key = (cell.case, cell.lane)
    cycles, wall = loops.values(key, draws)
    numbers = [clock.get((cell.case, number)) for number in cell.passes]
    passes = [ns / cycle for ns, cycle in zip(cell.pass_ns, numbers, strict=True) if cycle is not None]
    known = [cycle for cycle in numbers if cycle is not None]
    ours = cell.ns.value if cell.ns is not None else None
    refused = loops.refused.get(key, "")
    if ours is None:
        refused = refused or f"no figure of ours: {cell.refused or cell.detail or cell.outcome}"
    if not cycles:
        refused = refused or "no loop saw a free core for long enough"
    # Without a probe in the worker there is no clock of ours to take the loop to.
    loop = None if not cycles else middle(cycles) * middle(known) if known else middle(wall)
    found = CellOpinion(
        cell.case, cell.lane, family, ours, loop, 1, tuple(passes), tuple(cycles), middle(wall) if wall else None, "", refused
    )  # fmt: skip
    return msgspec.structs.replace(found, reason=reason_of(passes, cycles, draws)) if found.beyond else found


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


class Bench:
    """Measures cells by us and by loops in turn."""

    def __init__(
        self,
        workshop: Workshop,
        catalogue: Catalogue,
        found: Sequence[Found],
        capabilities: Mapping[tuple[str, str], Capability],
        vectors: Vectors,
        settings: Settings,
        tell: Tell,
    ) -> None:
        self._catalogue = catalogue
        self._capabilities = capabilities
        self._vectors = vectors
        self._settings = settings
        self._tell = tell
        self._launches = {f"{f.id}@{f.build.build}": f.launch for f in found if f.build and f.launch}
        self._machine = machine_facts()
        references = IpcReferences(workshop.cache / "ipc-reference.json")
        self._reference = references.known(self._machine.cpu_model, self._machine.hypervisor)[0]
        self.loops = Loops(Programs(workshop, found), capabilities, settings.cpu)
        self._records: list[Record] = []
        self._deadline: float | None = None

    def compare(self, cells: Sequence[Candidate], seed: int, most_s: float | None = None) -> SecondOpinion:
        """All of the cells, and again what differs. KeyboardInterrupt ends it with what is there."""
        began = time.monotonic()
        self._deadline = None if most_s is None else began + most_s
        found: dict[Cell, CellOpinion] = {}
        asked = list(cells)
        try:
            for number in range(TRIES):
                for one in self._once(asked):
                    before = found.get((one.case, one.lane))
                    if before is not None:
                        earlier = (*before.earlier, before.difference or 0.0)
                        one = msgspec.structs.replace(one, tries=before.tries + 1, earlier=earlier)
                    found[one.case, one.lane] = one
                again = {key for key, one in found.items() if one.unexplained}
                # With the others of its case: what stood before it may be what it is about.
                cases = {case for case, _ in again}
                asked = [one for one in cells if one.case in cases]
                if not asked or number + 1 == TRIES or self._late():
                    break
                self._tell(f"{len(again)} cells differ: measuring their cases again")
        except KeyboardInterrupt:
            self._tell("interrupted: what is there follows")
        told = tuple(found.values())
        return SecondOpinion(
            seed, told, tuple(ratios(told, self._settings.base)), "", (), time.monotonic() - began, load_1min()
        )

    def _late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _once(self, cells: Sequence[Candidate]) -> list[CellOpinion]:
        by_case: dict[str, list[str]] = {}
        for one in cells:
            by_case.setdefault(one.case, []).append(one.lane)
        plan = tuple(
            PlannedCase(case, tuple(lanes), distribution=self._draws(case)) for case, lanes in by_case.items()
        )
        lanes = {one.lane: Lane.parse(one.lane) for one in cells}
        session = Session(
            plan,
            lanes,
            self._capabilities,
            {lane.build_id: self._launches[lane.build_id] for lane in lanes.values()},
            self._vectors,
            self._settings,
            ipc_reference=self._reference,
        )
        keys = [(one.case, one.lane) for one in cells]
        self.loops.forget(keys)
        records: list[Record] = []
        number = 0
        with AwayFrom(self._settings.cpu):
            for record in session.run():
                records.append(record)
                if isinstance(record, NoiseRecord):
                    number += 1
                    self._tell(f"pass {number} of {self._settings.max_passes}: {len(keys)} loops")
                    for key in keys:
                        self.loops.take(key)
                    if self._late() and number >= 3:
                        records += session.interrupt()
                        break
        self._reference = session.ipc_reference
        summary = summarise(self._manifest(plan), records, self._catalogue)
        clock = clock_of(records, self._settings, session.ipc_reference)
        families = {(one.case, one.lane): one.family for one in cells}
        return [
            opinion(cell, families[cell.case, cell.lane], clock, self.loops, self._draws(cell.case))
            for case in summary.cases
            for cell in case.cells
            if (cell.case, cell.lane) in families
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


def of_run(
    summary: RunSummary, cells: Sequence[Candidate], records: Iterable[Record], loops: Loops, catalogue: Catalogue, seed: int, tell: Tell
) -> SecondOpinion:  # fmt: skip
    """Cells of a stored run, whose figures stay: loops alone are measured now."""
    began = time.monotonic()
    keys = [(one.case, one.lane) for one in cells]
    try:
        for number in range(PASSES):
            tell(f"process {number + 1} of {PASSES}: {len(keys)} loops")
            for key in keys:
                loops.take(key)
    except KeyboardInterrupt:
        tell("interrupted: what is there follows")
    manifest = summary.manifest
    clock = clock_of(records, manifest.settings, manifest.ipc_reference)
    families = {(one.case, one.lane): one.family for one in cells}
    known = {case.case: catalogue.known(Case.parse(case.case).operation) for case in summary.cases}
    told = []
    for case in summary.cases:
        operation = known[case.case]
        draws = operation is not None and operation.distribution
        told += [
            opinion(cell, families[cell.case, cell.lane], clock, loops, draws)
            for cell in case.cells
            if (cell.case, cell.lane) in families
        ]
    base = manifest.settings.base
    return SecondOpinion(
        seed, tuple(told), tuple(ratios(told, base)), manifest.run_id, (), time.monotonic() - began, load_1min()
    )
