# SPDX-License-Identifier: Apache-2.0
"""The laboratory's page on connections that are open: what they keep, and what data cost."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.labs.tls.results import Bulk, Handshake, Side
from cipherstone.labs.tls.words import SUITES, handshake_table, library_item, library_words, outcome_words
from cipherstone.model.summary import Estimate
from cipherstone.report.blocks.figure import Figure, Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, bytes_item, count_item
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.charts.measures import Amount, amounts
from cipherstone.report.words.numbers import rate_text

BULK_HEAD = ("data", "lane", "size_bytes", "write_ns", "write_low", "write_high", "read_ns", "read_low", "read_high", "write_why", "read_why",
             "write_allocations", "read_allocations", "payload_bytes", "wire_bytes", "records", "sends")  # fmt: skip
IDLE_HEAD = ("handshake", "lane", "client_bytes", "server_bytes", "connections")


def data_words(params: dict[str, str]) -> str:
    """`TLS 1.3, AES-128-GCM, 1024 B`: the last is the caller's write."""
    suite = params.get("suite", "")
    return f"TLS {params.get('version', '')}, {SUITES.get(suite, suite)}, {params.get('write', '')} B"


def bulk_figure(view: RunView, rows: Sequence[Bulk], book: Sketchbook, footer: str) -> Figure:
    """Rates of both sides, and what the data are on the wire."""
    lines = []
    for row in rows:
        sent = row.sent
        wire = (
            [item(NO_FIGURE)] * 3
            if sent is None
            else [item(f"{100 * sent.overhead:.2f} %", sent.overhead), count_item(sent.records), count_item(sent.sends)]
        )
        allocations = [count_item(side.allocations) for side in (row.write, row.read)]
        rates = [_rate(side, row.size_bytes) for side in (row.write, row.read)]
        lines.append((library_item(view, row.lane), item(data_words(row.params)), *rates, *wire, *allocations))
    head = (
        "library",
        "data, bytes a write",
        "write",
        "read",
        "overhead",
        "records",
        "sends",
        "write allocs",
        "read allocs",
    )
    lacking = sorted({f"{library_words(view, row.lane)}: {row.write.why}" for row in rows if row.write.why})
    return Figure(
        "lab-bulk-table",
        "How fast are data written and read?",
        Table("data", head, tuple(lines), words=2),
        csv_text(BULK_HEAD, (_bulk_row(row) for row in rows)),
        _charts(view, rows, book),
        footer=footer,
        notes=[
            "Of one core that does nothing but this side's part. Overhead: bytes on the wire beyond the payload. Records, sends and allocations: of 16 KiB."
        ],
        remarks=lacking,
    )


def idle_figure(view: RunView, rows: Sequence[Handshake], footer: str) -> Figure:
    """Memory of each side, by library and version."""
    held = [row for row in rows if row.idle is not None]

    def cells(row: Handshake) -> list[Item]:
        assert row.idle is not None
        return [bytes_item(row.idle.client_bytes, True), bytes_item(row.idle.server_bytes, True)]

    return Figure(
        "lab-idle-table",
        "Memory per idle connection",
        handshake_table(view, held, "idle", ("client B", "server B"), cells),
        csv_text(
            IDLE_HEAD,
            ([row.name, row.lane, *(getattr(row.idle, field) for field in IDLE_HEAD[2:])] for row in held),
        ),
        footer=footer,
        notes=[
            "With buffers as they are behind a message each way, and as the heap hands them out: 16 bytes more or less depend on what lies beside. What all connections share is not in it. Of BearSSL, which allocates nothing, the contexts and the buffer that its caller keeps."
        ],
    )


def _rate(side: Side, size_bytes: int) -> Item:
    if side.ns is None:
        return item(outcome_words(side))
    return item(rate_text(side.ns, size_bytes), size_bytes / side.ns.value)


def _charts(view: RunView, rows: Sequence[Bulk], book: Sketchbook) -> list[str]:
    """One for each kind of data, its libraries in the order of the rows."""
    found: list[str] = []
    for words in dict.fromkeys(data_words(row.params) for row in rows):
        timed = [row for row in rows if data_words(row.params) == words and row.write.ns is not None]
        marks = [
            Amount(library_words(view, row.lane), kind, _megabytes(side.ns, row.size_bytes))
            for row in timed
            for kind, side in (("write", row.write), ("read", row.read))
            if side.ns is not None
        ]
        if marks:
            spec = amounts(marks, ["write", "read"], f"{words} a write: MB/s (more is better)")
            found += book.draw("labs", spec, f"Rate of each side, {words}")
    return found


def _megabytes(ns: Estimate, size_bytes: int) -> Estimate:
    low, high = ns.low, ns.high
    amount = size_bytes * 1e3
    return Estimate(amount / ns.value, amount / high if high else None, amount / low if low else None)


def _bulk_row(row: Bulk) -> list[object]:
    found: list[object] = [row.name, row.lane, row.size_bytes]
    for side in (row.write, row.read):
        found += (None,) * 3 if side.ns is None else (side.ns.value, side.ns.low, side.ns.high)
    found += [row.write.why, row.read.why, row.write.allocations, row.read.allocations]
    sent = row.sent
    return found + ([None] * 4 if sent is None else [sent.payload_bytes, sent.wire_bytes, sent.records, sent.sends])
