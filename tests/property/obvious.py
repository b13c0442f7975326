# SPDX-License-Identifier: Apache-2.0
"""Statistics in their slow, obvious form, written from docs/concepts and docs/guides alone: what the program's own are held against. Nothing of the program is imported here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Told = tuple[float, float | None, float | None]  # value, low end, high end


def quantile(values: Iterable[float], q: float) -> float:
    """Type 7: the value at place q (n - 1) of the sorted ones, between two of them on the straight line."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))


def median(values: Iterable[float]) -> float:
    return quantile(values, 0.5)


def places(n: int) -> int:
    """k of the interval from the k-th smallest to the k-th largest: of all that leave at most 5 % outside, the largest; 0 below six values. By counting subsets, in fractions."""
    if n < 6:
        return 0
    fits = [
        k
        for k in range(1, n // 2 + 1)
        if 2 * sum(Fraction(math.comb(n, below), 2**n) for below in range(k)) <= Fraction(1, 20)
    ]
    return max(fits, default=0)


def told(values: Sequence[float]) -> Told | None:
    """The median with the ends of its interval."""
    if not values:
        return None
    k, ordered = places(len(values)), sorted(values)
    return (median(values), ordered[k - 1], ordered[-k]) if k else (median(values), None, None)


def told_by_logs(values: Sequence[float]) -> Told | None:
    """The same of ratios, whose middle is the geometric one."""
    found = told([math.log(one) for one in values])
    if found is None:
        return None
    value, low, high = found
    return math.exp(value), None if low is None else math.exp(low), None if high is None else math.exp(high)


def holding(one: Told | None, value: float) -> Told | None:
    """The interval of one with another value, stretched to hold it."""
    if one is None or one[1] is None or one[2] is None:
        return one
    return value, min(one[1], value), max(one[2], value)


def half_width(one: Told | None) -> float:
    if one is None or one[1] is None or one[2] is None:
        return math.inf
    return max(math.log(one[2]) - math.log(one[0]), math.log(one[0]) - math.log(one[1]))


def margin(aa: Told | None) -> float:
    """Three offsets or twice the half-width of the A/A lane."""
    if aa is None:
        return 0.0
    offset = max(aa[0], 1 / aa[0]) - 1
    width = half_width(aa)
    return max(3 * offset, 2 * (math.exp(width) - 1) if width < math.inf else 0.0)


def verdict(one: Told | None, d: float, target: float) -> str:
    """docs/concepts/statistics.md: wholly beyond d, wholly inside of it (5 % at most), or neither."""
    if one is None or one[1] is None or one[2] is None:
        return "unresolved"
    _, low, high = one
    if low > 1 + d:
        return "slower"
    if high < 1 / (1 + d):
        return "faster"
    inside = min(d, 0.05)
    if 1 / (1 + inside) <= low and high <= 1 + inside:
        return "equal"
    return "undecided" if half_width(one) <= math.log(1 + target) and d <= 0.05 else "unresolved"


def groups(lanes: Sequence[str], pair: Callable[[str, str], Told | None], d: float, target: float) -> list[set[str]]:
    """Who is in which group, the fastest first. `lanes` by time."""
    left = [lane for lane in lanes if lane == lanes[0] or half_width(pair(lane, lanes[0])) < math.inf]
    if len(left) < 2 <= len(lanes):
        return []
    found: list[set[str]] = []
    while left:
        mine = {lane for lane in left if lane == left[0] or verdict(pair(lane, left[0]), d, target) != "slower"}
        found.append(mine)
        left = [lane for lane in left if lane not in mine]
    return found


def two_speeds(
    passes: Mapping[int, Sequence[float]], turns: Sequence[float]
) -> tuple[float, float, float, str, set[int]] | None:
    """docs/concepts/recompute.md, "Two speeds", and the table in warm.md: (faster, slower, share at the faster, who keeps it, passes at the faster). `passes`: ten quantiles each; `turns`: by pass what separates the batches of a turn, where that is known."""
    if len(passes) < 6:
        return None
    logs = {number: [math.log(one) for one in row] for number, row in passes.items()}
    every = sorted(one for row in logs.values() for one in row)
    border = (every[0] + every[-1]) / 2
    for _ in range(50):
        below, above = [one for one in every if one <= border], [one for one in every if one > border]
        if not above:
            return None
        moved = (math.fsum(below) / len(below) + math.fsum(above) / len(above)) / 2
        if abs(moved - border) < 1e-9:
            break
        border = moved
    below, above = [one for one in every if one <= border], [one for one in every if one > border]
    if min(len(below), len(above)) < len(every) / 10:
        return None
    low, high = median(below), median(above)
    gap = high - low
    spread = max((quantile(side, 0.9) - quantile(side, 0.1)) / 2 for side in (below, above))
    between = [one for one in every if low + gap / 4 < one < high - gap / 4]
    if gap < 0.01 or gap < 4 * spread or len(between) > len(every) / 10:
        return None
    share = {number: sum(one <= border for one in row) / len(row) for number, row in logs.items()}
    if sum(one > 0 for one in share.values()) < 2 or sum(one < 1 for one in share.values()) < 2:
        return None
    fast = {number for number, one in share.items() if one > 0.5}
    pure = [number for number, one in share.items() if one >= 0.9 or one <= 0.1]
    if len(pure) >= 0.8 * len(share) and 2 <= len(fast) <= len(share) - 2:
        by = "process"
    else:
        by = "turn" if turns and median(turns) < gap / 4 else "moment"
    return math.exp(low), math.exp(high), len(below) / len(every), by, fast


def learning(passes: Sequence[tuple[Sequence[tuple[int, float]], float]]) -> tuple[int, list[float], int, float] | None:
    """docs/concepts/warm.md, "First calls that cost more": (calls of a cycle, ns of a call in each cycle until it settled, after how many calls, settled ns). `passes`: (cycles as (calls, ns of a call), figure). A pass that had settled before counts as settled in the cycles that it has not."""
    known = [(cycles, figure) for cycles, figure in passes if cycles]
    if len(known) < 6:
        return None
    longest = max(len(cycles) for cycles, _ in known)
    over = [
        quantile([cycles[k][1] / figure if k < len(cycles) else 1.0 for cycles, figure in known], 0.25)
        for k in range(longest)
    ]
    calls = round(quantile([cycles[0][0] for cycles, _ in known], 0.25))
    if over[0] < 1.5 or (calls < 8 and (longest == 1 or over[1] < 1.1)):
        return None
    last = [k for k in range(longest) if over[k] > 1.1][-1]
    steady = median(figure for _, figure in known)
    return calls, [over[k] * steady for k in range(last + 1)], calls * (last + 1), steady


def line(x: Sequence[float], t: Sequence[float]) -> tuple[float, float, float]:
    """(overhead, per byte, relative error) of the line with weights 1/t^2: the normal equations by Cramer's rule, in fractions."""
    xs, ts = [Fraction(one) for one in x], [Fraction(one) for one in t]
    w = [1 / (one * one) for one in ts]
    s, sx, sxx = (
        sum(w),
        sum(a * b for a, b in zip(w, xs, strict=True)),
        sum(a * b * b for a, b in zip(w, xs, strict=True)),
    )
    st, sxt = sum(a * b for a, b in zip(w, ts, strict=True)), sum(a * b * c for a, b, c in zip(w, xs, ts, strict=True))
    det = s * sxx - sx * sx
    overhead, rate = (st * sxx - sx * sxt) / det, (s * sxt - sx * st) / det
    errors = [(overhead + rate * a - b) / b for a, b in zip(xs, ts, strict=True)]
    return float(overhead), float(rate), math.sqrt(float(sum(one * one for one in errors) / len(errors)))


def pair_of(a: Any, b: Any) -> Told | None:
    """Cost of cell a over that of cell b of a case, from the published values of their passes by number."""
    if a.ns is None or b.ns is None:
        return None
    if a.lane == b.lane:
        return 1.0, 1.0, 1.0
    mine, theirs = (dict(zip(one.passes, one.pass_ns, strict=True)) for one in (a, b))
    both = [number for number in a.passes if number in theirs]
    found = told_by_logs([mine[number] / theirs[number] for number in both])
    if found is None or found[1] is None or found[2] is None:
        return found
    value, low, high = found
    kept = [set(one.fast_passes) for one in (a, b) if one.fast_passes is not None]
    fast = [number for number in both if kept and all(number in one for one in kept)]
    # What long calls may hide widens the side that it hides on.
    found = holding((value, low / hidden(a, both), high * hidden(b, both)), value)
    told_fast = told_by_logs([mine[number] / theirs[number] for number in fast])
    return found if told_fast is None else holding(found, told_fast[0])


def hidden(one: Any, numbers: Sequence[int]) -> float:
    """By how much calls that outlast two batches may be cheaper than their quartile says: to their median, in the middle of these passes."""
    rows = zip(one.passes, one.pass_ns, one.pass_median_ns, strict=True)
    found = told_by_logs(
        [median / ns for number, ns, median in rows if number in numbers and number in one.long_passes]
    )
    return found[0] if found is not None else 1.0


def near(a: object, b: object, rel: float = 1e-9) -> bool:
    """Whether two figures, intervals or lists of them are the same but for the last digits."""
    if a is None or b is None:
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=rel, abs_tol=1e-12)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(near(one, other, rel) for one, other in zip(a, b, strict=True))
    return a == b
