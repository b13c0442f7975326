# SPDX-License-Identifier: Apache-2.0
"""The load: handshakes of one client, one after the other, to each server in turns; and the bare library, over the same sockets and in memory, in the same turns."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from cipherstone.labs.tls.interop.grid import Agreed, Kind, agreed_of, due_of
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER
from cipherstone.labs.tls.servers.programs import NOTHING_USED, Program, Server, Used, running, write_certificates
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
ROUNDS, QUICK_ROUNDS = 7, 2
PIECE_S, QUICK_PIECE_S = 0.5, 0.1  # of elapsed time, for one kind and server in a round
BARE, MEMORY = "bare", "memory"


class Cost(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a handshake cost a server, in microseconds of its processes: `total_us`: median of the rounds, from `low_us` to `high_us`. `received_bytes`: what the client got, in the mean. `server`: its name, `bare` for the library over the same sockets, `memory` for the library alone, which has no system in it."""

    server: str
    user_us: float
    system_us: float
    total_us: float
    low_us: float
    high_us: float
    handshakes: int
    received_bytes: float = 0.0


class Row(msgspec.Struct, frozen=True):
    """A kind of handshake, and what it cost each server, in their order; the bare library stands first."""

    kind: Kind
    costs: tuple[Cost, ...]


class Shown(msgspec.Struct, frozen=True):
    """A server as it is shown. `title`: with its version."""

    name: str
    title: str


class Left(msgspec.Struct, frozen=True):
    """A server that is not here, and why."""

    name: str
    why: str


class Served(msgspec.Struct, frozen=True):
    """All of it. `library`: the client, and the bare server; `cpus`: where the client and the servers ran."""

    library: str
    servers: tuple[Shown, ...]
    left_out: tuple[Left, ...]
    rows: tuple[Row, ...]
    rounds: int
    cpus: tuple[int | None, int | None]


class Here(NamedTuple):
    """A program that is here, with its path and version."""

    program: Program
    path: str
    version: str

    @property
    def shown(self) -> Shown:
        """Its names."""
        return Shown(self.program.name, f"{self.program.title} {self.version}".strip())


class _Turn(NamedTuple):
    """What a piece of a round found."""

    used: Used
    handshakes: int
    received: int


Piece = Callable[[float], _Turn]  # by how many seconds it is to take


def served(
    load: Peer,
    plain: Peer,
    programs: Sequence[Here],
    left_out: Sequence[Left],
    cpus: tuple[int | None, int | None],
    quick: bool,
    tell: Callable[[str], None],
    patience: float = 1.0,
) -> Served:
    """Measures every server. `load`: the library's program that makes many handshakes, `plain`: its worker; `cpus`: of the client and of the servers. Raises CipherstoneError and WorkerError."""
    rounds, seconds = (QUICK_ROUNDS, QUICK_PIECE_S) if quick else (ROUNDS, PIECE_S)
    questions = [Question(Kind(params_text(tuple(p.items())), p), timed(p), due_of(numbers(p))) for p in KINDS]
    turns: dict[tuple[int, str], list[_Turn]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="cipherstone-servers-")))
        pieces: dict[tuple[int, str], Piece] = {}
        started = [stack.enter_context(_started(one, folder, questions[0], cpus[1])) for one in programs]
        for at, question in enumerate(questions):
            pieces[at, MEMORY] = in_memory(stack, plain, question, cpus[1], patience)
            pieces[at, BARE] = _bare(stack, load, question, cpus, patience)
            for server in started:
                pieces[at, server.program.name] = _loaded(stack, load, server, question, cpus[0], patience)
        for number in range(rounds):
            tell(f"round {number + 1} of {rounds}")
            order = list(pieces)
            for where in order[number % len(order) :] + order[: number % len(order)]:
                turns.setdefault(where, []).append(pieces[where](seconds))
    names = [MEMORY, BARE, *(one.program.name for one in programs)]
    rows = tuple(
        Row(one.kind, tuple(_cost(name, turns[at, name]) for name in names)) for at, one in enumerate(questions)
    )
    return Served(load.title, tuple(one.shown for one in programs), tuple(left_out), rows, rounds, cpus)


