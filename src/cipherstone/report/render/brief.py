# SPDX-License-Identifier: Apache-2.0
"""The answer of a run on one screen of a terminal: who is fastest, a line an operation or a scoreboard, how far it can be trusted, what is not shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.model.text import in_one_line
from cipherstone.model.units import counted
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.overall import Scoreboard, scoreboard
from cipherstone.report.render.pen import Pen
from cipherstone.report.render.screen_table import ELLIPSIS, Cell, Layout, ScreenColumn, Styled, laid_out
from cipherstone.report.words.numbers import rate_text, ratio_text
from cipherstone.report.words.sentences import answer, list_words, machine_words
from cipherstone.report.words.verdict import verdict_words

LINES = 25  # of the screen, at 80 columns
EACH = 12  # operations up to which each has its line
LEAST_SCORES = 3
NARROW = 60  # columns of a terminal that has no room for everything
LEAST_NAME = 12
RATE = 11  # columns
SHORT = 9  # letters of a name beside another
ROOM_OF_ONE = 18  # columns for another one with its cost
ROOM_OF_OTHERS = 12  # columns of the terminal below which the others are left out


def render_brief(run: RunSummary, width: int, colour: bool, cards: Sequence[tuple[str, str]] = ()) -> str:
    """Lines of at most `width` columns (40 at least), joined: 25 of them at most at 80 columns. `cards` as in `html.render_html`. The run is of cases that were timed."""
    view, pen = RunView(run), Pen(width, colour)
    board = scoreboard(view)
    verdict = _of_one(view) if len(view.headline) == 1 else verdict_words(board, view.build_title)
    head = [*pen.wrapped(machine_words(run.manifest.machine), "  "), "", *pen.heading(verdict), ""]
    trust = pen.wrapped(f"{run.trust}: {run.trust_reason}", "  ")
    left_out = _left_out(view)
    foot = ["", *(pen.wrapped(f"Not shown: {left_out}.", "  ") if left_out else []), *trust]
    if len(view.headline) <= EACH:
        body = _cases(view, pen, view.headline)
    else:
        body = ["", *_cases(view, pen, [case for _, case in view.cards(cards)])]
        room = LINES - len(head) - len(body) - len(foot) - 2  # the head of the table, and a line for the others
        body = [*_scores(view, pen, board, max(LEAST_SCORES, room)), *body]
    return "\n".join(line.rstrip() for line in (*head, *body, *foot)) + "\n"


def _of_one(view: RunView) -> str:
    """The verdict of a run of one operation: who, how fast, by how much."""
    case = view.headline[0]
    found = answer(view, case)
    if not found.winners:
        return f"{view.case_title(case)}: {found.sentence}"
    return f"{list_words(found.winners)} {'is' if len(found.winners) == 1 else 'are'} fastest, {found.rate}; {found.sentence}"


def _cases(view: RunView, pen: Pen, cases: Iterable[CaseSummary]) -> list[str]:
    """A line a case: the fastest with its rate, then the others with their cost over it, as many as the width takes."""
    most = pen.width if pen.width >= NARROW else pen.width - LEAST_NAME - RATE - 4
    found = [(in_one_line(view.case_title(case)), *_fastest(view, case, most), _others(view, case)) for case in cases]
    if not found:
        return []
    widths = [max(len(row[number]) for row in found) for number in range(3)]
    wide = pen.width - widths[1] - widths[2] - (6 + ROOM_OF_ONE if pen.width >= NARROW else 4)
    first = min(widths[0], max(LEAST_NAME, wide))
    room = pen.width - first - widths[1] - widths[2] - 6
    columns = [ScreenColumn(words=True), ScreenColumn("fastest", words=True), ScreenColumn("")]
    said = "others, cost over the fastest"
    if room < ROOM_OF_OTHERS:
        rows: list[Sequence[Cell]] = [(name, Styled(who, "bold green"), rate) for name, who, rate, _ in found]
    else:
        columns.append(ScreenColumn(said if len(said) <= room else "others", words=True))
        rows = [(name, Styled(who, "bold green"), rate, _fitting(rest, room)) for name, who, rate, rest in found]
    return laid_out(columns, rows, Layout(pen.width, pen.colour, gap=2, first=first))


def _fastest(view: RunView, case: CaseSummary, most: int) -> tuple[str, str]:
    """(who, how fast): ` = ` stands between those that tie; `most` columns at the most."""
    found = answer(view, case)
    cells = {cell.lane: cell.ns for cell in case.cells}
    leader = cells[found.lanes[0]] if found.lanes else None
    if leader is None:
        return "no figure", ""
    first, *later = found.winners
    tied = (
        "" if not later else f" = {later[0]}" if len(later) == 1 and len(later[0]) <= SHORT else f" = {len(later)} more"
    )
    if len(first + tied) > most:
        tied = f" +{len(later)}" if later else ""
        first = first if len(first + tied) <= most else first[: most - len(tied) - 1] + ELLIPSIS
    return in_one_line(first + tied), rate_text(leader, case.size_bytes)


def _others(view: RunView, case: CaseSummary) -> list[str]:
    """`Nettle 1.13`, the cheapest first: builds that are not in the first group."""
    cells = [cell for cell in view.grid_row(case) if cell.ratio is not None and not cell.best]
    cells.sort(key=lambda cell: cell.ratio.value if cell.ratio else 0.0)
    return [in_one_line(f"{view.build_title(cell.build)} {ratio_text(cell.ratio)}{cell.marks}") for cell in cells if cell.ratio]  # fmt: skip


def _fitting(parts: Sequence[str], room: int) -> str:
    """As many as `room` columns take, and how many more there are."""
    for number in range(len(parts), 0, -1):
        more = len(parts) - number
        text = ", ".join(parts[:number]) + (f", {more} more" if more else "")
        if len(text) <= room:
            return text
    return f"{len(parts)} more" if parts else ""


def _scores(view: RunView, pen: Pen, board: Scoreboard, most: int) -> list[str]:
    """The scoreboard, its first `most` lines."""
    shown = board.scores[:most]
    rows: list[Sequence[Cell]] = [
        (
            in_one_line(view.build_title(score.build)),
            str(score.over.wins),
            str(score.over.ties),
            *([f"{score.mean:.2f}" if score.mean is not None else ""] if board.common else []),
            *([f"{score.over.cases} of {board.operations}"] if pen.width >= NARROW else []),
        )
        for score in shown
    ]
    heads = ["fastest", "tied"]
    heads += [f"mean cost of {board.common}" if pen.width >= NARROW else "mean"] if board.common else []
    heads += ["figures"] if pen.width >= NARROW else []
    columns = [ScreenColumn("library", words=True), *(ScreenColumn(head) for head in heads)]
    lines = laid_out(columns, rows, Layout(pen.width, pen.colour, gap=2))
    more = len(board.scores) - len(shown)
    return [*lines, *(pen.wrapped(f"{more} more") if more else [])]


def _left_out(view: RunView) -> str:
    """`4 cells without a figure, 2 lanes at two speeds`; "" for nothing."""
    cells = [cell for case in view.headline for cell in view.grid_row(case) if cell.cell is not None]
    tried = sum(cell.state not in ("value", "unsupported", "not-run", "unavailable") for cell in cells)
    deviating = sum(bool(cell.marks) for cell in cells)
    two = sum(cell.two_speeds for cell in cells)
    more = len(view.run.cases) - len(view.headline)
    counts = len({one.target for one in view.run.counted})
    parts = [
        counted(more, "case at another size", "cases at other sizes") if more else "",
        counted(tried, "cell without a figure", "cells without a figure") if tried else "",
        counted(deviating, "lax or strict cell") if deviating else "",
        counted(two, "cell at two speeds", "cells at two speeds") if two else "",
        "whole processes" if view.run.empty_processes else "",
        f"instructions on {counted(counts, 'other machine')}" if counts else "",
    ]
    return list_words([part for part in parts if part])
