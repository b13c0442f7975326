# SPDX-License-Identifier: Apache-2.0
"""What a worker claims, against what was seen and counted of it: bounds of single replies, figures that are too little, the rate of its clock by wall time and by CPU time. Held against slow versions of section 5.1 of the protocol."""

from __future__ import annotations

import random
from unittest import mock

import obvious_clock as slow
from generated_runs import examples
from hypothesis import given
from hypothesis import strategies as st
from obvious import near
from obvious_clock import Character, OfPass, Worker

from cipherstone.measure import clock
from cipherstone.model.errors import WorkerError
from cipherstone.protocol.messages import Batch
from cipherstone.worker.claims import Seen, TurnOverhead, impossible_turn, too_little, uneven

seeds = st.integers(0, 2**32)
characters = st.builds(
    Character,
    factor=st.sampled_from((0.5, 0.9, 0.94, 0.95, 0.955, 0.96, 0.965, 0.97, 0.99, 1.0, 1.0, 1.0)),
    call_ns=st.sampled_from((30.0, 4_000.0, 90_000.0, 2_500_000.0)),
    overhead_ns=st.sampled_from((8_000.0, 40_000.0, 300_000.0)),
    noise=st.sampled_from((0.01, 0.2, 1.0)),
    busy=st.sampled_from((0.0, 0.0, 0.3, 0.9, 1.0)),
    sleeps=st.sampled_from((False, False, False, True)),
    counts=st.sampled_from((True, True, True, True, True, False)),
    dearer=st.sampled_from((1.0, 1.0, 1.3)),
)


@given(characters, seeds, st.booleans(), st.sampled_from((0.0, 0.0, 3e6)))
@examples(150)
def test_the_rate_of_a_clock(one: Character, seed: int, by_cpu: bool, least_ns: float) -> None:
    worker, mine = Worker(one, seed), Worker(one, seed)
    found = clock.rate_of_calls(worker, one.call_ns, worker.turn, least_ns, by_cpu)  # type: ignore[arg-type]
    told = slow.rate(mine, mine.turn, one.call_ns, by_cpu, least_ns)
    assert worker.asked == mine.asked
    assert near(None if found is None else (found.of_counted, found.overhead_ns, found.call_ns), told)


@given(characters, seeds)
@examples(80)
def test_the_own_part_of_a_turn(one: Character, seed: int) -> None:
    found, told = clock.turn_overhead(Worker(one, seed), 0), slow.turn_overhead(Worker(one, seed))  # type: ignore[arg-type]
    assert near(None if found is None else (found.ns, found.per_batch_ns, found.unsure_ns), told)


@st.composite
def passes(draw: st.DrawFn, one: Character, by_cpu: bool) -> tuple[list[OfPass], int, int, int]:
    """(turns, calls, lead, batches) of a pass of a worker: its lead is counted, waiting is claimed apart, CPU time is less than wall time where it is interrupted."""
    rng = random.Random(draw(seeds))
    calls, batches, lead = (
        draw(st.sampled_from((1, 1, 20))),
        draw(st.sampled_from((1, 4, 8))),
        draw(st.sampled_from((0, 16))),
    )
    factor = draw(st.sampled_from((0.5, 0.8, 0.9, 1.0, 1.0, 1.0)))
    turns = []
    for _ in range(draw(st.integers(0, 9))):
        true = (calls * batches) * one.call_ns * rng.uniform(1.0, 1.02)
        waited = rng.choice((0, 0, 90_000))
        used = (
            round(true + lead * one.call_ns + one.overhead_ns * (1 + (batches - 1) / 4) * rng.uniform(0.8, 1.3))
            + waited
        )
        busy = rng.random() < one.busy
        claimed = round(true * factor)
        wall = claimed + round(rng.uniform(0, 2e6)) * busy * rng.choice((0, 1))
        batch = Batch(
            ns=wall,
            failed=0,
            cpu_ns=claimed + rng.choice((0, 0, 5000)) if by_cpu and rng.random() < 0.9 else None,
            waited_ns=waited or None,
        )
        turns.append(OfPass(batch, Seen(2 * used + wall, used if one.counts else None, 2 if busy or one.sleeps else 1)))
    return turns, calls, lead, batches


@given(st.data(), characters, seeds, st.booleans(), st.booleans(), st.sampled_from((0.0, 1.0, 3.0)))
@examples(300)
def test_the_rate_of_a_pass(
    data: st.DataObject, one: Character, seed: int, by_cpu: bool, spot: bool, known: float
) -> None:
    turns, calls, lead, batches = data.draw(passes(one, by_cpu))
    own = TurnOverhead(one.overhead_ns, one.overhead_ns / 4, data.draw(st.sampled_from((0.0, 30_000.0))))
    worker, mine = Worker(one, seed), Worker(one, seed)
    seen = clock.TurnsSeen(own, by_cpu)
    for batch, of_turn in turns:
        seen.add(of_turn, batch)
    with mock.patch.object(clock.random, "random", lambda: 0.0 if spot else 0.5):
        try:
            found = seen.rate_problem(worker, calls, lead, batches, worker.turn, known * one.call_ns)  # type: ignore[arg-type]
        except WorkerError as error:
            assert error.outcome == "crashed"
            found = "its clock runs"
    told = slow.rate_problem(turns, own, mine, calls, lead, batches, known * one.call_ns, by_cpu, spot)
    begins = {"": "", "accused": "its clock runs", "too few": "too few of its turns", "doubted": "claims "}
    assert found.startswith(begins[told]) and bool(found) == bool(told)
    assert worker.asked == mine.asked
    assert clock.TurnsSeen(None).rate_problem(worker, calls, lead, batches, worker.turn, 1.0) == ""  # type: ignore[arg-type]


