# SPDX-License-Identifier: Apache-2.0
"""The books of a case and of a run's time, exactly: what a pass cost, how many are still to come, which ratios must be narrow, when a case ends, waits or looks elsewhere. No process, no clock."""

from __future__ import annotations

import math
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_views_passes import IPC, pass_record, samples, uneven

from cipherstone.measure import pass_control as module
from cipherstone.measure.casestate import CaseState
from cipherstone.measure.pass_control import PassControl
from cipherstone.measure.schedule import chosen, left_s
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import CaseEnd
from cipherstone.model.records import CaseEndRecord, PlannedCase, Settings

A, B, C, TWIN = "openssl@3", "nettle@3", "botan@3", "openssl@3#2"
CASE = "md5/hash"


def state_of(lanes: tuple[str, ...] = (A, B), distribution: bool = False, **settings: Any) -> CaseState:
    return CaseState(PlannedCase(CASE, lanes, distribution=distribution), Settings(**settings))


def passes(state: CaseState, costs: list[dict[str, float]], **more: Any) -> CaseState:
    for cost in costs:
        state.add(pass_record(CASE, state.tried, cost, **more), IPC)
    return state


def steady(count: int, ratio: float = 1.3) -> list[dict[str, float]]:
    return [{A: 1000.0, B: 1000.0 * ratio}] * count


# -- what a pass cost ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clean", "wall_s", "waited_s", "quickest_s"),
    [
        (60, 2.0, 0.0, 2.0),
        (60, 2.0, 0.5, 1.5),  # waiting is not counted
        (60, 2.0, 3.0, 0.0),
        (30, 2.0, 0.0, 1.0),  # nor what was not used
        (16, 3.0, 0.0, 0.8),
        (15, 2.0, 0.0, 0.5),  # too few for a figure, and used all the same
        (3, 2.0, 0.0, 0.2),  # a tenth at least
        (0, 2.0, 0.5, 1.5),  # nothing used: nobody knows
    ],
)
def test_what_a_pass_would_take_without_the_others(
    clean: int, wall_s: float, waited_s: float, quickest_s: float
) -> None:
    """Of 60 batches behind two that warm up."""
    state = state_of((A,))
    chain = (0.25,) * 124
    ipc = [5.0 if k < 2 + clean else 4.0 for k in range(62) for _ in range(2)]
    one = uneven(A, (100_000,) * 62)
    dirty = type(one)(A, 1000, one.ns, chain_ns=chain, tput_ns=tuple(0.25 / i for i in ipc))
    state.add(pass_record(CASE, 0, {}, lanes=(dirty,), wall_s=wall_s, waited_s=waited_s), IPC)
    assert state.quickest_s == pytest.approx(quickest_s) and state.last_wall_s == wall_s
    state.add(pass_record(CASE, 1, {A: 100.0}, wall_s=9.0), IPC)
    assert state.quickest_s == pytest.approx(quickest_s or 9.0) and state.last_wall_s == 9.0


def test_what_a_call_takes_is_known_from_the_first_pass_with_a_figure() -> None:
    state = passes(state_of(), [{A: 100.0, B: 200.0}], ipc=4.0)
    assert state.ns_per_call == {} and (state.tried, state.valid) == (1, 0)
    passes(state, [{A: 110.0, B: 210.0}, {A: 120.0, B: 220.0}])
    assert state.ns_per_call == {A: 110.0, B: 210.0} and (state.tried, state.valid) == (3, 2)


def test_the_harness_comes_off_every_lane_by_its_place() -> None:
    state = state_of()
    record = pass_record(CASE, 0, {A: 100.0, B: 200.0}, harness_ns=(10.0, 30.0))
    told = state.add(record, IPC)
    assert state.ns_per_call == {A: 90.0, B: 170.0} and told == record
    bare = state_of()
    bare.add(pass_record(CASE, 0, {A: 100.0, B: 200.0}, harness_ns=()), IPC)
    assert bare.ns_per_call == {A: 100.0, B: 200.0}


