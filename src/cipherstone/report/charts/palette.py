# SPDX-License-Identifier: Apache-2.0
"""Colours and markers. A library keeps one of each through a report; both differ between neighbours, so grey print still tells them apart.

Charts are drawn with placeholder colours, replaced in the SVG by CSS variables, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Okabe and Ito's colour-blind-safe set, yellow darkened to be seen on white; (light page, dark page).
LIBRARY_COLOURS = (
    ("#d55e00", "#ff8a3d"),
    ("#0072b2", "#4aa8e8"),
    ("#009e73", "#2cc99a"),
    ("#b8860b", "#f0d442"),
    ("#8a4f9e", "#d79be8"),
    ("#333333", "#eeeeee"),
    ("#c2417c", "#ff8fbd"),
    ("#2f8fae", "#8fd9f0"),
    ("#6b7d1e", "#b9cc5a"),
)
# SVG paths in the box -1..1; Vega and the page draw the same ones.
SHAPES = (
    "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0Z",
    "M-.86,-.86H.86V.86H-.86Z",
    "M0,-1.1L1.1,.85H-1.1Z",
    "M0,-1.2L1.2,0L0,1.2L-1.2,0Z",
    "M0,1.1L1.1,-.85H-1.1Z",
    "M-1.15,-.45H-.45V-1.15H.45V-.45H1.15V.45H.45V1.15H-.45V.45H-1.15Z",
    "M-1.15,-.6L-.6,-1.15L0,-.55L.6,-1.15L1.15,-.6L.55,0L1.15,.6L.6,1.15L0,.55L-.6,1.15L-1.15,.6L-.55,0Z",
    "M-.85,-1.1L1.1,0L-.85,1.1Z",
    "M.85,-1.1L-1.1,0L.85,1.1Z",
    "M0,-1.2L.35,-.35H1.15L.5,.2L.75,1.05L0,.55L-.75,1.05L-.5,.2L-1.15,-.35H-.35Z",
)
# What is no library (tiers of a roofline, kinds of a laboratory) has colours and markers of its own.
KIND_COLOURS = (
    ("#4d5a66", "#b9c6d3"),
    ("#8f5a3a", "#e0a985"),
    ("#2f5597", "#8fb0ec"),
    ("#7b2d6f", "#e08fd2"),
    ("#4a7023", "#a3d977"),
    ("#a01f3c", "#ff8a9c"),
    ("#00646b", "#5fd0d6"),
    ("#5a4fcf", "#b3adff"),
)
KIND_SHAPES = (
    "M-1.05,0A1.05,1.05,0,1,1,1.05,0A1.05,1.05,0,1,1,-1.05,0ZM-.45,0A.45,.45,0,1,0,.45,0A.45,.45,0,1,0,-.45,0Z",
    "M-.4,-1.25H.4V1.25H-.4Z",
    "M-.55,-1H.55L1.1,0L.55,1H-.55L-1.1,0Z",
    "M-1.1,-1V1L1.1,-1V1Z",
    "M-1,-1H1V1H-1ZM-.4,-.4V.4H.4V-.4Z",
    "M-1.1,.1L0,-1L1.1,.1V1L0,-.1L-1.1,1Z",
    "M-1.25,-.4H1.25V.4H-1.25Z",
    "M-1,-1.1H1L-1,1.1H1Z",
    "M-1.15,.55A1.15,1.15,0,0,1,1.15,.55Z",
)
# name -> (light page, dark page); the page's other variables live in the style sheet.
INKS = {
    "ink": ("#1b1f24", "#e8eaed"),
    "muted": ("#59626e", "#aeb8c2"),
    "line": ("#d8dde3", "#3a424c"),
    "grey": ("#8a929c", "#6f7883"),
    "paper": ("#ffffff", "#171a1f"),
    "bad": ("#a3261b", "#ff9b8f"),
    "phase-open": ("#7a5ea8", "#a68fd6"),
    "phase-first": ("#b85c12", "#e0954a"),
    "phase-steady": ("#16283a", "#cfe3f5"),
}
_INK_NAMES = tuple(INKS)
_PLACEHOLDER = re.compile(r"#(a5c0|b5d0|c5e0)([0-9a-f]{2})")

_INK_TEXT = re.compile(r'(<text[^>]*) fill="var\(--ink\)"')


def ink(name: str) -> str:
    """Placeholder of a page colour in a chart."""
    return f"#b5d0{_INK_NAMES.index(name):02x}"


def library_colour(index: int) -> str:
    """Placeholder of the colour of the library at `index` of the sorted libraries."""
    return f"#a5c0{index % len(LIBRARY_COLOURS):02x}"


def library_shape(index: int) -> str:
    """SVG path of its marker. The two cycles differ in length, so colour and shape together repeat after 90 libraries."""
    return SHAPES[index % len(SHAPES)]


def kind_colour(index: int) -> str:
    """Placeholder of the colour of the kind at `index`."""
    return f"#c5e0{index % len(KIND_COLOURS):02x}"


def kind_shape(index: int) -> str:
    """SVG path of its marker."""
    return KIND_SHAPES[index % len(KIND_SHAPES)]


def with_variables(svg: str) -> str:
    """Placeholders become CSS variables of the page, which gives text that says nothing else the colour of ink."""

    def replace(match: re.Match[str]) -> str:
        index = int(match[2], 16)
        if match[1] != "b5d0":
            return f"var(--{'lib' if match[1] == 'a5c0' else 'kind'}-{index})"
        name = _INK_NAMES[index]
        return f"var(--{name})"

    return _INK_TEXT.sub(r"\1", _PLACEHOLDER.sub(replace, svg))


def style_variables(dark: bool) -> str:
    """CSS declarations of every colour that charts use."""
    theme = 1 if dark else 0
    inks = [f"--{name}:{pair[theme]}" for name, pair in INKS.items()]
    libraries = [f"--lib-{i}:{pair[theme]}" for i, pair in enumerate(LIBRARY_COLOURS)]
    kinds = [f"--kind-{i}:{pair[theme]}" for i, pair in enumerate(KIND_COLOURS)]
    return ";".join(inks + libraries + kinds)


def marker_index(libraries: Sequence[str], library: str) -> int:
    """Place of `library` in the sorted libraries; past the end for one that is not there."""
    return libraries.index(library) if library in libraries else len(libraries)
