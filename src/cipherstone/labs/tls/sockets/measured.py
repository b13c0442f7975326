# SPDX-License-Identifier: Apache-2.0
"""The instrument: clients of several libraries against one server over blocking sockets on this machine, in turns, each pass in fresh processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import msgspec

from cipherstone.labs.tls.peerlanes import described, lane_of, scout_of
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.servers.load import checked, told_number
from cipherstone.labs.tls.sockets.plan import INSTRUMENT, SocketPlan, Task
from cipherstone.labs.tls.sockets.proof import ONE, Ask, Bench, Client, Proved, Site, answers, listening, proved
from cipherstone.labs.tls.sockets.results import (
    APART,
    COUNTS,
    LATENCIES,
    SEGMENTS,
    TOGETHER,
    Details,
    base_of,
)
from cipherstone.measure.turns import Turn, untwinned, with_twin
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Case, Lane
from cipherstone.model.instruments import FigureKind, InstrumentCase, InstrumentPlan, LeftOut
from cipherstone.worker import WorkerProcess

PASSES, ROUNDS = 6, 2  # fewer passes have no interval
NAGLED = 5  # handshakes, each of which may take a delayed acknowledgement
_OF = "of one handshake, or of one message of 16 KiB"
FIGURES = (
    FigureKind("cpu_ns", "ns", f"processor time of the client's process, {_OF}", True),
    FigureKind("elapsed_ns", "ns", f"time by the clock, {_OF}", True),
    FigureKind("server_cpu_ns", "ns", f"processor time of the server's process, {_OF}"),
    FigureKind("user_us", "us", "processor time of the client in its own code, of the whole block, by the system's ticks"),
    FigureKind("system_us", "us", "the same inside the system"),
    *(FigureKind(name, "bytes" if name.endswith("bytes") else "count", f"{name.replace('_', ' ')} of the client, {_OF}") for name in COUNTS),
    *(FigureKind(name, "ns", f"{name[8:10]} % of single handshakes took less by the clock") for name in LATENCIES),
)  # fmt: skip


class OverSockets:
    """The instrument. Proves every client when it is made. Raises CipherstoneError where one accepts what it must refuse; WorkerError."""

    def __init__(
        self,
        asked_for: SocketPlan,
        clients: Sequence[Client],
        server: Client,
        site: Site,
        tell: Callable[[str], None],
        left_out: Sequence[LeftOut] = (),
    ) -> None:
        tell("proving that each client negotiates what is asked for, and refuses what it must")
        self._bench = Bench(server, site)
        self._clients = {lane_of(one.usual).id: one for one in clients}
        self._blocks = {task.case.id: Block(task) for task in asked_for.tasks}
        self.scouts = tuple(scout_of(one.usual, site.patience) for one in clients)
        shown = proved(self._bench, asked_for, clients)
        base = next(
            lane
            for lane, one in self._clients.items()
            if one.usual.name == base_of(asked_for, [one.usual.name for one in clients])
        )
        cases = [
            _case(task.case.id, task.title, _lanes(shown.able[task.key], task, asked_for), base)
            for task in asked_for.tasks
        ]
        if first := next((task for task in asked_for.tasks if not task.data), None):
            for title, how in SEGMENTS.items():
                case = Case(LAB, INSTRUMENT, None, (("segments", title),))
                self._blocks[case.id] = Block(first, how, NAGLED)
                able = [lane_of(one.usual).id for one in shown.able[first.key]]
                cases.append(_case(case.id, f"a handshake, small segments {title}", able, base))
        lanes = dict.fromkeys(untwinned(lane) for case in cases for lane in case.lanes)
        self.plan = InstrumentPlan(
            INSTRUMENT,
            "TLS over sockets",
            FIGURES,
            tuple(described(self._of(lane).usual, lane) for lane in lanes),
            tuple(cases),
            1 if site.quick else PASSES,
            1 if site.quick else ROUNDS,
            left_out=(*left_out, *shown.left_out),
            details=msgspec.to_builtins(_details(asked_for, clients, server, site, shown)),
        )

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        """A server, and every client beside it."""
        block, bench = self._blocks[case.id], self._bench
        task, count = block.task, block.size(bench.site)
        with ExitStack() as stack:
            port, fd = listening(stack)
            ask = Ask(task.question, count, (ONE, APART, *block.how))
            server = bench.server_of(stack, fd, task, ask)
            workers = {}
            for lane in case.lanes:
                together = Lane.parse(lane).implementation == TOGETHER
                asked = ask._replace(how=(ONE, *block.how)) if together else ask
                workers[lane] = bench.client_of(stack, self._of(lane), port, task, asked)
            yield lambda lane: _spent(workers[lane], server, task, count)

    def _of(self, lane: str) -> Client:
        return self._clients[Lane.parse(lane).build_id]


class Block(NamedTuple):
    """What a turn makes. `how`: further words for both sides; `number`: of handshakes, 0 for as many as the task's share."""

    task: Task
    how: tuple[str, ...] = ()
    number: int = 0

    def size(self, site: Site) -> int:
        """How many handshakes or messages."""
        return self.number or site.block(self.task)


def _case(id: str, title: str, lanes: Sequence[str], base: str) -> InstrumentCase:
    there = base if base in lanes else ""
    without = "" if there else "the client that others are compared with does not take part"
    return InstrumentCase(id, title, with_twin(lanes, base), there, without if lanes else "")


def _lanes(able: Sequence[Client], task: Task, of: SocketPlan) -> list[str]:
    """Coalesced as well where it may change something, in the first table alone."""
    ways = (
        (DEFAULT_IMPLEMENTATION,)
        if task.data or task.table != of.tasks[0].table
        else (DEFAULT_IMPLEMENTATION, TOGETHER)
    )
    return [lane_of(one.usual, way).id for one in able for way in ways]


def _details(of: SocketPlan, clients: Sequence[Client], server: Client, site: Site, shown: Proved) -> Details:
    return Details(
        of.tasks,
        of.quotients,
        server.usual.title,
        base_of(of, [one.usual.name for one in clients]),
        site.cpus,
        shown.refused,
        tuple(one.usual.name for one in clients if one.masked == one.usual),
    )


def _spent(client: WorkerProcess, server: WorkerProcess, task: Task, count: int) -> dict[str, float]:
    """A turn's figures."""
    for answer in answers(client, server):
        done = checked(answer, task.question.due)
        if done != count:
            raise CipherstoneError(f"{task.table}, {task.name}: expected {count}, got {done}", "")
    whole = ("user_us", "system_us", *(() if task.data else LATENCIES))
    told = {name: told_number(client, name) for name in ("cpu_ns", "elapsed_ns", *COUNTS)}
    found = {name: number / count for name, number in told.items()}
    return (
        found
        | {"server_cpu_ns": told_number(server, "cpu_ns") / count}
        | {name: told_number(client, name) for name in whole}
    )
