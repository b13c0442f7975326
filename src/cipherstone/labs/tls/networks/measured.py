# SPDX-License-Identifier: Apache-2.0
"""The instrument: time to the finished handshake between two processes of one library, over networks that are made here, beside what the model says; each pass in fresh namespaces and processes."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import msgspec

from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.network import NETWORKS, Network, round_trips, until_request_ms
from cipherstone.labs.tls.networks.links import Link, link
from cipherstone.labs.tls.networks.namespaces import congestion_control
from cipherstone.labs.tls.networks.results import INSTRUMENT, Details, Place
from cipherstone.labs.tls.peerlanes import described, lane_of, scout_of
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER, Wire
from cipherstone.labs.tls.servers.load import (
    KINDS,
    Load,
    asked,
    checked,
    in_memory,
    number_in,
    question_of,
    told_number,
    worker_of,
)
from cipherstone.labs.tls.servers.measured import Programs
from cipherstone.measure.turns import Turn, TurnFailed, untwinned, with_twin
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.instruments import FigureKind, InstrumentCase, InstrumentPlan, LeftOut
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess

# One whose server sends more than TCP's first window.
TRIED = (*KINDS, {"version": "1.3", "group": "x25519", "cert": "ml-dsa-65", "mode": "full"})
LOSSY = Network("50 ms, 20 Mbit/s, 2 % lost", 50, 20, 0.02)
PASSES, ROUNDS = 6, 2  # fewer passes have no interval
MEMORY_S, QUICK_MEMORY_S = 0.2, 0.1  # of measuring one side in memory
WIRE_FIELDS = ("client_bytes", "server_bytes", "client_records", "server_records", "client_sends", "server_sends", "flights")  # fmt: skip
FIGURES = (
    FigureKind("done_ms", "ms", "from connecting to the end of one handshake on the client's side, by the clock", True),
    FigureKind("model_ms", "ms", "the same as the model says, which knows no losses"),
    FigureKind("round_trips", "count", "round trips of the model"),
    FigureKind("processor_us", "us", "processor time of both sides of one handshake in memory, for the model"),
    FigureKind("packets", "count", "packets that the link took of one handshake, both ways"),
    FigureKind("dropped", "count", "of them, those that it dropped"),
    FigureKind("late_us", "us", "how much later than due a packet left the link, in the middle"),
    FigureKind("late_99_us", "us", "the same, of one packet in a hundred"),
)


class Setting(NamedTuple):
    """Where and how it is measured. `link`: its name; `cpus`: of both sides, and of the wire; `seed`: of the losses; `quick`: one pass, the two fastest networks; `patience`: factor on time limits."""

    link: str
    cpus: tuple[int | None, int | None]
    seed: int
    quick: bool = False
    patience: float = 1.0

    @property
    def networks(self) -> tuple[Network, ...]:
        """What is measured."""
        return NETWORKS[:2] if self.quick else (*NETWORKS, LOSSY)


class _Line(NamedTuple):
    """Two processes that are ready for one handshake after the other."""

    question: Question
    client: WorkerProcess
    server: WorkerProcess

    def handshake_ms(self, first: bool = False) -> float:
        """Raises TurnFailed with the words of both sides, CipherstoneError for a handshake that is not as asked for."""
        said = [answer() for answer in (asked(self.server), asked(self.client))]
        if any(one.result != "ok" for one in said):
            words = [
                f"{side}: {one.detail or one.result}" for side, one in zip(("server", "client"), said, strict=True)
            ]
            raise TurnFailed(f"a handshake failed ({'; '.join(words)})")
        for one in said:
            checked(one, self.question.due, first)
        return told_number(self.client, "done_ns") / 1e6


class OverNetworks:
    """The instrument. Proves every build in every kind of handshake when it is made. Raises CipherstoneError where this machine has no such link, where a handshake fails, or where no build has any; WorkerError."""

    def __init__(self, builds: Sequence[Programs], setting: Setting, tell: Callable[[str], None]) -> None:
        tell("proving that each build negotiates what is asked for")
        self._setting = setting
        self._builds = {lane_of(one.load).id: one for one in builds}
        self.scouts = tuple(scout_of(one.load, setting.patience) for one in builds)
        self._places: dict[str, Place] = {}
        self._wires: dict[tuple[str, str], Wire] = {}
        self._processor: tuple[int, dict[tuple[str, str], float]] = (-1, {})
        self._left: list[LeftOut] = []
        base = next(iter(self._builds))
        able = [(kind, self._able(question_of(kind))) for kind in TRIED]
        cases = [
            self._case(network, kind, lanes, base) for network in setting.networks for kind, lanes in able if lanes
        ]
        if not cases:
            raise CipherstoneError(f"--network: {self._left[-1].name}: {self._left[-1].why}", "name another build with --build")  # fmt: skip
        self.plan = InstrumentPlan(
            INSTRUMENT,
            "TLS over networks",
            FIGURES,
            tuple(described(one.load, lane) for lane, one in self._builds.items()),
            tuple(cases),
            1 if setting.quick else PASSES,
            ROUNDS,
            left_out=tuple(self._left),
            details=msgspec.to_builtins(
                Details(setting.link, congestion_control(), setting.seed, setting.cpus, self._places)
            ),
        )

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        """Two namespaces and the link between them; for every lane a client and a server, after their first handshake. Every lane has the same losses: a round's seed is that of its pass."""
        place = self._places[case.id]
        network, question = place.network, question_of(place.params)
        models = {lane: self._model(untwinned(lane), question, network, pass_index) for lane in case.lanes}
        with ExitStack() as stack:
            line = stack.enter_context(link(self._setting.link, self._setting.cpus[1]))
            lines = {lane: self._line(stack, self._builds[untwinned(lane)], line, question) for lane in case.lanes}
            made: Counter[str] = Counter()

            def turn(lane: str) -> dict[str, float]:
                line.begin(network, seed_of(self._setting.seed, pass_index, made[lane]))
                made[lane] += 1
                try:
                    done_ms = lines[lane].handshake_ms()
                except TurnFailed as reason:
                    if network.loss > 0:
                        raise
                    raise CipherstoneError(f"{case.title}: {reason}", "") from None
                return {"done_ms": done_ms} | models[lane] | _carried(line)

            yield turn

    def _able(self, question: Question) -> list[str]:
        """The builds that have this kind of handshake. What others lack is kept."""
        found = []
        for lane, one in self._builds.items():
            try:
                self._wires[lane, question.kind.name] = _wire(one.plain, question, self._setting.patience)
                with ExitStack() as stack:
                    for verb in (CLIENT, SERVER):
                        in_memory(stack, one.plain, question, None, self._setting.patience, verb)
                    self._line(stack, one, stack.enter_context(link(self._setting.link)), question)
            except Refusal as refusal:
                self._left.append(LeftOut(one.load.name, f"{question.kind.words}: {refusal.detail or refusal.code}"))
            except CipherstoneError as error:
                if not _resumes(question):
                    raise
                # AWS-LC's server sends its ticket with data alone, of which there are none here.
                self._left.append(LeftOut(one.load.name, f"{question.kind.words}: {error.message}"))
            else:
                found.append(lane)
        return found

    def _case(self, network: Network, params: dict[str, str], lanes: Sequence[str], base: str) -> InstrumentCase:
        place = Place(network, params)
        self._places[place.case.id] = place
        there = base if base in lanes else ""
        without = "" if there else "the build that others are compared with has no such handshake"
        return InstrumentCase(place.case.id, place.title, with_twin(lanes, base), there, without)

    def _line(self, stack: ExitStack, programs: Programs, line: Link, question: Question) -> _Line:
        """Both processes, each in its namespace, after their first handshake."""
        near, far = line.ends
        line.begin(NETWORKS[0], 0)
        cpu, patience = self._setting.cpus[0], self._setting.patience
        listening = stack.enter_context(far.run(lambda: socket.create_server((far.address, 0))))
        port, fd = listening.getsockname()[1], listening.fileno()
        server = far.run(lambda: worker_of(stack, programs.load, Load("server", fd, cpu, patience, 1), question))
        client = near.run(
            lambda: worker_of(stack, programs.load, Load("client", port, cpu, patience, 1, far.address), question)
        )
        made = _Line(question, client, server)
        # The first one leaves the ticket, and finds the neighbour's address where there is one.
        try:
            made.handshake_ms(first=_resumes(question))
        except TurnFailed as reason:
            raise CipherstoneError(str(reason), "") from None
        return made

    def _model(self, lane: str, question: Question, network: Network, pass_index: int) -> dict[str, float]:
        """What the model says, by the processor time of both sides in memory, which is measured once a pass."""
        if self._processor[0] != pass_index:
            self._processor = (pass_index, {})
        key, known = (lane, question.kind.name), self._processor[1]
        if key not in known:
            known[key] = self._processor_ns(self._builds[lane].plain, question)
        wire = self._wires[key]
        return {
            "model_ms": until_request_ms(wire, known[key], network),
            "round_trips": float(round_trips(wire)),
            "processor_us": known[key] / 1e3,
        }

    def _processor_ns(self, plain: Peer, question: Question) -> float:
        seconds = QUICK_MEMORY_S if self._setting.quick else MEMORY_S
        cpu, patience = self._setting.cpus[0], self._setting.patience
        with ExitStack() as stack:
            sides = [in_memory(stack, plain, question, cpu, patience, verb)(seconds) for verb in (CLIENT, SERVER)]
        return sum(one.used.ns / one.handshakes for one in sides)


def seed_of(seed: int, pass_index: int, number: int) -> int:
    """Of the losses in a lane's turn of this number in a pass: no lane has one of its own."""
    return seed + pass_index * ROUNDS + number


def _resumes(question: Question) -> bool:
    return question.kind.params["mode"] == "ticket"


def _carried(line: Link) -> dict[str, float]:
    """What became of the packets, where they are counted."""
    carried = line.carried()
    if carried is None:
        return {}
    middle, most = carried.late_us
    return {
        "packets": float(carried.packets),
        "dropped": float(carried.dropped),
        "late_us": middle,
        "late_99_us": most,
    }


def _wire(plain: Peer, question: Question, patience: float) -> Wire:
    """What the handshake sends. Raises Refusal where the library has not this kind."""
    with WorkerProcess(plain.command, environment=plain.environment, patience=patience) as worker:
        worker.prepare(0, f"{LAB}/{CLIENT}", "default", question.texts)
        facts = worker.facts(0)
    told = {name: number_in(facts, name) for name in WIRE_FIELDS}
    return Wire(**told, hello_bytes=number_in(facts, "client_hello_bytes"))
