# SPDX-License-Identifier: Apache-2.0
"""Time to the finished handshake between two processes of one library, over networks that are made here, beside what the model says."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from statistics import median
from typing import NamedTuple

import msgspec

from cipherstone.labs.tls.interop.grid import Kind, due_of
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.network import NETWORKS, Network, round_trips, until_request_ms
from cipherstone.labs.tls.networks.links import TIERS, Link
from cipherstone.labs.tls.networks.namespaces import congestion_control
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER, Wire
from cipherstone.labs.tls.servers.load import (
    KINDS,
    Left,
    Load,
    Shown,
    asked,
    checked,
    in_memory,
    number_in,
    told_number,
    worker_of,
)
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import params_text
from cipherstone.operations.handshakes import numbers, timed
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess

# One whose server sends more than TCP's first window.
TRIED = (*KINDS, {"version": "1.3", "group": "x25519", "cert": "ml-dsa-65", "mode": "full"})
LOSSY = Network("50 ms, 20 Mbit/s, 2 % lost", 50, 20, 0.02)
TRIES, QUICK_TRIES, LOSSY_TRIES = 7, 3, 21
MEMORY_S, QUICK_MEMORY_S = 0.4, 0.1  # of measuring one side in memory
WIRE_FIELDS = ("client_bytes", "server_bytes", "client_records", "server_records", "client_sends", "server_sends", "flights")  # fmt: skip


class Timed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kind of handshake of a build on a network, from connecting to its end on the client's side, in milliseconds: what the model says, and what was measured (median, least and most of `tries`). `round_trips`, `processor_us`: of the model, which knows no losses; `failed`: of the tries, where packets are lost; `dropped`: of `packets`, where they are counted."""

    build: str
    kind: Kind
    network: str
    round_trips: int
    processor_us: float
    model_ms: float
    measured_ms: float
    low_ms: float
    high_ms: float
    tries: int
    failed: int = 0
    packets: int | None = None
    dropped: int | None = None


class Networked(msgspec.Struct, frozen=True, omit_defaults=True):
    """All of it. `tier`: 1 a wire in user space, 2 the kernel's netem; `link`: its name; `tcp`: congestion control; `late_us`: how much later than due packets left the wire, in the middle and at the 99th percentile, the worst of all networks; `cpus`: of client and server, and of the wire."""

    tier: int
    link: str
    tcp: str
    builds: tuple[Shown, ...]
    left_out: tuple[Left, ...]
    rows: tuple[Timed, ...]
    seed: int
    cpus: tuple[int | None, int | None]
    late_us: tuple[float, float] | None = None


class Programs(NamedTuple):
    """A build: its program that makes handshakes over TCP, and its worker."""

    load: Peer
    plain: Peer


class _Line(NamedTuple):
    """Two processes that are ready for one handshake after the other; and what the model needs."""

    question: Question
    client: WorkerProcess
    server: WorkerProcess
    wire: Wire
    processor_ns: float

    def handshake_ms(self, first: bool = False, may_fail: bool = False) -> float | None:
        """None where it failed, and may. Raises CipherstoneError with the words of both sides."""
        said = [answer() for answer in (asked(self.server), asked(self.client))]
        if any(one.result != "ok" for one in said):
            if may_fail:
                return None
            words = [
                f"{side}: {one.detail or one.result}" for side, one in zip(("server", "client"), said, strict=True)
            ]
            raise CipherstoneError(f"a handshake failed ({'; '.join(words)})", "")
        for one in said:
            checked(one, self.question.due, first)
        return told_number(self.client, "done_ns") / 1e6


def networked(
    builds: Sequence[Programs],
    link: Link,
    name: str,
    cpus: tuple[int | None, int | None],
    quick: bool,
    seed: int,
    tell: Callable[[str], None],
    patience: float = 1.0,
) -> Networked:
    """Measures every build. `name`: of the link; `cpus`: of both sides, and of the wire. Raises CipherstoneError and WorkerError."""
    rows: list[Timed] = []
    left_out: list[Left] = []
    late: list[tuple[float, float]] = []
    networks = NETWORKS[:2] if quick else (*NETWORKS, LOSSY)
    for programs in builds:
        with ExitStack() as stack:
            lines = []
            for question in questions():
                line = _line(stack, programs, link, question, cpus[0], quick, patience)
                if isinstance(line, Left):
                    left_out.append(line)
                else:
                    lines.append(line)
            for network in networks:
                tell(f"{programs.load.title}: {network.name}")
                for row, lateness in _on(programs, lines, link, network, quick, seed):
                    rows.append(row)
                    if lateness is not None:
                        late.append(lateness)
    shown = tuple(Shown(one.load.name, one.load.title) for one in builds)
    worst = (max(one[0] for one in late), max(one[1] for one in late)) if late else None
    return Networked(TIERS[name], name, congestion_control(), shown, tuple(left_out), tuple(rows), seed, cpus, worst)


