# SPDX-License-Identifier: Apache-2.0
"""The section on first calls: what a program pays that does an operation once, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, FirstCallSummary
from cipherstone.model.units import format_time
from cipherstone.report.blocks.figure import MOST_CHARTS, Figure, Sketchbook, lane_item
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.tables import Item, Table, item
from cipherstone.report.charts.firsts import FirstCalls, firsts
from cipherstone.report.words.numbers import time_and_range

HEAD = ("library", "open", "seed", "fetch", "set-up", "first call", "all once", "later call", "teardown")


def phase_figures(view: RunView, book: Sketchbook, cards: list[CaseSummary], footer: str) -> list[Figure]:
    """What one call in a fresh process costs: charts for the carded cases, a table of all other headline cases."""
    figures = []
    everything: list[tuple[Item, ...]] = []
    timed: list[str] = []
    others: list[tuple[str, FirstCallSummary]] = []
    wanted = {c.case for c in cards[: MOST_CHARTS["phases"]]}
    for case in {c.case: c for c in (*cards, *view.headline)}.values():
        rows = _rows(view, case)
        if not rows:
            continue
        lines = [_items(view, case, cell, first) for cell, first in rows]
        if case.case not in wanted:
            everything += [(item(view.case_title(case)), *line) for line in lines]
            timed.append(case.case)
            others += [(f"{view.lane_title(cell.lane)}, {view.case_title(case)}", first) for cell, first in rows]
            continue
        drawn = [
            FirstCalls(
                cell.lane,
                Lane.parse(cell.lane).library,
                view.lane_title(cell.lane),
                first.steady.value,
                first.call.value,
                first.once.value,
            )
            for cell, first in rows
        ]
        question = f"What does a single {view.case_title(case)} cost in a fresh process?"
        svgs = book.keep("phases", partial(firsts, drawn, case.case, question))
        name = "first-" + "".join(c if c.isalnum() else "-" for c in case.case)
        table = Table(name, HEAD, tuple(lines))
        answer = _ends([(view.lane_title(cell.lane), first) for cell, first in rows])
        search = f"{case.title} {case.case}"
        figures.append(Figure(name, question, table, (case.case,), svgs, answer, footer=footer, search=search))
    if everything:
        table = Table("first-all", ("operation", *HEAD), tuple(everything), 2)
        question = f"What does a single call cost, for every {'other ' * bool(figures)}operation?"
        figures.append(Figure("first-all", question, table, timed, answer=_ends(others), footer=footer, folded=True))
    return figures


def _rows(view: RunView, case: CaseSummary) -> list[tuple[CellSummary, FirstCallSummary]]:
    """Ranked cells whose first call was measured, cheapest first."""
    rows = [(cell, cell.first) for _, cell in view.ranked(case) if cell.first is not None and cell.ns is not None]
    return sorted(rows, key=lambda row: row[1].once.value)


def _ends(rows: Sequence[tuple[str, FirstCallSummary]]) -> str:
    """`Least: Nettle, 12.3 us; most: OpenSSL, 1.93 ms.`, of all that is paid once."""
    least, most = (pick(rows, key=lambda row: row[1].once.value) for pick in (min, max))
    if least is most:
        return f"{least[0]}, {format_time(least[1].once.value, 3)}."
    return f"Least: {least[0]}, {format_time(least[1].once.value, 3)}; most: {most[0]}, {format_time(most[1].once.value, 3)}."


def _items(view: RunView, case: CaseSummary, cell: CellSummary, first: FirstCallSummary) -> tuple[Item, ...]:
    steps = (first.open, first.seed, first.fetch, first.setup, first.call)
    once = item(time_and_range(first.once), first.once.value)
    return (lane_item(view, case, cell), *map(_step, steps), once, _step(first.steady), _step(first.teardown))


def _step(estimate: Estimate | None) -> Item:
    return item("none") if estimate is None else item(format_time(estimate.value, 3), estimate.value)
