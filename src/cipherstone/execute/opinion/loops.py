# SPDX-License-Identifier: Apache-2.0
"""Minimal loops of cells: their programs, their processes, and what these say in cycles that can be held against a worker's."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from cipherstone.build.upstream import prepare
from cipherstone.build.workers import build_worker
from cipherstone.build.workshop import Workshop
from cipherstone.execute.survey import Found
from cipherstone.measure.minimal import (
    NOTHING,
    REPEATS,
    WARM_US,
    Before,
    MinimalProgram,
    not_for_loops,
    run_minimal,
)
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, Expectations
from cipherstone.measure.warm import places_of
from cipherstone.model.agreement import FRESH, HEAP, KINDS, Repetitions
from cipherstone.model.errors import BuildError, WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.stats.agreement import call_cycles, middle, quantile, widths

RULED = 20  # processes of loops between two readings of a worker's probe
READINGS = 200
ROUGH_REPEATS, ROUGH_WARM_US = 5, 2_000
OTHERS = (0, 1, 3, 8, 20)  # other cases that a process has called before its own
LONGEST_OTHER_NS = 2e6
Cell = tuple[str, str]  # case, lane


class LoopValue(NamedTuple):
    """Per call of one process: `cycles` by a worker's ruler, `ns`. `before`: what the process had done, one of `KINDS`. `empty`: cycles of an empty call, which are taken off."""

    cycles: float
    ns: float
    before: str
    empty: float = 0.0


class LoopPrograms:
    """Minimal programs of builds that are ready, compiled when first asked for."""

    def __init__(self, workshop: Workshop, found: Iterable[Found]) -> None:
        self._workshop = workshop
        self._found = {f"{one.id}@{one.build.build}": one for one in found if one.build is not None}
        self._made: dict[str, MinimalProgram | str] = {}

    def of(self, lane: Lane) -> MinimalProgram | str:
        """The program of a lane's build, or why there is none."""
        if lane.build_id not in self._made:
            self._made[lane.build_id] = self._make(lane.build_id)
        return self._made[lane.build_id]

    def _make(self, build_id: str) -> MinimalProgram | str:
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
            job = workshop.job(found.library, installation, spec)
            made = build_worker(msgspec.structs.replace(job, minimal=True))
        except BuildError as error:
            return f"its minimal program cannot be built: {error.message}"
        return MinimalProgram(made.path, found.launch.environment)


class Loops:
    """Minimal loops of cells, one process at a time. Between them a worker's probe is read: its chain of additions and the loops' are two rulers for the length of a cycle, and differ by what starting and ending one costs."""

    def __init__(
        self,
        programs: LoopPrograms,
        capabilities: Mapping[tuple[str, str], Capability],
        launches: Iterable[Launch],
        cpu: int | None,
    ) -> None:
        self._programs = programs
        self._capabilities = capabilities
        self._launches = tuple(launches)
        self._cpu = cpu
        self._rulers: list[float] = []
        self._expectations = Expectations()
        self._taken: dict[Cell, list[Repetitions]] = {}
        self._others: dict[str, list[Cell]] = {}  # of a build
        self.refused: dict[Cell, str] = {}

    def round(self, cells: Sequence[Cell]) -> None:
        """One process more of each cell; one that cannot is `refused`."""
        for start in range(0, len(cells), RULED):
            chains = [chain for cell in cells[start : start + RULED] for chain in self._take(cell)]
            ours = self._probe()
            if chains and ours:
                self._rulers.append(middle(ours) / middle(chains))

    def _probe(self) -> list[float]:
        """Cycles as a worker reads them now; nothing from workers without probes."""
        for launch in self._launches:
            with launch.start(self._cpu) as worker:
                worker.hello()
                return [one for one in worker.probe(READINGS).chain_ns or () if one]
        return []

    @property
    def ruler(self) -> float:
        """A worker's cycle over a loop's."""
        return middle(self._rulers) if self._rulers else 1.0

    def rough(self, cell: Cell) -> float | None:
        """Nanoseconds of a call, from few repetitions that are kept for nothing else; None where there can be no loop."""
        self._take(cell, ROUGH_REPEATS, ROUGH_WARM_US)
        taken = self._taken.pop(cell, [])
        ns = min(min(one.wall_ns) / one.calls for one in taken) if taken else None
        if ns is not None and ns < LONGEST_OTHER_NS:
            self._others.setdefault(Lane.parse(cell[1]).build_id, []).append(cell)
        return ns

    def _take(self, cell: Cell, repeats: int = REPEATS, warm_us: int = WARM_US) -> tuple[float, ...]:
        if cell in self.refused:
            return ()
        try:
            taken = self._repetitions(Case.parse(cell[0]), Lane.parse(cell[1]), repeats, warm_us)
        except WorkerError as error:
            self.refused[cell] = str(error)
            return ()
        self._taken.setdefault(cell, []).append(taken)
        return taken.chain_ns

    def _repetitions(self, case: Case, lane: Lane, repeats: int, warm_us: int) -> Repetitions:
        """One process. WorkerError where there can be none."""
        program, capability = self._programs.of(lane), self._capabilities[case.operation, lane.id]
        if isinstance(program, str):
            raise WorkerError("unavailable", program)
        if why := not_for_loops(capability):
            raise WorkerError("unavailable", why)
        taken = self._taken.get((case.id, lane.id), ())
        ns = min((min(one.wall_ns) / one.calls for one in taken), default=0.0)
        places = places_of(case, capability.form, capability.ring, ns, alone=False)
        number = len(taken)
        # The inputs of the ring; without one those of the place that a pass of this number begins at: what a call takes may depend on them.
        of = range(capability.ring) if places < 2 else (number % places,)
        members = [self._expectations.of(case, capability.form, member) for member in of]
        # A worker has done other work before and a plain program has not: of three processes one has a used heap, and one has done other work too. Three and the four places have no common divisor.
        kind = KINDS[number % len(KINDS)]
        before = NOTHING if kind == FRESH else Before(number) if kind == HEAP else self._work(case, lane, number)
        printed = run_minimal(
            program, capability, members, self._cpu, repeats, msgspec.structs.replace(before, warm_us=warm_us)
        )
        return msgspec.structs.replace(printed, before=kind)

    def _work(self, case: Case, lane: Lane, number: int) -> Before:
        """Other cases of the same build, and a used heap, drawn anew for every process."""
        drawn = random.Random(f"{case.id} {lane.id} {number}")
        others = [one for one in self._others.get(lane.build_id, ()) if one != (case.id, lane.id)]
        once = []
        for name, other in drawn.sample(others, min(drawn.choice(OTHERS), len(others))):
            asked = Case.parse(name)
            capability = self._capabilities[asked.operation, other]
            once.append((capability, self._expectations.of(asked, capability.form)))
        return Before(number, tuple(once))

    def values(self, cell: Cell, draws: bool) -> list[LoopValue]:
        """Of each process of a cell that saw a free core."""
        free = self._free(Lane.parse(cell[1]).build_id)
        ruler = self.ruler
        found = []
        for one in self._taken.get(cell, ()):
            cycles, ns, _ = call_cycles(one, free, draws)
            if cycles is not None and ns is not None:
                empty = one.empty_ns / middle(one.chain_ns)
                found.append(LoopValue(cycles / ruler, ns, one.before, empty / ruler))
        return found

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
