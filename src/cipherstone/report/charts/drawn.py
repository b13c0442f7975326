# SPDX-License-Identifier: Apache-2.0
"""Charts drawn without a renderer, mark by mark: small, and each mark says of which lane it is, so that the page can hide a library and move the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from cipherstone.model.summary import Estimate
from cipherstone.model.text import showable
from cipherstone.report.charts.palette import ink, library_colour, marker_index
from cipherstone.report.charts.parts import Labels, attribute, marker, svg, text, tick
from cipherstone.report.charts.vega_lite import ratio_ticks

ROW_PX = 26
STRIP_ROW_PX = 20
LABEL_PX = 200  # a longer label stands on several lines
PLOT_PX = 430
MARK_APART_PX, LEVEL_PX = 11, 11  # markers nearer than that stand below each other


@dataclass(frozen=True)
class FamilyMark:
    """A lane of a row. `variant`: number of its build among those of its library, drawn as fill."""

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

    def place(value: float) -> float:
        return PLOT_PX * math.log(value / low) / span

    levels = [beside([place(mark.ratio.value) for mark in row.marks]) for row in rows]
    tall = [ROW_PX + LEVEL_PX * max(own, default=0) for own in levels]
    labels = Labels.of([row.label for row in rows], tall, LABEL_PX)

    def x(value: float) -> float:
        return labels.px + PLOT_PX * math.log(value / low) / span

    bottom = labels.bottom
    parts = [tick(x(at), bottom, f"{at:g}", strong=at == 1) for at in ratio_ticks(low, high)]
    for number, row in enumerate(rows):
        middle = labels.rows[number][0]
        shift = LEVEL_PX * max(levels[number], default=0) / 2
        marks = "".join(
            _mark(m, libraries, x, middle - shift + LEVEL_PX * level)
            for m, level in zip(row.marks, levels[number], strict=True)
        )
        line = f'<path d="M{labels.px:g} {middle:g}h{PLOT_PX}" stroke="{ink("line")}"/>'
        parts.append(f"{line}{labels.svg(number, middle)}<g data-case='{attribute(row.case)}'>{marks}</g>")
    caption = "cost relative to the best (1 = best; left is better)"
    parts.append(text(labels.px + PLOT_PX / 2, bottom + 32, caption, "middle", "muted"))
    data = f' data-low="{low:.6g}" data-span="{span:.6g}" data-from="{labels.px:g}" data-px="{PLOT_PX}"'
    return svg("".join(parts), labels.px + PLOT_PX + 14, bottom + 40, title, f"family{'' if rows else ' empty'}", data)


def beside(places: Sequence[float]) -> list[int]:
    """A level, from 0, for a marker at each of `places` (px): markers of one level are `MARK_APART_PX` apart, so that none hides another. On a log axis another base moves all alike."""
    last: list[float] = []
    found = [0] * len(places)
    for number in sorted(range(len(places)), key=lambda n: places[n]):
        level = next((i for i, at in enumerate(last) if places[number] - at >= MARK_APART_PX), len(last))
        last[level : level + 1] = [places[number]]
        found[number] = level
    return found


def _mark(mark: FamilyMark, libraries: Sequence[str], x: object, middle: float) -> str:
    assert callable(x)
    at = x(mark.ratio.value)
    place = marker_index(libraries, mark.library)
    colour = library_colour(place)
    whisker = ""
    if mark.ratio.low and mark.ratio.high:
        left, right = x(mark.ratio.low) - at, x(mark.ratio.high) - at
        whisker = f'<path class="whisker" d="M{left:.1f} 0H{right:.1f}" stroke="{colour}" stroke-width="2.5"/>'
    name = f"<title>{escape(showable(mark.title))}</title>"
    return (
        f'<g data-lane="{attribute(mark.lane)}" data-lib="{attribute(mark.library)}" '
        f'transform="translate({at:.1f} {middle:g})">{name}{whisker}{marker(place, mark.variant)}</g>'
    )


def strip(lanes: Sequence[tuple[str, str, Sequence[float]]], libraries: Sequence[str], title: str) -> str:
    """SVG: pass values of every lane in percent from the lane's middle value: (label, library, ns per call of each pass)."""
    rows = []
    for label, library, passes in lanes:
        middle = sorted(passes)[len(passes) // 2]
        rows.append((label, library, [(v / middle - 1) * 100 for v in passes if middle]))
    reach = max([1.0, *(abs(v) for _, _, off in rows for v in off)]) * 1.05
    scale = PLOT_PX / 2 / reach
    labels = Labels.of([label for label, _, _ in rows], STRIP_ROW_PX, LABEL_PX)
    centre = labels.px + PLOT_PX / 2
    bottom = labels.bottom
    step = _round_step(reach)
    count = math.floor(reach / step)
    ticks = [i * step for i in range(-count, count + 1)]
    parts = [tick(centre + t * scale, bottom, f"{t:+g}" if t else "0", strong=t == 0) for t in ticks]
    for number, (_, library, off) in enumerate(rows):
        middle = labels.rows[number][0]
        path = "".join(f"M{centre + v * scale:.0f} {middle - 6:g}v12" for v in off)
        colour = library_colour(marker_index(libraries, library))
        parts.append(labels.svg(number, middle) + f'<path data-lib="{attribute(library)}" d="{path}" stroke="{colour}" stroke-width="1.4"/>')  # fmt: skip
    parts.append(text(centre, bottom + 32, "each pass against the middle one, % (left = faster)", "middle", "muted"))
    return svg("".join(parts), labels.px + PLOT_PX + 14, bottom + 40, title, "steadiness")


def _round_step(reach: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that leaves at most three ticks a side."""
    raw = reach / 3
    power = 10.0 ** math.floor(math.log10(raw))
    return next(s * power for s in (1, 2, 5, 10) if s * power >= raw)
