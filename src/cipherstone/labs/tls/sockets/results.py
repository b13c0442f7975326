# SPDX-License-Identifier: Apache-2.0
"""What clients took over sockets, from the figures of a run: beside what the page says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from cipherstone.labs.tls.sockets.plan import INSTRUMENT, Quotient, SocketPlan, Task
from cipherstone.model.ids import TWIN, Lane
from cipherstone.model.instruments import FigureSummary, InstrumentPlan
from cipherstone.model.summary import Estimate, RunSummary
from cipherstone.stats.ratio import ratio_estimate
from cipherstone.views.instrument_details import details_read, plan_of

APART, TOGETHER = "apart", "together"
COUNTS = ("sends", "receives", "sent_bytes", "received_bytes")
LATENCIES = ("latency_50_ns", "latency_90_ns", "latency_99_ns")
# Cases of a handshake by how small segments are sent, and the words for the load.
SEGMENTS = {"at-once": (), "by-default": ("nagle",)}


class Details(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the page needs beside the figures, in the manifest. `server`: its title; `base`: the build that others are divided by; `cpus`: of the clients, and of the server; `refused`: certificates that a client had to refuse, and did; `no_switch`: clients whose instructions cannot be hidden."""

    tasks: tuple[Task, ...]
    quotients: tuple[Quotient, ...]
    server: str
    base: str
    cpus: tuple[int | None, int | None]
    refused: int
    no_switch: tuple[str, ...] = ()


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """A client's time for a task, in seconds for as many as the task has: `cpu_s` of its process, `elapsed_s` by the clock; medians of the passes. `way`: what a library sends at once is a send of its own (`apart`), or all that it sends before it waits is one (`together`).

    `system`: the system's share of `cpu_s`; `server_cpu_s`: of the other side's process. `sends` and what follows: of one handshake, or one message, calls of the client and bytes. `latency_ms`: by the clock, of single handshakes: the middle one, and those that nine in ten and ninety-nine in a hundred are below.
    `over_cpu`, `over_elapsed`: times those of the base in the same passes; `printed_s`, `printed_over`: the page's."""

    task: tuple[str, str]
    lane: str
    way: str
    cpu_s: Estimate
    elapsed_s: Estimate
    system: float
    server_cpu_s: float
    counts: tuple[float, float, float, float]
    latency_ms: tuple[float, float, float] | None = None
    over_cpu: Estimate | None = None
    over_elapsed: Estimate | None = None
    printed_s: float | None = None
    printed_over: float | None = None


class Divided(msgspec.Struct, frozen=True):
    """One time of a client over another, in the same passes."""

    name: str
    lane: str
    cpu: Estimate
    elapsed: Estimate
    printed: float


class Nagled(msgspec.Struct, frozen=True):
    """What a handshake takes by the clock, in milliseconds, where small segments go at once, and where they wait for the one before to be acknowledged, as they do by default."""

    lane: str
    at_once_ms: Estimate
    nagle_ms: Estimate


class Sockets(msgspec.Struct, frozen=True):
    """All of it, of a run."""

    plan: InstrumentPlan
    details: Details
    rows: tuple[Row, ...]
    quotients: tuple[Divided, ...]
    nagle: tuple[Nagled, ...]

    @property
    def titles(self) -> dict[str, str]:
        """Of each client, by lane."""
        return {one.id: one.title for one in self.plan.lanes}


Figures = Mapping[tuple[str, str, str], FigureSummary]  # by case, lane and figure


def base_of(of: SocketPlan, names: Sequence[str]) -> str:
    """Whose times the page divides by, else the first client."""
    return next((name for name in names if name.startswith(of.base)), names[0])


