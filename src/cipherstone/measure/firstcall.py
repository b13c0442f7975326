# SPDX-License-Identifier: Apache-2.0
"""What a cell costs once: fresh processes, in which nothing of the library ran before, never mixed with the timing of steady state.

In a process the library is opened, its generator seeded, its algorithms fetched, the case set up and called, each timed by the worker apart from the others; nobody asks it
before whether it can run the operation, nor who it is: the answers may warm what the first call is to pay for. How long the question of availability takes is seen in other
processes. All values are kept, one a process; medians and intervals are formed from them later.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence

from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, Expectations, Expected
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import FirstCallRecord
from cipherstone.protocol.messages import Batch, Prepared, Refusal
from cipherstone.worker import WorkerProcess

PROCESSES = (
    7  # the fewest whose median is a value, among those whose whole range covers the true median with 95 % (6 do)
)
STEADY_BATCH_NS = 100_000
STEADY_BATCHES = 5
LONG_CALL_NS = 1_000_000  # such a call is a batch
NEEDED = "phases"  # capability: a worker without it may warm the library where it is not told

STEPS = ("open_ns", "seed_ns", "fetch_ns", "setup_ns")


def measure_first_calls(
    cells: Sequence[tuple[Case, Lane, Capability]],
    launches: Mapping[str, Launch],
    expectations: Expectations,
    cpu: int | None,
) -> Iterator[FirstCallRecord]:
    """One record a cell. A cell whose worker breaks, refuses or is wrong here gives none, nor does one whose worker cannot tell its steps apart."""
    for case, lane, capability in cells:
        launch = launches[lane.build_id]
        expected = expectations.of(case, capability.form)
        try:
            rows = [_process(launch, case, capability, expected, cpu) for _ in range(PROCESSES)]
            asked = _asked(launch, case, capability, expected, cpu)
        except (WorkerError, Refusal, _NoFigureError):
            continue
        yield FirstCallRecord(
            case=case.id,
            lane=lane.id,
            available_ns=asked,
            first_call_ns=tuple(first for _, first, _ in rows),
            steady_call_ns=tuple(steady for _, _, steady in rows),
            **{step: _of_all([getattr(prepared, step) for prepared, _, _ in rows]) for step in STEPS},
        )


class _NoFigureError(Exception):
    """The cell computed something else than when it was proven, or its worker cannot tell."""


def _process(
    launch: Launch, case: Case, capability: Capability, expected: Expected, cpu: int | None
) -> tuple[Prepared, int, float]:
    """(what came before the first call, the first call in ns, a steady call in ns) of one process."""
    with launch.start(cpu) as worker:
        prepared = worker.prepare(0, case.listed, capability.implementation, {**expected.texts, "known": "1"})
        # The first call of a process cannot be proven before it: what it left is looked at afterwards, before its time is used.
        first = _right(worker, worker.run(0, 1, 0), expected)
        launch.need_same_code(worker)  # after the first call, which is to be the first; the greeting too
        worker.hello()
        if NEEDED not in worker.capabilities:
            raise _NoFigureError
        return prepared, first.ns, _steady_ns(worker, expected)


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


def _asked(launch: Launch, case: Case, capability: Capability, expected: Expected, cpu: int | None) -> tuple[int, ...]:
    """ns of asking whether the operation can run, in processes that were asked nothing else before; () if nothing is asked."""
    found: list[int] = []
    for _ in range(PROCESSES):
        with launch.start(cpu) as worker:
            available = worker.prepare(0, case.listed, capability.implementation, expected.texts).available_ns
            if available is None:
                return ()
            found.append(available)
    return tuple(found)


def _of_all(values: Sequence[int | None]) -> tuple[int, ...]:
    """The values, if every process has one: a step that some processes lack is none of the lane."""
    present = tuple(value for value in values if value is not None)
    return present if len(present) == len(values) else ()
