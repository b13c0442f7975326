# SPDX-License-Identifier: Apache-2.0
"""Two speeds of one lane: code that runs at one of two levels, by process (where its code and data lie), by turn (where its inputs lie) or from one moment to the next.

What is looked at are batches that are alike (`stats.batches`): a place in the turn, a place in the life of the process and a neighbour explain no difference between them.

Two means on logarithms (Lloyd 1982), then four questions: is each level held by a tenth of the batches, was each seen in more than one pass, is the gap large against the spread of both, is there
little between them. A tail of disturbed batches is no level: its spread is too large. One far pass is an outlier, not a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.stats.quantiles import FloatArray, median

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


SMALLEST_PASSES = 6
SMALLEST_GAP = 0.01  # in logarithms; smaller ones are shown by the interval
SMALLEST_SHARE = 0.1
SMALLEST_PASSES_AT_LEVEL = 2
GAP_OVER_SPREAD = 4.0
MOST_BETWEEN = 0.1
PURE = 0.9


@dataclass(frozen=True)
class TwoLevels:
    """`low` and `high` in the unit of the values, each with the share of batches (0..1) at it. `kept`: a process keeps its level; `low_passes`: positions of the passes that are at the lower one. `by_turn`: a process has both, a turn one of them."""

    low: float
    high: float
    low_share: float
    kept: bool
    low_passes: tuple[int, ...]
    by_turn: bool = False

    @property
    def high_share(self) -> float:
        """Share of the batches at the higher level."""
        return 1.0 - self.low_share

    @property
    def kept_by(self) -> str:
        """What keeps a level: `process`, `turn`, or `moment` where neither does."""
        return "process" if self.kept else "turn" if self.by_turn else "moment"


def two_levels(passes: Sequence[Sequence[float]], turn_spreads: Sequence[float | None] = ()) -> TwoLevels | None:
    """The two levels of a lane, or None if it has one (or its values scatter). `passes[p]`: quantiles of pass p, each for the same share of its batches, all positive; one that is empty tells nothing; needs 6 passes. `turn_spreads[p]`: what separates batches of one turn in that pass, in logarithms."""
    told = [position for position, row in enumerate(passes) if len(row)]
    if any(min(passes[position]) <= 0.0 for position in told) or len(told) < SMALLEST_PASSES:
        return None
    rows = [np.log(np.asarray(passes[position], dtype=np.float64)) for position in told]
    pooled: FloatArray = np.concatenate(rows)
    middle = _two_means(pooled)
    low, high = pooled[pooled <= middle], pooled[pooled > middle]
    if min(low.size, high.size) < SMALLEST_SHARE * pooled.size:
        return None
    below, above = median(low), median(high)
    gap = above - below
    spread = max(_spread(low), _spread(high))
    between = np.count_nonzero((pooled > below + 0.25 * gap) & (pooled < above - 0.25 * gap))
    if gap < SMALLEST_GAP or gap < GAP_OVER_SPREAD * spread or between > MOST_BETWEEN * pooled.size:
        return None
    shares = [float(np.mean(row <= middle)) for row in rows]
    if min(sum(share > 0 for share in shares), sum(share < 1 for share in shares)) < SMALLEST_PASSES_AT_LEVEL:
        return None
    at_low = tuple(position for position, share in zip(told, shares, strict=True) if share > 0.5)
    pure = sum(max(share, 1 - share) >= PURE for share in shares)
    kept = pure >= 0.8 * len(rows) and min(len(at_low), len(rows) - len(at_low)) >= SMALLEST_PASSES_AT_LEVEL
    spreads = [spread for spread in turn_spreads if spread is not None]
    by_turn = not kept and bool(spreads) and median(np.array(spreads)) < gap / GAP_OVER_SPREAD
    return TwoLevels(float(np.exp(below)), float(np.exp(above)), low.size / pooled.size, kept, at_low, by_turn)


def _two_means(values: FloatArray) -> float:
    """The border between two means; the middle of the range to begin with."""
    border = float(values.min() + values.max()) / 2
    for _ in range(50):
        low, high = values[values <= border], values[values > border]
        if not high.size:  # all values are one
            return border
        moved = float(low.mean() + high.mean()) / 2
        if abs(moved - border) < 1e-9:
            break
        border = moved
    return border


def _spread(values: FloatArray) -> float:
    """Half the distance from the 10 % to the 90 % quantile."""
    low, high = np.quantile(values, (0.1, 0.9))
    return float(high - low) / 2
