# SPDX-License-Identifier: Apache-2.0
"""What a handshake costs servers, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from cipherstone.labs.tls.servers.load import BARE, MEMORY, Cost, Row, Served
from cipherstone.model.text import in_one_line
from cipherstone.report.render.screen_table import Column, table_lines

HEAD = (
    Column("handshake", words=True),
    Column("server", words=True),
    Column("user"),
    Column("system"),
    Column("both"),
    Column("rounds"),
    Column("added"),
    Column("bytes"),
)
NOTHING = "-"
MOST_WITH_TENTHS = 99.95


def served_text(found: Served, width: int) -> str:
    """A table, and what its columns mean, in lines of at most `width` columns."""
    titles = {one.name: one.title for one in found.servers}
    titles |= {MEMORY: f"{found.library}, in memory", BARE: f"{found.library}, sockets"}
    rows = [line for row in found.rows for line in _lines(row, titles)]
    parts = [table_lines(HEAD, rows, width), [""], *(_wrapped(text, width) for text in _notes(found))]
    return "\n".join(line for part in parts for line in part)


def _lines(row: Row, titles: dict[str, str]) -> Iterator[tuple[str, ...]]:
    alone = next(one for one in row.costs if one.server == MEMORY)
    for one in row.costs:
        params = row.kind.params
        words = f"TLS {params['version']}{', resumed' * (params['mode'] != 'full')}" if one is alone else ""
        yield (words, titles[one.server], *_figures(one, alone))


def _figures(one: Cost, alone: Cost) -> tuple[str, ...]:
    both = (_us(one.total_us), f"{_us(one.low_us)}-{_us(one.high_us)}")
    if one.server == MEMORY:
        return (_us(one.user_us), NOTHING, *both, NOTHING, NOTHING)
    added = one.total_us - alone.total_us
    return (_us(one.user_us), _us(one.system_us), *both, f"{added:+.0f}", f"{one.received_bytes:.0f}")


def _us(value: float) -> str:
    return f"{value:.0f}" if value >= MOST_WITH_TENTHS else f"{value:.1f}"


def _notes(found: Served) -> Iterator[str]:
    yield (
        "Microseconds of processor time of the server's processes for one handshake: of the program, of the system, and both (median of the rounds, and from the least to the most). "
        "The system's part is sockets, connections and waiting; how both divide is known by the clock's ticks."
    )
    yield (
        "added: beyond the library alone in memory, which has no sockets. Sockets: the library behind accept, recv and send, and nothing else. "
        "bytes: what the client received. Servers send tickets as they do by default, the bare library none behind a full handshake."
    )
    client, server = found.cpus
    where = f" Client on CPU {client}, servers on CPU {server}." if client is not None else ""
    yield (
        f"One client ({found.library}), one connection after the other over 127.0.0.1, X25519 and certificates of P-256, every handshake verified and read back; {found.rounds} rounds, servers in turns.{where}"
    )
    for one in found.left_out:
        yield f"without {one.name}: {one.why}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(in_one_line(text), width, subsequent_indent="  ", break_on_hyphens=False)
