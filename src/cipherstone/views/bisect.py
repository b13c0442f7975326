# SPDX-License-Identifier: Apache-2.0
"""Which commit made a case slower: halving a line of commits, each measured against the good one in a session of its own.

A commit is slower if its ratio to the good commit is above the threshold with its whole interval, not slower if the interval lies at or below it (`stats.gate`); anything else
is no answer, and that commit is measured again or stepped over, as `git bisect skip` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

from cipherstone.model.summary import Estimate
from cipherstone.stats.gate import LimitFinding, judged


class CommitAnswer(StrEnum):
    """What one commit is."""

    SLOWER = "slower"
    AS_FAST = "as fast"
    UNDECIDED = "undecided"
    UNBUILDABLE = "cannot be built"


class Tried(msgspec.Struct, frozen=True):
    """One commit that was looked at. `ratio`: its time over the good commit's; `run`: where that was measured; `note`: why there is none."""

    commit: str
    answer: CommitAnswer
    ratio: Estimate | None = None
    run: str = ""
    note: str = ""


class Bisection(msgspec.Struct, frozen=True):
    """`first`: the first slower commit; None if it could not be narrowed to one: `left` are then those among which it is, in their order. `tried`: in the order of trying."""

    good: str
    bad: str
    tried: tuple[Tried, ...]
    first: str | None
    left: tuple[str, ...]
    threshold: float


_ANSWERS = {
    LimitFinding.ABOVE: CommitAnswer.SLOWER,
    LimitFinding.WITHIN: CommitAnswer.AS_FAST,
    LimitFinding.UNTOLD: CommitAnswer.UNDECIDED,
}


def answer_of(ratio: Estimate | None, threshold: float, resolution: float = 0.0) -> CommitAnswer:
    """`threshold`: 0.05 for slower by 5 %. `resolution`: the least that the session tells."""
    return _ANSWERS[judged(ratio, threshold, resolution)]


def bisected(good: str, line: Sequence[str], threshold: float, look: Callable[[str], Tried]) -> Bisection:
    """Halves `line`, the commits after `good` in their order, of which the last is bad; `look` builds and measures one. At most about log2 of them are looked at, and the last first.

    Where the last is not slower nothing is narrowed: `first` is None and `left` is empty.
    """
    tried = [look(line[-1])]
    if tried[0].answer is not CommitAnswer.SLOWER:
        return Bisection(good, line[-1], tuple(tried), None, (), threshold)
    low, high = 0, len(line) - 1  # the first slower one is in line[low..high], and line[high] is slower
    passed: set[int] = set()  # those that give no answer
    while candidates := [i for i in range(low, high) if i not in passed]:
        middle = min(candidates, key=lambda i: abs(2 * i - (low + high - 1)))
        one = look(line[middle])
        tried.append(one)
        if one.answer is CommitAnswer.SLOWER:
            high = middle
        elif one.answer is CommitAnswer.AS_FAST:
            low = middle + 1
        else:
            passed.add(middle)
    left = tuple(line[low : high + 1])
    return Bisection(good, line[-1], tuple(tried), left[0] if len(left) == 1 else None, left, threshold)
