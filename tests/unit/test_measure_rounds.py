# SPDX-License-Identifier: Apache-2.0
"""How many batches a lane needs, and that a pass ends by the same judgement by which its batches then count."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.measure import rounds
from cipherstone.measure.rounds import Contestant, Rounds, _clean, _schedule, batches_for, calibrate, run_rounds
from cipherstone.model.records import LaneSamples, Settings
from cipherstone.protocol.messages import Batch
from cipherstone.stats.batches import lane_batches
from cipherstone.stats.passvalue import smallest
from cipherstone.worker.terms import Terms

REFERENCE, THRESHOLD = 5.0, 0.97


@pytest.mark.parametrize(
    ("ns_per_call", "batches"),
    [
        (1.0, 64),  # 8 rounds of 8
        (100_000.0, 64),  # as long as a batch
        (150_000.0, 43),  # so that it takes no more time than others
        (330_000.0, 20),  # as few as slow calls have
        (1e6, 20),  # as many as take 20 ms
        (1.25e6, 16),
        (2e6, 10),
        (3e6, 10),  # but no fewer than that
        (3.1e6, 8),
        (50e6, 8),
        (50.1e6, 5),
    ],
)
def test_slow_lanes_need_fewer_batches(ns_per_call: float, batches: int) -> None:
    assert batches_for(ns_per_call, Settings()) == batches
    assert batches_for(ns_per_call, Settings(rounds=1, batches_per_turn=4)) == min(batches, 4)


@given(st.floats(0.1, 1e9))
def test_what_a_lane_needs_is_enough_for_a_figure(ns_per_call: float) -> None:
    """With the settings of an ordinary run."""
    settings = Settings()
    calls = max(1, round(settings.batch_us * 1e3 / ns_per_call))
    assert batches_for(ns_per_call, settings) >= smallest(calls, ns_per_call > settings.slow_ns)


class Core:
    """A core that somebody else uses too: `call_ns` a call, `cold_ns` more for each batch, and the readings of these numbers are interrupted for six milliseconds."""

    def __init__(self, call_ns: float, cold_ns: float = 0.0, interrupted: tuple[int, ...] = ()) -> None:
        self.call_ns, self.cold_ns, self.interrupted = call_ns, cold_ns, interrupted
        self.calls: list[int] = []

    def __call__(self, lane: str, proven: object, calls: int, lead: int, terms: Terms) -> Batch:
        late = 6e6 if len(self.calls) in self.interrupted else 0.0
        self.calls.append(calls)
        return Batch(round(self.cold_ns + calls * self.call_ns + late), 0)


@pytest.mark.parametrize(
    ("core", "readings"),
    [
        (Core(80.0), 10),
        (Core(80.0, interrupted=(0,)), 10),
        (Core(80.0, interrupted=(0, 1, 5)), 12),
        (Core(80.0, cold_ns=12_500.0), 14),  # of which the first call alone took a hundred and fifty times as long
        (Core(80.0, cold_ns=60_000.0), 18),
        (Core(70_000.0), 10),
        (Core(6e6), 3),
        (Core(6e6, interrupted=(0,)), 3),
    ],
)
def test_what_a_call_costs_is_found_beside_others(core: Core, readings: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a batch is as long as it should be: of the same magnitude, whoever interrupts, and by few readings."""
    monkeypatch.setattr(rounds, "timed_batch", core)
    batch_ns = 100_000.0
    found = calibrate("a@1", None, batch_ns)  # type: ignore[arg-type]
    assert core.call_ns <= found <= 2 * core.call_ns
    assert len(core.calls) <= readings


readings = st.lists(
    st.tuples(
        st.one_of(st.floats(0.2, 0.5), st.sampled_from([0.0, 0.25, 0.252, 0.26])),
        st.one_of(st.floats(2.0, 6.0), st.just(5.0)),
    ),
    min_size=2,
    max_size=20,
)


