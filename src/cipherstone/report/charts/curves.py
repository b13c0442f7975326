# SPDX-License-Identifier: Apache-2.0
"""A quantity over the message size, drawn lane by lane, so that the page can hide a library, take another base and show where a chosen size stands."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cipherstone.model.units import format_size
from cipherstone.report.charts.palette import LIBRARY_COLOURS, SHAPES, ink, marker_index
from cipherstone.report.charts.parts import DASHES, LETTER_PX, LINE_PX, VARIANTS, attribute, spread, svg, text
from cipherstone.report.charts.vega_lite import CrossingLabel, Curve, contenders, decade_ticks, size_ticks

LEFT_PX, WIDTH_PX, HEIGHT_PX = 52, 480, 300
MOST_LABELLED = 3
MOST_CONTENDERS = 5  # lines with a colour and a name; the others are grey
INSIDE = {2: "pdot", 3: "pbar"}  # what the marker of a third and of a fourth build has in it


def curves(
    lanes: Sequence[Curve], libraries: Sequence[str], title: str, y_title: str, crossings: Sequence[CrossingLabel] = ()
) -> str:
    """SVG: both axes logarithmic; the sizes at which the order changes are written above the plot. The names of the best lines stand at their ends, the others are grey. Builds of one library differ by dashes and by the fill of their markers."""
    best = contenders(lanes, MOST_CONTENDERS)
    sizes = sorted({size for lane in lanes for size, _ in lane.points})
    everything = [v for lane in lanes for _, e in lane.points for v in (e.value, e.low or e.value, e.high or e.value)]
    low, high = min(everything) / 1.15, max(everything) * 1.15
    first, span = sizes[0] / 1.3, math.log(sizes[-1] / sizes[0] * 1.69)
    named = sorted(crossings, key=lambda c: c.size)[:MOST_LABELLED]
    top = 22 + LINE_PX * len(named)

    def x(size: float) -> float:
        return LEFT_PX + WIDTH_PX * math.log(size / first) / span

    def y(value: float) -> float:
        return top + HEIGHT_PX * math.log(high / value) / math.log(high / low)

    bottom = top + HEIGHT_PX
    parts = [f'<g class="what">{text(LEFT_PX, 7, y_title, "start", "muted")}</g><g class="ys">']
    parts += [f'<path d="M{LEFT_PX} {y(at):.1f}h{WIDTH_PX}" stroke="{ink("line")}"/>{text(LEFT_PX - 6, y(at) + 4, f"{at:g}", "end", "ink")}' for at in _apart(decade_ticks(low, high), y)]  # fmt: skip
    parts.append("</g>")
    for size in size_ticks(sizes):
        parts.append(f'<path d="M{x(size):.1f} {top}V{bottom}" stroke="{ink("line")}"/>')
        parts.append(text(x(size), bottom + 15, format_size(size), "middle", "ink"))
    parts.append(text(LEFT_PX + WIDTH_PX / 2, bottom + 32, "message size", "middle", "muted"))
    middle = math.sqrt(sizes[0] * sizes[-1])
    for number, crossing in enumerate(named):
        at, left = x(crossing.size), crossing.size <= middle
        words = text(at + (4 if left else -4), 24 + LINE_PX * number, crossing.words, "start" if left else "end", "ink")
        parts.append(f'<g data-of="{attribute(" ".join(crossing.libraries))}"><path d="M{at:.1f} {16 + LINE_PX * number}V{bottom}" stroke="{ink("muted")}" stroke-dasharray="3 3"/>{words}</g>')  # fmt: skip
    ends = sorted((y(lanes[n].points[-1][1].value), n) for n in best if lanes[n].points)
    names = {n: at for (_, n), at in zip(ends, spread([end for end, _ in ends], LINE_PX, bottom), strict=True)}
    order = sorted(range(len(lanes)), key=lambda n: n in best)  # what has a colour lies above
    parts += [_lane(lanes[n], libraries, x, y, names.get(n)) for n in order if lanes[n].points]
    labels = max(len(lane.label) for lane in lanes) * LETTER_PX
    data = f' data-op="{attribute(lanes[0].operation)}" data-first="{first:g}" data-span="{span:.6g}" data-left="{LEFT_PX}" data-px="{WIDTH_PX}" data-top="{top}" data-tall="{HEIGHT_PX}" data-most="{MOST_CONTENDERS}"'
    return svg("".join(parts), LEFT_PX + WIDTH_PX + 24 + labels, bottom + 42, title, "sizes", data)


def _lead(x: float, y: float, right: float, name: float) -> str:
    """From the last point of a line to its name."""
    return f"M{x + 6:.1f} {y:.1f}L{right + 12:g} {name:.1f}"


def _apart(ticks: Sequence[float], y: object) -> list[float]:
    """`ticks` without those whose numbers would touch."""
    assert callable(y)
    kept = list(ticks[:1])
    for tick in ticks[1:]:
        if y(kept[-1]) - y(tick) > LINE_PX:
            kept.append(tick)
    return kept


def _lane(lane: Curve, libraries: Sequence[str], x: object, y: object, name: float | None) -> str:
    """`name`: where its name stands at the right; None for a line without one."""
    assert callable(x) and callable(y)
    place, variant = marker_index(libraries, lane.library), lane.variant % VARIANTS
    points = [(x(size), y(e.value), e) for size, e in lane.points]
    line = "".join(f"{'L' if i else 'M'}{a:.1f} {b:.1f}" for i, (a, b, _) in enumerate(points))
    whisker = "".join(f"M{a:.1f} {y(e.low):.1f}V{y(e.high):.1f}" for a, _, e in points if e.low and e.high)
    dash = f' stroke-dasharray="{DASHES[variant]}"' if variant else ""
    shapes = [f"p{place % len(SHAPES)}", *([INSIDE[variant]] if variant in INSIDE else [])]
    marks = "".join(f'<use href="#{shape}" x="{a:.1f}" y="{b:.1f}"/>' for a, b, _ in points for shape in shapes)
    right = LEFT_PX + WIDTH_PX
    end = f'<path class="lead" d="{_lead(points[-1][0], points[-1][1], right, name or 0.0)}"/>'
    end += f'<text class="end" x="{right + 16}" y="{(name or 0.0) + 4:.1f}">{attribute(lane.label)}</text>'
    kind = "" if name is not None else " faint"
    return (
        f'<g class="l{place % len(LIBRARY_COLOURS)} v{variant}{kind}" data-lane="{attribute(lane.lane)}" data-lib="{attribute(lane.library)}" data-shape="{" ".join(shapes)}">'
        f'<title>{attribute(lane.label)}</title><path class="line" d="{line}"{dash}/><path class="whisker" d="{whisker}"/>{marks}{end}</g>'
    )
