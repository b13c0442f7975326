# SPDX-License-Identifier: Apache-2.0
"""What a single call costs, as one stacked bar a lane from zero, drawn row by row, so that the page can hide a library, take another size and compare with a base."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.model.units import format_time
from cipherstone.report.charts.palette import ink
from cipherstone.report.charts.parts import Labels, attribute, svg, text, tick

PHASES = (
    "open",
    "setup",
    "first",
    "steady",
)  # inks of the page: what a process does once, set-up, the first call beyond a later one, a later call
ROW_PX, BAR_PX, PLOT_PX, LABEL_PX, END_PX = 24, 13, 300, 200, 120


@dataclass(frozen=True)
class Bar:
    """A lane with the length of each of `PHASES`, in ns."""

    lane: str
    library: str
    label: str
    parts_ns: Sequence[float]


def bars(rows: Sequence[Bar], case: str, title: str) -> str:
    """SVG: the bars of `case`, each with its sum at its end."""
    labels = Labels.of([row.label for row in rows], ROW_PX, LABEL_PX)
    most = max(sum(row.parts_ns) for row in rows)
    unit, name = next(((f, u) for f, u in ((1e9, "s"), (1e6, "ms"), (1e3, "\u00b5s")) if most >= f), (1.0, "ns"))
    scale = PLOT_PX / most
    step = round_step(most / unit)
    ticks = [i * step for i in range(math.floor(most / unit / step) + 1)]
    parts = ['<g class="xs">', *(tick(labels.px + t * unit * scale, labels.bottom, f"{t:g}", t == 0) for t in ticks)]
    parts.append(text(labels.px + PLOT_PX / 2, labels.bottom + 32, f"{name} (left is better)", "middle", "muted") + "</g>")  # fmt: skip
    for number, row in enumerate(rows):
        middle, height = labels.rows[number]
        x, drawn = labels.px, []
        for phase, ns in zip(PHASES, row.parts_ns, strict=True):
            if ns * scale >= 0.05:
                drawn.append(f'<rect x="{x:.1f}" y="{-BAR_PX / 2}" width="{ns * scale:.1f}" height="{BAR_PX}" fill="{ink(f"phase-{phase}")}"/>')  # fmt: skip
            x += ns * scale
        end = text(x + 5, 4, format_time(sum(row.parts_ns), 3), "start", "ink")
        parts.append(
            f'<g data-lane="{attribute(row.lane)}" data-lib="{attribute(row.library)}" data-high="{height:g}" transform="translate(0 {middle:g})">'
            f"{labels.svg(number, 0)}<g>{''.join(drawn)}{end}</g></g>"
        )
    data = f' data-case="{attribute(case)}" data-left="{labels.px:g}" data-px="{PLOT_PX}"'
    return svg("".join(parts), labels.px + PLOT_PX + END_PX, labels.bottom + 40, title, "phases", data)


def round_step(most: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that gives two to five ticks up to `most`."""
    raw = most / 5
    power = 10.0 ** math.floor(math.log10(raw))
    return next(s * power for s in (1, 2, 5, 10) if s * power >= raw)