def test_a_pass_without_any_figure_says_why_by_its_last_lane() -> None:
    told = state_of().add(pass_record(CASE, 0, {A: 100.0, B: 200.0}, ipc=4.0), IPC)
    assert (told.valid, told.reason) == (False, f"{B}: contended: 0 of 60 batches undisturbed, 16 needed")
    half = pass_record(CASE, 0, {}, lanes=(samples(A, 100.0, ipc=4.0), samples(B, 200.0)))
    told = state_of().add(half, IPC)
    assert (told.valid, told.reason) == (True, "")


# -- how many are still to come --------------------------------------------------------------------------------------------------


def wide(count: int, times: float) -> CaseState:
    """So many passes whose ratio goes to and fro, so that half its interval is so many times what is asked for."""
    apart = math.exp(times * math.log1p(0.01))
    ratios = [1.0, apart, 1 / apart] * (count // 3)
    state = passes(state_of(max_passes=40, min_passes=9), [{A: 1e6, B: 1e6 * one} for one in ratios])
    assert state.decide() is None and state.widest == pytest.approx(times * math.log1p(0.01), rel=1e-4)
    return state


@pytest.mark.parametrize(
    ("count", "times", "left"), [(9, 2.0, 27.0), (12, 1.5, 15.0), (9, 3.0, 31.0), (12, 1.03, 1.0), (36, 2.0, 4.0)]
)
def test_an_interval_shrinks_as_one_over_the_root_of_passes(count: int, times: float, left: float) -> None:
    """Up to the largest number of passes, and one at least."""
    assert wide(count, times).expected_passes() == pytest.approx(left, rel=1e-3)


@pytest.mark.parametrize(("count", "left"), [(0, 11.0), (5, 6.0), (7, 4.0), (8, 3.0)])
def test_before_there_is_an_interval_the_smallest_number_and_two_more(count: int, left: float) -> None:
    assert passes(state_of(), steady(count)).expected_passes() == left
    short = passes(state_of(max_passes=9), steady(count))
    assert short.expected_passes() == min(left, 9.0 - count)


@pytest.mark.parametrize(("count", "left"), [(0, 9.0), (7, 2.0), (8, 1.0), (9, 1.0), (20, 1.0)])
def test_a_distribution_needs_its_smallest_number_alone(count: int, left: float) -> None:
    assert passes(state_of(distribution=True), steady(count)).expected_passes() == left


def test_at_the_largest_number_one_is_expected_and_no_fewer() -> None:
    assert passes(state_of((A,), max_passes=3, min_passes=9), [{A: 100.0}] * 5).expected_passes() == 1.0


def test_the_time_left_is_of_all_open_cases() -> None:
    first = passes(state_of(), steady(5), wall_s=3.0)
    new, done = state_of(), passes(state_of(), steady(9), wall_s=5.0)
    done.decide()
    assert left_s([first, done]) == 6.0 * 3.0
    assert left_s([first, done, new]) == 6.0 * 3.0 + 11.0 * 4.0  # one that was not tried costs what the others do
    assert left_s([first, new, new, new]) == 6.0 * 3.0 + 3 * 11.0 * 3.0  # a quarter knows
    assert left_s([first, new, new, new, new]) is None


# -- which ratios must be narrow, and when a case ends -----------------------------------------------------------------------------

TO_AND_FRO = [1.0, 1.05, 0.95, 1.04, 0.96, 1.03, 0.97, 1.02, 0.98]


def test_every_lane_is_held_against_the_fastest() -> None:
    state = passes(state_of((A, B, C)), [{A: 1000.0, B: 2000.0 * one, C: 3000.0} for one in TO_AND_FRO])
    assert state.decide() is None and state.widest > math.log1p(0.01)
    state.drop(B, {name: Lane.parse(name) for name in (A, B, C)})
    ended = state.decide()
    assert ended == CaseEndRecord(CASE, CaseEnd.CONVERGED, 9, 9) and state.end is CaseEnd.CONVERGED
    assert state.widest == pytest.approx(0.0, abs=1e-9) and state.decide() is None


def test_and_against_the_base() -> None:
    """The fastest goes along with the other; against the base, which is steady, neither is narrow."""
    costs = [{A: 9000.0, B: 2000.0 * one, C: 1000.0 * one} for one in TO_AND_FRO]
    assert passes(state_of((A, B, C)), costs).decide() is None
    both = [{B: 2000.0 * one, C: 1000.0 * one} for one in TO_AND_FRO]
    ended = passes(state_of((B, C), base="openssl"), both).decide()
    assert ended is not None and ended.end is CaseEnd.CONVERGED
    costs = [{A: 9000.0 * one, B: 2000.0, C: 1000.0 * one} for one in TO_AND_FRO]
    state = passes(state_of((A, C), base="openssl"), [{A: one[A], C: one[C]} for one in costs])
    ended = state.decide()
    assert ended is not None and ended.end is CaseEnd.CONVERGED


def test_the_library_against_itself_must_be_narrow_too() -> None:
    """Its original is no base and not the fastest."""
    costs = [{A: 2000.0, C: 1000.0, TWIN: 2000.0 * one} for one in TO_AND_FRO]
    assert passes(state_of((A, C, TWIN)), costs).decide() is None
    ended = passes(state_of((A, C)), [{A: 2000.0, C: 1000.0}] * 9).decide()
    assert ended is not None and ended.end is CaseEnd.CONVERGED


def test_a_lane_alone_needs_its_passes_and_no_interval() -> None:
    state = passes(state_of((A,)), [{A: 1000.0 * one} for one in TO_AND_FRO][:8])
    assert state.decide() is None and state.widest == math.inf
    passes(state, [{A: 1000.0}])
    ended = state.decide()
    assert ended is not None and ended.end is CaseEnd.CONVERGED


def test_a_distribution_ends_with_its_calls() -> None:
    """Fifty of every lane, whatever its interval; with fewer it goes on."""

    def drawn(calls: int) -> CaseState:
        state = state_of(distribution=True, min_passes=6, max_passes=40)
        for one in TO_AND_FRO[:6]:
            lanes = tuple(uneven(lane, (round(4e6 * one),) * (calls + 2), calls=1) for lane in (A, B))
            lanes = (lanes[0], uneven(B, (round(9e6 / one),) * (calls + 2), calls=1))
            state.add(pass_record(CASE, state.tried, {}, lanes=lanes), IPC)
        return state

    ended = drawn(9).decide()
    assert ended is not None and (ended.end, ended.passes_tried) == (CaseEnd.MAX_PASSES, 6)
    assert drawn(8).decide() is None  # 48 calls


@pytest.mark.parametrize(("valid", "end"), [(8, CaseEnd.CONTENDED), (9, CaseEnd.MAX_PASSES)])
def test_what_is_given_up_is_contended_without_its_passes(valid: int, end: CaseEnd) -> None:
    ended = passes(passes(state_of(), steady(valid)), steady(2), ipc=4.0).given_up()
    assert ended == CaseEndRecord(CASE, end, valid + 2, valid)


def test_of_cases_the_first_that_fits_the_time_left() -> None:
    """To the last second: seven passes at one second, times the overhead."""
    one = passes(state_of(), steady(2), wall_s=1.0)
    other = passes(state_of(), steady(2), wall_s=1.0)
    other.case_id = "sha-1/hash"
    assert chosen([one, other], 1.2 * 8.0 + 1e-9, Settings()) == [one, other]
    assert chosen([one, other], 1.2 * 8.0 - 1e-6, Settings()) == [one]
    assert chosen([one, other], None, Settings()) == [one, other]


# -- the gate --------------------------------------------------------------------------------------------------------------------


class Watch:
    """Counts how often it is asked to look; goes to CPU 7 when it does."""

    def __init__(self) -> None:
        self.cpu: int | None = 3
        self.quiet: float | None = 4.85
        self.looked = 0

    def survey(self) -> bool:
        self.looked += 1
        self.cpu = 7
        return True

    def share(self, readings: Any) -> float:
        return float(np.mean(readings >= 4.85))


@pytest.fixture
def gated(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A gate, its watch, the clock, who was told of waiting, who of moving, and which CPUs this process was kept off."""
    now, waits, moves, kept = [100.0], list[float](), list[int | None](), list[Any]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(module, "keep_away", lambda cpu, allowed: kept.append((cpu, tuple(allowed))))

    def make(**settings: Any) -> Any:
        watch: Any = Watch()
        gate = PassControl(Settings(**settings), watch, (3, 7), lambda: now[0] - 100.0, waits.append)
        gate.on_move = moves.append
        return SimpleNamespace(gate=gate, watch=watch, now=now, waits=waits, moves=moves, kept=kept)

    return make


def test_who_waits_is_told_from_a_second_on(gated: Any) -> None:
    """Of vain rounds in a row; one that gives something begins anew."""
    one = gated()
    for vain_s in (0.5, 0.49, 0.01, 0.25, 0.0, 0.75, 0.25):
        assert one.gate.goes_on(0.0, vain_s)
    assert one.waits == pytest.approx([1.0, 1.25, 1.0]) and one.gate.waited_s == pytest.approx(2.25)


def test_it_looks_elsewhere_when_so_much_is_lost(gated: Any) -> None:
    one = gated()
    assert one.gate.goes_on(0.0399, 0.0) and one.watch.looked == 0
    assert one.gate.goes_on(0.0001, 0.0) and one.watch.looked == 1
    assert one.moves == [7] and one.kept == [(7, (3, 7))] and one.gate.cpu == 7
    one.now[0] += 0.099
    assert one.gate.goes_on(1.0, 0.0) and one.watch.looked == 1
    one.now[0] += 0.001001
    assert one.gate.goes_on(0.0, 0.0) and one.watch.looked == 2  # what was lost meanwhile counts
    one.now[0] += 1.0
    assert one.gate.goes_on(0.03, 0.0) and one.watch.looked == 2


@pytest.mark.parametrize(
    ("clean", "quiet", "since_s", "looks"),
    [(4, 4.85, 0.1001, 1), (5, 4.85, 0.1001, 0), (0, None, 1.0, 0), (0, 4.85, 0.0999, 0), (None, 4.85, 1.0, 0)],
)
def test_after_a_disturbed_pass_it_looks_around(
    gated: Any, clean: int | None, quiet: float | None, since_s: float, looks: int
) -> None:
    """Half of the readings are enough to stay; it keeps off the core either way."""
    one = gated()
    one.gate.survey()
    one.watch.quiet = quiet
    one.now[0] += since_s
    readings = np.empty(0) if clean is None else np.array([5.0] * clean + [3.0] * (10 - clean))
    one.gate.look_around(readings)
    assert one.watch.looked == 1 + looks and len(one.kept) == 2 + looks


def test_the_budget_for_waiting_ends_a_run_without_a_bound(gated: Any) -> None:
    one = gated()
    assert one.gate.goes_on(0.0, 59.99) and not one.gate.given_up
    assert not one.gate.goes_on(0.0, 0.02) and one.gate.given_up
    bounded = gated(max_time_s=10.0)
    assert bounded.gate.goes_on(0.0, 100.0) and not bounded.gate.given_up


def test_the_share_of_a_pass_ends_and_the_bound_comes(gated: Any) -> None:
    one = gated(max_time_s=90.0, min_passes=9)
    assert one.gate.remaining_s() == 90.0 and not one.gate.late() and not one.gate.enough()
    one.gate.share_out([passes(state_of((A,)), [{A: 100.0}] * count) for count in (0, 6)])  # 9 and 3 to come
    one.now[0] = 100.0 + 0.6 * 90.0 / 12
    assert not one.gate.enough()
    one.now[0] += 0.001
    assert one.gate.enough()
    one.gate.share_out([])
    one.now[0] += 0.6 * one.gate.remaining_s() + 0.001
    assert one.gate.enough()
    one.now[0] = 190.0
    assert one.gate.remaining_s() == 0.0 and one.gate.late()
    assert gated().gate.remaining_s() is None and not gated().gate.late()


def test_a_turn_waits_ten_times_as_long_after_a_vain_round(gated: Any) -> None:
    one = gated(wait_us=50.0)
    assert one.gate.wait_us == 50.0 and one.gate.goes_on(0.0, 0.1) and one.gate.wait_us == 500.0
    assert one.gate.goes_on(0.0, 0.0) and one.gate.wait_us == 50.0


def test_the_last_half_second_is_not_late(gated: Any) -> None:
    one = gated(max_time_s=90.0)
    one.now[0] = 189.5
    assert one.gate.remaining_s() == 0.5 and not one.gate.late()
