# SPDX-License-Identifier: Apache-2.0
"""Lines of text on a terminal: wrapped, with or without colour, never with control characters of others."""

from __future__ import annotations

import textwrap

from cipherstone.model.text import in_one_line

LEAST_WIDTH = 40
_STYLES = {"bold": "1", "green": "32", "red": "31", "yellow": "33", "dim": "2"}


class Pen:
    """Text with or without colour codes; control characters of a library's own text never reach the terminal."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width = max(LEAST_WIDTH, width)
        self.colour = colour

    def styled(self, text: str, *styles: str) -> str:
        """`text` in `bold`, `green` and so on; plain without colour."""
        if not self.colour or not styles:
            return text
        return f"\x1b[{';'.join(_STYLES[s] for s in styles)}m{text}\x1b[0m"

    def wrapped(self, text: str, later: str = "", first: str = "") -> list[str]:
        """Lines of `text`; the first is indented by `first`, the others by `later`."""
        clean = in_one_line(text)
        # Names of vectors and implementations have hyphens and are searched for.
        lines = textwrap.wrap(clean, self.width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
        return lines or [""]

    def heading(self, text: str) -> list[str]:
        """Bold lines of a title."""
        return [self.styled(line, "bold") for line in self.wrapped(text)]

    def titled(self, title: str, remark: str) -> list[str]:
        """A bold title, its remark beside it or on the next line."""
        clean = in_one_line(title)[: self.width]
        if len(clean) + 1 + len(remark) <= self.width:
            return [f"{self.styled(clean, 'bold')} {remark}"]
        return [self.styled(clean, "bold"), *self.wrapped(remark)]
