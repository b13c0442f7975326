# SPDX-License-Identifier: Apache-2.0
"""Where each rule of the statistics turns: at its limit, and right beside it. The numbers are chosen so that a limit is met to the last bit."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.outcomes import Verdict
from cipherstone.model.records import LaneSamples
from cipherstone.model.summary import Estimate
from cipherstone.stats.batches import lane_batches
from cipherstone.stats.distribution import calls_a_pass, distribution
from cipherstone.stats.flags import bimodal, contention_sensitive, drift, spearman
from cipherstone.stats.interval import sign_interval, sign_rank
from cipherstone.stats.levels import two_levels
from cipherstone.stats.line import crossover
from cipherstone.stats.pairing import LanePasses, PassFigure, alike, pair, pair_flags
from cipherstone.stats.passvalue import pass_figures
from cipherstone.stats.probes import Level, clean_level, session_reference
from cipherstone.stats.quantiles import median, quantile
from cipherstone.stats.ratio import half_width
from cipherstone.stats.stopping import Stopping
from cipherstone.stats.verdict import offset, rank, threshold, verdict


def near(value: Any, rel: float | None = None) -> Any:
    """The same number but for the last bits."""
    return pytest.approx(value, rel=rel)


@given(st.lists(st.floats(0.0, 1e300) | st.integers(0, 1 << 53), min_size=1, max_size=40))
def test_the_median_is_numpys_to_the_bit(values: list[float]) -> None:
    assert median(values) == median(np.asarray(values)) == float(np.median(values))


def test_a_median_of_nothing_is_refused_and_one_of_nan_is_nan() -> None:
    with pytest.raises(ValueError, match="no values"):
        median([])
    assert math.isnan(median([1.0, math.nan, 2.0])) and math.isnan(median([math.nan]))


# -- batches -------------------------------------------------------------------------------------------------------------------


def one_batch(before: tuple[float, float], after: tuple[float, float]) -> LaneSamples:
    chain, tput = zip(before, after, strict=True)
    return LaneSamples("toy@1", 1, (1000,), chain_ns=chain, tput_ns=tput)


@pytest.mark.parametrize(("tput", "counts"), [(2.0, True), (2.0000001, False)])
def test_a_batch_at_the_threshold_itself_is_clean(tput: float, counts: bool) -> None:
    """0.5 of 20 additions a cycle, at a chain of 20."""
    assert bool(lane_batches(one_batch((20.0, 2.0), (20.0, tput)), 0).clean(20.0, 0.5)[0]) is counts


@pytest.mark.parametrize(("chain", "counts"), [(21.0, True), (21.0001, False)])
def test_a_reading_five_percent_above_the_reference_is_the_last_one_that_counts(chain: float, counts: bool) -> None:
    assert bool(lane_batches(one_batch((chain, 1.0), (chain, 1.0)), 0).clean(20.0, 0.5)[0]) is counts


@pytest.mark.parametrize(("after", "cycle"), [(1.02, 1.01), (1.0201, 1.0), (1.0, 1.0)])
def test_readings_two_percent_apart_are_the_last_ones_that_are_averaged(after: float, cycle: float) -> None:
    assert lane_batches(one_batch((1.0, 0.2), (after, 0.2)), 0).cycle_ns[0] == cycle
    assert lane_batches(one_batch((after, 0.2), (1.0, 0.2)), 0).cycle_ns[0] == cycle


@pytest.mark.parametrize(("calls", "told"), [(10, 10), (1, 1), (0, 1), (-2, 1)])
def test_a_damaged_lane_tells_its_calls_and_its_clock(calls: int, told: int) -> None:
    found = lane_batches(LaneSamples("toy@1", calls, (1, 2, 3), (1, 2, 3), per_turn=2, slow=True), 0)
    assert found.reason and (found.calls, found.clock, found.slow, found.doubt) == (told, "cpu", True, "")


def test_a_doubt_is_handed_on() -> None:
    assert lane_batches(LaneSamples("toy@1", 1, (1, 2), doubt="too fast"), 0).doubt == "too fast"


# -- one value a pass ----------------------------------------------------------------------------------------------------------


def test_a_batch_of_exactly_a_fifth_more_than_the_floor_is_not_slow() -> None:
    lane = lane_batches(LaneSamples("toy@1", 100, (3000,) * 16 + (3600,) * 3 + (3601,) * 2), 0)
    assert pass_figures(lane, 0.0, None, None, 0.97).slow_batches == 2


@pytest.mark.parametrize(("calls", "kept"), [(1, 8), (2, 0)])
def test_single_calls_are_kept_where_a_batch_is_one(calls: int, kept: int) -> None:
    ns = (1000, 2000, 3000, 4000, 5000, 6000, 7000, 9000) * calls * calls
    lane = lane_batches(LaneSamples("toy@1", calls, ns), 0)
    found = pass_figures(lane, 500.0 / calls, None, None, 0.97, True)
    assert (found.floor_ns, found.spread_ns, len(found.calls_ns)) == (4000.0 / calls, (), kept)
    assert found.calls_ns == (500.0, 1500.0, 2500.0, 3500.0, 4500.0, 5500.0, 6500.0, 8500.0)[:kept]
    alike = pass_figures(lane, 0.0, None, None, 0.97)
    assert len(alike.calls_ns) == kept and bool(alike.spread_ns) == (calls == 2)  # four of a later half are too few


def test_calls_in_doubt_give_no_figure_and_are_tried_again() -> None:
    lane = lane_batches(LaneSamples("toy@1", 1, (1000,) * 20, doubt="a clock that lies"), 0)
    found = pass_figures(lane, 100.0, None, None, 0.97)
    assert (found.floor_ns, found.reason) == (None, "contended: a clock that lies")
    assert (found.short, found.contended, found.batches, found.seen, found.median_ns) == (True, True, 0, 20, 900.0)


@pytest.mark.parametrize(("passes", "calls"), [(0, 50), (1, 50), (6, 9), (9, 6), (10, 5), (49, 2), (50, 1), (99, 1)])
def test_calls_of_a_pass_make_fifty_in_a_run(passes: int, calls: int) -> None:
    assert calls_a_pass(passes) == calls


def test_a_distribution_by_hand() -> None:
    found = distribution([float(v) for v in (30, 10, 20, 0, 100, 40, 50, 60, 90, 80, 70)])
    assert found is not None
    assert (found.median_ns, found.mean_ns, found.low_ns, found.high_ns, found.calls) == (50.0, 50.0, 10.0, 90.0, 11)
    skewed = distribution([1.0, 2.0, 9.0])
    assert skewed is not None and (skewed.median_ns, skewed.mean_ns, skewed.calls) == (2.0, 4.0, 3)
    assert (skewed.low_ns, skewed.high_ns) == near((1.2, 7.6)) and distribution([]) is None


def test_the_ends_of_a_quantile() -> None:
    assert (quantile([3.0, 1.0, 2.0], 0.0), quantile([3.0, 1.0, 2.0], 1.0)) == (1.0, 3.0)
    for q in (-0.001, 1.001):
        with pytest.raises(ValueError):
            quantile([1.0, 2.0], q)


# -- intervals -----------------------------------------------------------------------------------------------------------------


def test_a_level_that_is_met_exactly_is_met() -> None:
    """Six values cover 31/32 of cases between the smallest and the largest."""
    assert sign_rank(6, 31 / 32) == 1 and sign_rank(6, 31 / 32 + 1e-9) == 0
    assert sign_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 31 / 32) == (1.0, 6.0)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 1.5])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError):
        sign_rank(9, level)


def test_five_values_have_no_interval_at_any_level() -> None:
    assert sign_interval([1.0, 2.0, 3.0, 4.0, 5.0], 0.5) is None
    assert sign_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.5) == (2.0, 5.0)


@pytest.mark.parametrize(
    ("estimate", "width"),
    [
        (Estimate(1.0, 0.5, 1.5), math.log(2)),
        (Estimate(1.0, 0.9, 2.0), math.log(2)),
        (Estimate(1.0, 0.0, 2.0), math.inf),
        (Estimate(1.0, -1.0, 2.0), math.inf),
        (Estimate(0.0, 0.5, 2.0), math.inf),
        (Estimate(1.0, None, 2.0), math.inf),
        (Estimate(1.0, 0.5, None), math.inf),
        (Estimate(1.0), math.inf),
    ],
)
def test_the_half_width_is_the_larger_side(estimate: Estimate, width: float) -> None:
    assert half_width(estimate) == width


@pytest.mark.parametrize(
    ("valid", "high", "state"),
    [
        (8, 1.5, "continue"),
        (9, 1.5, "converged"),
        (9, 1.5000001, "continue"),
        (19, 1.5000001, "continue"),
        (20, 1.5000001, "max-passes"),
        (20, 1.5, "converged"),
    ],
)
def test_a_case_stops_at_its_target_and_at_its_passes(valid: int, high: float, state: str) -> None:
    stopping = Stopping(9, 20, 0.5)
    assert math.log(1.5) == math.log1p(0.5)
    narrow = Estimate(1.0, 0.9, 1.1)
    assert stopping.state([narrow, Estimate(1.0, 0.9, high)], valid) == state


def test_a_pair_without_an_interval_is_not_narrow_and_no_pair_at_all_is() -> None:
    stopping = Stopping(6, 20, 0.01)
    assert stopping.state([None], 19) == stopping.state([Estimate(1.0)], 19) == "continue"
    assert stopping.state([], 6) == "converged" and stopping.state([], 5) == "continue"


# -- verdicts ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "d", "found"),
    [
        (0.25, 0.5, 1.0, Verdict.UNRESOLVED),  # 1 / (1 + d) is not below itself
        (0.25, 0.4999, 1.0, Verdict.FASTER),
        (2.0, 3.0, 1.0, Verdict.UNRESOLVED),
        (2.0001, 3.0, 1.0, Verdict.SLOWER),
        (1 / 1.03125, 1.03125, 0.03125, Verdict.EQUAL),
        (1 / 1.03125, 1.0313, 0.03125, Verdict.UNRESOLVED),
        (0.9696, 1.03125, 0.03125, Verdict.UNRESOLVED),
        (1 / 1.05, 1.05, 0.05, Verdict.EQUAL),
        (1 / 1.05, 1.05, 0.5, Verdict.EQUAL),  # never farther apart than 5 %
        (1 / 1.05, 1.0501, 0.5, Verdict.UNRESOLVED),
        (0.9523, 1.05, 0.5, Verdict.UNRESOLVED),
    ],
)
def test_a_verdict_at_its_limits(low: float, high: float, d: float, found: Verdict) -> None:
    assert verdict(Estimate((low * high) ** 0.5, low, high), d) is found


@pytest.mark.parametrize(
    ("d", "target", "found"),
    [
        (0.05, 0.01, Verdict.UNDECIDED),
        (0.0501, 0.01, Verdict.UNRESOLVED),
        (0.05, 0.002, Verdict.UNRESOLVED),
        (0.02, 0.01, Verdict.SLOWER),
    ],
)
def test_what_is_as_narrow_as_asked_and_crosses_a_limit_is_undecided(d: float, target: float, found: Verdict) -> None:
    assert verdict(Estimate(1.05, 1.0475, 1.0525), d, target) is found


def test_what_is_narrow_to_the_last_bit_is_narrow() -> None:
    assert verdict(Estimate(1.0, 0.9, 1.5), 0.02, 0.5) is Verdict.UNDECIDED
    assert verdict(Estimate(1.0, 0.9, 1.5000001), 0.02, 0.5) is Verdict.UNRESOLVED
    assert verdict(None, 0.01) is verdict(Estimate(1.0), 0.01) is Verdict.UNRESOLVED
    assert verdict(Estimate(1.0, 1.0), 0.01) is verdict(Estimate(1.0, None, 1.0), 0.01) is Verdict.UNRESOLVED


def test_a_threshold_by_hand() -> None:
    """The largest of 1 %, three offsets, two half-widths."""
    assert threshold(None) == threshold(Estimate(1.0)) == threshold(Estimate(1.001, 1.0, 1.002)) == 0.01
    assert threshold(Estimate(1.25)) == near(0.75) == threshold(Estimate(0.8))
    assert threshold(Estimate(1.0, 0.8, 1.1)) == near(0.5)
    assert threshold(Estimate(1.1, 1.0, 1.1)) == near(0.3)
    assert offset(Estimate(1.02)) == near(0.02) == offset(Estimate(1 / 1.02))


def test_groups_by_hand() -> None:
    """b is alike a, c is slower than a; d is not told from c, and e is slower than both."""
    slower = {("c", "a"), ("d", "a"), ("e", "a"), ("e", "c"), ("d", "b")}
    groups = rank("abcde", lambda i, j: Verdict.SLOWER if (i, j) in slower else Verdict.EQUAL)
    assert groups == (("a", "b"), ("c", "d"), ("e",)) and rank("", lambda i, j: Verdict.EQUAL) == ()


# -- flags ---------------------------------------------------------------------------------------------------------------------


def test_a_rank_correlation_of_exactly_seven_tenths_is_no_drift() -> None:
    """Of nine ranks it is 1 - 6 S / 720, with S the sum of squared distances."""
    for order, squares in (
        ([4, 3, 2, 1, 5, 9, 7, 8, 6], 38),
        ([4, 2, 3, 1, 5, 9, 7, 8, 6], 36),
        ([4, 2, 3, 1, 5, 8, 7, 9, 6], 32),
    ):
        assert sum((v - p) ** 2 for p, v in enumerate(order, 1)) == squares
        assert drift([float(v) for v in order]) is drift([-float(v) for v in order]) is (squares < 36)
    assert spearman([4.0, 2.0, 3.0, 1.0, 5.0, 9.0, 7.0, 8.0, 6.0]) == 0.7


@pytest.mark.parametrize(
    ("logs", "found"),
    [
        ([0.0, 0.0, 1.0, 1.0, 1.0, 1.0], True),
        ([0.0, 0.0, 0.0, 0.0, 1.0, 1.0], True),
        ([0.0, 1.0, 1.0, 1.0, 1.0, 1.0], False),
        ([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], False),
        ([0.0, 0.0, 1.0, 1.0, 1.0], False),
        ([0.0, 0.0, 0.0, 0.002, 0.002, 0.002], False),
        ([0.0, 0.0, 0.0, 0.0021, 0.0021, 0.0021], True),
        ([0.0, 0.25, 0.25, 1.0, 1.0, 1.0], False),  # a gap of three times the spread below
        ([0.0, 0.25, 0.25, 1.01, 1.01, 1.01], True),
        ([0.0, 0.0, 0.0, 0.75, 0.75, 1.0], False),  # above
        ([0.0, 0.0, 0.0, 0.76, 0.76, 1.0], True),
    ],
)
def test_two_levels_of_a_ratio_at_their_limits(logs: list[float], found: bool) -> None:
    assert bimodal(logs) is bimodal(logs[::-1]) is bimodal([-v for v in logs]) is found


def test_two_ways_to_a_ratio_part_by_more_than_a_percent_and_than_either_width() -> None:
    none, limit = [0.0] * 6, math.log1p(0.01)
    assert not contention_sensitive(none, [limit] * 6) and contention_sensitive(none, [limit + 1e-9] * 6)
    wide = [-0.1, -0.1, 0.0, 0.0, 0.1, 0.1]
    for shift, parted in ((0.05, False), (0.11, True)):
        assert contention_sensitive(wide, [shift] * 6) is parted
        assert contention_sensitive([shift] * 6, wide) is parted
    assert not contention_sensitive([], [1.0] * 6) and not contention_sensitive([1.0] * 6, [])


# -- two speeds ----------------------------------------------------------------------------------------------------------------


def levels_of(low: list[int], width: int = 10, apart: float = 2.0) -> list[list[float]]:
    """Passes of `width` values: so many of each at 1, the others at `apart`."""
    return [[1.0] * count + [apart] * (width - count) for count in low]


@pytest.mark.parametrize(("low", "found"), [([5, 5] + [0] * 8, True), ([5, 4] + [0] * 8, False)])
def test_a_tenth_of_the_batches_is_a_level(low: list[int], found: bool) -> None:
    assert (two_levels(levels_of(low)) is not None) is found
    assert (two_levels(levels_of([10 - count for count in low])) is not None) is found


def test_half_of_a_pass_at_the_lower_level_is_not_most_of_it() -> None:
    found = two_levels(levels_of([5, 6, 4, 5, 10, 0]))
    assert found is not None and (found.low_passes, found.kept) == ((1, 4), False)
    assert (found.low, found.high, found.low_share, found.high_share) == (1.0, near(2.0), 0.5, 0.5)


@pytest.mark.parametrize(
    ("low", "kept"),
    [
        ([10, 10, 0, 0, 0, 0, 0, 0, 5, 5], True),
        ([9, 9, 1, 1, 1, 1, 1, 1, 5, 5], True),
        ([8, 9, 1, 1, 1, 1, 1, 1, 5, 5], False),
        ([10, 4, 0, 0, 0, 0, 0, 0, 0, 0], False),  # one pass alone keeps the lower speed
        ([0, 6, 10, 10, 10, 10, 10, 10, 10, 10], False),
        ([0, 0, 10, 10, 10, 10, 10, 10, 10, 10], True),
    ],
)
def test_speeds_that_processes_keep_at_their_limits(low: list[int], kept: bool) -> None:
    found = two_levels(levels_of(low))
    assert found is not None and found.kept is kept
    assert found.low_passes == tuple(p for p, count in enumerate(low) if count > 5)


def test_a_gap_of_exactly_one_percent_is_one() -> None:
    apart = next(x for x in (math.exp(0.01), math.nextafter(math.exp(0.01), 2)) if float(np.log(x)) >= 0.01)
    assert two_levels(levels_of([10, 0] * 4, apart=apart)) is not None
    assert two_levels(levels_of([10, 0] * 4, apart=1.01)) is None  # ln 1.01 is 0.00995


# -- pairs ---------------------------------------------------------------------------------------------------------------------


def lane(ns: list[float], medians: list[float] | None = None, fast: set[int] | None = None, long: bool = False) -> LanePasses:  # fmt: skip
    rows: dict[Hashable, PassFigure] = {
        p: PassFigure(v, None if medians is None else medians[p], long) for p, v in enumerate(ns)
    }
    return LanePasses(rows, None if fast is None else frozenset(fast))


def told(estimate: Estimate | None) -> Any:
    assert estimate is not None
    return near(estimate.value), near(estimate.low), near(estimate.high)


RISING = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8]


def test_long_calls_widen_the_interval_each_on_its_own_side() -> None:
    """The numerator may be lower, the denominator may be lower: by a tenth, by a fifth."""
    i, j = RISING, [1.0] * 9
    assert told(pair(lane(i), lane(j))) == (1.4, 1.1, 1.7)
    assert told(pair(lane(i, [v * 1.1 for v in i], long=True), lane(j))) == (1.4, 1.0, 1.7)
    assert told(pair(lane(i), lane(j, [1.2] * 9, long=True))) == (1.4, 1.1, 2.04)
    assert told(pair(lane(i, [v * 1.1 for v in i]), lane(j, [1.2] * 9))) == (1.4, 1.1, 1.7)


def test_the_figure_is_of_passes_in_which_both_are_at_their_faster_speed() -> None:
    """The interval is over all of them, and holds the figure."""
    i, j = lane(RISING, fast={0, 1, 2}), lane([1.0] * 9)
    assert told(pair(i, j)) == (1.1, 1.1, 1.7)
    assert told(pair(lane(RISING, fast={0}), j)) == (1.0, 1.0, 1.7)
    assert told(pair(lane(RISING, fast={8}), j)) == (1.8, 1.1, 1.8)
    assert told(pair(i, lane([1.0] * 9, fast={2, 3}))) == (1.2, 1.1, 1.7)
    assert told(pair(i, lane([1.0] * 9, fast={3}))) == (1.4, 1.1, 1.7)  # never both
    few = pair(lane(RISING[:5], fast={0}), lane([1.0] * 5))
    assert few is not None and (few.value, few.low) == (near(1.2), None)
    assert pair(lane([]), j) is None


@pytest.mark.parametrize(("fast", "value", "low"), [({0, 1, 2, 3, 4, 5}, 1.25, 1.0), ({0, 1, 2, 3, 4}, 1.4, 1.1)])
def test_a_lane_against_itself_is_judged_at_its_faster_speed_from_six_passes_on(
    fast: set[int], value: float, low: float
) -> None:
    found = alike(lane(RISING, fast=fast), lane([1.0] * 9))
    assert found is not None and (found.value, found.low) == (near(value, rel=2e-3), near(low))
    assert alike(lane(RISING), lane([1.0] * 9)) == pair(lane(RISING), lane([1.0] * 9))


def test_flags_of_a_pair() -> None:
    ones = [1.0] * 6
    assert pair_flags(lane(ones, [1.02] * 6), lane(ones, ones)) == ("contention-sensitive",)
    assert pair_flags(lane(ones, ones), lane(ones, [1.02] * 6)) == ("contention-sensitive",)
    assert pair_flags(lane(ones, [1.02] * 6), lane(ones)) == ()  # one of the medians is not known
    assert pair_flags(lane(ones), lane(ones, [1.02] * 6)) == ()
    assert pair_flags(lane([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]), lane(ones)) == ("bimodal",)
    both = pair_flags(lane([1.0, 1.0, 1.0, 2.0, 2.0, 2.0], [9.0] * 6), lane(ones, ones))
    assert both == ("contention-sensitive", "bimodal")


# -- sizes ---------------------------------------------------------------------------------------------------------------------

F, S, E = Verdict.FASTER, Verdict.SLOWER, Verdict.EQUAL


def test_lanes_that_cost_the_same_at_a_size_change_places_there() -> None:
    (one,) = crossover([16, 64, 256], [1.0, 2.0, 4.0], [2.0, 2.0, 2.0], [F, E, S])
    assert (one.size_bytes, one.below_bytes, one.above_bytes, one.i_first) == (near(64), 16, 256, True)
    (one,) = crossover([16, 64, 128, 256], [4.0, 2.0, 2.0, 1.0], [2.0, 2.0, 2.0, 2.0], [S, E, E, F])
    assert (one.size_bytes, one.i_first) == (near(64), False)


def test_findings_that_the_figures_do_not_bear_out_make_no_crossing() -> None:
    assert crossover([16, 64], [1.0, 1.0], [2.0, 2.0], [F, S]) == ()
    assert crossover([16, 64], [2.0, 2.0], [2.0, 2.0], [F, S]) == ()


def test_the_size_is_weighted_by_how_far_the_ratios_are() -> None:
    """ln 1/2 and ln 4: a third of the way, in logarithms; each of several crossings lies in its own step."""
    first, second = crossover([64, 512, 4096], [1.0, 4.0, 1.0], [2.0, 1.0, 2.0], [F, S, F])
    assert first.size_bytes == near(128) and (first.below_bytes, first.above_bytes) == (64, 512)
    assert second.size_bytes == near(2048) and (second.below_bytes, second.above_bytes) == (512, 4096)


# -- the level of a free core --------------------------------------------------------------------------------------------------


def crowds(*parts: tuple[int, float]) -> Level | None:
    return clean_level(np.concatenate([np.full(count, value) for count, value in parts]))


def test_a_crowd_holds_seven_tenths_of_the_band_around_it() -> None:
    """Readings at 4.9 are below the narrow band of 5.0 and within the wide one, those at 4.897 in neither."""
    assert crowds((70, 5.0), (30, 4.9)) == Level(5.0, 0.7)
    assert crowds((69, 5.0), (31, 4.9)) is None
    assert crowds((60, 5.0), (40, 4.9)) is None and crowds((60, 5.0), (40, 4.897)) == Level(5.0, 0.6)
    # Above: fifteen are no crowd themselves.
    assert crowds((30, 5.0), (15, 5.195)) is None
    found = crowds((30, 5.0), (15, 5.21))
    assert found is not None and found.ipc == 5.0


def test_a_crowd_is_two_percent_wide() -> None:
    assert crowds((10, 5.0), (10, 5.0999)) == Level(5.04995, 1.0)
    assert crowds((10, 5.0), (10, 5.1001)) is None


def test_a_crowd_is_a_fiftieth_of_the_readings() -> None:
    scattered = np.linspace(1.0, 4.0, 979)
    assert clean_level(np.concatenate([scattered, np.full(21, 5.0)])) == Level(5.0, 0.021)
    wide = np.linspace(1.0, 4.0, 1029)
    assert clean_level(np.concatenate([wide, np.full(21, 5.0)])) == Level(5.0, 0.02)
    wide = np.linspace(1.0, 4.0, 1030)
    assert clean_level(np.concatenate([wide, np.full(21, 5.0)])) is None


def test_a_stored_reference_is_stale_down_to_85_percent_of_it() -> None:
    assert session_reference(Level(85.0, 0.2), 100.0) == 85.0
    assert session_reference(Level(84.999, 0.2), 100.0) == 100.0
    assert session_reference(Level(85.0, 0.1999), 100.0) == 100.0
