# SPDX-License-Identifier: Apache-2.0
"""The chart of the first screen: a row a build, a dot an operation at its cost over the best, drawn without a renderer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.model.summary import Estimate
from cipherstone.report.charts.palette import ink, library_colour, marker_index
from cipherstone.report.charts.parts import Labels, attribute, svg, text, tick
from cipherstone.report.charts.vega_lite import ratio_ticks

ROW_PX, LABEL_PX, PLOT_PX = 26, 118, 230  # with its edges as wide as a phone
AXIS_PX = 40
OFFSETS_PX = (0, 5, -5, 2.5, -2.5)  # so that dots of equal cost stand beside each other


@dataclass(frozen=True)
class SpreadRow:
    """A build. `costs`: over the best, an operation each; `mean`: geometric mean over the operations that all builds have."""

    build: str
    library: str
    label: str
    costs: Sequence[Estimate]
    mean: float | None


def spread(rows: Sequence[SpreadRow], libraries: Sequence[str], title: str) -> str:
    """SVG: log axis with 1 marked; intervals as lines through the dots, the mean as an upright line. "" without a figure."""
    ends = [v for row in rows for cost in row.costs for v in (cost.value, cost.low, cost.high) if v]
    if not ends:
        return ""
    low, high = min([0.99, *ends]) / 1.03, max([1.1, *ends]) * 1.06
    labels = Labels.of([row.label for row in rows], ROW_PX, LABEL_PX)
    scale = PLOT_PX / math.log(high / low)

    def x(value: float) -> float:
        return labels.px + scale * math.log(value / low)

    bottom = labels.bottom
    ticks = "".join(tick(x(at), bottom, f"{at:g}", strong=at == 1) for at in ratio_ticks(low, high))
    caption = text(labels.px + PLOT_PX / 2, bottom + 32, "cost over the best (left is better)", "middle", "muted")
    parts = [f'<g class="xs">{ticks}{caption}</g>']
    for number, row in enumerate(rows):
        middle, tall = labels.rows[number]
        place = marker_index(libraries, row.library)
        colour = library_colour(place)
        marks = [(cost, OFFSETS_PX[i % len(OFFSETS_PX)]) for i, cost in enumerate(row.costs)]
        lines = "".join(f"M{x(c.low):.1f} {y:g}H{x(c.high):.1f}" for c, y in marks if c.low and c.high)
        dots = "".join(f"M{x(c.value):.1f} {y:g}h0" for c, y in marks)
        mean = f"M{x(row.mean):.1f} -10v20" if row.mean else ""
        parts.append(
            f'<g data-lane="{attribute(row.build)}" data-lib="{attribute(row.library)}" data-high="{tall:g}" transform="translate(0 {middle:g})">'
            f'{labels.svg(number, 0)}<path class="whisker" d="{lines}" stroke="{colour}"/><path class="dots" d="{dots}" stroke="{colour}"/>'
            f'<path class="mean" d="{mean}" stroke="{ink("ink")}" stroke-width="2"/></g>'
        )
    data = f' data-left="{labels.px:g}" data-px="{PLOT_PX}"'
    return svg("".join(parts), labels.px + PLOT_PX + 14, bottom + AXIS_PX, title, "spread", data)
