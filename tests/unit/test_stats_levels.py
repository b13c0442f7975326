# SPDX-License-Identifier: Apache-2.0
"""Two speeds of one lane, told from one speed, from scatter, and from what disturbs."""

from __future__ import annotations

import math
import random
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.stats import levels
from cipherstone.stats.levels import MOST_BETWEEN, TwoLevels, two_levels

FAST, SLOW = 33_500.0, 36_400.0
QUANTILES = (np.arange(10) + 0.5) / 10


def at(level: float, rng: np.random.Generator | None = None, spread: float = 0.001) -> list[float]:
    """Ten quantiles of a pass that is at one level."""
    noise = np.sort(rng.normal(0, spread, 10)) if rng is not None else np.linspace(-spread, spread, 10)
    return [float(v) for v in level * np.exp(noise)]


def between(share: float, low: float = FAST, high: float = SLOW) -> list[float]:
    """Ten quantiles of a pass with `share` of its batches at the lower level."""
    return [(low if q < share else high) * (1 + 0.001 * (q - 0.5)) for q in QUANTILES]


def found(passes: list[list[float]]) -> TwoLevels:
    levels = two_levels(passes)
    assert levels is not None
    return levels


def test_levels_that_processes_keep() -> None:
    """Where the data lie is decided when a process starts; it stays there."""
    levels = found([at(FAST if p in (1, 4, 5, 8) else SLOW) for p in range(9)])
    assert levels.kept and levels.low_passes == (1, 4, 5, 8)
    assert (levels.low, levels.high) == pytest.approx((FAST, SLOW), rel=1e-6)
    assert levels.low_share == pytest.approx(4 / 9) and levels.high_share == pytest.approx(5 / 9)


def test_levels_inside_every_process() -> None:
    levels = found([between(0.6)] * 9)
    assert not levels.kept and levels.low_share == pytest.approx(0.6)
    assert (levels.low, levels.high) == pytest.approx((FAST, SLOW), rel=1e-3)
    assert levels.low_passes == tuple(range(9))  # each has more than half of its batches there
    assert not found([between(0.4)] * 9).low_passes


def test_some_processes_may_change_and_the_rest_still_keep_theirs() -> None:
    """Eight in ten decide; at a level is who has nine tenths of the batches there."""
    pure = [at(FAST)] * 4 + [at(SLOW)] * 4
    assert found([*pure, between(0.5), between(0.5)]).kept
    assert not found([*pure, between(0.5), between(0.5), between(0.5)]).kept
    assert found([*pure, between(0.9), between(0.1)]).low_passes == (0, 1, 2, 3, 8)
    assert not found([between(0.8)] * 5 + [between(0.2)] * 4).kept  # mostly at one is not at it


def test_one_pass_that_stays_at_a_speed_does_not_choose_the_figure() -> None:
    """Another one goes to and fro, so the speed is no outlier; but it takes two passes that keep it."""
    levels = found([at(SLOW)] * 7 + [at(FAST), between(0.4)])
    assert not levels.kept and levels.low_passes == (7,)
    assert found([at(SLOW)] * 6 + [at(FAST)] * 2 + [between(0.4)]).kept


@pytest.mark.parametrize("place", [0.3, 0.7])
def test_what_lies_between_two_levels_makes_them_one_spread(place: float) -> None:
    """From a quarter of the gap on a value is at neither level, seen from below and from above; a few may be."""
    gap = math.log(SLOW / FAST)
    away = FAST * math.exp(place * gap)
    near = FAST * math.exp((0.2 if place < 0.5 else 0.8) * gap)

    def passes(value: float, of_ten: int) -> list[list[float]]:
        level = FAST if place < 0.5 else SLOW
        odd = sorted([level] * (10 - of_ten) + [value] * of_ten)
        return [odd] * 5 + [at(SLOW if place < 0.5 else FAST)] * 4

    few = int(MOST_BETWEEN * 90) // 5
    assert two_levels(passes(near, 3)) is not None
    assert two_levels(passes(away, few)) is not None
    assert two_levels(passes(away, few + 2)) is None


