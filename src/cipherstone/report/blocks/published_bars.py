# SPDX-License-Identifier: Apache-2.0
"""A publication's bar chart, drawn again from its rows with ours beside each."""

from __future__ import annotations

from cipherstone.model.ids import Lane
from cipherstone.model.published import Beside, PublishedBars, PublishedLine
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE
from cipherstone.report.blocks.tables import Table, csv_text, item
from cipherstone.report.charts.paired_bars import Pair, pairs

SCALES = {"KiB/process": ("MiB", 1 / 1024), "ms/process": ("ms", 1.0)}


def bar_figures(view: RunView, found: Beside, footer: str) -> list[Figure]:
    """One a chart; those of which nothing was measured here are drawn from the published figures alone."""
    return [_figure(view, found, one, number, footer) for number, one in enumerate(found.bars)]


def _figure(view: RunView, found: Beside, chart: PublishedBars, number: int, footer: str) -> Figure:
    lines = {row.label: (table.unit, row) for table in found.tables for row in table.rows}
    groups = [(group.label, [(*lines[label], label) for label in group.rows]) for group in chart.groups]
    unit, scale = SCALES[groups[0][1][0][0]]
    drawn, table, data = [], [], []
    for title, rows in groups:
        bars = []
        for _, row, label in rows:
            theirs, ours, who = _published(row, scale), _ours(row, scale), label.partition(":")[0]
            library = Lane.parse(row.lane).library if row.lane else ""
            bars.append(Pair(who, library, theirs, ours))
            data.append((title, who, theirs, ours))
            cells = (item(NO_FIGURE) if one is None else item(f"{one:.2f}", one) for one in (theirs, ours))
            table.append((item(title), item(who), *cells))
        drawn.append((title, bars))
    name = f"published-chart-{number}"
    head = ("task", "library", f"published, {unit}", f"here, {unit}")
    svg = pairs(drawn, view.libraries, unit, chart.title)
    return Figure(
        name,
        f"{chart.title}: as published and here",
        Table(name, head, tuple(table), words=2),
        csv_text(("task", "library", f"published_{unit}", f"here_{unit}"), data),
        [svg],
        footer=footer,
        notes=[chart.note] if chart.note else [],
        search=chart.title,
        folded=True,
    )


def _published(row: PublishedLine, scale: float) -> float | None:
    value = next((cell.published for cell in row.cells if cell.published is not None), None)
    return None if value is None else value * scale


def _ours(row: PublishedLine, scale: float) -> float | None:
    return None if row.ours is None else row.ours.value * scale
