# SPDX-License-Identifier: Apache-2.0
"""Cost per call and per byte: t(n) = a + b * x(n), weighted least squares with weights 1/t^2, and sizes at which two lanes change places.

Weights 1/t^2 make relative errors count alike at 16 B and at 1 MiB; without them the intercept is decided by the largest size and comes out with the wrong sign (section 5 of
the method). Needs at least 4 sizes. Fails for code with several regimes (bulk thresholds): the relative error shows it, and above 5 % the rate is withheld.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import Estimate
from cipherstone.stats.interval import sign_interval

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


SMALLEST_SIZES = 4
LARGEST_RMS = 0.05


def padded_size(size_bytes: int, block_bytes: int, padding_bytes: int) -> int:
    """Bytes that a hash of whole blocks processes for a message of `size_bytes`: with at least `padding_bytes` more, rounded up, and at least one block.

    MD5, SHA-1, SHA-256: 64 and 9 (RFC 1321, FIPS 180-4 section 5.1: a byte and an 8-byte length); SHA-512: 128 and 17; SHA3-256: 136 and 1 (FIPS 202);
    BLAKE2b: 128 and 0 (RFC 7693).
    """
    return block_bytes * max(1, math.ceil((size_bytes + padding_bytes) / block_bytes))


@dataclass(frozen=True)
class Line:
    """t = `overhead` + `per_byte` * x. `rms_relative`: root mean square of (fit - t) / t over the points."""

    overhead: float
    per_byte: float
    rms_relative: float


@dataclass(frozen=True)
class LineFit:
    """A line with intervals from refits of every pass. `half_size_bytes`: x where overhead equals work, None unless both are positive."""

    overhead_ns: Estimate
    per_byte_ns: Estimate
    half_size_bytes: float | None
    rms_relative: float


def fit_line(x: Sequence[float], t: Sequence[float]) -> Line:
    """Weighted least squares through points (x bytes, t ns), weights 1/t^2. ValueError for fewer than 2 different x or t <= 0.

    Sums are rounded once: products of vectors are rounded as the processor's kernel has it, and a stored run would give other digits where it is read.
    """
    xs = np.asarray(x, dtype=np.float64)
    ts = np.asarray(t, dtype=np.float64)
    if xs.shape != ts.shape or not np.all(ts > 0.0) or np.unique(xs).size < 2:
        raise ValueError(
            f"line: {xs.size} sizes and {ts.size} positive times over at least 2 different sizes are needed"
        )
    weight = 1.0 / ts**2
    total = math.fsum(weight)
    x_mean, t_mean = math.fsum(weight * xs) / total, math.fsum(weight * ts) / total
    away = weight * (xs - x_mean)
    slope = math.fsum(away * (ts - t_mean)) / math.fsum(away * (xs - x_mean))
    intercept = t_mean - slope * x_mean
    error = (intercept + slope * xs - ts) / ts
    return Line(intercept, slope, math.sqrt(math.fsum(error**2) / xs.size))


def _with_interval(value: float, values: Sequence[float]) -> Estimate:
    interval = sign_interval(values)
    if interval is None:
        return Estimate(value)
    # The line through the medians is not the median of the lines: where it falls outside, the interval is widened to hold it.
    return Estimate(value, min(interval[0], value), max(interval[1], value))


def fit_passes(x: Sequence[float], t: Sequence[float], by_pass: Sequence[Sequence[float]]) -> LineFit:
    """Line through the published floors `t` (ns per size), with intervals from one refit per row of `by_pass`.

    `by_pass[p]` holds pass p's floors in the order of `x`; only passes that measured every size belong there. Intervals need 6 of them.
    """
    line = fit_line(x, t)
    refits = [fit_line(x, row) for row in by_pass]
    half = line.overhead / line.per_byte if line.overhead > 0.0 and line.per_byte > 0.0 else None
    return LineFit(
        _with_interval(line.overhead, [r.overhead for r in refits]),
        _with_interval(line.per_byte, [r.per_byte for r in refits]),
        half,
        line.rms_relative,
    )


@dataclass(frozen=True)
class Crossing:
    """Between `below_bytes` and `above_bytes`, at about `size_bytes`, lanes i and j change places; `i_first`: i is the faster one below."""

    size_bytes: float
    below_bytes: int
    above_bytes: int
    i_first: bool


def crossover(
    sizes: Sequence[int], f_i: Sequence[float], f_j: Sequence[float], verdicts: Sequence[Verdict]
) -> tuple[Crossing, ...]:
    """Sizes at which i and j change places. `sizes` ascending, `f` ns per call, `verdicts[k]` how i stands to j at `sizes[k]`.

    A crossing lies between two sizes with findings `faster` and `slower` (either way) and nothing but `equal`, `undecided` or worse between them. The
    size is interpolated linearly in ln(f_i / f_j) over ln(size), in the step where its sign changes: an estimate between two measurements, not one.
    """
    found: list[Crossing] = []
    last: int | None = None
    for k, finding in enumerate(verdicts):
        if finding not in (Verdict.FASTER, Verdict.SLOWER):
            continue
        if last is not None and verdicts[last] is not finding:
            logs = [math.log(f_i[m] / f_j[m]) for m in range(last, k + 1)]
            step = next(
                (m for m in range(len(logs) - 1) if logs[m] * logs[m + 1] <= 0.0 and logs[m] != logs[m + 1]), None
            )
            if step is not None:
                share = logs[step] / (logs[step] - logs[step + 1])
                left, right = math.log(sizes[last + step]), math.log(sizes[last + step + 1])
                size = math.exp(left + share * (right - left))
                found.append(Crossing(size, sizes[last], sizes[k], verdicts[last] is Verdict.FASTER))
        last = k
    return tuple(found)
