# SPDX-License-Identifier: Apache-2.0
"""The comparison as tables of a terminal: one a family, with the builds beside each other, or below each other where they are too many for one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cipherstone.model.ids import build_label, variant_of
from cipherstone.model.summary import CaseSummary
from cipherstone.model.text import in_one_line
from cipherstone.model.units import format_size
from cipherstone.report.blocks.grid import GridCell, RunView
from cipherstone.report.render.pen import Pen
from cipherstone.report.render.screen_table import Cell, ScreenColumn, Styled, blocks, table_lines
from cipherstone.report.words.numbers import rate_text, ratio_text

TWO_SPEEDS = "\u00b2"
LEAST_LABEL = 16
RATE_WIDTH = 12
HEAD_LINE = 9  # of a head over several lines, if its words are no longer
SHORT = {
    "unsupported": ("n/a", "not offered by the library"),
    "unavailable": ("no cpu", "not on this CPU or build"),
    "wrong": ("WRONG", "a wrong result, not timed"),
    "crashed": ("crash", "the process ended"),
    "timed-out": ("hung", "no answer in time"),
    "contended": ("busy", "too few undisturbed batches"),
    "withheld": ("held", "too uncertain to publish"),
    "processes": ("alone", "timed as whole processes alone"),
    "not-run": ("-", "not in this run"),
}


def comparison(view: RunView, pen: Pen) -> list[str]:
    """A block for every family (and size). Rows are operations and columns builds; where the builds do not fit beside each other it is the other way round, without those that offer nothing of the family."""
    lines = pen.titled("Cost relative to the best", "(1.00 = best, 2.00 = takes twice as long)")
    widths = [max([len(label(c, with_size=False)) for c in view.headline] + [12])]
    widths += [_column_width(view, column) for column in view.columns]
    beside = len(blocks(widths, pen.width, first=LEAST_LABEL)) == 1
    for family, members in view.families(view.headline):
        sizes = {c.size_bytes for c in members}
        shared = next(iter(sizes)) if len(sizes) == 1 else None
        heading = f"{family}, {format_size(shared)}" if shared is not None else family
        lines += ["", pen.styled(heading[: pen.width], "bold")]
        if beside:
            lines += _builds_beside(view, pen, widths, members, shared is None)
        else:
            lines += _builds_below(view, pen, members, shared is None)
    return [*lines, ""]


def _builds_beside(
    view: RunView, pen: Pen, widths: Sequence[int], members: Sequence[CaseSummary], with_size: bool
) -> list[str]:
    wide = min(widths[0], max(LEAST_LABEL, pen.width - sum(widths[1:]) - len(view.columns)))
    with_rate = pen.width - wide - sum(width + 1 for width in widths[1:]) >= RATE_WIDTH
    columns = [ScreenColumn(words=True, least=wide)]
    columns += [
        ScreenColumn(_head(view, c)[:width], least=width) for c, width in zip(view.columns, widths[1:], strict=True)
    ]
    columns += [ScreenColumn("best is", least=RATE_WIDTH - 1)] if with_rate else []
    rows: list[Sequence[Cell]] = [
        [
            label(case, with_size),
            *(_cell(view.grid_cell(case, column)) for column in view.columns),
            *([_best_rate(case)] if with_rate else []),
        ]
        for case in members
    ]
    return table_lines(columns, rows, pen.width, colour=pen.colour, first=LEAST_LABEL)


def _builds_below(view: RunView, pen: Pen, members: Sequence[CaseSummary], with_size: bool) -> list[str]:
    """A line for each build, a head of several lines for each operation; several tables if these do not fit."""
    grid = {column: [view.grid_cell(case, column) for case in members] for column in view.columns}
    having = [column for column, cells in grid.items() if _any(cells)]
    heads = [_head_lines(label(case, with_size)) for case in members]
    widths = [max(len(_head(view, column)) for column in having)]
    widths += [max(7, *map(len, head)) for head in heads]
    lines: list[str] = []
    for part in blocks(widths, pen.width, first=LEAST_LABEL):
        chosen = [number - 1 for number in part]
        columns = [ScreenColumn(words=True, least=widths[0]), *(ScreenColumn(least=widths[number]) for number in part)]
        deep = max(len(heads[number]) for number in chosen)
        padded = [[""] * (deep - len(heads[number])) + heads[number] for number in chosen]
        rows: list[Sequence[Cell]] = [
            ["", *(Styled(text, "dim") for text in line)] for line in zip(*padded, strict=True)
        ]
        for column in having:
            cells = [grid[column][number] for number in chosen]
            if _any(cells):
                rows.append([_head(view, column), *map(_cell, cells)])
        lines += [""] if lines else []
        lines += table_lines(columns, rows, pen.width, colour=pen.colour, first=LEAST_LABEL)
    nothing = [_head(view, column) for column in view.columns if column not in having]
    return lines + (pen.wrapped(f"nothing of these: {', '.join(nothing)}", "  ") if nothing else [])


def _any(cells: Sequence[GridCell]) -> bool:
    return any(cell.state != "unsupported" for cell in cells)


def _head_lines(text: str) -> list[str]:
    """`AES-128-GCM seal` as `AES-128-`, `GCM seal`: broken at spaces and after hyphens."""
    found: list[str] = []
    for word in re.findall(r"[^\s-]+-?\s*|-", text):
        if found and len((found[-1] + word).rstrip()) <= HEAD_LINE:
            found[-1] += word
        else:
            found.append(word)
    return [line.rstrip() for line in found]


def _best_rate(case: CaseSummary) -> str:
    best = next((c for c in case.cells if case.ranking and c.lane == case.ranking[0][0]), None)
    return rate_text(best.ns, case.size_bytes) if best is not None and best.ns is not None else ""


def label(case: CaseSummary, with_size: bool) -> str:
    """An operation by name, perhaps with its size."""
    text = case.title
    if with_size and case.size_bytes is not None:
        text += f" {format_size(case.size_bytes)}"
    return in_one_line(text)


def _head(view: RunView, column: str) -> str:
    """The library; with its version, or better the name of the build, where several of it are in the run."""
    library, _, build = column.partition("@")
    if sum(c.partition("@")[0] == library for c in view.columns) == 1:
        return library
    variant = variant_of(build)
    short = build_label(library, variant)
    alone = sum(build_label(c.partition("@")[0], variant_of(c.partition("@")[2])) == short for c in view.columns) == 1
    return short if alone else column


def _column_width(view: RunView, column: str) -> int:
    return max(6, min(18, len(_head(view, column))))


def _cell(grid: GridCell) -> Styled:
    if grid.state != "value":
        style = "red" if grid.state in ("wrong", "crashed", "timed-out") else "dim"
        return Styled(f"{SHORT[grid.state][0]}{grid.marks}", style)
    if grid.ratio is None:
        return Styled("?", "dim")
    text = f"{'=' if grid.tied else ''}{ratio_text(grid.ratio)}{TWO_SPEEDS if grid.two_speeds else ''}{grid.marks}"
    return Styled(text, "bold green" if grid.best else "")
