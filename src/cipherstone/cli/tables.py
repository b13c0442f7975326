# SPDX-License-Identifier: Apache-2.0
"""Tables and paragraphs on standard output, as wide as the terminal."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence

from cipherstone.cli import environment as env
from cipherstone.report.render.screen_table import ScreenColumn, blocks, table_lines, widths_of


def show_table(columns: Sequence[ScreenColumn], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table, in several blocks of columns where they do not fit beside each other."""
    width, colour = env.width(), env.colour_wanted()
    for number, part in enumerate(blocks(widths_of(columns, rows), width)):
        chosen = [0, *part]
        shown = [[row[k] for k in chosen] for row in rows]
        lines = table_lines([columns[k] for k in chosen], shown, width, colour=colour)
        print("\n".join(lines if number == 0 else ["", *lines]))


def show_lines(lines: Iterable[str]) -> None:
    """Prints lines, which a terminal gets wrapped between words and a pipe as they are."""
    for line in lines:
        print(env.in_the_terminal(line, sys.stdout))


def show_text(text: str, first: str = "", later: str = "    ") -> None:
    """Prints a paragraph: what follows its first line is set in, so that the next one is seen to begin."""
    print(
        "\n".join(
            textwrap.wrap(text, env.width(), initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
        )
    )
