# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal: no box, one line a row, no line longer than asked. Rich draws those with colours; those without are drawn here, since Rich takes longer for a large one than all else that `list` does."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.model.text import in_one_line

if TYPE_CHECKING:
    from rich import cells as rich_cells
    from rich import console as rich_console
    from rich import table as rich_table
    from rich import text as rich_text
else:
    rich_cells, rich_console = Later("rich.cells"), Later("rich.console")
    rich_table, rich_text = Later("rich.table"), Later("rich.text")

ELLIPSIS = "\u2026"


@dataclass(frozen=True)
class Styled:
    """A cell in a style of Rich: `bold green`, `dim`."""

    text: str
    style: str = ""


Cell = str | Styled


@dataclass(frozen=True)
class ScreenColumn:
    """A column. `words`: text, set left; figures are set right. `least`: columns that it has at the least, so that tables below each other are in line."""

    head: str = ""
    words: bool = False
    least: int = 0


@dataclass(frozen=True)
class Layout:
    """How a table is set on a terminal, in columns of the terminal: no line is longer than `width`, `gap` blanks stand between two columns of the table and `indent` before each line, and the first column is cut to `first` at the least. `colour`: whether styles are shown."""

    width: int
    colour: bool = False
    gap: int = 1
    indent: int = 0
    first: int = 12


def table_lines(
    columns: Sequence[ScreenColumn],
    rows: Iterable[Sequence[Cell]],
    width: int,
    *,
    colour: bool = False,
    indent: int = 0,
    first: int = 12,
) -> list[str]:
    """The table with one blank between two columns; see `laid_out` and `Layout`."""
    return laid_out(columns, rows, Layout(width, colour, indent=indent, first=first))


def laid_out(columns: Sequence[ScreenColumn], rows: Iterable[Sequence[Cell]], layout: Layout) -> list[str]:
    """The table in lines, its heads dim.

    Where it is too wide the first column is cut in its middle (names differ at their ends), then a last column of words at its end.
    Figures are never cut: leave out columns (`fitting`) or split the table (`blocks`) before.
    """
    gap, indent = layout.gap, layout.indent
    lines = [[_styled(cell) for cell in row] for row in rows]
    widths = widths_of(columns, lines)
    room = layout.width - indent - gap * (len(columns) - 1)
    widths[0] = min(widths[0], max(layout.first, room - sum(widths[1:])))
    if len(widths) > 1 and columns[-1].words:
        widths[-1] = max(1, min(widths[-1], room - sum(widths[:-1])))
    if not layout.colour:
        return _plain(columns, lines, widths, layout)
    table = rich_table.Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), show_header=any(c.head for c in columns))
    table.header_style = "dim"
    for column, wide in zip(columns, widths, strict=True):
        table.add_column(
            rich_text.Text(_fitted(column.head, wide, column is columns[0])),
            justify="left" if column.words else "right",
            width=wide,
            no_wrap=True,
            overflow="ellipsis",
        )
    for line in lines:
        cells = (
            rich_text.Text(_fitted(cell.text, wide, number == 0), cell.style)
            for number, (cell, wide) in enumerate(zip(line, widths, strict=True))
        )
        table.add_row(*cells)
    return [" " * indent + line for line in _drawn(table)]


def _plain(
    columns: Sequence[ScreenColumn], rows: Iterable[Sequence[Styled]], widths: Sequence[int], layout: Layout
) -> list[str]:
    """The same lines as Rich draws, without styles."""
    before, between = " " * layout.indent, " " * layout.gap
    texts = [[column.head for column in columns]] if any(column.head for column in columns) else []
    texts += [[cell.text for cell in row] for row in rows]
    found = []
    for row in texts:
        cells = []
        for number, (text, column, wide) in enumerate(zip(row, columns, widths, strict=True)):
            fitted = _fitted(text, wide, number == 0)
            if rich_cells.cell_len(fitted) > wide:  # signs of two columns each
                fitted = rich_cells.set_cell_size(fitted, wide - 1).rstrip() + ELLIPSIS
            blanks = " " * (wide - rich_cells.cell_len(fitted))
            cells.append(fitted + blanks if column.words else blanks + fitted)
        found.append((before + between.join(cells)).rstrip())
    return found


def widths_of(columns: Sequence[ScreenColumn], rows: Iterable[Sequence[Cell]]) -> list[int]:
    """What each column needs, its head included."""
    widths = [max(column.least, rich_cells.cell_len(column.head)) for column in columns]
    for row in rows:
        widths = [max(wide, rich_cells.cell_len(_styled(cell).text)) for wide, cell in zip(widths, row, strict=True)]
    return widths


def blocks(widths: Sequence[int], width: int, *, gap: int = 1, first: int = 12) -> list[range]:
    """Columns 1 to n in groups that fit beside the first column, which may be cut to `first`; one in each at the least."""
    room = width - min(widths[0], max(first, width - sum(widths[1:]) - gap * (len(widths) - 1)))
    found: list[range] = []
    begin, used = 1, 0
    for number in range(1, len(widths)):
        need = widths[number] + gap
        if number > begin and used + need > room:
            found.append(range(begin, number))
            begin, used = number, 0
        used += need
    return [*found, range(begin, len(widths))]


def _styled(cell: Cell) -> Styled:
    text, style = (cell.text, cell.style) if isinstance(cell, Styled) else (cell, "")
    return Styled(in_one_line(text), style)


def _fitted(text: str, width: int, middle: bool) -> str:
    """`text` in `width` columns, cut in its middle or at its end."""
    if rich_cells.cell_len(text) <= width:
        return text
    tail = (width - 1) // 2 if middle else 0
    return f"{text[: width - 1 - tail]}{ELLIPSIS}{text[len(text) - tail :] if tail else ''}"


def _drawn(table: rich_table.Table) -> list[str]:
    file = io.StringIO()
    console = rich_console.Console(
        file=file,
        width=10_000,  # widths are decided already
        color_system="standard",
        force_terminal=True,
        force_interactive=False,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        no_color=False,
        _environ={},
    )
    console.print(table)
    return [line.rstrip() for line in file.getvalue().splitlines()]
