# SPDX-License-Identifier: Apache-2.0
"""Draws Vega-Lite specifications as SVG to stand inside a page: no fixed colours, no script, small."""

from __future__ import annotations

import re
from collections import Counter
from html import escape

from cipherstone.model.text import showable, shown
from cipherstone.report.charts.drawing import drawing
from cipherstone.report.charts.palette import with_variables
from cipherstone.report.charts.vega_lite import Spec

# Marks carry no text for a screen reader: the chart has one name, and its table beside it has every figure.
_NOISE = re.compile(
    r' (?:role|class|aria-[a-z]+|font-family|pointer-events|opacity|stroke-miterlimit|xmlns:xlink|version)="(?:[^"]*)"'
)
_DEFAULT = re.compile(
    r' (?:x2="0"|y2="0"|stroke-width="1"|text-anchor="start"|font-size="11.5px")'
)  # the page sets that size
_SHAPE = re.compile(r'<path((?: transform="[^"]*")?) d="([^"]{24,})"([^>]*)/>')
_EDGE = re.compile(
    r' stroke="var\(--paper\)" stroke-width="0.[78]"'
)  # the page gives it to all that is used by reference
_EMPTY_PATH = re.compile(r'<path[^>]* d="(?:M0,0h0v0h0Z)?"[^>]*/>')
_LONG_NUMBER = re.compile(r"(-?\d*\.\d{2})\d+")
# Browsers set text wider than the renderer measures it: room for that at both sides.
ROOM_PX = 8
_ROOT = re.compile(r"<svg[^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\" viewBox=\"[^\"]*\">")


def draw(spec: Spec, title: str) -> str:
    """SVG text of `spec`, named `title`; its colours are CSS variables of the page. "" where it cannot be drawn here (`drawing`)."""
    with drawing() as pictures:
        svg = pictures.svg(shown(spec))  # a control character would end the renderer, without an exception
    keep_opacity = svg.replace(' opacity="0', ' fill-opacity="0').replace(' opacity="1"', "")
    slim = _EMPTY_PATH.sub("", _NOISE.sub("", keep_opacity))
    slim = _DEFAULT.sub("", _LONG_NUMBER.sub(r"\1", slim))
    slim = _ROOT.sub(
        lambda m: (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-label="{escape(showable(title), quote=True)}" '
            f'width="{float(m[1]) + 2 * ROOM_PX:g}" height="{m[2]}" viewBox="-{ROOM_PX} 0 {float(m[1]) + 2 * ROOM_PX:g} {m[2]}">'
        ),
        slim,
        count=1,
    )
    return with_variables(slim)


def shared_shapes(page: str, sheet: str) -> str:
    """`page` with each path that stands in it more than twice written once, in place of the text `sheet`, and used by reference where it stood."""
    seen = Counter(match[2] for match in _SHAPE.finditer(page))
    names = {path: f"s{i}" for i, path in enumerate(path for path, count in seen.items() if count > 2)}
    slim = _SHAPE.sub(
        lambda m: f'<use href="#{names[m[2]]}"{m[1]}{_EDGE.sub("", m[3])}/>' if m[2] in names else m[0], page
    )
    return slim.replace(sheet, "".join(f'<path id="{name}" d="{path}"/>' for path, name in names.items()), 1)