def sockets_of(run: RunSummary) -> Sockets | None:
    """What a run has of this instrument, None if it has nothing."""
    plan = plan_of(run, INSTRUMENT)
    if plan is None:
        return None
    with details_read(run, INSTRUMENT):
        details = msgspec.convert(plan.details, Details)
        found = {
            (one.case, one.lane, one.figure): one
            for one in run.figures
            if one.instrument == INSTRUMENT and one.value is not None and not one.lane.endswith(TWIN)
        }
        lanes = [one.id for one in plan.lanes]
        rows = [
            row for task in details.tasks for lane in lanes if (row := _row(task, lane, details, found)) is not None
        ]
        return Sockets(
            plan, details, tuple(rows), tuple(_divided(details, lanes, found)), tuple(_nagled(plan, lanes, found))
        )


def _row(task: Task, lane: str, details: Details, found: Figures) -> Row | None:
    def of(name: str) -> FigureSummary | None:
        return found.get((task.case.id, lane, name))

    cpu, elapsed, server = of("cpu_ns"), of("elapsed_ns"), of("server_cpu_ns")
    if cpu is None or elapsed is None or server is None:
        return None
    apart, build = Lane.parse(lane).implementation != TOGETHER, Lane.parse(lane).variant
    printed, below = _printed(task, build) if apart else None, _printed(task, details.base)
    sends, receives, sent, received = (_value(of(name)) for name in COUNTS)
    return Row(
        task.key,
        lane,
        APART if apart else TOGETHER,
        _seconds(task, cpu),
        _seconds(task, elapsed),
        _system(of("user_us"), of("system_us")),
        _value(server) * task.many / 1e9,
        (sends, receives, sent, received),
        _latencies([of(name) for name in LATENCIES]),
        cpu.ratio,
        elapsed.ratio,
        printed,
        printed / below if printed is not None and below and build != details.base else None,
    )


def _value(one: FigureSummary | None) -> float:
    return one.value.value if one is not None and one.value is not None else 0.0


def _system(user: FigureSummary | None, system: FigureSummary | None) -> float:
    """Of all passes together: single blocks have few ticks."""
    own, theirs = (sum(value for _, value in one.by_pass) if one is not None else 0.0 for one in (user, system))
    return theirs / (own + theirs) if own + theirs else 0.0


def _latencies(some: Sequence[FigureSummary | None]) -> tuple[float, float, float] | None:
    if any(one is None for one in some):
        return None
    middle, nine, most = (_value(one) / 1e6 for one in some)
    return middle, nine, most


def _printed(task: Task, build: str) -> float | None:
    return next((value for family, value in task.printed.items() if build.startswith(family)), None)


def _seconds(task: Task, one: FigureSummary) -> Estimate:
    return _times(one.value, task.many / 1e9)


def _times(one: Estimate | None, by: float) -> Estimate:
    assert one is not None
    return Estimate(
        one.value * by, None if one.low is None else one.low * by, None if one.high is None else one.high * by
    )


def _divided(of: Details, lanes: Sequence[str], found: Figures) -> Iterator[Divided]:
    """The page's quotients, of every client that has both."""
    cases = {task.name: task.case.id for task in of.tasks}
    for one in of.quotients:
        for lane in lanes:
            ratios = [
                ratio_estimate(dict(above.by_pass), dict(below.by_pass))
                for name in ("cpu_ns", "elapsed_ns")
                if (above := found.get((cases[one.over], lane, name))) is not None
                and (below := found.get((cases[one.under], lane, name))) is not None
            ]
            if len(ratios) == 2 and ratios[0] is not None and ratios[1] is not None:
                yield Divided(one.name, lane, ratios[0], ratios[1], one.printed)


def _nagled(plan: InstrumentPlan, lanes: Sequence[str], found: Figures) -> Iterator[Nagled]:
    at_once, nagle = (next((case.id for case in plan.cases if f"segments={name}" in case.id), "") for name in SEGMENTS)
    for lane in lanes:
        both = [found.get((case, lane, "elapsed_ns")) for case in (at_once, nagle)]
        if both[0] is not None and both[1] is not None:
            yield Nagled(lane, _times(both[0].value, 1e-6), _times(both[1].value, 1e-6))
