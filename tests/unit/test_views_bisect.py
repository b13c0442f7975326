# SPDX-License-Identifier: Apache-2.0
"""Halving a line of commits: finds the first slower one whatever it is, steps over those that give no answer, says so where one is not to be had."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.estimate import Estimate
from cipherstone.views.bisect import CommitAnswer, Tried, answer_of, bisected


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (1.06, 1.10, CommitAnswer.SLOWER),
        (1.00, 1.02, CommitAnswer.AS_FAST),
        (0.90, 1.04999, CommitAnswer.AS_FAST),
        (0.90, 1.05, CommitAnswer.AS_FAST),  # slower *by more than* 5 %
        (1.04, 1.06, CommitAnswer.UNDECIDED),
        (1.05, 1.06, CommitAnswer.UNDECIDED),
        (None, None, CommitAnswer.UNDECIDED),
    ],
)
def test_the_whole_interval_decides(low: float | None, high: float | None, answer: CommitAnswer) -> None:
    assert answer_of(Estimate(1.05, low, high), 0.05) is answer
    assert answer_of(None, 0.05) is CommitAnswer.UNDECIDED
    if low is not None:  # a session that tells 60 % at best says of none that it is as fast, nor that it is slower
        assert answer_of(Estimate(1.05, low, high), 0.05, 0.6) is CommitAnswer.UNDECIDED


@given(st.integers(1, 200), st.data())
def test_the_first_slower_commit_is_found(length: int, data: st.DataObject) -> None:
    """Among n commits, with at most 2 + log2 n looks; those that cannot be built are stepped over, and never called the first."""
    first = data.draw(st.integers(0, length - 1))
    blind = data.draw(st.sets(st.integers(0, max(0, length - 2)), max_size=5)) if length > 1 else set()
    line = [f"c{i}" for i in range(length)]

    def look(commit: str) -> Tried:
        i = int(commit[1:])
        if i in blind:
            return Tried(commit, CommitAnswer.UNBUILDABLE)
        return Tried(commit, CommitAnswer.SLOWER if i >= first else CommitAnswer.AS_FAST)

    found = bisected("good", line, 0.05, look)
    seen = [one.commit for one in found.tried]
    assert len(seen) == len(set(seen)) <= 2 + length.bit_length() + 2 * len(blind)
    if found.first is not None:
        assert found.first == f"c{first}" and found.left == (found.first,)
    else:
        assert blind and f"c{first}" in found.left
        # All but the last of those that are left gave no answer.
        assert {int(one[1:]) for one in found.left[:-1]} <= blind


def test_a_bad_end_that_is_not_slower_ends_the_search() -> None:
    found = bisected("good", ["a", "b", "c"], 0.05, lambda commit: Tried(commit, CommitAnswer.AS_FAST))
    assert found.first is None and found.left == () and [one.commit for one in found.tried] == ["c"]


def test_the_middle_is_looked_at_first() -> None:
    """Of an even number of candidates the earlier one; one that gives no answer gives way to its neighbour."""
    line = [f"c{i}" for i in range(9)]

    def looked(first: int, blind: tuple[int, ...] = ()) -> list[str]:
        def look(commit: str) -> Tried:
            i = int(commit[1:])
            answer = (
                CommitAnswer.UNBUILDABLE if i in blind else CommitAnswer.SLOWER if i >= first else CommitAnswer.AS_FAST
            )
            return Tried(commit, answer)

        return [one.commit for one in bisected("good", line, 0.05, look).tried]

    assert looked(0) == ["c8", "c3", "c1", "c0"]
    assert looked(8) == ["c8", "c3", "c5", "c6", "c7"]
    assert looked(5) == ["c8", "c3", "c5", "c4"]
    assert looked(8, (3,)) == ["c8", "c3", "c4", "c6", "c7"]
    assert looked(0, (3, 4)) == ["c8", "c3", "c4", "c2", "c0"]
