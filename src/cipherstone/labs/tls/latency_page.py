# SPDX-License-Identifier: Apache-2.0
"""The laboratory's page on latencies: how single handshakes of each side are spread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherstone.labs.tls.results import Handshake, Side
from cipherstone.labs.tls.words import handshake_words, library_item
from cipherstone.model.units import format_time
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, count_item
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.stats.distribution import P90, P99, firm_calls, told_calls

LATENCY_HEAD = ("handshake", "lane", "side", "p50_ns", "p90_ns", "p99_ns", "calls", "calls_at_a_time")
TOO_FEW = "too few"


def with_latencies(rows: Sequence[Handshake]) -> bool:
    """Whether any side of any handshake was timed one by one."""
    return any(side.latency is not None for row in rows for _, side in _sides(row))


def latency_figure(view: RunView, rows: Sequence[Handshake], footer: str) -> Figure:
    """A row for each side that has a figure."""
    lines = [
        (library_item(view, row.lane), item(handshake_words(row.params)), item(name), *_quantiles(side))
        for row in rows
        for name, side in _sides(row)
        if side.ns is not None
    ]
    return Figure(
        "lab-latency-table",
        "How far do single handshakes part?",
        Table("latencies", ("library", "handshake", "side", "p50", "p90", "p99", "calls"), tuple(lines), words=3),
        csv_text(LATENCY_HEAD, (line for row in rows for line in _csv_rows(row))),
        footer=footer,
        notes=[
            f"Half, 90 and 99 of 100 undisturbed handshakes take no longer, all at the clock of their pass. ~: of fewer than {firm_calls(P90)} (p90) or {firm_calls(P99)} calls (p99), of which the slowest may well lie below the true figure; {TOO_FEW}: fewer than {told_calls(P90)} or {told_calls(P99)}, of which none would lie beyond it. Handshakes that are timed several at a time have none."
        ],
    )


def _sides(row: Handshake) -> tuple[tuple[str, Side], tuple[str, Side]]:
    return ("client", row.client), ("server", row.server)


def _quantiles(side: Side) -> list[Item]:
    told = side.latency
    if told is None:
        together = f"{side.together} at a time" if side.together > 1 else NO_FIGURE
        return [*[item(NO_FIGURE)] * 3, item(together)]
    high, last = ((told.p90_ns, P90), (told.p99_ns, P99))
    tails = [_tail(ns, told.calls, q) for ns, q in (high, last)]
    return [item(format_time(told.p50_ns), told.p50_ns), *tails, count_item(told.calls)]


def _tail(ns: float | None, calls: int, q: float) -> Item:
    if ns is None:
        return item(TOO_FEW)
    return item(f"{'~' if calls < firm_calls(q) else ''}{format_time(ns)}", ns)


def _csv_rows(row: Handshake) -> Iterator[list[object]]:
    for name, side in _sides(row):
        told = side.latency
        if told is not None:
            yield [row.name, row.lane, name, told.p50_ns, told.p90_ns, told.p99_ns, told.calls, 1]
        elif side.ns is not None:
            yield [row.name, row.lane, name, *[None] * 4, side.together or None]
