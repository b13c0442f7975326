# SPDX-License-Identifier: Apache-2.0
"""Ratios of costs from paired pass values: the exponential of the median of their logarithms.

Logarithms make the estimate symmetric: exchanging the lanes gives exactly the inverse with the inverse interval. Pairing by pass cancels what
both lanes of a pass share (core clock, temperature, neighbours). Values come by pass, never by position: lanes may each lack a pass of their own. Smallest K: 1 for the value, 6 for the interval. It fails where one
lane suffers from a disturbance more than the other (`flags.contention_sensitive`). Source: section 8 of the method.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from cipherstone.model.summary import Estimate
from cipherstone.stats.interval import sign_interval

K = TypeVar("K", bound=Hashable)


def log_ratios(i: Mapping[K, float], j: Mapping[K, float]) -> dict[K, float]:
    """ln(i[p] / j[p]) for every pass p that both have, in the order of `i`: what one of them lacks is left out, never moved. ValueError for values that are not positive and finite."""
    for v in (*i.values(), *j.values()):
        if not 0.0 < v < math.inf:
            raise ValueError(f"ratio: {v} is not positive and finite")
    return {key: math.log(value) - math.log(j[key]) for key, value in i.items() if key in j}


def log_estimate(logs: Sequence[float]) -> Estimate | None:
    """exp of the median of `logs` with its 95 % interval; None without values, no interval below 6."""
    if not logs:
        return None
    value = math.exp(statistics.median(logs))
    interval = sign_interval(logs)
    if interval is None:
        return Estimate(value)
    return Estimate(value, math.exp(interval[0]), math.exp(interval[1]))


def ratio_estimate(i: Mapping[K, float], j: Mapping[K, float]) -> Estimate | None:
    """Cost of lane i over cost of lane j from their values by pass (any unit of time, any key that names a pass).

    None without a common pass; without interval for fewer than 6.
    """
    return log_estimate(list(log_ratios(i, j).values()))


def half_width(estimate: Estimate) -> float:
    """The larger distance, in logarithms, from value to an end of the interval: 0.01 is about 1 %. inf without an interval."""
    if estimate.low is None or estimate.high is None or estimate.low <= 0.0 or estimate.value <= 0.0:
        return math.inf
    return max(math.log(estimate.high / estimate.value), math.log(estimate.value / estimate.low))
