# SPDX-License-Identifier: Apache-2.0
"""The page over sockets, beside the published one: two tables a task, the page's quotients, and what the default for small segments costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherstone.labs.tls.sockets.plan import MESSAGE_BYTES, Task
from cipherstone.labs.tls.sockets.results import TOGETHER, Row, Sockets
from cipherstone.model.instruments import InstrumentPlan
from cipherstone.model.summary import Estimate
from cipherstone.model.units import counted, significant
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.room_page import LabPage, LabSection
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.words.numbers import estimate_text, interval_text, ratio_beside_interval

QUESTION = "What does a handshake over sockets cost?"
TIMES = ("client", "CPU s", "page s", "CPU x", "from to", "page x", "wall s", "wall x", "from to")
CALLS = ("client", "p50 ms", "p90", "p99", "sends", "receives", "B out", "B in", "system", "server s")
QUOTIENTS = ("client", "CPU x", "from to", "wall x", "from to", "page x")
SEGMENTS = ("client", "at once, ms", "by default, ms")
NOTHING = "-"
HEAD = ("table", "task", "lane", "way", "cpu_s", "cpu_low", "cpu_high", "elapsed_s", "elapsed_low", "elapsed_high", "over_cpu", "over_cpu_low", "over_cpu_high",
        "over_elapsed", "over_elapsed_low", "over_elapsed_high", "printed_s", "printed_over", "server_cpu_s", "system", "sends", "receives", "sent_bytes", "received_bytes",
        "p50_ms", "p90_ms", "p99_ms")  # fmt: skip


def sockets_page(found: Sockets, footer: str) -> LabPage:
    """All of it as sections of a report."""
    data = csv_text(HEAD, (list(_csv_row(row)) for row in found.rows))
    figures = [
        figure
        for number, task in enumerate(found.details.tasks)
        for figure in _of_task(found, task, number, data, footer)
    ]
    figures += [
        _quotient(found, name, number, footer)
        for number, name in enumerate(dict.fromkeys(one.name for one in found.quotients))
    ]
    if found.nagle:
        rows = [
            (found.titles[one.lane], estimate_text(one.at_once_ms), estimate_text(one.nagle_ms)) for one in found.nagle
        ]
        figures.append(
            _figure("segments", "A handshake by the clock, by how segments are sent", SEGMENTS, rows, footer)
        )
    if figures:
        figures[-1].remarks += list(notes(found))
    return LabPage(QUESTION, (), [LabSection("lab-sockets", "sockets", QUESTION, "", figures)], competition=False)


def _of_task(found: Sockets, task: Task, number: int, data: str, footer: str) -> Iterator[Figure]:
    rows = [row for row in found.rows if row.task == task.key]
    if rows:
        yield _figure(f"sockets-{number}", task.title, TIMES, [_times(row, found.titles) for row in rows], footer, data)
        yield _figure(
            f"sockets-{number}-calls",
            f"{task.title}: calls and bytes",
            CALLS,
            [_calls(row, found.titles) for row in rows],
            footer,
            data,
        )


def _quotient(found: Sockets, name: str, number: int, footer: str) -> Figure:
    some = [one for one in found.quotients if one.name == name]
    rows = [
        (found.titles[one.lane], *_ratio(one.cpu), *_ratio(one.elapsed), significant(one.printed, 3)) for one in some
    ]
    return _figure(f"quotient-{number}", name, QUOTIENTS, rows, footer)


def _figure(name: str, title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]], footer: str, data: str = "") -> Figure:  # fmt: skip
    """A table of texts; what is a number is sorted as one."""
    table = Table(name, head, tuple(tuple(map(_item, row)) for row in rows))
    return Figure(f"lab-{name}", title, table, data or csv_text(head, rows), footer=footer)


def _item(text: str) -> Item:
    try:
        return item(text, float(text))
    except ValueError:
        return item(text)


def _title(row: Row, titles: dict[str, str]) -> str:
    return f"{titles[row.lane]}, coalesced" if row.way == TOGETHER else titles[row.lane]


def _ratio(one: Estimate | None) -> tuple[str, str]:
    if one is None:
        return NOTHING, NOTHING
    return ratio_beside_interval(one), NOTHING if one.low is None else interval_text(one)


def _times(row: Row, titles: dict[str, str]) -> tuple[str, ...]:
    printed = NOTHING if row.printed_s is None else f"{row.printed_s:.2f}"
    times = NOTHING if row.printed_over is None else significant(row.printed_over, 3)
    ours = (estimate_text(row.cpu_s), printed, *_ratio(row.over_cpu), times)
    return (_title(row, titles), *ours, estimate_text(row.elapsed_s), *_ratio(row.over_elapsed))


def _calls(row: Row, titles: dict[str, str]) -> tuple[str, ...]:
    latencies = (NOTHING,) * 3 if row.latency_ms is None else tuple(significant(ms, 3) for ms in row.latency_ms)
    sends, receives, sent, received = row.counts
    return (
        _title(row, titles),
        *latencies,
        f"{sends:.2f}".rstrip("0").rstrip("."),
        f"{receives:.2f}".rstrip("0").rstrip("."),
        f"{sent:.0f}",
        f"{received:.0f}",
        f"{row.system:.0%}",
        significant(row.server_cpu_s, 3),
    )


def notes(found: Sockets) -> Iterator[str]:
    """What columns mean, how it was measured, and who is left out."""
    plan, details = found.plan, found.details
    yield f"Seconds of the client's processor (CPU) and of the clock (wall) for as many handshakes as the heading says, or for its data, beside the page's. x: over {_base(found)}. {_passes(plan)}"
    client, server = details.cpus
    where = f" Clients on CPU {client}, the server on CPU {server}." if client is not None else ""
    yield f"TLS 1.2 and AES-256-GCM over 127.0.0.1, blocking sockets; the server is {details.server}; all handshakes of a block over one connection of TCP, each with an object of its own; the certificate is signed by a CA of RSA-2048.{where}"
    yield f"Before anything was timed, version, suite, group and signature were as asked for by the word of both sides and on the wire; {details.refused} certificates for another host or of another root were refused, all."
    yield f"p50, p90, p99: of single handshakes by the clock, in milliseconds. sends, receives, B: calls of the client and bytes in one handshake, or for one message of {MESSAGE_BYTES // 1024} KiB. A client sends as its library does, one send for each call back; coalesced: one for all that it sends before it waits. system: the system's share of the client's processor time. server: seconds of the server's processor."
    if details.no_switch and any(task.masked for task in details.tasks):
        without = ", ".join(
            title
            for lane, title in found.titles.items()
            if any(lane.endswith(f"+{name}") for name in details.no_switch)
        )
        yield f"Software only: by the switch of each library, server included, or a build without (`+noasm`); neither, and so the instructions that it finds: {without}."
    if found.nagle:
        yield "By default a small segment waits until the one before is acknowledged, which its receiver may put off for 40 ms; everything else here goes at once (TCP_NODELAY)."
    for one in plan.left_out:
        yield f"without {one.name}: {one.why}"


def _base(found: Sockets) -> str:
    lane = next((case.base for case in found.plan.cases if case.base), "")
    return found.titles.get(lane, found.details.base)


def _passes(plan: InstrumentPlan) -> str:
    if plan.passes == 1:
        return "One pass: no intervals, and the figures mean little."
    return f"{counted(plan.passes, 'pass', 'passes')} of fresh processes, {counted(plan.rounds, 'round')} each, clients in turns; from to: 95 %."


def _csv_row(row: Row) -> Iterator[object]:
    yield from (*row.task, row.lane, row.way)
    for one in (row.cpu_s, row.elapsed_s, row.over_cpu, row.over_elapsed):
        yield from (None,) * 3 if one is None else (one.value, one.low, one.high)
    yield from (row.printed_s, row.printed_over, row.server_cpu_s, row.system)
    yield from (*row.counts, *(row.latency_ms or (None,) * 3))
