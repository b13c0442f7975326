# SPDX-License-Identifier: Apache-2.0
"""Turns of an instrument: order, fresh processes, the A/A lane, the bound, a part that was cut off. A scripted instrument, no process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from cipherstone.measure.pool import Launch
from cipherstone.measure.turns import Instrument, Turn, TurnFailed, TurnProgress, Turns, with_twin
from cipherstone.model.errors import CipherstoneError, WorkerError
from cipherstone.model.instruments import FigureKind, InstrumentCase, InstrumentLane, InstrumentPlan, TurnRecord
from cipherstone.model.records import Settings

A, B = "x@1", "x@2"
CASES = (InstrumentCase("x/one", "One", with_twin([A, B], A), A), InstrumentCase("x/two", "Two", (A, B), A))
PLAN = InstrumentPlan("scripted", "A scripted instrument", (FigureKind("ns", "ns", "time", True),), (InstrumentLane(A, "A"), InstrumentLane(B, "B")), CASES, passes=3, rounds=2, unprobed="scripted")  # fmt: skip


class Scripted:
    """Every turn of a lane takes its length plus the number of its pass. `wrong`: what a turn of B raises."""

    def __init__(self, plan: InstrumentPlan = PLAN, wrong: Exception | None = None) -> None:
        self.plan, self.wrong = plan, wrong
        self.scouts: tuple[Launch, ...] = ()
        self.opens: list[tuple[str, int]] = []
        self.open = 0

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        self.opens.append((case.id, pass_index))
        self.open += 1

        def turn(lane: str) -> dict[str, float]:
            assert self.open == 1, "two passes at a time"
            if self.wrong is not None and lane == B:
                raise self.wrong
            return {"ns": float(len(lane) + pass_index)}

        yield turn
        self.open -= 1


def made(instrument: Instrument, earlier: list[TurnRecord] | None = None, **settings: object) -> list[TurnRecord]:
    return list(Turns(instrument, Settings(**{"seed": 7, **settings}), None, earlier or []).run())  # type: ignore[arg-type]


def test_every_lane_has_every_turn_in_fresh_processes() -> None:
    instrument = Scripted()
    turns = made(instrument)
    assert instrument.opens == [(case, number) for number in range(3) for case in ("x/one", "x/two")]
    places = [(one.case, one.pass_index, one.lane) for one in turns]
    assert {place: places.count(place) for place in places} == {(case.id, number, lane): 2 for case in CASES for number in range(3) for lane in case.lanes}  # fmt: skip
    assert [one.turn for one in turns if one.case == "x/two"] == [0, 1, 2, 3] * 3
    assert all(one.figures == {"ns": len(one.lane) + one.pass_index} and one.ipc_before is None for one in turns)
    assert [one.start_s for one in turns] == sorted(one.start_s for one in turns)


def test_the_order_is_drawn_and_the_seed_draws_it() -> None:
    order = [one.lane for one in made(Scripted())]
    assert order == [one.lane for one in made(Scripted())]
    firsts = {tuple(one.lane for one in made(Scripted(), seed=seed)[:3]) for seed in range(20)}
    assert len(firsts) > 3
    # Anew in each round: who stands before whom must not be the same in all turns of a pass.
    passes = [[one.lane for one in made(Scripted(), seed=seed) if (one.case, one.pass_index) == ("x/one", 0)] for seed in range(20)]  # fmt: skip
    assert sum(lanes[:3] != lanes[3:] for lanes in passes) > 10


def test_a_resumed_run_makes_what_is_missing() -> None:
    """A pass that was cut off counts for what it has, and is made again under a number of its own."""
    whole = made(Scripted())
    first = [one for one in whole if one.pass_index == 0]
    cut = [one for one in whole if (one.case, one.pass_index) == ("x/one", 1)][:3]
    instrument = Scripted()
    made(instrument, [*first, *cut])
    assert instrument.opens == [("x/two", 1), ("x/one", 2), ("x/two", 2), ("x/one", 3)]
    nothing = Scripted()
    assert made(nothing, whole) == [] and nothing.opens == []
    other = [msgspec.structs.replace(one, instrument="another") for one in whole]
    assert len(made(Scripted(), other)) == len(whole)


def test_the_bound_ends_it_and_says_so() -> None:
    turns = Turns(Scripted(), Settings(max_time_s=1.0), None, [], elapsed_s=2.0)
    assert list(turns.run()) == [] and turns.note == "A scripted instrument: the bound came after 0 of 3 passes of One"
    unbound = Turns(Scripted(), Settings(), None)
    assert list(unbound.run()) and unbound.note == ""


def test_a_turn_that_fails_is_kept_with_its_reason() -> None:
    turns = made(Scripted(wrong=TurnFailed("the handshake was lost")))
    assert {(one.lane == B, one.failed, bool(one.figures)) for one in turns} == {(True, "the handshake was lost", False), (False, "", True)}  # fmt: skip
    assert len(turns) == len(made(Scripted()))


def test_a_process_that_breaks_ends_its_pass_and_another_is_tried() -> None:
    """Twice as many passes as are planned, and no more; the other lanes keep what they have."""
    instrument = Scripted(wrong=WorkerError("crashed", "by signal 11"))
    turns = made(instrument)
    assert sorted(instrument.opens) == [(case, number) for case in ("x/one", "x/two") for number in range(6)]
    for case, number in instrument.opens:
        mine = [one for one in turns if (one.case, one.pass_index) == (case, number)]
        assert [one.failed for one in mine] == [*[""] * (len(mine) - 1), "crashed: by signal 11"] and mine[-1].lane == B
    assert any(one.lane == A for one in turns)


def test_what_must_not_be_ends_the_run() -> None:
    with pytest.raises(CipherstoneError, match="agreed on another suite"):
        made(Scripted(wrong=CipherstoneError("agreed on another suite", "")))


def test_a_case_without_lanes_is_left_out() -> None:
    empty = msgspec.structs.replace(PLAN, cases=(InstrumentCase("x/none", "None", ()), CASES[1]))
    instrument = Scripted(empty)
    assert {one.case for one in made(instrument)} == {"x/two"}


def test_progress_names_the_case_and_the_pass() -> None:
    seen: list[TurnProgress] = []
    list(Turns(Scripted(), Settings(), None, on_case=seen.append).run())
    assert seen[:3] == [TurnProgress("One", 0, 3), TurnProgress("Two", 0, 3), TurnProgress("One", 1, 3)]


def test_only_a_base_that_takes_part_has_a_twin() -> None:
    assert with_twin([A, B], B) == (A, B, "x@2#2") and with_twin([A], B) == (A,) and with_twin([], "") == ()
