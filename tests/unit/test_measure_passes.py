# SPDX-License-Identifier: Apache-2.0
"""A pass, exactly: its rounds, who takes part in them, and when it ends. The workers are objects: no clock, no process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from turns_example import QUIET, proven

from cipherstone.measure import rounds as module
from cipherstone.measure.rounds import (
    Contestant,
    LaneFailed,
    Rounds,
    run_rounds,
)
from cipherstone.model.records import Settings
from cipherstone.protocol.messages import Batch
from cipherstone.worker.terms import Terms


class Gate:
    """Goes on `rounds` times; then late, or told to end."""

    def __init__(self, cpu: int | None = 1, ends: int = 10**6, late: int = 10**6) -> None:
        self.cpu, self.quiet, self.wait_us = cpu, QUIET, 9.0
        self._ends, self._late = ends, late
        self.told: list[tuple[float, float]] = []

    def goes_on(self, lost_s: float, vain_s: float) -> bool:
        self.told.append((lost_s, vain_s))
        return len(self.told) < self._ends

    def late(self) -> bool:
        return len(self.told) + 1 >= self._late

    def enough(self) -> bool:
        return False


def a_pass(
    monkeypatch: pytest.MonkeyPatch, lanes: dict[str, tuple[float, Callable[[int], bool]]], gate: Any, **settings: Any
) -> tuple[Rounds, dict[str, int]]:
    """A pass over lanes: what a call takes, and whether the turn of this number is clean. A second goes by with each turn."""
    number: dict[str, int] = dict.fromkeys(lanes, 0)
    now = [0.0]

    def turn(lane: str, case: object, calls: int, lead: int, terms: Terms, count: int) -> Batch:
        clean = lanes[lane][1](number[lane])
        number[lane] += 1
        now[0] += 1.0
        return Batch(
            100 * count, 0, (100,) * count, waited_ns=500_000_000,
            chain_ns=(0.25,) * (count + 1), tput_ns=(0.05 if clean else 0.06,) * (count + 1),
        )  # fmt: skip

    monkeypatch.setattr(module, "timed_batch", turn)
    monkeypatch.setattr(module, "still_right", lambda contestant: "")
    monkeypatch.setattr(module, "settle", lambda *arguments: [])
    monkeypatch.setattr(module, "awake_s", lambda: now[0])
    contestants = [Contestant(lane, proven(), ns) for lane, (ns, _) in lanes.items()]
    chosen = Settings(**{"rounds": 3, "batches_per_turn": 2, "dropped_batches": 2, "lead_calls": 0, **settings})
    return run_rounds(contestants, chosen, np.random.default_rng(1), gate), number


ALWAYS: Callable[[int], bool] = lambda turn: True  # noqa: E731
NEVER: Callable[[int], bool] = lambda turn: False  # noqa: E731


def test_a_pass_has_the_rounds_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of two batches, and one that warms up; of two lanes, each once a round."""
    gate = Gate()
    found, turns = a_pass(monkeypatch, {"a@1": (1000.0, ALWAYS), "b@1": (1000.0, ALWAYS)}, gate)
    assert turns == {"a@1": 4, "b@1": 4} and found.cpus == (1, 1, 1, 1)
    assert all(sorted(drawn) == [0, 1] for drawn in found.order) and len(set(found.order)) == 2
    assert (found.timed_ns, found.waited_s, found.readings.size) == (8 * 200, 4.0, 8 * 3)
    assert gate.told == [(1.0, 0.0)] * 3  # half a second of each turn was waited
    assert a_pass(monkeypatch, {"a@1": (1000.0, ALWAYS)}, Gate(cpu=None))[0].cpus == ()


def test_calls_of_a_pass_differ_by_its_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes = {f"{name}@1": (1000.0, ALWAYS) for name in "abcdef"}
    found, _ = a_pass(monkeypatch, lanes, Gate(), jitter=0.5)
    draws = np.random.default_rng(1).random(6)
    assert [one.calls for one in found.samples] == [round(100 * (1 + 0.5 * (2 * draw - 1))) for draw in draws]
    assert {one.calls for one in a_pass(monkeypatch, lanes, Gate(), jitter=0.0)[0].samples} == {100}