def test_levels_in_some_passes_only() -> None:
    """Most processes are at one level, a few go to and fro: nothing is kept, both are shown."""
    levels = found([between(0.5)] * 5 + [at(FAST)] * 4)
    assert not levels.kept and levels.low_share == pytest.approx((5 * 0.5 + 4) / 9)


@pytest.mark.parametrize("gap", [0.0, 0.005, 0.0099])
def test_a_gap_of_less_than_one_percent_is_one_level(gap: float) -> None:
    passes = [at(FAST, spread=1e-5) if p % 2 else at(FAST * math.exp(gap), spread=1e-5) for p in range(9)]
    assert two_levels(passes) is None
    assert (
        two_levels([at(FAST, spread=1e-5) if p % 2 else at(FAST * 1.0102, spread=1e-5) for p in range(9)]) is not None
    )


def test_a_gap_that_is_small_against_the_spread_is_scatter() -> None:
    assert two_levels([at(FAST if p % 2 else FAST * 1.03, spread=0.012) for p in range(9)]) is None
    assert two_levels([at(FAST if p % 2 else FAST * 1.09, spread=0.012) for p in range(9)]) is not None


@pytest.mark.parametrize("share", [0.02, 0.08])
def test_a_level_of_less_than_a_tenth_of_the_batches_is_none(share: float) -> None:
    pooled = [[FAST if rank >= share * 100 else SLOW for rank in range(100)] for _ in range(9)]
    assert two_levels([sorted(row) for row in pooled]) is None
    assert two_levels([[FAST] * 85 + [SLOW] * 15] * 9) is not None


@pytest.mark.parametrize("passes", [9, 10])
def test_one_far_pass_is_an_outlier(passes: int) -> None:
    """Far above, as when somebody took the core for all of it, or below, as when its clock was misread: it must not become a speed."""
    assert two_levels([at(FAST)] * (passes - 1) + [at(SLOW)]) is None
    assert two_levels([at(SLOW)] * (passes - 1) + [at(FAST)]) is None
    assert two_levels([at(FAST)] * (passes - 1) + [between(0.5)]) is None
    assert found([at(FAST)] * (passes - 2) + [at(SLOW)] * 2).kept


@pytest.mark.parametrize("seed", range(10))
def test_a_tail_of_disturbed_batches_is_no_level(seed: int) -> None:
    """A quarter or half of the batches take longer, by anything up to 60 %."""
    rng = np.random.default_rng(seed)
    for share in (0.25, 0.5):
        passes = []
        for _ in range(12):
            batches = FAST * np.exp(rng.normal(0, 0.001, 400))
            hit = rng.random(400) < share
            batches[hit] *= 1 + rng.uniform(0, 0.6, int(hit.sum()))
            passes.append([float(v) for v in np.quantile(batches, QUANTILES)])
        assert two_levels(passes) is None


@pytest.mark.parametrize("seed", range(10))
def test_one_level_with_noise_and_drift_is_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert two_levels([at(FAST, rng, 0.02) for _ in range(12)]) is None
    assert two_levels([at(FAST * (1 + 0.01 * p), rng) for p in range(12)]) is None  # twelve levels are not two


def test_fewer_than_six_passes_tell_nothing() -> None:
    passes = [at(FAST if p % 2 else SLOW) for p in range(6)]
    assert two_levels(passes[:5]) is None and two_levels([]) is None
    assert found(passes).low_passes == (1, 3, 5)


@pytest.mark.parametrize("damaged", [[0.0] * 10, [-1.0] + [FAST] * 9])
def test_impossible_quantiles_tell_nothing(damaged: list[float]) -> None:
    passes = [at(FAST if p % 2 else SLOW) for p in range(9)]
    assert two_levels([*passes, damaged]) is None


def test_a_pass_without_quantiles_is_left_out_and_keeps_its_number() -> None:
    passes: list[list[float]] = [at(FAST if p % 2 else SLOW) for p in range(9)]
    assert found([[], *passes[:3], [], *passes[3:]]).low_passes == (2, 5, 7, 9)
    assert two_levels([*passes[:5], [], []]) is None


