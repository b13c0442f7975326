# SPDX-License-Identifier: Apache-2.0
"""The grid as the page of a run: the tables that the command prints."""

from __future__ import annotations

from cipherstone.labs.tls.interop.grid import Grid
from cipherstone.labs.tls.interop.page import grid_csv
from cipherstone.labs.tls.interop.tables import (
    HOSTILE_MEANS,
    MUTATED,
    broken,
    broken_flights,
    grid_notes,
    grid_rows,
    hostile_table,
    mutated_table,
)
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.room_page import LabPage, LabSection
from cipherstone.report.blocks.tables import Table, csv_text, item

QUESTION = "Which TLS libraries understand each other?"


def grid_page(grid: Grid, footer: str) -> LabPage:
    """All of it as a section of a report."""
    head = ("client", *(str(number) for number, _ in enumerate(grid.peers, 1)), "refuses")
    figures = [
        Figure(
            "lab-interop",
            "Clients in rows, servers in columns",
            _table("interop", head, grid_rows(grid)),
            grid_csv(grid),
            remarks=list(grid_notes(grid)),
        )
    ]
    numbers = {peer.name: str(at) for at, peer in enumerate(grid.peers, 1)}
    if grid.hostile:
        columns, rows = hostile_table(grid, numbers)
        figures.append(_figure("hostile", HOSTILE_MEANS, [one.head for one in columns], rows, broken(grid.hostile)))
    if grid.mutated:
        columns, rows = mutated_table(grid, numbers)
        told = [MUTATED, *broken_flights(grid)]
        figures.append(_figure("mutated", "Mutated flights", [one.head for one in columns], rows, told))
    for one in figures:
        one.footer = footer
    return LabPage(QUESTION, (), [LabSection("lab-interop-grid", "interop", QUESTION, "", figures)], competition=False)


def _figure(name: str, title: str, head: list[str], rows: list[list[str]], remarks: list[str]) -> Figure:
    shown = _table(f"interop-{name}", tuple(head), [tuple(row) for row in rows])
    return Figure(f"lab-interop-{name}", title, shown, csv_text(head, rows), remarks=remarks)


def _table(name: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    return Table(name, head, tuple(tuple(map(item, row)) for row in rows))
