# SPDX-License-Identifier: Apache-2.0
"""What a handshake cost servers, from the figures of a run."""

from __future__ import annotations

from statistics import median

import msgspec

from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import Lane
from cipherstone.model.instruments import FigureSummary, InstrumentCase, InstrumentPlan
from cipherstone.model.summary import RunSummary
from cipherstone.views.instrument_details import details_read, plan_of

INSTRUMENT = "servers"
BARE, MEMORY = "bare", "memory"
US = 1e-3  # of nanoseconds


class Details(msgspec.Struct, frozen=True):
    """What the page needs beside the figures, in the manifest. `library`: the client's title, which is the bare server's too; `cpus`: of the clients, and of the servers."""

    library: str
    cpus: tuple[int | None, int | None]


class Cost(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one handshake cost a server in processor time of all its processes: `cpu_us`: median of the passes. `user_us`, `system_us`: the two parts of it, as they divide over all passes.

    `over`: times the bare library over sockets, in the same passes, None for that itself. `added_us`: beyond the library in memory, median of the differences by pass, None for that itself. `received_bytes`: what the client got, None in memory. `handshakes`: of a turn.
    """

    lane: str
    title: str
    cpu_us: Estimate
    user_us: float
    system_us: float
    handshakes: float
    over: Estimate | None = None
    added_us: float | None = None
    received_bytes: float | None = None


class Kind(msgspec.Struct, frozen=True):
    """A kind of handshake, and what it cost each server."""

    case: str
    title: str
    costs: tuple[Cost, ...]


class Servers(msgspec.Struct, frozen=True):
    """All of it, of a run."""

    plan: InstrumentPlan
    details: Details
    kinds: tuple[Kind, ...]


def servers_of(run: RunSummary) -> Servers | None:
    """What a run has of this instrument, None if it has nothing."""
    plan = plan_of(run, INSTRUMENT)
    if plan is None:
        return None
    with details_read(run, INSTRUMENT):
        found = {(one.case, one.lane, one.figure): one for one in run.figures if one.instrument == INSTRUMENT}
        kinds = tuple(_kind(plan, case, found) for case in plan.cases)
        return Servers(plan, msgspec.convert(plan.details, Details), tuple(one for one in kinds if one.costs))


Figures = dict[tuple[str, str, str], FigureSummary]  # by case, lane and figure


def _kind(plan: InstrumentPlan, case: InstrumentCase, found: Figures) -> Kind:
    titles = {one.id: one.title for one in plan.lanes}
    memory = next((lane for lane in case.lanes if Lane.parse(lane).implementation == MEMORY), "")
    alone = _by_pass(found.get((case.id, memory, "cpu_ns")))
    costs = []
    for lane in case.lanes:
        cpu = found.get((case.id, lane, "cpu_ns"))
        if cpu is None or cpu.value is None:
            continue
        parsed = Lane.parse(lane)
        title = titles[msgspec.structs.replace(parsed, twin=False).id] + ", again" * parsed.twin
        user, system = (_by_pass(found.get((case.id, lane, name))) for name in ("user_us", "system_us"))
        # Of all passes together: single turns have few ticks.
        both = sum(user.values()) + sum(system.values())
        share = sum(user.values()) / both if both else 1.0
        total = cpu.value.value * US
        added = [value - alone[number] for number, value in cpu.by_pass if number in alone and lane != memory]
        costs.append(
            Cost(
                lane,
                title,
                _scaled(cpu.value),
                total * share,
                total * (1 - share),
                _value(found.get((case.id, lane, "handshakes"))) or 0.0,
                cpu.ratio,
                median(added) * US if added else None,
                _value(found.get((case.id, lane, "received_bytes"))),
            )
        )
    return Kind(case.id, case.title, tuple(costs))


def _by_pass(one: FigureSummary | None) -> dict[int, float]:
    return {} if one is None else dict(one.by_pass)


def _value(one: FigureSummary | None) -> float | None:
    return None if one is None or one.value is None else one.value.value


def _scaled(one: Estimate) -> Estimate:
    return Estimate(
        one.value * US, None if one.low is None else one.low * US, None if one.high is None else one.high * US
    )
