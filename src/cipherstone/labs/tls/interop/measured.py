# SPDX-License-Identifier: Apache-2.0
"""The instruments: handshakes of every pair, sides against hostile peers, and mutated flights. Nothing is timed: a turn gives an outcome in words, and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec

from cipherstone.labs.tls.interop.grid import FIELDS, Agreed, Kind, Mutated, Result
from cipherstone.labs.tls.interop.hostile import HOSTILE, Nonsense
from cipherstone.labs.tls.interop.mutated import Attack, MutationProgress, attacked
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.stored import (
    BROKEN,
    COUNTS,
    DATA,
    FLIGHTS,
    HANDSHAKES,
    HOSTILE_PEERS,
    MUTATED,
    NEGOTIATED,
    OUTCOME,
    UNBROKEN,
    WHY,
    Details,
    MutatedDetails,
    handshake_case,
    hostile_case,
    mutated_case,
)
from cipherstone.labs.tls.interop.trial import VERBS, Question, Trials
from cipherstone.labs.tls.peerlanes import described, lane_of
from cipherstone.measure.pool import Launch
from cipherstone.measure.turns import Turn
from cipherstone.model.instruments import FigureKind, InstrumentCase, InstrumentPlan, LeftOut

NOT_TIMED = "outcomes and counts have no noise"


def _text(name: str, meaning: str, compared: bool = False) -> FigureKind:
    return FigureKind(name, "", meaning, compared, exact=True, words=True)


_OUTCOME = _text(OUTCOME, "what became of it", True)
_WHY = _text(WHY, "why it is not as it should be, or what the request left open")


class Pairs:
    """Every kind of handshake of every client with every server. Lanes are the clients; kind and server make a case."""

    scouts: Sequence[Launch] = ()

    def __init__(
        self,
        peers: Sequence[Peer],
        asked: Sequence[Question],
        trials: Trials,
        deadline_s: float,
        left_out: Sequence[LeftOut],
    ) -> None:
        self._trials = trials
        self._clients = {lane_of(one).id: one for one in peers}
        self._of = {handshake_case(server.name, one.kind.name): (server, one) for one in asked for server in peers}
        details = Details(
            tuple(one.shown for one in peers),
            tuple(one.kind for one in asked),
            deadline_s,
            {one.name: lane for lane, one in self._clients.items()},
        )
        self.plan = InstrumentPlan(
            HANDSHAKES,
            "TLS libraries as clients of each other",
            (
                _OUTCOME,
                _WHY,
                _text(NEGOTIATED, "what both sides say they agreed on, in IANA's numbers", True),
                FigureKind(DATA, "count", "1 if data went both ways under the new keys, else 0", exact=True),
            ),
            tuple(described(one, lane) for lane, one in self._clients.items()),
            tuple(
                InstrumentCase(case, f"{one.kind.words}; server {server.title}", tuple(self._clients), "", NOT_TIMED)
                for case, (server, one) in self._of.items()
            ),
            1,
            left_out=tuple(left_out),
            details=msgspec.to_builtins(details),
        )

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        """Nothing is open: both sides of each try are processes of their own."""
        server, question = self._of[case.id]

        def turn(lane: str) -> Mapping[str, float | str]:
            one = self._trials.handshake(self._clients[lane], server, question)
            found: dict[str, float | str] = {OUTCOME: str(one.result)}
            if one.why:
                found[WHY] = one.why
            if one.agreed is not None:
                found[NEGOTIATED] = negotiated(one.agreed)
            return found | ({DATA: float(one.data)} if one.result is Result.AGREED else {})

        yield turn


class Hostiles:
    """Each side of each library against each kind of nonsense. Lanes are the libraries."""

    scouts: Sequence[Launch] = ()

    def __init__(self, peers: Sequence[Peer], asked: Sequence[Question], trials: Trials) -> None:
        self._trials, self._asked = trials, asked
        self._peers = {lane_of(one).id: one for one in peers}
        self._of: dict[str, tuple[str, Nonsense]] = {
            hostile_case(side, one.does): (side, one) for side in VERBS for one in HOSTILE
        }
        self.plan = InstrumentPlan(
            HOSTILE_PEERS,
            "TLS libraries against hostile peers",
            (_OUTCOME, _WHY),
            tuple(described(one, lane) for lane, one in self._peers.items()),
            tuple(
                InstrumentCase(case, f"{side}; the peer: {one.does}", tuple(self._peers), "", NOT_TIMED)
                for case, (side, one) in self._of.items()
            ),
            1,
            details={case: [side, one.does] for case, (side, one) in self._of.items()},
        )

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        """Nothing is open: each try has a process of its own."""
        side, nonsense = self._of[case.id]

        def turn(lane: str) -> Mapping[str, float | str]:
            one = self._trials.hostile(self._peers[lane], side, nonsense, self._asked)
            if one is None:
                return {OUTCOME: str(Result.UNSUPPORTED)}
            return {OUTCOME: str(one.result)} | ({WHY: one.why} if one.why else {})

        yield turn


class Mutants:
    """Mutated flights against each side of each library, in each kind of handshake that it has."""

    scouts: Sequence[Launch] = ()

    def __init__(
        self, asked: Sequence[Attack], progress: MutationProgress, tell: Callable[[str], None], patience: float = 1.0
    ) -> None:
        self._progress, self._tell, self._patience = progress, tell, patience
        self._told: set[tuple[str, str]] = set()
        self._attacks = {(mutated_case(one.side, one.question.kind.name), lane_of(one.peer).id): one for one in asked}
        places: dict[str, tuple[str, Kind]] = {}
        for one in asked:
            places[mutated_case(one.side, one.question.kind.name)] = (one.side, one.question.kind)
        lanes = {lane_of(one.peer).id: one.peer for one in asked}
        self.plan = InstrumentPlan(
            MUTATED,
            "TLS libraries under mutated flights",
            (
                _OUTCOME,
                *(FigureKind(name, "count", meaning, exact=True) for name, meaning in COUNTS.items()),
                *(
                    _text(name, "a flight that a side did not get over: its number and what became of it")
                    for name in FLIGHTS
                ),
            ),
            tuple(described(one, lane) for lane, one in lanes.items()),
            tuple(
                InstrumentCase(
                    case,
                    f"{side}; {kind.words}",
                    tuple(lane for of, lane in self._attacks if of == case),
                    "",
                    NOT_TIMED,
                )
                for case, (side, kind) in places.items()
            ),
            1,
            details=msgspec.to_builtins(
                MutatedDetails(progress.seed, {case: (side, kind.name) for case, (side, kind) in places.items()})
            ),
        )

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        """Nothing is open: 500 flights have a process of their own."""

        def turn(lane: str) -> Mapping[str, float | str]:
            asked = self._attacks[case.id, lane]
            if (asked.peer.name, asked.side) not in self._told:
                self._told.add((asked.peer.name, asked.side))
                self._tell(f"mutated flights: {asked.peer.title}, {asked.side}")
            return _counts(attacked(asked, self._progress, self._patience))

        yield turn


def _counts(one: Mutated) -> dict[str, float | str]:
    found: dict[str, float | str] = {OUTCOME: UNBROKEN if one.right else BROKEN}
    found |= {name: float(getattr(one, name)) for name in COUNTS}
    told = (f"{flight.number} {flight.result}: {flight.why}" for flight in one.broken)
    return found | dict(zip(FLIGHTS, told, strict=False))


def negotiated(agreed: Agreed) -> str:
    """`version=0304,suite=1301,group=001d,signature=0403,resumed=0`; what neither side told is left out."""
    told = ((name, getattr(agreed, name)) for name in FIELDS)
    return ",".join(f"{name}={value:04x}" if name != "resumed" else f"{name}={value}" for name, value in told if value is not None)  # fmt: skip
