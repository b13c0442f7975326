# SPDX-License-Identifier: Apache-2.0
"""How a lane takes its turns, exactly: calls, batches, lead, limits, what is asked of the worker. The workers are objects: no clock, no process."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from turns_example import QUIET, proven, turns

from cipherstone.catalogue.conditions import KEYS
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import load_suite
from cipherstone.measure import rounds as module
from cipherstone.measure.rounds import (
    Contestant,
    LaneCrashed,
    LaneFailed,
    _Turns,
    batches_for,
    calibrate,
    harness_cost_ns,
    harness_under_ns,
    still_right,
    time_limit_s,
    timed_batch,
)
from cipherstone.model.errors import WorkerError
from cipherstone.model.records import Settings
from cipherstone.protocol.messages import Batch, Refusal
from cipherstone.worker.terms import Terms


@pytest.mark.parametrize(
    ("ns", "calls", "goal", "planned", "cut", "slow"),
    [
        (1.0, 100_000, 64, 9, (0, 1, 5000, 8), False),  # 64 and 2 that warm up, in turns of 8; led in for 5 us
        (1000.0, 100, 64, 9, (0, 1, 16, 8), False),  # or for 16 calls
        (6250.0, 16, 64, 9, (0, 1, 16, 8), False),  # within the request, up to the length of a batch
        (
            6251.0,
            16,
            64,
            3,
            (16, 3, 2, 8),
            False,
        ),  # longer ones in one of their own, before the wait, and then for more
        (50_000.0, 2, 64, 3, (16, 3, 2, 8), False),
        (100_000.0, 1, 64, 3, (16, 3, 2, 8), False),
        (100_001.0, 1, 64, 1, (16, 10, 0, 7), False),  # longer than a batch: all in one turn
        (200_000.0, 1, 32, 1, (16, 9, 0, 4), False),
        (500_000.0, 1, 20, 1, (10, 6, 0, 4), False),
        (800_000.0, 1, 20, 1, (6, 6, 0, 4), False),  # 5 ms of leading in at most
        (1_000_001.0, 1, 20, 1, (4, 11, 0, 2), False),
        (3_000_000.0, 1, 10, 1, (1, 6, 0, 2), False),
        (3_000_001.0, 1, 8, 1, (1, 10, 0, 1), True),
        (8_000_001.0, 1, 8, 2, (0, 7, 0, 1), True),  # a turn of 60 ms at most
        (50_000_001.0, 1, 5, 7, (0, 1, 0, 1), True),
    ],
)
def test_how_a_lane_takes_its_turns(
    ns: float, calls: int, goal: int, planned: int, cut: tuple[int, int, int, int], slow: bool
) -> None:
    one = turns(ns)
    assert (one.calls, one.goal) == (calls, goal)
    assert (one.cut.lead, one.cut.requests, one.cut.near, one.cut.batches) == cut
    assert one.planned == planned
    assert (one.slow, one.dropped, one.clean, one.waited_ns) == (slow, 2, 0, 0)
    assert one.limit_s == time_limit_s(ns * calls * one.batches)


def test_batches_differ_by_a_tenth_so_that_nothing_beats_with_them() -> None:
    assert [turns(1000.0, jitter).calls for jitter in (0.9, 1.0, 1.1)] == [90, 100, 110]
    assert turns(400_000.0, 1.1).calls == 1


@pytest.mark.parametrize("suite", ["tls", "tls-blog"])
@pytest.mark.parametrize(
    ("ns", "lead"), [(7_000.0, 29), (100_000.0, 16), (950_000.0, 5), (1_999_999.0, 2), (5e6, 1), (5.1e6, 0)]
)
def test_a_handshake_leads_in_the_turns_of_the_tls_suites(suite: str, ns: float, lead: int) -> None:
    settings = load_suite(data_root(), suite).apply(Settings())
    cut = turns(ns, settings=settings).cut
    assert (cut.lead or cut.near) == lead


def test_calls_that_are_timed_alone() -> None:
    """With cold caches one call between two looks at the core, and none leads in; calls that draw have a longer lead-in, and enough calls for a distribution."""
    cold, alone = turns(1000.0, cold=True), turns(1000.0, alone=True)
    assert (cold.calls, cold.lead, cold.batches, cold.goal) == (1, 0, 8, 64)
    assert (alone.calls, alone.lead, alone.batches, alone.goal) == (1, 64, 8, 64)
    few = turns(1000.0, settings=Settings(rounds=1, batches_per_turn=2, min_passes=9), alone=True)
    assert (few.goal, few.planned) == (6, 4)
    slow = turns(60e6, settings=Settings(min_passes=6), alone=True)
    assert (slow.goal, slow.planned) == (9, 11)


@pytest.mark.parametrize(
    ("ns", "batches"),
    [
        (100_000.0, 64),
        (100_001.0, 64),
        (101_000.0, 63),
        (320_000.0, 20),
        (1.6e6, 12),
        (3e9 / 1000, 10),
        (50e6, 8),
        (50e6 + 1, 5),
    ],
)
def test_batches_of_long_calls(ns: float, batches: int) -> None:
    assert batches_for(ns, Settings()) == batches
    assert batches_for(ns, Settings(rounds=1, batches_per_turn=3)) == 3


@pytest.mark.parametrize(
    ("expected_ns", "limit_s"), [(0.0, 20.0), (1e9, 30.0), (58e9, 600.0), (58.1e9, 600.0), (1e18, 600.0)]
)
def test_a_turn_may_take_ten_times_what_is_expected(expected_ns: float, limit_s: float) -> None:
    """And 20 s more, and never longer than ten minutes: no claim sets its own limit."""
    assert time_limit_s(expected_ns) == limit_s


# -- what a turn gives -----------------------------------------------------------------------------------------------------------


def taking(
    monkeypatch: pytest.MonkeyPatch, *batches: Batch, ns: float = 50_000.0, **settings: Any
) -> tuple[_Turns, list[Any]]:
    """A lane that has taken these, of two calls; and what was asked each time."""
    asked: list[Any] = []
    left = list(batches)

    def timed(*arguments: Any) -> Batch:
        asked.append(arguments)
        return left.pop(0)

    monkeypatch.setattr(module, "timed_batch", timed)
    one = turns(ns, settings=Settings(**{"batches_per_turn": 2, "rounds": 2, "dropped_batches": 1, "lead_calls": 0, "lead_us": 0.0, **settings}))  # fmt: skip
    for index in range(len(batches)):
        place = one.contestant.proven
        assert one._request(place, index if index < 2 else index + 3, QUIET, 7.0) == batches[index].ns
    return one, asked


def read(ns: tuple[int, int], *ipc: float, **more: Any) -> Batch:
    """Two batches between three readings."""
    chain = (0.25,) * 3
    return Batch(sum(ns), 0, ns, chain_ns=chain, tput_ns=tuple(c / i for c, i in zip(chain, ipc, strict=True)), **more)


def test_what_a_lane_took_in_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first batch warms up and counts for nothing, wherever it was clean."""
    one, asked = taking(
        monkeypatch,
        read((10, 11), 5.0, 5.0, 5.0, nivcsw=1, cpu_ns=15, waited_ns=100, cycles=7),
        read((12, 13), 5.0, 5.0, 4.0, nivcsw=2, cpu_ns=16, waited_ns=200, cycles=8),
        read((14, 15), 5.0, 4.0, 5.0, cpu_ns=17, cycles=9),
    )
    assert asked[0] == ("a@1", one.contestant.proven, 2, 1, Terms(True, time_limit_s(200_000.0), QUIET, 7.0), 2)
    assert (one.goal, one.clean, one.short, one.usable, one.waited_ns) == (4, 2, True, False, 300)
    found = one.samples()
    assert (found.settling_calls, found.settling_ns, found.switched) == ((), (), (0, 1))
    assert (found.lane, found.calls, found.ns, found.per_turn) == ("a@1", 2, (10, 11, 12, 13, 14, 15), 2)
    assert (found.rounds, found.nivcsw, found.cpu_total_ns, found.cycles) == ((0, 0, 1, 1, 5, 5), 3, 48, (7, 8, 9))
    assert (found.chain_ns, found.tput_ns[:3], found.cpu_ns) == ((0.25,) * 9, (0.05,) * 3, ())
    assert found.tput_ns[5] == 0.0625 and not found.slow and found.doubt == ""


