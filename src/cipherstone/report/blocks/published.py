# SPDX-License-Identifier: Apache-2.0
"""A published page beside this run: its tables as it has them, ours beside each figure, and where the two part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cipherstone.model.estimate import Estimate
from cipherstone.model.published import (
    Beside,
    PublishedCell,
    PublishedFacts,
    PublishedLine,
    PublishedPlatform,
    PublishedTables,
)
from cipherstone.model.units import significant
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.published_across import across, across_figures, notes_of
from cipherstone.report.blocks.published_bars import bar_figures
from cipherstone.report.blocks.published_instructions import instruction_figures
from cipherstone.report.blocks.room_page import NO_FIGURE, LabSection
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.words.advice import advice
from cipherstone.report.words.numbers import supported_digits
from cipherstone.views.published import furthest, likest

QUESTION = "And beside the published figures?"
HEAD = ("table", "row", "case", "lane", "unit", "ours", "ours_low", "ours_high", "ours_deviation", "platform", "published", "published_deviation", "ratio", "apart", "why")  # fmt: skip
NOTES = "ours/it: more is better here (of times and memory it/ours, as less is better); apart: the same over the median of all rows"
ADVICE = "Which for what?"
NO_RATIO = "no ratio"  # of figures that are not of one task; why stands below
MOST_APART = 8
NONE = "-"  # as it is printed where nothing was published
MOST_PLATFORMS = 4


def published_section(view: RunView, footer: str) -> LabSection | None:
    """A table for each of the page's; None for a run of a suite that is made after none."""
    found = view.run.published
    if found is None:
        return None
    figures = [_figure(found, table, number, footer) for number, table in enumerate(found.tables)]
    figures = [*bar_figures(view, found, footer), *figures, *instruction_figures(found, footer)]
    figures += [*across_figures(found, footer), *fact_figures(found, footer)]
    figures += advice_figures(found, footer)
    told = f"{lead(found)} Furthest from that: {'; '.join(apart_lines(found))}"
    return LabSection("published", "Published", QUESTION, told.rstrip(".") + ".", figures)


def lead(found: Beside) -> str:
    """What the page is, and how its figures are compared."""
    return (
        f"{found.title}. {found.source}; {found.conditions}. Two machines, two compilers and two versions lie between its figures and these, so what is compared is how far each row parts from "
        f"what all rows did: {factor_words(found)}."
    )


def factor_words(found: Beside) -> str:
    """How much more the rows reach here, for each platform; of many platforms, for the likest and the range of the others."""
    told = [one for one in found.platforms if one.factor is not None]
    if not told:
        return "this run has none of its rows"
    if len(told) <= MOST_PLATFORMS:
        words = ", ".join(_factor_words(one) for one in told)
    else:
        nearest = found.platforms[found.nearest]
        factors = [one.factor for one in told if one.factor is not None and one is not nearest]
        words = f"{_factor_words(nearest)}, the likest of {len(told)}; the others {significant(min(factors), 3)} to {significant(max(factors), 3)} times"
    return f"in the median this run reaches {words}"


def _factor_words(one: PublishedPlatform) -> str:
    return f"{significant(one.factor or 0.0, 3)} times {one.id} ({one.rows} rows)"


def apart_lines(found: Beside) -> list[str]:
    """Rows that part from the others by more than a quarter on the platform that is likest to this machine, the furthest first; one sentence if there are none."""
    numbers = likest(found)
    platform = found.platforms[numbers[0]].id if len(numbers) == 1 else "the published figures"
    rows = furthest(found)
    if not rows:
        return [f"No row parts from the others by more than a quarter of what {platform} had."]
    lines = [
        f"{row.label}: {significant(cell.apart or 0.0, 2)} times what {platform} and all rows lead one to expect{f' ({row.note})' if row.note else ''}"
        for _, row, cell in rows[:MOST_APART]
    ]
    return [*lines, f"{len(rows) - MOST_APART} more"] if len(rows) > MOST_APART else lines


def published_table(found: Beside, table: PublishedTables) -> Table:
    """The page's table, every row of it: ours, then each platform as printed with the ratio of ours to it; the likest platform first. Of means the standard deviations behind them."""
    if table.columns:
        return across(found, table, found.nearest)
    order = [found.nearest, *(n for n in range(len(found.platforms)) if n != found.nearest)]
    order = [n for n in order if any(row.cells[n].published is not None or row.cells[n].ours is not None for row in table.rows)]  # fmt: skip
    near = likest(found)
    means = any(cell.deviation for row in table.rows for cell in row.cells)
    head = ["row", f"here, {table.unit}", *(["sd"] if means else [])]
    for number in order:
        name, unit = found.platforms[number].id, table.units[number]
        name = name if unit == table.unit else f"{name}, {unit}"
        build = found.platforms[number].build
        head += [name, *(["sd"] if means else []), *([build] if build else []), "ours/it"]
        head += ["apart"] if number in near else []
    rows = []
    for row in table.rows:
        cells = [item(row.label), _ours(row), *([_deviation(row)] if means else [])]
        for number in order:
            published, *others = _items(row, number, found.platforms[number].build, number in near)
            printed = row.cells[number].deviation
            cells += [
                published,
                *([item(printed if printed not in ("", NONE) else NO_FIGURE)] if means else []),
                *others,
            ]
        rows.append(tuple(cells))
    return Table(f"published-{_plain(table.title)}", tuple(head), tuple(rows))


