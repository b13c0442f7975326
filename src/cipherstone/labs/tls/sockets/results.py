# SPDX-License-Identifier: Apache-2.0
"""What clients took over sockets: times and ratios by pass, beside what the page says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from cipherstone.labs.tls.servers.load import Left, Shown
from cipherstone.labs.tls.sockets.plan import Plan, Task
from cipherstone.model.summary import Estimate
from cipherstone.stats.interval import median_estimate
from cipherstone.stats.ratio import ratio_estimate

APART, TOGETHER = "apart", "together"
COUNTS = ("sends", "receives", "sent_bytes", "received_bytes")
LATENCIES = ("latency_50_ns", "latency_90_ns", "latency_99_ns")
Lane = tuple[str, str]  # the build, and how its callbacks send


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """A client's time for a task, in seconds for as many as the task has: `cpu_s` of its process, `elapsed_s` by the clock; medians of the passes. `way`: what a library sends at once is a send of its own (`apart`), or all that it sends before it waits is one (`together`).

    `system`: the system's share of `cpu_s`; `server_cpu_s`: of the other side's process. `sends` and what follows: of one handshake, or one message, calls of the client and bytes. `latency_ms`: by the clock, of single handshakes: the middle one, and those that nine in ten and ninety-nine in a hundred are below.
    `over_cpu`, `over_elapsed`: times those of the base in the same passes; `printed_s`, `printed_over`: the page's."""

    task: tuple[str, str]
    build: str
    way: str
    cpu_s: Estimate
    elapsed_s: Estimate
    system: float
    server_cpu_s: float
    sends: float
    receives: float
    sent_bytes: float
    received_bytes: float
    latency_ms: tuple[float, float, float] | None = None
    over_cpu: Estimate | None = None
    over_elapsed: Estimate | None = None
    printed_s: float | None = None
    printed_over: float | None = None


class Divided(msgspec.Struct, frozen=True):
    """One time of a client over another, in the same passes."""

    name: str
    build: str
    cpu: Estimate
    elapsed: Estimate
    printed: float


class Nagled(msgspec.Struct, frozen=True):
    """What a handshake takes by the clock, in milliseconds, where small segments go at once, and where they wait for the one before to be acknowledged, as they do by default."""

    build: str
    at_once_ms: float
    nagle_ms: float


class Sockets(msgspec.Struct, frozen=True):
    """All of it. `base`: the build that others are divided by; `cpus`: of the clients, and of the server; `proven`: handshakes that a client had to refuse, and did; `no_switch`: clients whose instructions cannot be hidden."""

    tasks: tuple[Task, ...]
    server: Shown
    clients: tuple[Shown, ...]
    left_out: tuple[Left, ...]
    base: str
    rows: tuple[Row, ...]
    quotients: tuple[Divided, ...]
    nagle: tuple[Nagled, ...]
    passes: int
    rounds: int
    cpus: tuple[int | None, int | None]
    proven: int
    no_switch: tuple[str, ...] = ()


class Spent(NamedTuple):
    """What a lane took in a pass, in ns of one handshake or message. `user_us`, `system_us`: of all of them, by the clock's ticks, which say how `cpu` divides. `counts`: of one as well, but for `LATENCIES`, which handshakes alone have."""

    cpu: float
    elapsed: float
    server: float
    user_us: float
    system_us: float
    counts: dict[str, float]


All = Mapping[tuple[tuple[str, str], Lane], Mapping[int, Spent]]  # by task, lane and pass


def base_of(of: Plan, names: Sequence[str]) -> str:
    """Whose times the page divides by, else the first client."""
    return next((name for name in names if name.startswith(of.base)), names[0])


def rows_of(of: Plan, spent: All, base: str) -> Iterator[Row]:
    """Every lane of every task, over the base in the same passes."""
    for task in of.tasks:
        there = {lane: passes for (key, lane), passes in spent.items() if key == task.key}
        against = there.get((base, APART))
        below = _printed(task, base)
        for (name, way), passes in there.items():
            printed = _printed(task, name) if way == APART else None
            apart = against if (name, way) != (base, APART) else None
            some = list(passes.values())
            sends, receives, sent, received = (median(one.counts[count] for one in some) for count in COUNTS)
            yield Row(
                task.key,
                name,
                way,
                _seconds(task, [one.cpu for one in some]),
                _seconds(task, [one.elapsed for one in some]),
                _system(some),
                median(one.server for one in some) * task.many / 1e9,
                sends,
                receives,
                sent,
                received,
                _latencies(some),
                None if apart is None else _ratio(passes, apart, "cpu"),
                None if apart is None else _ratio(passes, apart, "elapsed"),
                printed,
                printed / below if printed is not None and below and name != base else None,
            )


def _system(some: Sequence[Spent]) -> float:
    """Of all passes together: single blocks have few ticks."""
    user, system = (sum(getattr(one, name) for one in some) for name in ("user_us", "system_us"))
    return system / (user + system) if user + system else 0.0


def _latencies(some: Sequence[Spent]) -> tuple[float, float, float] | None:
    if not all(name in one.counts for one in some for name in LATENCIES):
        return None
    middle, nine, most = (median(one.counts[name] for one in some) / 1e6 for name in LATENCIES)
    return middle, nine, most


def _printed(task: Task, name: str) -> float | None:
    return next((value for family, value in task.printed.items() if name.startswith(family)), None)


def _seconds(task: Task, values: Sequence[float]) -> Estimate:
    found = median_estimate([value * task.many / 1e9 for value in values])
    assert found is not None
    return found


def _ratio(one: Mapping[int, Spent], other: Mapping[int, Spent], what: str) -> Estimate | None:
    def of(passes: Mapping[int, Spent]) -> dict[int, float]:
        return {number: getattr(spent, what) for number, spent in passes.items()}

    return ratio_estimate(of(one), of(other))


def divided(of: Plan, spent: All) -> Iterator[Divided]:
    """The page's quotients, of every client that has both."""
    keys = {task.name: task.key for task in of.tasks}
    for one in of.quotients:
        above, below = keys[one.over], keys[one.under]
        for (key, lane), passes in spent.items():
            under = spent.get((below, lane))
            if key != above or under is None:
                continue
            cpu, elapsed = (_ratio(passes, under, what) for what in ("cpu", "elapsed"))
            if cpu is not None and elapsed is not None:
                yield Divided(one.name, lane[0], cpu, elapsed, one.printed)
