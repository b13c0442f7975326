# SPDX-License-Identifier: Apache-2.0
"""Energy of a call: after all timing, in a process of its own, calls run for a while between two readings of the package's counters. A fact beside the figures, which nothing is judged or ranked by."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from cipherstone.host.energy import Counter, between, find_counters, read
from cipherstone.measure.aftertiming import by_case
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, Expectations, Expected
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import FactsRecord, PlannedCase, Record, Settings
from cipherstone.protocol.messages import Refusal

ENERGY, IDLE = "energy_pj", "energy_idle_pj"  # of one call; what the package takes in the same time when nothing runs
AT_LEAST_S = 0.25  # between two readings: the counters move once a millisecond
SHARE = 0.05  # of a bound on the run's time
_TURN_NS = 20_000_000
Cell = tuple[Case, Lane, Capability]


def energies(
    plan: Sequence[PlannedCase],
    records: Sequence[Record],
    cells: Sequence[Cell],
    launches: Mapping[str, Launch],
    settings: Settings,
) -> Iterator[FactsRecord]:
    """The facts of each of `cells`, those of `records` with its energy, in the order of the plan and within a share of the run's bound; nothing where this system counts none. A cell whose worker breaks, or whose counter cannot be read, gives none."""
    counters, _ = find_counters()
    facts = {(record.case, record.lane): record.facts for record in records if isinstance(record, FactsRecord)}
    # A resumed run has those of its earlier parts.
    lacking = [cell for cell in cells if ENERGY not in facts.get((cell[0].id, cell[1].id), {})]
    ordered = [cell for case in by_case(plan, lacking) for cell in case]
    if not counters or not ordered:
        return
    seconds = None if settings.max_time_s is None else SHARE * settings.max_time_s
    expectations = Expectations()
    began = time.monotonic()
    try:
        idle_w = _idle_w(counters)
    except (OSError, ValueError):
        return
    for case, lane, capability in ordered:
        if seconds is not None and time.monotonic() - began >= seconds:
            return
        try:
            told = _energy(launches[lane.build_id], (case, lane, capability), expectations, counters, settings.cpu)
        except (WorkerError, Refusal, OSError, ValueError):
            continue
        if told is not None:
            microjoules, calls, took_s = told
            per_call = {ENERGY: round(microjoules * 1e6 / calls), IDLE: round(idle_w * took_s * 1e12 / calls)}
            yield FactsRecord(case.id, lane.id, {**facts.get((case.id, lane.id), {}), **per_call})


def _idle_w(counters: Sequence[Counter]) -> float:
    before, began = read(counters), time.monotonic()
    time.sleep(AT_LEAST_S)
    return between(counters, before, read(counters)) / 1e6 / (time.monotonic() - began)


def _energy(
    launch: Launch, cell: Cell, expectations: Expectations, counters: Sequence[Counter], cpu: int | None
) -> tuple[int, int, float] | None:
    """(microjoules, calls, seconds); None where a call fails, or the last one left something wrong."""
    case, _, capability = cell
    expected: Expected = expectations.of(case, capability.form)
    with launch.start(cpu) as worker:
        launch.need_same_code(worker)
        worker.prepare(0, case.listed, capability.implementation, expected.texts)
        worker.run(0, 1)
        calls = max(1, _TURN_NS // max(1, worker.run(0, 1).ns))
        before, began, done, took_s = read(counters), time.monotonic(), 0, 0.0
        while took_s < AT_LEAST_S:
            if worker.run(0, calls).failed:
                return None
            done += calls
            took_s = time.monotonic() - began
        microjoules = between(counters, before, read(counters))
        return None if expected.problem_left(worker, 0) else (microjoules, done, took_s)
