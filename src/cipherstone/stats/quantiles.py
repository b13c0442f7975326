# SPDX-License-Identifier: Apache-2.0
"""Quantiles of type 7 (Hyndman and Fan 1996): linear between the order statistics, position q * (n - 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherstone.model.later import Later

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
else:
    np = Later("numpy")
    FloatArray = object


def sorted_quantile(ordered: FloatArray, q: float) -> float:
    """Type 7 quantile of n >= 1 values that are already sorted. The smallest n with a useful q10 is about 10: below that it is close to the minimum."""
    n = len(ordered)
    if n == 0:
        raise ValueError("quantile of no values")
    if not 0.0 <= q <= 1.0:
        raise ValueError(f"quantile: q is {q}, not in 0..1")
    position = q * (n - 1)
    lower = int(position)
    low, high = float(ordered[lower]), float(ordered[min(lower + 1, n - 1)])
    return low + (high - low) * (position - lower)


def median(values: Sequence[float] | FloatArray) -> float:
    """Median of n >= 1 values in any order; NaN if one is. To the bit what numpy's says, whose own loads the arithmetic of masked arrays first, and takes ten times as long for the few values of a turn."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    if n == 0:
        raise ValueError("median of no values")
    if np.isnan(ordered[-1]):  # NaN sorts last
        return float(ordered[-1])
    above = float(ordered[n // 2])
    return above if n % 2 else (float(ordered[n // 2 - 1]) + above) / 2


def quantile(values: Sequence[float] | FloatArray, q: float) -> float:
    """Type 7 quantile of `values` (any order, n >= 1), q in 0..1. ValueError for no values, NaN values or q outside."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if ordered.size and np.isnan(ordered[-1]):  # NaN sorts last
        raise ValueError("quantile of NaN")
    return sorted_quantile(ordered, q)
