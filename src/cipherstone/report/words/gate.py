# SPDX-License-Identifier: Apache-2.0
"""What is said of a figure and a limit. As many digits as it takes for the text to say what the numbers say: an end that is beyond the limit never prints as the limit."""

from __future__ import annotations

import math
from decimal import Decimal

from cipherstone.model.estimate import Estimate
from cipherstone.model.units import counted, percent_up
from cipherstone.stats.gate import allowed, passes_that_tell
from cipherstone.stats.interval import SMALLEST_K
from cipherstone.views.comparison import ComparedRow

MOST_DECIMALS = 10
MOST_PASSES = 200  # more are not worth naming


def limit_text(limit: float) -> str:
    """0.0208 -> `2.08 %`: as it was asked, all digits."""
    return f"{(100 * Decimal(repr(limit))).normalize():f} %"


def _decimals(ratio: Estimate, limit: float) -> int:
    """The fewest decimals of a percentage, 1 or more, at which each end stands on its own side of the limit, and both differ."""
    asked = 100 * Decimal(repr(limit))
    ends = [(end, end > allowed(limit)) for end in (ratio.low, ratio.high) if end is not None]
    for decimals in range(1, MOST_DECIMALS):
        texts = [_percent(end, decimals) for end, _ in ends]
        apart = all((Decimal(text) > asked) == above for text, (_, above) in zip(texts, ends, strict=True))
        if apart and (ratio.low == ratio.high or len(set(texts)) == len(texts)):
            return decimals
    return MOST_DECIMALS


def _percent(ratio: float, decimals: int) -> str:
    text = f"{100 * (Decimal(repr(ratio)) - 1):+.{decimals}f}"
    return text if float(text) else text.replace("-", "+")


def change_text(ratio: Estimate, limit: float) -> str:
    """`+2.10 % (+1.98 to +2.16 %)`: more time than before, in percent."""
    decimals = _decimals(ratio, limit)
    value = f"{_percent(ratio.value, decimals)} %"
    if ratio.low is None or ratio.high is None:
        return f"{value} (no interval)"
    return f"{value} ({_percent(ratio.low, decimals)} to {_percent(ratio.high, decimals)} %)"


def above_text(row: ComparedRow, limit: float) -> str:
    """`slower by 2.10 % (1.98 to 2.16 %), more than the 1.9 % allowed: CASE LANE`."""
    said = change_text(row.ratio, limit).replace("+", "") if row.ratio is not None else ""
    return f"slower by {said}, more than the {limit_text(limit)} allowed: {row.case} {row.lane}"


def untold_text(row: ComparedRow, limit: float) -> str:
    """Why it is not known whether a row is within the limit, and what would tell."""
    head = f"cannot tell {row.case} {row.lane}: "
    if row.ratio is None:
        return head + f"no figure in B: {row.note}"
    said = head + change_text(row.ratio, limit)
    if row.ratio.low is None or row.ratio.high is None:
        return f"{said}, {counted(row.passes, 'pass', 'passes')}, {SMALLEST_K} are the least"
    if row.resolution > limit:
        return f"{said}, the same code twice shows up to {percent_up(row.resolution)} in this case, more than the {limit_text(limit)} asked"
    return f"{said} holds the {limit_text(limit)} allowed; {_what_tells(row.ratio, limit, row.passes)}"


def _what_tells(ratio: Estimate, limit: float, passes: int) -> str:
    needed = passes_that_tell(ratio, limit, passes)
    if needed is not None and needed <= MOST_PASSES:
        return f"some {needed} passes would tell (there were {passes})"
    ends = sorted((ratio.low or math.nan, ratio.high or math.nan))
    decimals = _decimals(ratio, limit)
    low, high = (_percent(end, decimals).lstrip("+") for end in ends)
    return f"what it tells is a limit below {low} % or from {high} % up"
