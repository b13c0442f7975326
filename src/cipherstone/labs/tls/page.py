# SPDX-License-Identifier: Apache-2.0
"""The page of the TLS laboratory: handshakes by side, what goes over the wire, memory, and what becomes of nonsense."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.labs.tls.data_page import bulk_figure, idle_figure
from cipherstone.labs.tls.latency_page import latency_figure, with_latencies
from cipherstone.labs.tls.network import NETWORKS, round_trips, until_request_ms
from cipherstone.labs.tls.results import CLIENT, Handshake, Handshakes, Side, Sum
from cipherstone.labs.tls.threads_page import threads_figure
from cipherstone.labs.tls.words import handshake_table, handshake_words, library_item, library_words, outcome_words
from cipherstone.model.summary import Estimate
from cipherstone.report.blocks.figure import Figure, Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, LabPage, LabSection, bytes_item, count_item
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.charts.measures import Amount, amounts
from cipherstone.report.words.numbers import cycles_text, rate_text, time_text

HEAD = ("handshake", "lane", "client_ns", "client_low", "client_high", "server_ns", "server_low", "server_high", "client_why", "server_why",
        "client_allocations", "server_allocations", "client_peak_bytes", "server_peak_bytes", "client_bytes", "server_bytes", "client_records",
        "server_records", "client_sends", "server_sends", "flights", "hello_bytes", "garbage_client", "garbage_server", "changed", "completed",
        "client_cycles", "client_cycles_low", "client_cycles_high", "server_cycles", "server_cycles_low", "server_cycles_high")  # fmt: skip
PARTS = ("key share", "signatures", "key schedule")  # the kinds of `labs.tls.primitives`


def tls_page(view: RunView, found: Handshakes, book: Sketchbook, footer: str) -> LabPage:
    """The page. Handshakes stand in the order of the run, libraries in the order of their names."""
    rows = found.rows
    sections = [
        LabSection("lab-handshakes", "Handshakes", "What does a handshake cost each side?", "Processor time of one side alone: its connection object, its messages, its verifications and signatures, and freeing the object. What was negotiated is read back from both sides before and after timing, and is what the row says.", [_times(view, rows, book, footer)] if rows else []),
        LabSection("lab-latency", "Latency", "How long do single handshakes take?", "Each side's part, timed one by one: quantiles of all undisturbed handshakes of the run.", [latency_figure(view, rows, footer)] if with_latencies(rows) else []),
        LabSection("lab-primitives", "Primitives", "Where does the time go?", "Each side beside what it must compute, as this run timed it alone in the library's own adapter: key share (a key pair and a derivation), signatures (client: two of the path and the server's proof; server: its proof) and the key schedule (HMACs, counted by the standard). The rest is what the protocol code adds.", [_parts(view, found.sums, footer)] if found.sums else []),
        LabSection("lab-wire", "Wire", "What goes over the wire?", "Counted between the two sides: every byte of every record, both directions, without TCP and IP.", [_wire(view, rows, footer)] if any(r.wire for r in rows) else []),
        LabSection("lab-network", "Network", "What would a network make of it?", "Computed, not measured: until the client may send its request, with TCP's round trip, no losses and a first window of 10 segments.", [_network(view, rows, footer)] if any(_on_the_wire(r) for r in rows) else []),
        LabSection("lab-memory", "Memory", "What does a connection allocate?", "From making the connection object to freeing it: allocations of one side, and the most that it held at once.", [_memory(view, rows, footer)] if any(r.client.allocations is not None for r in rows) else []),
        LabSection("lab-idle", "Idle connections", "What does a connection keep?", "Connections that are open and have sent and got a message: what the heap of each side grew by over the last 240 of 256, divided by their number. Counted, not timed.", [idle_figure(view, rows, footer)] if any(r.idle for r in rows) else []),
        LabSection("lab-bulk", "Data", "What do data cost each side?", "Over one connection the server writes and the client reads, 16 KiB a call; processor time of one side alone. What is received is compared with what was sent, and what was negotiated is read back, before and after timing.", [bulk_figure(view, found.bulk, book, footer)] if found.bulk else []),
        LabSection("lab-threads", "Threads", "What do more threads bring?", "Handshakes of several threads at once, each on a processor of its own and playing both sides: from the moment at which all are awake until the last has made its eight. The time is the clock's, not the processors'.", [threads_figure(view, found.threads, book, footer)] if found.threads else []),
        LabSection("lab-nonsense", "Nonsense", "What becomes of a peer that sends nonsense?", "The first flight of one side is garbage, and 256 handshakes are tried with one bit changed.", [_nonsense(view, rows, footer)] if any(r.nonsense for r in rows) else []),
    ]  # fmt: skip
    return LabPage("What does TLS cost?", (), [section for section in sections if section.figures], competition=False)


def _time(side: Side) -> Item:
    if side.ns is None:
        return item(outcome_words(side))
    return item(time_text(side.ns), side.ns.value)


def _cycles(side: Side) -> Item:
    return item(NO_FIGURE) if side.cycles is None else item(cycles_text(side.cycles, None), side.cycles.value)


def _rate(side: Side) -> Item:
    return item(NO_FIGURE) if side.ns is None else item(rate_text(side.ns, None), 1e9 / side.ns.value)


def _times(view: RunView, rows: Sequence[Handshake], book: Sketchbook, footer: str) -> Figure:
    question = "How long does each side of a handshake take?"
    lacking = sorted({f"{library_words(view, row.lane)}: {row.client.why}" for row in rows if row.client.why})
    return Figure(
        "lab-handshake-table",
        question,
        handshake_table(view, rows, "handshakes", ("client", "server", "client rate", "server rate", "client cycles", "server cycles"), lambda row: [_time(row.client), _time(row.server), _rate(row.client), _rate(row.server), _cycles(row.client), _cycles(row.server)]),
        _csv(rows),
        _charts(view, rows, book),
        footer=footer,
        notes=["A rate is how many handshakes one core makes in a second that has nothing else to do.", "Cycles are of the core: where its clock moves from hour to hour, times do and cycles hardly."],
        remarks=lacking,
    )  # fmt: skip


def _charts(view: RunView, rows: Sequence[Handshake], book: Sketchbook) -> list[str]:
    """One for each kind of handshake, its libraries in the order of the rows."""
    found: list[str] = []
    for words in dict.fromkeys(handshake_words(row.params) for row in rows):
        timed = [row for row in rows if handshake_words(row.params) == words and row.client.ns is not None]
        marks = [
            Amount(library_words(view, row.lane), kind, _micro(side.ns))
            for row in timed
            for kind, side in (("client", row.client), ("server", row.server))
            if side.ns is not None
        ]
        if marks:
            spec = amounts(marks, ["client", "server"], f"{words}: \u00b5s of processor time")
            found += book.draw("labs", spec, f"Processor time of each side, {words}")
    return found


def _micro(ns: Estimate) -> Estimate:
    low, high = ns.low, ns.high
    return Estimate(ns.value / 1e3, None if low is None else low / 1e3, None if high is None else high / 1e3)


def _parts(view: RunView, sums: Sequence[Sum], footer: str) -> Figure:
    lines = []
    for row in sums:
        parts = [_part(row.parts.get(kind)) for kind in PARTS]
        rest = [item(NO_FIGURE)] * 2 if row.rest is None else [_share(row.rest.value, row.whole.value), _rest(row.rest)]
        side = "client" if row.side == CLIENT else "server"
        lines.append(
            (
                library_item(view, row.lane),
                item(handshake_words(row.params)),
                item(side),
                *rest,
                item(time_text(row.whole), row.whole.value),
                *parts,
            )
        )
    head = ("library", "handshake", "side", "share", "the rest", "handshake takes", *PARTS)
    lacking = sorted(
        {f"{library_words(view, row.lane)}: no figure of {', '.join(row.missing)}" for row in sums if row.missing}
    )
    return Figure(
        "lab-primitives-table",
        "What does the protocol code add?",
        Table("primitives", head, tuple(lines), words=3),
        csv_text(("handshake", "lane", "side", "ns", *(f"{kind} ns".replace(" ", "_") for kind in PARTS), "rest_ns", "rest_low", "rest_high", "missing"), (_parts_row(row) for row in sums)),
        footer=footer,
        notes=[
            "Share: of the handshake that is the rest, which key share, signatures and key schedule leave; its interval is as wide as if all errors pulled the same way. In a handshake keys are parsed and tables are made that a primitive alone has once: that is in the rest too."
        ],
        remarks=lacking,
    )  # fmt: skip


def _part(ns: float | None) -> Item:
    return item(NO_FIGURE) if ns is None else item(time_text(Estimate(ns)), ns)


def _rest(rest: Estimate) -> Item:
    return item(time_text(rest) if rest.value > 0 else "none", rest.value)


def _share(rest: float, whole: float) -> Item:
    share = max(0.0, rest / whole)
    return item(f"{100 * share:.0f} %", share)


def _parts_row(row: Sum) -> list[object]:
    rest = (None,) * 3 if row.rest is None else (row.rest.value, row.rest.low, row.rest.high)
    return [
        row.name,
        row.lane,
        row.side,
        row.whole.value,
        *(row.parts.get(kind) for kind in PARTS),
        *rest,
        " ".join(row.missing),
    ]


def _wire(view: RunView, rows: Sequence[Handshake], footer: str) -> Figure:
    def cells(row: Handshake) -> list[Item]:
        wire = row.wire
        if wire is None:
            return [item(NO_FIGURE)] * 6
        return [
            bytes_item(wire.client_bytes, True),
            bytes_item(wire.server_bytes, True),
            count_item(wire.flights),
            bytes_item(wire.hello_bytes, True),
            item(f"{wire.client_records} / {wire.server_records}", wire.client_records + wire.server_records),
            item(f"{wire.client_sends} / {wire.server_sends}", wire.client_sends + wire.server_sends),
        ]

    head = ("client B", "server B", "flights", "ClientHello B", "records", "sends")
    return Figure(
        "lab-wire-table",
        "How much is sent, in how many pieces?",
        handshake_table(view, rows, "wire", head, cells),
        _csv(rows),
        footer=footer,
        notes=[
            "Records and sends: of the client / of the server. A signature of ECDSA has 70 to 72 bytes: the most of 64 handshakes is shown."
        ],
    )


def _on_the_wire(row: Handshake) -> bool:
    return row.wire is not None and row.client.ns is not None and row.server.ns is not None


def _network(view: RunView, rows: Sequence[Handshake], footer: str) -> Figure:
    def times(row: Handshake) -> list[float]:
        assert row.wire is not None and row.client.ns is not None and row.server.ns is not None
        both = row.client.ns.value + row.server.ns.value
        return [until_request_ms(row.wire, both, network) for network in NETWORKS]

    def cells(row: Handshake) -> list[Item]:
        assert row.wire is not None
        return [count_item(round_trips(row.wire)), *(item(time_text(Estimate(ms * 1e6)), ms) for ms in times(row))]

    timed = [row for row in rows if _on_the_wire(row)]
    names = tuple(network.name for network in NETWORKS)
    return Figure(
        "lab-network-table",
        "How long until the first request?",
        handshake_table(view, timed, "networks", ("round trips", *names), cells),
        csv_text(("handshake", "lane", "round_trips", *(f"{name} ms" for name in names)), ([row.name, row.lane, round_trips(row.wire) if row.wire else None, *times(row)] for row in timed)),
        footer=footer,
        notes=["Processor time of both sides one after the other, and every byte at the line's rate both ways."],
        folded=True,
    )  # fmt: skip


def _memory(view: RunView, rows: Sequence[Handshake], footer: str) -> Figure:
    def cells(row: Handshake) -> list[Item]:
        sides = (row.client, row.server)
        return [*(count_item(side.allocations) for side in sides), *(bytes_item(side.peak_bytes) for side in sides)]

    head = ("client", "server", "client peak", "server peak")
    return Figure(
        "lab-memory-table",
        "How often, and how much?",
        handshake_table(view, rows, "memory", head, cells),
        _csv(rows),
        footer=footer,
        notes=[
            "Allocations of each side, then the most that it held at once. Contexts that are kept from connection to connection are not in it."
        ],
    )


def _nonsense(view: RunView, rows: Sequence[Handshake], footer: str) -> Figure:
    def cells(row: Handshake) -> list[Item]:
        told = row.nonsense
        if told is None:
            return [item(NO_FIGURE)] * 4
        return [
            item(told.garbage_client),
            item(told.garbage_server),
            count_item(told.changed),
            count_item(told.completed),
        ]

    head = ("garbage from client", "garbage from server", "bits changed", "completed")
    return Figure(
        "lab-nonsense-table",
        "Is nonsense refused?",
        handshake_table(view, rows, "nonsense", head, cells),
        _csv(rows),
        footer=footer,
        notes=["Some bits mean nothing: versions of records, which receivers of TLS 1.3 must ignore."],
        folded=True,
    )


def _csv(rows: Sequence[Handshake]) -> str:
    return csv_text(HEAD, (_csv_row(row) for row in rows))


def _csv_row(row: Handshake) -> list[object]:
    sides = (row.client, row.server)
    found: list[object] = [row.name, row.lane]
    for side in sides:
        found += (None,) * 3 if side.ns is None else (side.ns.value, side.ns.low, side.ns.high)
    found += [side.why for side in sides] + [side.allocations for side in sides] + [side.peak_bytes for side in sides]
    for told, many in ((row.wire, 8), (row.nonsense, 4)):
        found += (None,) * many if told is None else tuple(getattr(told, name) for name in told.__struct_fields__)
    for side in sides:
        found += (None,) * 3 if side.cycles is None else (side.cycles.value, side.cycles.low, side.cycles.high)
    return found
