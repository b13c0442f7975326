# SPDX-License-Identifier: Apache-2.0
"""What a handshake costs servers, as a page: a table for each kind of handshake."""

from __future__ import annotations

from collections.abc import Iterator

from cipherstone.labs.tls.servers.results import Cost, Kind, Servers
from cipherstone.model.estimate import Estimate
from cipherstone.model.units import counted
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.room_page import NO_FIGURE, LabPage, LabSection, ratio_items
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.words.numbers import estimate_text

QUESTION = "What does a server add to its TLS library?"
HEAD = ("server", "both us", "user", "system", "added", "x", "from to", "bytes")
DATA = ("case", "lane", "cpu_us", "cpu_low", "cpu_high", "over_bare", "over_low", "over_high", "user_us", "system_us", "added_us", "received_bytes", "handshakes")  # fmt: skip
MOST_WITH_TENTHS = 99.95


def servers_page(found: Servers, footer: str) -> LabPage:
    """All of it as a section of a report."""
    data = csv_text(DATA, (list(_csv_row(kind, one)) for kind in found.kinds for one in kind.costs))
    figures = [
        Figure(f"lab-servers-{number}", kind.title, _table(kind, number), data, footer=footer)
        for number, kind in enumerate(found.kinds)
    ]
    if figures:
        figures[-1].remarks += list(notes(found))
    return LabPage(QUESTION, (), [LabSection("lab-servers", "servers", QUESTION, "", figures)], competition=False)


def _table(kind: Kind, number: int) -> Table:
    return Table(f"servers-{number}", HEAD, tuple(tuple(_cells(one)) for one in kind.costs))


def _cells(one: Cost) -> Iterator[Item]:
    yield item(one.title)
    yield item(estimate_text(one.cpu_us, 1), one.cpu_us.value)
    yield from (item(_us(one.user_us), one.user_us), item(_us(one.system_us), one.system_us))
    yield item(NO_FIGURE) if one.added_us is None else item(f"{one.added_us:+.0f}", one.added_us)
    yield from ratio_items(one.over)
    yield item(NO_FIGURE) if one.received_bytes is None else item(f"{one.received_bytes:.0f}", one.received_bytes)


def _us(value: float) -> str:
    return f"{value:.0f}" if value >= MOST_WITH_TENTHS else f"{value:.1f}"


def notes(found: Servers) -> Iterator[str]:
    """What columns mean, how it was measured, and what is left out."""
    plan, details = found.plan, found.details
    yield "Microseconds of processor time of the server's processes for one handshake: of the program (user), of the system, and both. x: times the bare library over sockets, in the same passes; again: that library once more, in processes of its own. The system's part is sockets, connections and waiting; how both divide is known by the clock's ticks."
    yield "added: beyond the library alone in memory, which has no sockets. Sockets: the library behind accept, recv and send, and nothing else. bytes: what the client received. Servers send tickets as they do by default, the bare library none behind a full handshake."
    client, server = details.cpus
    where = f" Client on CPU {client}, servers on CPU {server}." if client is not None else ""
    passes = "One pass: no intervals, and the figures mean little." if plan.passes == 1 else f"{counted(plan.passes, 'pass', 'passes')} of fresh processes, servers in turns; from to: 95 %."  # fmt: skip
    yield f"One client ({details.library}), one connection after the other over 127.0.0.1, X25519 and certificates of P-256, every handshake verified and read back. {passes}{where}"
    for one in plan.left_out:
        yield f"without {one.name}: {one.why}"


def _csv_row(kind: Kind, one: Cost) -> Iterator[object]:
    yield from (kind.case, one.lane, *_parts(one.cpu_us), *_parts(one.over))
    yield from (one.user_us, one.system_us, one.added_us, one.received_bytes, one.handshakes)


def _parts(one: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if one is None else (one.value, one.low, one.high)
