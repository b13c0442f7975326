# SPDX-License-Identifier: Apache-2.0
"""Bars in pairs from zero: a published figure as an outline, ours filled with the library's colour, in groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.report.charts.palette import ink, library_colour, marker_index
from cipherstone.report.charts.parts import attribute, svg, text, tick
from cipherstone.report.charts.vega_lite import round_step

ROW_PX, BAR_PX, HEAD_PX = 30, 10, 26
LABEL_PX, PLOT_PX, END_PX = 120, 330, 60


@dataclass(frozen=True)
class Pair:
    """`published` and `ours` in one unit, None where there is none. `library`: whose colour it has, "" for one that is not in the run."""

    label: str
    library: str
    published: float | None
    ours: float | None


def pairs(groups: Sequence[tuple[str, Sequence[Pair]]], libraries: Sequence[str], unit: str, title: str) -> str:
    """SVG: of each group its title, then of each row two bars, the published one above."""
    every = [value for _, rows in groups for row in rows for value in (row.published, row.ours) if value is not None]
    most = max(every, default=1.0) or 1.0
    scale = PLOT_PX / most
    step = round_step(most)
    bottom = sum(HEAD_PX + ROW_PX * len(rows) for _, rows in groups)
    ticks = [n * step for n in range(math.floor(most / step + 1e-9) + 1)]
    parts = [tick(LABEL_PX + value * scale, bottom, f"{value:g}", value == 0) for value in ticks]
    parts.append(
        text(LABEL_PX + PLOT_PX / 2, bottom + 32, f"{unit}; outlined: published, filled: here", "middle", "muted")
    )
    y = 0.0
    for name, rows in groups:
        parts.append(text(0, y + HEAD_PX - 9, name, "start", "ink"))
        y += HEAD_PX
        for row in rows:
            parts.append(_row(row, libraries, scale, y))
            y += ROW_PX
    return svg("".join(parts), LABEL_PX + PLOT_PX + END_PX, bottom + 40, title, "beside")


def _row(row: Pair, libraries: Sequence[str], scale: float, y: float) -> str:
    drawn = [text(LABEL_PX - 8, y + ROW_PX / 2 + 1, row.label, "end", "ink")]
    known = row.library in libraries
    colour = library_colour(marker_index(libraries, row.library)) if known else ink("muted")
    for number, (value, look) in enumerate(
        ((row.published, f'fill="none" stroke="{colour}" stroke-width="1.4"'), (row.ours, f'fill="{colour}"'))
    ):
        if value is None:
            continue
        top = y + 3 + number * (BAR_PX + 2)
        drawn.append(f'<rect x="{LABEL_PX}" y="{top:g}" width="{value * scale:.1f}" height="{BAR_PX}" {look}/>')
        drawn.append(text(LABEL_PX + value * scale + 5, top + BAR_PX - 1, f"{value:.3g}", "start", "ink"))
    library = f' data-lib="{attribute(row.library)}"' if row.library else ""
    return f"<g{library}>{''.join(drawn)}</g>"
