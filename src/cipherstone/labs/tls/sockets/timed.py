# SPDX-License-Identifier: Apache-2.0
"""Clients of several libraries against one server over blocking sockets on this machine: proven first, then timed in turns, each pass in fresh processes."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from statistics import median
from typing import NamedTuple

from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.results import READ, WRITE
from cipherstone.labs.tls.servers.load import Left, Shown, asked, checked, told_number, worker_of
from cipherstone.labs.tls.sockets.plan import UP, Plan, Task
from cipherstone.labs.tls.sockets.results import (
    APART,
    COUNTS,
    LATENCIES,
    TOGETHER,
    Lane,
    Nagled,
    Sockets,
    Spent,
    base_of,
    divided,
    rows_of,
)
from cipherstone.model.errors import CipherstoneError, WorkerError
from cipherstone.operations.certificates import ROOT
from cipherstone.operations.handshakes import USUAL_CHAIN, certificate
from cipherstone.protocol.messages import Computed, Refusal
from cipherstone.worker import WorkerProcess

ONE, NAGLE = "one", "nagle"
PASSES, ROUNDS = 6, 2  # fewer passes have no interval
# Of the page's handshakes, or of messages: what a block has. Those of data are 64 MiB.
SHARE, QUICK_SHARE, DATA_SHARE, QUICK_DATA_SHARE = 1, 10, 4, 64
NAGLED = 10  # handshakes, each of which may take a delayed acknowledgement
OTHER_HOST, OTHER_KIND = b"other.cipherstone.example", "rsa-3072"
REFUSED = "rejected"


class Client(NamedTuple):
    """A build's program that makes the load, with its instructions and without; the same where there is no switch."""

    usual: Peer
    masked: Peer

    def peer(self, task: Task) -> Peer:
        """The one for this task."""
        return self.masked if task.masked else self.usual