def test_a_turn_that_keeps_a_level_is_told_from_moments() -> None:
    """Both levels in every pass: what a turn's batches differ by decides."""
    passes = [[FAST] * 5 + [SLOW] * 5 for _ in range(9)]
    gap = math.log(SLOW / FAST)
    assert (found(passes).kept_by, found(passes).kept) == ("moment", False)
    for share, kept_by in ((0.24, "turn"), (0.26, "moment")):
        levels = two_levels(passes, [None, *[share * gap] * 8])
        assert levels is not None and levels.kept_by == kept_by
    kept = two_levels([at(FAST if p % 2 else SLOW) for p in range(9)], [0.0] * 9)
    assert kept is not None and (kept.kept_by, kept.by_turn) == ("process", False)


passes_of = st.lists(
    st.one_of(
        st.just(at(FAST)),
        st.just(at(SLOW)),
        st.sampled_from([0.2, 0.5, 0.8]).map(between),
        st.lists(st.floats(1.0, 1e6), min_size=10, max_size=10),
    ),
    min_size=6,
    max_size=15,
)


@given(passes_of, st.randoms(use_true_random=False))
def test_the_order_of_passes_and_of_their_quantiles_does_not_matter(
    passes: list[list[float]], rng: random.Random
) -> None:
    order = list(range(len(passes)))
    rng.shuffle(order)
    shuffled = [rng.sample(passes[p], 10) for p in order]
    first, second = two_levels(passes), two_levels(shuffled)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert (second.low, second.high) == pytest.approx((first.low, first.high))
        assert (second.low_share, second.kept) == (first.low_share, first.kept)
        assert {order[p] for p in second.low_passes} == set(first.low_passes)


@given(passes_of, st.floats(0.01, 100.0))
def test_the_unit_does_not_matter(passes: list[list[float]], factor: float) -> None:
    """Nanoseconds or cycles: shares and passes are the same, levels scale."""
    levels = two_levels(passes)
    if levels is not None and levels.high / levels.low > 1.02:
        scaled = found([[v * factor for v in row] for row in passes])
        assert (scaled.low, scaled.high) == pytest.approx((levels.low * factor, levels.high * factor))
        assert (scaled.low_passes, scaled.kept) == (levels.low_passes, levels.kept)


@given(passes_of)
def test_what_is_called_two_levels_keeps_its_promises(passes: list[list[float]]) -> None:
    levels = two_levels(passes)
    if levels is not None:
        assert levels.low < levels.high and math.log(levels.high / levels.low) >= 0.01
        assert 0.1 <= levels.low_share <= 0.9 and levels.high_share == 1 - levels.low_share
        assert set(levels.low_passes) <= set(range(len(passes)))
        if levels.kept:
            assert 2 <= len(levels.low_passes) <= len(passes) - 2


def test_levels_are_as_far_apart_as_they_must_be_and_not_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gap that is exactly the smallest, or exactly four times the spread, is one."""
    passes = [at(FAST)] * 4 + [at(SLOW)] * 5
    gap = float(np.log(FAST)), float(np.log(SLOW))
    whole = float(np.median(np.log(np.asarray(at(SLOW)))) - np.median(np.log(np.asarray(at(FAST)))))
    assert whole == pytest.approx(gap[1] - gap[0])
    for smallest, spread, told in (
        (whole, 0.0, True),
        (math.nextafter(whole, 1.0), 0.0, False),
        (0.0, whole / 4, True),
        (0.0, math.nextafter(whole / 4, 1.0), False),
    ):
        monkeypatch.setattr(levels, "SMALLEST_GAP", smallest)
        monkeypatch.setattr(levels, "_spread", lambda _, spread=spread: spread)
        assert (two_levels(passes) is not None) is told


@pytest.mark.parametrize("values", [[2.0], [2.0, 2.0, 2.0], [0.1 + 0.2] * 7])
def test_of_one_value_it_is_the_border(values: list[float]) -> None:
    with warnings.catch_warnings(action="error"):
        assert levels._two_means(np.array(values)) == values[0]
        assert levels._two_means(np.array([*values, 9.0])) == pytest.approx((values[0] + 9.0) / 2)
