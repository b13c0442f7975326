# SPDX-License-Identifier: Apache-2.0
"""Vega-Lite specifications of the laboratories: time against memory, windows, shares of a bound, amounts from zero. Pure, like `charts`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.model.summary import Estimate
from cipherstone.report.charts.palette import ink, kind_colour, kind_shape
from cipherstone.report.charts.vega_lite import FONT, ONE, ROW_PX, Spec, canvas, decade_ticks

# Browsers set long labels wider than the renderer measures them.
LONG_LABELS = {"left": 36, "top": 2, "right": 6, "bottom": 2}
MOST_NAMED = 9  # names written into a chart; more would lie on each other


@dataclass(frozen=True)
class MemoryPoint:
    """A point of time against memory. `kind`: what its colour and shape stand for; `front`: whether nothing beats it in both."""

    label: str
    kind: str
    memory_bytes: int
    ns: Estimate
    front: bool = False


@dataclass(frozen=True)
class WindowPoint:
    """A window of one kind of reduction: measured and predicted time in ns."""

    kind: str
    window: int
    ns: Estimate
    predicted_ns: float


@dataclass(frozen=True)
class Share:
    """A share of a bound. `share`: 0.91 for 91 %; `flagged`: the model is wrong there; `kind`: the tier."""

    label: str
    kind: str
    share: float
    low: float | None = None
    high: float | None = None
    flagged: bool = False


@dataclass(frozen=True)
class Amount:
    """An amount on a scale from zero, with its interval; `kind` gives colour and shape."""

    label: str
    kind: str
    value: Estimate


def _kinds(kinds: Sequence[str], field: str = "kind") -> tuple[Spec, Spec]:
    """Colour and shape of kinds, in the order given, with one legend under the chart."""
    legend: Spec = {
        "title": None,
        "orient": "bottom",
        "columns": 4,
        "labelColor": ink("ink"),
        "labelFont": FONT,
        "labelFontSize": 11.5,
        "labelLimit": 220,
        "symbolOpacity": 1,
        "symbolStrokeWidth": 0,
        "symbolSize": 80,
    }
    shared: Spec = {"field": field, "type": "nominal", "legend": legend if len(kinds) > 1 else None}
    colour = {**shared, "scale": {"domain": list(kinds), "range": [kind_colour(i) for i in range(len(kinds))]}}
    shape = {**shared, "scale": {"domain": list(kinds), "range": [kind_shape(i) for i in range(len(kinds))]}}
    return colour, shape


def _point() -> Spec:
    return {"type": "point", "filled": True, "size": 70, "opacity": 1, "stroke": ink("paper"), "strokeWidth": 0.7}


def _ends(value: Estimate, scale: float) -> Spec:
    if value.low is None or value.high is None:
        return {}
    return {"low": value.low / scale, "high": value.high / scale}


def time_unit(values: Sequence[float]) -> tuple[float, str]:
    """(ns per unit, name) in which times read best."""
    least = min(values)
    return next(((f, u) for f, u in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")) if least >= f / 10), (1.0, "ns"))


def time_memory(places: Sequence[MemoryPoint], kinds: Sequence[str]) -> Spec:
    """Time over memory, both logarithmic; a line joins the points that nothing beats in both, with their names."""
    scale, unit = time_unit([p.ns.value for p in places])
    values = [
        {"label": p.label, "kind": p.kind, "memory": p.memory_bytes, "time": p.ns.value / scale, **_ends(p.ns, scale)}
        for p in places
    ]
    memories = [p.memory_bytes for p in places]
    times = [v for p in places for v in (p.ns.value, p.ns.low or p.ns.value, p.ns.high or p.ns.value)]
    bottom, top = min(times) / scale / 1.25, max(times) / scale * 1.25
    left, right = min(memories) / 1.3, max(memories) * 1.9
    x: Spec = {
        "field": "memory",
        "type": "quantitative",
        "title": "working memory, bytes (left is better)",
        "scale": {"type": "log", "domain": [left, right], "nice": False},
        "axis": {"values": decade_ticks(left, right), "format": "~s", "grid": True},
    }
    y: Spec = {
        "field": "time",
        "type": "quantitative",
        "title": f"time, {unit} (down is better)",
        "scale": {"type": "log", "domain": [bottom, top], "nice": False},
        "axis": {"values": fine_ticks(bottom, top), "format": "~g"},
    }
    colour, shape = _kinds(kinds)
    front = sorted((p for p in places if p.front), key=lambda p: p.memory_bytes)
    line = [{"memory": p.memory_bytes, "time": p.ns.value / scale} for p in front]
    layers: list[Spec] = []
    if len(line) > 1:
        mark = {"type": "line", "interpolate": "step-after", "color": ink("muted"), "strokeWidth": 1.4}
        layers.append({"data": {"values": line}, "mark": mark, "encoding": {"x": x, "y": y}})
    layers += [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {"mark": _point(), "encoding": {"x": x, "y": y, "color": colour, "shape": shape}},
    ]
    for named in _spread(front, MOST_NAMED):
        text = {"type": "text", "align": "center", "dy": 14, "fontSize": 11}
        at = {"data": {"values": [{"memory": named.memory_bytes, "time": named.ns.value / scale}]}}
        words = {"x": x, "y": y, "text": {"value": named.label}}
        halo = {**text, "stroke": ink("paper"), "strokeWidth": 4, "color": ink("paper")}
        layers += [
            {**at, "mark": halo, "encoding": words},
            {**at, "mark": {**text, "color": ink("ink")}, "encoding": words},
        ]
    return canvas(320, 470) | {"data": {"values": values}, "layer": layers}


def _spread(front: Sequence[MemoryPoint], most: int) -> list[MemoryPoint]:
    """At most `most` of the front, ends included, evenly chosen."""
    if len(front) <= most:
        return list(front)
    return [front[round(i * (len(front) - 1) / (most - 1))] for i in range(most)]


def windows(points: Sequence[WindowPoint], kinds: Sequence[str], title: str, top: float | None = None) -> Spec:
    """Time over the window width: a dot and whisker measured, a line predicted, for each kind of reduction. `top`: largest time in ns, where charts share a scale."""
    scale, unit = time_unit([p.ns.value for p in points])
    values = [
        {
            "kind": p.kind,
            "window": p.window,
            "time": p.ns.value / scale,
            "predicted": p.predicted_ns / scale,
            **_ends(p.ns, scale),
        }
        for p in points
    ]
    everything = [v for p in points for v in (p.ns.value, p.predicted_ns)]
    low, high = min(everything) / scale / 1.06, max([*everything, top or 0.0]) / scale * 1.06
    x: Spec = {
        "field": "window",
        "type": "quantitative",
        "title": f"{title}, bits",
        "scale": {"domain": [0.6, 7.4], "nice": False},
        "axis": {"values": list(range(1, 8)), "format": "d", "grid": False},
    }
    y: Spec = {
        "field": "time",
        "type": "quantitative",
        "title": f"time, {unit} (down is better)",
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": fine_ticks(low, high), "format": "~g"},
    }
    colour, shape = _kinds(kinds)
    layers: list[Spec] = [
        {
            "mark": {"type": "line", "strokeWidth": 1.5},
            "encoding": {"x": x, "y": {**y, "field": "predicted"}, "color": colour},
        },
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 2.5},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {"mark": _point(), "encoding": {"x": x, "y": y, "color": colour, "shape": shape}},
    ]
    return canvas(230, 270) | {"data": {"values": values}, "layer": layers}


_STEPS = (
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0),
    tuple(step / 100 for step in range(100, 1000)),
)


def fine_ticks(low: float, high: float) -> list[float]:
    """Four to eight round ticks of a logarithmic axis that may span less than a decade, none crowding the one before."""
    apart = math.log(high / low) / 8
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks: list[float] = []
    for steps in _STEPS:
        ticks = []
        for tick in (step * 10.0**e for e in range(first, last + 1) for step in steps):
            if low <= tick <= high and (not ticks or math.log(tick / ticks[-1]) > apart):
                ticks.append(float(f"{tick:.6g}"))
        if len(ticks) >= 4:
            break
    return ticks


def errors(rows: Sequence[tuple[str, float, float]], kinds: Sequence[str]) -> Spec:
    """Error of a prediction in percent over the measured time, a dot a row: (kind, ns, predicted over measured less 1)."""
    scale, unit = time_unit([ns for _, ns, _ in rows])
    values = [{"kind": kind, "time": ns / scale, "error": error * 100} for kind, ns, error in rows]
    reach = max([1.0, *(abs(error) * 100 for _, _, error in rows)]) * 1.12
    low, high = min(ns for _, ns, _ in rows) / scale / 1.1, max(ns for _, ns, _ in rows) / scale * 1.1
    present = [kind for kind in kinds if any(kind == other for other, _, _ in rows)]
    colour, shape = _kinds(present)
    x: Spec = {
        "field": "time",
        "type": "quantitative",
        "title": f"measured time, {unit}",
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": fine_ticks(low, high), "format": "~g", "grid": False},
    }
    y: Spec = {
        "field": "error",
        "type": "quantitative",
        "title": "predicted against measured, %",
        "scale": {"domain": [-reach, reach], "nice": False},
        "axis": {"tickCount": 7, "format": "+~g"},
    }
    layers: list[Spec] = [
        {
            "data": ONE,
            "mark": {"type": "rule", "color": ink("ink"), "strokeWidth": 1.2},
            "encoding": {"y": {"datum": 0}},
        },
        {"mark": _point(), "encoding": {"x": x, "y": y, "color": colour, "shape": shape}},
    ]
    return canvas(200, 470) | {"data": {"values": values}, "layer": layers}


def amounts(rows: Sequence[Amount], kinds: Sequence[str], title: str, ideal: float | None = None) -> Spec:
    """Amounts on one scale from zero: a dot and a whisker a row. `ideal`: where a dashed line stands, which all can come up to."""
    labels = list(dict.fromkeys(row.label for row in rows))
    values = [
        {"row": r.label, "kind": r.kind, "value": r.value.value, "low": r.value.low, "high": r.value.high} for r in rows
    ]
    top = max(v for r in rows for v in (r.value.value, r.value.high or 0.0, ideal or 0.0)) * 1.06
    colour, shape = _kinds(kinds)
    x: Spec = {
        "field": "value",
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [0, top], "nice": False},
        "axis": {"tickCount": 6, "format": ",~r", "grid": True},
    }
    y: Spec = {
        "field": "row",
        "type": "ordinal",
        "sort": None,
        "scale": {"domain": labels},
        "title": None,
        "axis": {"ticks": False, "domain": False, "grid": True, "labelLimit": 260},
    }
    layers: list[Spec] = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 2.5},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": colour},
        },
        {"mark": _point(), "encoding": {"x": x, "y": y, "color": colour, "shape": shape}},
    ]
    if ideal is not None:
        dashed: Spec = {"type": "rule", "strokeDash": [4, 4], "color": ink("muted")}
        layers.insert(0, {"data": {"values": [{"value": ideal}]}, "mark": dashed, "encoding": {"x": x}})
    return canvas({"step": ROW_PX}, 360) | {"padding": LONG_LABELS, "data": {"values": values}, "layer": layers}
