# SPDX-License-Identifier: Apache-2.0
"""The grid as one HTML file, in the style of the report: no network, no script, the reason in each cell that is not as it should be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherstone import __version__
from cipherstone.labs.tls.interop.grid import Grid, Handshake, Result, counted
from cipherstone.labs.tls.interop.tables import (
    MUTATED,
    NOTHING,
    broken,
    broken_flights,
    hostile_table,
    mutated_table,
    mute,
    sum_text,
)
from cipherstone.report.blocks.tables import csv_text
from cipherstone.report.render.html import page_style, page_text

HEAD = ("client", "server", "kind", "must", "result", "why", "data")


def grid_html(grid: Grid) -> str:
    """The page."""
    context: dict[str, Any] = {
        "version": __version__,
        "style": page_style(),
        "sum": sum_text(grid),
        "peers": grid.peers,
        "rows": [
            {"title": client.title, "version": client.version, "cells": _cells(grid, client.name)}
            for client in grid.peers
        ],
        "notes": _notes(grid),
        "hostile": _hostile(grid),
        "mutated": _mutated(grid),
        "mutated_means": MUTATED,
        "data": grid_csv(grid),
    }
    return page_text("interop.html", context)


def _cells(grid: Grid, client: str) -> list[dict[str, Any]]:
    """One a server, and one for what the client must refuse of all."""
    positive = grid.positive
    refused = [one for one in grid.handshakes if one.client == client and one.kind not in positive]
    found = []
    for server in grid.peers:
        pair = grid.of(client, server.name)
        # A certificate that was not refused is a pair's matter too: which server sent it.
        found.append(_cell(grid, [one for one in pair if one.kind in positive], pair))
    return [*found, _cell(grid, refused, ())]


def _cell(grid: Grid, shown: Sequence[Handshake], told: Sequence[Handshake]) -> dict[str, Any]:
    words = {kind.name: kind.words for kind in grid.kinds}
    right, tried = counted(shown)
    bad = [one for one in told if one.result.tried and not one.result.right]
    lacks = dict.fromkeys(f"{words[one.kind]}: {one.why}" for one in shown if one.result is Result.UNSUPPORTED)
    return {
        "text": f"{right}/{tried}" if tried else NOTHING,
        "state": "bad" if bad or right < tried else "right" if tried else "no unsupported",
        "reasons": [f"{words[one.kind]}: {one.result}, {one.why}" for one in bad],
        "lacks": "; ".join(lacks),
    }


def _notes(grid: Grid) -> list[str]:
    words = {kind.name: kind.words for kind in grid.kinds}
    notes = [f"Kinds: {'; '.join(kind.words for kind in grid.kinds if not kind.refuse)}."]
    if refused := [f"{kind.name} ({kind.refuse})" for kind in grid.kinds if kind.refuse]:
        notes.append(f"Refuses: of every server, certificates that a client must refuse: {', '.join(refused)}.")
    lacking: dict[str, dict[str, None]] = {}
    for one in grid.handshakes:
        if one.result is Result.UNSUPPORTED:
            lacking.setdefault(one.why, {})[words[one.kind]] = None
    notes += [f"Not tried: {why} ({'; '.join(kinds)})." for why, kinds in lacking.items()]
    left_open = dict.fromkeys(
        f"Agreed all the same: {words[one.kind]}: {one.why} ({one.client}, {one.server})."
        for one in grid.handshakes
        if one.result is Result.AGREED and one.why
    )
    notes += left_open
    if silent := mute(grid):
        notes.append(f"No data after the handshake, which the adapter has not yet: {', '.join(silent)}.")
    notes += [f"Without {one.name}: {one.why}." for one in grid.left_out]
    return [*notes, f"A side waits {grid.deadline_s:g} s for the other at most."]


def _hostile(grid: Grid) -> dict[str, Any] | None:
    if not grid.hostile:
        return None
    columns, rows = hostile_table(grid, {peer.name: peer.title for peer in grid.peers})
    return {"head": [column.head for column in columns], "rows": rows, "broken": broken(grid.hostile)}


def _mutated(grid: Grid) -> dict[str, Any] | None:
    if not grid.mutated:
        return None
    columns, rows = mutated_table(grid, {peer.name: peer.title for peer in grid.peers})
    return {"head": [column.head for column in columns], "rows": rows, "broken": broken_flights(grid)}


def grid_csv(grid: Grid) -> str:
    """A row a handshake, by `HEAD`."""
    must = {kind.name: "be refused" if kind.refuse else "agree" for kind in grid.kinds}
    return csv_text(
        HEAD,
        (
            (one.client, one.server, one.kind, must[one.kind], str(one.result), one.why, int(one.data))
            for one in grid.handshakes
        ),
    )
