# SPDX-License-Identifier: Apache-2.0
"""The roofline: how much of what this machine's instructions allow each result reaches, by instruction-set tier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cipherstone.model.ids import Lane
from cipherstone.model.roofline import RooflineRow
from cipherstone.model.units import significant
from cipherstone.report.blocks.figure import Figure, Sketchbook
from cipherstone.report.blocks.grid import FAMILY_TITLES, RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, LabSection, lane_words
from cipherstone.report.blocks.tables import Item, Table, csv_text, item, seven_digits
from cipherstone.report.charts.measures import Share
from cipherstone.report.charts.rows import shares
from cipherstone.report.words.numbers import supported_digits
from cipherstone.views.roofline import LEAST_SHARE, TOLERANCE, percent, times

MOST_ROWS = 24  # of one chart; a family that has more gets a chart an operation
HEAD = ("case", "lane", "per", "cycles", "cycles_low", "cycles_high", "tier", "kind", "bound_cycles", "share", "limiting", "unit", "fits", "left", "flag", "reason")  # fmt: skip
QUESTION = "How much do the instructions of this machine leave?"
LEAD = (
    "A bound is what a model of the operation allows on this core, from measured latencies and throughputs of its instructions, for each instruction set that this processor has. "
    f"No result passes 100 % with that instruction set by more than the error of the figures: {percent(TOLERANCE - 1)} is allowed for it. A result stands against the tiers that it does not exceed: one that exceeds a tier uses a better one."
)


def rows_of_run(view: RunView) -> tuple[RooflineRow, ...]:
    """The roofline's rows, empty for a run without a spectrum."""
    return view.run.roofline


def roofline_section(view: RunView, book: Sketchbook, footer: str) -> LabSection | None:
    """A chart and a table a family; without figures but with the reason where the spectrum was refused. None for a run without a spectrum."""
    spectrum = view.run.manifest.spectrum
    if spectrum is None:
        return None
    if spectrum.refused:
        return LabSection("roofline", "Roofline", QUESTION, f"No bounds in this run: {spectrum.refused}.", [])
    rows = [row for row in rows_of_run(view) if row.tiers]
    figures = []
    for family in dict.fromkeys(row.family for row in rows):
        mine = [row for row in rows if row.family == family]
        if len(best_rows(mine)) <= MOST_ROWS:
            title = FAMILY_TITLES.get(family, family.capitalize())
            figures.append(_figure(view, family, title, mine, book, footer))
            continue
        for operation in dict.fromkeys(row.operation for row in mine):
            some = [row for row in mine if row.operation == operation]
            figures.append(_figure(view, operation, some[0].title, some, book, footer))
    if not figures:
        return None
    data = csv_text(HEAD, (line for row in rows for line in _csv(row)))
    return LabSection("roofline", "Roofline", QUESTION, LEAD, figures, data)


def best_rows(rows: Iterable[RooflineRow]) -> list[RooflineRow]:
    """The lane of each build that stands first in the ranking of each operation, in the order of the run, inside an operation in that of the ranking."""
    best: dict[tuple[str, str], RooflineRow] = {}
    for row in rows:
        key = (row.operation, Lane.parse(row.lane).build_id)
        if key not in best or row.place < best[key].place:
            best[key] = row
    order = {operation: place for place, operation in enumerate(dict.fromkeys(row.operation for row in best.values()))}
    return sorted(best.values(), key=lambda row: (order[row.operation], row.place))


def _figure(view: RunView, name: str, title: str, rows: Sequence[RooflineRow], book: Sketchbook, footer: str) -> Figure:
    anchor = "roofline-" + "".join(c if c.isalnum() else "-" for c in name)
    question = f"{title}: how close to the bound?"
    shown = best_rows(rows)
    alone = len({row.operation for row in rows}) == 1
    marks = [mark for row in shown for mark in _marks(row, _label(view, row, alone))]
    kinds = list(dict.fromkeys(mark.kind for mark in marks if not mark.flagged))
    svgs = book.keep("labs", lambda: shares(marks, kinds, question)) if marks else []
    flagged = [row for row in rows if row.flag]
    whys = sorted({row.why for row in rows if row.why and not (row.flag or row.reason)})
    notes = [
        "The chart shows the implementation of each library that stands first in the ranking, a dot for each tier that it does not exceed; the table shows all."
    ]
    if flagged:
        notes.append(
            f"{len(flagged)} {'result has' if len(flagged) == 1 else 'results have'} no finding: a share above {percent(TOLERANCE)} of every tier, or below {percent(LEAST_SHARE)}, says that the model is wrong for it."
        )
    return Figure(
        anchor,
        question,
        _table(view, anchor, rows),
        list(dict.fromkeys(row.case for row in rows)),
        svgs,
        answer=_answer(shown),
        footer=footer,
        notes=notes,
        remarks=[f"{why[:1].upper()}{why[1:]}." for why in whys],
        search=title,
        folded=True,
        source="roofline-data",
    )


