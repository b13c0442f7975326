# SPDX-License-Identifier: Apache-2.0
"""One cost over another, both logarithmic, a marker a place; a line joins the places that nothing beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.report.charts.measures import fine_ticks
from cipherstone.report.charts.palette import ink, library_colour
from cipherstone.report.charts.parts import LETTER_PX, attribute, marker, svg, text, tick
from cipherstone.report.charts.vega_lite import decade_ticks

LEFT_PX, PLOT_PX, HEIGHT_PX, LEGEND_PX = 70, 470, 320, 18


@dataclass(frozen=True)
class Spot:
    """A place. `label`: written beside it if it is on the front; `place`: of its library among all; `low`, `high`: of `y`."""

    label: str
    place: int
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    front: bool = False


def tradeoff(spots: Sequence[Spot], libraries: Sequence[str], across: str, up: str, title: str) -> str:
    """SVG; less is better on both axes, whose titles are `across` and `up`. An empty text without a place."""
    if not spots or min(min(one.x, one.y) for one in spots) <= 0:
        return ""
    left, right = min(one.x for one in spots) / 1.2, max(one.x for one in spots) * 1.6
    ends = [end for one in spots for end in (one.y, one.low, one.high) if end is not None and end > 0]
    bottom, top = min(ends) / 1.25, max(ends) * 1.25

    def x(value: float) -> float:
        return LEFT_PX + PLOT_PX * math.log(value / left) / math.log(right / left)

    def y(value: float) -> float:
        return HEIGHT_PX * (1 - math.log(value / bottom) / math.log(top / bottom))

    parts = [tick(x(at), HEIGHT_PX, _short(at)) for at in decade_ticks(left, right)]
    for at in fine_ticks(bottom, top):
        parts.append(f'<path d="M{LEFT_PX} {y(at):.1f}h{PLOT_PX}" stroke="{ink("line")}"/>')
        parts.append(text(LEFT_PX - 8, y(at) + 4, _short(at), "end", "ink"))
    front = sorted((one for one in spots if one.front), key=lambda one: one.x)
    steps = "".join(f"H{x(one.x):.1f}V{y(one.y):.1f}" for one in front[1:])
    if steps:
        parts.append(f'<path d="M{x(front[0].x):.1f} {y(front[0].y):.1f}{steps}" stroke="{ink("muted")}" stroke-width="1.4"/>')  # fmt: skip
    for one in spots:
        if one.low is not None and one.high is not None and one.low > 0:
            parts.append(f'<path d="M{x(one.x):.1f} {y(one.low):.1f}V{y(one.high):.1f}" stroke="{library_colour(one.place)}" stroke-width="2"/>')  # fmt: skip
        variant = 0 if one.front else 1
        parts.append(f'<g transform="translate({x(one.x):.1f} {y(one.y):.1f})">{marker(one.place, variant)}</g>')
    parts += [text(x(one.x) + 9, y(one.y) - 6, one.label, "start", "ink") for one in front]
    parts.append(text(LEFT_PX + PLOT_PX / 2, HEIGHT_PX + 32, f"{across} (left is better)", "middle", "muted"))
    parts.append(text(LEFT_PX, -8, f"{up} (down is better)", "start", "muted"))
    legend, height = _legend(spots, libraries)
    # The title of the vertical axis stands above the plot.
    body = f'<g transform="translate(0 18)">{"".join(parts) + legend}</g>'
    data = f' data-front="{attribute(", ".join(one.label for one in front))}"'
    return svg(body, LEFT_PX + PLOT_PX + 110, HEIGHT_PX + 88 + height, title, "tradeoff", data)


def _short(value: float) -> str:
    for limit, factor, unit in ((1e6, 1e6, "M"), (1e3, 1e3, "k")):
        if value >= limit:
            return f"{value / factor:g} {unit}"
    return f"{value:g}"


def _legend(spots: Sequence[Spot], libraries: Sequence[str]) -> tuple[str, float]:
    parts, x, line = [], float(LEFT_PX), 0
    for place in sorted({one.place for one in spots}):
        own = 26 + len(libraries[place]) * LETTER_PX
        if x > LEFT_PX and x + own > LEFT_PX + PLOT_PX:
            x, line = float(LEFT_PX), line + 1
        at = HEIGHT_PX + 52 + LEGEND_PX * line
        parts.append(f'<g transform="translate({x:.1f} {at})">{marker(place, 0)}</g>')
        parts.append(text(x + 10, at + 4, libraries[place], "start", "ink"))
        x += own
    return "".join(parts), LEGEND_PX * line
