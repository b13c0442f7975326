# SPDX-License-Identifier: Apache-2.0
"""What is said of a pair: a verdict in words that its interval does not deny. Tables, comparisons and stored ratios take them from here.

A verdict is about a threshold, an interval about 1 as well. `equal` means that the whole interval is within the threshold; it may lie to one side of 1, and then the two are apart, by less than counts. So the word is
`within 1 %`, which holds either way. Of an interval that crosses the threshold and leaves out 1 it is known on which side it lies, and not how far: `slower or within 1 %`. `undecided` and `unresolved` are said only where the interval holds 1.
"""

from __future__ import annotations

from cipherstone.model.estimate import Estimate
from cipherstone.model.outcomes import Verdict
from cipherstone.model.units import percent_up
from cipherstone.stats.verdict import LARGEST_EQUAL


def margin_text(d: float) -> str:
    """0.01 -> `1 %`, 0.0123 -> `1.3 %`: a threshold, never less than it is."""
    return percent_up(d).replace(".0 %", " %")


def beside_one(ratio: Estimate | None) -> int:
    """-1 or 1 where the whole interval is below or above 1; 0 where it holds 1, or there is none."""
    if ratio is None or ratio.low is None or ratio.high is None:
        return 0
    return 1 if ratio.low > 1.0 else -1 if ratio.high < 1.0 else 0


def verdict_words(found: Verdict, ratio: Estimate | None, d: float) -> str:
    """`slower`, `within 1 %`, `faster or within 1 %`, `undecided`, ... `d`: the threshold of the verdict, as a fraction."""
    if found is Verdict.EQUAL:
        return f"within {margin_text(min(d, LARGEST_EQUAL))}"
    side = beside_one(ratio) if found in (Verdict.UNDECIDED, Verdict.UNRESOLVED) else 0
    return f"{Verdict.SLOWER if side > 0 else Verdict.FASTER} or within {margin_text(d)}" if side else found.value
