# SPDX-License-Identifier: Apache-2.0
"""Calls that are timed one by one and take less than the probes around them: what the system counts of a turn of many tells whether their times can be true."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cipherstone.measure import clock as module
from cipherstone.measure import rounds
from cipherstone.measure.clock import (
    MANY_TRIES,
    TurnsSeen,
    need_true_rate,
    rate_of_calls,
    short_calls_problem,
    turn_overhead,
)
from cipherstone.measure.rounds import Contestant, LaneCrashed, _Turns, time_limit_s
from cipherstone.model.errors import WorkerError
from cipherstone.model.records import Settings
from cipherstone.protocol.messages import Batch
from cipherstone.worker.claims import Seen, TurnOverhead
from cipherstone.worker.terms import PROBED, Terms

OWN = TurnOverhead(40_000.0, 12_000.0)
CALL_NS = 7_000
PAIRS = 10  # turns of one call and of many, five each, that tell the rate of a clock


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


def problem(worker: Any, ns: list[int] | None = None, own: TurnOverhead | None = OWN) -> str:
    return short_calls_problem(own, worker, [CALL_NS] * 64 if ns is None else ns, CALL_NS, worker)


def test_honest_times_are_believed_after_one_turn() -> None:
    """The probes of a single call take more than twice as long as the call; nothing of them is left in a turn of many."""
    worker = Counted([CALL_NS], [CALL_NS])
    assert problem(worker) == ""
    assert worker.turns == 1 + PAIRS


def test_one_quiet_turn_is_enough() -> None:
    """A neighbour who slows most of the turns down, claims and count alike, harms nobody."""
    slow = 2.5 * CALL_NS
    worker = Counted([slow, slow, CALL_NS], [slow, slow, CALL_NS])
    assert problem(worker) == ""
    assert worker.turns == 3 + PAIRS


def drawn_ns(mean: float) -> list[int]:
    """Times of calls that repeat until a candidate is right, as signing with ML-DSA: half of them one try, a quarter two, and so on; the tenth of the quickest takes half of the mean."""
    return [round(mean / 2 * tries) for tries, times in ((1, 32), (2, 16), (3, 8), (4, 4), (5, 2), (6, 1), (7, 1)) for _ in range(times)]  # fmt: skip


def test_calls_that_draw_are_held_by_their_mean_and_median() -> None:
    ns = drawn_ns(CALL_NS)
    assert sorted(ns)[len(ns) // 10] < 0.6 * CALL_NS
    assert problem(Counted([CALL_NS], [CALL_NS]), ns) == ""
    # Most calls claim a third of a call, and a few take the rest: right in the mean, and no median of a draw.
    liar = [round(0.3 * CALL_NS)] * 40 + [round(13 / 6 * CALL_NS)] * 24
    told = problem(Counted([CALL_NS], [CALL_NS]), liar)
    assert told.startswith("claims 2100 ns a call in the median where the system counted ")
    half = problem(Counted([CALL_NS], [CALL_NS]), [one // 2 for one in ns])
    assert "a call in the mean where the system counted" in half


def test_what_became_slower_since_is_in_doubt() -> None:
    slow = 2.5 * CALL_NS
    found = problem(worker := Counted([slow], [slow]))
    assert found == "claims 7000 ns a call in the mean where the system counted 1.75e+04 ns of CPU time"
    assert worker.turns == MANY_TRIES + PAIRS


def test_times_that_are_true_of_many_calls_alone_are_no_figure() -> None:
    """A worker that tells a third of each single call, and the truth where it is looked at."""
    found = problem(Counted([CALL_NS], [CALL_NS]), [CALL_NS // 3] * 64)
    assert found == "claims 2333 ns a call in the mean where the system counted 7000 ns of CPU time"


def test_a_clock_that_runs_at_half_is_accused() -> None:
    worker = Counted([CALL_NS / 2], [CALL_NS])
    with pytest.raises(WorkerError, match=r"^untrue: claims 3500 ns a call where the system counted 7000 ns of CPU"):
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
def test_without_a_count_or_times_nothing_is_said(worker: Counted, ns: list[int], own: TurnOverhead | None) -> None:
    assert problem(worker, ns, own) == ""


class Clock:
    """A worker whose clock runs at `rate`: a turn of so many calls of `call_ns` each takes `overhead_ns` beside them. `disturbed`: numbers of turns in which it is interrupted for `lost_ns`; `counts`: whether the system counts. `asked`: calls of each turn."""

    def __init__(self, rate: float, disturbed: Any = (), counts: bool = True, lost_ns: float = 3e6) -> None:
        self.rate, self.disturbed, self.counts, self.lost_ns = rate, disturbed, counts, lost_ns
        self.call_ns, self.overhead_ns = 2.0, 40_000.0
        self.seen = Seen(0)
        self.asked: list[int] = []

    def __call__(self, calls: int) -> int:
        number = len(self.asked)
        self.asked.append(calls)
        lost = self.lost_ns if number in self.disturbed else 0.0
        used = round(calls * self.call_ns + self.overhead_ns)
        self.seen = Seen(round(used + lost), used if self.counts else None, 2 if lost else 1)
        return round((calls * self.call_ns + lost) * self.rate)

    def run(self, case: int, calls: int, lead: int = 0, *, terms: Terms) -> Any:
        assert (case, lead, terms) == (9, 0, PROBED)
        return SimpleNamespace(ns=self(calls))


def rate_of(clock: Any) -> float | None:
    found = rate_of_calls(clock, clock.call_ns * clock.rate, clock)
    return None if found is None else found.of_counted


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9, 0.95])
@pytest.mark.parametrize("disturbed", [(), range(0, 10_000, 3), [n for n in range(10_000) if n % 3]])
def test_a_clock_that_is_behind_shows_whoever_interrupts_it(rate: float, disturbed: Any) -> None:
    """One of three turns, two of three: what they claim says nothing, and the others tell."""
    assert rate_of(Clock(rate, disturbed)) == pytest.approx(rate, rel=1e-3)
    with pytest.raises(WorkerError, match=rf"its clock runs at {rate:.3g} of the CPU time that the system counted"):
        need_true_rate(Clock(rate, disturbed), 9, 2.0 * rate, OWN)  # type: ignore[arg-type]


@pytest.mark.parametrize("disturbed", [(), range(0, 10_000, 3), [n for n in range(10_000) if n % 3]])
def test_a_true_clock_is_believed(disturbed: Any) -> None:
    """After few turns; whoever interrupts it only makes them more."""
    clock = Clock(1.0, disturbed)
    assert need_true_rate(clock, 9, 2.0, OWN) == ""  # type: ignore[arg-type]
    assert set(clock.asked) == {1, 500_001} and len([c for c in clock.asked if c > 1]) <= 4 * 5


def test_an_interrupted_clock_that_is_behind_claims_more_than_was_counted() -> None:
    """What hid it before: one such turn, with a claim well above the count, was enough."""
    clock = Clock(0.7, range(1000))
    assert clock(500_001) > clock.seen.cpu_ns  # type: ignore[operator]
    assert rate_of(clock) is None
    said = need_true_rate(Clock(0.7, range(1000)), 9, 2.0, OWN)  # type: ignore[arg-type]
    assert said == "no turn of a worker was undisturbed: a clock that is behind would not be noticed"


def test_many_turns_are_asked_for_before_one_is_accused() -> None:
    """Five of a millisecond, then twenty of two; half a millisecond where those were always interrupted."""
    clock = Clock(0.95)
    rate_of(clock)
    lengths = sorted({*clock.asked} - {1})
    assert [clock.asked.count(calls) for calls in (1, *lengths)] == [25, 5, 20]
    assert [round(calls * clock.call_ns * clock.rate, -5) for calls in lengths] == [1e6, 2e6]

    class Restless(Clock):
        def __call__(self, calls: int) -> int:
            self.disturbed = range(10_000) if calls > 400_000 else ()
            return super().__call__(calls)

    assert rate_of(Restless(0.95)) == pytest.approx(0.95, rel=1e-3)
    assert rate_of(Restless(1.0)) == pytest.approx(1.0)


class Uneven(Clock):
    """Its own part of a turn varies from turn to turn, by up to `by_ns`."""

    def __init__(self, rate: float, by_ns: float) -> None:
        super().__init__(rate)
        self.by_ns = by_ns

    def __call__(self, calls: int) -> int:
        self.overhead_ns = 40_000.0 + self.by_ns * (len(self.asked) * 0.618 % 1)
        return super().__call__(calls)


@pytest.mark.parametrize(
    ("rate", "by_ns", "long"),
    [(0.99, 20_000, 5), (0.975, 200_000, 25), (0.957, 200_000, 85), (0.93, 200_000, 25), (0.95, 500_000, 85)],
)
def test_a_rate_that_is_not_known_well_is_asked_for_again(rate: float, by_ns: float, long: int) -> None:
    """Believed where it is above the limit by its error, accused where it is below by it; else more turns tell, and at last the end of the error that favours the worker decides."""
    clock = Uneven(rate, by_ns)
    found = rate_of(clock)
    assert found is not None and (found >= module.RATE_AT_LEAST) == (rate > 0.955 or by_ns > 400_000)
    assert sum(calls > 1 for calls in clock.asked) == long


def test_a_worker_that_sleeps_in_every_turn_is_judged_by_what_it_claims_of_it() -> None:
    """Nothing, so that no sleep is among its claims."""

    class Sleeper(Clock):
        def __call__(self, calls: int) -> int:
            claimed = super().__call__(calls)
            self.seen = Seen(self.seen.wall_ns + 1_000_000, self.seen.cpu_ns, 2)
            return claimed

    assert rate_of(Sleeper(1.0)) == pytest.approx(1.0)
    assert rate_of(Sleeper(0.9)) == pytest.approx(0.9, rel=1e-3)


def test_a_step_of_the_clock_and_a_claim_of_nothing_bound_the_turns() -> None:
    clock = Clock(1.0)
    need_true_rate(clock, 9, 2.0, OWN, 50_000)  # type: ignore[arg-type]
    assert max(clock.asked) == 2_500_001  # a hundred steps
    nothing = Clock(1e-9)
    with pytest.raises(WorkerError, match="its clock runs at"):
        need_true_rate(nothing, 9, 0.0, OWN)  # type: ignore[arg-type]
    assert max(nothing.asked) == 100_000_000


def test_without_a_count_it_is_said_that_nobody_looked() -> None:
    told = "the system counts no CPU time of a worker: a clock that is behind would not be noticed"
    assert need_true_rate(Clock(0.1, counts=False), 9, 2.0, None) == told  # type: ignore[arg-type]


class Trials:
    """Turns of which the system counts so much; `turns`: how often the worker got a CPU in each."""

    def __init__(self, counts: list[int | None], turns: list[int] | None = None) -> None:
        self._counts, self._turns = counts, turns or [1]
        self.seen = Seen(0)
        self.asked: list[tuple[int, int, int, bool, int]] = []

    def run(self, case: int, calls: int, lead: int = 0, batches: int = 1, *, terms: Terms) -> Any:
        at = len(self.asked)
        self.asked.append((case, calls, lead, terms.probe, batches))
        self.seen = Seen(0, self._counts[at % len(self._counts)], self._turns[at % len(self._turns)])
        return SimpleNamespace(ns=1)


def test_a_turns_own_cost_is_the_median_and_what_seven_batches_add() -> None:
    """And by how much single ones differ."""
    worker: Any = Trials([50, 40, 45, 48, 41, 200, 190, 180, 185, 195])
    assert turn_overhead(worker, 9) == TurnOverhead(45.0, (190 - 45) / 7, 5.0)
    assert worker.asked == [(9, 1, 0, True, 1)] * 5 + [(9, 1, 0, True, 8)] * 5
    assert turn_overhead(Trials([50]), 9) == TurnOverhead(50.0, 0.0, 0.0)  # type: ignore[arg-type]


def test_interrupted_turns_do_not_tell_the_own_cost_unless_all_are() -> None:
    """Four times as many are asked for at most."""
    worker: Any = Trials([900, 50], [2, 1])
    assert turn_overhead(worker, 9) == TurnOverhead(50.0, 0.0, 0.0) and len(worker.asked) == 20
    restless: Any = Trials([70], [2])
    assert turn_overhead(restless, 9) == TurnOverhead(70.0, 0.0, 0.0) and len(restless.asked) == 40


@pytest.mark.parametrize("missing", range(10))
def test_without_a_count_of_the_system_there_is_no_own_cost(missing: int) -> None:
    counts: list[int | None] = [50] * 10
    counts[missing] = None
    worker: Any = Trials(counts)
    assert turn_overhead(worker, 9) is None and len(worker.asked) == missing + 1


def counted_turns(*counts: int | None, own: TurnOverhead | None = OWN) -> TurnsSeen:
    """Turns of which the system counts so much, 1000 ns of it for waiting."""
    seen = TurnsSeen(own)
    for count in counts:
        seen.add(Seen(0, count, 1), Batch(1, 0, waited_ns=1000))
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
    with pytest.raises(WorkerError, match=r"^untrue: claims 4000 ns a call"):
        counted_turns(count, count).problem([24_000] * 4, 6, 1, 2)
    assert counted_turns(500).problem([1], 6, 1, 2) == ""  # it waited for longer than it was counted


def alone(own: TurnOverhead | None, ns: float = 1000.0) -> _Turns:
    worker = SimpleNamespace(turn_overhead=own)
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
    assert [values[0] for values in asked] == ["a@1"] and asked[0][2:] == (7, 0, Terms(True, time_limit_s(7000.0)))
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


CALLS, BATCHES = 10, 8
CALL, WAITED = 10_000.0, 30_000
TURN_OWN = OWN.of(BATCHES)


def pass_of(rate: float, turns: int = 9, disturbed: Any = (), by_cpu: bool = False, extra_ns: float = 0.0) -> TurnsSeen:
    """A pass whose worker's clock runs at `rate`, of turns of eight batches of ten calls and one that leads in. `extra_ns`: of the system's count that nothing explains."""
    seen = TurnsSeen(OWN, by_cpu)
    for number in range(turns):
        lost = 3e6 if number in disturbed else 0.0
        used = round((CALLS * BATCHES + 1) * CALL + TURN_OWN + WAITED + extra_ns)
        claimed = round((CALLS * BATCHES * CALL + lost) * rate)
        cpu = round(CALLS * BATCHES * CALL * rate)
        seen.add(Seen(round(used + lost), used, 2 if lost else 1), Batch(claimed, 0, cpu_ns=cpu, waited_ns=WAITED))
    return seen


def judged(seen: TurnsSeen, rate: float, disturbed: Any = ()) -> tuple[str, int]:
    """What is said of a pass, and how many turns more were asked for; of a worker whose clock runs at `rate` in these."""
    clock: Any = Clock(rate, disturbed)
    clock.call_ns = CALL
    return seen.rate_problem(clock, CALLS, 1, BATCHES, clock, CALL), len(clock.asked)


@pytest.fixture(autouse=True)
def no_spot_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.random, "random", lambda: 0.5)


def test_a_pass_that_claims_what_was_counted_is_believed_at_once() -> None:
    """Interrupted turns tell nothing, nor does what the system counts of a neighbour's share of the worker's own part."""
    assert judged(pass_of(1.0), 1.0) == judged(pass_of(1.0, disturbed=(0, 2, 5)), 1.0) == ("", 0)
    assert judged(pass_of(1.0, extra_ns=10_000), 1.0) == ("", 0)


@pytest.mark.parametrize("disturbed", [(), (0, 1, 2, 3, 4, 5), range(9)])
@pytest.mark.parametrize("by_cpu", [False, True])
def test_a_clock_that_is_behind_in_an_operation_is_accused(disturbed: Any, by_cpu: bool) -> None:
    """By further turns of this operation, whatever the empty calls said; also where every turn of the pass was interrupted."""
    with pytest.raises(WorkerError, match=r"its clock runs at 0\.9[45]\d* of"):
        if by_cpu:
            long = TurnsSeen(OWN, True)
            for _ in range(9):
                long.add(Seen(9_000_000, 5_000_000 + 40_000, 4), Batch(8_000_000, 0, cpu_ns=4_680_000))
            long.rate_problem(Clock(1.0), 1, 0, 1, Clock(1.0), 5e6)  # type: ignore[arg-type]
            raise AssertionError("not accused")
        judged(pass_of(0.95, disturbed=disturbed), 0.95)


def test_the_cpu_time_of_slow_calls_is_judged_in_interrupted_turns_too() -> None:
    long = TurnsSeen(OWN, True)
    for _ in range(9):
        long.add(Seen(90_000_000, 5_000_000 + 40_000, 4), Batch(80_000_000, 0, cpu_ns=5_000_000))
    clock: Any = Clock(0.5)
    assert long.rate_problem(clock, 1, 0, 1, clock, 5e6) == "" and clock.asked == []


def test_what_further_turns_acquit_is_believed_unless_far_below() -> None:
    """The own part of a turn may have grown; a worker may know which turns are looked at."""
    assert judged(pass_of(1.0, extra_ns=40_000), 1.0) == ("", 10)
    said, _ = judged(pass_of(0.8), 1.0)
    assert said.startswith("claims 0.8") and said.endswith("of the CPU time that the system counted of its turns")


def test_a_clock_that_cannot_be_looked_at_makes_no_figure() -> None:
    told = "too few of its turns were undisturbed for its clock to be held against the CPU time that the system counted"
    assert judged(pass_of(1.0, disturbed=range(9)), 1.0, range(10_000))[0] == told
    assert judged(pass_of(1.0, turns=2), 1.0) == ("", 10)


@pytest.mark.parametrize("claimed_ns", [1, 5_000_000])
def test_turns_that_tell_nothing_of_a_call_ask_for_no_endless_one(claimed_ns: int) -> None:
    """A worker that waits longer than it computes, as the system counts, in turns that are interrupted: what a call is known to take decides how many make a turn."""
    seen = TurnsSeen(OWN)
    for _ in range(9):
        seen.add(Seen(9_000_000, 1_000_000, 2), Batch(claimed_ns, 0, waited_ns=2_000_000))
    clock: Any = Clock(1.0)
    clock.call_ns = CALL
    seen.rate_problem(clock, CALLS, 1, BATCHES, clock, CALL)
    assert clock.asked, "the pass told nothing"
    assert max(clock.asked) * CALL <= 3e6


def test_now_and_then_a_pass_is_looked_at_without_a_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker may put on its own part where that is measured: then the turns of the pass seem right."""
    monkeypatch.setattr(module.random, "random", lambda: 0.03)
    assert judged(pass_of(1.0), 1.0) == ("", 10)
    with pytest.raises(WorkerError, match="its clock runs at"):
        judged(pass_of(1.0), 0.9)


def test_nothing_is_said_where_nothing_is_counted() -> None:
    clock: Any = Clock(0.5)
    for own in (None, OWN):
        assert TurnsSeen(own).rate_problem(clock, 1, 0, 1, clock, 1000.0) == ""
    assert clock.asked == []


def test_a_sample_that_nobody_left_undisturbed_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The turns of the pass were undisturbed and right; those that were asked for now and then were not."""
    monkeypatch.setattr(module.random, "random", lambda: 0.0)
    said, asked = judged(pass_of(1.0), 1.0, disturbed=range(1 << 20))
    assert said == "" and asked > 0
    assert "undisturbed" in judged(pass_of(0.9), 0.9, disturbed=range(1 << 20))[0]