def row_remarks(table: PublishedTables) -> list[str]:
    """Why rows have no figure here or no ratio, and what is known of them: a sentence for each reason."""
    fields: tuple[Literal["why", "incomparable", "note"], ...] = ("why", "incomparable", "note")
    return [f"{_some(labels)}: {told}." for field in fields for told, labels in _labels(table, field).items()]


def facts_table(facts: PublishedFacts) -> Table:
    """Figures as printed that nothing here stands beside."""
    rows = tuple(tuple(map(item, row)) for row in facts.rows)
    return Table(f"published-{_plain(facts.title)}", ("row", *facts.columns), rows)


def facts_remarks(facts: PublishedFacts) -> list[str]:
    """Where ours are, and what is known of these."""
    return [*([f"Ours: `{facts.where}`."] if facts.where else []), *facts.notes]


def fact_figures(found: Beside, footer: str) -> list[Figure]:
    """One a table of facts."""
    figures = []
    for facts in found.facts:
        shown = facts_table(facts)
        data = csv_text(shown.head, facts.rows)
        title = f"{facts.title}: as published"
        figures.append(Figure(shown.name, title, shown, data, footer=footer, remarks=facts_remarks(facts), search=facts.title))  # fmt: skip
    return figures


def advice_figures(found: Beside, footer: str) -> list[Figure]:
    """Which for what, a sentence a row; nothing where nothing can be chosen."""
    told = advice(found)
    if not told:
        return []
    table = Table("published-advice", ("what", "which"), tuple((item(what), item(which)) for what, which in told), words=2)  # fmt: skip
    data = csv_text(table.head, told)
    return [Figure(table.name, ADVICE, table, data, footer=footer, search=ADVICE)]


def _figure(found: Beside, table: PublishedTables, number: int, footer: str) -> Figure:
    remarks = row_remarks(table)
    if number == 0:
        remarks += list(found.notes)
    shown = published_table(found, table)
    return Figure(
        shown.name,
        f"{table.title}: here and as published",
        shown,
        csv_text(HEAD, (line for row in table.rows for line in _csv(found, table, row))),
        footer=footer,
        notes=notes_of(found, table) if table.columns else [NOTES] * (number == 0),
        remarks=remarks,
        search=table.title,
    )


def _labels(table: PublishedTables, field: Literal["why", "incomparable", "note"]) -> dict[str, list[str]]:
    """Rows by what is said of them."""
    found: dict[str, list[str]] = {}
    for row in table.rows:
        told: str = getattr(row, field)
        if told and (field != "incomparable" or row.ours is not None):
            found.setdefault(told, []).append(row.label)
    return found


def _some(labels: Sequence[str]) -> str:
    """The first rows by name, and how many more."""
    shown = "; ".join(labels[:3])
    return f"{shown} and {len(labels) - 3} more" if len(labels) > 3 else shown


def _ours(row: PublishedLine) -> Item:
    if row.ours is None:
        return item(NO_FIGURE)
    return _estimate(row.ours)


def _estimate(ours: Estimate) -> Item:
    return item(significant(ours.value, supported_digits(ours)), ours.value)


def _items(row: PublishedLine, number: int, build: str, likest: bool) -> list[Item]:
    """`build`: of ours that stands beside this platform; "" where the row's own does."""
    cell = row.cells[number]
    ours = cell.ours if build else row.ours
    digits = min(3, supported_digits(ours)) if ours is not None else 0
    published = item(cell.printed, cell.published) if cell.published is not None else item(NO_FIGURE)
    beside = [item(NO_FIGURE) if ours is None else _estimate(ours)] if build else []
    other = row.incomparable and cell.published is not None and ours is not None
    found = [published, *beside, item(NO_RATIO) if other else _ratio(cell.ratio, digits)]
    return [*found, _ratio(cell.apart, digits)] if likest else found


def _deviation(row: PublishedLine) -> Item:
    return item(NO_FIGURE) if row.deviation is None else item(significant(row.deviation, 3), row.deviation)


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text.lower())


def _ratio(value: float | None, digits: int) -> Item:
    """With as many digits as our figure has; a published one has three."""
    return item(NO_FIGURE) if value is None else item(significant(value, digits), value)


def _csv(found: Beside, table: PublishedTables, row: PublishedLine) -> list[tuple[object, ...]]:
    def ours(platform: PublishedPlatform, cell: PublishedCell) -> tuple[float | None, ...]:
        one = cell.ours if platform.build else row.ours
        return (one.value, one.low, one.high) if one is not None else (None, None, None)

    return [
        (table.title, row.label, row.case, platform.build or row.lane, table.unit, *ours(platform, cell), row.deviation, platform.id, cell.printed, cell.deviation, cell.ratio, cell.apart, row.why)
        for platform, cell in zip(found.platforms, row.cells, strict=True)
    ]  # fmt: skip