def _label(view: RunView, row: RooflineRow, alone: bool = False) -> str:
    """The result's name; without the operation where a chart is of one operation."""
    name = lane_words(view, row.lane)
    return name if alone else f"{row.title}, {name}"


def _marks(row: RooflineRow, label: str) -> list[Share]:
    """A dot a tier that the result does not exceed; one mark for a result whose model is wrong."""
    bounded = [tier for tier in row.tiers if tier.share is not None]
    if row.flag:
        least = min((tier.share or 0.0 for tier in bounded), default=0.0)
        fitting = row.fitting
        share = fitting.share if fitting is not None and fitting.share is not None else least
        return [Share(label, "", share, flagged=True)]
    found = []
    for tier in bounded:
        if tier.share is None or tier.bound is None or tier.share > TOLERANCE:
            continue
        low = tier.bound / row.measured.high if row.measured is not None and row.measured.high else None
        high = tier.bound / row.measured.low if row.measured is not None and row.measured.low else None
        found.append(Share(label, tier.tier, tier.share, low, high))
    return found


def _answer(rows: Sequence[RooflineRow]) -> str:
    """The result nearest to its best tier, and the one with most left."""
    known = [row for row in rows if not row.flag and row.left is not None]
    if not known:
        return "No result has a finding here."
    nearest = min(known, key=lambda row: row.left or 0.0)
    most = max(known, key=lambda row: row.left or 0.0)
    parts = [f"Nearest: {nearest.sentence}"]
    if most is not nearest:
        parts.append(f"most left: {most.sentence}")
    return "; ".join(parts) + "."


def _table(view: RunView, name: str, rows: Sequence[RooflineRow]) -> Table:
    head = (
        "operation",
        "lane",
        "cycles",
        "per",
        "reaches",
        "of tier",
        "best tier",
        "reaches",
        "left",
        "limited by",
    )
    lines = []
    for row in rows:
        start = [
            item(row.title),
            Item(view.lane_title(row.lane), None, Lane.parse(row.lane).library),
            _cycles_item(row),
            item(row.per),
        ]
        if row.flag or row.reason:
            lines.append(
                (*start, item("no finding"), *(item(NO_FIGURE) for _ in range(4)), item(row.flag or row.reason))
            )
            continue
        fits, best = row.fitting, row.best
        lines.append(
            (
                *start,
                _share_item(fits.share if fits is not None else None),
                item(fits.tier if fits is not None else NO_FIGURE),
                item(best.tier if best is not None else NO_FIGURE),
                _share_item(best.share if best is not None else None),
                item(times(row.left), row.left) if row.left is not None else item(NO_FIGURE),
                item(fits.limiting.partition(".")[2] if fits is not None else NO_FIGURE),
            )
        )
    return Table(name, head, tuple(lines), words=2, tail=1)


def _cycles_item(row: RooflineRow) -> Item:
    if row.measured is None:
        return item(NO_FIGURE)
    return item(significant(row.measured.value, supported_digits(row.measured)), row.measured.value)


def _share_item(share: float | None) -> Item:
    return item(NO_FIGURE) if share is None else item(percent(share), share)


def _csv(row: RooflineRow) -> list[tuple[object, ...]]:
    seen = row.measured
    measured = tuple(map(seven_digits, (seen.value, seen.low, seen.high))) if seen is not None else (None,) * 3
    end = (row.fits, seven_digits(row.left), row.flag, row.reason)
    if not row.tiers:
        return [(row.case, row.lane, row.per, *measured, "", "", None, None, "", "", *end)]
    return [
        (
            row.case,
            row.lane,
            row.per,
            *measured,
            t.tier,
            t.kind,
            seven_digits(t.bound),
            seven_digits(t.share),
            t.limiting,
            t.unit,
            *end,
        )
        for t in row.tiers
    ]


def summary_table(view: RunView) -> Table | None:
    """A row an operation, the first lane of its ranking, for reports of text; None without a spectrum or a row."""
    first: dict[str, RooflineRow] = {}
    for row in best_rows(row for row in rows_of_run(view) if row.tiers):
        first.setdefault(row.operation, row)
    lines = []
    for row in first.values():
        name, fits, best = item(_label(view, row)), row.fitting, row.best
        if row.flag or fits is None or best is None:
            lines.append((name, item("model in doubt"), item(NO_FIGURE), item(NO_FIGURE), item(NO_FIGURE)))
            continue
        lines.append(
            (
                name,
                item(f"{percent(fits.share or 0.0)} {fits.tier}", fits.share),
                item(f"{percent(best.share or 0.0)} {best.tier}", best.share),
                item(times(row.left or 1.0).removesuffix(" left"), row.left),
                item(fits.limiting.partition(".")[2]),
            )
        )
    return (
        Table(
            "roofline", ("first of the ranking", "of its tier", "of the best tier", "left", "limited by"), tuple(lines)
        )
        if lines
        else None
    )
