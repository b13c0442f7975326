# SPDX-License-Identifier: Apache-2.0
"""Batches between two readings: which ends belong to which, and which batches count."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.records import LaneSamples
from cipherstone.stats.batches import LaneBatches, _ends, lane_batches, readings

REFERENCE = 5.0


def samples(ns: list[int], chain: list[float], ipc: list[float], per_turn: int = 1, **more: object) -> LaneSamples:
    """Batches of 10 calls with readings of `ipc` additions a cycle."""
    fields: dict[str, object] = {
        "lane": "toy@1",
        "calls": 10,
        "ns": tuple(ns),
        "per_turn": per_turn,
        "chain_ns": tuple(chain),
        "tput_ns": tuple(c / i for c, i in zip(chain, ipc, strict=True)),
    }
    return LaneSamples(**{**fields, **more})  # type: ignore[arg-type]


def test_a_batch_lies_between_the_readings_of_its_own_turn() -> None:
    """Two turns of two batches: the last reading of the first turn is no end of the second turn's first batch."""
    chain = [0.250, 0.252, 0.254, 0.500, 0.502, 0.504]
    ipc = [5.0, 4.0, 4.5, 3.0, 3.5, 2.5]
    found = lane_batches(samples([1000, 2000, 3000, 4000], chain, ipc, per_turn=2), 0)
    assert list(found.ns) == [100, 200, 300, 400] == list(found.wall_ns)
    # By the shorter of the two chain readings, so that the second end of the first batch reads 4.0 x 250 / 252.
    assert list(found.ipc) == pytest.approx([4 * 250 / 252, 4.0, 3.0, 2.5 * 502 / 504])
    assert list(found.ipc_high) == pytest.approx([5.0, 4.5 * 252 / 254, 3.5 * 500 / 502, 3.5])
    assert list(found.cycle_ns) == pytest.approx([0.251, 0.253, 0.501, 0.503])
    assert (found.probed, found.clock, found.slow, found.calls, found.reason) == (True, "wall", False, 10, "")


def test_the_first_batches_warm_up_in_whatever_turn_they_fall() -> None:
    chain = [0.25] * 6
    ipc = [5.0, 5.0, 5.0, 4.0, 4.0, 4.0]
    found = lane_batches(samples([1, 2, 3, 4], chain, ipc, per_turn=2, rounds=(0, 0, 5, 5), calls=1), 3)
    assert list(found.ns) == [4] and list(found.ipc) == pytest.approx([4.0]) and found.cycle_ns.size == 1
    assert lane_batches(samples([1, 2, 3, 4], chain, ipc, per_turn=2), 9).ns.size == 0


def ends(before: tuple[float, float], after: tuple[float, float]) -> LaneBatches:
    """One batch; (chain ns, throughput ns) at either end."""
    chain, tput = zip(before, after, strict=True)
    return lane_batches(LaneSamples("toy@1", 10, (1000,), chain_ns=chain, tput_ns=tput), 0)


FREE = (0.25, 0.05)  # five additions in a cycle of 250 ps


@pytest.mark.parametrize("chain", [0.2551, 0.3, 4.0])
def test_one_interrupted_chain_costs_no_batch(chain: float) -> None:
    """An interruption only lengthens a reading: the other end tells the clock, and both throughputs are held against it."""
    for found in (ends(FREE, (chain, 0.05)), ends((chain, 0.05), FREE)):
        assert found.clean(REFERENCE, 0.97)[0]
        assert found.cycle_ns[0] == 0.25 and found.ipc[0] == found.ipc_high[0] == pytest.approx(5.0)


def test_chains_that_agree_are_averaged() -> None:
    assert ends(FREE, (0.2549, 0.05)).cycle_ns[0] == pytest.approx(0.25245)
    assert ends((0.2549, 0.05), FREE).cycle_ns[0] == pytest.approx(0.25245)


