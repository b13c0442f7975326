# SPDX-License-Identifier: Apache-2.0
"""Operations whose calls differ by what they draw (key generation): every call timed alone, all of them reported as a distribution.

The search for primes ends after a number of candidates that is nearly geometric, so single calls differ by an order of magnitude and no passes narrow that. Quantiles are over all clean calls of a
run. A ratio is not: calls of one process share its layout, so passes, each in fresh processes, stay the unit. A pass gives its median call, ratios are paired by pass, and their interval is
the usual one of signs (`stats.interval`), as wide as luck makes it. Assumes that what is drawn is independent from pass to pass. It fails below 6 passes (no interval), and the outer quantiles
mean little below some 50 calls: as many are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.model.summary import DistributionSummary, LatencySummary
from cipherstone.stats.quantiles import sorted_quantile

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


LEAST_CALLS = 50  # of each lane in a run, where its bound allows
LOW, HIGH = 0.1, 0.9
P90, P99 = 0.9, 0.99


def calls_a_pass(min_passes: int) -> int:
    """Clean calls that a pass needs so that the least number of passes gives `LEAST_CALLS`."""
    return math.ceil(LEAST_CALLS / max(1, min_passes))


def distribution(calls_ns: Sequence[float]) -> DistributionSummary | None:
    """Median, mean, 10 % and 90 % quantile (type 7) of single calls; None without any. The order does not matter."""
    if not calls_ns:
        return None
    ordered = np.sort(np.asarray(calls_ns, dtype=np.float64))
    median, low, high = (sorted_quantile(ordered, q) for q in (0.5, LOW, HIGH))
    return DistributionSummary(median, float(ordered.mean()), low, high, len(calls_ns))


def told_calls(q: float) -> int:
    """Calls below which a quantile of single calls is not told: none of them would lie beyond it."""
    return round(1 / (1 - q))


def firm_calls(q: float) -> int:
    """Calls from which on the greatest lies beyond the true quantile in 95 of 100 runs, if calls are independent: 1 - q^n >= 0.95."""
    return math.ceil(math.log(0.05) / math.log(q))


def latency(calls_ns: Sequence[float]) -> LatencySummary | None:
    """Median, 90 % and 99 % quantile (type 7) of single calls, in any order; None without any, and None for a quantile that fewer than `told_calls` tell.

    Calls of one process share its layout and its moment, so that they are fewer than they seem: these quantiles describe the calls of a run and have no interval. Disturbed calls are left out before, so
    that they are what the code itself varies by, not what a user waits beside others.
    """
    if not calls_ns:
        return None
    ordered = np.sort(np.asarray(calls_ns, dtype=np.float64))
    high, last = (sorted_quantile(ordered, q) if len(calls_ns) >= told_calls(q) else None for q in (P90, P99))
    return LatencySummary(sorted_quantile(ordered, 0.5), high, last, len(calls_ns))