@pytest.mark.parametrize(("clean", "short", "usable"), [(3, True, False), (4, False, True), (5, False, True)])
def test_a_lane_needs_its_number_of_clean_batches(clean: int, short: bool, usable: bool) -> None:
    one = turns(50_000.0, settings=Settings(batches_per_turn=2, rounds=2))
    one.clean = clean
    assert (one.short, one.usable) == (short, usable)


@pytest.mark.parametrize(("ns", "clean"), [(1000.0, 16), (100_000.0, 8), (4e6, 3)])
def test_a_lane_is_usable_with_what_gives_a_figure(ns: float, clean: int) -> None:
    one = turns(ns)
    one.clean = clean - 1
    assert not one.usable
    one.clean = clean
    assert one.usable and one.short


def test_what_not_every_turn_told_is_told_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cycles, readings, CPU time; batches without readings count."""
    bare = Batch(21, 0, (10, 11), nivcsw=None, cycles=None)
    one, _ = taking(monkeypatch, bare, read((12, 13), 5.0, 5.0, 5.0, cycles=8, cpu_ns=20))
    found = one.samples()
    assert (found.cycles, found.chain_ns, found.tput_ns, found.cpu_total_ns, found.nivcsw) == ((), (), (), 20, 0)
    assert one.clean == 3 and found.rounds == (0, 0, 1, 1)


def test_a_reading_that_is_missing_is_kept_as_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    half = Batch(21, 0, (10, 11), chain_ns=(0.25, None, 0.250001234), tput_ns=(0.05, 0.05, None))
    one, _ = taking(monkeypatch, half)
    found = one.samples()
    assert (found.chain_ns, found.tput_ns, one.clean) == ((0.25, 0.0, 0.25), (0.05, 0.05, 0.0), 0)


def test_slow_calls_have_the_clock_of_their_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread computes for longer than passes; one batch a turn, so that rounds need no telling."""
    one, asked = taking(
        monkeypatch, Batch(9_000_000, 0, cpu_ns=8_000_000), Batch(7_000_000, 0, cpu_ns=7_500_000), ns=4e6
    )
    found = one.samples()
    assert (found.slow, found.ns, found.cpu_ns) == (True, (9_000_000, 7_000_000), (8_000_000, 7_000_000))
    assert (found.rounds, found.cpu_total_ns, found.per_turn) == ((), 15_500_000, 1) and asked[0][5] == 1
    without, _ = taking(monkeypatch, Batch(9_000_000, 0, cpu_ns=8_000_000), Batch(7_000_000, 0), ns=4e6)
    assert without.samples().cpu_ns == ()
    fast, _ = taking(monkeypatch, Batch(900_000, 0, cpu_ns=800_000), Batch(700_000, 0, cpu_ns=650_000), ns=1e6)
    assert (fast.samples().cpu_ns, fast.samples().cpu_total_ns) == ((), 1_450_000)