@pytest.mark.parametrize(("slower", "counts"), [(1.0, True), (1.03, True), (1.032, False), (2.0, False)])
def test_a_clock_that_changed_between_the_ends_shows_as_a_low_rate(slower: float, counts: bool) -> None:
    """Both probes of one end take longer then; by more than 3 %, and nobody knows how long the batch's cycles were."""
    other = (0.25 * slower, 0.05 * slower)
    for found in (ends(FREE, other), ends(other, FREE)):
        assert bool(found.clean(REFERENCE, 0.97)[0]) is counts
        assert found.ipc[0] == pytest.approx(5.0 / slower) and found.ipc_high[0] == pytest.approx(5.0)


def test_two_interrupted_chains_tell_no_clock() -> None:
    found = ends((0.3, 0.05), (0.31, 0.05))
    assert found.ipc[0] == pytest.approx(6.0) and not found.clean(REFERENCE, 0.97)[0]


@pytest.mark.parametrize("missing", [0.0, -1.0])
def test_a_batch_with_a_missing_reading_does_not_count(missing: float) -> None:
    """Nor does its neighbour on the other side of that reading."""
    chain = (0.25, 0.25, missing, 0.25, 0.25)
    found = lane_batches(LaneSamples("toy@1", 10, (1, 2, 3, 4), per_turn=4, chain_ns=chain, tput_ns=(0.05,) * 5), 0)
    assert list(found.clean(REFERENCE, 0.97)) == [True, False, False, True]
    assert list(np.isfinite(found.cycle_ns)) == [True, False, False, True]
    assert list(found.ipc) == pytest.approx([5.0, 0.0, 0.0, 5.0])
    slow = LaneSamples("toy@1", 10, (1, 2), per_turn=2, chain_ns=(0.25,) * 3, tput_ns=(0.05, missing, 0.05))
    assert not lane_batches(slow, 0).clean(REFERENCE, 0.97).any()


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        (4.851, 4.851, True),  # 0.9702 of the reference
        (4.849, 5.0, False),  # 0.9698 at one end is enough
        (5.0, 4.849, False),
        (5.249, 5.249, True),
        (5.251, 5.0, False),  # more than a core of this kind can: the chain was interrupted
        (5.0, 5.251, False),
        (4.851, 5.249, True),
    ],
)
def test_both_ends_must_reach_the_reference_and_neither_pass_it(before: float, after: float, counts: bool) -> None:
    found = lane_batches(samples([1000], [0.25, 0.25], [before, after]), 0)
    assert bool(found.clean(REFERENCE, 0.97)[0]) is counts


def test_without_a_reference_nothing_counts_and_without_a_probe_everything() -> None:
    probed = lane_batches(samples([1000, 2000], [0.25] * 4, [5.0] * 4), 0)
    assert list(probed.clean(None, 0.97)) == [False, False]
    blind = lane_batches(LaneSamples("toy@1", 10, (1000, 2000)), 0)
    assert not blind.probed and list(blind.clean(None, 0.97)) == list(blind.clean(REFERENCE, 0.97)) == [True, True]
    assert np.isnan(blind.cycle_ns).all() and list(blind.ipc) == list(blind.ipc_high) == [0.0, 0.0]
    assert readings(LaneSamples("toy@1", 10, (1000, 2000))).size == 0


