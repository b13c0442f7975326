# SPDX-License-Identifier: Apache-2.0
"""The rate of errors that would have been seen."""

from __future__ import annotations


def rate_below(looked: int, level: float = 0.95) -> float:
    """The rate of errors (0 to 1) that stays without one in `looked` independent results with a probability of 1 - `level`: a larger one would have been seen. Exact, where the rule of three gives 3 / n. 1 for none looked at."""
    return 1.0 if looked <= 0 else 1.0 - (1.0 - level) ** (1.0 / looked)
