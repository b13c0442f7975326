# SPDX-License-Identifier: Apache-2.0
"""Figures rounded to what their interval supports. A digit that the interval cannot tell is not printed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cipherstone.model.summary import CellSummary, DistributionSummary, Estimate, LearningSummary, LevelSummary
from cipherstone.model.units import format_rate, format_time, significant

MOST_DIGITS = 4
DIGITS_WITHOUT_INTERVAL = 2
LEAST_STACK_BYTES = 256  # `OWN_FRAME` of sdk/c/src/memory.c: what lies above is not painted


def half_width(estimate: Estimate) -> float | None:
    """Half the width of the interval, in the unit of the value; None without an interval."""
    if estimate.low is None or estimate.high is None:
        return None
    return (estimate.high - estimate.low) / 2


def supported_decimals(estimate: Estimate, most: int) -> int:
    """Decimals at which the interval's half-width still has a digit (0.013 -> 2); negative for tens, hundreds. At most `most`."""
    half = half_width(estimate)
    if half is None:
        if estimate.value == 0:
            return 0
        return min(most, DIGITS_WITHOUT_INTERVAL - 1 - math.floor(math.log10(abs(estimate.value))))
    if half <= 0:
        return most
    return min(most, -math.floor(math.log10(half)))


def supported_digits(estimate: Estimate) -> int:
    """Significant digits (2 to 4) that the interval supports: half-width of 1 % -> 3, of 0.1 % -> 4, of 10 % or none -> 2."""
    half = half_width(estimate)
    if half is None:
        return DIGITS_WITHOUT_INTERVAL
    if half <= 0 or estimate.value == 0:
        return MOST_DIGITS
    relative = half / abs(estimate.value)
    return max(2, min(MOST_DIGITS, math.floor(-math.log10(relative) + 1e-9) + 1))


def rounded(value: float, decimals: int) -> str:
    """`value` at `decimals` places; negative `decimals` round to tens and hundreds. No exponent, no negative zero."""
    text = f"{round(value, decimals):.{max(0, decimals)}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _places(ratio: Estimate, most: int) -> int:
    """As `supported_decimals`, but the low end of an interval keeps a digit however wide it is: 5 (2 to 65), never 0 (0 to 70)."""
    places = supported_decimals(ratio, most)
    if ratio.low is None or ratio.low <= 0:
        return places
    return max(places, min(most, -math.floor(math.log10(ratio.low))))


def ratio_decimals(ratio: Estimate) -> int:
    """Two decimals at most for a ratio; one more where it is so near 1 (1.006), or its interval so narrow, that two would hide it."""
    near = ratio.low is not None and ratio.high is not None and abs(ratio.value - 1) < 0.02
    most = 3 if near else 2 if ratio.value < 10 else 1 if ratio.value < 100 else 0
    decimals = _places(ratio, most)
    if (
        ratio.low is not None
        and ratio.high is not None
        and rounded(ratio.low, decimals) == rounded(ratio.high, decimals)
    ):
        decimals = supported_decimals(ratio, most + 1)
    return decimals


def ratio_text(ratio: Estimate) -> str:
    """`1.31`, `12.3`, `117`; `0.069` with two digits; `~1.3` if there is no interval."""
    most = 2 if ratio.value < 10 else 1 if ratio.value < 100 else 0
    if 0 < ratio.value < 0.1:
        most = 1 - math.floor(math.log10(ratio.value))
    mark = "~" if half_width(ratio) is None else ""
    return mark + rounded(ratio.value, _places(ratio, most))


def ratio_beside_interval(ratio: Estimate) -> str:
    """The ratio with as many decimals as its interval is printed with, so that it never seems to lie outside."""
    return ratio_text(ratio) if half_width(ratio) is None else rounded(ratio.value, ratio_decimals(ratio))


def interval_text(ratio: Estimate) -> str:
    """`1.30 to 1.32`; `no interval` if there are too few passes."""
    if ratio.low is None or ratio.high is None:
        return "no interval"
    decimals = ratio_decimals(ratio)
    return f"{rounded(ratio.low, decimals)} to {rounded(ratio.high, decimals)}"


def rate_text(ns: Estimate, size_bytes: int | None) -> str:
    """The rate a person knows: `2.31 GB/s`, `34.5 k/s`; `ns` per call."""
    return format_rate(ns.value, size_bytes, supported_digits(ns))


