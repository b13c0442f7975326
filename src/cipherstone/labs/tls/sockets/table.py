# SPDX-License-Identifier: Apache-2.0
"""The page's table over sockets, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cipherstone.labs.tls.sockets.plan import MESSAGE_BYTES, Task
from cipherstone.labs.tls.sockets.results import TOGETHER, Row, Sockets
from cipherstone.model.summary import Estimate
from cipherstone.model.text import in_one_line
from cipherstone.model.units import MIB, counted, significant
from cipherstone.report.render.screen_table import Column, table_lines
from cipherstone.report.words.numbers import estimate_text, interval_text, ratio_beside_interval

TIMES = (
    Column("client", words=True),
    Column("CPU s"),
    Column("wall s"),
    Column("CPU x"),
    Column("from to"),
    Column("wall x"),
    Column("from to"),
    Column("page s"),
    Column("page x"),
)
CALLS = (
    Column("client", words=True),
    Column("p50 ms"),
    Column("p90"),
    Column("p99"),
    Column("sends"),
    Column("receives"),
    Column("B out"),
    Column("B in"),
    Column("system"),
    Column("server s"),
)
QUOTIENTS = (
    Column("client", words=True),
    Column("CPU x"),
    Column("from to"),
    Column("wall x"),
    Column("from to"),
    Column("page x"),
)
NAGLE = (Column("client", words=True), Column("at once, ms"), Column("by default, ms"))
NOTHING = "-"


class Block(NamedTuple):
    """A table with what stands above it; "" below another of the same task."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[tuple[str, ...]]


def blocks(found: Sockets) -> Iterator[Block]:
    """Two tables for each task, the page's quotients, and what the default for small segments costs."""
    titles = {one.name: one.title for one in found.clients}
    for task in found.tasks:
        if rows := [row for row in found.rows if row.task == task.key]:
            yield Block(f"{task.table}: {_words(task)}", TIMES, [_times(row, titles) for row in rows])
            yield Block("", CALLS, [_calls(row, titles) for row in rows])
    for name in dict.fromkeys(one.name for one in found.quotients):
        some = [one for one in found.quotients if one.name == name]
        cells = [
            (titles[one.build], *_ratio(one.cpu), *_ratio(one.elapsed), significant(one.printed, 3)) for one in some
        ]
        yield Block(name, QUOTIENTS, cells)
    if found.nagle:
        each = [(titles[one.build], f"{one.at_once_ms:.2f}", f"{one.nagle_ms:.2f}") for one in found.nagle]
        yield Block("A handshake by the clock, by how segments are sent", NAGLE, each)


def sockets_text(found: Sockets, width: int) -> str:
    """All tables, and what their columns mean, in lines of at most `width` columns."""
    lines: list[str] = []
    for block in blocks(found):
        lines += [*_wrapped(block.title, width), *table_lines(block.columns, block.rows, width, first=8), ""]
    for text in notes(found):
        lines += _wrapped(text, width)
    return "\n".join(lines)


def _words(task: Task) -> str:
    if task.data:
        return f"{task.name}, {task.many * MESSAGE_BYTES // MIB} MiB"
    many = f"{task.many} handshakes"
    return task.name if many in task.name or many in task.table else f"{task.name}, {many}"


def _title(row: Row, titles: dict[str, str]) -> str:
    """A client's second row stands below its first."""
    return "- coalesced" if row.way == TOGETHER else titles[row.build]


def _ratio(one: Estimate | None) -> tuple[str, str]:
    if one is None:
        return NOTHING, NOTHING
    return ratio_beside_interval(one), NOTHING if one.low is None else interval_text(one)


def _times(row: Row, titles: dict[str, str]) -> tuple[str, ...]:
    printed = NOTHING if row.printed_s is None else f"{row.printed_s:.2f}"
    times = NOTHING if row.printed_over is None else significant(row.printed_over, 3)
    own = (estimate_text(row.cpu_s), estimate_text(row.elapsed_s))
    return (_title(row, titles), *own, *_ratio(row.over_cpu), *_ratio(row.over_elapsed), printed, times)


def _calls(row: Row, titles: dict[str, str]) -> tuple[str, ...]:
    latencies = (NOTHING,) * 3 if row.latency_ms is None else tuple(significant(ms, 3) for ms in row.latency_ms)
    return (
        _title(row, titles),
        *latencies,
        f"{row.sends:.2f}".rstrip("0").rstrip("."),
        f"{row.receives:.2f}".rstrip("0").rstrip("."),
        f"{row.sent_bytes:.0f}",
        f"{row.received_bytes:.0f}",
        f"{row.system:.0%}",
        significant(row.server_cpu_s, 3),
    )


def notes(found: Sockets) -> Iterator[str]:
    """What columns mean, how it was measured, and who is left out."""
    titles = {one.name: one.title for one in found.clients}
    intervals = (
        f"{counted(found.passes, 'pass', 'passes')} of fresh processes, {counted(found.rounds, 'round')} each, clients in turns; from to: 95 %."
        if found.passes > 1
        else "One pass: no intervals, and the figures mean little."
    )
    yield (
        f"Seconds of the client's processor (CPU) and of the clock (wall) for as many handshakes as the heading says, or for its data, beside the page's. x: over {titles[found.base]}. {intervals}"
    )
    client, server = found.cpus
    where = f" Clients on CPU {client}, the server on CPU {server}." if client is not None else ""
    yield (
        f"TLS 1.2 and AES-256-GCM over 127.0.0.1, blocking sockets; the server is {found.server.title}; all handshakes of a block over one connection of TCP, each with an object of its own; the certificate is signed by a CA of RSA-2048.{where}"
    )
    yield (
        f"Before anything was timed, version, suite, group and signature were as asked for by the word of both sides and on the wire; {found.proven} certificates for another host or of another root were refused, all."
    )
    yield (
        "p50, p90, p99: of single handshakes by the clock, in milliseconds; of the few of --quick p99 is the slowest, often the first, which may draw a seed for the whole process. sends, receives, B: calls of the client and bytes in one handshake, or for one message of 16 KiB. A client sends as its library does, one send for each call back; coalesced: one for all that it sends before it waits. system: the system's share of the client's processor time. server: seconds of the server's processor."
    )
    if found.no_switch and any(task.masked for task in found.tasks):
        without = ", ".join(titles[name] for name in found.no_switch)
        yield f"Software only: by the switch of each library, server included, or a build without (`+noasm`); neither, and so the instructions that it finds: {without}."
    if found.nagle:
        yield "By default a small segment waits until the one before is acknowledged, which its receiver may put off for 40 ms; everything else here goes at once (TCP_NODELAY)."
    for one in found.left_out:
        yield f"without {one.name}: {one.why}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(in_one_line(text), width, subsequent_indent="  ", break_on_hyphens=False)
