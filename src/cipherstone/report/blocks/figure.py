# SPDX-License-Identifier: Apache-2.0
"""A chart with its question, its table and its data: what each section of the page is made of. Counts charts, so that huge runs stay readable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate
from cipherstone.report.blocks.grid import STATES, UNSETTLED, RunView, marks_of, state_of
from cipherstone.report.blocks.tables import Item, Table, item
from cipherstone.report.charts.drawn import FamilyMark, FamilyRow, family
from cipherstone.report.charts.svg import draw
from cipherstone.report.charts.vega_lite import Dot, Spec
from cipherstone.report.words.numbers import (
    bytes_text,
    cycles_text,
    energy_text,
    half_width,
    interval_text,
    rate_text,
    ratio_beside_interval,
    stack_text,
)

# Drawing takes 20 to 50 ms a chart. A default suite stays below these; past them a section keeps its tables and says so.
MOST_CHARTS = {"ranking": 60, "sizes": 40, "implementations": 60, "phases": 8, "cells": 20, "labs": 40}


@dataclass
class Figure:
    """`svgs`: drawn charts, none if the section's limit was reached. `table` and `data` are always there. `folded`: the table opens on demand.

    `data`: CSV; or ids of cases, whose rows the page takes out of the CSV of all cells, so that they stand in it once; `source`: the anchor of that CSV.

    `whole`: a terminal shows all columns, in blocks below each other where it is narrow.

    `legend`: library, name and number of the build of each lane drawn. `notes` stand above the table, `remarks` below it.
    """

    anchor: str
    question: str
    table: Table
    data: str | Sequence[str]
    svgs: list[str] = field(default_factory=list)
    answer: str = ""
    timed: str = ""
    footer: str = ""
    legend: list[tuple[str, str, int]] = field(default_factory=list)
    notes: Sequence[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    more: Table | None = None
    search: str = ""
    folded: bool = False
    whole: bool = False
    source: str = "all-data"


class Note(str):
    """A note that speaks of libraries: the page leaves it out where one of them is hidden."""

    libraries: tuple[str, ...] = ()

    @staticmethod
    def of(text: str, lanes: Iterable[str]) -> Note:
        """`text`, about `lanes`."""
        note = Note(text)
        note.libraries = tuple(sorted({Lane.parse(lane).library for lane in lanes}))
        return note


class Sketchbook:
    """Draws charts up to each section's limit and remembers which sections reached it."""

    def __init__(self) -> None:
        self.drawn: dict[str, int] = {}
        self.refused: dict[str, int] = {}
        self.lost: dict[str, int] = {}  # what cannot be drawn here

    def draw(self, section: str, spec: Spec, title: str) -> list[str]:
        """The SVG of a specification in a list, or an empty list past the limit, and where it cannot be drawn here."""
        return self.keep(section, lambda: draw(spec, title))

    def keep(self, section: str, drawn: Callable[[], str]) -> list[str]:
        """What `drawn` gives, in a list; an empty list past the limit, or if that is nothing."""
        if self.drawn.get(section, 0) >= MOST_CHARTS[section]:
            self.refused[section] = self.refused.get(section, 0) + 1
            return []
        self.drawn[section] = self.drawn.get(section, 0) + 1
        if svg := drawn():
            return [svg]
        self.lost[section] = self.lost.get(section, 0) + 1
        return []

    def words(self, section: str) -> str:
        """A sentence if charts were left out, else ""."""
        left, lost = self.refused.get(section, 0), self.lost.get(section, 0)
        if lost:
            return f"{lost + left} charts are shown as tables only: they could not be drawn where this page was made."
        return (
            f"This run is large: the first {MOST_CHARTS[section]} charts are drawn, {left} more are shown as tables only."
            if left
            else ""
        )


def lane_dots(view: RunView, case: CaseSummary, rows: Sequence[tuple[int, CellSummary]]) -> list[Dot]:
    """Rows of a ranking as dots; a lane whose ratio is missing carries the word `no ratio`."""
    ratios = view.ratios(case)
    out = []
    for group, cell in rows:
        found = ratios.get(cell.lane)
        ratio = found.ratio if found is not None else None
        out.append(
            Dot(
                marked_title(view, cell),
                Lane.parse(cell.lane).library,
                ratio,
                group,
                "" if ratio else "no ratio",
                view.lane_variant(cell.lane),
            )
        )
    return out


def marked_title(view: RunView, cell: CellSummary) -> str:
    """`Botan \u2020`: the lane's name, with the mark of a lax or strict one."""
    return f"{view.lane_title(cell.lane)} {marks_of(cell)}".rstrip()


def lane_item(view: RunView, case: CaseSummary, cell: CellSummary) -> Item:
    """The lane's name with its marker, linked to its page."""
    lane = Lane.parse(cell.lane)
    return Item(marked_title(view, cell), None, lane.library, cell_anchor(case, cell), cell.lane, view.variant(lane.build_id))  # fmt: skip


def cell_anchor(case: CaseSummary, cell: CellSummary) -> str:
    """Anchor of a cell's page: letters, digits and `-` only."""
    return "cell-" + "".join(c if c.isalnum() else "-" for c in f"{case.case}--{cell.lane}")


