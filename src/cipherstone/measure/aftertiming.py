# SPDX-License-Identifier: Apache-2.0
"""What is measured once a cell, after the timing and within the share of the run's bound that is its own: memory of all, which takes the fewest processes, on every CPU, then first calls, case by case in the order of the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from cipherstone.measure import firstcall, memory
from cipherstone.measure.firstcall import Cell, measure_first_calls
from cipherstone.measure.memory import measure_memory
from cipherstone.measure.parallel import counting_cpus
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Expectations
from cipherstone.model.awake_clock import awake_s
from cipherstone.model.records import PlannedCase, Record, Settings

# Of a cell at most: first calls, as many in which availability is asked, memory.
MOST_PROCESSES = 2 * firstcall.PROCESSES + memory.PROCESSES
MEMORY, FIRST_CALLS = "memory", "first calls"


def by_case(plan: Sequence[PlannedCase], cells: Sequence[Cell]) -> list[list[Cell]]:
    """The cells of the cases that the plan gives a place, in the order of these; without the cases of which there is none."""
    placed = sorted((planned for planned in plan if planned.once), key=lambda planned: planned.once)
    cases = [[cell for cell in cells if cell[0].id == planned.case] for planned in placed]
    return [case for case in cases if case]


class Once:
    """Memory and first calls of these cells, by case, for so many seconds from now on (None: as long as it takes)."""

    def __init__(
        self,
        memories: Sequence[Sequence[Cell]],
        firsts: Sequence[Sequence[Cell]],
        launches: Mapping[str, Launch],
        preload: Path | None,
        cpu: int | None,
        seconds: float | None,
    ) -> None:
        self._memories = memories
        self._firsts = firsts
        self._launches = launches
        self._preload = preload
        self._cpu = cpu
        self._seconds = seconds
        self._began = awake_s()
        self._out = False
        self._done = {MEMORY: 0, FIRST_CALLS: 0}

    def run(self, on_cells: Callable[[int, int], None] | None = None) -> Iterator[Record]:
        """The records. Once the time is over no other process is begun, and what is not whole gives no record. `on_cells` gets how many cells were done, and of how many."""
        expectations = Expectations()
        count = _cells(self._memories) + _cells(self._firsts)

        def memory_of(cells: Sequence[Cell]) -> Iterator[Record]:
            return measure_memory(
                cells, self._launches, expectations, self._preload, counting_cpus(self._cpu), self._late
            )

        def first_calls_of(cells: Sequence[Cell]) -> Iterator[Record]:
            return measure_first_calls(cells, self._launches, expectations, self._cpu, self._late)

        for what, cases, of in ((MEMORY, self._memories, memory_of), (FIRST_CALLS, self._firsts, first_calls_of)):
            for cells in cases:
                if on_cells is not None:
                    on_cells(sum(self._done.values()), count)
                found = list(of(cells))
                yield from found
                self._done[what] += len(found) if self._out else len(cells)
                if self._out:
                    return

    @property
    def note(self) -> str:
        """What there was no time for, or ""."""
        if not self._out:
            return ""
        told = {MEMORY: _cells(self._memories), FIRST_CALLS: _cells(self._firsts)}
        done = ", ".join(f"{what} of {self._done[what]} of {count} cells" for what, count in told.items())
        return f"{done}: the run's bound leaves {self._seconds:.3g} s for them"

    def _late(self) -> bool:
        self._out = self._out or (self._seconds is not None and awake_s() - self._began >= self._seconds)
        return self._out


def _cells(cases: Sequence[Sequence[Cell]]) -> int:
    return sum(map(len, cases))


def most_s(settings: Settings) -> float | None:
    """Seconds that first calls and memory may take beyond the bound of the timing; None without one."""
    return None if settings.max_time_s is None else settings.once_share * settings.max_time_s
