# SPDX-License-Identifier: Apache-2.0
"""Memory figures and random bytes: a fresh process for each cell, three times, in which nothing is timed.

Heap figures come from a counting allocator loaded before the library (LD_PRELOAD). They must agree in all three processes; where they do not (random key material, caches)
the largest is kept. Random bytes are those that a call draws from the generator that its adapter gave to the library, and those that the process asks of the system, seen by
the same loaded object; what a generator inside of a library gives to it is not seen, and missing then. Draws that are rejected and made again differ from call to call: the
median of the three processes is kept.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event

from cipherstone.measure.parallel import Cpus, each
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, Expectations, prove_case
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import MemoryRecord
from cipherstone.protocol.messages import Memory, Refusal

PROCESSES = 3


def measure_memory(
    cells: Sequence[tuple[Case, Lane, Capability]],
    launches: Mapping[str, Launch],
    expectations: Expectations,
    preload: Path | None,
    cpus: Cpus = (None,),
    late: Callable[[], bool] = lambda: False,
) -> Iterator[MemoryRecord]:
    """One record a cell, of as many at a time as there are `cpus`. A cell whose worker breaks or refuses here gives none: its timing has said what is wrong already. `late`: once it says so no other cell is begun."""
    stop = Event()

    def one(cell: tuple[Case, Lane, Capability], cpu: int | None) -> MemoryRecord | None:
        case, lane, capability = cell
        if late():
            return None
        launch = launches[lane.build_id]
        rows: list[tuple[Memory, Memory]] = []
        try:
            while len(rows) < PROCESSES and not stop.is_set():
                rows.append(_counted(launch, case, capability, expectations, preload, cpu))
        except (WorkerError, Refusal, _WrongError):
            return None
        if stop.is_set():
            return None
        first, warm = [row[0] for row in rows], [row[1] for row in rows]
        return MemoryRecord(
            case=case.id,
            lane=lane.id,
            held_bytes=_largest([m.held_bytes for m in first]),
            first_peak_bytes=_largest([m.heap_peak_bytes for m in first]),
            warm_peak_bytes=_largest([m.heap_peak_bytes for m in warm]),
            warm_allocations=_largest([m.allocations for m in warm]),
            stack_bytes=_largest([m.stack_bytes for m in warm]),
            max_rss_kib=_largest([m.max_rss_kib for m in warm]),
            random_bytes=_median([m.random_bytes for m in warm]),
            first_system_random_bytes=_median([m.system_random_bytes for m in first]),
            warm_system_random_bytes=_median([m.system_random_bytes for m in warm]),
            opening_system_random_bytes=_median([m.system_random_before for m in first]),
        )

    yield from (record for record in each(one, cells, cpus, stop) if record is not None)


class _WrongError(Exception):
    """The cell computed something else than when it was proven."""


def _counted(
    launch: Launch,
    case: Case,
    capability: Capability,
    expectations: Expectations,
    preload: Path | None,
    cpu: int | None,
) -> tuple[Memory, Memory]:
    """(first call, second call)."""
    expected = expectations.of(case, capability.form)
    with launch.start(cpu, preload) as worker:
        worker.prepare(0, case.listed, capability.implementation, {**expected.texts, "known": "1"})
        first = worker.memory(0)
        warm = worker.memory(0)
        proven = prove_case(worker, 1, case, capability, expected)
        if isinstance(proven, str):
            raise _WrongError
        launch.need_same_code(worker, preload)
        return first, warm


def _median(values: Sequence[int | None]) -> int | None:
    present = [value for value in values if value is not None]
    return statistics.median_low(present) if present else None


def _largest(values: Sequence[int | None]) -> int | None:
    present = [value for value in values if value is not None]
    return max(present) if present else None
