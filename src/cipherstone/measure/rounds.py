# SPDX-License-Identifier: Apache-2.0
"""One pass of one case: calibration, then rounds in random order, every lane once a round, until each has its counted number of undisturbed batches (docs/concepts/method.md).

Everything here takes `ProvenCase`s: what was not checked in this very process cannot be timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import msgspec

from cipherstone.catalogue.conditions import KEYS
from cipherstone.measure.clock import TurnsSeen, need_true_rate, short_calls_problem, turn_overhead
from cipherstone.measure.proof import ProvenCase
from cipherstone.measure.warm import MOST_CYCLES, MOST_SETTLING_NS, Calls, Turn, cut_turn, settled
from cipherstone.model.awake_clock import awake_s
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Params, params_text
from cipherstone.model.later import Later
from cipherstone.model.records import LaneSamples, Settings
from cipherstone.protocol.messages import Batch, Empty, Refusal
from cipherstone.stats.batches import readings
from cipherstone.stats.distribution import calls_a_pass
from cipherstone.stats.passvalue import smallest
from cipherstone.stats.quantiles import FloatArray
from cipherstone.worker import WorkerProcess
from cipherstone.worker.terms import Terms

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


HARNESS_CASE = 1022  # and the one behind it
HARNESS_CALLS = 50_000
HARNESS_TRIALS = 5
HARNESS_COLD_CALLS = 20  # caches are emptied before each
CALIBRATIONS, SLOW_CALIBRATIONS = 4, 2  # readings after the first
# Conditions that add something to every call, which is measured with empty ones.
CALL_BY_CALL = frozenset({"key", "cache", "place"})
# Clean batches of a lane with calls longer than a batch, and than `slow_ns`: a little more than a figure needs.
LONG_LEAST, SLOW_LEAST = 10, 8
# How long a turn may take before the worker counts as hung: a noisy machine stops a process for seconds. What a worker claims never sets more than the upper limit.
TIMEOUT_FACTOR = 10
TIMEOUT_FLOOR_S = 20.0
TIMEOUT_MOST_S = 600.0
CALIBRATING = Terms(timeout_s=60.0)


class LaneFailed(Exception):
    """A lane that computed something wrong, or refused, while being timed."""

    def __init__(self, lane: str, detail: str) -> None:
        super().__init__(f"{lane}: {detail}")
        self.lane = lane
        self.detail = detail


class LaneCrashed(Exception):
    """A lane whose worker broke while being timed."""

    def __init__(self, lane: str, error: WorkerError) -> None:
        super().__init__(f"{lane}: {error}")
        self.lane = lane
        self.error = error


class Contestant(msgspec.Struct):
    """A lane in a pass: its proven case and the calibrated cost of one call in ns. `alone`: every call is a batch, because calls differ by what they draw. `places`: the same case with other inputs at other addresses, which take turns in order; without any the proven case has them all."""

    lane: str
    proven: ProvenCase
    ns_per_call: float
    alone: bool = False
    places: tuple[ProvenCase, ...] = ()

    def place(self, turn: int) -> ProvenCase:
        """Which of them has the turn of this number."""
        return self.places[turn % len(self.places)] if self.places else self.proven

    @property
    def all_places(self) -> tuple[ProvenCase, ...]:
        """Each once, the proven case first."""
        return (self.proven, *(one for one in self.places if one is not self.proven))


class Rounds(msgspec.Struct, frozen=True):
    """What one pass of one case gave. `order[r]`: indices into `samples` in the order of round r. `cpus[r]`: where it was taken, empty if nowhere in particular. `readings`: IPC of all probes."""

    samples: tuple[LaneSamples, ...]
    order: tuple[tuple[int, ...], ...]
    cpus: tuple[int, ...]
    readings: FloatArray
    timed_ns: int
    waited_s: float


class Control(Protocol):
    """What a pass asks of the watch of the core (`watch.CpuWatch`)."""

    @property
    def cpu(self) -> int | None:
        """The CPU that the next round is taken on, None if on any."""

    @property
    def quiet(self) -> float | None:
        """IPC of a clean reading, None while nothing is known."""

    @property
    def wait_us(self) -> float:
        """How long a turn may look for a free core before it begins all the same."""

    def goes_on(self, lost_s: float, vain_s: float) -> bool:
        """After each round: whether the pass goes on, from now on perhaps on another CPU. `lost_s` of the round went by without anything clean or waiting for it; `vain_s`: its length if nothing in it was clean, else 0."""

    def late(self) -> bool:
        """Whether the time is up."""

    def enough(self) -> bool:
        """Whether this pass has taken its share of the time that is left, and may end with as few batches as give a figure."""


def time_limit_s(expected_ns: float) -> float:
    """Seconds that a turn of this expected length may take: between `TIMEOUT_FLOOR_S` and `TIMEOUT_MOST_S`."""
    return min(TIMEOUT_MOST_S, TIMEOUT_FLOOR_S + TIMEOUT_FACTOR * expected_ns / 1e9)


def harness_cost_ns(worker: WorkerProcess) -> tuple[float, float]:
    """Nanoseconds of one empty call in this process, alone and in a ring: the least of a few trials, what the loop itself adds to every figure. Both are the same for a worker without rings.

    Its clock is checked meanwhile, and what turns cost it beside their calls is noted in the process. Raises WorkerError.
    """
    for number in (HARNESS_CASE, HARNESS_CASE + 1):
        worker.ask("prepare", {"case": number, "op": "harness/empty", "impl": "sdk"}, Empty)
    alone = _empty_call_ns(worker, 1)
    ring = _empty_call_ns(worker, 2) if "ring" in worker.capabilities else alone
    worker.turn_overhead = turn_overhead(worker, HARNESS_CASE)
    if alone > 0:
        worker.clock_note = need_true_rate(worker, HARNESS_CASE, alone, worker.turn_overhead, worker.clock_step_ns)
    for number in (HARNESS_CASE, HARNESS_CASE + 1):
        worker.close_case(number)
    return alone, ring


def harness_under_ns(worker: WorkerProcess, conditions: Params, ring: int) -> float:
    """Nanoseconds of one empty call under conditions (`CALL_BY_CALL`): of walking a ring of keys, of reading the clock around each call. WorkerError from a worker that refuses."""
    fields = {"op": "harness/empty", "impl": "sdk", "params": params_text(conditions)}
    calls = HARNESS_COLD_CALLS if ("cache", "cold") in conditions else HARNESS_CALLS
    try:
        for number in range(HARNESS_CASE, HARNESS_CASE + ring):
            worker.ask("prepare", {"case": number, **fields}, Empty)
            for _ in range(KEYS - 1 if ("key", "fresh") in conditions else 0):
                worker.ask("add-key", {"case": number}, Empty)
        cost = _empty_call_ns(worker, ring, calls)
        for number in range(HARNESS_CASE, HARNESS_CASE + ring):
            worker.close_case(number)
    except Refusal as refusal:
        raise WorkerError("crashed", f"its empty call cannot be made under conditions: {refusal}") from None
    return cost


def _empty_call_ns(worker: WorkerProcess, ring: int, calls: int = HARNESS_CALLS) -> float:
    trials = (worker.run(HARNESS_CASE, calls, calls // 10, ring=ring).ns for _ in range(HARNESS_TRIALS))
    return min(trials) / calls


def calibrate(lane: str, proven: ProvenCase, batch_ns: float) -> float:
    """Nanoseconds of one call: batches grow until the least of a few takes half of `batch_ns`, and most of that for its calls.

    On a busy machine the first call of all may be interrupted for milliseconds, and every batch begins with the caches of another program: as few calls as then seem to fit are no batch.
    """
    calls, before = 1, (0, 0)  # and the least of the size before
    while True:
        least = timed_batch(lane, proven, calls, 0, CALIBRATING).ns
        # A slow call is known well enough from few readings; the others cost less than 3 ms together.
        for _ in range(CALIBRATIONS if least < 2 * batch_ns else SLOW_CALIBRATIONS):
            if least < batch_ns / 2:
                break
            least = min(least, timed_batch(lane, proven, calls, 0, CALIBRATING).ns)
        each, growth = least / calls, batch_ns / max(least, 100)
        if (calls == 1 and least >= 2 * batch_ns) or calls > 1 << 40:
            return each
        if calls > 1 and least >= batch_ns / 2:
            more = (least - before[1]) / (calls - before[0])
            if more >= each / 2:
                return each
            growth = 2 * batch_ns / max(more * calls, 100)
        before = (calls, least)
        calls = max(calls + 1, int(calls * min(growth, 64.0)))


def cost_of_call(lane: str, proven: ProvenCase, batch_ns: float) -> float:
    """Nanoseconds of one call of a lane that nothing is known of: a ring is walked until its members are no longer new, then `calibrate`."""
    if proven.ring > 1:
        settle(lane, proven, proven.ring, None)
    return calibrate(lane, proven, batch_ns)


def planned_turns(contestant: Contestant, settings: Settings) -> int:
    """How many turns of the lane a pass plans."""
    return _Turns(contestant, settings, 1.0).planned


def settle(lane: str, proven: ProvenCase, cycle: int, known_ns: float | None) -> list[tuple[int, int]]:
    """Untimed batches of `cycle` calls until they fall no more: calls and ns of each. A library that fills a cache over its first calls, or over those with a new key, is past that then, or has had `MOST_SETTLING_NS`. `known_ns`: what a call is known to take. LaneFailed and LaneCrashed as of any batch."""
    taken: list[tuple[int, int]] = []
    while len(taken) < MOST_CYCLES and sum(ns for _, ns in taken) < MOST_SETTLING_NS:
        last = taken[-1][1] if taken else 0
        limit_s = time_limit_s(max(cycle * (known_ns or 0.0), last))
        taken.append((cycle, timed_batch(lane, proven, cycle, 0, Terms(timeout_s=limit_s)).ns))
        if settled([ns / calls for calls, ns in taken], known_ns):
            break
    return taken


def batches_for(ns_per_call: float, settings: Settings) -> int:
    """Clean batches that a lane needs in a pass: fewer where one call is longer than a batch, so that slow lanes do not take the whole pass."""
    most = settings.rounds * settings.batches_per_turn
    if ns_per_call > settings.very_slow_ns:
        return min(most, settings.very_slow_rounds)
    batch_ns = settings.batch_us * 1e3
    if ns_per_call > batch_ns:
        least = SLOW_LEAST if ns_per_call > settings.slow_ns else LONG_LEAST
        few = min(settings.slow_rounds, max(least, round(settings.slow_most_us * 1e3 / ns_per_call)))
        return min(most, max(few, round(most * batch_ns / ns_per_call)))
    return most


class _Turns:
    """How one lane takes its turns in a pass, and what they gave."""

    def __init__(self, contestant: Contestant, settings: Settings, jitter: float) -> None:
        ns, batch_ns = contestant.ns_per_call, settings.batch_us * 1e3
        self.contestant = contestant
        # With cold caches a batch is one call, between two looks at the core: emptying them takes long.
        cold = contestant.proven.cold
        self.calls = 1 if cold or contestant.alone else max(1, round(batch_ns / ns * jitter))
        self.slow = ns > settings.slow_ns
        self.goal = batches_for(ns, settings)
        if contestant.alone:
            self.goal = max(self.goal, calls_a_pass(settings.min_passes))
        self.dropped = settings.dropped_batches
        needed = self.goal + self.dropped
        if cold:
            fitting = int(settings.batches_per_turn * batch_ns / ns) if ns > batch_ns else settings.batches_per_turn
            self.cut = Turn(0, 1, 0, 1 if self.slow else max(1, fitting), 1)
        else:
            calls = Calls(ns, self.calls, contestant.proven.ring, self.slow, contestant.alone)
            self.cut = cut_turn(calls, needed, settings)
        self.batches, self.lead = self.cut.batches, self.cut.near
        self.planned = -(-needed // (self.batches * self.cut.requests))
        self.limit_s = time_limit_s(ns * self.calls * self.batches)
        # What a worker does between calls that are timed one by one is counted by the system and in no figure.
        self._overhead = None if contestant.proven.parted else contestant.proven.worker.turn_overhead
        self._short_alone = contestant.alone and ns < batch_ns
        self._seen = TurnsSeen(None if self._short_alone else self._overhead, self.slow)
        self.clean = 0
        self._ns: list[int] = []
        self._cpu: list[int] = []
        self._cycles: list[int] = []
        self._chain: list[float] = []
        self._tput: list[float] = []
        self._taken: list[int] = []
        self._switches = 0
        self._switched: list[int] = []
        self._cpu_total = 0
        self.waited_ns = 0
        self._doubt = ""
        self._settling: list[tuple[int, int]] | None = None

    @property
    def short(self) -> bool:
        """Whether it still needs clean batches."""
        return self.clean < self.goal

    @property
    def usable(self) -> bool:
        """Whether it has enough of them for a figure."""
        return self.clean >= min(self.goal, smallest(self.calls, self.slow))

    def take(self, index: int, control: Control) -> int:
        """The turn of round `index`; ns that its batches took. Where all that a pass needs is one turn, the lane stays for as many requests again until it has its clean batches: another turn would have to be led in anew. The run's bound ends it between two requests."""
        place = self.contestant.place(index)
        if self._settling is None:
            self._settling = self._settle(place)
        elif self.cut.lead:
            timed_batch(self.contestant.lane, place, self.cut.lead, 0, Terms(timeout_s=self._lead_limit_s))
        timed = 0
        most = self.cut.requests * (2 if self.planned == 1 else 1)
        for number in range(most):
            if number and (control.late() or (number >= self.cut.requests and not self.short)):
                break
            timed += self._request(place, index, control.quiet, control.wait_us)
        return timed

    def _settle(self, place: ProvenCase) -> list[tuple[int, int]]:
        """Untimed calls at the start of a pass until the process falls no more (`warm.settled`): the calls of each cycle, and the ns that they took. None for calls that no call leads in."""
        cycle = self.cut.lead or self.cut.near
        if not cycle or self.contestant.alone:
            return []
        return settle(self.contestant.lane, place, cycle, self.contestant.ns_per_call)

    @property
    def _lead_limit_s(self) -> float:
        return time_limit_s(self.contestant.ns_per_call * self.cut.lead)

    def _request(self, proven: ProvenCase, index: int, quiet: float | None, wait_us: float) -> int:
        """One request of the turn of round `index`; ns that its batches took."""
        terms = Terms(True, self.limit_s, quiet, wait_us)
        batch = timed_batch(self.contestant.lane, proven, self.calls, self.lead, terms, self.batches)
        times = batch.each or (batch.ns,)
        before = len(self._ns)
        self._ns += times
        self._taken += [index] * len(times)
        self._switches += batch.nivcsw or 0
        if batch.nivcsw:
            self._switched.append(before // self.batches)
        self._cpu_total += batch.cpu_ns or 0
        self.waited_ns += batch.waited_ns or 0
        self._seen.add(proven.worker.seen, batch)
        if batch.cycles is not None:
            self._cycles.append(batch.cycles)
        if self.slow and batch.cpu_ns is not None:
            # A little of the probes may be left in it, and no thread computes for longer than passes.
            self._cpu.append(min(batch.cpu_ns, batch.ns))
        if batch.chain_ns is None or batch.tput_ns is None:
            clean = [True] * len(times)
        else:
            chain, tput = [x or 0.0 for x in batch.chain_ns], [x or 0.0 for x in batch.tput_ns]
            self._chain += chain
            self._tput += tput
            clean = _clean(chain, tput, quiet)
        self.clean += sum(clean[max(0, self.dropped - before) :])
        return batch.ns

    def need_true_times(self) -> None:
        """Raises LaneCrashed if the times that the worker claims, or the CPU time where that becomes the figure, are far below what the system counted. Where only the best of them are, they are in doubt."""
        try:
            if self._short_alone:
                worker, ns = self.contestant.proven.worker, self.contestant.ns_per_call
                self._doubt = short_calls_problem(self._overhead, worker, self._ns, ns, self._many)
            for times in (self._ns, self._cpu):
                self._doubt = self._doubt or self._seen.problem(times, self.calls, self.lead, self.batches)
            shape = (self.calls, self.lead, self.batches)
            proven, ns = self.contestant.proven, self.contestant.ns_per_call
            rate = self._seen.rate_problem(proven.worker, *shape, self._many, ns)
            self._doubt = self._doubt or rate
        except WorkerError as error:
            raise LaneCrashed(self.contestant.lane, error) from None

    def _many(self, calls: int) -> int:
        """What the worker claims for one batch of so many calls."""
        expected_ns = self.contestant.ns_per_call * calls
        terms = Terms(True, time_limit_s(expected_ns))
        one = timed_batch(self.contestant.lane, self.contestant.proven, calls, 0, terms)
        return min(one.cpu_ns, one.ns) if self.slow and one.cpu_ns is not None else one.ns

    def samples(self) -> LaneSamples:
        """Everything taken, in order."""
        one_a_round = self._taken == list(range(len(self._taken)))
        turns = len(self._ns) // self.batches
        probed = len(self._chain) == turns * (self.batches + 1)
        return LaneSamples(
            lane=self.contestant.lane,
            calls=self.calls,
            ns=tuple(self._ns),
            cpu_ns=tuple(self._cpu) if len(self._cpu) == len(self._ns) else (),
            cycles=tuple(self._cycles) if len(self._cycles) == turns else (),
            rounds=() if one_a_round else tuple(self._taken),
            nivcsw=self._switches,
            cpu_total_ns=self._cpu_total,
            slow=self.slow,
            per_turn=self.batches,
            chain_ns=tuple(round(x, 5) for x in self._chain) if probed else (),
            tput_ns=tuple(round(x, 5) for x in self._tput) if probed else (),
            doubt=self._doubt,
            switched=tuple(self._switched),
            settling_calls=tuple(calls for calls, _ in self._settling or ()),
            settling_ns=tuple(ns for _, ns in self._settling or ()),
        )


def _clean(chain: Sequence[float], tput: Sequence[float], quiet: float | None) -> list[bool]:
    """Batch by batch, whether the probes at both ends saw a free core: enough to know when a pass may end (`stats.batches` judges). All, while nothing is known of the core."""
    if quiet is None:
        return [True] * (len(chain) - 1)
    ends = pairwise(zip(chain, tput, strict=True))
    return [min(t, u) > 0 and min(c, d) >= quiet * max(t, u) for (c, t), (d, u) in ends]


def run_rounds(
    contestants: Sequence[Contestant], settings: Settings, random: np.random.Generator, control: Control
) -> Rounds:
    """Every lane once a round, in fresh random order, until each has its number of clean batches. The first batches of each lane only warm up; they are recorded all the same.

    A lane that needs fewer turns than others takes them evenly spread over the planned rounds. If batches were disturbed, rounds are added in which every lane takes part, also those that have their number
    already: so what is compared was taken in the same stretch of time, and on the same CPU, for a pass moves between rounds. Only a lane with twice its number sits out. The pass ends after `longest_pass` times the planned rounds, and twice as many if in some nothing was clean.
    Where the run's time is short (`Control.enough`) only lanes without a figure go on, and it ends as soon as every lane has one: a machine that leaves half of the turns undisturbed lets the unluckiest of twenty lanes wait for twice as many rounds as the usual one needs.
    """
    jitter = 1 + settings.jitter * (2 * random.random(len(contestants)) - 1)
    turns = [_Turns(c, settings, float(jitter[i])) for i, c in enumerate(contestants)]
    planned = max(lane.planned for lane in turns)
    schedule = [_schedule(lane.planned, planned) for lane in turns]
    order: list[tuple[int, ...]] = []
    cpus: list[int] = []
    timed = 0
    fruitful = index = 0
    while True:
        if control.enough():
            present = [i for i, lane in enumerate(turns) if not lane.usable]
            if not present:
                break
        elif index < planned:
            present = [i for i, rounds in enumerate(schedule) if index in rounds]
        else:
            present = [i for i, lane in enumerate(turns) if lane.clean < 2 * lane.goal]
        drawn = tuple(random.permutation(present).tolist())
        before = sum(lane.clean for lane in turns)
        waited = sum(lane.waited_ns for lane in turns)
        began = awake_s()
        if control.cpu is not None:
            cpus.append(control.cpu)
        for place, i in enumerate(drawn):
            if place and control.late():  # slow lanes of a round take longer than what is left
                drawn = drawn[:place]
                break
            timed += turns[i].take(index, control)
        order.append(drawn)
        index += 1
        found = sum(lane.clean for lane in turns) > before or index <= settings.dropped_batches
        fruitful += found
        if index >= planned and not any(lane.short for lane in turns):
            break
        most = settings.longest_pass * planned
        if fruitful >= most or index >= 2 * most or control.late():
            break
        vain = 0.0 if found else awake_s() - began
        if not control.goes_on(vain or (sum(lane.waited_ns for lane in turns) - waited) / 1e9, vain):
            break
    for contestant in contestants:
        problem = still_right(contestant)
        if problem:
            raise LaneFailed(contestant.lane, f"after the timed calls: {problem}")
    for lane in turns:
        lane.need_true_times()
    samples = tuple(lane.samples() for lane in turns)
    return Rounds(
        samples,
        tuple(order),
        tuple(cpus) if len(cpus) == len(order) else (),
        np.concatenate([readings(one) for one in samples]),
        timed,
        sum(lane.waited_ns for lane in turns) / 1e9,
    )


def timed_batch(lane: str, proven: ProvenCase, calls: int, lead: int, terms: Terms, batches: int = 1) -> Batch:
    """One request of `batches` batches of `calls` calls, after `lead` calls that are not timed. LaneFailed if a call failed or took no time, LaneCrashed if the worker broke."""
    try:
        batch = proven.worker.run(proven.number, calls, lead, batches, proven.ring, terms)
    except WorkerError as error:
        raise LaneCrashed(lane, error) from None
    except Refusal as refusal:
        broken = WorkerError("crashed", f"the worker refused a batch of a case that it had prepared: {refusal}")
        raise LaneCrashed(lane, broken) from None
    proven.count(lead + calls * batches)
    if batch.failed:
        how = "was rejected" if batch.failed == 1 else "failed"
        raise LaneFailed(lane, f"a timed call {how} (status {batch.failed})")
    if min(batch.each or (batch.ns,)) <= 0:
        raise LaneFailed(lane, f"{calls} calls took {min(batch.each or (batch.ns,))} ns")
    return batch


def still_right(contestant: Contestant) -> str:
    """ "" if the last timed call left the proven output."""
    try:
        return next((problem for one in contestant.all_places if (problem := one.still_right())), "")
    except WorkerError as error:
        raise LaneCrashed(contestant.lane, error) from None
    except Refusal as refusal:
        return str(refusal)


def _schedule(rounds: int, total: int) -> frozenset[int]:
    """`rounds` of `total` rounds, evenly spread."""
    if rounds >= total:
        return frozenset(range(total))
    return frozenset(int(i) for i in np.linspace(0, total - 1, rounds).round())
