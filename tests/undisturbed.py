# SPDX-License-Identifier: Apache-2.0
"""Real times in tests: the least of many readings, of as many as this machine needs. A neighbour only makes a reading longer, so with more of them the least become what the code takes; a mistake of the code stays."""

from __future__ import annotations

from collections.abc import Callable
from math import inf


def least(
    holds: Callable[..., bool], *readings: Callable[[], float], at_least: int = 9, at_most: int = 300
) -> tuple[float, ...]:
    """The least of each of `readings`, taken in turns at least so often, and until `holds` says yes of them; AssertionError with the last ones if it never does."""
    found = [inf] * len(readings)
    for turn in range(at_most):
        found = [min(one, reading()) for one, reading in zip(found, readings, strict=True)]
        if turn + 1 >= at_least and holds(*found):
            return tuple(found)
    raise AssertionError(f"not in {at_most} readings of each, the least of which are {found}")
