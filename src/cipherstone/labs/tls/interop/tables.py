# SPDX-License-Identifier: Apache-2.0
"""The grid as text for a terminal and as Markdown: clients in rows, servers in columns, and below it the reason for all that is not as it should be."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cipherstone.labs.tls.interop.grid import Grid, Handshake, Hostile, Result, counted
from cipherstone.model.text import in_one_line
from cipherstone.model.units import counted as number_of
from cipherstone.report.blocks.tables import markdown_table, markdown_text
from cipherstone.report.render.screen_table import ScreenColumn, blocks, table_lines, widths_of

MUTATED = "Mutated flights: one flight of each handshake was changed on its way to the side under attack. It may end, refuse a certificate, or complete where the change means nothing; to break, or to take longer than two seconds, is wrong. Untouched: the other side sent nothing."
HOSTILE_MEANS = (
    "Peers that mean no good, and what becomes of each side: it ends, with a reason, or waits for its time-out."
)
NOTHING = "-"  # nothing that both have
SHORT = {Result.FAILED: "ends", Result.REFUSED: "refuses", Result.TIMED_OUT: "time-out", Result.CRASHED: "CRASHES", Result.AGREED: "AGREES"}  # fmt: skip


def grid_text(grid: Grid, width: int) -> str:
    """All of it, in lines of at most `width` columns."""
    numbers = {peer.name: str(at) for at, peer in enumerate(grid.peers, 1)}
    columns = [
        ScreenColumn("client", words=True),
        *(ScreenColumn(number) for number in numbers.values()),
        ScreenColumn("refuses"),
    ]
    parts = [_table(columns, grid_rows(grid), width), [], *(_wrapped(text, width) for text in grid_notes(grid))]
    if grid.hostile:
        parts += [
            [],
            _wrapped(HOSTILE_MEANS, width),
        ]
        parts += [
            _table(*hostile_table(grid, numbers), width),
            *(_wrapped(text, width) for text in broken(grid.hostile)),
        ]
    if grid.mutated:
        parts += [[], _wrapped(MUTATED, width), _table(*mutated_table(grid, numbers), width)]
        parts += [_wrapped(text, width) for text in broken_flights(grid)]
    return "\n".join(line for part in parts for line in (part or [""]))


def grid_markdown(grid: Grid) -> str:
    """The same as Markdown; the reason stands in each cell that is not as it should be."""
    numbers = {peer.name: str(at) for at, peer in enumerate(grid.peers, 1)}
    rows = [
        (
            f"{numbers[client.name]} {client.title}",
            *(_told(grid, client.name, server.name) for server in grid.peers),
            _refusals(grid, client.name),
        )
        for client in grid.peers
    ]
    head = ("client \\ server", *(f"{numbers[one.name]} {one.title}" for one in grid.peers), "refuses")
    parts = ["## Which TLS libraries understand each other?", markdown_table(head, rows)]
    parts.append("\n".join(f"- {markdown_text(text)}" for text in grid_notes(grid)))
    if grid.hostile:
        columns, lines = hostile_table(grid, numbers)
        parts += ["### Peers that mean no good", markdown_table([column.head for column in columns], lines)]
        parts += [markdown_text(text) for text in broken(grid.hostile)]
    if grid.mutated:
        columns, lines = mutated_table(grid, numbers)
        parts += ["### Mutated flights", MUTATED, markdown_table([column.head for column in columns], lines)]
        parts += [markdown_text(text) for text in broken_flights(grid)]
    return "\n\n".join(parts)


def _table(columns: Sequence[ScreenColumn], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    lines: list[str] = []
    for part in blocks(widths_of(columns, rows), width):
        chosen = [0, *part]
        shown = [[row[at] for at in chosen] for row in rows]
        lines += [""] if lines else []
        lines += table_lines([columns[at] for at in chosen], shown, width)
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(in_one_line(text), width, subsequent_indent="  ", break_on_hyphens=False)


def _row(grid: Grid, client: str) -> Iterator[str]:
    for server in grid.peers:
        right, tried = counted(_positive(grid, client, server.name))
        yield f"{right}/{tried}" if tried else NOTHING


def _positive(grid: Grid, client: str, server: str) -> list[Handshake]:
    return [one for one in grid.of(client, server) if one.kind in grid.positive]


def _refusals(grid: Grid, client: str) -> str:
    tried = [one for one in grid.handshakes if one.client == client and one.kind not in grid.positive]
    right, number = counted(tried)
    return f"{right}/{number}" if number else NOTHING


def _told(grid: Grid, client: str, server: str) -> str:
    """`3/4; TLS 1.2, X25519, P-256: failed, server: no shared group`."""
    words = {kind.name: kind.words for kind in grid.kinds}
    right, tried = counted(_positive(grid, client, server))
    bad = [one for one in grid.of(client, server) if one.result.tried and not one.result.right]
    told = [f"{words[one.kind]}: {one.result}, {one.why}" for one in bad]
    return "; ".join([f"{right}/{tried}" if tried else NOTHING, *told])


def grid_rows(grid: Grid) -> list[tuple[str, ...]]:
    """A row a client: its number and title, a cell a server, what it refused."""
    return [
        (f"{number} {client.title}", *_row(grid, client.name), _refusals(grid, client.name))
        for number, client in enumerate(grid.peers, 1)
    ]


def grid_notes(grid: Grid) -> Iterator[str]:
    """What the cells mean, then whatever is not as it should be, with its pairs; the sum comes last."""
    numbers = {peer.name: str(at) for at, peer in enumerate(grid.peers, 1)}
    words = {kind.name: kind.words for kind in grid.kinds}
    positive = [kind.words for kind in grid.kinds if not kind.refuse]
    refused = [kind.name for kind in grid.kinds if kind.refuse]
    yield (
        f"Clients in rows, servers in columns. n/m: of m kinds of handshakes that both have, n were agreed on as asked, by the word of both: {'; '.join(positive)}."
    )
    if refused:
        yield f"refuses: certificates that a client must refuse, of every server: {', '.join(refused)}."
    yield from _grouped(
        "not tried", ((one.why, words[one.kind]) for one in grid.handshakes if one.result is Result.UNSUPPORTED)
    )
    for result in (Result.WRONG, Result.CRASHED, Result.TIMED_OUT, Result.FAILED, Result.AGREED):
        bad = [one for one in grid.handshakes if one.result is result and one.why]
        told = ((f"{words[one.kind]}: {one.why}", f"{numbers[one.client]}>{numbers[one.server]}") for one in bad)
        yield from _grouped(str(result), told)
    if silent := mute(grid):
        yield f"no data after the handshake, which the adapter has not yet: {', '.join(silent)}"
    for one in grid.left_out:
        yield f"without {one.name}: {one.why}"
    yield sum_text(grid)


def mute(grid: Grid) -> list[str]:
    """Titles of peers that agree, and have never exchanged data."""
    agreed = [one for one in grid.handshakes if one.result is Result.AGREED]
    found = {name for one in agreed for name in (one.client, one.server)}
    found -= {name for one in agreed if one.data for name in (one.client, one.server)}
    return [peer.title for peer in grid.peers if peer.name in found]


def _grouped(head: str, told: Iterable[tuple[str, str]]) -> Iterator[str]:
    """`failed: REASON (1>4, 2>4)`: a line a reason."""
    where: dict[str, dict[str, None]] = {}
    for why, place in told:
        where.setdefault(why, {})[place] = None
    for why, places in where.items():
        yield f"{head}: {why} ({'; '.join(places) if head == 'not tried' else ', '.join(places)})"


def sum_text(grid: Grid) -> str:
    """How many there were, and how many of them are as they should be."""
    agreed = counted(one for one in grid.handshakes if one.kind in grid.positive)
    refused = counted(one for one in grid.handshakes if one.kind not in grid.positive)
    peers = number_of(len(grid.peers), "client")
    return (
        f"{peers} x {number_of(len(grid.peers), 'server')}: {agreed[0]} of {number_of(agreed[1], 'handshake')} agreed on as asked, "
        f"{refused[0]} of {refused[1]} refused as they must be"
    )


def hostile_table(grid: Grid, named: Mapping[str, str]) -> tuple[list[ScreenColumn], list[list[str]]]:
    """Sides down, what is done to them across. `named`: what a peer is called here."""
    does = list(dict.fromkeys(one.does for one in grid.hostile))
    found: dict[tuple[str, str], dict[str, Hostile]] = {}
    for one in grid.hostile:
        found.setdefault((one.peer, one.side), {})[one.does] = one
    rows = [
        [f"{named[peer]} {side}", *(_short(cells.get(what)) for what in does)] for (peer, side), cells in found.items()
    ]
    return [ScreenColumn("against", words=True), *(ScreenColumn(what, words=True) for what in does)], rows


def mutated_table(grid: Grid, named: Mapping[str, str]) -> tuple[list[ScreenColumn], list[list[str]]]:
    """Sides and kinds down, outcomes across. `named`: what a peer is called here."""
    words = {kind.name: kind.words for kind in grid.kinds}
    rows = [
        [f"{named.get(one.peer, one.peer)} {one.side}", words.get(one.kind, one.kind)]
        + [str(n) for n in (one.tried, one.ended, one.refused, one.completed, one.untouched, len(one.broken))]
        for one in grid.mutated
    ]
    heads = ("tried", "ended", "refused", "completed", "untouched", "broke")
    return [ScreenColumn("against", words=True), ScreenColumn("handshake", words=True), *map(ScreenColumn, heads)], rows


def broken_flights(grid: Grid) -> list[str]:
    """A line for each flight that a side did not get over."""
    return [
        f"{flight.result}: {one.peer}, {one.side}, {one.kind}, seed {one.seed}, number {flight.number}: {flight.why}"
        for one in grid.mutated
        for flight in one.broken
    ]


def _short(one: Hostile | None) -> str:
    return NOTHING if one is None else SHORT.get(one.result, str(one.result))


def broken(hostile: Iterable[Hostile]) -> list[str]:
    """A line for each side that agreed with nonsense, or broke."""
    bad = [one for one in hostile if not one.right]
    return [f"{one.result}: {one.peer}, {one.side}, {one.does}" + (f": {one.why}" if one.why else "") for one in bad]