# -- one request -----------------------------------------------------------------------------------------------------------------


class Worker:
    """Answers every `run` with what it is given, or raises it; notes what it was asked."""

    def __init__(self, *answers: Batch | Exception, capabilities: tuple[str, ...] = ()) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[Any, ...]] = []
        self.capabilities = capabilities
        self.seen = SimpleNamespace(cpu_ns=None)
        self.turn_overhead: Any = "unset"
        self.clock_step_ns, self.clock_note = 30, "unset"

    def run(self, *arguments: Any, **named: Any) -> Batch:
        self.asked.append(("run", *arguments, *named.items()))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask(self, verb: str, fields: dict[str, Any], reply: type) -> None:
        self.asked.append((verb, *fields.items()))

    def close_case(self, number: int) -> None:
        self.asked.append(("close", number))


def requested(answer: Batch | Exception, batches: int = 1) -> tuple[Batch, list[int], Worker]:
    worker, counted = Worker(answer), list[int]()
    case = proven(worker=worker, ring=2, count=counted.append)
    return timed_batch("a@1", case, 10, 3, Terms(True, 60.0, QUIET, 5.0), batches), counted, worker


def test_a_request_is_counted_with_the_calls_that_lead_in() -> None:
    batch, counted, worker = requested(Batch(100, 0, (1, 99)), 2)
    assert (
        counted == [23] and worker.asked == [("run", 3, 10, 3, 2, 2, Terms(True, 60.0, QUIET, 5.0))] and batch.ns == 100
    )


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Batch(100, 1), "a timed call was rejected (status 1)"),
        (Batch(100, 2), "a timed call failed (status 2)"),
        (Batch(100, -1), "a timed call failed (status -1)"),
        (Batch(0, 0), "10 calls took 0 ns"),
        (Batch(-4, 0), "10 calls took -4 ns"),
        (Batch(100, 0, (100, 0)), "10 calls took 0 ns"),
    ],
)
def test_a_call_that_fails_or_takes_no_time_takes_its_lane_out(answer: Batch, says: str) -> None:
    with pytest.raises(LaneFailed) as caught:
        requested(answer)
    assert (caught.value.lane, caught.value.detail) == ("a@1", says)
    assert requested(Batch(1, 0))[0].ns == 1


