# SPDX-License-Identifier: Apache-2.0
"""Whether a slowdown is above a given limit: yes, no, or not decided. An interval decides with both its ends or not at all.

A limit is not the threshold of a verdict. The threshold has a floor of 1 %, the least that a table calls a difference; a limit says itself what matters. It is held against what the run can tell: two lanes of the same code stand
as far apart as the A/A lane shows, so nothing within three of its offsets or two of its half-widths is above anything. Never less than 0.2 %: twice what interleaved A/A lanes resolve (section 2 of the method's study).
"""

from __future__ import annotations

import math
from decimal import Decimal
from enum import StrEnum

from cipherstone.model.estimate import Estimate
from cipherstone.stats.ratio import half_width
from cipherstone.stats.verdict import SMALLEST_THRESHOLD, aa_margin

SMALLEST_LIMIT = 0.002  # as a fraction


class LimitFinding(StrEnum):
    """What an interval says of a limit."""

    ABOVE = "above"  # all of it
    WITHIN = "within"  # all of it at or below
    UNTOLD = "not told"


def allowed(limit: float) -> float:
    """The ratio at `limit` (0.0208: 2.08 %), 1.0208 to the last bit: the sum of two doubles need not be the double of the sum."""
    return float(1 + Decimal(repr(limit)))


def resolution(aa: Estimate | None) -> float:
    """The least slowdown that can be seen in a case, as a fraction; `aa`: the A/A lane over its original. None, or one without an interval: 1 %, or what its offset asks for."""
    if aa is None or not math.isfinite(half_width(aa)):
        return max(SMALLEST_THRESHOLD, aa_margin(aa))
    return max(SMALLEST_LIMIT, aa_margin(aa))


def judged(ratio: Estimate | None, limit: float, least: float) -> LimitFinding:
    """Of `ratio`, new cost over old. `limit`: 0.05 for slower by 5 %; `least`: `resolution`.

    `ABOVE`: the whole interval is above the limit, and above `least`. `WITHIN`: the whole interval is at or below the limit, and the limit is not below `least`. Else `UNTOLD`, as without an interval.
    """
    if ratio is None or ratio.low is None or ratio.high is None:
        return LimitFinding.UNTOLD
    if ratio.low > allowed(max(limit, least)):
        return LimitFinding.ABOVE
    return LimitFinding.WITHIN if ratio.high <= allowed(limit) and limit >= least else LimitFinding.UNTOLD


def passes_that_tell(ratio: Estimate, limit: float, passes: int) -> int | None:
    """About how many passes would move the interval off the limit, had they the same median and spread; None if the median is the limit, or nothing is known of the width.

    Intervals of order statistics narrow with the root of the passes.
    """
    if ratio.low is None or ratio.high is None or ratio.low <= 0.0 or passes < 1:
        return None
    away = math.log(ratio.value / allowed(limit))
    towards = math.log(ratio.value / ratio.low) if away > 0 else math.log(ratio.high / ratio.value)
    return None if away == 0.0 else max(passes + 1, math.ceil(passes * (towards / away) ** 2 - 1e-6) + 1)
