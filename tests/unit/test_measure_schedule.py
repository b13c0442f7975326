# SPDX-License-Identifier: Apache-2.0
"""What a run knows of its cases while it measures, and which of them the next pass takes in when time is short."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_views_passes import IPC, pass_record, samples, uneven

from cipherstone.measure.casestate import EXTRA_PASSES, MOST_TRIES, CaseState
from cipherstone.measure.plan import BETWEEN, CARD, END, HEADLINE
from cipherstone.measure.schedule import NAMED, OVERHEAD, chosen, left_out, left_s
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import CaseEnd
from cipherstone.model.records import PlannedCase, Settings

SETTINGS = Settings(min_passes=9, max_passes=12)
A, B, TWIN = "openssl@3", "nettle@3", "openssl@3#2"


def case(
    name: str,
    valid: int = 0,
    wall_s: float = 1.0,
    disturbed: int = 0,
    spread: float = 0.0,
    settings: Settings = SETTINGS,
    rank: int = CARD,
) -> CaseState:
    """A case after so many passes of `wall_s` with a figure for both lanes, and `disturbed` ones without. `spread`: by how much the ratio of both lanes goes to and fro, evenly over nine passes."""
    state = CaseState(PlannedCase(name, (A, B), rank=rank), settings)
    for p in range(valid + disturbed):
        ratio = 1.3 * (1 + spread * ((4 * p) % 9 / 4 - 1))
        costs = {A: 1000.0, B: 1000.0 * ratio}
        state.add(pass_record(name, p, costs, wall_s=wall_s, ipc=IPC if p < valid else 4.0), IPC)
    state.decide()
    assert (state.valid, state.tried) == (valid, valid + disturbed)
    return state


def slowed(name: str, valid: int, quick_s: float) -> CaseState:
    """A case after so many passes that need `quick_s` and waited once more as long."""
    state = CaseState(PlannedCase(name, (A, B)), SETTINGS)
    for p in range(valid):
        costs = {A: 1000.0, B: 1300.0}
        state.add(pass_record(name, p, costs, wall_s=2 * quick_s, waited_s=quick_s), IPC)
    state.decide()
    assert (state.valid, state.quickest_s) == (valid, pytest.approx(quick_s))
    return state


def names(found: list[CaseState]) -> list[str]:
    return [state.case_id for state in found]


# -- which cases the next pass takes in ------------------------------------------------------------------------------------------


def test_without_a_bound_every_case_is_taken() -> None:
    cases = [case("a/hash", 9), case("b/hash"), case("c/hash", 3)]
    assert chosen(cases, None, SETTINGS) == cases


def test_with_time_for_everything_every_case_is_taken_in_the_order_given() -> None:
    cases = [case("c/hash", 2), case("a/hash", 9, spread=0.02), case("b/hash", 1)]
    assert chosen(cases, 1000.0, SETTINGS) == cases


def test_the_first_pass_asks_the_cases_that_matter_what_a_pass_costs() -> None:
    cases = [case("a/hash", rank=END), case("b/hash", rank=HEADLINE), case("c/hash", rank=BETWEEN)]
    assert names(chosen(cases, 10.0, SETTINGS)) == ["b/hash"]
    assert names(chosen([*cases, case("d/hash", rank=CARD)], 10.0, SETTINGS)) == ["d/hash"]
    alike = [case("a/hash", rank=END), case("b/hash", rank=END)]
    assert chosen(alike, 10.0, SETTINGS) == alike


def test_a_case_is_taken_only_if_its_figure_can_still_be_reached() -> None:
    """Six passes of a second are needed for an interval; 13 s hold two such cases, not three, with what lies between passes."""
    cases = [case(f"{name}/hash", 1) for name in "abc"]
    needed = 5 * OVERHEAD
    assert names(chosen(cases, 3 * needed + 0.1, SETTINGS)) == ["a/hash", "b/hash", "c/hash"]
    assert names(chosen(cases, 3 * needed - 0.1, SETTINGS)) == ["a/hash", "b/hash"]
    assert names(chosen(cases, 2 * needed - 0.1, SETTINGS)) == ["a/hash"]


def test_where_passes_take_longer_than_they_would_some_cases_have_their_figures_first() -> None:
    """Passes that need a second took three, two of them waiting: 12 s on a free core hold two cases with a pass each, on this one they hold none, so one goes first."""

    def waiting(name: str, waited_s: float) -> CaseState:
        state = CaseState(PlannedCase(name, (A, B)), SETTINGS)
        state.add(pass_record(name, 0, {A: 9.0, B: 8.0}, wall_s=1.0 + waited_s, waited_s=waited_s), IPC)
        return state

    for waited_s, expected in ((0.0, ["a/hash", "b/hash"]), (1.0, ["a/hash"]), (2.0, ["a/hash"])):
        cases = [waiting("a/hash", waited_s), waiting("b/hash", waited_s)]
        assert names(chosen(cases, 2 * 5 * OVERHEAD + 0.1, SETTINGS)) == expected


def test_what_a_freer_core_would_allow_comes_before_a_better_figure() -> None:
    """Every pass took twice as long as it would have: what is left, halved, does not hold the passes that a dear case lacks, but they may fit if the burst is over."""
    cases = [
        case("done/hash", 7, 1.0, spread=0.1),
        slowed("dear/hash", 1, 3.0),
        slowed("dearer/hash", 1, 3.5),
        slowed("cheap/hash", 5, 1.0),
    ]
    assert names(chosen(cases, 12.0, SETTINGS)) == ["done/hash", "cheap/hash"]  # 10 s, and 15 are lacking
    assert names(chosen(cases, 24.0, SETTINGS)) == [
        "dear/hash",
        "cheap/hash",
    ]  # with nothing left for another of its kind, nor for what has a figure
    assert names(chosen(cases, 80.0, SETTINGS)) == names(cases)


def test_cards_and_headlines_come_before_cheaper_ones() -> None:
    alike = [case("cheap/hash", 1, 0.1), case("dear/hash", 1, 2.0)]
    assert names(chosen(alike, 10.0 * OVERHEAD + 0.1, SETTINGS)) == ["cheap/hash"]  # 9.6 s are left
    cases = [case("cheap/hash", 1, 0.1, rank=END), case("dear/hash", 1, 2.0, rank=HEADLINE)]
    assert names(chosen(cases, 10.0 * OVERHEAD + 0.1, SETTINGS)) == ["dear/hash"]
    both = 10.5 * OVERHEAD + 0.1
    assert names(chosen(cases, both, SETTINGS)) == ["cheap/hash", "dear/hash"]


def test_time_that_does_not_do_for_all_is_spent_by_rank() -> None:
    """Each needs five more passes of a second: 6 s a case. The sizes between the ends of a curve are what is left out first, whatever the order."""
    cases = [case(f"{rank}/hash", 1, rank=rank) for rank in (BETWEEN, CARD, END, HEADLINE)]
    one = 5 * OVERHEAD
    kept = [names(chosen(cases, number * one + 0.1, SETTINGS)) for number in (1, 2, 3, 4)]
    assert [sorted(found) for found in kept] == [[f"{rank}/hash" for rank in range(number)] for number in (1, 2, 3, 4)]


def test_what_the_bound_left_out_is_named() -> None:
    figure, short, other, ended = (
        case("a/hash/bytes=16", 6, spread=0.1),
        case("a/hash/bytes=1024", 5),
        case("b/sign"),
        case("c/hash", 9),
    )
    for state in (figure, short, other):
        state.finish(CaseEnd.TIME_BOUND)
    assert left_out([figure, ended]) == ""
    assert left_out([figure, short, other, ended]) == ("the run's bound cut 2 of 4 cases short: a/hash 1 KiB; b/sign")
    many = [case(f"x{number}/sign") for number in range(NAMED + 2)]
    for state in many:
        state.finish(CaseEnd.TIME_BOUND)
    assert left_out(many).endswith(f"x{NAMED - 1}/sign; and 2 operations more")


def test_one_that_does_not_fit_makes_room_for_one_that_does() -> None:
    cases = [case("dear/hash", 1, 100.0, rank=CARD), case("cheap/hash", 1, 0.1, rank=BETWEEN)]
    assert names(chosen(cases, 10.0, SETTINGS)) == ["cheap/hash"]


def test_cases_that_were_never_tried_are_taken_to_cost_what_others_do() -> None:
    cases = [case("new/hash"), case("old/hash", 5, 2.0)]
    assert names(chosen(cases, (6 * 2.0 + 2.0) * OVERHEAD + 0.1, SETTINGS)) == ["new/hash", "old/hash"]
    assert names(chosen(cases, (6 * 2.0 + 2.0) * OVERHEAD - 0.1, SETTINGS)) == ["old/hash"]


def test_disturbed_passes_count_as_cost_and_not_as_passes() -> None:
    cases = [case("busy/hash", 1, disturbed=20), case("calm/hash", 5)]
    assert names(chosen(cases, 5.0, SETTINGS)) == ["calm/hash"]


def test_what_was_not_used_of_a_pass_is_no_cost_of_the_next() -> None:
    """Half of the batches were disturbed and a second went by waiting: of 5 s the next pass needs 2."""
    state = CaseState(PlannedCase("a/hash", (A, B)), SETTINGS)
    lanes = (samples(A, 100.0), samples(B, 100.0, ipc=4.0))
    state.add(pass_record("a/hash", 0, {}, lanes=lanes, harness_ns=(0.5, 0.5), wall_s=5.0, waited_s=1.0), IPC)
    assert state.quickest_s == pytest.approx(2.0)
    nothing = (samples(A, 100.0, ipc=4.0), samples(B, 100.0, ipc=4.0))
    blind = CaseState(PlannedCase("a/hash", (A, B)), SETTINGS)
    blind.add(pass_record("a/hash", 0, {}, lanes=nothing, harness_ns=(0.5, 0.5), wall_s=5.0, waited_s=1.0), IPC)
    assert blind.quickest_s == pytest.approx(4.0)  # nothing is known of what it takes


def test_what_is_left_goes_to_the_widest_interval() -> None:
    """After those that have no figure yet, and before those that have all the passes asked for."""
    narrow, wide, done = (
        case("narrow/hash", 7, spread=0.02),
        case("wide/hash", 7, spread=0.1),
        case("done/hash", 9, spread=0.2),
    )
    lacking = case("lacking/hash", 5)
    assert narrow.widest < wide.widest < done.widest
    cases = [narrow, wide, done, lacking]
    one = OVERHEAD
    assert names(chosen(cases, 1 * one + 0.1, SETTINGS)) == ["lacking/hash"]
    assert names(chosen(cases, 2 * one + 0.1, SETTINGS)) == ["wide/hash", "lacking/hash"]
    assert names(chosen(cases, 3 * one + 0.1, SETTINGS)) == ["narrow/hash", "wide/hash", "lacking/hash"]
    assert names(chosen(cases, 4 * one + 0.1, SETTINGS)) == names(cases)


def test_without_time_for_any_figure_one_that_lacks_it_is_taken_all_the_same() -> None:
    """The one that it costs least; before one that has its figure."""
    cases = [
        case("far/hash", 0, disturbed=1, wall_s=1.0, rank=CARD),
        case("near/hash", 5, 0.5, rank=END),
        case("done/hash", 9, 0.1, spread=0.1, rank=CARD),
    ]
    assert names(chosen(cases, 0.05, SETTINGS)) == ["near/hash"]
    assert names(chosen([case("a/hash", 9, 2.0), case("b/hash", 9, 1.0)], 0.0, SETTINGS)) == ["b/hash"]
    assert names(chosen([case("a/hash", 3)], -5.0, SETTINGS)) == ["a/hash"]


def test_a_run_of_few_passes_asks_for_no_more_than_those() -> None:
    few = Settings(min_passes=3, max_passes=3)
    cases = [case(f"{name}/hash", 1, settings=few) for name in "ab"]
    assert names(chosen(cases, 4 * OVERHEAD + 0.1, few)) == ["a/hash", "b/hash"]
    assert names(chosen(cases, 4 * OVERHEAD - 0.1, few)) == ["a/hash"]


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 2), st.floats(0.01, 10.0), st.integers(CARD, BETWEEN)),
        min_size=1,
        max_size=6,
    ),
    st.floats(-1.0, 200.0),
)
def test_the_choice_is_never_empty_and_keeps_the_order(
    shape: list[tuple[int, int, float, int]], remaining_s: float
) -> None:
    cases = [
        case(f"x{k}/hash", valid, wall_s, disturbed, rank=rank)
        for k, (valid, disturbed, wall_s, rank) in enumerate(shape)
    ]
    found = chosen(cases, remaining_s, SETTINGS)
    assert found and found == [state for state in cases if state in found]
    # More time never takes a case out, as long as the same ones come first.
    if any(state.tried for state in cases):
        known = [state.last_wall_s for state in cases if state.tried]
        dearest = max(known) * 9 * len(cases) * OVERHEAD * 2
        assert chosen(cases, dearest, SETTINGS) == cases


def test_the_time_left_is_told_once_a_quarter_of_the_cases_has_told_what_a_pass_costs() -> None:
    untried = [case(f"new{k}/hash") for k in range(4)]
    assert left_s(untried[:3]) is None and left_s(untried) is None
    one = case("one/hash", 4, 2.0)
    left = one.expected_passes() * 2.0
    assert left_s([one, *untried]) is None  # one of five
    new = untried[0].expected_passes() * 2.0  # as dear as the one that is known
    assert left_s([one, *untried[:3]]) == pytest.approx(left + 3 * new)
    other = case("other/hash", 4, 1.0, disturbed=3)
    assert left_s([one, other, *untried[:2]]) == pytest.approx(
        left + other.expected_passes() + 2 * untried[0].expected_passes() * 1.5
    )


def test_cases_that_have_stopped_take_no_more_time() -> None:
    done = case("done/hash", 9, 5.0)
    assert done.end is CaseEnd.CONVERGED and left_s([done]) == 0.0 and left_s([]) == 0.0
    open_one = case("open/hash", 8, 1.0)
    assert left_s([done, open_one]) == pytest.approx(open_one.expected_passes())


# -- what is known of a case -----------------------------------------------------------------------------------------------------


def test_a_case_converges_by_the_passes_in_which_no_lane_fell_short() -> None:
    assert case("a/hash", 8, disturbed=9).end is None
    assert case("a/hash", 9, disturbed=9).end is CaseEnd.CONVERGED
    wide = case("a/hash", 9, spread=0.1)
    assert wide.end is None and wide.widest == pytest.approx(-math.log(1 - 0.075), rel=1e-3)
    assert case("a/hash", 12, spread=0.1).end is CaseEnd.MAX_PASSES


def two_speeds(passes: int, fast: int, noise: float = 0.0005) -> CaseState:
    """`B` keeps one of two speeds in a process, 9 % apart: the faster one in `fast` of nine passes."""
    state = CaseState(PlannedCase("a/hash", (A, B)), Settings(min_passes=9, max_passes=40))
    for p in range(passes):
        slower = 1.0 if (7 * p) % 9 < fast else 1.09
        state.add(pass_record("a/hash", p, {A: 1000.0, B: 1300.0 * slower * (1 + noise * (p % 4))}), IPC)
        state.decide()
        if state.end is not None:
            break
    return state


def test_a_lane_of_two_speeds_stops_when_its_figure_is_narrow() -> None:
    """More passes never narrow an interval over both speeds; the figure is that of the faster one, and six passes at it tell."""
    most = two_speeds(40, 7)
    assert (most.end, most.tried) == (CaseEnd.CONVERGED, 9)
    half = two_speeds(40, 4)
    assert half.end is CaseEnd.CONVERGED and 9 < half.tried <= 15
    assert half.widest < math.log1p(0.01)
    wide = two_speeds(40, 5, noise=0.02)
    assert (wide.end, wide.tried) == (CaseEnd.MAX_PASSES, 40)


def test_disturbed_passes_are_tried_again_but_not_for_ever() -> None:
    tries = MOST_TRIES * SETTINGS.max_passes
    assert case("a/hash", 3, disturbed=tries - 4).end is None
    assert case("a/hash", 3, disturbed=tries - 3).end is CaseEnd.CONTENDED
    assert case("a/hash", 10, disturbed=tries - 10, spread=0.1).end is CaseEnd.MAX_PASSES


def test_later_knowledge_unmasks_earlier_passes() -> None:
    """Judged as free by what was known; then a better level is seen."""
    state = CaseState(PlannedCase("a/hash", (A,)), SETTINGS)
    told = state.add(pass_record("a/hash", 0, {A: 100.0}, ipc=4.0), 4.0)
    assert told.valid and told.reason == "" and state.valid == 1
    state.judge(5.0)
    assert state.valid == 0 and state.tried == 1
    told = state.add(pass_record("a/hash", 1, {A: 100.0}, ipc=4.0), 5.0)
    assert not told.valid and told.reason == f"{A}: contended: 0 of 60 batches undisturbed, 16 needed"
    state.judge(4.0)
    assert state.valid == 2


def test_a_pass_is_valid_if_any_lane_has_a_figure_and_complete_if_all_have() -> None:
    state = CaseState(PlannedCase("a/hash", (A, B)), SETTINGS)
    half = pass_record("a/hash", 0, {}, lanes=(samples(A, 100.0), samples(B, 130.0, ipc=4.0)))
    assert state.add(half, IPC).valid and state.valid == 0
    lanes = {name: Lane.parse(name) for name in (A, B, TWIN)}
    state.drop(B, lanes)
    assert state.lanes == [A] and state.valid == 1  # the lane that fell short is no longer in


def test_lanes_are_held_against_the_fastest_and_not_against_the_first_by_name() -> None:
    """Two that scatter against each other are narrow enough against it: nothing else is printed."""
    slow, slower = "botan@3", "nettle@3"
    state = CaseState(PlannedCase("a/hash", (slower, slow, A)), SETTINGS)
    for p in range(9):
        off = 0.009 * ((4 * p) % 9 / 4 - 1)
        costs = {slower: 1600.0 * (1 - off), slow: 1300.0 * (1 + off), A: 1000.0}
        state.add(pass_record("a/hash", p, costs), IPC)
    ended = state.decide()
    assert ended is not None and ended.end is CaseEnd.CONVERGED
    assert state.widest == pytest.approx(0.75 * 0.009, rel=0.02)


def test_lanes_that_were_never_free_together_have_no_interval() -> None:
    """Each was disturbed in the pass in which the other was not: that is no ratio yet, and no end."""
    state = CaseState(PlannedCase("a/hash", (A, B)), SETTINGS)
    for p, (first, second) in enumerate(((IPC, 4.0), (4.0, IPC))):
        lanes = (samples(A, 100.0, ipc=first), samples(B, 130.0, ipc=second))
        assert state.add(pass_record("a/hash", p, {}, lanes=lanes), IPC).valid
    assert state.decide() is None and (state.valid, state.widest) == (0, math.inf)


def test_a_lane_that_more_passes_cannot_help_does_not_hold_the_case_open() -> None:
    """Its time is not above the harness's in any pass: that is no want of batches."""
    state = CaseState(PlannedCase("a/hash", (A, B)), SETTINGS)
    for p in range(9):
        tiny = uneven(B, (100,) * 62)
        state.add(pass_record("a/hash", p, {}, lanes=(samples(A, 100.0), tiny), harness_ns=(0.5, 0.5)), IPC)
    assert state.valid == 9
    state.decide()
    assert state.end is CaseEnd.CONVERGED


