# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.summary import Estimate
from cipherstone.stats.interval import median_estimate, sign_interval, sign_rank
from cipherstone.stats.quantiles import quantile
from cipherstone.stats.ratio import half_width, ratio_estimate

times = st.floats(1e-1, 1e9)
value_lists = st.lists(times, min_size=1, max_size=40)
pairs = st.lists(st.tuples(times, times), min_size=1, max_size=40)


def by_position(i: Sequence[float], j: Sequence[float]) -> Estimate | None:
    """The ratio of values that are all of common passes."""
    return ratio_estimate(dict(enumerate(i)), dict(enumerate(j)))


@pytest.mark.parametrize("count,k", [(5, 0), (6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (15, 4), (20, 6), (40, 14)])
def test_rank_as_in_the_tables_of_the_sign_test(count: int, k: int) -> None:
    assert sign_rank(count) == k


@pytest.mark.parametrize(
    "count,low,high,coverage",
    [(6, 1, 6, 0.969), (9, 2, 8, 0.961), (12, 3, 10, 0.961), (15, 4, 12, 0.965), (20, 6, 15, 0.959)],
)
def test_interval_is_the_order_statistics_of_the_method(count: int, low: int, high: int, coverage: float) -> None:
    values = [float(v) for v in range(1, count + 1)]
    random.Random(count).shuffle(values)
    assert sign_interval(values) == (low, high)
    exact = 1 - 2 * sum(math.comb(count, i) for i in range(low)) / 2**count
    assert exact == pytest.approx(coverage, abs=0.0006)


def test_higher_level_needs_more_values() -> None:
    nine = [float(v) for v in range(9)]
    assert sign_interval(nine, 0.99) == (0.0, 8.0)
    assert sign_interval(nine, 0.999) is None


@pytest.mark.parametrize("count", range(6))
def test_no_interval_below_six(count: int) -> None:
    assert sign_interval([1.0] * count) is None


@given(value_lists)
def test_interval_holds_the_median_and_ignores_order(values: list[float]) -> None:
    interval = sign_interval(values)
    assert (interval is None) == (len(values) < 6)
    assert interval == sign_interval(list(reversed(values))) == sign_interval(sorted(values))
    if interval is not None:
        assert min(values) <= interval[0] <= statistics.median(values) <= interval[1] <= max(values)


def test_nan_is_an_error_not_a_number() -> None:
    with pytest.raises(ValueError):
        sign_interval([1.0, 2.0, 3.0, 4.0, 5.0, math.nan])
    with pytest.raises(ValueError):
        quantile([1.0, math.nan], 0.1)


def test_median_estimate() -> None:
    assert median_estimate([]) is None
    few = median_estimate([3.0, 1.0, 2.0])
    assert few is not None and (few.value, few.low, few.high) == (2.0, None, None)
    nine = median_estimate([9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0])
    assert nine is not None and (nine.value, nine.low, nine.high) == (5.0, 2.0, 8.0)


def test_quantile_type_7() -> None:
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.1) == pytest.approx(1.3)  # position 0.3
    assert quantile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.5
    assert quantile([7.0], 0.9) == 7.0
    with pytest.raises(ValueError):
        quantile([], 0.5)


@given(value_lists, st.floats(0, 1))
def test_quantile_agrees_with_numpy(values: list[float], q: float) -> None:
    assert quantile(values, q) == pytest.approx(float(np.quantile(values, q)), rel=1e-12)


def test_ratio_by_hand() -> None:
    f_j = [100.0, 200.0, 100.0, 50.0, 100.0, 100.0, 10.0, 100.0, 100.0]
    factors = [1.30, 1.31, 1.29, 1.32, 1.28, 1.33, 1.27, 1.90, 0.70]
    e = by_position([f * b for f, b in zip(factors, f_j, strict=True)], f_j)
    assert e is not None
    assert (e.value, e.low, e.high) == pytest.approx((1.30, 1.27, 1.33))  # 5th, 2nd and 8th of nine
    assert half_width(e) == pytest.approx(math.log(1.30 / 1.27))  # the lower side is the wider one


def test_ratio_of_few_passes() -> None:
    assert by_position([], []) is None
    e = by_position([2.0] * 5, [1.0] * 5)
    assert e is not None and e.low is None and e.high is None and e.value == pytest.approx(2.0)
    assert half_width(e) == math.inf


@pytest.mark.parametrize("i,j", [([0.0], [1.0]), ([math.nan], [1.0]), ([1.0], [math.inf]), ([-1.0], [1.0])])
def test_ratio_refuses_what_is_no_time(i: list[float], j: list[float]) -> None:
    with pytest.raises(ValueError):
        by_position(i, j)


def test_values_are_paired_by_pass_and_not_by_position() -> None:
    """Each side lacks a pass of its own, and the machine warms up: by position the ratio would be that of neighbouring passes."""
    warm = [1.5**p for p in range(9)]
    i = {p: 1.3 * v for p, v in enumerate(warm) if p != 0}
    j = {p: v for p, v in reversed(list(enumerate(warm))) if p != 8}
    e = ratio_estimate(i, j)
    assert e is not None and (e.value, e.low, e.high) == pytest.approx((1.3, 1.3, 1.3))
    assert ratio_estimate({0: 1.0}, {1: 1.0}) is None


@given(pairs)
def test_exchanging_lanes_inverts_the_ratio_and_mirrors_the_interval(values: list[tuple[float, float]]) -> None:
    f_i, f_j = [v[0] for v in values], [v[1] for v in values]
    e, r = by_position(f_i, f_j), by_position(f_j, f_i)
    assert e is not None and r is not None
    assert e.value == pytest.approx(1 / r.value)
    if len(values) < 6:
        assert e.low is None and r.low is None
    else:
        assert e.low is not None and e.high is not None and r.low is not None and r.high is not None
        assert (e.low, e.high) == pytest.approx((1 / r.high, 1 / r.low))
        assert e.low <= e.value <= e.high
        assert half_width(e) == pytest.approx(half_width(r), abs=1e-12)


@given(
    st.lists(st.tuples(st.floats(1, 1e6), st.floats(1, 1e6)), min_size=6, max_size=20),
    st.randoms(use_true_random=False),
    st.floats(0.5, 2.0),
)
def test_ratio_does_not_depend_on_pass_order_or_on_what_both_lanes_share(
    values: list[tuple[float, float]], rng: random.Random, shared: float
) -> None:
    shuffled = list(values)
    rng.shuffle(shuffled)
    e = by_position([v[0] for v in values], [v[1] for v in values])
    s = by_position([v[0] * shared for v in shuffled], [v[1] * shared for v in shuffled])
    assert e is not None and s is not None
    assert (s.value, s.low, s.high) == pytest.approx((e.value, e.low, e.high))


@pytest.mark.parametrize("count", [6, 9, 12, 20])
@pytest.mark.parametrize("shape", ["normal", "heavy", "skewed"])
def test_simulated_coverage(count: int, shape: str) -> None:
    """The median drawn from lies in the interval in 93 to 99 % of 4000 simulated sessions, whatever the distribution."""
    rng = np.random.default_rng(20240607 + count)
    sessions = {
        "normal": rng.normal(0.0, 1.0, (4000, count)),
        "heavy": rng.standard_t(1.5, (4000, count)),
        "skewed": rng.exponential(1.0, (4000, count)) - math.log(2.0),
    }[shape]
    hits = 0
    for values in sessions:
        interval = sign_interval([float(v) for v in values])
        assert interval is not None
        hits += interval[0] <= 0.0 <= interval[1]
    assert 0.93 <= hits / 4000 <= 0.99
