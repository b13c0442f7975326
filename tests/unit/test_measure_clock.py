# SPDX-License-Identifier: Apache-2.0
"""Calls that are timed one by one and take less than the probes around them: what the system counts of a turn of many tells whether their times can be true."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cipherstone.measure import rounds
from cipherstone.measure.clock import MANY_TRIES, TurnsSeen, need_true_rate, own_cost, short_calls_problem
from cipherstone.measure.rounds import Contestant, LaneCrashed, _Turns, time_limit_s
from cipherstone.model.errors import WorkerError
from cipherstone.model.records import Settings
from cipherstone.protocol.messages import Batch
from cipherstone.worker.claims import OwnCost, Seen

OWN = OwnCost(40_000.0, 12_000.0)
CALL_NS = 7_000
ASKED = [1_000_000, 1_000_000, 1_000_000, 4_000_000, 16_000_000]  # calls of 2 ns in the turns that tell the rate


class Counted:
    """A worker whose turns of many calls the system counts. `claims`, `takes`: ns of a call as it says and as it is, turn by turn, the last for all further ones; `counts`: whether the system tells."""

    def __init__(self, claims: list[float], takes: list[float], counts: bool = True) -> None:
        self.claims, self.takes, self.counts = claims, takes, counts
        self.seen = Seen(0)
        self.turns = 0

    def __call__(self, calls: int) -> int:
        at = min(self.turns, len(self.claims) - 1), min(self.turns, len(self.takes) - 1)
        self.turns += 1
        used = round(self.takes[at[1]] * calls + OWN.ns)
        self.seen = Seen(2 * used, used if self.counts else None)
        return round(self.claims[at[0]] * calls)


def problem(worker: Any, ns: list[int] | None = None, own: OwnCost | None = OWN) -> str:
    return short_calls_problem(own, worker, [CALL_NS] * 64 if ns is None else ns, CALL_NS, worker)


def test_honest_times_are_believed_after_one_turn() -> None:
    """The probes of a single call take more than twice as long as the call; nothing of them is left in a turn of many."""
    worker = Counted([CALL_NS], [CALL_NS])
    assert problem(worker) == ""
    assert worker.turns == 1


def test_one_quiet_turn_is_enough() -> None:
    """A neighbour who slows most of the turns down, claims and count alike, harms nobody."""
    slow = 2.5 * CALL_NS
    worker = Counted([slow, slow, CALL_NS], [slow, slow, CALL_NS])
    assert problem(worker) == ""
    assert worker.turns == 3


def test_what_became_slower_since_is_in_doubt() -> None:
    slow = 2.5 * CALL_NS
    found = problem(worker := Counted([slow], [slow]))
    assert found == "claims 7000 ns a call where the system counted 1.75e+04 ns of CPU time"
    assert worker.turns == MANY_TRIES


def test_times_that_are_true_of_many_calls_alone_are_no_figure() -> None:
    """A worker that tells a third of each single call, and the truth where it is looked at."""
    found = problem(Counted([CALL_NS], [CALL_NS]), [CALL_NS // 3] * 64)
    assert found == "claims 2333 ns a call where the system counted 7000 ns of CPU time"


def test_a_clock_that_runs_at_half_is_accused() -> None:
    worker = Counted([CALL_NS / 2], [CALL_NS])
    with pytest.raises(WorkerError, match=r"^protocol: claims 3500 ns a call where the system counted 7000 ns of CPU"):
        problem(worker, [CALL_NS // 2] * 64)
    assert worker.turns == MANY_TRIES


@pytest.mark.parametrize(
    ("worker", "ns", "own"),
    [
        (Counted([1.0], [CALL_NS], counts=False), [1] * 64, OWN),
        (Counted([1.0], [CALL_NS]), [1] * 64, None),
        (Counted([1.0], [CALL_NS]), [], OWN),
    ],
)
def test_without_a_count_or_times_nothing_is_said(worker: Counted, ns: list[int], own: OwnCost | None) -> None:
    assert problem(worker, ns, own) == ""


class Turns:
    """A worker of which the system counts so much, turn by turn, the last for all further ones; `claims` what it says. `asked`: what was asked of it."""

    def __init__(self, counts: list[int | None], claims: list[int] | None = None) -> None:
        self._counts, self._claims = counts, claims or [0]
        self.seen = Seen(0)
        self.asked: list[tuple[int, int, int, bool, int]] = []

    def run(self, case: int, calls: int, lead: int = 0, probe: bool = False, *, batches: int = 1) -> Any:
        at = len(self.asked)
        self.asked.append((case, calls, lead, probe, batches))
        self.seen = Seen(0, self._counts[min(at, len(self._counts) - 1)])
        return SimpleNamespace(ns=self._claims[min(at, len(self._claims) - 1)])


def test_a_turns_own_cost_is_the_least_of_three_and_what_seven_batches_add() -> None:
    worker: Any = Turns([50, 40, 45, 200, 190, 180])
    assert own_cost(worker, 9) == OwnCost(40.0, 20.0)
    assert worker.asked == [(9, 1, 0, True, 1)] * 3 + [(9, 1, 0, True, 8)] * 3
    assert own_cost(Turns([50, 40, 45, 30]), 9) == OwnCost(40.0, 0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("missing", range(6))
def test_without_a_count_of_the_system_there_is_no_own_cost(missing: int) -> None:
    counts: list[int | None] = [50] * 6
    counts[missing] = None
    worker: Any = Turns(counts)
    assert own_cost(worker, 9) is None and len(worker.asked) == missing + 1


@pytest.mark.parametrize(
    ("claims", "turns"),
    [([1_800_000], 1), ([2_000_000], 1), ([9_000_000], 1), ([1_799_999, 1_800_000], 2), ([0, 0, 0, 0, 1_800_000], 5)],
)
def test_a_clock_that_once_reaches_nine_tenths_of_the_count_is_believed(claims: list[int], turns: int) -> None:
    """Of what is left of the count without the turn's own part."""
    worker: Any = Turns([2_040_000], claims)
    need_true_rate(worker, 9, 2.0, OWN)
    assert worker.asked == [(9, calls, 0, False, 1) for calls in ASKED[:turns]]


