# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import Estimate
from cipherstone.stats.ratio import ratio_estimate
from cipherstone.stats.stopping import Stopping
from cipherstone.stats.verdict import rank, threshold, verdict


def by_position(i: Sequence[float], j: Sequence[float]) -> Estimate | None:
    """The ratio of values that are all of common passes."""
    return ratio_estimate(dict(enumerate(i)), dict(enumerate(j)))


F, S, E, U, N = Verdict.FASTER, Verdict.SLOWER, Verdict.EQUAL, Verdict.UNDECIDED, Verdict.UNRESOLVED


@pytest.mark.parametrize(
    "estimate,expected",
    [
        (Estimate(0.80, 0.79, 0.81), F),
        (Estimate(0.80, 0.50, 0.98), F),  # wide, and still all of it below 1/1.01
        (Estimate(0.985, 0.982, 0.9902), U),  # 1/1.01 = 0.99010 lies inside
        (Estimate(1.25, 1.20, 1.30), S),
        (Estimate(1.02, 1.0101, 1.03), S),
        (Estimate(1.00, 0.995, 1.005), E),
        (Estimate(1.00, 0.9902, 1.0099), E),
        (Estimate(1.01, 1.001, 1.015), U),
        (Estimate(1.02, 0.99, 1.05), N),  # crosses, and is wider than the 1 % asked for
        (Estimate(1.50), N),
        (None, N),
    ],
)
def test_verdict(estimate: Estimate | None, expected: Verdict) -> None:
    assert verdict(estimate, 0.01, 0.01) is expected


def test_a_wider_threshold_swallows_small_differences() -> None:
    e = Estimate(1.03, 1.025, 1.035)
    assert verdict(e, 0.01) is S
    assert verdict(e, 0.03) is U
    assert verdict(e, 0.05) is E


@pytest.mark.parametrize("d", [0.01, 0.05])
def test_what_ends_on_the_limit_is_equal(d: float) -> None:
    """Both ends belong to it; what is a little longer is told as it was before."""
    assert verdict(Estimate(1.0, 1 / (1 + d), 1 + d), d) is E
    assert verdict(Estimate(1.0, 0.999 / (1 + d), 1 + d), d) is N
    assert verdict(Estimate(1.0, 1 / (1 + d), 1.001 * (1 + d)), d) is N


def test_a_noisy_machine_does_not_make_lanes_equal() -> None:
    assert (
        verdict(Estimate(1.3, 1.29, 1.31), 0.8) is N
    )  # d is 80 %: nothing can be told, least of all that they are equal
    assert verdict(Estimate(1.0, 0.96, 1.04), 0.8) is E
    assert verdict(Estimate(1.03, 1.025, 1.051), 0.8) is N
    assert verdict(Estimate(1.9, 1.85, 1.95), 0.8) is S


def test_threshold_by_hand() -> None:
    assert threshold(None) == 0.01
    assert threshold(Estimate(1.001, 0.999, 1.002)) == 0.01
    assert threshold(Estimate(1.01, 1.01, 1.01)) == pytest.approx(0.03)  # 3 x offset
    assert threshold(Estimate(1 / 1.01, 1 / 1.01, 1 / 1.01)) == pytest.approx(0.03)
    assert threshold(Estimate(1.0, 0.98, 1.01)) == pytest.approx(2 * (1 / 0.98 - 1))  # 2 x half-width
    assert threshold(Estimate(1.02)) == pytest.approx(0.06)


MIRROR = {F: S, S: F, E: E, U: U, N: N}


@given(st.lists(st.floats(-0.2, 0.2), min_size=3, max_size=20), st.floats(0.01, 0.2))
def test_verdict_of_the_exchanged_pair_is_the_mirror(logs: list[float], d: float) -> None:
    f_i, f_j = [math.exp(v) for v in logs], [1.0] * len(logs)
    e, r = by_position(f_i, f_j), by_position(f_j, f_i)
    assert e is not None and r is not None
    ends = [v for v in (e.low, e.high) if v is not None]
    if any(abs(v * limit - 1) < 1e-9 for v in ends for limit in (1 + d, 1 / (1 + d))):
        return  # an end on the limit itself: the last bit of 1/x decides
    assert verdict(r, d) is MIRROR[verdict(e, d)]


def passes(rng: np.random.Generator, factor: float, count: int = 9) -> Estimate | None:
    """Two lanes of one function in `count` passes: shared 5 % drift of the clock, 0.15 % noise of each, lane i slowed by `factor`."""
    shared = rng.normal(1.0, 0.05, count)
    f_i = shared * (1 + rng.normal(0, 0.0015, count)) * factor
    f_j = shared * (1 + rng.normal(0, 0.0015, count))
    return by_position([float(v) for v in f_i], [float(v) for v in f_j])


