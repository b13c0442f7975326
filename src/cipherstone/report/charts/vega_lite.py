# SPDX-License-Identifier: Apache-2.0
"""Vega-Lite specifications of every chart, as dicts. Pure: numbers in, specification out; `svg.py` draws them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from cipherstone.model.summary import Estimate
from cipherstone.report.charts.palette import ink

Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
FONT = "system-ui, sans-serif"
ROW_PX = 24
PLOT_PX = 300
ONE: Spec = {"values": [{}]}  # for marks that are drawn once, not once a row
LONG_RUN_S = 120  # a shorter run is drawn over seconds
_RATIO_TICKS = (1, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000)


@dataclass(frozen=True)
class Dot:
    """A row of a dot chart: a ratio with its interval, or a `word` where there is none. `group` numbers ties from 1; `variant`: number of its build among those of its library."""

    label: str
    library: str
    ratio: Estimate | None
    group: int = 0
    word: str = ""
    variant: int = 0


@dataclass(frozen=True)
class Curve:
    """One lane over the sizes of `operation`: (size in bytes, value with interval). `variant`: number of its build among those of its library."""

    label: str
    library: str
    points: tuple[tuple[int, Estimate], ...]
    lane: str = ""
    operation: str = ""
    variant: int = 0


@dataclass(frozen=True)
class CrossingLabel:
    """A size in bytes at which two lanes of `libraries` change places, in words."""

    size: float
    words: str
    libraries: tuple[str, ...]


def crossing_lines(lanes: Sequence[Curve]) -> list[tuple[int, int, int, int]]:
    """(i, j, below, above): lines i and j of a chart cross between these two sizes, which both have; a line that only touches another does not cross it."""
    found = []
    for i, j in combinations(range(len(lanes)), 2):
        theirs = dict(lanes[j].points)
        last: tuple[int, bool] | None = None
        for size, mine in sorted(lanes[i].points):
            if size not in theirs or mine.value == theirs[size].value:
                continue
            above = mine.value > theirs[size].value
            if last is not None and last[1] is not above:
                found.append((i, j, last[0], size))
            last = (size, above)
    return found


def canvas(height: int | Mapping[str, Any], width: int = PLOT_PX) -> Spec:
    """What every chart begins with: its size in pixels and the page's fonts and inks."""
    axis = {
        "labelColor": ink("ink"), "titleColor": ink("muted"), "gridColor": ink("line"), "domainColor": ink("line"), "tickColor": ink("line"),
        "labelFont": FONT, "titleFont": FONT, "labelFontSize": 11.5, "titleFontSize": 11.5, "titleFontWeight": "normal", "labelLimit": 170,
    }  # fmt: skip
    return {
        "$schema": SCHEMA,
        "background": None,
        "width": width,
        "height": height,
        "padding": {"left": 12, "top": 2, "right": 6, "bottom": 2},
        "config": {"aria": False, "view": {"stroke": None}, "axis": axis, "text": {"font": FONT, "fontSize": 11.5}},
    }


def ratio_ticks(low: float, high: float) -> list[float]:
    """Ticks of a ratio axis from `low` to `high`: 1 and the round ratios that do not crowd."""
    span = math.log(high / low)
    ticks: list[float] = [1]
    for tick in _RATIO_TICKS[1:]:
        if tick <= high and math.log(tick / ticks[-1]) > span / 7:
            ticks.append(tick)
    return ticks


def ratio_domain(rows: Sequence[Dot]) -> tuple[float, float]:
    """From a little below the lowest interval to a little above the highest, at least 0.98 to 1.05."""
    ends = [v for row in rows if row.ratio is not None for v in (row.ratio.value, row.ratio.low, row.ratio.high) if v]
    top = max([1.05, *ends])
    margin = (top) ** 0.04
    return min([0.98, *ends]) / margin, top * margin


