# SPDX-License-Identifier: Apache-2.0
"""The order-statistic interval for a median: no assumption on the shape of the distribution.

Assumes K independent values of one distribution (here one value a pass, every pass in fresh processes; never the rounds of one process,
which are not independent: intervals built on them covered 52-78 % instead of 95 %). Smallest K is 6. It fails, by covering too little,
where passes depend on each other, as they do when the machine drifts: see `flags.drift`.
Source: the sign test inverted (Thompson 1936); coverage simulated in section 2 and 3 of the method, 94-98 % for K of 6 to 20.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import lru_cache

from cipherstone.model.summary import Estimate

SMALLEST_K = 6  # 2 * (1/2)^6 = 3.1 % <= 5 %; with 5 values even the whole range covers only 93.75 %


@lru_cache(maxsize=512)
def sign_rank(count: int, level: float = 0.95) -> int:
    """The largest k with 2 * BinomCDF(k - 1; count, 1/2) <= 1 - level, exactly; 0 if there is none.

    The interval is [x_(k), x_(count + 1 - k)], order statistics counted from 1.
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"interval: level is {level}, not in 0..1")
    tail = 0
    k = 0
    while k < count // 2 and 2 * (tail + math.comb(count, k)) <= (1.0 - level) * 2**count:
        tail += math.comb(count, k)
        k += 1
    return k


def sign_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """Interval for the median of what `values` are drawn from, in their unit; None below 6 values or if `level` needs more of them.

    The order of `values` does not matter. ValueError for NaN.
    """
    count = len(values)
    k = sign_rank(count, level) if count >= SMALLEST_K else 0
    if k == 0:
        return None
    ordered = sorted(values)
    if any(math.isnan(v) for v in ordered):
        raise ValueError("interval of NaN")
    return float(ordered[k - 1]), float(ordered[count - k])


def median_estimate(values: Sequence[float]) -> Estimate | None:
    """Median with its 95 % interval; None without values, no interval below 6 of them."""
    if not values:
        return None
    interval = sign_interval(values)
    low, high = interval if interval else (None, None)
    return Estimate(float(statistics.median(values)), low, high)