def test_a_turn_s_own_part_that_varies_is_no_slow_clock() -> None:
    """An interpreter took 0.8 ms more for each turn than when it was asked what a turn costs: longer ones tell."""

    class Interpreted(Turns):
        def run(self, case: int, calls: int, *more: Any, **options: Any) -> Any:
            self._counts, self._claims = [2 * calls + 840_000], [2 * calls]
            return super().run(case, calls, *more, **options)

    worker: Any = Interpreted([0], [0])
    need_true_rate(worker, 9, 2.0, OWN)
    assert [asked[1] for asked in worker.asked] == ASKED[:4]


def test_a_clock_that_never_does_is_refused() -> None:
    worker: Any = Turns([2_040_000], [1_000_000, 1_700_000, 1_500_000])
    with pytest.raises(WorkerError, match=r"its clock runs at 0\.85 of the CPU time that the system counted"):
        need_true_rate(worker, 9, 2.0, OWN)
    assert len(worker.asked) == len(CHECK_NS)


@pytest.mark.parametrize(
    ("empty_ns", "calls"),
    [
        (2.0, 1_000_000),
        (0.0, 100_000_000),
        (0.01, 100_000_000),
        (0.02, 100_000_000),
        (0.021, 95_238_095),
        (2e6, 1),
        (5e9, 1),
    ],
)
def test_the_turn_that_tells_the_rate_takes_two_milliseconds(empty_ns: float, calls: int) -> None:
    """One call at least, and no more than a hundred million."""
    worker: Any = Turns([1], [1])
    need_true_rate(worker, 9, empty_ns, OWN)
    assert [asked[1] for asked in worker.asked] == [calls]