class _Bench(NamedTuple):
    """What all pairs have in common. `share`: of the task's handshakes a block has one in so many; `data_share`: of its messages."""

    server: Client
    cpus: tuple[int | None, int | None]
    patience: float
    rounds: int
    share: int
    data_share: int

    def block(self, task: Task) -> int:
        """How many a block has."""
        return max(1, task.many // (self.data_share if task.data else self.share))


class _Refused(Exception):
    """A pair did not get there; the reason."""


def sockets(
    asked_for: Plan,
    clients: Sequence[Client],
    server: Client,
    cpus: tuple[int | None, int | None],
    quick: bool,
    tell: Callable[[str], None],
    patience: float = 1.0,
    left_out: Sequence[Left] = (),
) -> Sockets:
    """Measures every client. Raises CipherstoneError where one accepts what it must refuse, or a pair breaks that was proven; WorkerError."""
    rounds, shares = (1, (QUICK_SHARE, QUICK_DATA_SHARE)) if quick else (ROUNDS, (SHARE, DATA_SHARE))
    bench = _Bench(server, cpus, patience, rounds, *shares)
    left, proven = list(left_out), 0
    lanes: dict[tuple[str, str], list[Lane]] = {}
    tell("proving that each client negotiates what is asked for, and refuses what it must")
    refusals: set[tuple[str, str]] = set()
    for task in asked_for.tasks:
        lanes[task.key] = []
        for client in clients:
            try:
                _prove(bench, client, task)
            except _Refused as reason:
                left.append(Left(client.usual.name, f"{task.table}, {task.name}: {reason}"))
                continue
            kind = (client.usual.name, task.params["cert"])
            if kind not in refusals:
                proven += _refuses(bench, client, task)
                refusals.add(kind)
            lanes[task.key] += [(client.usual.name, way) for way in _ways(task, asked_for)]
    named = {one.usual.name: one for one in clients}
    nagle = tuple(_nagled(bench, named[name], task) for task, name in _first(asked_for, lanes))
    passes = 1 if quick else PASSES
    spent: dict[tuple[tuple[str, str], Lane], dict[int, Spent]] = {}
    for number in range(passes):
        tell(f"pass {number + 1} of {passes}")
        for task in asked_for.tasks:
            for lane, found in _pass(bench, named, task, lanes[task.key], number):
                spent.setdefault((task.key, lane), {})[number] = found
    base = base_of(asked_for, [one.usual.name for one in clients])
    shown = tuple(Shown(one.usual.name, one.usual.title) for one in clients)
    return Sockets(
        asked_for.tasks,
        Shown(server.usual.name, server.usual.title),
        shown,
        tuple(left),
        base,
        tuple(rows_of(asked_for, spent, base)),
        tuple(divided(asked_for, spent)),
        nagle,
        passes,
        rounds,
        cpus,
        proven,
        tuple(one.usual.name for one in clients if one.masked == one.usual),
    )


def _ways(task: Task, of: Plan) -> tuple[str, ...]:
    """Coalesced as well where it may change something, in the first table alone."""
    return (APART,) if task.data or task.table != of.tasks[0].table else (APART, TOGETHER)


# ---- a pair ----


def _worker(
    stack: ExitStack,
    peer: Peer,
    bench: _Bench,
    task: Task,
    side: str,
    where: int,
    count: int,
    how: Sequence[str],
    question: Question,
) -> WorkerProcess:
    cpu = bench.cpus[0 if side == "client" else 1]
    verb = (WRITE if task.data == UP else READ) if task.data else ""
    descriptors = (where,) if side == "server" else ()
    words = (*how, task.data) if task.data == UP else how
    return worker_of(stack, peer, side, where, question, cpu, bench.patience, descriptors, count, how=words, verb=verb)


def _listening(stack: ExitStack) -> tuple[int, int]:
    """(the port, the descriptor)."""
    one = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    return one.getsockname()[1], one.fileno()


def _pair(
    stack: ExitStack, bench: _Bench, client: Client, task: Task, count: int, how: Sequence[str], asks: Question
) -> tuple[WorkerProcess, WorkerProcess]:
    """(client, server), `asks` of the client alone. Raises _Refused with the words of who has not what is asked for."""
    port, fd = _listening(stack)
    try:
        server = _worker(stack, bench.server.peer(task), bench, task, "server", fd, count, how, task.question)
        return _worker(stack, client.peer(task), bench, task, "client", port, count, how, asks), server
    except Refusal as refusal:
        raise _Refused(refusal.detail or refusal.code) from None


def _answers(client: WorkerProcess, server: WorkerProcess) -> Iterator[Computed]:
    """The client's, then the server's, which waits for a connection: not to be asked for if the client failed."""
    server_says = asked(server)
    yield asked(client)()
    yield server_says()


def _prove(bench: _Bench, client: Client, task: Task) -> None:
    """A pair agrees on what is asked for, by the word of both and by the wire. Raises _Refused."""
    with ExitStack() as stack:
        pair = _pair(stack, bench, client, task, 2, (ONE, APART), task.question)
        try:
            for answer in _answers(*pair):
                checked(answer, task.question.due)
        except (CipherstoneError, WorkerError) as error:
            raise _Refused(str(error)) from None


def _refuses(bench: _Bench, client: Client, task: Task) -> int:
    """How many certificates it refused: for another host, and of another root. Raises CipherstoneError where it does not."""
    question = task.question
    another = certificate(OTHER_KIND, USUAL_CHAIN, ROOT)
    tried = {"for another host": {"host": OTHER_HOST}, "of another root": {"root": another}}
    for what, inputs in tried.items():
        asks = question._replace(inputs={**question.inputs, **inputs})
        with ExitStack() as stack:
            try:
                said = next(_answers(*_pair(stack, bench, client, task, 1, (ONE, APART), asks)))
            except _Refused as reason:
                raise CipherstoneError(f"{client.usual.title}: {reason}", "") from None
        if said.result != REFUSED:
            why = said.detail or said.result
            raise CipherstoneError(f"{client.usual.title} does not refuse a certificate {what}: {why}", "nothing is timed")  # fmt: skip
    return len(tried)


def _first(of: Plan, lanes: Mapping[tuple[str, str], Sequence[Lane]]) -> Iterator[tuple[Task, str]]:
    """The first handshake of each client."""
    seen: set[str] = set()
    for task in of.tasks:
        for name, _ in lanes[task.key]:
            if name not in seen and not task.data:
                seen.add(name)
                yield task, name


def _nagled(bench: _Bench, client: Client, task: Task) -> Nagled:
    def each_ms(*how: str) -> float:
        with ExitStack() as stack:
            pair = _pair(stack, bench, client, task, NAGLED, (ONE, APART, *how), task.question)
            for answer in _answers(*pair):
                checked(answer, task.question.due)
            return told_number(pair[0], "elapsed_ns") / NAGLED / 1e6

    return Nagled(client.usual.name, each_ms(), each_ms(NAGLE))


# ---- a pass ----


def _pass(
    bench: _Bench, clients: Mapping[str, Client], task: Task, lanes: Sequence[Lane], number: int
) -> Iterator[tuple[Lane, Spent]]:
    """Fresh processes, blocks of all lanes in turns."""
    count, question = bench.block(task), task.question
    blocks: dict[Lane, list[Spent]] = {lane: [] for lane in lanes}
    with ExitStack() as stack:
        port, fd = _listening(stack)
        server = _worker(stack, bench.server.peer(task), bench, task, "server", fd, count, (ONE, APART), question)
        workers = {}
        for name, way in lanes:
            how = (ONE, APART) if way == APART else (ONE,)
            workers[name, way] = _worker(
                stack, clients[name].peer(task), bench, task, "client", port, count, how, question
            )
        for turn in range(bench.rounds if lanes else 0):
            at = (number + turn) % len(lanes)
            for lane in (*lanes[at:], *lanes[:at]):
                blocks[lane].append(_block(workers[lane], server, task, count))
    for lane, found in blocks.items():
        yield lane, _middle(found)


def _block(client: WorkerProcess, server: WorkerProcess, task: Task, count: int) -> Spent:
    for answer in _answers(client, server):
        done = checked(answer, task.question.due)
        if done != count:
            raise CipherstoneError(f"{task.table}, {task.name}: expected {count}, got {done}", "")
    latencies = () if task.data else LATENCIES
    names = ("cpu_ns", "elapsed_ns", "user_us", "system_us", *COUNTS, *latencies)
    told = {name: told_number(client, name) for name in names}
    return Spent(
        told["cpu_ns"] / count,
        told["elapsed_ns"] / count,
        told_number(server, "cpu_ns") / count,
        told["user_us"],
        told["system_us"],
        {name: told[name] / count for name in COUNTS} | {name: told[name] for name in latencies},
    )


def _middle(found: Sequence[Spent]) -> Spent:
    cpu, elapsed, server = (median(getattr(one, name) for one in found) for name in ("cpu", "elapsed", "server"))
    counts = {name: median(one.counts[name] for one in found) for name in found[0].counts}
    return Spent(cpu, elapsed, server, sum(one.user_us for one in found), sum(one.system_us for one in found), counts)
