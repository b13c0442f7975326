# SPDX-License-Identifier: Apache-2.0
"""One pass of one case: calibration, counted rounds in random order, every lane once a round (docs/concepts/method.md).

Everything here takes `ProvenCase`s: what was not checked in this very process cannot be timed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec
import numpy as np

from cipherstone.measure.proof import ProvenCase
from cipherstone.model.errors import WorkerError
from cipherstone.model.records import LaneSamples, Settings
from cipherstone.protocol.messages import Batch, Empty, Refusal
from cipherstone.worker import WorkerProcess

HARNESS_CASE = 1023
HARNESS_CALLS = 50_000
HARNESS_TRIALS = 5
# A batch may take this many times its expected length before the worker counts as hung: a noisy machine stops a process for seconds.
TIMEOUT_FACTOR = 1000
TIMEOUT_FLOOR_S = 20.0


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
    """A lane in a pass: its proven case and the calibrated cost of one call in ns."""

    lane: str
    proven: ProvenCase
    ns_per_call: float


class Rounds(msgspec.Struct, frozen=True):
    """What one pass of one case gave. `order[r]`: indices into `samples` in the order of round r."""

    samples: tuple[LaneSamples, ...]
    order: tuple[tuple[int, ...], ...]
    chain_ns: tuple[float, ...]
    tput_ns: tuple[float, ...]
    timed_ns: int


def harness_cost_ns(worker: WorkerProcess) -> float:
    """Nanoseconds of one empty call in this process: the least of a few trials, what the loop itself adds to every figure."""
    worker.ask("prepare", {"case": HARNESS_CASE, "op": "harness/empty", "impl": "sdk"}, Empty)
    best = min(worker.run(HARNESS_CASE, HARNESS_CALLS, HARNESS_CALLS // 10).ns for _ in range(HARNESS_TRIALS))
    worker.close_case(HARNESS_CASE)
    return best / HARNESS_CALLS


def calibrate(lane: str, proven: ProvenCase, batch_ns: float) -> float:
    """Nanoseconds of one call: batches grow until one takes a tenth of `batch_ns`, then the least of five decides."""
    calls = 1
    while True:
        batch = timed_batch(lane, proven, calls, 0, False, 60.0)
        if batch.ns >= batch_ns / 10 or calls > 1 << 40:
            break
        growth = batch_ns / 5 / max(batch.ns, 100)
        calls = max(calls + 1, int(calls * min(growth, 64.0)))
    best = batch.ns / calls
    # A slow call is known well enough from one reading; the others cost less than 3 ms together.
    for _ in range(4 if batch.ns < 2 * batch_ns else 1):
        best = min(best, timed_batch(lane, proven, calls, 0, False, 60.0).ns / calls)
    return best


def rounds_for(ns_per_call: float, settings: Settings) -> int:
    """Counted rounds of a lane: fewer where one call is longer than a batch, so that slow lanes do not take the whole pass."""
    if ns_per_call > settings.very_slow_ns:
        return min(settings.rounds, settings.very_slow_rounds)
    batch_ns = settings.batch_us * 1e3
    if ns_per_call > batch_ns:
        fitting = round(settings.rounds * settings.batches_per_turn * batch_ns / ns_per_call)
        return min(settings.rounds, max(settings.slow_rounds, fitting))
    return settings.rounds


class _Turns:
    """How one lane takes its turns in a pass, and what they gave."""

    def __init__(self, contestant: Contestant, settings: Settings, total: int, warm: int, jitter: float) -> None:
        ns, batch_ns = contestant.ns_per_call, settings.batch_us * 1e3
        self.contestant = contestant
        self.calls = max(1, round(batch_ns / ns * jitter))
        self.batches = settings.batches_per_turn if ns < batch_ns else 1
        lead_ns = settings.lead_us * 1e3
        self.lead = max(1, round(lead_ns / ns)) if 0 < ns < 10 * lead_ns else 0
        self.limit_s = max(TIMEOUT_FLOOR_S, ns * self.calls * self.batches * TIMEOUT_FACTOR / 1e9)
        self.slow = ns > settings.slow_ns
        self.rounds = _schedule(rounds_for(ns, settings) + warm, total)
        self._ns: list[int] = []
        self._cpu: list[int] = []
        self._cycles: list[int] = []
        self._taken: list[int] = []
        self._switches = 0
        self._cpu_total = 0

    def take(self, index: int, probe: bool) -> Batch:
        """The turn of round `index`."""
        name, proven = self.contestant.lane, self.contestant.proven
        batch = timed_batch(name, proven, self.calls, self.lead, probe, self.limit_s, self.batches)
        times = batch.each or (batch.ns,)
        self._ns += times
        self._taken += [index] * len(times)
        self._switches += batch.nivcsw or 0
        self._cpu_total += batch.cpu_ns or 0
        if batch.cycles is not None:
            self._cycles.append(batch.cycles)
        if self.slow and batch.cpu_ns is not None:
            self._cpu.append(batch.cpu_ns)
        return batch

    def samples(self) -> LaneSamples:
        """Everything taken, in order."""
        one_a_round = self._taken == list(range(len(self._taken)))
        return LaneSamples(
            lane=self.contestant.lane,
            calls=self.calls,
            ns=tuple(self._ns),
            cpu_ns=tuple(self._cpu) if len(self._cpu) == len(self._ns) else (),
            cycles=tuple(self._cycles) if len(self._cycles) * self.batches == len(self._ns) else (),
            rounds=() if one_a_round else tuple(self._taken),
            nivcsw=self._switches,
            cpu_total_ns=self._cpu_total,
            slow=self.slow,
        )


def run_rounds(contestants: Sequence[Contestant], settings: Settings, random: np.random.Generator) -> Rounds:
    """Every lane once a round, in fresh random order. The first turns of each lane only warm up; they are recorded all the same."""
    warm = -(-settings.dropped_batches // settings.batches_per_turn)
    total = settings.rounds + warm
    jitter = 1 + settings.jitter * (2 * random.random(len(contestants)) - 1)
    turns = [_Turns(c, settings, total, warm, float(jitter[i])) for i, c in enumerate(contestants)]
    order: list[tuple[int, ...]] = []
    chain: list[float] = []
    tput: list[float] = []
    timed = 0
    for index in range(total):
        present = [i for i, lane in enumerate(turns) if index in lane.rounds]
        drawn = tuple(random.permutation(present).tolist())
        for position, i in enumerate(drawn):
            batch = turns[i].take(index, probe=position == 0)
            timed += batch.ns
            if position == 0 and batch.chain_ns is not None and batch.tput_ns is not None:
                chain.append(batch.chain_ns)
                tput.append(batch.tput_ns)
        order.append(drawn)
    for contestant in contestants:
        problem = still_right(contestant)
        if problem:
            raise LaneFailed(contestant.lane, f"after the timed calls: {problem}")
    return Rounds(tuple(lane.samples() for lane in turns), tuple(order), tuple(chain), tuple(tput), timed)


def timed_batch(
    lane: str, proven: ProvenCase, calls: int, lead: int, probe: bool, limit_s: float, batches: int = 1
) -> Batch:
    """One request of `batches` batches. LaneFailed if a call failed or took no time, LaneCrashed if the worker broke."""
    try:
        batch = proven.worker.run(proven.number, calls, lead, probe, limit_s, batches)
    except WorkerError as error:
        raise LaneCrashed(lane, error) from None
    except Refusal as refusal:
        broken = WorkerError("crashed", f"the worker refused a batch of a case that it had prepared: {refusal}")
        raise LaneCrashed(lane, broken) from None
    if batch.failed:
        how = "was rejected" if batch.failed == 1 else "failed"
        raise LaneFailed(lane, f"a timed call {how} (status {batch.failed})")
    if min(batch.each or (batch.ns,)) <= 0:
        raise LaneFailed(lane, f"{calls} calls took {min(batch.each or (batch.ns,))} ns")
    return batch


def still_right(contestant: Contestant) -> str:
    """ "" if the last timed call left the proven output."""
    try:
        return contestant.proven.still_right()
    except WorkerError as error:
        raise LaneCrashed(contestant.lane, error) from None
    except Refusal as refusal:
        return str(refusal)


def _schedule(own: int, total: int) -> frozenset[int]:
    """`own` of `total` rounds, evenly spread."""
    if own >= total:
        return frozenset(range(total))
    return frozenset(int(i) for i in np.linspace(0, total - 1, own).round())


def now() -> float:
    """Monotonic seconds."""
    return time.monotonic()
