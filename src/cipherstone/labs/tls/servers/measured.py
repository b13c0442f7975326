# SPDX-License-Identifier: Apache-2.0
"""The instrument: servers under a load of handshakes beside the bare library, in turns, each pass in fresh processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec

from cipherstone.build.cache import file_digest
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.peerlanes import HASH_DIGITS, described, lane_of, scout_of
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.servers.load import KINDS, Pieces, Site, bare, in_memory, loaded, question_of
from cipherstone.labs.tls.servers.programs import Server, ServerProgram, running, write_certificates
from cipherstone.labs.tls.servers.results import BARE, INSTRUMENT, MEMORY, Details
from cipherstone.measure.turns import Turn, with_twin
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.instruments import FigureKind, InstrumentCase, InstrumentLane, InstrumentPlan, LeftOut
from cipherstone.protocol.messages import Refusal

PASSES = 6  # fewer have no interval
TURN_S, QUICK_TURN_S = 0.5, 0.1  # by the clock
PROOF_S = 0.0  # one block
FIGURES = (
    FigureKind("cpu_ns", "ns", "processor time of the server's processes, of one handshake; in memory: time by the clock of the server's part", True),
    FigureKind("user_us", "us", "the same in the program, of the whole turn, divided by the system's ticks"),
    FigureKind("system_us", "us", "the same inside the system"),
    FigureKind("received_bytes", "bytes", "what the client received in one handshake, in the mean"),
    FigureKind("handshakes", "count", "handshakes of the turn"),
)  # fmt: skip


class Programs(NamedTuple):
    """A build: its program that makes many handshakes over TCP, and its worker."""

    load: Peer
    plain: Peer


class Here(NamedTuple):
    """A server that is here, with its path and version."""

    program: ServerProgram
    path: str
    version: str

    @property
    def title(self) -> str:
        """`nginx 1.22.1`."""
        return f"{self.program.title} {self.version}".strip()

    @property
    def lane(self) -> InstrumentLane:
        """`nginx@1.22.1`, with the hash of its executable."""
        id = Lane(self.program.name, self.version or "0").id
        return InstrumentLane(id, self.title, file_digest(Path(self.path))[:HASH_DIGITS])


class UnderLoad(NamedTuple):
    """What is measured. `left_out`: servers that are not here."""

    programs: Programs
    servers: Sequence[Here]
    left_out: Sequence[LeftOut] = ()


class OfServers:
    """The instrument. Proves every server in every kind of handshake when it is made. Raises CipherstoneError where one does not agree on what is asked for, or where the library has no kind at all; WorkerError."""

    def __init__(self, asked_for: UnderLoad, site: Site, tell: Callable[[str], None]) -> None:
        tell("proving that each server negotiates what is asked for")
        self._programs, self._site = asked_for.programs, site
        load = self._programs.load
        self.scouts = (scout_of(load, site.patience),)
        theirs = [one.lane for one in asked_for.servers]
        self._servers = {lane.id: one for lane, one in zip(theirs, asked_for.servers, strict=True)}
        alone = [described(load, lane_of(load, name).id) for name in (MEMORY, BARE)]
        alone = [msgspec.structs.replace(one, title=f"{load.title}, {how}") for one, how in zip(alone, ("in memory", "sockets"), strict=True)]  # fmt: skip
        lanes = (*alone, *theirs)
        base = alone[1].id
        ids = with_twin([one.id for one in lanes], base)
        self._questions: dict[str, Question] = {}
        cases, left = [], list(asked_for.left_out)
        for question in map(question_of, KINDS):
            case = case_of(question, ids, base)
            self._questions[case.id] = question
            why = self._lacks(case)
            if why:
                left.append(LeftOut(load.name, f"{question.kind.words}: {why}"))
            else:
                cases.append(case)
        if not cases:
            raise CipherstoneError(f"--servers: {load.title}: {left[-1].why}", "name another build with --build")
        self.plan = InstrumentPlan(
            INSTRUMENT,
            "TLS servers",
            FIGURES,
            lanes,
            tuple(cases),
            1 if site.quick else PASSES,
            left_out=tuple(left),
            details=msgspec.to_builtins(Details(load.title, site.cpus)),
        )

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        """Every server with a client of its own, and the bare library beside them."""
        seconds = QUICK_TURN_S if self._site.quick else TURN_S
        with self._pieces(case) as pieces:
            yield lambda lane: _figures(pieces, lane, seconds)

    def _lacks(self, case: InstrumentCase) -> str:
        """Why the library has no such handshake, "" after a block with every lane."""
        try:
            with self._pieces(case) as pieces:
                for lane in case.lanes:
                    pieces[lane](PROOF_S)
        except Refusal as refusal:
            return refusal.detail or refusal.code
        return ""

    @contextmanager
    def _pieces(self, case: InstrumentCase) -> Iterator[dict[str, Pieces]]:
        question = self._questions[case.id]
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="cipherstone-servers-")))
            yield {lane: self._piece(stack, Lane.parse(lane), question, folder) for lane in case.lanes}

    def _piece(self, stack: ExitStack, lane: Lane, question: Question, folder: Path) -> Pieces:
        (load, plain), site = self._programs, self._site
        if (here := self._servers.get(lane.id)) is not None:
            server = stack.enter_context(_started(here, folder, question, site.cpus[1]))
            return loaded(stack, load, server, question, site)
        if lane.implementation == MEMORY:
            return in_memory(stack, plain, question, site.cpus[1], site.patience)
        return bare(stack, load, question, site)


def case_of(question: Question, lanes: Sequence[str], base: str) -> InstrumentCase:
    """A kind of handshake as a case."""
    id = Case(LAB, INSTRUMENT, None, tuple(question.kind.params.items())).id
    return InstrumentCase(id, question.kind.words, tuple(lanes), base)


@contextmanager
def _started(here: Here, folder: Path, question: Question, cpu: int | None) -> Iterator[Server]:
    own = folder / here.program.name
    own.mkdir()
    write_certificates(own, question.inputs)
    with running(here.program, here.path, own, cpu) as server:
        yield server


def _figures(pieces: dict[str, Pieces], lane: str, seconds: float) -> dict[str, float]:
    """A turn's figures. In memory nothing is received."""
    found = pieces[lane](seconds)
    user, system = found.used.parts_us(1)
    received = {"received_bytes": found.received / found.handshakes} if found.received else {}
    return {
        "cpu_ns": found.used.ns / found.handshakes,
        "user_us": user,
        "system_us": system,
        "handshakes": float(found.handshakes),
    } | received
