# SPDX-License-Identifier: Apache-2.0
"""A published page with libraries across: one of its machines beside this run, then every other one, folded; and the publication's score."""

from __future__ import annotations

from collections.abc import Iterable

from cipherstone.model.published import CALLS_OF, Beside, PublishedCell, PublishedLine, PublishedTables
from cipherstone.model.units import significant
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.room_page import NO_FIGURE
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.words.numbers import supported_digits
from cipherstone.views.published import score

SCORE = (
    "The publication's score is a thousand times a call's time over that of its reference test. That test is compiled with the program, so that the score is of the compiler as well, its divisions "
    "subtract, and scores of two systems differ by what they do to it: a label of the publication, not a figure of a processor"
)
_DIGITS = 3


def across(found: Beside, table: PublishedTables, platform: int) -> Table:
    """Operations down, libraries across: `here, there: times`."""
    columns = table.columns
    rows: dict[str, dict[str, PublishedLine]] = {}
    for row in table.rows:
        rows.setdefault(row.operation, {})[row.column] = row
    shown = tuple(
        (item(operation), *(_cell(lines.get(column), platform) for column in columns))
        for operation, lines in rows.items()
    )
    return Table(_name(table.title), (f"{_unit(table)}", *columns), shown)


def notes_of(found: Beside, table: PublishedTables) -> list[str]:
    """How a cell is read, and which machine the published figures are of."""
    one = found.platforms[found.nearest]
    less = table.unit == "us" or table.unit in CALLS_OF
    times = "theirs over ours, so that more is faster here" if less else "ours over theirs"
    return [f"A cell: here, published for {one.id} ({'; '.join(filter(None, (one.cpu, one.versions)))}): {times}"]


def across_figures(found: Beside, footer: str) -> list[Figure]:
    """Scores, and the other machines of the page: figures that open on demand; none for a page without libraries across."""
    tables = [table for table in found.tables if table.columns]
    if not tables:
        return []
    columns = tuple(dict.fromkeys(column for table in tables for column in table.columns))
    figures = [_scores(found, tables, columns, footer)] if any(one.reference_us for one in found.platforms) else []
    for number, one in enumerate(found.platforms):
        if number == found.nearest:
            continue
        factor = f"; in the median this run is {significant(one.factor, _DIGITS)} times as fast" if one.factor else ""
        shown = _all_rows(f"published-{_plain(one.id)}", tables, columns, number)
        data = csv_text(("row", "platform", "published_us", "ratio"), _csv(tables, one.id, number))
        figures.append(
            Figure(shown.name, f"{one.id}: {one.cpu}, {one.versions}{factor}", shown, data, footer=footer, search=one.cpu, folded=True)
        )  # fmt: skip
    return figures


def _scores(found: Beside, tables: list[PublishedTables], columns: tuple[str, ...], footer: str) -> Figure:
    one = found.platforms[found.nearest]
    rows = []
    data: list[tuple[object, ...]] = []
    for table in tables:
        if table.unit != "us":
            continue
        lines: dict[str, dict[str, Item]] = {}
        for row in table.rows:
            published = row.cells[found.nearest].published
            theirs = score(published, one.reference_us) if published is not None and one.reference_us else None
            mine = score(row.ours.value, found.reference_us) if row.ours is not None and found.reference_us else None
            lines.setdefault(row.operation, {})[row.column] = _pair(mine, theirs)
            data.append((row.label, mine, theirs))
        rows += [(item(operation), *(cells.get(column, item(NO_FIGURE)) for column in columns)) for operation, cells in lines.items()]  # fmt: skip
    here = (
        f"the reference test takes {significant(found.reference_us, 4)} us here, as re-implemented"
        if found.reference_us
        else "the reference test was not run with this run, so that only the published scores stand here"
    )
    return Figure(
        "published-score",
        f"The publication's score: here, and published for {one.id}",
        Table("published-score", ("score, less is better", *columns), tuple(rows)),
        csv_text(("row", "score", f"score_{_plain(one.id)}"), data),
        footer=footer,
        remarks=[SCORE + ".", here + "."],
        folded=True,
        search="score",
    )


def _all_rows(name: str, tables: Iterable[PublishedTables], columns: tuple[str, ...], platform: int) -> Table:
    rows = []
    for table in tables:
        lines: dict[str, dict[str, PublishedLine]] = {}
        for row in table.rows:
            lines.setdefault(row.operation, {})[row.column] = row
        rows += [
            (item(operation), *(_cell(cells.get(column), platform) for column in columns))
            for operation, cells in lines.items()
        ]
    return Table(name, ("us, ratios without a unit", *columns), tuple(rows))


def _cell(row: PublishedLine | None, platform: int) -> Item:
    if row is None or (row.ours is None and row.cells[platform].published is None):
        return item(NO_FIGURE)
    cell = row.cells[platform]
    digits = supported_digits(row.ours) if row.ours is not None else 0
    here = significant(row.ours.value, digits) if row.ours is not None else NO_FIGURE
    published = cell.printed if cell.published is not None else NO_FIGURE
    both = row.ours is not None and cell.published is not None
    told = ": no ratio" if row.incomparable and both else _times(cell, digits)
    return item(f"{here}, {published}{told}", row.ours.value if row.ours is not None else None)


def _times(cell: PublishedCell, digits: int) -> str:
    return "" if cell.ratio is None else f": {significant(cell.ratio, min(_DIGITS, digits))}x"


def _pair(mine: float | None, theirs: float | None) -> Item:
    if mine is None and theirs is None:
        return item(NO_FIGURE)
    here, there = (significant(one, _DIGITS) if one is not None else NO_FIGURE for one in (mine, theirs))
    return item(f"{here}, {there}", mine)


def _csv(tables: Iterable[PublishedTables], name: str, platform: int) -> list[tuple[object, ...]]:
    return [
        (row.label, name, row.cells[platform].printed, row.cells[platform].ratio)
        for table in tables
        if table.unit == "us"
        for row in table.rows
    ]


def _unit(table: PublishedTables) -> str:
    return {"us": "us a call", **{unit: f"s for {calls}" for unit, calls in CALLS_OF.items()}}.get(table.unit, "ratio")


def _name(title: str) -> str:
    return f"published-{_plain(title)}"


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text.lower())
