# SPDX-License-Identifier: Apache-2.0
"""What charts that are drawn mark by mark are made of: text, ticks, labels that are never cut, markers that tell builds of one library apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from cipherstone.model.text import showable
from cipherstone.report.charts.palette import SHAPES, ink, library_colour, with_variables

LETTER_PX = 7.2  # at 11.5 px, the size that the page sets, of the widest usual face
LINE_PX = 13  # from one line of a label to the next
MARK_PX = 5.2
# Lines of the builds of one library, in order: whole, dashed, dotted, both.
DASHES = ("", "6 3", "1.5 3", "8 3 1.5 3")
VARIANTS = len(DASHES)
_BREAKS = " ,/+"


@dataclass(frozen=True)
class Labels:
    """Labels left of a plot: each on as many lines as it needs. `px`: room for them; `rows`: (middle, height) of each row."""

    px: float
    lines: Sequence[Sequence[str]]
    rows: Sequence[tuple[float, float]]

    @staticmethod
    def of(words: Sequence[str], row_px: float | Sequence[float], widest_px: float) -> Labels:
        """With rows of `row_px` (one for all, or one each) at least, and labels of `widest_px` at most."""
        least = row_px if isinstance(row_px, Sequence) else [row_px] * len(words)
        lines = [folded(label, widest_px - 14) for label in words]
        widest = max((len(line) for label in lines for line in label), default=0)
        rows, y = [], 0.0
        for label, own in zip(lines, least, strict=True):
            height = max(own, LINE_PX * len(label) + 5)
            rows.append((y + height / 2, height))
            y += height
        return Labels(max(60.0, min(widest_px, round(widest * LETTER_PX + 16))), lines, rows)

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return sum(height for _, height in self.rows)

    def svg(self, number: int, middle: float, px: float | None = None) -> str:
        """Label `number` around `middle`; `px`: where the plot begins, if not at once."""
        lines = self.lines[number]
        first = middle + 4 - LINE_PX / 2 * (len(lines) - 1)
        return "".join(
            text((px or self.px) - 12, first + LINE_PX * i, line, "end", "ink") for i, line in enumerate(lines)
        )


def folded(words: str, width: float) -> list[str]:
    """`words` on as few lines as fit into `width` px, parted after spaces and signs, of about equal length."""
    if len(words) * LETTER_PX <= width:
        return [words]
    places = [i + 1 for i, c in enumerate(words[:-1]) if c in _BREAKS]
    if not places:
        return [words]
    at = min(places, key=lambda i: abs(i - len(words) / 2))
    return [*folded(words[:at].rstrip(), width), *folded(words[at:], width)]


def spread(wanted: Sequence[float], least: float, end: float) -> list[float]:
    """Places near the `wanted` ones (ascending), `least` apart, none beyond `end`: for labels that would lie on each other."""
    found: list[float] = []
    for place in wanted:
        found.append(max(place, found[-1] + least) if found else place)
    limit = end
    for number in reversed(range(len(found))):
        found[number] = min(found[number], limit)
        limit = found[number] - least
    return found


def marker(place: int, variant: int) -> str:
    """The marker of the library at `place`, around the origin: full, hollow, hollow with a dot, hollow with a bar."""
    colour, kind = library_colour(place), variant % VARIANTS
    fill, edge, width = (colour, ink("paper"), 0.16) if kind == 0 else (ink("paper"), colour, 0.4)
    inside = {2: f'<circle r="1.6" fill="{colour}"/>', 3: f'<path d="M-3 0H3" stroke="{colour}" stroke-width="1.8"/>'}
    return f'<path transform="scale({MARK_PX})" d="{SHAPES[place % len(SHAPES)]}" fill="{fill}" stroke="{edge}" stroke-width="{width}"/>{inside.get(kind, "")}'


def tick(x: float, bottom: float, words: str, strong: bool = False) -> str:
    """A line through the plot, with its number under it."""
    line = f'<path d="M{x:.1f} 0V{bottom:g}" stroke="{ink("ink" if strong else "line")}"/>'
    return line + text(x, bottom + 15, words, "middle", "ink")


def text(x: float, y: float, words: str, anchor: str, colour: str) -> str:
    """A text."""
    return f'<text x="{x:.1f}" y="{y:g}" text-anchor="{anchor}" fill="{ink(colour)}">{escape(showable(words))}</text>'


def attribute(words: str) -> str:
    """`words` as the value of an attribute."""
    return escape(showable(words), quote=True)


def svg(body: str, width: float, height: float, title: str, kind: str, data: str = "") -> str:
    """The chart, named `title`."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="chart {kind}" role="img" aria-label="{attribute(title)}" fill="none"'
    return with_variables(f'{head}{data} width="{width:g}" height="{height:g}" viewBox="0 -4 {width:g} {height:g}">{body}</svg>')  # fmt: skip
