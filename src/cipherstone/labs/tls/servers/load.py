# SPDX-License-Identifier: Apache-2.0
"""The load: handshakes of one client, one after the other, to a server; and to the bare library, over the same sockets and in memory."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from cipherstone.labs.tls.interop.grid import Agreed, Kind, agreed_of, due_of
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER
from cipherstone.labs.tls.servers.programs import NOTHING_USED, Server, Used
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import params_text
from cipherstone.operations.handshakes import agreed, numbers, timed
from cipherstone.protocol.messages import Computed
from cipherstone.worker import WorkerProcess

KINDS = tuple(
    {"version": version, "group": "x25519", "cert": "p-256", "mode": mode}
    for version in ("1.3", "1.2")
    for mode in ("full", "ticket")
)
BLOCK = 64  # handshakes of one request
BATCH = 4  # of them, timed together in memory
BLOCK_S = 60  # when a block is over at the latest


def question_of(params: Mapping[str, str]) -> Question:
    """A kind of handshake, with its certificates and what both sides must say."""
    known = dict(params)
    return Question(Kind(params_text(tuple(known.items())), known), timed(known), due_of(numbers(known)))


class Site(NamedTuple):
    """Where and how it is measured. `cpus`: of the clients, and of the servers; `quick`: one pass of short turns; `patience`: factor on time limits."""

    cpus: tuple[int | None, int | None]
    quick: bool = False
    patience: float = 1.0


class Piece(NamedTuple):
    """What a turn found: what the server used for so many handshakes, and the bytes that the client received in all."""

    used: Used
    handshakes: int
    received: int


Pieces = Callable[[float], Piece]  # by how many seconds it is to take, at least one block


# ---- one side of the load ----


class Load(NamedTuple):
    """How a process makes the load. `side`: `client` or `server`; `where`: a port of `address`, or a descriptor that listens. `each`: handshakes or messages of one request; `how`: words of TLS_LOAD_AS; `verb`: of data, whose messages are then counted."""

    side: str
    where: int
    cpu: int | None
    patience: float = 1.0
    each: int = BLOCK
    address: str = "127.0.0.1"
    how: Sequence[str] = ()
    verb: str = ""


def worker_of(stack: ExitStack, peer: Peer, load: Load, question: Question) -> WorkerProcess:
    """A process that plays one side, and waits for requests. Raises WorkerError and Refusal."""
    environment = {
        **peer.environment,
        "TLS_LOAD": f"{load.side},{load.where},{load.each},{BLOCK_S},{load.address}",
        "TLS_LOAD_AS": ",".join(load.how),
    }
    descriptors = (load.where,) if load.side == "server" else ()
    worker = stack.enter_context(
        WorkerProcess(
            peer.command, environment=environment, cpu=load.cpu, patience=load.patience, descriptors=descriptors
        )
    )
    verb = load.verb or (CLIENT if load.side == "client" else SERVER)
    worker.prepare(0, f"{LAB}/{verb}", "default", question.texts)
    return worker


def asked(worker: WorkerProcess) -> Callable[[], Computed]:
    """The answer to a block of handshakes, which comes when the other side has answered as well."""
    return worker.ask_ahead("compute", {"case": 0}, Computed, BLOCK_S + 5.0)


def told_number(worker: WorkerProcess, key: str) -> int:
    """A fact of what was asked last. Raises CipherstoneError."""
    return number_in(worker.facts(0), key)


def number_in(told: Mapping[str, int | str], key: str) -> int:
    """A number among the facts of a worker. Raises CipherstoneError where it is none, or not told."""
    number = told.get(key)
    if not isinstance(number, int):
        raise CipherstoneError(f"the load does not tell {key}", "")
    return number


def checked(answer: Computed, due: Agreed, first: bool = False) -> int:
    """How many handshakes there were, all of them as asked. `first`: it leaves the ticket, so that nothing is resumed. Raises CipherstoneError."""
    if answer.result != "ok" or answer.out is None:
        raise CipherstoneError(f"a handshake failed: {answer.detail or answer.result}", "")
    try:
        out = bytes.fromhex(answer.out)
        told = agreed_of(out[4:12] + out[13:14])
    except ValueError as error:
        raise CipherstoneError(f"a handshake's answer is none: {error}", "") from None
    count = int.from_bytes(out[:4], "big")
    for name in ("version", "suite", "group", "signature", "resumed"):
        value, wanted = getattr(told, name), getattr(due, name)
        if value is not None and value != wanted and not (first and name in ("group", "signature", "resumed")):
            raise CipherstoneError(f"a handshake agreed on {name} 0x{value:04x}, not 0x{wanted:04x}", "")
    if told.resumed is None:
        raise CipherstoneError("the library does not say whether it resumed", "")
    return count


def loaded(stack: ExitStack, load: Peer, server: Server, question: Question, site: Site) -> Pieces:
    """Handshakes with a server; what its processes used meanwhile. Raises CipherstoneError, WorkerError and Refusal."""
    client = worker_of(stack, load, Load("client", server.port, site.cpus[0], site.patience), question)
    _leave_ticket(question, lambda: [asked(client)])

    def piece(seconds: float) -> Piece:
        before, end = server.used(), time.monotonic() + seconds
        handshakes = received = 0
        while handshakes == 0 or time.monotonic() < end:
            handshakes += checked(asked(client)(), question.due)
            received += told_number(client, "received_bytes")
        return Piece(server.used().since(before), handshakes, received)

    return piece


def _leave_ticket(question: Question, ask: Callable[[], list[Callable[[], Computed]]]) -> None:
    """The first handshake of a kind that resumes."""
    if question.kind.params["mode"] == "ticket":
        for answer in ask():
            checked(answer(), question.due, first=True)


def bare(stack: ExitStack, load: Peer, question: Question, site: Site) -> Pieces:
    """The same with the library alone at the other end."""
    listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    port, fd = listening.getsockname()[1], listening.fileno()
    server = worker_of(stack, load, Load("server", fd, site.cpus[1], site.patience), question)
    client = worker_of(stack, load, Load("client", port, site.cpus[0], site.patience), question)
    _leave_ticket(question, lambda: [asked(server), asked(client)])

    def piece(seconds: float) -> Piece:
        end, used = time.monotonic() + seconds, NOTHING_USED
        handshakes = received = 0
        while handshakes == 0 or time.monotonic() < end:
            answers = [asked(server), asked(client)]
            for answer in answers:
                count = checked(answer(), question.due)
            handshakes += count
            told = server.facts(0)
            used = used.and_of(Used(*(number_in(told, key) for key in ("cpu_ns", "user_us", "system_us"))))
            received += told_number(client, "received_bytes")
        return Piece(used, handshakes, received)

    return piece


def in_memory(
    stack: ExitStack, plain: Peer, question: Question, cpu: int | None, patience: float, verb: str = SERVER
) -> Pieces:
    """One side of the library over pipes in memory, as the laboratory times it: the other side's part stands aside."""
    worker = stack.enter_context(
        WorkerProcess(plain.command, environment=plain.environment, cpu=cpu, patience=patience)
    )
    worker.hello()
    worker.prepare(0, f"{LAB}/{verb}", "default", question.texts)
    answer = worker.compute(0)
    if answer.result != "ok" or answer.out != agreed(question.inputs, question.kind.params).hex():
        raise CipherstoneError(f"the bare library failed: {answer.detail or answer.result}", "")

    def piece(seconds: float) -> Piece:
        end = time.monotonic() + seconds / 2
        batches: list[int] = []
        while not batches or time.monotonic() < end:
            batches += worker.run(0, BATCH, lead=1, batches=BLOCK // BATCH).each
        # Elapsed time, and so the tenth of the batches that was not disturbed, as the laboratory takes it.
        typical = sorted(batches)[len(batches) // 10]
        return Piece(Used(typical * len(batches), 1, 0), BATCH * len(batches), 0)

    return piece