def test_the_same_function_twice_is_never_told_apart() -> None:
    rng = np.random.default_rng(1)
    found = {verdict(passes(rng, 1.0), threshold(passes(rng, 1.0))) for _ in range(500)}
    assert found <= {E, U}


def test_three_percent_more_is_found() -> None:
    rng = np.random.default_rng(2)
    found = [verdict(passes(rng, 1.03), threshold(passes(rng, 1.0))) for _ in range(200)]
    assert found.count(S) >= 190
    assert F not in found and E not in found


def table(slower: set[tuple[str, str]]):  # type: ignore[no-untyped-def]
    return lambda i, j: S if (i, j) in slower else U


def test_rank_plain_order_and_ties() -> None:
    everything = {("b", "a"), ("c", "a"), ("c", "b")}
    assert rank(["a", "b", "c"], table(everything)) == (("a",), ("b",), ("c",))
    assert rank(["a", "b", "c"], table(set())) == (("a", "b", "c"),)
    assert rank(["a", "b", "c"], table({("b", "a"), ("c", "a")})) == (("a",), ("b", "c"))
    assert rank(["a"], table(set())) == (("a",),)
    assert rank([], table(set())) == ()


def test_rank_where_alike_is_not_transitive() -> None:
    # a ~ b, b ~ c, c slower than a: c goes to the next group though nothing tells it from b.
    assert rank(["a", "b", "c"], table({("c", "a")})) == (("a", "b"), ("c",))


def test_rank_keeps_a_lane_with_a_wide_interval_beside_those_it_was_not_told_from() -> None:
    # c has the largest median, but only b is told slower than a.
    assert rank(["a", "b", "c"], table({("b", "a")})) == (("a", "c"), ("b",))


def test_rank_leaves_out_what_has_no_interval_beside_the_fastest() -> None:
    """However near or far it is; later groups are what they were, and where all others are so nobody is ranked."""
    told = table({("c", "a"), ("d", "a"), ("d", "c")})
    known = {("b", "a"): False, ("c", "a"): True, ("d", "a"): True}
    assert rank(["a", "b", "c", "d"], told, lambda i, j: known[i, j]) == (("a",), ("c",), ("d",))
    assert rank(["a", "b", "c"], table(set()), lambda i, j: i == "c") == (("a", "c"),)
    assert rank(["a", "b"], told, lambda i, j: False) == ()
    assert rank(["a"], told, lambda i, j: False) == (("a",),) and rank([], told, lambda i, j: False) == ()


def test_rank_does_not_sort_a_contradiction() -> None:
    assert rank(["a", "b"], lambda i, j: F) == (("a", "b"),)


@given(st.integers(1, 8), st.data())
def test_rank_keeps_its_two_promises(count: int, data: st.DataObject) -> None:
    lanes = [f"lane{n}" for n in range(count)]
    ordered = [(b, a) for n, a in enumerate(lanes) for b in lanes[n + 1 :]]
    slower = {p for p in ordered if data.draw(st.booleans())}
    groups = rank(lanes, table(slower))
    assert sorted(lane for g in groups for lane in g) == lanes
    for n, group in enumerate(groups):
        assert list(group) == sorted(group)  # the given order is kept
        assert not any((lane, group[0]) in slower for lane in group[1:])
        for later in groups[n + 1 :]:
            assert all((lane, group[0]) in slower for lane in later)


def test_stopping() -> None:
    rule = Stopping(min_passes=9, max_passes=40, target=0.01)
    narrow, wide = Estimate(1.3, 1.29, 1.31), Estimate(1.3, 1.28, 1.31)  # ln(1.3/1.29) = 0.8 %, ln(1.3/1.28) = 1.6 %
    assert rule.state([narrow], 8) == "continue"
    assert rule.state([narrow], 9) == "converged"
    assert rule.state([narrow, wide], 9) == "continue"
    assert rule.state([narrow, None], 9) == "continue"
    assert rule.state([narrow, Estimate(1.3)], 9) == "continue"
    assert rule.state([narrow, wide], 39) == "continue"
    assert rule.state([narrow, wide], 40) == "max-passes"
    assert rule.state([narrow], 40) == "converged"
    assert rule.state([], 8) == "continue"
    assert rule.state([], 9) == "converged"
    assert Stopping(9, 40, 0.02).state([narrow, wide], 9) == "converged"
    assert rule.state([Estimate(1.0, 1 / 1.0099, 1.0099)], 9) == "converged"
    assert rule.state([Estimate(1.0, 1 / 1.0101, 1.0)], 9) == "continue"
