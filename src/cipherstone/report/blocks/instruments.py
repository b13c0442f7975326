# SPDX-License-Identifier: Apache-2.0
"""Figures of instruments as a page, whatever they are of: a table a case, lanes by figures, with ratios to the base where lanes are compared."""

from __future__ import annotations

from collections.abc import Iterator

from cipherstone.model.instruments import FigureKind, FigureSummary, InstrumentCase, InstrumentPlan
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, LabPage, LabSection, ratio_item
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.words.numbers import estimate_text, interval_text

HEAD = ("instrument", "case", "lane", "figure", "unit", "value", "low", "high", "passes", "turns", "undisturbed", "base", "ratio", "ratio_low", "ratio_high", "verdict", "note", "words")  # fmt: skip


def instrument_page(view: RunView, footer: str) -> LabPage | None:
    """A section an instrument; None for a run without one."""
    sections = [_section(view, plan, footer) for plan in view.run.manifest.instruments]
    question = "; ".join(plan.title for plan in view.run.manifest.instruments)
    return LabPage(question, (), sections, competition=False) if sections else None


def _section(view: RunView, plan: InstrumentPlan, footer: str) -> LabSection:
    rows = [one for one in view.run.figures if one.instrument == plan.name]
    data = csv_text(HEAD, (list(figure_values(one)) for one in rows))
    figures = [
        Figure(f"instrument-{plan.name}-{number}", case.title, _table(plan, case, rows, f"{plan.name}-{number}"), data, footer=footer)
        for number, case in enumerate(plan.cases)
    ]  # fmt: skip
    if figures:
        figures[-1].remarks += [f"{kind.name}: {kind.meaning}" for kind in plan.figures]
        figures[-1].remarks += [f"without {one.name}: {one.why}" for one in plan.left_out]
    return LabSection(f"instrument-{plan.name}", plan.name, plan.title, "", figures)


def _table(plan: InstrumentPlan, case: InstrumentCase, rows: list[FigureSummary], name: str) -> Table:
    found = {(one.lane, one.figure): one for one in rows if one.case == case.id}
    kinds = [kind for kind in plan.figures if any(figure == kind.name and one.known for (_, figure), one in found.items())]  # fmt: skip
    titles = {one.id: one.title for one in plan.lanes}
    lines = []
    for lane in case.lanes:
        twin = " (again)" if lane.endswith("#2") else ""
        title = titles.get(lane.removesuffix("#2"), lane) + twin
        lines.append((item(title), *(cell for kind in kinds for cell in _cells(kind, found.get((lane, kind.name))))))
    return Table(name, ("lane", *(word for kind in kinds for word in _heads(kind))), tuple(lines))


def _heads(kind: FigureKind) -> tuple[str, ...]:
    if kind.words:
        return (kind.name,)
    name = f"{kind.name} {kind.unit}" if not kind.name.endswith(f"_{kind.unit}") else kind.name
    if kind.exact:
        return (name, "x") if kind.compared else (name,)
    return (name, "x", "from to") if kind.compared else (name,)


def _cells(kind: FigureKind, one: FigureSummary | None) -> tuple[Item, ...]:
    if kind.words:
        return (item(NO_FIGURE if one is None else one.words or NO_FIGURE),)
    if one is None or one.value is None:
        value = item(NO_FIGURE)
    elif kind.exact:
        value = item(f"{one.value.value:,.15g}", one.value.value)
    else:
        value = item(estimate_text(one.value), one.value.value)
    if kind.exact and kind.compared:
        return value, ratio_item(None if one is None or one.ratio is None else one.ratio.value)
    if not kind.compared:
        return (value,)
    ratio = None if one is None else one.ratio
    return value, ratio_item(ratio), item(NO_FIGURE if ratio is None or ratio.low is None else interval_text(ratio))


def figure_values(one: FigureSummary) -> Iterator[object]:
    """A row of CSV, by `HEAD`."""
    yield from (one.instrument, one.case, one.lane, one.figure, one.unit)
    yield from (None,) * 3 if one.value is None else (one.value.value, one.value.low, one.value.high)
    yield from (len(one.by_pass), one.turns, one.undisturbed, one.base)
    yield from (None,) * 3 if one.ratio is None else (one.ratio.value, one.ratio.low, one.ratio.high)
    yield from (one.verdict, one.note, one.words)
