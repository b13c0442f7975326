# SPDX-License-Identifier: Apache-2.0
"""From batches to times and ratios, written from docs/concepts/recompute.md alone: a section here is a section there. See recompute.py."""

from __future__ import annotations

import gzip
import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

METHOD_PAGE = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "method.md"
Row = dict[str, Any]
Interval = tuple[float, float | None, float | None]  # value, low, high


# ---- the bundle


def defaults() -> dict[str, float]:
    """The settings that a manifest leaves out, from the table of the method."""
    rows = re.findall(r"^\| `(\w+)` \| ([0-9.]+) \|", METHOD_PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: float(value) for name, value in rows}


class Run:
    """The files of a finished run: its manifest, its tables as rows, what it published."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Row = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        self.settings: Row = {**defaults(), **self.manifest.get("settings", {})}
        self.summary: Row = json.loads(gzip.decompress((folder / "summary.json.gz").read_bytes()))
        self.drawn = {one["case"] for one in self.manifest["plan"] if one.get("distribution")}

    def rows(self, table: str, what: str = "*") -> list[Row]:
        with duckdb.connect() as connection:
            found = connection.execute(f"SELECT {what} FROM '{self.folder / table}.parquet'")
            names = [column[0] for column in found.description or ()]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


# ---- 1. from batches to a figure a pass


@dataclass
class Lane:
    """A lane in a pass of a case. Arrays of its batches that do not only warm up."""

    calls: int
    slow: bool
    harness: float
    doubt: str
    ns: Any
    cycle: Any
    clean: Any
    probed: bool
    alike: np.ndarray[Any, np.dtype[np.bool_]]


@dataclass
class Figure:
    """What a pass gives a lane: `ns` and `median` a call, ten quantiles; None where there is no figure, `contended` if for want of undisturbed batches."""

    ns: float | None = None
    median: float = math.nan
    spread: list[float] = field(default_factory=list)
    long: bool = False
    contended: bool = False
    used: int = 0
    seen: int = 0
    probed: bool = False
    slow: bool = False
    calls: int = 1


def lanes_of_passes(run: Run) -> dict[tuple[str, int], dict[str, Lane]]:
    """By (case, pass) and lane."""
    facts = {(row["case_id"], row["pass"], row["lane"]): row for row in run.rows("passes")}
    batches: dict[tuple[str, int, str], list[Row]] = defaultdict(list)
    columns = "case_id, pass, lane, batch, calls, ns, cpu_ns, chain_before_ns, tput_before_ns, chain_after_ns, tput_after_ns, alike"
    for row in run.rows("samples", columns):
        batches[row["case_id"], row["pass"], row["lane"]].append(row)
    found: dict[tuple[str, int], dict[str, Lane]] = defaultdict(dict)
    for (case, number, lane), rows in batches.items():
        rows.sort(key=lambda row: row["batch"])
        assert [row["batch"] for row in rows] == list(range(len(rows))), "one record of a pass and lane"
        fact = facts[case, number, lane]
        found[case, number][lane] = one_lane(
            run, fact, [r for r in rows if r["batch"] >= run.settings["dropped_batches"]]
        )
    return found


def one_lane(run: Run, fact: Row, rows: Sequence[Row]) -> Lane:
    def column(name: str) -> Any:
        values = np.array([math.nan if row[name] is None else row[name] for row in rows], dtype=float)
        return np.where(values > 0, values, np.nan)

    cpu = fact["slow"] and all(row["cpu_ns"] is not None for row in rows)
    ns = np.array([row["cpu_ns" if cpu else "ns"] for row in rows], dtype=float) / fact["calls"]
    before, after, tput_before, tput_after = map(column, ("chain_before_ns", "chain_after_ns", "tput_before_ns", "tput_after_ns"))  # fmt: skip
    probed = any(row["chain_before_ns"] is not None for row in rows)
    shorter = np.minimum(before, after)
    near = np.maximum(before, after) <= 1.02 * shorter
    cycle = np.where(near, (before + after) / 2, shorter)
    ends = np.array([shorter / tput_before, shorter / tput_after])
    reference = run.manifest.get("ipc_reference")
    if not probed:
        clean = np.ones(len(rows), dtype=bool)
    elif reference is None:
        clean = np.zeros(len(rows), dtype=bool)
    else:
        low, high = (np.nan_to_num(edge(ends, axis=0), nan=0.0) for edge in (np.min, np.max))
        clean = (low >= run.settings["clean_threshold"] * reference) & (high <= 1.05 * reference)
    return Lane(
        fact["calls"],
        fact["slow"],
        fact["harness_ns"] or 0.0,
        fact["doubt"],
        ns,
        cycle,
        clean,
        probed,
        np.array([row["alike"] for row in rows], dtype=bool),
    )


def pass_cycle(lanes: Iterable[Lane]) -> float | None:
    probed = [lane for lane in lanes if lane.probed]
    for chosen in (
        [lane.cycle[lane.clean] for lane in probed],
        [lane.cycle[np.isfinite(lane.cycle)] for lane in probed],
    ):
        joined = np.concatenate([*chosen, np.empty(0)])
        if joined.size:
            return float(np.median(joined))
    return None


def figure_of(lane: Lane, cycle: float | None, drawn: bool, batch_ns: float) -> Figure:
    needed = 3 if lane.slow else 8 if lane.calls == 1 else 16
    used, seen = int(lane.clean.sum()), len(lane.ns)
    out = Figure(seen=seen, probed=lane.probed, slow=lane.slow, calls=lane.calls)
    if seen and not lane.ns.min() > 0.0:
        return out
    if lane.doubt:
        out.contended = True
        return out
    out.used = used
    if used < needed:
        out.contended = seen >= needed
        return out
    times = lane.ns[lane.clean]
    if lane.probed and cycle is not None:
        times = times / lane.cycle[lane.clean] * cycle
    net = float(np.quantile(times, 0.5 if drawn else 0.25 if lane.probed else 0.1)) - lane.harness
    if not net > 0.0:
        return out
    out.ns, out.median = net, float(np.median(times)) - lane.harness
    alike = times[lane.alike[lane.clean]]
    enough = alike.size >= 8 and float(alike.min()) > lane.harness and not drawn
    out.spread = [float(np.quantile(alike, (k + 0.5) / 10)) - lane.harness for k in range(10)] if enough else []
    out.long = lane.calls == 1 and net > 2 * batch_ns
    return out


# ---- 2. two speeds


def faster_passes(figures: Mapping[int, Figure]) -> tuple[bool, set[int] | None]:
    """(whether the lane has two speeds, the passes at the faster one if its processes keep one of two)."""
    numbers = [number for number in sorted(figures) if figures[number].spread]
    spreads = [figures[number].spread for number in numbers]
    if len(spreads) < 6 or any(min(row) <= 0 for row in spreads):
        return False, None
    rows = [np.log(np.array(row)) for row in spreads]
    pooled = np.concatenate(rows)
    border = float(pooled.min() + pooled.max()) / 2
    for _ in range(50):
        low, high = pooled[pooled <= border], pooled[pooled > border]
        if not high.size:
            break
        moved = float(low.mean() + high.mean()) / 2
        if abs(moved - border) < 1e-9:
            break
        border = moved
    low, high = pooled[pooled <= border], pooled[pooled > border]
    if min(low.size, high.size) < 0.1 * pooled.size:
        return False, None
    below, above = float(np.median(low)), float(np.median(high))
    gap = above - below
    spread = max(float(np.quantile(part, 0.9) - np.quantile(part, 0.1)) / 2 for part in (low, high))
    between = int(((pooled > below + gap / 4) & (pooled < above - gap / 4)).sum())
    shares = [float((row <= border).mean()) for row in rows]
    seen = min(sum(share > 0 for share in shares), sum(share < 1 for share in shares))
    if gap < 0.01 or gap < 4 * spread or between > 0.1 * pooled.size or seen < 2:
        return False, None
    fast = {number for number, share in zip(numbers, shares, strict=True) if share > 0.5}
    pure = sum(max(share, 1 - share) >= 0.9 for share in shares)
    kept = pure >= 0.8 * len(rows) and min(len(fast), len(rows) - len(fast)) >= 2
    return True, fast if kept else None


# ---- 3. intervals, ratios


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The k-th smallest and k-th largest, k the largest with 2 P(fewer than k of n) <= 5 %; none below six."""
    n, k, tail = len(values), 0, 0
    while n >= 6 and k < n // 2 and 2 * (tail + math.comb(n, k)) <= 2**n / 20:
        tail += math.comb(n, k)
        k += 1
    ordered = sorted(values)
    return (ordered[k - 1], ordered[n - k]) if k else None


