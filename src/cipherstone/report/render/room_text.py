# SPDX-License-Identifier: Apache-2.0
"""A laboratory's page as text: answers, then tables fitted to the terminal by leaving out columns from the right, each named; and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from cipherstone.model.text import in_one_line
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.room_page import LabPage
from cipherstone.report.blocks.tables import Item, Table, item, markdown_table, markdown_text
from cipherstone.report.render.screen_table import Layout, ScreenColumn, blocks, laid_out, widths_of

LEAST_FIRST = 12
LEAST_CUT = 16
MOST_ROWS_MARKDOWN = 120


def lab_lines(page: LabPage, width: int, bold: Callable[[str], str]) -> list[str]:
    """Lines of at most `width` columns. Folded tables are left to the other forms of the report."""
    lines: list[str] = []
    for section in page.sections:
        for figure in section.figures:
            if not figure.folded:
                lines += ["", *_figure(figure, width, bold)]
    return [*lines[1:], ""]


def lab_answers(page: LabPage, width: int, bold: Callable[[str], str]) -> list[str]:
    """The page's question and its answers, in lines of at most `width` columns; nothing where there is no answer."""
    if not page.cards:
        return []
    lines = [bold(page.question)]
    for card in page.cards:
        text = f"{card.question} {card.winner}, {card.rate}" + (f"; {card.by}" if card.by else "")
        lines += _wrapped(f"{text} [{card.what}]" if card.what else text, width, "  ", "      ")
    return lines


def _figure(figure: Figure, width: int, bold: Callable[[str], str]) -> list[str]:
    lines = [bold(line) for line in _wrapped(figure.question, width, "", "")]
    if figure.answer:
        lines += _wrapped(figure.answer[:1].upper() + figure.answer[1:], width, "", "")
    lines += split_lines(figure.table, width) if figure.whole else fitted_lines(figure.table, width)
    # What is known to be wrong with a published figure stands wherever the figure does.
    for note in (*figure.notes[:1], *figure.remarks):
        lines += _wrapped(note, width, "  ", "    ")
    return lines


def fitted_lines(table: Table, width: int, colour: bool = False) -> list[str]:
    """The table at most `width` columns wide. Where it is wider, labels behind the first become headings of their rows; then the first column is cut, and columns are left out from the right and named below."""
    groups = _groups(table) if not _fits(table, width) else {}
    if not groups:
        return _fitted(table, width, colour)
    kept = [0, *range(table.words, len(table.head))]
    rows = [row for members in groups.values() for row in members]
    short = Table(
        table.name,
        tuple(table.head[number] for number in kept),
        tuple((item(f"  {row[0].text}"), *(row[number] for number in kept[1:])) for row in rows),
        1,
        table.tail,
    )
    head, *lines = _fitted(short, width, colour)
    shown = [head]
    for heading, members in groups.items():
        shown += [*_wrapped(heading, width, "", "  "), *lines[: len(members)]]
        lines = lines[len(members) :]
    return [*shown, *lines]


def split_lines(table: Table, width: int, colour: bool = False) -> list[str]:
    """The table with all of its columns: where it is wider than `width`, in blocks of columns below each other, each with the first column before it."""
    columns = [ScreenColumn(name, words=number == 0) for number, name in enumerate(table.head)]
    rows = [[it.text for it in row] for row in table.rows]
    widths = widths_of(columns, rows)
    first = _room(widths)
    lines: list[str] = []
    for group in blocks(widths, width, gap=2, first=first):
        kept = [0, *group]
        part = [[row[number] for number in kept] for row in rows]
        lines += laid_out([columns[number] for number in kept], part, Layout(width, colour, gap=2, first=first))
    return lines


def _fits(table: Table, width: int) -> bool:
    widths = widths_of([ScreenColumn(name) for name in table.head], [[it.text for it in row] for row in table.rows])
    return sum(widths) + 2 * (len(widths) - 1) <= width


def _groups(table: Table) -> dict[str, list[tuple[Item, ...]]]:
    """Rows by their labels behind the first column, in the order in which these come; empty where there are none, or hardly two rows share them."""
    found: dict[str, list[tuple[Item, ...]]] = {}
    for row in table.rows if table.words > 1 else ():
        found.setdefault(", ".join(it.text for it in row[1 : table.words]), []).append(row)
    return found if 2 * len(found) <= len(table.rows) else {}


def _fitted(table: Table, width: int, colour: bool) -> list[str]:
    columns = [ScreenColumn(name, words=number == 0) for number, name in enumerate(table.head)]
    rows = [[it.text for it in row] for row in table.rows]
    widths = widths_of(columns, rows)
    kept = len(widths)
    while kept > 2 and min(widths[0], _room(widths)) + sum(widths[1:kept]) + 2 * (kept - 1) > width:
        kept -= 1
    first = min(widths[0], max(LEAST_FIRST, width - sum(widths[1:kept]) - 2 * (kept - 1)))
    room = width - first - sum(w + 2 for w in widths[1:kept]) - 2
    # A column of words that does not fit is cut rather than left out, if enough of it can be read.
    if kept < len(widths) and room >= LEAST_CUT and all(row[kept].number is None for row in table.rows):
        columns[kept] = ScreenColumn(table.head[kept], words=True)
        kept += 1
    lines = laid_out(columns[:kept], [row[:kept] for row in rows], Layout(width, colour, gap=2, first=LEAST_FIRST))
    left_out = [name.strip() for name in table.head[kept:]]
    if left_out:
        lines += _wrapped(f"(in the report also: {', '.join(left_out)})", width, "", " ")
    return lines


def _room(widths: Sequence[int]) -> int:
    return max(LEAST_FIRST, min(widths[0], 30))


def _wrapped(text: str, width: int, first: str, later: str) -> list[str]:
    return textwrap.wrap(in_one_line(text), width, initial_indent=first, subsequent_indent=later) or [""]


def lab_markdown(page: LabPage) -> list[str]:
    """Blocks of Markdown: answers, then every table with its answer and notes."""
    blocks = [f"## {markdown_text(page.question)}"]
    if page.cards:
        head = ("question", "answer", "figure", "more", "of")
        rows = [(c.question, c.winner, c.rate, c.by, c.what) for c in page.cards]
        blocks.append(markdown_table(head, rows, words=5))
    for section in page.sections:
        for figure in section.figures:
            blocks += _figure_markdown(figure)
    return blocks


def _figure_markdown(figure: Figure) -> list[str]:
    blocks = [f"### {markdown_text(figure.question)}"]
    if figure.answer:
        blocks.append(markdown_text(figure.answer[:1].upper() + figure.answer[1:]))
    rows = figure.table.rows[:MOST_ROWS_MARKDOWN]
    blocks.append(markdown_table(figure.table.head, ([it.text for it in row] for row in rows), figure.table.words))
    left = len(figure.table.rows) - len(rows)
    if left:
        blocks.append(f"{left} more rows are in the run and not shown here.")
    if figure.notes or figure.remarks:
        blocks.append("\n".join(f"- {markdown_text(note)}" for note in (*figure.notes, *figure.remarks)))
    return blocks
