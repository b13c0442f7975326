# SPDX-License-Identifier: Apache-2.0
"""What random inputs beyond the vectors showed, in words: how many answers were looked at, and which rate of errors would have been found."""

from __future__ import annotations

import math
from collections.abc import Iterable

from cipherstone.model.summary import CaseSummary
from cipherstone.stats.rate import rate_below

LEVEL_WORDS = "with 95 %"


def rate_text(looked: int) -> str:
    """`below 0.07 %`: rounded up, so that it is never less than what was shown."""
    percent = 100 * rate_below(looked)
    digits = max(0, 1 - math.floor(math.log10(percent)))
    shown = math.ceil(percent * 10**digits) / 10**digits
    return f"below {shown:.{digits}f} %"


def no_error_words(looked: int, what: str = "random inputs") -> str:
    """`no error in 4,608 random inputs: below 0.065 % with 95 %`."""
    return f"no error in {looked:,} {what}: {rate_text(looked)} {LEVEL_WORDS}"


def looked_words(genuine: int, forged: int, wrong: int) -> str:
    """Of one operation of a lane; "" where nothing was asked."""
    looked = genuine + forged
    if not looked:
        return ""
    if wrong:
        return f"{wrong:,} of {looked:,} random inputs gave a wrong answer"
    what = "random inputs" if not forged else f"random inputs, {forged:,} of them forged"
    return no_error_words(looked, what)


def run_words(cases: Iterable[CaseSummary]) -> str:
    """Of a whole run, one sentence; "" where nothing was asked. An operation of several sizes counts once."""
    looked: dict[tuple[str, str], int] = {}
    wrong: dict[tuple[str, str], int] = {}
    for case in cases:
        for cell in case.cells:
            if cell.breadth_genuine + cell.breadth_forged and not cell.lane.endswith("#2"):
                looked[case.operation, cell.lane] = cell.breadth_genuine + cell.breadth_forged
                wrong[case.operation, cell.lane] = cell.breadth_wrong
    if not looked:
        return ""
    counts = sorted(looked.values())
    median, fewest, found = counts[len(counts) // 2], counts[0], sum(count > 0 for count in wrong.values())
    head = f"{sum(counts):,} answers to random inputs beyond the vectors were looked at, {median:,} of an operation and lane in the median ({rate_text(median)} {LEVEL_WORDS}), {fewest:,} at least"
    if not found:
        return f"{head}: none was wrong"
    return f"{head}: {found} of {len(counts)} gave something wrong"