def decade_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5 of every decade from `low` to `high`; only the powers of ten if that crowds."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    return [s * 10.0**e for e in range(first, last + 1) for s in steps if low <= s * 10.0**e <= high]


def size_ticks(sizes: Sequence[int]) -> list[int]:
    """Sizes at least a factor 2.5 apart, ends kept where they can be."""
    ticks: list[int] = []
    for size in sorted(set(sizes)):
        if not ticks or size / ticks[-1] >= 2.5:
            ticks.append(size)
    return ticks


def round_step(most: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that gives two to five ticks up to `most`."""
    raw = most / 5
    power = 10.0 ** math.floor(math.log10(raw))
    return next(s * power for s in (1, 2, 5, 10) if s * power >= raw)


def contenders(lanes: Sequence[Curve], most: int) -> set[int]:
    """Numbers of at most `most` lines: those that come nearest to the top at any size, of them those that are high at all sizes."""
    if len(lanes) <= most:
        return set(range(len(lanes)))
    places: dict[int, list[int]] = {number: [] for number, lane in enumerate(lanes) if lane.points}
    for size in {size for lane in lanes for size, _ in lane.points}:
        there = [
            (dict(lanes[number].points)[size].value, number) for number in places if size in dict(lanes[number].points)
        ]
        for place, (_, number) in enumerate(sorted(there, reverse=True)):
            places[number].append(place)
    order = sorted(places, key=lambda number: (min(places[number]), sum(places[number]) / len(places[number]), number))
    return set(order[:most])


def noise(ipc_by_pass: Sequence[tuple[float, float]], reference: float | None, threshold: float) -> Spec:
    """Probe IPC over the run, with the reference and the line below which a pass counts as disturbed."""
    last_s = max(start for start, _ in ipc_by_pass)
    unit_s, unit = (60, "minutes") if last_s >= LONG_RUN_S else (1, "seconds")
    values = [{"at": start / unit_s, "ipc": ipc} for start, ipc in ipc_by_pass]
    step = round_step(max(last_s, 1.0) / unit_s)
    low = min([ipc for _, ipc in ipc_by_pass] + ([reference * threshold] if reference else [])) * 0.98
    high = max([ipc for _, ipc in ipc_by_pass] + ([reference] if reference else [])) * 1.02
    # A step for each number: the renderer measures text narrower than browsers set it, and would let numbers touch.
    ticks = [i * step for i in range(math.floor(max(last_s, 1.0) / unit_s / step) + 1)]
    x = {
        "field": "at",
        "type": "quantitative",
        "title": f"{unit} since the run began",
        "axis": {"values": ticks, "format": "~g"},
    }
    y = {
        "field": "ipc",
        "type": "quantitative",
        "title": "probe IPC",
        "scale": {"domain": [low, high], "nice": False},
        "axis": {"tickCount": 4, "titlePadding": 10},
    }
    layers: list[Spec] = [
        {
            "mark": {"type": "line", "strokeWidth": 1, "color": ink("line")},
            "encoding": {"x": x, "y": y},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 28, "opacity": 1, "color": ink("ink")},
            "encoding": {"x": x, "y": y},
        },
    ]
    if reference:
        for value, words, dash in (
            (reference, "undisturbed", [1, 0]),
            (reference * threshold, "below this: disturbed", [4, 3]),
        ):
            layers += [
                {"data": ONE, "mark": {"type": "rule", "color": ink("bad"), "strokeDash": dash}, "encoding": {"y": {"datum": value, "type": "quantitative"}}},
                {"data": ONE, "mark": {"type": "text", "align": "left", "baseline": "middle", "color": ink("bad")},
                 "encoding": {"x": {"value": 526}, "y": {"datum": value, "type": "quantitative"}, "text": {"value": words}}},
            ]  # fmt: skip
    wide = {"left": 12, "top": 2, "right": 24, "bottom": 2}  # browsers set the words beside the lines wider
    return canvas(150, 520) | {"padding": wide, "data": {"values": values}, "layer": layers}