amounts = st.sampled_from(
    (
        None,
        0,
        90_000,
        400_000,
        499_000,
        501_500,
        506_000,
        508_000,
        512_500,
        700_000,
        950_000,
        1_008_000,
        1_011_900,
        1_012_500,
        1_100_000,
    )
)


@given(
    amounts,
    st.lists(amounts.filter(bool), max_size=2),
    amounts,
    amounts,
    amounts,
    st.one_of(st.none(), st.integers(0, 12_000_000)),
    st.one_of(st.none(), st.integers(0, 12_000)),
    st.one_of(st.none(), st.sampled_from((0, 300_000, 790_000, 800_000, 812_000))),
    st.sampled_from((0, 25, 3_000, 40_000_000)),
    st.integers(1, 4),
    st.lists(st.one_of(st.none(), st.sampled_from((0.0, 1e-7, 0.4, 1e6, 1.2e6))), max_size=3),
)
@examples(600)
def test_what_a_reply_may_claim(
    ns, each, waited, aside, cpu, cycles, switches, counted, step, batches, readings
) -> None:  # type: ignore[no-untyped-def]
    """A request of a millisecond: everything that it says took time, took it within, one after the other."""
    seen = Seen(1_000_000, counted)
    batch = Batch(
        ns=ns or 0,
        failed=0,
        each=tuple(each),
        cpu_ns=cpu,
        cycles=cycles,
        ref=None if cycles is None else cycles // 2,
        nivcsw=switches,
        chain_ns=tuple(readings[:1]) or None,
        tput_ns=tuple(readings[1:]) or None,
        waited_ns=waited,
        aside_ns=aside,
    )
    wall = 1_000_000 * 1.01 + 2_000
    room = wall + batches * min(step, 10_000_000)
    longest = max([ns or 0, *each])
    wrong = (
        longest + (waited or 0) + (aside or 0) > room
        or (cpu or 0) + (waited or 0) > room
        or (counted is not None and (cpu or 0) > counted * 1.01 + 200_000)
        or (cycles or 0) > 10 * room
        or (switches or 0) * 100 > room
        or (waited or 0) > wall
        or any(one is not None and one != 0 and not 1e-6 <= one <= wall for one in readings)
    )
    assert bool(impossible_turn(batch, seen, batches, step)) == wrong


@st.composite
def batches_of_turns(draw: st.DrawFn) -> tuple[list[float], list[float], int, float]:
    """(ns of a call by batch, CPU time by turn, calls of a turn, own part): some batches far too short, some turns right in sum all the same."""
    each, calls = draw(st.sampled_from((1, 2, 4))), draw(st.sampled_from((1, 10)))
    own = draw(st.sampled_from((0.0, 3_000.0, 90_000.0)))
    ns: list[float] = []
    used: list[float] = []
    for _ in range(draw(st.integers(1, 6))):
        turn = [1000.0 * draw(st.sampled_from((0.3, 0.55, 0.61, 1.0, 1.0, 1.7))) for _ in range(each)]
        ns += turn
        used.append(
            draw(st.sampled_from((600.0, 1000.0, 1000.0, 1500.0))) * calls + draw(st.sampled_from((0.5, 1.0))) * own
        )
    return ns[: len(ns) - draw(st.sampled_from((0, 0, 0, 1)))], used, calls, own


@given(batches_of_turns())
@examples(400)
def test_figures_that_are_too_little(one: tuple[list[float], list[float], int, float]) -> None:
    ns, used, calls, own = one
    counted = [(turn - min(own, turn / 2)) / calls for turn in used]
    if not ns:
        assert too_little(ns, used, calls, own) == ""
        return
    little = sorted(ns)[int(0.1 * len(ns))] < 0.6 * min(counted)
    assert bool(too_little(ns, used, calls, own)) == little
    each, rest = divmod(len(ns), len(used))
    turns = [ns[each * k : each * (k + 1)] for k in range(len(used))] if not rest and each else []
    short = [k for k, turn in enumerate(turns) if any(one < 0.6 * min(counted) for one in turn)]
    right = [k for k in short if sum(turns[k]) / each >= 0.6 * counted[k]]
    assert uneven(ns, used, calls, own) == (len(right) > len(short) / 2)


@given(batches_of_turns())
@examples(200)
def test_who_is_accused_of_a_pass(one: tuple[list[float], list[float], int, float]) -> None:
    """A batch has three calls, a turn two untimed ones before; waiting is taken off what was counted. Too little is a lie, but where most of the turns agree in sum."""
    ns, used, calls, own = one
    seen = clock.TurnsSeen(TurnOverhead(own, 700.0))
    for turn in used:
        seen.add(Seen(10**9, round(turn) + 5_000), Batch(ns=1, failed=0, waited_ns=5_000))
    counts = [float(round(turn)) for turn in used], 2 + 3 * calls, own + 700.0 * (calls - 1)
    try:
        found = bool(seen.problem([round(3 * one) for one in ns], 3, 2, calls))
        accused = False
    except WorkerError:
        found = accused = True
    claimed = [round(3 * one) / 3 for one in ns]
    assert found == bool(too_little(claimed, *counts))
    assert accused == (found and not uneven(claimed, *counts))