def ranking_table(view: RunView, case: CaseSummary, name: str) -> Table:
    """Place, relative cost with interval, absolute rate, cycles, memory; lanes without a figure at the end, with the word."""
    ratios, base = view.ratios(case), {r.lane: r for r in case.to_base}
    rows = view.ranked(case)
    cells = [cell for _, cell in rows]
    heap = [_heap(c) for c in cells]
    stack = [c.memory.stack_bytes if c.memory is not None else None for c in cells]
    with_heap, with_stack = any(h is not None for h in heap), any(s is not None for s in stack)
    with_cycles = any(c.cycles is not None for c in cells)
    energy = [energy_j(c) for c in cells]
    with_energy = any(joules is not None for joules in energy)
    per = "cycles/byte" if case.size_bytes else "cycles"
    head = ["library", "place", "cost", "interval", "rate"]
    head += [per] * with_cycles + ["heap"] * with_heap + ["stack"] * with_stack + ["energy"] * with_energy
    head += [f"against {view.run.manifest.settings.base or 'base'}"] * bool(base)
    sizes = {g: sum(1 for other, _ in rows if other == g) for g, _ in rows}
    out: list[tuple[Item, ...]] = []
    for i, (group, cell) in enumerate(rows):
        place = 1 + sum(1 for other, _ in rows if UNSETTLED < other < group)
        found = ratios.get(cell.lane)
        ratio = found.ratio if found is not None else None
        line = [
            lane_item(view, case, cell),
            item("not settled") if group == UNSETTLED else item(f"{place}{' tie' if sizes[group] > 1 else ''}", place),
            *_ratio_items(ratio, found is not None and found.base == cell.lane),
        ]
        line.append(item(rate_text(cell.ns, case.size_bytes), 1 / cell.ns.value) if cell.ns else item("withheld"))
        if with_cycles:
            line.append(
                item(cycles_text(cell.cycles, case.size_bytes), cell.cycles.value) if cell.cycles else item("not given")
            )
        line += [_bytes_item(heap[i])] * with_heap + [_stack_item(stack[i])] * with_stack
        if with_energy:
            joules = energy[i]
            line.append(item("unknown") if joules is None else item(energy_text(joules), joules))
        if base:
            line.append(_ratio_items(base[cell.lane].ratio if cell.lane in base else None)[0])
        out.append(tuple(line))
    for cell in view.without_figure(case):
        word = item(STATES[state_of(case, cell)][0])
        out.append((lane_item(view, case, cell), item("not ranked"), word, *(item("\u2013") for _ in head[3:])))
    return Table(name, tuple(head), tuple(out))  # fmt: skip


def _ratio_items(ratio: Estimate | None, itself: bool = False) -> list[Item]:
    if itself:
        return [item("1.00", 1.0), item("compared with", 0.0)]
    if ratio is None:
        return [item("no ratio"), item("no interval")]
    half = half_width(ratio)
    return [item(ratio_beside_interval(ratio), ratio.value), item(interval_text(ratio), half)]


def _heap(cell: CellSummary) -> int | None:
    if cell.memory is None:
        return None
    peaks = [v for v in (cell.memory.warm_peak_bytes, cell.memory.held_bytes) if v is not None]
    return max(peaks) if peaks else None


def energy_j(cell: CellSummary) -> float | None:
    """Joules of a call, of the whole package; None where the system counts none."""
    told = cell.facts.get("energy_pj")
    return told / 1e12 if isinstance(told, int) else None


def _bytes_item(count: int | None) -> Item:
    return item("unknown") if count is None else item(bytes_text(count), count)


def _stack_item(count: int | None) -> Item:
    return item("unknown") if count is None else item(stack_text(count), count)


def ranking_figure(view: RunView, case: CaseSummary, footer: str) -> Figure:
    """Who is fastest in `case`: the table; the chart is that of its family."""
    question = f"Who is fastest at {view.case_title(case)}?"
    name = rank_anchor(case)
    ended = f", ended: {case.end}" if case.end is not None else ""
    passes = f"{case.passes_valid} complete passes of {case.passes_tried}{ended}"
    return Figure(
        name, question, ranking_table(view, case, name), (case.case,), timed=case.timed, footer=f"{passes}; {footer}"
    )


def family_chart(view: RunView, book: Sketchbook, title: str, cases: Sequence[CaseSummary]) -> list[str]:
    """One drawing of all `cases` of a family: a row a case, the lane that stands for each build in the grid as a marker."""
    rows = []
    for case in cases:
        shown = [g for g in view.grid_row(case) if g.cell is not None and g.ratio is not None]
        marks = [
            FamilyMark(g.cell.lane, Lane.parse(g.cell.lane).library, f"{view.lane_title(g.cell.lane)} {ratio_beside_interval(g.ratio)}", g.ratio, view.variant(g.build))
            for g in shown if g.cell is not None and g.ratio is not None
        ]  # fmt: skip
        rows.append(FamilyRow(case.case, view.case_title(case), marks))
    if not any(row.marks for row in rows):
        return []
    return book.keep(
        "ranking", lambda: family(rows, view.libraries, f"{title}: how far is each library from the best?")
    )


def rank_anchor(case: CaseSummary) -> str:
    """Anchor of a case's ranking."""
    return "rank-" + "".join(c if c.isalnum() else "-" for c in case.case)
