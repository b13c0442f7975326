# SPDX-License-Identifier: Apache-2.0
"""The TLS laboratory as a table: a handshake of a library is two cases, its client's part and its server's, and what it sends is the same in both; so are data, written and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from cipherstone.model.ids import Case, Lane, params_text
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, LatencySummary, RunSummary

LAB = "tls"
CLIENT = "handshake-client"
SERVER = "handshake-server"
WRITE = "bulk-write"
READ = "bulk-read"
THREADS = "handshakes"


class Side(msgspec.Struct, frozen=True, omit_defaults=True):
    """One side's part. `why`: the outcome and its reason where there is no time. `allocations`, `peak_bytes`: of a whole connection, this side's own alone. `latency`: of single calls, None where several were timed at a time, `together` of them. `cycles`: of the core, None where its clock is not known."""

    ns: Estimate | None = None
    why: str = ""
    outcome: str = ""
    allocations: int | None = None
    peak_bytes: int | None = None
    latency: LatencySummary | None = None
    together: int = 0
    cycles: Estimate | None = None


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


class Idle(msgspec.Struct, frozen=True):
    """What each connection keeps that is open and has sent and got a message: the heap's growth over `connections` of them, divided by their number."""

    client_bytes: int
    server_bytes: int
    connections: int


class Sent(msgspec.Struct, frozen=True):
    """What the data of one call are on the wire, counted."""

    payload_bytes: int
    wire_bytes: int
    records: int
    sends: int

    @property
    def overhead(self) -> float:
        """Bytes on the wire beyond the payload, for each byte of it."""
        return self.wire_bytes / self.payload_bytes - 1