def test_no_more_than_half_of_a_count_is_the_turns_own() -> None:
    worker: Any = Turns([50_000], [22_400])
    with pytest.raises(WorkerError, match=r"0\.896"):
        need_true_rate(worker, 9, 2.0, OWN)
    need_true_rate(Turns([50_000], [22_500]), 9, 2.0, OWN)  # type: ignore[arg-type]


@pytest.mark.parametrize(("own", "count"), [(None, 2_000_000), (OWN, None), (None, None)])
def test_without_a_count_the_rate_is_not_judged(own: OwnCost | None, count: int | None) -> None:
    worker: Any = Turns([count], [1])
    need_true_rate(worker, 9, 2.0, own)
    assert len(worker.asked) == 1


def counted_turns(*counts: int | None, own: OwnCost | None = OWN) -> TurnsSeen:
    """Turns of which the system counts so much, 1000 ns of it for waiting."""
    seen = TurnsSeen(own)
    for count in counts:
        seen.add(SimpleNamespace(seen=Seen(0, count)), 1000)  # type: ignore[arg-type]
    return seen


@pytest.mark.parametrize(
    ("ns", "said"),
    [
        ([42_000] * 4, ""),
        ([25_200] * 4, ""),
        ([24_000, 60_000] * 2, "claims 4000 ns a call where the system counted 7000 ns of CPU time"),  # in doubt
    ],
)
def test_batches_are_held_against_the_count_of_their_turns(ns: list[int], said: str) -> None:
    """A turn of two batches of six calls, one that leads in, and what such a turn costs by itself."""
    count = 13 * CALL_NS + 52_000 + 1000
    assert counted_turns(count, count).problem(ns, 6, 1, 2) == said
    assert counted_turns(count, None, count).problem(ns, 6, 1, 2) == said
    assert counted_turns(None).problem(ns, 6, 1, 2) == counted_turns(count, own=None).problem([1], 6, 1, 2) == ""


def test_batches_that_are_all_too_short_are_accused() -> None:
    count = 13 * CALL_NS + 52_000 + 1000
    with pytest.raises(WorkerError, match=r"^protocol: claims 4000 ns a call"):
        counted_turns(count, count).problem([24_000] * 4, 6, 1, 2)
    assert counted_turns(500).problem([1], 6, 1, 2) == ""  # it waited for longer than it was counted


def alone(own: OwnCost | None, ns: float = 1000.0) -> _Turns:
    worker = SimpleNamespace(own_cost=own)
    proven = SimpleNamespace(cold=False, parted=False, worker=worker, number=3, ring=1)
    return _Turns(Contestant("a@1", proven, ns, True), Settings(), 1.0)  # type: ignore[arg-type]


def test_what_is_asked_where_short_calls_are_timed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of many calls between probes, without a lead; the doubt goes with the samples."""
    asked: list[tuple[Any, ...]] = []

    def timed(*values: Any) -> Batch:
        asked.append(values)
        return Batch(77_000, 0)

    def judged(own: Any, worker: Any, ns: Any, ns_per_call: float, many: Any) -> str:
        return f"{own.ns:.0f} {len(ns)} {ns_per_call:.0f} {many(7)}"

    monkeypatch.setattr(rounds, "timed_batch", timed)
    monkeypatch.setattr(rounds, "short_calls_problem", judged)
    one = alone(OWN)
    one.need_true_times()
    assert one.samples().doubt == "40000 0 1000 77000"
    assert [values[0] for values in asked] == ["a@1"] and asked[0][2:] == (7, 0, True, time_limit_s(7000.0))
    long = alone(OWN, 1e6)  # the count of its own turn tells of the call
    long.need_true_times()
    assert long.samples().doubt == "" and len(asked) == 1


def test_a_claim_that_cannot_be_is_the_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> str:
        raise WorkerError("crashed", "protocol: it lies")

    monkeypatch.setattr(rounds, "short_calls_problem", broken)
    with pytest.raises(LaneCrashed, match="it lies") as caught:
        alone(OWN).need_true_times()
    assert caught.value.lane == "a@1"
