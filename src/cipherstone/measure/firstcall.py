# SPDX-License-Identifier: Apache-2.0
"""What a cell costs once: fresh processes, in which nothing of the library ran before, never mixed with the timing of steady state.

In a process the library is opened, its generator seeded, its algorithms fetched, the case set up and called, each timed by the worker apart from the others; no request asks it
before whether it can run the operation, nor who it is: the answers may warm what the first call is to pay for. How long the question of availability takes is seen in other
processes. All values are kept, one a process; medians and intervals are formed from them later.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, Expectations, Expected
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import FirstCallRecord
from cipherstone.protocol.messages import Batch, Prepared, Refusal
from cipherstone.stats.interval import SMALLEST_K
from cipherstone.worker import WorkerProcess

Cell = tuple[Case, Lane, Capability]
Value = TypeVar("Value")

PROCESSES = (
    7  # the fewest whose median is a value, among those whose whole range covers the true median with 95 % (6 do)
)
STEADY_BATCH_NS = 100_000
STEADY_BATCHES = 5
LONG_CALL_NS = 1_000_000  # such a call is a batch
NEEDED = "phases"  # capability: a worker without it may warm the library where it is not told

STEPS = ("open_ns", "seed_ns", "fetch_ns", "setup_ns")
Told = tuple[Prepared, int, float, int | None]  # what came before the first call; in ns: that, a steady one, teardown


def measure_first_calls(
    cells: Sequence[Cell],
    launches: Mapping[str, Launch],
    expectations: Expectations,
    cpu: int | None,
    late: Callable[[], bool] = lambda: False,
) -> Iterator[FirstCallRecord]:
    """One record a cell, of all cells at the end: they take turns, process by process, so that what disturbs one disturbs the others. A cell whose worker breaks, refuses or is wrong here gives none, nor does one whose worker cannot tell its steps apart.

    `late`: once it says so no other process is begun. A cell that has no interval then gives no record; availability, which is asked last, is left out where it has none.
    """

    def one(cell: Cell) -> Told:
        case, lane, capability = cell
        return _process(launches[lane.build_id], case, capability, expectations.of(case, capability.form), cpu)

    def asked(cell: Cell) -> int | None:
        case, lane, capability = cell
        return _asked(launches[lane.build_id], case, capability, expectations.of(case, capability.form), cpu)

    told = zip(cells, _in_turn(cells, one, late), strict=True)
    whole = [(cell, rows) for cell, rows in told if rows is not None and len(rows) >= SMALLEST_K]
    questions = _in_turn([cell for cell, _ in whole], asked, late)
    for (cell, rows), available in zip(whole, questions, strict=True):
        if available is None:
            continue
        yield FirstCallRecord(
            case=cell[0].id,
            lane=cell[1].id,
            available_ns=tuple(available) if len(available) >= SMALLEST_K else (),
            first_call_ns=tuple(first for _, first, _, _ in rows),
            steady_call_ns=tuple(steady for _, _, steady, _ in rows),
            teardown_ns=_of_all([teardown for _, _, _, teardown in rows]),
            **{step: _of_all([getattr(prepared, step) for prepared, _, _, _ in rows]) for step in STEPS},
        )


def _in_turn(
    cells: Sequence[Cell], ask: Callable[[Cell], Value | None], late: Callable[[], bool]
) -> list[list[Value] | None]:
    """What PROCESSES processes of each cell told, fewer if it becomes late; None of a cell that failed. One that answers None is asked no more."""
    told: list[list[Value] | None] = [[] for _ in cells]
    silent: set[int] = set()
    for number in range(PROCESSES * len(cells)):
        place = number % len(cells)
        mine = told[place]
        if mine is None or place in silent:
            continue
        if late():
            break
        try:
            value = ask(cells[place])
        except (WorkerError, Refusal, _NoFigureError):
            told[place] = None
            continue
        if value is None:
            silent.add(place)
        else:
            mine.append(value)
    return told


class _NoFigureError(Exception):
    """The cell computed something else than when it was proven, or its worker cannot tell."""


def _process(launch: Launch, case: Case, capability: Capability, expected: Expected, cpu: int | None) -> Told:
    """Of one process. Teardown comes last, after calls enough to have made what it gives back."""
    with launch.start(cpu) as worker:
        prepared = worker.prepare(0, case.listed, capability.implementation, {**expected.texts, "known": "1"})
        # The first call of a process cannot be proven before it: what it left is looked at afterwards, before its time is used.
        first = _right(worker, worker.run(0, 1, 0), expected)
        launch.need_same_code(worker)  # after the first call, which is to be the first; the greeting too
        worker.hello()
        if NEEDED not in worker.capabilities:
            raise _NoFigureError
        return prepared, first.ns, _steady_ns(worker, expected), worker.close_case(0).teardown_ns


def _steady_ns(worker: WorkerProcess, expected: Expected) -> float:
    """ns of a later call in the same process: median of batches."""
    again = _right(worker, worker.run(0, 1, 0), expected).ns
    if again >= LONG_CALL_NS:
        return float(again)
    calls = max(1, STEADY_BATCH_NS // max(1, again))
    batches = _right(worker, worker.run(0, calls, 0, batches=STEADY_BATCHES), expected)
    return statistics.median(batches.each) / calls


def _right(worker: WorkerProcess, batch: Batch, expected: Expected) -> Batch:
    if batch.failed or expected.problem_left(worker, 0):
        raise _NoFigureError
    return batch


def _asked(launch: Launch, case: Case, capability: Capability, expected: Expected, cpu: int | None) -> int | None:
    """ns of asking whether the operation can run, in a process that was asked nothing else before; None if nothing is asked."""
    with launch.start(cpu) as worker:
        return worker.prepare(0, case.listed, capability.implementation, expected.texts).available_ns


def _of_all(values: Sequence[int | None]) -> tuple[int, ...]:
    """The values, if every process has one: a step that some processes lack is none of the lane."""
    present = tuple(value for value in values if value is not None)
    return present if len(present) == len(values) else ()
