# SPDX-License-Identifier: Apache-2.0
"""Lanes of two speeds, and calls that are longer than a batch: their figures, their ratios, their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pytest
from test_views_passes import IPC, SETTINGS, manifest, pass_record, samples, uneven

from cipherstone.model.outcomes import Verdict
from cipherstone.model.records import LaneSamples, NoiseRecord, PassRecord
from cipherstone.model.summary import CaseSummary, CellSummary, RatioSummary
from cipherstone.stats.interval import SMALLEST_K
from cipherstone.stats.pairing import unseen
from cipherstone.views.run.estimates import CaseValues
from cipherstone.views.run.passes import parts, pass_values
from cipherstone.views.run.summarise import summarise

CASE = "sha-256/hash/bytes=8192"
ONE, TWO, TWIN = "openssl@3.0", "nettle@3.8", "openssl@3.0#2"
SLOWER = 1.09


def values(records: Sequence[PassRecord], reference: float | None = IPC) -> CaseValues:
    """The pass values of a case."""
    found = CaseValues()
    for record in records:
        for row in pass_values(parts(record, SETTINGS), SETTINGS, reference):
            found.add(row)
    return found


def fast_in(count: int, of: int = 9, shift: int = 0) -> set[int]:
    """`count` of `of` passes, spread so that nothing drifts."""
    return {(7 * k + shift) % of for k in range(count)}


def kept(fast: set[int], count: int = 9, base: float = 1000.0) -> list[PassRecord]:
    """`TWO` has one speed in a process: `base` in the passes of `fast`, 9 % more in the others. `ONE` has one speed."""
    return [
        pass_record(CASE, p, {ONE: 1000.0, TWO: base * (1.0 if p in fast else SLOWER) * (1 + 0.0001 * (p % 3))})
        for p in range(count)
    ]


def shown(records: Sequence[PassRecord], lanes: Sequence[str] = (ONE, TWO)) -> tuple[CaseSummary, CellSummary]:
    """The case, and its cell of `TWO`."""
    (case,) = summarise(manifest({CASE: tuple(lanes)}), records).cases
    return case, next(cell for cell in case.cells if cell.lane == TWO)


def over_one(case: CaseSummary) -> RatioSummary:
    """`TWO` over `ONE`."""
    return next(ratio for ratio in case.to_base if ratio.lane == TWO)


def test_the_passes_at_the_faster_speed_are_known() -> None:
    fast = fast_in(5)
    found = values(kept(fast))
    levels = found.levels(TWO)
    assert levels is not None and levels.kept and levels.low_share == pytest.approx(5 / 9)
    assert (levels.low, levels.high) == pytest.approx((1000.1, 1090.1), abs=0.2)
    assert found.at_low(TWO) == {(p, 10.0 * p) for p in fast}
    assert found.levels(ONE) is None and found.at_low(ONE) is None


@pytest.mark.parametrize("count", range(2, 8))
def test_the_figure_does_not_depend_on_which_speed_came_more_often(count: int) -> None:
    """Two of nine processes at the faster speed, or seven: the figure and the ratio are those of the faster speed, the interval holds both."""
    case, cell = shown(kept(fast_in(count)))
    assert cell.ns is not None and cell.ns.value == pytest.approx(1000.0, rel=2e-4)
    ratio = over_one(case).ratio
    assert ratio is not None and ratio.value == pytest.approx(1.0, rel=2e-4)
    assert [level.share for level in cell.levels] == pytest.approx([count / 9, 1 - count / 9])
    for estimate, exact in ((cell.ns, 1000.0), (ratio, 1.0)):
        assert estimate.low is not None and estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high
        if count < 8:  # the interval of nine leaves out one pass at either end
            assert estimate.high >= exact * SLOWER
    assert "bimodal" in cell.flags and cell.fast_passes == tuple(sorted(fast_in(count)))


@pytest.mark.parametrize("count", [2, 7])
def test_cycles_are_those_of_the_speed_that_is_shown(count: int) -> None:
    """Nanoseconds of one speed beside cycles of the other would tell a clock that the core never had."""
    noise = NoiseRecord(0, 0.0, 20.0, imul_ratio=3.0)
    (case,) = summarise(manifest({CASE: (ONE, TWO)}), [*kept(fast_in(count)), noise]).cases
    cell = next(cell for cell in case.cells if cell.lane == TWO)
    assert cell.ns is not None and cell.cycles is not None and cell.cycles.high is not None
    assert cell.cycles.value == pytest.approx(cell.ns.value * 4.0)
    assert cell.cycles.high >= 4000.0 * SLOWER


@pytest.mark.parametrize("count", [1, 8])
def test_one_far_pass_is_an_outlier_and_no_speed(count: int) -> None:
    """One pass that came out low, by whatever accident, must not become the figure."""
    _, cell = shown(kept(fast_in(count)))
    assert cell.levels == () and "bimodal" not in cell.flags and cell.ns is not None
    assert cell.ns.value == pytest.approx(1000.0 if count == 8 else 1090.0, rel=3e-4)


def test_a_lane_of_two_speeds_is_not_told_from_one_between_them() -> None:
    """At its faster speed it beats the other, at its slower one it does not."""
    case, _ = shown(kept(fast_in(5), base=950.0))
    ratio = over_one(case)
    assert ratio.ratio is not None and ratio.ratio.value == pytest.approx(0.95, rel=3e-4)
    assert ratio.verdict not in (Verdict.FASTER, Verdict.SLOWER, Verdict.EQUAL)
    assert case.ranking == ((TWO, ONE),)  # one group


def mixed(fifths: int) -> list[PassRecord]:
    """Every process has both speeds from one batch to the next; so many fifths of them are fast."""
    batches = [100_000 if k % 5 < fifths else 109_000 for k in range(60)]
    return [pass_record(CASE, p, {}, lanes=(samples(ONE, 100.0), uneven(TWO, batches))) for p in range(9)]


def test_speeds_that_change_inside_a_process_are_shown_and_choose_no_pass() -> None:
    found = values(mixed(3))
    levels = found.levels(TWO)
    assert levels is not None and not levels.kept and found.at_low(TWO) is None
    _, cell = shown(mixed(3))
    assert [level.ns for level in cell.levels] == pytest.approx([100.0, 109.0])
    assert cell.levels[0].share == pytest.approx(0.6, abs=0.05) and "bimodal" in cell.flags
    assert cell.fast_passes is None  # which is not that no pass was
    # The lower quartile is at the faster speed as long as a quarter of the batches is, in every pass alike.
    assert cell.ns is not None and (cell.ns.value, cell.ns.low, cell.ns.high) == (100.0, 100.0, 100.0)


def test_the_twin_of_a_lane_with_two_speeds_is_no_noise() -> None:
    """Each process draws its speed; passes in which both drew the faster one tell what the machine adds."""
    records = []
    for p in range(18):
        first, second = ((1.0, 1.0), (1.0, SLOWER), (SLOWER, 1.0))[p % 3]
        records.append(pass_record(CASE, p, {ONE: 1000.0 * first, TWO: 1500.0, TWIN: 1000.0 * second}))
    case, cell = shown(records, (ONE, TWO, TWIN))
    assert case.aa is not None and case.aa.ratio is not None and case.threshold == 0.01
    assert (case.aa.ratio.value, case.aa.ratio.low, case.aa.ratio.high) == (1.0, 1.0, 1.0)
    assert cell.refused == "" and case.aa.verdict is Verdict.EQUAL
    # Five passes in which both have it are too few to tell; then all are taken, and the threshold grows.
    few, _ = shown(records[:15], (ONE, TWO, TWIN))
    assert few.aa is not None and few.aa.ratio is not None
    assert few.aa.ratio.high is not None and few.aa.ratio.high > 1.08 and few.threshold > 0.1


def test_two_lanes_that_never_shared_the_faster_speed_keep_the_median_over_all() -> None:
    records = [
        pass_record(CASE, p, {ONE: 1000.0 * (SLOWER if p % 2 else 1.0), TWO: 1000.0 * (1.0 if p % 2 else SLOWER)})
        for p in range(9)
    ]
    case, _ = shown(records)
    ratio = over_one(case).ratio
    assert ratio is not None and ratio.value == pytest.approx(SLOWER)  # five passes of nine
    assert ratio.low is not None and ratio.low == pytest.approx(1 / SLOWER)


# -- calls that are longer than a batch -----------------------------------------------------------------------------------------

LOWER, MIDDLE = 300_000, 303_000


def long_lane(name: str, lower: int = LOWER, middle: int = MIDDLE, calls: int = 1) -> LaneSamples:
    """A third of the batches at the lower time, the rest at the middle one: lower quartile and median are exact."""
    return uneven(name, ([lower] + [middle] * 2) * 20, calls=calls)


def nine(lanes: Callable[[], Sequence[LaneSamples]]) -> list[PassRecord]:
    return [pass_record(CASE, p, {}, lanes=tuple(lanes())) for p in range(9)]


def test_long_calls_widen_their_interval_downwards_by_what_may_have_gone_unseen() -> None:
    records = nine(lambda: (samples(ONE, 1000.0), long_lane(TWO)))
    assert unseen(list(values(records).passes_of(TWO).figures.values())) == pytest.approx(math.log(1.01))
    assert unseen(list(values(records).passes_of(ONE).figures.values())) == 0.0
    case, cell = shown(records)
    assert cell.ns is not None and (cell.ns.value, cell.ns.high) == (LOWER, LOWER)
    assert cell.ns.low == pytest.approx(LOWER / 1.01)
    ratio = over_one(case).ratio
    assert ratio is not None and ratio.low is not None and ratio.high is not None
    assert (ratio.value, ratio.high) == pytest.approx((300.0, 300.0)) and ratio.low == pytest.approx(300.0 / 1.01)


def test_a_long_call_below_widens_upwards() -> None:
    """Exchanging the lanes mirrors the interval."""
    records = nine(lambda: (long_lane(ONE), samples(TWO, 1000.0)))
    ratio = over_one(shown(records)[0]).ratio
    assert ratio is not None and ratio.low is not None and ratio.high is not None
    assert ratio.value == pytest.approx(1 / 300) == ratio.low and ratio.high == pytest.approx(1.01 / 300)


def test_two_long_calls_widen_both_ways() -> None:
    records = nine(lambda: (long_lane(ONE), long_lane(TWO, 600_000, 618_000)))
    ratio = over_one(shown(records)[0]).ratio
    assert ratio is not None and ratio.low is not None and ratio.high is not None
    assert (ratio.low, ratio.value, ratio.high) == pytest.approx((2.0 / 1.03, 2.0, 2.0 * 1.01))


@pytest.mark.parametrize(
    "lane",
    [
        lambda: long_lane(TWO, calls=2),  # the batch, not the call, is that long
        lambda: long_lane(TWO, 150_000, 151_500),  # not longer than two batches
        lambda: samples(TWO, 1000.0),
    ],
)
def test_shorter_calls_are_watched_and_not_widened(lane: Callable[[], LaneSamples]) -> None:
    _, cell = shown(nine(lambda: (samples(ONE, 1000.0), lane())))
    assert cell.ns is not None and cell.ns.low == cell.ns.value == cell.ns.high


def test_without_an_interval_there_is_nothing_to_widen() -> None:
    costs: Mapping[str, float] = {ONE: 1000.0, TWO: 300_000.0}
    found = values([pass_record(CASE, p, costs) for p in range(5)])
    assert unseen(found.rows(TWO)) == 0.0 and unseen([]) == 0.0 and unseen(found.rows("nobody@1")) == 0.0


@pytest.mark.parametrize(("usable", "contended"), [(SMALLEST_K - 1, True), (SMALLEST_K, False)])
def test_a_lane_is_contended_while_passes_for_an_interval_are_missing(usable: int, contended: bool) -> None:
    """One disturbed pass beside enough others takes nothing away."""
    records = [pass_record(CASE, p, {ONE: 1000.0}) for p in range(usable)]
    found = values([*records, pass_record(CASE, usable, {ONE: 1000.0}, ipc=4.0)])
    assert len(found.rows(ONE)) == usable and found.is_contended(ONE) == contended
    assert not values(records[:2]).is_contended(ONE)  # too few, and nothing disturbed them
