# SPDX-License-Identifier: Apache-2.0
"""Warnings that a median hides: drift, two levels, and ratios that depend on who disturbs. They mark results and never change one.

Source: section 8 of the method.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.stats.quantiles import FloatArray
from cipherstone.stats.ratio import half_width, log_estimate

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


DRIFT = "drift"
BIMODAL = "bimodal"
CONTENTION_SENSITIVE = "contention-sensitive"
SLOW = "slow-op"

DRIFT_SMALLEST_K = 9
DRIFT_RHO = 0.7
BIMODAL_SMALLEST_K = 6
BIMODAL_SMALLEST_GAP = (
    0.002  # twice the resolution of interleaved A/A lanes (section 2: 0.1 %); smaller gaps are the clock's grain
)


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1, ties share their mean rank."""
    order = np.argsort(values, kind="stable")
    ranks = np.empty(values.size)
    ranks[order] = np.arange(1, values.size + 1)
    _, inverse = np.unique(values, return_inverse=True)
    sums = np.bincount(inverse, weights=ranks)
    result: FloatArray = (sums / np.bincount(inverse))[inverse]
    return result


def spearman(values: Sequence[float]) -> float:
    """Spearman's rank correlation of `values` with their own order, -1..1; 0 for fewer than 2 values or all equal."""
    if len(values) < 2:
        return 0.0
    a = _ranks(np.asarray(values, dtype=np.float64))
    b = np.arange(1.0, a.size + 1.0)
    a -= a.mean()
    b -= b.mean()
    norm = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / norm if norm > 0.0 else 0.0


def drift(values: Sequence[float]) -> bool:
    """Whether pass values (in pass order) rise or fall with time: |rho| > 0.7 and K >= 9.

    Independent values exceed 0.7 by chance in about 4 % of cases at K = 9. Fails to see a drift that turns back.
    """
    return len(values) >= DRIFT_SMALLEST_K and abs(spearman(values)) > DRIFT_RHO


def bimodal(logs: Sequence[float]) -> bool:
    """Whether log ratios fall into two levels: a gap of more than 3 times the larger spread of the two sides (at least 2 values each, K >= 6).

    One far value is an outlier, not a level. Gaps up to 0.2 % are not called.
    """
    ordered = sorted(logs)
    count = len(ordered)
    if count < BIMODAL_SMALLEST_K:
        return False
    for cut in range(2, count - 1):
        gap = ordered[cut] - ordered[cut - 1]
        spread = max(ordered[cut - 1] - ordered[0], ordered[-1] - ordered[cut])
        if gap > BIMODAL_SMALLEST_GAP and gap > 3.0 * spread:
            return True
    return False


def contention_sensitive(floor_logs: Sequence[float], paired_logs: Sequence[float]) -> bool:
    """Whether the ratio of floors and the median of paired rounds disagree by more than 1 % and more than both half-widths.

    Both are log ratios per pass. They estimate the same thing on a quiet machine; where disturbances cost one lane more than the other they part.
    False below 6 values, where half-widths are unknown.
    """
    first, second = log_estimate(floor_logs), log_estimate(paired_logs)
    if first is None or second is None:
        return False
    limit = max(math.log1p(0.01), half_width(first), half_width(second))
    return abs(statistics.median(floor_logs) - statistics.median(paired_logs)) > limit