def estimate(values: Sequence[float]) -> Interval | None:
    if not values:
        return None
    ends = interval(values)
    return (statistics.median(values), *(ends or (None, None)))


def unseen(figures: Iterable[Figure]) -> float:
    """What the quartile of long calls may have missed, in logarithms."""
    found = [math.log(one.median / one.ns) for one in figures if one.long and one.ns is not None]
    return statistics.median(found) if found else 0.0


@dataclass
class Values:
    """A lane of a case over its passes: `figures` by pass, where there is one; `fast`: see `faster_passes`."""

    all: dict[int, Figure] = field(default_factory=dict)
    levels: bool = False
    fast: set[int] | None = None

    @property
    def figures(self) -> dict[int, Figure]:
        return {number: one for number, one in self.all.items() if one.ns is not None}

    @property
    def contended(self) -> bool:
        return len(self.figures) < 6 and any(one.contended for one in self.all.values())

    def time(self) -> Interval | None:
        mine = self.figures
        found = estimate([one.ns or 0.0 for one in mine.values()])
        if found is None or found[1] is None or found[2] is None:
            return found
        value, low, high = found[0], found[1], found[2]
        if self.fast:
            value = statistics.median(mine[number].ns or 0.0 for number in self.fast)
            low, high = min(low, value), max(high, value)
        return value, low / math.exp(unseen(mine.values())), high


