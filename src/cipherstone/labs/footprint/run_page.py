# SPDX-License-Identifier: Apache-2.0
"""A footprint as the page of a run: the tables that the command prints, with a waterfall each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cipherstone.labs.footprint.page import falls, footprint_csv
from cipherstone.labs.footprint.results import Footprint, Row
from cipherstone.labs.footprint.tables import parts_of, title_of
from cipherstone.report.blocks.figure import Figure, Sketchbook
from cipherstone.report.blocks.room_page import LabPage, LabSection
from cipherstone.report.blocks.tables import Item, Table, item
from cipherstone.report.charts.waterfall import waterfall

QUESTION = "How small does a library get in a program that works, and what does that cost?"


def run_page(found: Footprint, book: Sketchbook, footer: str) -> LabPage:
    """All of it as a section of a report."""
    data = footprint_csv(found)
    figures: list[Figure] = []
    libraries = sorted({row.library for row in found.rows})
    for part in parts_of(found):
        if part.head:
            svgs = book.keep("labs", partial(_waterfall, found, part.group, libraries)) if part.group else []
            table = Table(part.name, part.head, tuple(tuple(map(_item, row)) for row in part.rows))
            figures.append(
                Figure(f"lab-{part.name}", part.title, table, data, svgs, footer=footer, remarks=list(part.notes))
            )
        elif figures:
            figures[-1].remarks.append(part.title)
    return LabPage(QUESTION, (), [LabSection("lab-footprint", "footprint", QUESTION, "", figures)], competition=False)


def _waterfall(found: Footprint, rows: Sequence[Row], libraries: Sequence[str]) -> str:
    title = f"{title_of(rows[0])}: {rows[0].program}, bytes of each step"
    return waterfall(falls(found, rows), libraries.index(rows[0].library), title)


def _item(text: str) -> Item:
    """A cell; a number is sorted as one."""
    try:
        return item(text, float(text.replace(",", "")))
    except ValueError:
        return item(text)