class OfLane(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a lane did, by the parameters of the case."""

    params: dict[str, str]
    lane: str

    @property
    def name(self) -> str:
        """The parameters in one word."""
        return params_text(tuple(self.params.items()))


class Handshake(OfLane, frozen=True, omit_defaults=True):
    """One kind of handshake (`version=1.3,group=x25519,cert=p-256,mode=full`) of one lane."""

    client: Side
    server: Side
    wire: Wire | None = None
    nonsense: Nonsense | None = None
    idle: Idle | None = None


class Bulk(OfLane, frozen=True, omit_defaults=True):
    """Data of one kind (`version=1.3,suite=aes-128-gcm,write=1024`) of one lane. `write`, `read`: of one call, which has `size_bytes`."""

    size_bytes: int
    write: Side
    read: Side
    sent: Sent | None = None


class Scaled(OfLane, frozen=True, omit_defaults=True):
    """Handshakes of one kind by several threads of one lane. `all_at_once`: of one call, in which each thread makes `EACH_THREAD`; `speedup`: the rate over that of one thread of the same run."""

    threads: int
    contexts: str
    all_at_once: Side
    speedup: Estimate | None = None

    @property
    def kind(self) -> tuple[tuple[str, str], ...]:
        """The parameters without the number of threads."""
        return tuple((name, value) for name, value in self.params.items() if name != "threads")


class Sum(OfLane, frozen=True, omit_defaults=True):
    """One side of a handshake. `parts`: ns by kind; `rest`: what the handshake takes beyond them, with an interval as if all errors pulled the same way. `missing`: operations that this run has no figure of; then there is no rest."""

    side: str
    whole: Estimate
    parts: dict[str, float]
    rest: Estimate | None
    missing: tuple[str, ...] = ()


class Handshakes(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run of the laboratory, in the order of its cases, each as its clients (of data, its writers) are ranked. `sums`: each side beside what it must compute, where the run timed that too. `bulk`: data behind handshakes. `threads`: handshakes by several of them."""

    rows: tuple[Handshake, ...]
    sums: tuple[Sum, ...] = ()
    bulk: tuple[Bulk, ...] = ()
    threads: tuple[Scaled, ...] = ()


_WIRE = {"hello_bytes": "client_hello_bytes"}
_NONSENSE = {"changed": "changed_flights", "completed": "changed_completed"}
_IDLE = {"client_bytes": "idle_client_bytes", "server_bytes": "idle_server_bytes", "connections": "idle_connections"}
_SENT = {"records": "wire_records", "sends": "wire_sends"}
Kind = TypeVar("Kind", Wire, Nonsense, Idle, Sent)
Pair = dict[str, tuple[CaseSummary, CellSummary]]
_NO_SIDE = Side(why="not measured", outcome="not measured")


def handshakes_of(run: RunSummary) -> Handshakes:
    """Every handshake of a run and all data, both sides together."""
    return Handshakes(
        tuple(_handshake(lane, sides) for lane, sides in _pairs(run, CLIENT, SERVER)),
        bulk=tuple(_bulk(lane, sides) for lane, sides in _pairs(run, WRITE, READ)),
        threads=_scaled(run),
    )


def _scaled(run: RunSummary) -> tuple[Scaled, ...]:
    """Each kind of handshakes with its libraries together, from one thread on."""
    found = []
    for lane, sides in _pairs(run, THREADS, THREADS):
        params = dict(_case(sides).params)
        found.append(Scaled(params, lane, int(params["threads"]), params["contexts"], _side(sides, THREADS)))
    alone = {(row.kind, row.lane): row.all_at_once.ns for row in found if row.threads == 1}
    rows = [msgspec.structs.replace(row, speedup=speedup(row, alone.get((row.kind, row.lane)))) for row in found]
    kinds = list(dict.fromkeys(row.kind for row in rows))
    lanes = list(dict.fromkeys(row.lane for row in rows))
    return tuple(sorted(rows, key=lambda row: (kinds.index(row.kind), lanes.index(row.lane), row.threads)))


def speedup(row: Scaled, alone: Estimate | None) -> Estimate | None:
    """How many times the rate of one thread, with an interval as wide as if both errors pulled apart."""
    ns = row.all_at_once.ns
    if ns is None or alone is None:
        return None
    low = alone.low / ns.high if alone.low and ns.high else None
    high = alone.high / ns.low if alone.high and ns.low else None
    times = row.threads
    return Estimate(
        times * alone.value / ns.value, None if low is None else times * low, None if high is None else times * high
    )


def _pairs(run: RunSummary, first: str, second: str) -> list[tuple[str, Pair]]:
    """(lane, what it has of the two verbs), each kind as the lanes of `first` are ranked."""
    found: dict[tuple[str, str], Pair] = {}
    kinds: dict[str, tuple[str, ...]] = {}
    for summary in run.cases:
        case = Case.parse(summary.case)
        if case.algorithm != LAB or case.verb not in (first, second):
            continue
        kind = f"{params_text(case.params)},{case.size_bytes}"
        if case.verb == first or kind not in kinds:
            kinds[kind] = tuple(lane for group in summary.ranking for lane in group)
        for cell in summary.cells:
            if not Lane.parse(cell.lane).twin:
                found.setdefault((kind, cell.lane), {})[case.verb] = (summary, cell)
    order = {kind: place for place, kind in enumerate(kinds)}

    def place(key: tuple[str, str]) -> tuple[int, int]:
        kind, lane = key
        ranked = kinds[kind]
        return order[kind], ranked.index(lane) if lane in ranked else len(ranked)

    return [(key[1], found[key]) for key in sorted(found, key=place)]


def _handshake(lane: str, sides: Pair) -> Handshake:
    facts = _facts(sides)
    return Handshake(
        dict(_case(sides).params),
        lane,
        _side(sides, CLIENT),
        _side(sides, SERVER),
        _told(Wire, _WIRE, facts),
        _told(Nonsense, _NONSENSE, facts),
        _told(Idle, _IDLE, facts),
    )


def _bulk(lane: str, sides: Pair) -> Bulk:
    case = _case(sides)
    size, sent = case.size_bytes or 0, _told(Sent, _SENT, _facts(sides))
    return Bulk(dict(case.params), lane, size, _side(sides, WRITE), _side(sides, READ), sent)


def _case(sides: Pair) -> Case:
    return Case.parse(next(iter(sides.values()))[0].case)


def _facts(sides: Pair) -> Mapping[str, int | str]:
    """Of both sides together: some are known of one alone."""
    found: dict[str, int | str] = {}
    for _, cell in sides.values():
        found |= cell.facts or {}
    return found


def _side(sides: Pair, verb: str) -> Side:
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
        cell.latency,
        cell.calls_per_batch,
        cell.cycles,
    )


def _told(kind: type[Kind], named: Mapping[str, str], facts: Mapping[str, int | str]) -> Kind | None:
    """Facts as a structure; None unless all are there."""
    given = {field: facts.get(named.get(field, field)) for field in kind.__struct_fields__}
    return None if None in given.values() else msgspec.convert(given, kind)
