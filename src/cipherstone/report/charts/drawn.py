# SPDX-License-Identifier: Apache-2.0
"""Charts drawn without a renderer, mark by mark: small, and each mark says of which lane it is, so that the page can hide a library and move the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from cipherstone.model.summary import Estimate
from cipherstone.model.text import showable
from cipherstone.report.charts.palette import SHAPES, ink, library_colour, marker_index, with_variables
from cipherstone.report.charts.sizes import ratio_ticks

ROW_PX = 26
STRIP_ROW_PX = 20
LABEL_PX = 200  # the longest label is folded into two lines before it is cut
PLOT_PX = 430
MARK_PX = 5.2
LETTER_PX = 6.6  # at 11.5 px, the size that the page sets, of the widest usual face


@dataclass(frozen=True)
class FamilyMark:
    """A lane of a row. `variant`: number of its build among those of its library, drawn as fill: full, hollow, dotted."""

    lane: str
    library: str
    title: str
    ratio: Estimate
    variant: int = 0


@dataclass(frozen=True)
class FamilyRow:
    """An operation of a family: its case, its name, and the lanes that have a figure."""

    case: str
    label: str
    marks: Sequence[FamilyMark]


def family(rows: Sequence[FamilyRow], libraries: Sequence[str], title: str) -> str:
    """SVG: a row an operation, a marker a library at its cost over the best, log axis, whiskers; one drawing for a whole family."""
    ends = [v for row in rows for m in row.marks for v in (m.ratio.value, m.ratio.low, m.ratio.high) if v]
    low, high = min([0.98, *ends]) / 1.02, max([1.05, *ends]) * 1.06
    span = math.log(high / low)

    def x(value: float) -> float:
        return LABEL_PX + PLOT_PX * math.log(value / low) / span

    bottom = ROW_PX * len(rows)
    parts = [_tick(x(tick), bottom, f"{tick:g}", strong=tick == 1) for tick in ratio_ticks(low, high)]
    for number, row in enumerate(rows):
        middle = ROW_PX * (number + 0.5)
        marks = "".join(_mark(m, libraries, x, middle) for m in row.marks)
        line = f'<path d="M{LABEL_PX} {middle:g}h{PLOT_PX}" stroke="{ink("line")}"/>'
        parts.append(f"{line}{_label(row.label, middle)}<g data-case='{_attribute(row.case)}'>{marks}</g>")
    caption = "cost relative to the best (1 = best; left is better)"
    parts.append(_text(LABEL_PX + PLOT_PX / 2, bottom + 32, caption, "middle", "muted"))
    data = f' data-low="{low:.6g}" data-span="{span:.6g}" data-from="{LABEL_PX}" data-px="{PLOT_PX}"'
    return _svg("".join(parts), LABEL_PX + PLOT_PX + 14, bottom + 40, title, f"family{'' if rows else ' empty'}", data)


def _mark(mark: FamilyMark, libraries: Sequence[str], x: object, middle: float) -> str:
    assert callable(x)
    at = x(mark.ratio.value)
    place = marker_index(libraries, mark.library)
    colour = library_colour(place)
    whisker = ""
    if mark.ratio.low and mark.ratio.high:
        left, right = x(mark.ratio.low) - at, x(mark.ratio.high) - at
        whisker = f'<path class="whisker" d="M{left:.1f} 0H{right:.1f}" stroke="{colour}" stroke-width="2.5"/>'
    fill = colour if mark.variant == 0 else ink("paper")
    edge = (
        f'stroke="{ink("paper") if mark.variant == 0 else colour}" stroke-width="{0.16 if mark.variant == 0 else 0.4}"'
    )
    dot = f'<circle r="1.6" fill="{colour}"/>' if mark.variant > 1 else ""
    shape = f'<path transform="scale({MARK_PX})" d="{SHAPES[place % len(SHAPES)]}" fill="{fill}" {edge}/>{dot}'
    name = f"<title>{escape(showable(mark.title))}</title>"
    return (
        f'<g data-lane="{_attribute(mark.lane)}" data-lib="{_attribute(mark.library)}" '
        f'transform="translate({at:.1f} {middle:g})">{name}{whisker}{shape}</g>'
    )


def strip(lanes: Sequence[tuple[str, str, Sequence[float]]], libraries: Sequence[str], title: str) -> str:
    """SVG: pass values of every lane in percent from the lane's middle value: (label, library, ns per call of each pass)."""
    rows = []
    for label, library, passes in lanes:
        middle = sorted(passes)[len(passes) // 2]
        rows.append((label, library, [(v / middle - 1) * 100 for v in passes if middle]))
    reach = max([1.0, *(abs(v) for _, _, off in rows for v in off)]) * 1.05
    scale = PLOT_PX / 2 / reach
    centre = LABEL_PX + PLOT_PX / 2
    bottom = STRIP_ROW_PX * len(rows)
    step = _round_step(reach)
    count = math.floor(reach / step)
    ticks = [i * step for i in range(-count, count + 1)]
    parts = [_tick(centre + t * scale, bottom, f"{t:+g}" if t else "0", strong=t == 0) for t in ticks]
    for number, (label, library, off) in enumerate(rows):
        y = STRIP_ROW_PX * number + 4
        path = "".join(f"M{centre + v * scale:.0f} {y}v12" for v in off)
        colour = library_colour(marker_index(libraries, library))
        parts.append(_label(label, y + 6) + f'<path data-lib="{_attribute(library)}" d="{path}" stroke="{colour}" stroke-width="1.4"/>')  # fmt: skip
    parts.append(_text(centre, bottom + 32, "each pass against the middle one, % (left = faster)", "middle", "muted"))
    return _svg("".join(parts), LABEL_PX + PLOT_PX + 14, bottom + 40, title, "steadiness")


def _round_step(reach: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that leaves at most three ticks a side."""
    raw = reach / 3
    power = 10.0 ** math.floor(math.log10(raw))
    return next(s * power for s in (1, 2, 5, 10) if s * power >= raw)


def _tick(x: float, bottom: float, words: str, strong: bool) -> str:
    line = f'<path d="M{x:.1f} 0V{bottom:g}" stroke="{ink("ink" if strong else "line")}"/>'
    return line + _text(x, bottom + 15, words, "middle", "ink")


def _label(words: str, middle: float) -> str:
    """A label left of the plot, on two lines where one is too short; never cut."""
    lines = _folded(words, LABEL_PX - 14)
    first = middle + 4 - 6 * (len(lines) - 1)
    return "".join(_text(LABEL_PX - 12, first + 12 * i, line, "end", "ink") for i, line in enumerate(lines))


def _folded(words: str, width: float) -> list[str]:
    """`words` on one line, or on two of about equal length, parted at a space."""
    spaces = [i for i, c in enumerate(words) if c == " "]
    if len(words) * LETTER_PX <= width or not spaces:
        return [words]
    at = min(spaces, key=lambda i: abs(i - len(words) / 2))
    return [words[:at], words[at + 1 :]]


def _text(x: float, y: float, words: str, anchor: str, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:g}" text-anchor="{anchor}" fill="{ink(colour)}">{escape(showable(words))}</text>'


def _attribute(text: str) -> str:
    return escape(showable(text), quote=True)


def _svg(body: str, width: float, height: float, title: str, kind: str, data: str = "") -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="chart {kind}" role="img" aria-label="{_attribute(title)}" fill="none"'
    return with_variables(f'{head}{data} width="{width:g}" height="{height:g}" viewBox="0 -4 {width:g} {height:g}">{body}</svg>')  # fmt: skip
