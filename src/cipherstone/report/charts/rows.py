# SPDX-License-Identifier: Apache-2.0
"""Charts of rows with dots on them, drawn mark by mark: implementations against the best, shares of a bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cipherstone.report.charts.measures import Share
from cipherstone.report.charts.palette import ink, kind_colour, kind_shape, library_colour, marker_index
from cipherstone.report.charts.parts import LETTER_PX, MARK_PX, Labels, marker, svg, text, tick
from cipherstone.report.charts.vega_lite import Dot, ratio_domain, ratio_ticks

PLOT_PX, LABEL_PX, ROW_PX = 300, 200, 24
SMALL_PX, SMALL_LABEL_PX = 210, 140  # three small charts stand side by side
SHARE_PX, SHARE_LABEL_PX, SHARE_ROW_PX = 400, 230, 22
LEGEND_PX = 18
MOST_SHARE = 1.15  # a share beyond is drawn here; its words tell it


def dots(rows: Sequence[Dot], libraries: Sequence[str], title: str, domain: tuple[float, float] | None = None) -> str:
    """SVG: cost over the best, a dot and a whisker a row on a log axis, ties in a bracket, a word where there is no ratio. With a `domain` it is small, for charts in one row that share it."""
    low, high = domain or ratio_domain(rows)
    labels = Labels.of([row.label for row in rows], ROW_PX, SMALL_LABEL_PX if domain else LABEL_PX)
    left, width = (SMALL_LABEL_PX, SMALL_PX) if domain else (labels.px, PLOT_PX)

    def x(value: float) -> float:
        return left + width * math.log(value / low) / math.log(high / low)

    parts = [tick(x(at), labels.bottom, f"{at:g}", at == 1) for at in ratio_ticks(low, high)]
    for number, row in enumerate(rows):
        middle = labels.rows[number][0]
        parts += [labels.svg(number, middle, left), _dot(row, marker_index(libraries, row.library), middle, x)]
    ties = _brackets(rows, labels, left + width + 8)
    caption = "cost relative to the best" + (" (1 = best; left is better)" if domain is None else "")
    parts.append(text(left + width / 2, labels.bottom + 32, caption, "middle", "muted"))
    return svg("".join(parts) + ties, left + width + (44 if ties else 14), labels.bottom + 40, title, "dots")


def _dot(row: Dot, place: int, middle: float, x: object) -> str:
    assert callable(x)
    if row.ratio is None:
        return text(x(1) + 8, middle + 4, row.word, "start", "muted")
    whisker = ""
    if row.ratio.low and row.ratio.high:
        whisker = f'<path d="M{x(row.ratio.low):.1f} {middle:g}H{x(row.ratio.high):.1f}" stroke="{library_colour(place)}" stroke-width="2.5"/>'
    return f'{whisker}<g transform="translate({x(row.ratio.value):.1f} {middle:g})">{marker(place, row.variant)}</g>'


def _brackets(rows: Sequence[Dot], labels: Labels, edge: float) -> str:
    """A bracket around every group of more than one lane."""
    parts = []
    for group in sorted({row.group for row in rows if row.group}):
        members = [labels.rows[i][0] for i, row in enumerate(rows) if row.group == group]
        if len(members) > 1:
            first, last = members[0], members[-1]
            parts.append(
                f'<path d="M{edge - 6:g} {first:g}h6V{last:g}h-6" stroke="{ink("muted")}" stroke-width="1.5"/>'
            )
            parts.append(text(edge + 4, (first + last) / 2 + 4, "tie", "start", "muted"))
    return "".join(parts)


def shares(rows: Sequence[Share], kinds: Sequence[str], title: str) -> str:
    """SVG: share of a bound, 0 to 100 %, a dot a row and tier; the bound is drawn; a flagged one is a cross with its word."""
    names = list(dict.fromkeys(row.label for row in rows))
    labels = Labels.of(names, SHARE_ROW_PX, SHARE_LABEL_PX)
    top = 1.18 if any(row.share > 1 for row in rows) else 1.03

    def x(share: float) -> float:
        return labels.px + SHARE_PX * min(share, MOST_SHARE) / top

    parts = [tick(x(at / 100), labels.bottom, str(at), at == 100) for at in range(0, 101, 20)]
    parts += [labels.svg(number, middle) for number, (middle, _) in enumerate(labels.rows)]
    parts += [_share(row, kinds, labels.rows[names.index(row.label)][0], x) for row in rows]
    caption = "share of what the instructions allow, % (right is better)"
    parts.append(text(labels.px + SHARE_PX / 2, labels.bottom + 32, caption, "middle", "muted"))
    below = _legend(kinds, labels.bottom + 52, labels.px + SHARE_PX) if len(kinds) > 1 else []
    height = labels.bottom + 44 + LEGEND_PX * (1 + max((line for line, _ in below), default=-1))
    return svg("".join([*parts, *(drawn for _, drawn in below)]), labels.px + SHARE_PX + 14, height, title, "shares")


def _share(row: Share, kinds: Sequence[str], middle: float, x: object) -> str:
    assert callable(x)
    at = x(row.share)
    if row.flagged:
        right = row.share > 0.6
        words = text(at + (-9 if right else 9), middle + 4, f"{row.share * 100:.0f} %: model in doubt", "end" if right else "start", "bad")  # fmt: skip
        return f'<path d="M{at - 4:.1f} {middle - 4:g}l8 8m0-8l-8 8" stroke="{ink("bad")}" stroke-width="2.2"/>{words}'
    kind = kinds.index(row.kind)
    whisker = ""
    if row.low is not None and row.high is not None:
        whisker = f'<path d="M{x(row.low):.1f} {middle:g}H{x(row.high):.1f}" stroke="{kind_colour(kind)}" stroke-width="2.5"/>'
    return whisker + _kind(kind, at, middle)


def _kind(kind: int, x: float, y: float) -> str:
    return f'<path transform="translate({x:.1f} {y:g})scale({MARK_PX - 0.8:g})" d="{kind_shape(kind)}" fill="{kind_colour(kind)}" stroke="{ink("paper")}" stroke-width="0.12"/>'


def _legend(kinds: Sequence[str], y: float, width: float) -> list[tuple[int, str]]:
    """(line, marker and name) of every kind, on as many lines as they need."""
    found, x, line = [], 8.0, 0
    for number, kind in enumerate(kinds):
        own = 26 + len(kind) * LETTER_PX
        if x > 8 and x + own > width:
            x, line = 8.0, line + 1
        at = y + LEGEND_PX * line
        found.append((line, _kind(number, x, at) + text(x + 10, at + 4, kind, "start", "ink")))
        x += own
    return found