def test_slow_calls_go_by_thread_cpu_time_where_it_is_told() -> None:
    slow = {"calls": 1, "slow": True}
    found = lane_batches(samples([90, 91], [0.25] * 4, [5.0] * 4, cpu_ns=(60, 61), **slow), 0)
    assert (list(found.ns), list(found.wall_ns), found.clock, found.slow) == ([60, 61], [90, 91], "cpu", True)
    without = lane_batches(samples([90, 91], [0.25] * 4, [5.0] * 4, **slow), 0)
    assert (list(without.ns), without.clock, without.slow) == ([90, 91], "wall", True)
    fast = lane_batches(samples([90, 91], [0.25] * 4, [5.0] * 4, cpu_ns=(60, 61)), 0)
    assert (list(fast.ns), fast.clock) == ([9, 9.1], "wall")  # the primary clock of slow operations only


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"calls": 0}, "0 calls a batch"),
        ({"calls": -3}, "-3 calls a batch"),
        ({"rounds": (0, 1)}, "4 times for 2 rounds"),
        ({"cpu_ns": (1, 2), "slow": True}, "2 CPU times for 4 batches"),
        ({"per_turn": 3}, "4 batches are no turns of 3"),
        ({"per_turn": 0}, "4 batches are no turns of 0"),
        ({"per_turn": 4}, "6 and 6 probe readings for 4 batches, expected 5"),
        ({"per_turn": 1}, "6 and 6 probe readings for 4 batches, expected 8"),
        ({"tput_ns": (0.05,) * 5}, "6 and 5 probe readings for 4 batches, expected 6"),
        ({"tput_ns": ()}, "6 and 0 probe readings for 4 batches, expected 6"),
        ({"chain_ns": (0.25,) * 7, "tput_ns": (0.05,) * 7}, "7 and 7 probe readings for 4 batches, expected 6"),
    ],
)
def test_a_damaged_record_says_what_does_not_fit(changes: dict[str, object], reason: str) -> None:
    whole = samples([1, 2, 3, 4], [0.25] * 6, [5.0] * 6, per_turn=2)
    assert lane_batches(whole, 0).reason == ""
    found = lane_batches(msgspec.structs.replace(whole, **changes), 0)
    assert found.reason == reason
    assert found.ns.size == found.ipc.size == found.cycle_ns.size == found.wall_ns.size == 0
    assert not found.probed and found.calls >= 1 and found.clean(REFERENCE, 0.97).size == 0


def test_readings_are_of_all_probes_in_order() -> None:
    record = samples([1, 2], [0.25, 0.5, 0.25], [5.0, 4.0, 3.0], per_turn=2)
    assert list(readings(record)) == pytest.approx([5.0, 4.0, 3.0])
    gap = LaneSamples("toy@1", 1, (1,), chain_ns=(0.25, 0.0), tput_ns=(0.05, 0.05))
    assert readings(gap)[0] == pytest.approx(5.0) and math.isnan(readings(gap)[1])
    assert readings(LaneSamples("toy@1", 1, (1,), chain_ns=(0.25, 0.25), tput_ns=(0.05,))).size == 0


turns = st.integers(1, 6).flatmap(
    lambda per_turn: st.lists(
        st.lists(st.tuples(st.floats(0.2, 0.6), st.floats(2.0, 6.0)), min_size=per_turn + 1, max_size=per_turn + 1),
        min_size=1,
        max_size=8,
    )
)


@given(turns, st.integers(0, 5))
def test_turns_are_judged_one_by_one(probes: list[list[tuple[float, float]]], dropped: int) -> None:
    """All turns in one record give what each gives alone, and time runs backwards as well: ends may be exchanged."""
    per_turn = len(probes[0]) - 1

    def record(turns: list[list[tuple[float, float]]]) -> LaneSamples:
        flat = [reading for turn in turns for reading in turn]
        return samples(
            list(range(1, len(turns) * per_turn + 1)), [c for c, _ in flat], [i for _, i in flat], per_turn=per_turn
        )

    together = lane_batches(record(probes), 0)
    alone = [lane_batches(record([turn]), 0) for turn in probes]
    clean = together.clean(REFERENCE, 0.97)
    assert list(clean) == [bool(c) for one in alone for c in one.clean(REFERENCE, 0.97)]
    assert np.array_equal(together.cycle_ns, np.concatenate([one.cycle_ns for one in alone]))
    backwards = lane_batches(record([turn[::-1] for turn in probes[::-1]]), 0)
    assert list(backwards.clean(REFERENCE, 0.97)) == list(clean)[::-1]
    later: LaneBatches = lane_batches(record(probes), dropped)
    assert list(later.clean(REFERENCE, 0.97)) == list(clean)[dropped:]


def test_a_batch_beside_a_missing_reading_reaches_nothing() -> None:
    """At either end."""
    low, high, cycle = _ends(samples([100] * 3, [0.25, math.nan, 0.25, 0.25], [5.0, 5.0, 5.0, 4.0], per_turn=3))
    assert (low.tolist(), high.tolist()) == ([0.0, 0.0, 4.0], [0.0, 0.0, 5.0])
    assert np.isnan(cycle[:2]).all() and cycle[2] == 0.25