def test_a_twin_leaves_with_its_original() -> None:
    state = CaseState(PlannedCase("a/hash", (A, B, TWIN)), SETTINGS)
    lanes = {name: Lane.parse(name) for name in (A, B, TWIN)}
    state.drop(TWIN, lanes)
    assert state.lanes == [A, B]
    state = CaseState(PlannedCase("a/hash", (A, B, TWIN)), SETTINGS)
    state.drop(A, lanes)
    assert state.lanes == [B]


def test_passes_to_come_are_told_from_how_far_the_interval_has_to_shrink() -> None:
    assert case("a/hash", 4).expected_passes() == 5 + EXTRA_PASSES
    wide = case("a/hash", 9, spread=0.016)
    assert wide.end is None and 1.0 <= wide.expected_passes() <= 3.0  # 1.2 % wide, 1 % asked for: 1.44 times as many
    assert case("a/hash", 9, spread=0.1).expected_passes() == 3.0  # up to the largest number


# -- when a case ends ------------------------------------------------------------------------------------------------------------


def test_figures_of_passes_that_fell_short_move_no_interval() -> None:
    """In the disturbed passes the second library came out at twice its ratio: what has to be narrow does not see them."""
    state = case("a/hash", 8)
    for p in range(8, 14):
        state.add(pass_record("a/hash", p, {A: 1000.0, B: 2600.0}, ipc=4.0), IPC)
    state.add(pass_record("a/hash", 14, {A: 1000.0, B: 1300.0}), IPC)
    ended = state.decide()
    assert ended is not None and ended.end is CaseEnd.CONVERGED
    assert state.widest == pytest.approx(0.0, abs=1e-12)
