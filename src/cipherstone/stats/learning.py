# SPDX-License-Identifier: Apache-2.0
"""Lanes that learn: whose first calls in a process cost more than its later ones, because a library fills a cache by calls or by keys.

What is looked at are the untimed calls before the first turn of a pass, in cycles of as many calls each (`LaneSamples.settling_ns`), against the figure of that pass. A process has computed known
answers before, so that lazy set-up is over. The lower quartile over passes of each cycle, because a neighbour only adds time; where three of four passes were hit in one cycle it fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.model.summary import LearningSummary
from cipherstone.stats.quantiles import sorted_quantile

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


SMALLEST_PASSES = 6
LEARNS = 1.5  # times the figure of the pass: a cold first call among sixteen is up to 1.2
SETTLED = 1.1
FEW_CALLS = (
    8  # in a cycle, so that the cold first one alone could be the reason: then the second cycle must tell it too
)
LOW_QUANTILE = 0.25

Cycles = Sequence[tuple[int, float]]  # calls, ns of one


def learning(passes: Sequence[tuple[Cycles, float]]) -> LearningSummary | None:
    """What the cycles of each pass, with the pass's figure in ns, tell of a lane: None where its first calls cost about what later ones do, or where fewer than 6 passes tell."""
    told = [(cycles, figure) for cycles, figure in passes if cycles and figure > 0.0]
    if len(told) < SMALLEST_PASSES:
        return None
    most = max(len(cycles) for cycles, _ in told)
    share = [_low([_at(cycles, k) / figure if _at(cycles, k) else 1.0 for cycles, figure in told]) for k in range(most)]
    calls = round(_low([float(cycles[0][0]) for cycles, _ in told]))
    if share[0] < LEARNS or (calls < FEW_CALLS and (most < 2 or share[1] < SETTLED)):
        return None
    unsettled = max(k for k, one in enumerate(share) if one > SETTLED)
    figure = float(np.median([figure for _, figure in told]))
    steps = tuple((k * calls, share[k] * figure) for k in range(unsettled + 1))
    return LearningSummary(calls, steps, (unsettled + 1) * calls, figure)


def _at(cycles: Cycles, number: int) -> float:
    """ns of a call in cycle `number`; 0 where the pass had settled before."""
    return cycles[number][1] if number < len(cycles) else 0.0


def _low(values: Sequence[float]) -> float:
    return sorted_quantile(np.sort(np.asarray(values, dtype=np.float64)), LOW_QUANTILE)