def test_a_lane_of_fewer_turns_takes_them_spread_over_the_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 64 batches in turns of 8, and one of 20 calls of 8.1 ms in turns of seven requests."""
    settings = {"rounds": 8, "batches_per_turn": 8, "slow_most_us": 1e6}
    found, requests = a_pass(monkeypatch, {"a@1": (1000.0, ALWAYS), "b@1": (8.1e6, ALWAYS)}, Gate(), **settings)
    assert requests == {"a@1": 9, "b@1": 4 * 7}
    assert [index for index, drawn in enumerate(found.order) if 1 in drawn] == [0, 3, 5, 8]
    assert found.samples[1].rounds == (0,) * 7 + (3,) * 7 + (5,) * 7 + (8,) * 7


def test_what_needs_one_turn_stays_for_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eleven requests of two batches five are disturbed: it makes as many more, and no other round follows."""
    lucky: Callable[[int], bool] = lambda turn: turn not in (1, 2, 3, 4, 5)  # noqa: E731
    settings = {"rounds": 8, "batches_per_turn": 8, "slow_rounds": 20, "slow_most_us": 1e6}
    found, requests = a_pass(monkeypatch, {"a@1": (2e6, lucky)}, Gate(), **settings)
    assert requests == {"a@1": 16} and found.order == ((0,),)
    never, requests = a_pass(monkeypatch, {"a@1": (2e6, NEVER)}, Gate(ends=1), **settings)
    assert requests == {"a@1": 22} and never.order == ((0,),)


def test_rounds_are_added_in_which_every_lane_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until one has twice its number: it sits out."""
    unlucky: Callable[[int], bool] = lambda turn: turn > 7  # noqa: E731
    found, turns = a_pass(monkeypatch, {"a@1": (1000.0, ALWAYS), "b@1": (1000.0, unlucky)}, Gate())
    assert turns == {"a@1": 7, "b@1": 11}
    assert [len(drawn) for drawn in found.order] == [2] * 7 + [1] * 4


@pytest.mark.parametrize(("longest", "rounds"), [(2.0, 16), (3.0, 24)])
def test_a_pass_without_anything_clean_ends_after_twice_its_longest(
    monkeypatch: pytest.MonkeyPatch, longest: float, rounds: int
) -> None:
    """Of four planned rounds. The first one warms up and is no vain one; from then on its seconds are lost."""
    gate = Gate()
    found, turns = a_pass(monkeypatch, {"a@1": (1000.0, NEVER)}, gate, longest_pass=longest)
    assert turns == {"a@1": rounds} and len(found.order) == rounds
    assert gate.told[:2] == [(0.5, 0.0)] * 2 and set(gate.told[2:]) == {(1.0, 1.0)}


def test_a_pass_in_which_something_is_clean_ends_after_its_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two lanes of which one never is: rounds that gave something count."""
    _, turns = a_pass(monkeypatch, {"a@1": (1000.0, lambda turn: turn % 2 == 0), "b@1": (1000.0, NEVER)}, Gate(), longest_pass=2.0)  # fmt: skip
    assert turns["b@1"] == 13  # of eight that gave something the first two warmed up


@pytest.mark.parametrize(("gate", "rounds"), [(Gate(ends=2), 2), (Gate(late=3), 3)])
def test_a_pass_ends_when_it_is_told_to(monkeypatch: pytest.MonkeyPatch, gate: Gate, rounds: int) -> None:
    assert a_pass(monkeypatch, {"a@1": (1000.0, NEVER)}, gate)[1] == {"a@1": rounds}


def test_what_is_wrong_after_the_timed_calls_gives_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    a_pass(monkeypatch, {"a@1": (1000.0, ALWAYS)}, Gate())
    monkeypatch.setattr(module, "still_right", lambda one: "other bytes" if one.lane == "b@1" else "")
    lanes = [Contestant(lane, proven(), 1000.0) for lane in ("a@1", "b@1")]
    turn = Batch(200, 0, (100, 100))
    monkeypatch.setattr(module, "timed_batch", lambda *arguments: turn)
    monkeypatch.setattr(module, "settle", lambda *arguments: [])
    gate: Any = Gate()
    with pytest.raises(LaneFailed) as caught:
        run_rounds(lanes, Settings(rounds=1, batches_per_turn=2), np.random.default_rng(1), gate)
    assert (caught.value.lane, caught.value.detail) == ("b@1", "after the timed calls: other bytes")