def questions() -> list[Question]:
    """The kinds that are tried."""
    return [Question(Kind(params_text(tuple(p.items())), p), timed(p), due_of(numbers(p))) for p in TRIED]


def _on(
    programs: Programs, lines: Sequence[_Line], link: Link, network: Network, quick: bool, seed: int
) -> Iterator[tuple[Timed, tuple[float, float] | None]]:
    """Each kind in turn, as often as it is tried: a disturbance is of no kind alone."""
    tries = QUICK_TRIES if quick else LOSSY_TRIES if network.loss else TRIES
    times: list[list[float]] = [[] for _ in lines]
    packets, dropped = [0] * len(lines), [0] * len(lines)
    late: list[list[tuple[float, float]]] = [[] for _ in lines]
    counts = False
    for number in range(tries):
        for at, line in enumerate(lines):
            link.begin(network, seed + number)
            took = line.handshake_ms(may_fail=network.loss > 0)
            times[at] += [] if took is None else [took]
            carried = link.carried()
            if carried is not None:
                counts = True
                packets[at] += carried.packets
                dropped[at] += carried.dropped
                late[at].append(carried.late_us)
    for at, line in enumerate(lines):
        wire, ms = line.wire, times[at]
        if not ms:
            raise CipherstoneError(f"{network.name}: no handshake ended ({line.question.kind.words})", "")
        row = Timed(
            programs.load.name,
            line.question.kind,
            network.name,
            round_trips(wire),
            line.processor_ns / 1e3,
            until_request_ms(wire, line.processor_ns, network),
            median(ms),
            min(ms),
            max(ms),
            tries,
            tries - len(times[at]),
            packets[at] if counts else None,
            dropped[at] if counts else None,
        )
        yield row, (median(one[0] for one in late[at]), max(one[1] for one in late[at])) if counts else None


def _line(
    stack: ExitStack,
    programs: Programs,
    link: Link,
    question: Question,
    cpu: int | None,
    quick: bool,
    patience: float,
) -> _Line | Left:
    """Both processes, each in its namespace, after their first handshake; or why there are none."""
    near, far = link.ends
    link.begin(NETWORKS[0], 0)
    try:
        wire = _wire(programs.plain, question, patience)
    except Refusal as refusal:
        return Left(programs.load.name, f"{question.kind.words}: {refusal.detail or refusal.code}")
    listening = stack.enter_context(far.run(lambda: socket.create_server((far.address, 0))))
    port, fd = listening.getsockname()[1], listening.fileno()
    server = far.run(lambda: worker_of(stack, programs.load, Load("server", fd, cpu, patience, 1), question))
    client = near.run(
        lambda: worker_of(stack, programs.load, Load("client", port, cpu, patience, 1, far.address), question)
    )
    seconds = QUICK_MEMORY_S if quick else MEMORY_S
    with ExitStack() as alone:
        sides = [in_memory(alone, programs.plain, question, cpu, patience, verb)(seconds) for verb in (CLIENT, SERVER)]
    line = _Line(question, client, server, wire, sum(one.used.ns / one.handshakes for one in sides))
    # Which leaves the ticket, and finds the neighbour's address where there is one.
    resumes = question.kind.params["mode"] == "ticket"
    try:
        line.handshake_ms(first=resumes)
    except CipherstoneError as error:
        if not resumes:
            raise
        # AWS-LC's server sends its ticket with data alone, of which there are none here.
        return Left(programs.load.name, f"{question.kind.words}: {error.message}")
    return line


def _wire(plain: Peer, question: Question, patience: float) -> Wire:
    """What the handshake sends. Raises Refusal where the library has not this kind."""
    with WorkerProcess(plain.command, environment=plain.environment, patience=patience) as worker:
        worker.prepare(0, f"{LAB}/{CLIENT}", "default", question.texts)
        facts = worker.facts(0)
    told = {name: number_in(facts, name) for name in WIRE_FIELDS}
    return Wire(**told, hello_bytes=number_in(facts, "client_hello_bytes"))