def _cost(name: str, turns: Sequence[_Turn]) -> Cost:
    handshakes = sum(one.handshakes for one in turns)
    used = NOTHING_USED
    for one in turns:
        used = used.and_of(one.used)
    user, system = used.parts_us(handshakes)
    each = [one.used.ns / 1e3 / one.handshakes for one in turns]
    total = median(each)
    share = user / (user + system) if user + system else 1.0
    return Cost(name, total * share, total * (1 - share), total, min(each), max(each), handshakes, sum(one.received for one in turns) / handshakes)  # fmt: skip


@contextmanager
def _started(here: Here, folder: Path, question: Question, cpu: int | None) -> Iterator[Server]:
    own = folder / here.program.name
    own.mkdir()
    write_certificates(own, question.inputs)
    with running(here.program, here.path, own, cpu) as server:
        yield server


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


def _loaded(
    stack: ExitStack, load: Peer, server: Server, question: Question, cpu: int | None, patience: float
) -> Piece:
    """Handshakes with a server; what its processes used meanwhile."""
    client = worker_of(stack, load, Load("client", server.port, cpu, patience), question)
    _leave_ticket(question, lambda: [asked(client)])

    def piece(seconds: float) -> _Turn:
        before, end = server.used(), time.monotonic() + seconds
        handshakes = received = 0
        while handshakes == 0 or time.monotonic() < end:
            handshakes += checked(asked(client)(), question.due)
            received += told_number(client, "received_bytes")
        return _Turn(server.used().since(before), handshakes, received)

    return piece


def _leave_ticket(question: Question, ask: Callable[[], list[Callable[[], Computed]]]) -> None:
    """The first handshake of a kind that resumes."""
    if question.kind.params["mode"] == "ticket":
        for answer in ask():
            checked(answer(), question.due, first=True)


def _bare(
    stack: ExitStack, load: Peer, question: Question, cpus: tuple[int | None, int | None], patience: float
) -> Piece:
    """The same with the library alone at the other end."""
    listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    port, fd = listening.getsockname()[1], listening.fileno()
    server = worker_of(stack, load, Load("server", fd, cpus[1], patience), question)
    client = worker_of(stack, load, Load("client", port, cpus[0], patience), question)
    _leave_ticket(question, lambda: [asked(server), asked(client)])

    def piece(seconds: float) -> _Turn:
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
        return _Turn(used, handshakes, received)

    return piece


def in_memory(
    stack: ExitStack, plain: Peer, question: Question, cpu: int | None, patience: float, verb: str = SERVER
) -> Piece:
    """One side of the library over pipes in memory, as the laboratory times it: the other side's part stands aside."""
    worker = stack.enter_context(
        WorkerProcess(plain.command, environment=plain.environment, cpu=cpu, patience=patience)
    )
    worker.hello()
    worker.prepare(0, f"{LAB}/{verb}", "default", question.texts)
    answer = worker.compute(0)
    if answer.result != "ok" or answer.out != agreed(question.inputs, question.kind.params).hex():
        raise CipherstoneError(f"the bare library failed: {answer.detail or answer.result}", "")

    def piece(seconds: float) -> _Turn:
        end = time.monotonic() + seconds / 2
        batches: list[int] = []
        while not batches or time.monotonic() < end:
            batches += worker.run(0, BATCH, lead=1, batches=BLOCK // BATCH).each
        # Elapsed time, and so the tenth of the batches that was not disturbed, as the laboratory takes it.
        typical = sorted(batches)[len(batches) // 10]
        return _Turn(Used(typical * len(batches), 1, 0), BATCH * len(batches), 0)

    return piece
