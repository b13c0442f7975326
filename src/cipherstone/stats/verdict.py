# SPDX-License-Identifier: Apache-2.0
"""Verdicts on pairs, and groups of lanes that cannot be told apart.

Many comparisons. With m lanes a table makes m - 1 comparisons against the first of each group. Holm's step-down would ask single comparisons for levels
up to 1 - 0.05 / (m - 1). Order-statistic intervals cannot follow: with K = 9 the widest one, [minimum, maximum], covers 99.6 %, so from
14 lanes on no adjusted interval exists and nothing could ever be told apart; with fewer lanes the adjusted interval is the range,
which one bad pass ruins. So intervals are not adjusted. Two things stand in for it. The rule asks more than an interval that
excludes 1: it must lie wholly beyond 1 + d with d >= 1 % and d grown to the noise that the A/A lane shows, which makes a false finding between equal
lanes far rarer than 5 %. And that rarity is measured, not assumed: each run prints how many of its A/A comparisons were called different.
Results are printed as groups (section 8 of the method allows either).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import Estimate
from cipherstone.stats.ratio import half_width

SMALLEST_THRESHOLD = 0.01
LARGEST_EQUAL = 0.05  # d above this tells of a noisy machine, not of a margin within which people call two lanes equal


def offset(estimate: Estimate) -> float:
    """How far a ratio is from 1, the same for r and 1/r: 0.02 for 1.02 and for 1/1.02."""
    return math.expm1(abs(math.log(estimate.value)))


def threshold(aa: Estimate | None) -> float:
    """d = max(1 %, 3 x |A/A offset|, 2 x A/A half-width), as a fraction: differences within d mean nothing here.

    `aa`: the A/A lane over its original. None (no such lane): 1 %. Without an interval the half-width is unknown and left out; then
    the pairs beside it have no interval either and get no finding.
    """
    return max(SMALLEST_THRESHOLD, aa_margin(aa))


def aa_margin(aa: Estimate | None) -> float:
    """max(3 x |A/A offset|, 2 x A/A half-width) as a fraction: what two lanes of the same code may stand apart by. 0 without such a lane; without an interval its offset alone."""
    if aa is None:
        return 0.0
    width = half_width(aa)
    return max(3.0 * offset(aa), 2.0 * math.expm1(width) if math.isfinite(width) else 0.0)


def verdict(estimate: Estimate | None, d: float, target: float = 0.01) -> Verdict:
    """How lane i stands to lane j, `estimate` being cost i over cost j.

    `faster` (`slower`): the whole interval is below 1/(1+d) (above 1+d). `equal`: the whole interval is inside [1/(1+d), 1+d], with
    d at most 5 %: where the A/A lane is so unsteady that d is larger, nothing farther apart than 5 % is called equal. However wide an interval
    is, these findings hold for all of it. Otherwise the interval crosses a limit: `undecided` if it is as narrow as was asked
    (half-width at most ln(1 + target)), so that more of the same would not help; `unresolved` if the passes ran out before that, before d came
    below 5 %, or before there was an interval (K < 6).
    """
    if estimate is None or estimate.low is None or estimate.high is None:
        return Verdict.UNRESOLVED
    lower, upper = 1.0 / (1.0 + d), 1.0 + d
    if estimate.high < lower:
        return Verdict.FASTER
    if estimate.low > upper:
        return Verdict.SLOWER
    margin = 1.0 + min(d, LARGEST_EQUAL)
    if estimate.low >= 1.0 / margin and estimate.high <= margin:
        return Verdict.EQUAL
    narrow = half_width(estimate) <= math.log1p(target) and d <= LARGEST_EQUAL
    return Verdict.UNDECIDED if narrow else Verdict.UNRESOLVED


def rank(
    lanes_sorted_by_ns: Sequence[str],
    pair: Callable[[str, str], Verdict],
    has_interval: Callable[[str, str], bool] | None = None,
) -> tuple[tuple[str, ...], ...]:
    """Groups of lanes, fastest group first. `pair(i, j)` is how i stands to j, `has_interval(i, j)` whether their ratio has an interval; None: all have.

    A lane whose ratio to the fastest has no interval, for want of passes that hold both, is in no group: nothing tells it from the fastest, but nothing says either that it is anywhere near, so it must not
    stand beside it. If that is so of all others, there is no ranking: the fastest would be called so by its median alone.

    "Cannot be told apart" is not transitive: a may be alike b and b alike c while a is faster than c, so no grouping can show every pair. This one takes
    the fastest lane left, puts with it all lanes left that are not told `slower` than it, and repeats. It promises two things and no more: no lane of
    a group is `slower` than the group's first, and every lane of a later group is `slower` than the first of each earlier one.
    Two lanes inside a group may differ from each other, two in different groups may be alike; the pair's own verdict says so.
    A lane with a wide interval therefore stands in an early group, beside lanes that it was not told from, even where its median is large.
    A lane told `faster` than the first, whose median over its own passes is lower, is a contradiction, and stays in the group.
    Inside a group the given order is kept and means nothing; nothing is sorted by who is ahead inside it.
    """
    left = list(lanes_sorted_by_ns)
    if has_interval is not None and len(left) > 1:
        left = [lane for lane in left if lane == left[0] or has_interval(lane, left[0])]
        if len(left) == 1:
            return ()
    groups: list[tuple[str, ...]] = []
    while left:
        first, *others = left
        slower = [lane for lane in others if pair(lane, first) is Verdict.SLOWER]
        apart = set(slower)
        groups.append((first, *(lane for lane in others if lane not in apart)))
        left = slower
    return tuple(groups)