def test_a_worker_that_breaks_or_refuses_while_timed() -> None:
    broken = WorkerError("timed-out", "no answer")
    with pytest.raises(LaneCrashed) as caught:
        requested(broken)
    assert caught.value.lane == "a@1" and caught.value.error is broken
    with pytest.raises(LaneCrashed) as caught:
        requested(Refusal("bad-request", "no such case"))
    assert caught.value.error.outcome == "crashed" and "refused a batch of a case" in str(caught.value.error)


def test_what_the_last_call_left() -> None:
    def raises(error: Exception) -> Callable[[], str]:
        def still() -> str:
            raise error

        return still

    assert still_right(Contestant("a@1", proven(still_right=lambda: ""), 1.0)) == ""
    assert still_right(Contestant("a@1", proven(still_right=lambda: "other bytes"), 1.0)) == "other bytes"
    assert "gone" in still_right(Contestant("a@1", proven(still_right=raises(Refusal("bad-request", "gone"))), 1.0))
    with pytest.raises(LaneCrashed):
        still_right(Contestant("a@1", proven(still_right=raises(WorkerError("crashed", "x"))), 1.0))


# -- the harness, and what a call costs -------------------------------------------------------------------------------------------


def test_the_cost_of_the_empty_call_is_the_least_of_five(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone, and in a ring where the worker has rings; both cases are given back."""
    checked: list[Any] = []
    monkeypatch.setattr(module, "turn_overhead", lambda worker, case: ("own", case))
    monkeypatch.setattr(module, "need_true_rate", lambda worker, *rest: checked.append(rest) or "no count")
    times = [Batch(ns, 0) for ns in (90_000, 60_000, 50_000, 70_000, 80_000, 100_000, 95_000, 90_000, 75_000, 99_000)]
    worker: Any = Worker(*times, capabilities=("ring",))
    assert harness_cost_ns(worker) == (1.0, 1.5)
    empty = (("op", "harness/empty"), ("impl", "sdk"))
    assert worker.asked == [
        ("prepare", ("case", 1022), *empty),
        ("prepare", ("case", 1023), *empty),
        *[("run", 1022, 50_000, 5000, ("ring", 1))] * 5,
        *[("run", 1022, 50_000, 5000, ("ring", 2))] * 5,
        ("close", 1022),
        ("close", 1023),
    ]
    assert worker.turn_overhead == ("own", 1022) and checked == [(1022, 1.0, ("own", 1022), 30)]
    assert worker.clock_note == "no count"
    plain: Any = Worker(*times)
    assert harness_cost_ns(plain) == (1.0, 1.0) and sum(one[0] == "run" for one in plain.asked) == 5
    instant: Any = Worker(Batch(0, 0))
    assert harness_cost_ns(instant) == (0.0, 0.0) and len(checked) == 2  # nothing to check a rate by


def test_the_cost_of_the_empty_call_under_conditions() -> None:
    worker: Any = Worker(Batch(100_000, 0))
    assert harness_under_ns(worker, (("key", "fresh"),), 2) == 2.0
    begin = ("prepare", ("case", 1022), ("op", "harness/empty"), ("impl", "sdk"), ("params", "key=fresh"))
    assert worker.asked[0] == begin and [one[0] for one in worker.asked].count("prepare") == 2
    assert worker.asked.count(("add-key", ("case", 1022))) == worker.asked.count(("add-key", ("case", 1023))) == KEYS - 1  # fmt: skip
    assert worker.asked[-2:] == [("close", 1022), ("close", 1023)]
    assert worker.asked.count(("run", 1022, 50_000, 5000, ("ring", 2))) == 5
    cold: Any = Worker(Batch(100, 0))
    assert harness_under_ns(cold, (("cache", "cold"),), 1) == 5.0
    assert cold.asked.count(("run", 1022, 20, 2, ("ring", 1))) == 5 and ("add-key", ("case", 1022)) not in cold.asked
    assert cold.asked[-1] == ("close", 1022) and len(cold.asked) == 7
    with pytest.raises(WorkerError, match="cannot be made under conditions"):
        harness_under_ns(Worker(Refusal("bad-request", "no")), (), 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cost", "calls", "found"),
    [
        (lambda n, k: 200_000, [1, 1, 1], 200_000.0),  # twice a batch: three readings of one call are enough
        (lambda n, k: 199_999 * n, [1] * 5 + [2] * 3, 199_999.0),
        (lambda n, k: 50_000 * n, [1] * 5 + [2] * 5, 50_000.0),
        (lambda n, k: 1000 * n, [1, 64, 64, 64, 64, 64], 1000.0),
        (lambda n, k: 10 * n, [1, 64, 4096, 10_000, 10_000, 10_000, 10_000, 10_000], 10.0),
        (lambda n, k: 1000 * n + (6_000_000 if k == 0 else 0), [1, 1, 64, 64, 64, 64, 64], 1000.0),
    ],
)
def test_what_a_call_costs_is_found_in_few_readings(
    cost: Callable[[int, int], int], calls: list[int], found: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches grow to half of what is asked for; the least of five counts, of long calls of three."""
    asked: list[int] = []

    def timed(lane: str, case: object, count: int, lead: int, terms: Terms) -> Batch:
        assert (lane, lead, terms) == ("a@1", 0, Terms(False, 60.0))
        asked.append(count)
        return Batch(cost(count, len(asked) - 1), 0)

    monkeypatch.setattr(module, "timed_batch", timed)
    value = calibrate("a@1", None, 100_000.0)  # type: ignore[arg-type]
    assert (asked, value) == (calls, found)


# -- settling, and places ---------------------------------------------------------------------------------------------------------


def test_a_process_settles_before_its_first_turn_and_is_led_in_before_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[int, int, int]] = []

    def timed(lane: str, case: object, calls: int, lead: int, terms: Terms, batches: int = 0) -> Batch:
        asked.append((calls, lead, batches))
        learns = 4 if len(asked) <= 2 else 1
        return Batch(20_000 * calls * learns, 0, (20_000,) * (batches or 1))

    monkeypatch.setattr(module, "timed_batch", timed)
    one = turns(20_000.0)
    gate: Any = SimpleNamespace(quiet=None, wait_us=7.0, late=lambda: False)
    one.take(0, gate)
    assert asked == [(16, 0, 0)] * 3 + [(5, 2, 8)] * 3  # the third cycle is near what is known
    assert one.samples().settling_calls == (16, 16, 16)
    assert one.samples().settling_ns == (1_280_000, 1_280_000, 320_000) and one.planned == 3
    one.take(1, gate)
    assert asked[6:] == [(16, 0, 0)] + [(5, 2, 8)] * 3
    gate.late = lambda: True
    one.take(2, gate)
    assert asked[10:] == [(16, 0, 0), (5, 2, 8)]  # the bound ends a turn between two requests


def test_turns_are_taken_at_their_places_in_order() -> None:
    first, second = proven(number=3), proven(number=4)
    one = Contestant("a@1", first, 1000.0, places=(second, first))
    assert [one.place(turn).number for turn in range(4)] == [4, 3, 4, 3]
    assert one.all_places == (first, second) and Contestant("a@1", first, 1.0).all_places == (first,)