@given(readings)
def test_a_pass_ends_by_what_counts_afterwards(turn: list[tuple[float, float]]) -> None:
    """Chain readings that no core gives are no matter of when to end: they are rare, and judged at the end."""
    chain, tput = [c for c, _ in turn], [c / i for c, i in turn]
    batches = len(turn) - 1
    samples = LaneSamples("a@1", 1, (1,) * batches, per_turn=batches, chain_ns=tuple(chain), tput_ns=tuple(tput))
    judged = lane_batches(samples, 0)
    ended = _clean(chain, tput, THRESHOLD * REFERENCE)
    for counts, high, now in zip(judged.clean(REFERENCE, THRESHOLD), judged.ipc_high, ended, strict=True):
        assert now or not counts
        assert counts or not now or high > 1.05 * REFERENCE
    assert _clean(chain, tput, None) == [True] * batches  # nothing is known of the core: nothing is thrown away


@given(st.integers(1, 60), st.integers(1, 60))
def test_turns_of_a_slow_lane_are_spread_over_the_pass(own: int, total: int) -> None:
    found = _schedule(own, total)
    assert len(found) == min(own, total) and found <= set(range(total))
    if 2 <= own < total:
        assert {0, total - 1} <= found
        gaps = [b - a for a, b in zip(sorted(found), sorted(found)[1:], strict=False)]
        assert max(gaps) - min(gaps) <= 1


class ShortOfTime:
    """A gate whose pass has had its share of the time after so many rounds, on a core that is known."""

    cpu: int | None = None
    quiet: float | None = THRESHOLD * REFERENCE
    wait_us = 0.0

    def __init__(self, rounds: float) -> None:
        self.left = rounds

    def goes_on(self, lost_s: float, vain_s: float) -> bool:
        self.left -= 1
        return True

    def late(self) -> bool:
        return False

    def enough(self) -> bool:
        return self.left <= 0


def pass_beside_others(gate: ShortOfTime, dirty: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> Rounds:
    """A pass of lanes of which the first turns, as many as given, find nothing clean."""
    left = dict(dirty)

    def turn(lane: str, proven: object, calls: int, lead: int, terms: Terms, batches: int) -> Batch:
        tput = 0.05 if left[lane] <= 0 else 0.06
        left[lane] -= 1
        readings = ((0.25,) * (batches + 1), (tput,) * (batches + 1))
        return Batch(batches * 1000, 0, (1000,) * batches, chain_ns=readings[0], tput_ns=readings[1], waited_ns=0)

    worker = SimpleNamespace(turn_overhead=None, seen=SimpleNamespace(cpu_ns=None))
    proven: Any = SimpleNamespace(cold=False, parted=True, worker=worker, ring=1)
    monkeypatch.setattr(rounds, "timed_batch", turn)
    monkeypatch.setattr(rounds, "settle", lambda *arguments: [])
    monkeypatch.setattr(rounds, "still_right", lambda contestant: "")
    lanes = [Contestant(lane, proven, 1.0) for lane in dirty]
    return run_rounds(lanes, Settings(), np.random.default_rng(1), gate)


def test_where_time_is_short_only_lanes_without_a_figure_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the unluckiest lane takes all of them along, on a machine where every turn costs a wait."""
    found = pass_beside_others(ShortOfTime(2), {"lucky@1": 0, "usual@1": 1, "unlucky@1": 9}, monkeypatch)
    turns = {one.lane: len(one.ns) // one.per_turn for one in found.samples}
    needed, dropped, each = smallest(1000, False), Settings().dropped_batches, Settings().batches_per_turn
    assert turns == {
        "lucky@1": -(-(needed + dropped) // each),
        "usual@1": 1 - (-needed // each),
        "unlucky@1": 9 - (-needed // each),
    }
    assert len(found.order[0]) == 3 and len(found.order[-1]) == 1
    for one in found.samples:
        assert lane_batches(one, dropped).clean(REFERENCE, THRESHOLD).sum() >= needed


def test_with_time_every_lane_takes_part_in_the_rounds_that_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """So what is compared was taken in the same stretch of time."""
    found = pass_beside_others(ShortOfTime(1e9), {"lucky@1": 0, "unlucky@1": 3}, monkeypatch)
    assert {len(drawn) for drawn in found.order} == {2}