def both_fast(i: Values, j: Values, keys: Iterable[int]) -> list[int]:
    sides = [one.fast for one in (i, j) if one.fast is not None]
    return [key for key in keys if all(key in side for side in sides)] if sides else []


def logs(i: Values, j: Values, what: str = "ns") -> dict[int, float]:
    a, b = i.figures, j.figures
    return {key: math.log(getattr(a[key], what) / getattr(b[key], what)) for key in sorted(a) if key in b}


def widened(value: float, low: float, high: float, i: Values, j: Values, keys: Iterable[int]) -> Interval:
    keys = list(keys)
    a, b = i.figures, j.figures
    return value, low / math.exp(unseen(a[key] for key in keys)), high * math.exp(unseen(b[key] for key in keys))


def ratio(i: Values, j: Values, itself: bool = False) -> Interval | None:
    """Cost of i over cost of j; `itself`: of the A/A lane over its original, for which passes at other speeds are left out."""
    found = logs(i, j)
    fast = both_fast(i, j, found)
    if itself and len(fast) >= 6:
        found, fast = {key: found[key] for key in fast}, []
    told = estimate(list(found.values()))
    if told is None:
        return None
    if told[1] is None or told[2] is None:
        return math.exp(told[0]), None, None
    value = math.exp(statistics.median(found[key] for key in fast)) if fast and not itself else math.exp(told[0])
    value, low, high = widened(value, math.exp(told[1]), math.exp(told[2]), i, j, found)
    assert low is not None and high is not None
    return (value, low, high) if itself else (value, min(low, value), max(high, value))


def half_width(one: Interval | None) -> float:
    if one is None or one[1] is None or one[2] is None:
        return math.inf
    return max(math.log(one[2] / one[0]), math.log(one[0] / one[1]))
