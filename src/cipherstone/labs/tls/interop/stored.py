# SPDX-License-Identifier: Apache-2.0
"""The grid in a run: names of instruments, cases and figures, and the grid that a run shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from cipherstone.labs.tls.interop.grid import (
    Agreed,
    Broken,
    Grid,
    Handshake,
    Hostile,
    Kind,
    MissingPeer,
    Mutated,
    Name,
    Result,
)
from cipherstone.labs.tls.results import LAB
from cipherstone.model.ids import Case, Lane
from cipherstone.model.instruments import FigureSummary
from cipherstone.model.summary import RunSummary
from cipherstone.views.instrument_details import details_read, plan_of

HANDSHAKES, HOSTILE_PEERS, MUTATED = "interop", "interop-hostile", "interop-mutated"
OUTCOME, WHY, NEGOTIATED, DATA = "outcome", "why", "negotiated", "data"
UNBROKEN, BROKEN = "unbroken", "broken"
COUNTS = {
    "tried": "mutated flights",
    "completed": "of them, those whose change meant nothing",
    "refused": "of them, those after which the certificates were refused",
    "ended": "of them, those after which the handshake ended otherwise",
    "untouched": "of them, those that were not changed: the other side sent nothing",
}
FLIGHTS = ("flight_1", "flight_2", "flight_3")  # as many as a side breaks over before it gets no more
_FLIGHT = re.compile(r"([0-9]+) ([a-z ]+): (.*)", re.DOTALL)
_NO_WORD = re.compile(r"[^A-Za-z0-9.+_-]+")
_Figures = dict[tuple[str, str, str, str], FigureSummary]  # by instrument, case, lane and figure


class Details(msgspec.Struct, frozen=True):
    """What the grid needs beside the figures, in the manifest. `lanes`: by the peer's name; the rest as in `Grid`."""

    peers: tuple[Name, ...]
    kinds: tuple[Kind, ...]
    deadline_s: float
    lanes: dict[str, str]


Places = dict[str, tuple[str, str]]  # of each case its side, and what the peer does or the kind


class MutatedDetails(msgspec.Struct, frozen=True):
    """The same of mutated flights. `seed`: of the search."""

    seed: int
    cases: Places


def _word(text: str) -> str:
    """A text as a value of a case's id, at most 63 characters."""
    return _NO_WORD.sub("-", text).strip("-")[:63]


def handshake_case(server: str, kind: str) -> str:
    """`tls/interop/kind=...,server=openssl`."""
    return Case(LAB, HANDSHAKES, None, (("kind", _word(kind)), ("server", _word(server)))).id


def hostile_case(side: str, does: str) -> str:
    """`tls/interop-hostile/side=client,peer=hangs`."""
    return Case(LAB, HOSTILE_PEERS, None, (("side", side), ("peer", _word(does)))).id


def mutated_case(side: str, kind: str) -> str:
    """`tls/interop-mutated/side=client,kind=...`."""
    return Case(LAB, MUTATED, None, (("side", side), ("kind", _word(kind)))).id


def grid_of(run: RunSummary) -> Grid | None:
    """The grid that a run shows, with the tries that were made; None for a run without one. Raises DataError for outcomes that no such run has."""
    plan = plan_of(run, HANDSHAKES)
    if plan is None:
        return None
    found = {(one.instrument, one.case, one.lane, one.figure): one for one in run.figures}
    with details_read(run, HANDSHAKES):
        details = msgspec.convert(plan.details, Details)
        return Grid(
            details.peers,
            tuple(MissingPeer(one.name, one.why) for one in plan.left_out),
            details.kinds,
            tuple(_handshakes(details, found)),
            details.deadline_s,
            tuple(_hostile(run, details, found)),
            tuple(_mutated(run, found)),
        )


def _text(found: _Figures, *place: str) -> str:
    one = found.get((place[0], place[1], place[2], place[3]))
    return "" if one is None else one.words


def _handshakes(details: Details, found: _Figures) -> Iterator[Handshake]:
    """Client by client, server by server, in the order of the kinds."""
    for client in details.peers:
        lane = details.lanes[client.name]
        for server in details.peers:
            for kind in details.kinds:
                place = (HANDSHAKES, handshake_case(server.name, kind.name), lane)
                outcome, told = _text(found, *place, OUTCOME), _text(found, *place, NEGOTIATED)
                data = found.get((*place, DATA))
                if outcome:
                    yield Handshake(
                        client.name,
                        server.name,
                        kind.name,
                        Result(outcome),
                        _text(found, *place, WHY),
                        _agreed(told) if told or outcome == Result.AGREED else None,
                        data is not None and data.value is not None and data.value.value == 1.0,
                    )


def _agreed(text: str) -> Agreed:
    parts = (part.split("=", 1) for part in text.split(",") if part)
    return Agreed(**{name: int(value, 16) for name, value in parts})


def _hostile(run: RunSummary, details: Details, found: _Figures) -> Iterator[Hostile]:
    plan = plan_of(run, HOSTILE_PEERS)
    places = msgspec.convert(plan.details, Places) if plan is not None else {}
    for peer in details.peers:
        for case, (side, does) in places.items():
            place = (HOSTILE_PEERS, case, details.lanes[peer.name])
            outcome = _text(found, *place, OUTCOME)
            if outcome and outcome != Result.UNSUPPORTED:
                yield Hostile(peer.name, side, does, Result(outcome), _text(found, *place, WHY))


def _mutated(run: RunSummary, found: _Figures) -> Iterator[Mutated]:
    plan = plan_of(run, MUTATED)
    if plan is None:
        return
    details = msgspec.convert(plan.details, MutatedDetails)
    for lane in (one.id for one in plan.lanes):
        for case, (side, kind) in details.cases.items():
            place = (MUTATED, case, lane)
            if not _text(found, *place, OUTCOME):
                continue
            counts = {name: found[(*place, name)].value for name in COUNTS}
            numbers = {name: int(value.value) for name, value in counts.items() if value is not None}
            broken = tuple(_broken(text) for name in FLIGHTS if (text := _text(found, *place, name)))
            yield Mutated(Lane.parse(lane).variant, side, kind, details.seed, broken=broken, **numbers)


def _broken(text: str) -> Broken:
    match = _FLIGHT.match(text)
    if match is None:
        raise ValueError(text)
    return Broken(int(match[1]), Result(match[2]), match[3])
