# SPDX-License-Identifier: Apache-2.0
"""From the batches of a pass to one figure a lane: the lower quartile of quotients at the clock of the pass, less the harness."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.records import LaneSamples, PassRecord
from cipherstone.stats.batches import LaneBatches, lane_batches
from cipherstone.stats.passvalue import (
    PassFigures,
    batches_of,
    clock_refusal,
    counted_cycles,
    pass_cycle_ns,
    pass_figures,
    smallest,
)

REFERENCE, THRESHOLD = 5.0, 0.97


def samples(ns: list[int], calls: int = 100, **more: object) -> LaneSamples:
    """Batches of a worker without a probe, unless `more` says otherwise."""
    return LaneSamples(lane="toy@1", calls=calls, ns=tuple(ns), **more)  # type: ignore[arg-type]


def probed(batches: list[tuple[int, float, float]], calls: int = 100, **more: object) -> LaneSamples:
    """(ns, cycle ns, additions a cycle) of each batch, one a turn."""
    chain = tuple(cycle for _, cycle, _ in batches for _ in range(2))
    tput = tuple(cycle / ipc for _, cycle, ipc in batches for _ in range(2))
    return samples([ns for ns, _, _ in batches], calls, chain_ns=chain, tput_ns=tput, **more)


def figures(
    s: LaneSamples, harness_ns: float = 0.0, cycle_ns: float | None = None, reference: float | None = REFERENCE
) -> PassFigures:
    """Of a lane that is alone in its pass, after two batches that warm it up."""
    lane = lane_batches(s, 2)
    period = cycle_ns if cycle_ns is not None else pass_cycle_ns([lane], reference, THRESHOLD)
    return pass_figures(lane, harness_ns, period, reference, THRESHOLD)


# -- with a probe --------------------------------------------------------------------------------------------------------------


def test_quartile_of_quotients_at_the_clock_of_the_pass_less_the_harness() -> None:
    """2 dropped, then 21 clean batches of 100 calls: 12000, 12400, ..., 20000 cycles, in whatever time. The sixth of them (position 5 of 0..20) is the quartile."""
    cycles = [12_000 + 400 * k for k in range(21)]
    clocks = [0.25 if k % 3 else 0.5 for k in range(21)]
    batches = [(round(n * clock), clock, 5.0) for n, clock in zip(cycles, clocks, strict=True)]
    random.Random(1).shuffle(batches)
    found = figures(probed([(9, 0.25, 5.0), (9, 0.25, 5.0), *batches]), harness_ns=0.5)
    # 14 batches at 0.25 and 7 at 0.5: the pass ran at 0.25. Quartile 140 cycles a call, median 160.
    assert found.floor_ns == pytest.approx(140 * 0.25 - 0.5)
    assert found.clean_median_ns == pytest.approx(160 * 0.25 - 0.5)
    later = sorted(ns / 100 / clock for ns, clock, _ in batches[9:])  # of 23 the later half, one a request
    assert found.spread_ns == pytest.approx([float(np.quantile(later, (k + 0.5) / 10)) * 0.25 - 0.5 for k in range(10)])
    walls = sorted(ns / 100 for ns, _, _ in batches)
    assert found.median_ns == pytest.approx(walls[10] - 0.5)  # as the clock on the wall saw it
    assert found.slow_batches == sum(wall > 1.2 * 35 for wall in walls)
    assert (found.batches, found.seen, found.clock, found.reason) == (21, 21, "wall", "")


def test_what_the_probes_call_disturbed_moves_nothing() -> None:
    """Neither up nor down: not the quartile, not the clock of the pass. It is in the median over all batches."""
    clean = [(4000, 0.25, 5.0)] * 20
    disturbed = [(9000, 0.5, 4.0)] * 60 + [(400, 0.1, 5.3)] * 10
    alone, beside = figures(probed(clean), 0.5), figures(probed([*clean[:2], *disturbed, *clean[2:]]), 0.5)
    assert alone.floor_ns == beside.floor_ns == 39.5 and alone.spread_ns == beside.spread_ns
    assert (beside.batches, beside.seen) == (18, 88) and (alone.batches, alone.seen) == (18, 18)
    assert beside.median_ns == 89.5 and beside.clean_median_ns == 39.5 and beside.slow_batches == 60


@given(st.lists(st.tuples(st.integers(1000, 10**6), st.booleans()), min_size=22, max_size=80), st.booleans())
def test_a_clock_twice_as_slow_in_some_of_the_batches_moves_nothing(batches: list[tuple[int, bool]], two: bool) -> None:
    """A batch that took twice the time while a cycle took twice the time did the same work."""
    calm = [(ns, 0.25, 5.0) for ns, _ in batches]
    moved = [(2 * ns, 0.5, 5.0) if slow else (ns, 0.25, 5.0) for ns, slow in batches]
    first, second = figures(probed(calm), cycle_ns=0.25), figures(probed(moved), cycle_ns=0.25)
    assert first.floor_ns is not None
    assert (second.floor_ns, second.clean_median_ns, second.spread_ns) == (
        first.floor_ns,
        first.clean_median_ns,
        first.spread_ns,
    )
    # Whatever the clock of the pass is then called, it is one for all its lanes: their ratio stays.
    lanes = [lane_batches(probed(moved), 2), lane_batches(probed([(3 * ns, c, i) for ns, c, i in calm]), 2)]
    period = pass_cycle_ns(lanes if two else lanes[:1], REFERENCE, THRESHOLD)
    floors = [pass_figures(lane, 0.0, period, REFERENCE, THRESHOLD).floor_ns for lane in lanes]
    assert floors[0] is not None and floors[1] == pytest.approx(3 * floors[0])


@given(st.lists(st.tuples(st.integers(1000, 10**6), st.floats(0.2, 0.6)), min_size=18, max_size=60), st.randoms())
def test_the_order_of_batches_does_not_matter(batches: list[tuple[int, float]], rng: random.Random) -> None:
    warm = [(1, 0.3, 5.0)] * 2
    rows = [(ns, cycle, 5.0) for ns, cycle in batches]
    found = figures(probed([*warm, *rows]), 0.25)
    rng.shuffle(rows)
    again = figures(probed([*warm, *rows]), 0.25)
    assert replace(again, spread_ns=(), turn_spread=None) == replace(found, spread_ns=(), turn_spread=None)
    quotients = [ns / 100 / cycle for ns, cycle in batches]
    period = float(np.median([cycle for _, cycle in batches]))
    assert found.floor_ns == pytest.approx(float(np.quantile(quotients, 0.25)) * period - 0.25)


def test_the_cycle_of_a_pass_is_the_median_over_the_clean_batches_of_all_its_lanes() -> None:
    fast = lane_batches(probed([(1, 0.25, 5.0)] * 7 + [(1, 0.75, 4.0)] * 20), 0)
    slow = lane_batches(probed([(1, 0.5, 5.0)] * 6), 0)
    blind = lane_batches(samples([1] * 9), 0)
    assert pass_cycle_ns([fast, slow, blind], REFERENCE, THRESHOLD) == 0.25
    assert pass_cycle_ns([slow, blind], REFERENCE, THRESHOLD) == 0.5
    assert pass_cycle_ns([fast, slow], None, THRESHOLD) == 0.75  # none counts: all of them say more than nothing
    assert pass_cycle_ns([fast, slow], 6.0, THRESHOLD) == 0.75
    assert pass_cycle_ns([blind], REFERENCE, THRESHOLD) is None and pass_cycle_ns([], REFERENCE, THRESHOLD) is None
    lost = lane_batches(samples([1, 2], chain_ns=(0.0,) * 4, tput_ns=(0.0,) * 4), 0)
    assert pass_cycle_ns([lost], REFERENCE, THRESHOLD) is None
    assert pass_cycle_ns([lost, slow], REFERENCE, THRESHOLD) == 0.5


def clean_and_disturbed(clean: int, disturbed: int, calls: int = 100, **more: object) -> LaneSamples:
    """After two batches that warm up."""
    rows = [(4000, 0.25, 5.0)] * (2 + clean) + [(4000, 0.25, 4.0)] * disturbed
    return probed(rows, calls, **more)


def test_sixteen_clean_batches_are_needed() -> None:
    enough, few = figures(clean_and_disturbed(16, 50)), figures(clean_and_disturbed(15, 50))
    assert enough.floor_ns == 40.0 and not enough.short and not enough.contended
    assert few.floor_ns is None and few.reason == "contended: 15 of 65 batches undisturbed, 16 needed"
    assert few.short and few.contended and few.spread_ns == () and few.clean_median_ns is None
    assert (few.batches, few.seen, few.median_ns) == (15, 65, 40.0)  # what was seen is told


def test_too_few_batches_of_all_is_no_contention() -> None:
    """Nobody disturbed: there were not more."""
    found = figures(clean_and_disturbed(10, 5))
    assert (found.reason, found.short, found.contended) == ("15 batches, 16 needed", True, False)
    found = figures(samples([]))
    assert (found.reason, found.short, found.contended, found.median_ns) == ("0 batches, 16 needed", True, False, None)


def test_long_and_slow_calls_need_fewer() -> None:
    """One call a batch because it is longer than a batch: 8. Calls of more than 3 ms: 3."""
    assert [smallest(2, False), smallest(1, False), smallest(1, True)] == [16, 8, 3]
    assert figures(clean_and_disturbed(8, 50, calls=1)).floor_ns == 4000.0
    assert figures(clean_and_disturbed(7, 50, calls=1)).reason.endswith("7 of 57 batches undisturbed, 8 needed")
    assert figures(clean_and_disturbed(8, 50, calls=2)).reason.endswith("8 of 58 batches undisturbed, 16 needed")
    assert figures(clean_and_disturbed(3, 2, calls=1, slow=True)).floor_ns == 4000.0
    assert figures(clean_and_disturbed(2, 2, calls=1, slow=True)).contended


def test_probes_without_a_reference_count_nothing() -> None:
    """What an undisturbed core reads is not known: that is no reason to believe every batch."""
    found = figures(clean_and_disturbed(60, 0), reference=None)
    assert found.floor_ns is None and found.contended
    assert found.reason == "contended: 0 of 60 batches undisturbed, 16 needed"


@pytest.mark.parametrize("level", [4.849, 5.251])
def test_a_pass_at_another_level_counts_nothing(level: float) -> None:
    assert figures(probed([(4000, 0.25, level)] * 60)).contended


# -- without a probe, and refusals ----------------------------------------------------------------------------------------------


def test_without_a_probe_the_tenth_of_all_batches_by_hand() -> None:
    # 2 dropped, then 21 batches 3000, 3100, ..., 5000 ns of 100 calls: q10 is the third (position 2), 32 ns; the median 40 ns.
    found = figures(samples([9000, 9000, *range(5000, 2999, -100)]), 0.5)
    assert (found.floor_ns, found.median_ns, found.clean_median_ns) == pytest.approx((31.5, 39.5, 39.5))
    later = range(30, 42)  # of 23 the later twelve
    assert found.spread_ns == pytest.approx([float(np.quantile(later, (k + 0.5) / 10)) - 0.5 for k in range(10)])
    assert (found.batches, found.seen, found.clock, found.reason) == (21, 21, "wall", "")
    assert found.slow_batches == 12  # above 1.2 x 3200 = 3840: 3900 to 5000


def test_a_clock_and_a_reference_of_others_change_nothing_without_a_probe() -> None:
    s = samples([9000, 9000, *range(5000, 2999, -100)])
    assert figures(s, cycle_ns=0.5) == figures(s, reference=None) == figures(s)


def test_every_lane_drops_its_own_first_batches() -> None:
    found = figures(samples([9000, 9000] + [4000] * 18, rounds=tuple(range(0, 60, 3))))
    assert (found.batches, found.floor_ns, found.median_ns) == (18, 40.0, 40.0)


@pytest.mark.parametrize(
    "s,reason,short",
    [
        (samples([3000] * 17), "15 batches, 16 needed", True),
        (samples([3000] * 9, calls=1), "7 batches, 8 needed", True),
        (samples([3000] * 20 + [0]), "a batch of 0 ns", False),
        (samples([3000] * 20 + [-300]), "a batch of -300 ns", False),
        (samples([100] * 20), "1 ns per call is not above the harness's 1.5 ns", False),
        (samples([150] * 20), "1.5 ns per call is not above the harness's 1.5 ns", False),
        (samples([3000] * 20, rounds=(1, 2)), "20 times for 2 rounds", False),
        (samples([3000] * 20, calls=0), "0 calls a batch", False),
        (samples([3000] * 20, per_turn=3), "20 batches are no turns of 3", False),
        (samples([]), "0 batches, 16 needed", True),
        (samples([5_000_000] * 4, calls=1, slow=True), "2 batches, 3 needed", True),
        (probed([(100, 0.25, 5.0)] * 20), "1 ns per call is not above the harness's 1.5 ns", False),
    ],
)
def test_refused_with_the_reason(s: LaneSamples, reason: str, short: bool) -> None:
    """More passes would help only where it is batches that lack (`short`)."""
    found = figures(s, 1.5)
    assert (found.reason, found.short, found.contended) == (reason, short, False)
    assert found.floor_ns is None and found.clean_median_ns is None and found.spread_ns == ()


def test_slow_operations_use_cpu_time_and_their_own_rounds() -> None:
    s = samples(
        [90_000_000] * 5,
        calls=1,
        slow=True,
        cpu_ns=(61_000_000, 60_000_000, 62_000_000, 60_000_000, 60_000_000),
        rounds=(0, 12, 24, 36, 48),
    )
    found = figures(s, 1.0)
    assert found.floor_ns == pytest.approx(60_000_000 - 1.0)
    assert found.median_ns == 90_000_000 - 1.0  # what a clock on the wall saw
    assert (found.clock, found.batches) == ("cpu", 3)
    without = figures(samples([90_000_000] * 5, calls=1, slow=True))
    assert (without.floor_ns, without.clock) == (90_000_000, "wall")
    fast = samples([3000] * 20, cpu_ns=tuple([1000] * 20))
    assert figures(fast).floor_ns == 30.0  # CPU time is the primary clock of slow operations only


def test_floor_survives_64_bit_times() -> None:
    assert figures(samples([2**40] * 20, calls=1)).floor_ns == float(2**40)


@given(st.lists(st.integers(1000, 10**6), min_size=18, max_size=80))
def test_floor_is_between_minimum_and_median(ns: list[int]) -> None:
    blind = figures(samples(ns, calls=10))
    assert blind.floor_ns is not None and blind.median_ns is not None
    assert min(ns[2:]) / 10 - 1e-9 <= blind.floor_ns <= blind.median_ns + 1e-9
    assert blind.floor_ns == pytest.approx(float(np.quantile(ns[2:], 0.1)) / 10)
    seen = figures(probed([(n, 0.25, 5.0) for n in ns], calls=10))
    assert seen.floor_ns == pytest.approx(float(np.quantile(ns[2:], 0.25)) / 10)
    assert blind.floor_ns <= seen.floor_ns + 1e-9 and list(seen.spread_ns) == sorted(seen.spread_ns)


def test_batches_of_a_pass_are_those_of_its_lanes() -> None:
    lanes = (probed([(4000, 0.25, 5.0)] * 20), samples([3000] * 7))
    found: list[LaneBatches] = batches_of(PassRecord("md5/hash", 0, 0.0, 1.0, 1.0, lanes, ()), 3)
    assert [one.ns.size for one in found] == [17, 4] and [one.probed for one in found] == [True, False]


def test_clock_step() -> None:
    assert clock_refusal(10, 300_000) == ""
    assert clock_refusal(3000, 300_000) == ""
    assert "3001 ns" in clock_refusal(3001, 300_000)


def test_counted_cycles_by_hand() -> None:
    """A turn's cycles are of all its batches: 3 batches of 10 calls. Turns that only warm up are dropped, the 10 % quantile of the rest is taken."""
    turns = [9000, *range(3000, 3000 + 30 * 11, 30)]
    s = samples([1] * 36, calls=10, per_turn=3, cycles=tuple(turns))
    assert counted_cycles(s, 2, 0.0) == pytest.approx(101.0)  # the second of eleven, 3030 for 30 calls
    assert counted_cycles(s, 2, 1.5) == pytest.approx(99.5)
    assert counted_cycles(s, 4, 0.0) == pytest.approx(101.9)  # two turns dropped: between the first two of ten
    assert counted_cycles(s, 2, 101.0) is None  # nothing left
    assert counted_cycles(samples([1] * 36, calls=10), 2, 0.0) is None
    assert counted_cycles(samples([1] * 36, calls=10, cycles=(1,) * 5), 2, 0.0) is None
    assert counted_cycles(samples([1] * 3, calls=10, cycles=(1,) * 3), 1, 0.0) is None  # two turns
    assert counted_cycles(samples([1] * 5, calls=10, cycles=(5, 5, 0, 5, 5)), 0, 0.0) is None