def rate_words(ns: Estimate, size_bytes: int | None) -> str:
    """As `rate_text` for bulk work; whole operations counted out: `34,500 a second`."""
    if size_bytes:
        return rate_text(ns, size_bytes)
    per_second = 1e9 / ns.value
    digits = supported_digits(ns)
    if per_second < 1000:
        return f"{significant(per_second, digits)} a second"
    return f"{int(float(significant(per_second, digits))):,} a second"


def time_text(ns: Estimate) -> str:
    """`62.8 ns`, `4.10 us`."""
    return format_time(ns.value, supported_digits(ns))


def time_and_range(ns: Estimate) -> str:
    """`1.02 ms (0.98 ms to 1.31 ms)`: a median with its interval, to three digits; times of single calls spread, and no digit more is meant."""
    if ns.low is None or ns.high is None:
        return format_time(ns.value, 3)
    return f"{format_time(ns.value, 3)} ({format_time(ns.low, 3)} to {format_time(ns.high, 3)})"


def estimate_text(estimate: Estimate, most: int = 3) -> str:
    """A bare figure with `most` decimals at most: `0.495`."""
    mark = "~" if half_width(estimate) is None else ""
    return mark + rounded(estimate.value, supported_decimals(estimate, most))


def cycles_text(cycles: Estimate, size_bytes: int | None) -> str:
    """`1.43` cycles per byte for sized work, `82700` cycles per call else."""
    per = size_bytes or 1
    scaled = Estimate(
        cycles.value / per,
        None if cycles.low is None else cycles.low / per,
        None if cycles.high is None else cycles.high / per,
    )
    return significant(scaled.value, supported_digits(scaled))


def levels_text(levels: Sequence[LevelSummary]) -> str:
    """`33.5 us for 58 % of its batches, 36.4 us for 42 %`."""
    told = [f"{format_time(level.ns)} for {level.share:.0%}" for level in levels]
    return f"{told[0]} of its batches, {', '.join(told[1:])}"


# Who keeps a speed (`CellSummary.levels_by`), in words; what is ruled out stands in the statistics.
KEPT_BY = {
    "process": "each process keeps one of them, so it depends on where its code and data lie",
    "turn": "each turn keeps one of them, so it depends on where its inputs lie or on the moment",
    "moment": "they change within a turn, at the same addresses and with the same input",
}


def two_speeds_text(cell: CellSummary) -> str:
    """`33.5 us for 58 % of its batches, 36.4 us for 42 %; each process keeps ...`."""
    known = KEPT_BY.get(cell.levels_by, "")
    return f"{levels_text(cell.levels)}; {known}" if known else levels_text(cell.levels)


def learning_text(one: LearningSummary) -> str:
    """`4.18 ms a call at first, 120 us after 16 calls, 86 us from 48 on`: at most three steps of a lane whose first calls cost more."""
    first, *later = one.steps
    told = [f"{format_time(first[1])} a call at first"]
    told += [
        f"{format_time(ns)} after {calls}" + " calls" * (number == 0) for number, (calls, ns) in enumerate(later[:2])
    ]
    return f"{', '.join(told)}, {format_time(one.steady_ns)} from {one.settled_after} on"


def distribution_text(one: DistributionSummary) -> str:
    """`median 84.2 ms, mean 101 ms, 10 % below 31.5 ms, 10 % above 198 ms, 54 calls`."""
    median, mean, low, high = (format_time(ns) for ns in (one.median_ns, one.mean_ns, one.low_ns, one.high_ns))
    return f"median {median}, mean {mean}, 10 % below {low}, 10 % above {high}, {one.calls} calls"


def percent_text(share: float, digits: int = 2) -> str:
    """0.0213 -> `2.1 %`."""
    return f"{significant(share * 100, digits)} %"


def bytes_text(count: int) -> str:
    """Memory: exact below 10 KiB, in KiB above."""
    return f"{count} B" if count < 10240 else f"{significant(count / 1024, 3)} KiB"


def stack_text(count: int) -> str:
    """Stack of a call. 0 means that it is less than what the worker can tell: `less than 256 B`."""
    return bytes_text(count) if count else f"less than {LEAST_STACK_BYTES} B"


def energy_text(joules: float) -> str:
    """`1.23 mJ`, `45.6 nJ`: three digits."""
    for unit, factor in (("J", 1.0), ("mJ", 1e-3), ("\u00b5J", 1e-6)):
        if joules >= factor:
            return f"{significant(joules / factor, 3)} {unit}"
    return f"{significant(joules / 1e-9, 3)} nJ"
