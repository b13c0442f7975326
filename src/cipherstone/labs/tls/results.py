# SPDX-License-Identifier: Apache-2.0
"""The TLS laboratory as a table: a handshake of a library is two cases, its client's part and its server's, and what it sends is the same in both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from cipherstone.model.ids import Case, Lane, params_text
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary

LAB = "tls"
CLIENT = "handshake-client"
SERVER = "handshake-server"


class Side(msgspec.Struct, frozen=True, omit_defaults=True):
    """One side's part. `why`: the outcome and its reason where there is no time. `allocations`, `peak_bytes`: of a whole connection, this side's own alone."""

    ns: Estimate | None = None
    why: str = ""
    outcome: str = ""
    allocations: int | None = None
    peak_bytes: int | None = None


class Wire(msgspec.Struct, frozen=True):
    """What is sent in a handshake, counted; the most of 64, since signatures of ECDSA differ by two bytes. `hello_bytes`: the first message."""

    client_bytes: int
    server_bytes: int
    client_records: int
    server_records: int
    client_sends: int
    server_sends: int
    flights: int
    hello_bytes: int


class Nonsense(msgspec.Struct, frozen=True):
    """What became of a peer that sends nonsense: `refused` is right. `changed`: handshakes with one bit changed, `completed`: of them, those that both sides took for good."""

    garbage_client: str
    garbage_server: str
    changed: int
    completed: int


class Handshake(msgspec.Struct, frozen=True, omit_defaults=True):
    """One kind of handshake (`version=1.3,group=x25519,cert=p-256,mode=full`) of one lane."""

    params: dict[str, str]
    lane: str
    client: Side
    server: Side
    wire: Wire | None = None
    nonsense: Nonsense | None = None

    @property
    def name(self) -> str:
        """The parameters in one word."""
        return params_text(tuple(self.params.items()))


class Sum(msgspec.Struct, frozen=True, omit_defaults=True):
    """One side of a handshake. `parts`: ns by kind; `rest`: what the handshake takes beyond them, with an interval as if all errors pulled the same way. `missing`: operations that this run has no figure of; then there is no rest."""

    params: dict[str, str]
    lane: str
    side: str
    whole: Estimate
    parts: dict[str, float]
    rest: Estimate | None
    missing: tuple[str, ...] = ()


class Handshakes(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run of the laboratory, in the order of its cases, each as its clients are ranked. `sums`: each side beside what it must compute, where the run timed that too."""

    rows: tuple[Handshake, ...]
    sums: tuple[Sum, ...] = ()


_WIRE = {"hello_bytes": "client_hello_bytes"}
_NONSENSE = {"changed": "changed_flights", "completed": "changed_completed"}
Kind = TypeVar("Kind", Wire, Nonsense)
_NO_SIDE = Side(why="not measured", outcome="not measured")


def handshakes_of(run: RunSummary) -> Handshakes:
    """Every handshake of a run, both sides together."""
    found: dict[tuple[str, str], dict[str, tuple[CaseSummary, CellSummary]]] = {}
    kinds: dict[str, tuple[str, ...]] = {}
    for summary in run.cases:
        case = Case.parse(summary.case)
        if case.algorithm != LAB:
            continue
        kind = params_text(case.params)
        if case.verb == CLIENT or kind not in kinds:
            kinds[kind] = tuple(lane for group in summary.ranking for lane in group)
        for cell in summary.cells:
            if not Lane.parse(cell.lane).twin:
                found.setdefault((kind, cell.lane), {})[case.verb] = (summary, cell)
    order = {kind: place for place, kind in enumerate(kinds)}

    def place(key: tuple[str, str]) -> tuple[int, int]:
        kind, lane = key
        ranked = kinds[kind]
        return order[kind], ranked.index(lane) if lane in ranked else len(ranked)

    return Handshakes(tuple(_handshake(key[1], found[key]) for key in sorted(found, key=place)))


def _handshake(lane: str, sides: Mapping[str, tuple[CaseSummary, CellSummary]]) -> Handshake:
    summary, _ = next(iter(sides.values()))
    facts: Mapping[str, int | str] = next((cell.facts for _, cell in sides.values() if cell.facts), {})
    return Handshake(
        dict(Case.parse(summary.case).params),
        lane,
        _side(sides, CLIENT),
        _side(sides, SERVER),
        _told(Wire, _WIRE, facts),
        _told(Nonsense, _NONSENSE, facts),
    )


def _side(sides: Mapping[str, tuple[CaseSummary, CellSummary]], verb: str) -> Side:
    if verb not in sides:
        return _NO_SIDE
    _, cell = sides[verb]
    memory = cell.memory
    why = "" if cell.ns is not None else cell.refused or cell.detail or str(cell.outcome)
    return Side(
        cell.ns,
        why,
        str(cell.outcome),
        None if memory is None else memory.warm_allocations,
        None if memory is None else memory.warm_peak_bytes,
    )


def _told(kind: type[Kind], named: Mapping[str, str], facts: Mapping[str, int | str]) -> Kind | None:
    """Facts as a structure; None unless all are there."""
    given = {field: facts.get(named.get(field, field)) for field in kind.__struct_fields__}
    return None if None in given.values() else msgspec.convert(given, kind)