# -- batches that can tell of two speeds ---------------------------------------------------------------------------------------


def test_place_in_the_request_in_the_process_and_a_neighbour_tell_of_no_two_speeds() -> None:
    """Requests of four batches of one call each: the first of each, the first half of all, and the request in which somebody else had the CPU are 900 ns; the others 100, or 110 in the last turn."""
    ns = [900, 100, 100, 100] * 12
    ns[:24] = [900] * 24
    ns[28:32] = [900] * 4
    ns[40:] = [900, 110, 110, 110] * 2
    rounds = [k // 24 for k in range(40)] + [2] * 8
    samples = LaneSamples("a@1", 1, tuple(ns), rounds=tuple(rounds), per_turn=4, switched=(7,))
    found = pass_figures(lane_batches(samples, 0), 10.0, None, None, THRESHOLD)
    assert set(found.spread_ns) == {90.0, 100.0} and len(found.spread_ns) == 10 and found.turn_spread == 0.0
    assert found.spread_ns == (90.0,) * 6 + (100.0,) * 4
    few = pass_figures(lane_batches(replace_samples(samples, switched=(6, 8, 9, 10)), 0), 0.0, None, None, THRESHOLD)
    assert (few.spread_ns, few.turn_spread) == ((), None)


def replace_samples(samples: LaneSamples, **more: object) -> LaneSamples:
    """The samples with other fields."""
    return msgspec.structs.replace(samples, **more)
