# SPDX-License-Identifier: Apache-2.0
"""A waterfall: a bar a step, and between two steps what the second took off the first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.report.charts.palette import ink, library_colour
from cipherstone.report.charts.parts import Labels, attribute, svg, text, tick
from cipherstone.report.charts.vega_lite import round_step

ROW_PX, BAR_PX, PLOT_PX, LABEL_PX, END_PX = 30, 15, 360, 210, 150
KIB = 1024


@dataclass(frozen=True)
class Fall:
    """A step: its length, in `parts` of which each has the ink of its place; `words`: at its end. `before`: the length that it is compared with; None for the first, and for one that is not compared."""

    label: str
    parts: Sequence[int]
    words: str
    before: int | None = None

    @property
    def whole(self) -> int:
        """All parts."""
        return sum(self.parts)


def waterfall(falls: Sequence[Fall], place: int, title: str) -> str:
    """SVG: the steps from above, in KiB; a thin line shows what went. `place`: of the library among all, for its colour. An empty text if there is nothing to draw."""
    most = max((max(fall.whole, fall.before or 0) for fall in falls), default=0)
    if not most:
        return ""
    labels = Labels.of([fall.label for fall in falls], ROW_PX, LABEL_PX)
    scale = PLOT_PX / most
    step = round_step(most / KIB)
    parts = [tick(labels.px + at * step * KIB * scale, labels.bottom, f"{at * step:g}", at == 0) for at in range(math.floor(most / KIB / step) + 1)]  # fmt: skip
    for number, fall in enumerate(falls):
        middle, _ = labels.rows[number]
        parts.append(labels.svg(number, middle))
        x = labels.px
        for shade, size in enumerate(fall.parts):
            width = size * scale
            if width >= 0.05:
                opacity = max(0.25, 1 - 0.3 * shade)
                parts.append(f'<rect x="{x:.1f}" y="{middle - BAR_PX / 2:g}" width="{width:.1f}" height="{BAR_PX}" fill="{library_colour(place)}" fill-opacity="{opacity:g}"/>')  # fmt: skip
            x += width
        if fall.before is not None and fall.before != fall.whole:
            there = labels.px + fall.before * scale
            parts.append(f'<path d="M{x:.1f} {middle:g}H{there:.1f}M{there:.1f} {middle - 5:g}v10" stroke="{ink("muted")}" stroke-dasharray="3 2"/>')  # fmt: skip
            x = max(x, there)
        parts.append(text(x + 6, middle + 4, fall.words, "start", "ink"))
    parts.append(text(labels.px + PLOT_PX / 2, labels.bottom + 32, "KiB (left is better)", "middle", "muted"))
    data = f' data-steps="{attribute(str(len(falls)))}"'
    return svg("".join(parts), labels.px + PLOT_PX + END_PX, labels.bottom + 40, title, "waterfall", data)
