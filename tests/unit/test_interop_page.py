# SPDX-License-Identifier: Apache-2.0
"""The interoperability grid as a page: the reason in each cell that is not as it should be, and nothing that a text could become."""

from __future__ import annotations

import csv
import html
import io
import re
from urllib.parse import unquote

from cipherstone.labs.tls.interop.grid import Grid, Handshake, Hostile, Kind, MissingPeer, Name, Result
from cipherstone.labs.tls.interop.page import HEAD, grid_html

PARAMS = {"version": "1.3", "group": "x25519", "cert": "p-256", "mode": "full"}
ASKED, OLDER = Kind("a", PARAMS), Kind("b", {**PARAMS, "version": "1.2"})
FORBIDDEN = Kind("expired", PARAMS, "a day after the last")
RIGHT = {"a": Result.AGREED, "b": Result.AGREED, "expired": Result.REFUSED}


def grid(*changed: Handshake, hostile: tuple[Hostile, ...] = ()) -> Grid:
    names = tuple(Name(f"p{n}", f"Library {n}", f"1.{n}") for n in range(3))
    kinds = (ASKED, OLDER, FORBIDDEN)
    found = {
        (client.name, server.name, kind.name): Handshake(client.name, server.name, kind.name, RIGHT[kind.name])
        for client in names
        for server in names
        for kind in kinds
    }
    found |= {(one.client, one.server, one.kind): one for one in changed}
    return Grid(names, (MissingPeer("go", "no go"),), kinds, tuple(found.values()), 5.0, hostile)


def cells(page: str) -> list[list[tuple[str, str]]]:
    """(state, text) of each cell, row by row."""
    (table,) = re.findall(r'<table class="grid pairs">(.*?)</table>', page, re.S)
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    read = [re.findall(r'<td class="([^"]*)"[^>]*>(.*?)</td>', row, re.S) for row in rows]
    return [[(state, html.unescape(re.sub(r"<[^>]+>", " ", text)).strip()) for state, text in row] for row in read]


def test_the_reason_stands_in_its_cell_and_in_no_other() -> None:
    bad = (
        Handshake("p0", "p1", "a", Result.FAILED, "server: no shared <group> & more"),
        Handshake("p1", "p2", "expired", Result.WRONG, "the client accepts it: a day after the last"),
        Handshake("p2", "p2", "a", Result.UNSUPPORTED, "Library 2 1.2: it has none"),
        Handshake("p2", "p2", "b", Result.UNSUPPORTED, "Library 2 1.2: it has none"),
    )
    page = grid_html(grid(*bad))
    found = cells(page)
    assert found[0][1] == ("bad", "1/2  TLS 1.3, X25519, P-256: failed, server: no shared <group> & more")
    assert found[1][2][0] == "bad" and found[1][2][1].startswith("2/2") and "accepts it" in found[1][2][1]
    assert found[1][3] == ("bad", "2/3") and found[0][3] == ("right", "3/3")
    assert found[2][2] == ("no unsupported", "-")
    assert sum(state == "bad" for row in found for state, _ in row) == 3
    assert "no shared &lt;group&gt; &amp; more" in page and "<group>" not in page
    assert "Not tried: Library 2 1.2: it has none (TLS 1.3, X25519, P-256; TLS 1.2, X25519, P-256)." in page
    assert "Without go: no go." in page


def test_nothing_comes_from_anywhere_and_nothing_runs() -> None:
    page = grid_html(grid(Handshake("p0", "p1", "a", Result.FAILED, "<script>alert(1)</script>")))
    assert "<script" not in page and "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", page) and "http://" not in page and "https://" not in page


def test_every_handshake_is_in_its_csv() -> None:
    page = grid_html(grid(Handshake("p0", "p1", "a", Result.FAILED, "x, y")))
    (link,) = re.findall(r'download="interop.csv" href="data:text/csv;charset=utf-8,([^"]*)"', page)
    rows = list(csv.reader(io.StringIO(unquote(html.unescape(link)))))
    assert tuple(rows[0]) == HEAD and len(rows) == 1 + 27
    assert ["p0", "p1", "a", "agree", "failed", "x, y", "0"] in rows


def test_peers_that_mean_no_good_have_their_table() -> None:
    told = (
        Hostile("p0", "client", "hangs", Result.TIMED_OUT, "time-out"),
        Hostile("p0", "server", "hangs", Result.AGREED),
    )
    page = grid_html(grid(hostile=told))
    assert "Library 0 client" in page and "agreed: p0, server, hangs" in page
    assert "Peers that mean no good" not in grid_html(grid())
