# SPDX-License-Identifier: Apache-2.0
"""What a single call costs: a later call, the first one, and all that is paid once, on one logarithmic axis, drawn row by row, so that the page can hide a library, take another size and compare with a base."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.model.units import format_time
from cipherstone.report.charts.palette import ink
from cipherstone.report.charts.parts import Labels, attribute, svg, text, tick

ROW_PX, PLOT_PX, LABEL_PX, END_PX = 24, 380, 200, 120
APART_PX = 56  # between the numbers of two ticks
UNITS = ("ns", "\u00b5s", "ms", "s")


@dataclass(frozen=True)
class FirstCalls:
    """A lane: `later_ns` of a later call, `first_ns` of the first one, `once_ns` of all that is paid once; the figures of the table."""

    lane: str
    library: str
    label: str
    later_ns: float
    first_ns: float
    once_ns: float


def firsts(rows: Sequence[FirstCalls], case: str, title: str) -> str:
    """SVG: a row a lane of `case`; a circle, a diamond and a bar; at its end what is paid once."""
    labels = Labels.of([row.label for row in rows], ROW_PX, LABEL_PX)
    low = min(min(row.later_ns, row.first_ns, row.once_ns) for row in rows) / 1.25
    high = max(max(row.later_ns, row.first_ns, row.once_ns) for row in rows) * 1.25

    def x(ns: float) -> float:
        return PLOT_PX * math.log(ns / low) / math.log(high / low)

    parts = ['<g class="xs">', *(tick(labels.px + x(at), labels.bottom, time_label(at)) for at in time_ticks(low, high))]  # fmt: skip
    parts.append(text(labels.px + PLOT_PX / 2, labels.bottom + 32, "time, logarithmic (left is better)", "middle", "muted") + "</g>")  # fmt: skip
    for number, row in enumerate(rows):
        middle, height = labels.rows[number]
        later, first, once = (labels.px + x(ns) for ns in (row.later_ns, row.first_ns, row.once_ns))
        end = text(max(later, first, once) + 9, 4, format_time(row.once_ns, 3), "start", "ink")
        parts.append(
            f'<g data-lane="{attribute(row.lane)}" data-lib="{attribute(row.library)}" data-high="{height:g}" transform="translate(0 {middle:g})">'
            f"{labels.svg(number, 0)}<g>{_marks(later, first, once)}{end}</g></g>"
        )
    data = f' data-case="{attribute(case)}" data-left="{labels.px:g}" data-px="{PLOT_PX}"'
    return svg("".join(parts), labels.px + PLOT_PX + END_PX, labels.bottom + 40, title, "phases", data)


def _marks(later: float, first: float, once: float) -> str:
    """The shapes differ, so that each is seen where they lie on each other."""
    line = f'<path d="M{min(later, first, once):.1f} 0H{max(later, first, once):.1f}" stroke="{ink("muted")}"/>'
    bar = f'<rect x="{once - 2:.1f}" y="-9" width="4" height="18" fill="{ink("phase-open")}"/>'
    diamond = f'<path d="M{first:.1f} -6l6 6l-6 6l-6 -6Z" fill="{ink("phase-first")}"/>'
    return f'{line}{bar}{diamond}<circle cx="{later:.1f}" r="3.5" fill="{ink("phase-steady")}"/>'


def time_ticks(low: float, high: float) -> list[float]:
    """Powers of ten from `low` to `high` ns, with 2 and 5 times them where that gives one or none; no two so near that their numbers touch."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks: list[float] = []
    for steps in ((1,), (1, 2, 5)):
        ticks = [step * 10.0**e for e in range(first, last + 1) for step in steps if low <= step * 10.0**e <= high]
        if len(ticks) > 1:
            break
    kept = ticks[:1]
    for at in ticks[1:]:
        if PLOT_PX * math.log(at / kept[-1]) / math.log(high / low) >= APART_PX:
            kept.append(at)
    return kept


def time_label(ns: float) -> str:
    """`20 \u00b5s` of a round time."""
    place = min(len(UNITS) - 1, max(0, math.floor(math.log10(ns) / 3 + 1e-9)))
    return f"{ns / 1000**place:g} {UNITS[place]}"
