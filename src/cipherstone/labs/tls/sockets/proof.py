# SPDX-License-Identifier: Apache-2.0
"""Pairs of a client and a server over a blocking socket, and the proof that comes before anything is measured."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.results import READ, WRITE
from cipherstone.labs.tls.servers.load import Load, asked, checked, worker_of
from cipherstone.labs.tls.sockets.plan import UP, SocketPlan, Task
from cipherstone.labs.tls.sockets.results import APART
from cipherstone.model.errors import CipherstoneError, WorkerError
from cipherstone.model.instruments import LeftOut
from cipherstone.operations.certificates import ROOT
from cipherstone.operations.handshakes import USUAL_CHAIN, certificate
from cipherstone.protocol.messages import Computed, Refusal
from cipherstone.worker import WorkerProcess

ONE = "one"
# Of the page's handshakes, or of messages: what a block has. Those of data are 64 MiB.
SHARE, QUICK_SHARE, DATA_SHARE, QUICK_DATA_SHARE = 1, 10, 4, 64
OTHER_HOST, OTHER_KIND = b"other.cipherstone.example", "rsa-3072"
REFUSED = "rejected"


class Client(NamedTuple):
    """A build's program that makes the load, with its instructions and without; the same where there is no switch."""

    usual: Peer
    masked: Peer

    def peer(self, task: Task) -> Peer:
        """The one for this task."""
        return self.masked if task.masked else self.usual


class Site(NamedTuple):
    """Where and how it is measured. `cpus`: of the clients, and of the server; `quick`: one pass of small blocks; `patience`: factor on time limits."""

    cpus: tuple[int | None, int | None]
    quick: bool
    patience: float = 1.0

    def block(self, task: Task) -> int:
        """How many handshakes or messages a block has."""
        share, data_share = (QUICK_SHARE, QUICK_DATA_SHARE) if self.quick else (SHARE, DATA_SHARE)
        return max(1, task.many // (data_share if task.data else share))


class Ask(NamedTuple):
    """What both sides are asked for. `each`: handshakes or messages of a request; `how`: words for the load."""

    question: Question
    each: int
    how: tuple[str, ...] = (ONE, APART)


class Refused(Exception):
    """A pair did not get there; the reason."""


class Bench(NamedTuple):
    """What all pairs have in common."""

    server: Client
    site: Site

    def server_of(self, stack: ExitStack, fd: int, task: Task, ask: Ask) -> WorkerProcess:
        """A process of the server, which takes connections from the descriptor. Raises WorkerError and Refusal."""
        return worker_of(stack, self.server.peer(task), self._load("server", fd, task, ask), ask.question)

    def client_of(self, stack: ExitStack, client: Client, port: int, task: Task, ask: Ask) -> WorkerProcess:
        """A process of a client, which connects to the port. Raises WorkerError and Refusal."""
        return worker_of(stack, client.peer(task), self._load("client", port, task, ask), ask.question)

    def _load(self, side: str, where: int, task: Task, ask: Ask) -> Load:
        return Load(
            side,
            where,
            self.site.cpus[0 if side == "client" else 1],
            self.site.patience,
            each=ask.each,
            how=(*ask.how, task.data) if task.data == UP else ask.how,
            verb=(WRITE if task.data == UP else READ) if task.data else "",
        )


def listening(stack: ExitStack) -> tuple[int, int]:
    """(a port of this machine, the descriptor that listens there)."""
    one = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    return one.getsockname()[1], one.fileno()


def answers(client: WorkerProcess, server: WorkerProcess) -> Iterator[Computed]:
    """The client's answer to one request, then the server's, which waits for a connection: not to be asked for if the client failed."""
    server_says = asked(server)
    yield asked(client)()
    yield server_says()


class Proved(NamedTuple):
    """`able`: the clients of each task, by its key; `refused`: certificates that clients had to refuse, and did."""

    able: dict[tuple[str, str], list[Client]]
    refused: int
    left_out: tuple[LeftOut, ...]


def proved(bench: Bench, of: SocketPlan, clients: Sequence[Client]) -> Proved:
    """Which clients agree on what each task asks for. Raises CipherstoneError where one accepts what it must refuse; WorkerError."""
    able: dict[tuple[str, str], list[Client]] = {task.key: [] for task in of.tasks}
    left: list[LeftOut] = []
    kinds: set[tuple[str, str]] = set()
    refused = 0
    for task in of.tasks:
        for client in clients:
            try:
                _prove(bench, client, task)
            except Refused as reason:
                left.append(LeftOut(client.usual.name, f"{task.table}, {task.name}: {reason}"))
                continue
            kind = (client.usual.name, task.params["cert"])
            if kind not in kinds:
                refused += _refuses(bench, client, task)
                kinds.add(kind)
            able[task.key].append(client)
    return Proved(able, refused, tuple(left))


def _pair(stack: ExitStack, bench: Bench, client: Client, task: Task, ask: Ask) -> tuple[WorkerProcess, WorkerProcess]:
    """(client, server); the server has the task's own question. Raises Refused with the words of who has not what is asked for."""
    port, fd = listening(stack)
    try:
        server = bench.server_of(stack, fd, task, ask._replace(question=task.question))
        return bench.client_of(stack, client, port, task, ask), server
    except Refusal as refusal:
        raise Refused(refusal.detail or refusal.code) from None


def _prove(bench: Bench, client: Client, task: Task) -> None:
    """A pair agrees on what is asked for, by the word of both and by the wire. Raises Refused."""
    with ExitStack() as stack:
        pair = _pair(stack, bench, client, task, Ask(task.question, 2))
        try:
            for answer in answers(*pair):
                checked(answer, task.question.due)
        except (CipherstoneError, WorkerError) as error:
            raise Refused(str(error)) from None


def _refuses(bench: Bench, client: Client, task: Task) -> int:
    """How many certificates it refused: for another host, and of another root. Raises CipherstoneError where it does not."""
    question = task.question
    another = certificate(OTHER_KIND, USUAL_CHAIN, ROOT)
    tried = {"for another host": {"host": OTHER_HOST}, "of another root": {"root": another}}
    for what, inputs in tried.items():
        asks = question._replace(inputs={**question.inputs, **inputs})
        with ExitStack() as stack:
            try:
                said = next(answers(*_pair(stack, bench, client, task, Ask(asks, 1))))
            except Refused as reason:
                raise CipherstoneError(f"{client.usual.title}: {reason}", "") from None
        if said.result != REFUSED:
            why = said.detail or said.result
            raise CipherstoneError(f"{client.usual.title} does not refuse a certificate {what}: {why}", "nothing is timed")  # fmt: skip
    return len(tried)
