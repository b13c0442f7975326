# SPDX-License-Identifier: Apache-2.0
"""Ratios of costs from paired pass values: the exponential of the median of their logarithms.

Logarithms make the estimate symmetric: exchanging the lanes gives exactly the inverse with the inverse interval. Pairing by pass cancels what
both lanes of a pass share (core clock, temperature, neighbours). Smallest K: 1 for the value, 6 for the interval. It fails where one
lane suffers from a disturbance more than the other (`flags.contention_sensitive`). Source: section 8 of the method.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from cipherstone.model.summary import Estimate
from cipherstone.stats.interval import sign_interval


def log_ratios(f_i: Sequence[float], f_j: Sequence[float]) -> list[float]:
    """l_p = ln(f_i[p] / f_j[p]), paired by position. ValueError for unequal lengths or values that are not positive and finite."""
    if len(f_i) != len(f_j):
        raise ValueError(f"ratio: {len(f_i)} values against {len(f_j)}")
    for v in (*f_i, *f_j):
        if not 0.0 < v < math.inf:
            raise ValueError(f"ratio: {v} is not positive and finite")
    return [math.log(a) - math.log(b) for a, b in zip(f_i, f_j, strict=True)]


def log_estimate(logs: Sequence[float]) -> Estimate | None:
    """exp of the median of `logs` with its 95 % interval; None without values, no interval below 6."""
    if not logs:
        return None
    value = math.exp(statistics.median(logs))
    interval = sign_interval(logs)
    if interval is None:
        return Estimate(value)
    return Estimate(value, math.exp(interval[0]), math.exp(interval[1]))


def ratio_estimate(f_i: Sequence[float], f_j: Sequence[float]) -> Estimate | None:
    """Cost of lane i over cost of lane j from K pass values each (any unit of time), paired by position.

    None for K = 0; without interval for K < 6.
    """
    return log_estimate(log_ratios(f_i, f_j))


def half_width(estimate: Estimate) -> float:
    """The larger distance, in logarithms, from value to an end of the interval: 0.01 is about 1 %. inf without an interval."""
    if estimate.low is None or estimate.high is None or estimate.low <= 0.0 or estimate.value <= 0.0:
        return math.inf
    return max(math.log(estimate.high / estimate.value), math.log(estimate.value / estimate.low))
