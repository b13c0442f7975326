# SPDX-License-Identifier: Apache-2.0
"""Whether a worker's clock is believed: its rate when a process begins, and the times of a pass, against the CPU time that the system counted (`worker.claims`, protocol/PROTOCOL.md section 5.1).

A worker that is interrupted claims more than the system counts, so that load hides a clock that is behind. Hence only turns that tell are held against the count: in which the worker kept its CPU from when it got it
until it had replied, as the system tells, or claims no more than was counted. In them the count is the claim and the worker's own part, which is the same for long turns and short ones: the difference of the two has none of it.
Why so, and what it finds: docs/decisions/0048-a-clock-that-load-does-not-hide.md.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import msgspec

from cipherstone.model.errors import WorkerError
from cipherstone.model.outcomes import UNTRUE
from cipherstone.protocol.messages import Batch
from cipherstone.worker import WorkerProcess
from cipherstone.worker.claims import Seen, TurnOverhead, too_little, uneven
from cipherstone.worker.terms import PROBED

RATE_AT_LEAST = 0.96  # of what the system counted. Measured of honest workers: 0.98 to 1.00, the lower ones interpreted and at a load of 40; what claims 0.95 shows as 0.93 to 0.953
ERRORS = 2  # standard errors of a rate by which it has to keep from that limit, on whichever side
MOST_CALLS = 100_000_000  # of a check: a claim of next to nothing asks for no more
COARSE_STEPS = 100  # of the worker's clock at least in a long turn
# Undisturbed turns of each length that are asked for, and what a long one takes: a few tell most workers, many are asked before one is accused, more of one whose own part varies as that of an interpreter
# does. Half a millisecond for systems that interrupt more often.
TRIES = ((5, 1_000_000), (20, 2_000_000), (60, 2_000_000), (20, 500_000))
ASKED_FOR_EACH = 4  # turns at most for an undisturbed one
LEAST_TURNS = 3  # undisturbed ones of a pass that tell of its clock
UNSURE_NS = (
    12_000  # at least, of a turn's own part: it differs so much from process to process and with what ran before
)
# Of turns whose clock other turns acquit, and which claim less for a call than these: a worker may know which turns are looked at. Beside a neighbour a turn's own part grows (measured: by 8 % of a turn at most, a
# load of 40; of an interpreter by 15 %).
DOUBTED_BELOW = 0.88
SPOT_SHARE = (
    1 / 32
)  # of the passes of a lane over a case that are checked by further turns whatever their own told: a worker might put on its own part where that is measured
OVERHEAD_TRIALS = 5
OVERHEAD_BATCHES = 8
MANY_NS = 1_000_000  # a turn of many calls, long against the worker's own part of it
MANY_TRIES = 5
LITTLE = 0.02  # of what a turn claims: an own part that is known so well needs no difference
LEAST_MEDIAN = 0.5  # the same of the median: of exponential times it is 0.69 of the mean
LEAST_MEAN = 0.8  # of what the system counts for a call among many that calls timed one by one take in the mean: caches and predictors are against them

Turn = Callable[[int], int]  # makes a turn of so many calls in one batch; ns that the worker claims for it


class TurnTimes(msgspec.Struct, frozen=True):
    """One turn. `claimed_ns` of its calls; `beside_ns`: what the system counted more."""

    claimed_ns: float
    beside_ns: float


class Rate(msgspec.Struct, frozen=True):
    """`of_counted`: ns that a worker claims for one that the system counted. `overhead_ns`: its own part of a turn of one call and one batch, meanwhile; `call_ns`: what it claims for a call among many."""

    of_counted: float
    overhead_ns: float
    call_ns: float


def turn_overhead(worker: WorkerProcess, empty: int) -> TurnOverhead | None:
    """What turns cost this process beside their calls, by turns of single empty calls (case `empty`); None where the system does not count its CPU time. The median of a few undisturbed trials."""
    found: list[list[int]] = []
    for batches in (1, OVERHEAD_BATCHES):
        calm: list[int] = []
        every: list[int] = []
        while len(calm) < OVERHEAD_TRIALS and len(every) < ASKED_FOR_EACH * OVERHEAD_TRIALS:
            worker.run(empty, 1, batches=batches, terms=PROBED)
            if worker.seen.cpu_ns is None:
                return None
            every.append(worker.seen.cpu_ns)
            calm += [worker.seen.cpu_ns] if worker.seen.undisturbed else []
        found.append(sorted(calm or every))
    one, many = (_median(used) for used in found)
    widest = max(used[-1 - len(used) // 4] - used[len(used) // 4] for used in found)
    return TurnOverhead(one, max(0.0, (many - one) / (OVERHEAD_BATCHES - 1)), widest / 2)


def need_true_rate(
    worker: WorkerProcess, empty: int, empty_ns: float, overhead: TurnOverhead | None, step_ns: int = 0
) -> str:
    """Raises WorkerError if the worker's clock runs behind what the system counts, by undisturbed turns of empty calls. A clock that runs ahead claims more than passed, which `WorkerProcess.run` refuses.

    `empty_ns`: what the worker claims for one empty call. `step_ns`: of its clock. Gives why it could not be judged, or "".
    """
    if overhead is None:
        return "the system counts no CPU time of a worker: a clock that is behind would not be noticed"
    rate = rate_of_calls(
        worker, empty_ns, lambda calls: worker.run(empty, calls, terms=PROBED).ns, COARSE_STEPS * step_ns
    )
    if rate is None:
        return "no turn of a worker was undisturbed: a clock that is behind would not be noticed"
    return _need(rate)


def rate_of_calls(
    worker: WorkerProcess, ns_per_call: float, turn: Turn, least_ns: float = 0.0, by_cpu: bool = False
) -> Rate | None:
    """By undisturbed turns of one call and of many in turns; None if there were too few of them. A few have to show `RATE_AT_LEAST` by more than the error; then it is believed as it is, and below the limit it is
    given at the end of its error that favours the worker. `by_cpu`: what the turns claim is CPU time, which no interruption lengthens, so that each of them tells."""
    found: Rate | None = None
    for count, length_ns in TRIES:
        if found is not None and length_ns < MANY_NS:
            break
        many = int(min(MOST_CALLS, 1 + max(1.0, max(length_ns, least_ns) / max(ns_per_call, 1e-9))))
        short, long = _pairs(worker, turn, many, count, by_cpu)
        if min(len(short), len(long)) < count:
            continue
        told = [one.beside_ns for one in short]
        rate = _rate(long, _median(told), _median([one.claimed_ns for one in short]))
        claimed = _median([one.claimed_ns for one in long])
        error = ERRORS * math.hypot(_error(told), _error([one.beside_ns for one in long])) / max(claimed, 1.0)
        ns_per_call = claimed / many  # the core's clock may have changed since it was found
        few = count == TRIES[0][0]
        if not few:
            found = Rate(rate + error, _median(told), ns_per_call)
        if rate - (error if few else 0.0) >= RATE_AT_LEAST:
            return Rate(rate, _median(told), ns_per_call)
        if not few and rate + error < RATE_AT_LEAST:
            break
    return found


def _error(values: Sequence[float]) -> float:
    """Standard error of the median, by the distance of the quartiles of normal values."""
    ordered = sorted(values)
    quarter = len(ordered) // 4
    return 1.253 * (ordered[-1 - quarter] - ordered[quarter]) / 1.349 / math.sqrt(len(ordered))


def _pairs(
    worker: WorkerProcess, turn: Turn, many: int, count: int, by_cpu: bool = False
) -> tuple[Sequence[TurnTimes], Sequence[TurnTimes]]:
    """Turns of one call and of `many` that tell, `count` of each unless the worker does not get them."""
    short, long = Telling(), Telling()
    for _ in range(ASKED_FOR_EACH * count):
        for calls, told in ((1, short), (many, long)):
            if len(told.calm) < count:
                claimed = turn(calls)
                seen = worker.seen
                if seen.cpu_ns is not None:
                    told.add(calm(seen) if by_cpu else seen, claimed, seen.cpu_ns - claimed)
        if min(len(short.calm), len(long.calm)) >= count:
            break
    return short.best(count), long.best(count)


def calm(seen: Seen) -> Seen:
    """The same turn, as one that nothing interrupted."""
    return Seen(seen.wall_ns, seen.cpu_ns)


class Telling:
    """Turns that tell of the worker's clock. `calm`: the undisturbed ones."""

    def __init__(self) -> None:
        self.calm: list[TurnTimes] = []
        self._other: list[TurnTimes] = []

    def add(self, seen: Seen, claimed_ns: float, beside_ns: float) -> None:
        """A turn. Of the disturbed ones those count that claim no more than was counted."""
        if seen.undisturbed:
            self.calm.append(TurnTimes(claimed_ns, beside_ns))
        elif beside_ns >= 0:
            self._other.append(TurnTimes(claimed_ns, beside_ns))

    def best(self, count: int) -> Sequence[TurnTimes]:
        """The undisturbed ones. Where there is none, of a worker that sleeps in every turn: those whose claims are what the system counted, so that no sleep is among them."""
        return self.calm if self.calm or len(self._other) < count else self._other


def _rate(turns: Sequence[TurnTimes], overhead_ns: float, short_ns: float = 0.0) -> float:
    """What the turns claim over what was counted of them, less the worker's own part. `short_ns`: claim of the turns that told it. By what is counted beside the claim, since calls may differ by what they draw."""
    claimed = _median([one.claimed_ns for one in turns]) - short_ns
    counted = claimed + _median([one.beside_ns for one in turns]) - overhead_ns
    return claimed / counted if counted > 0 else 1.0


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def _behind(rate: float) -> WorkerError:
    return WorkerError("crashed", f"{UNTRUE}its clock runs at {rate:.3g} of the CPU time that the system counted")


def short_calls_problem(
    overhead: TurnOverhead | None, worker: WorkerProcess, ns: Sequence[int], ns_per_call: float, turn: Turn
) -> str:
    """Why the times of calls that were timed one by one cannot make a figure, or "". Raises WorkerError if the worker's clock contradicts the system's.

    Where a call takes less than the probes around it, the system's count of its turn tells nothing of the call. So after the pass turns of many calls are counted (`turn(calls)` gives what the worker
    claims for them): their claims are held against that count, and the times one by one against it too. Calls may have become slower since, beside a neighbour: that is no false claim.

    `ns`: the times one by one. `ns_per_call`: about what one takes.
    """
    if overhead is None or not ns:
        return ""
    calls = max(1, round(MANY_NS / ns_per_call))
    claimed: list[float] = []
    used: list[float] = []
    many = one_by_one = ""
    for _ in range(MANY_TRIES):
        claimed.append(turn(calls) / calls)
        if worker.seen.cpu_ns is None:
            return ""
        used.append(worker.seen.cpu_ns)
        many = too_little(claimed, used, calls, overhead.ns)
        one_by_one = _little_one_by_one(ns, min(used), calls, overhead)
        if not many and not one_by_one:
            break
    if many:
        raise WorkerError("crashed", UNTRUE + many)
    return _need(rate_of_calls(worker, ns_per_call, turn)) or one_by_one


def _little_one_by_one(ns: Sequence[int], used_ns: float, calls: int, overhead: TurnOverhead) -> str:
    """Calls differ by what they draw: a tenth of them may take half of the mean, as signing with ML-DSA does. So the mean is held against the count, and the median, which is the figure, with room for a long tail."""
    counted = (used_ns - min(overhead.ns + overhead.unsure_ns, used_ns / 2)) / calls
    told = (("mean", sum(ns) / len(ns), LEAST_MEAN), ("median", _median(ns), LEAST_MEDIAN))
    for name, claimed, least in told:
        if claimed < least * counted:
            return f"claims {claimed:.4g} ns a call in the {name} where the system counted {counted:.4g} ns of CPU time"
    return ""


class TurnsSeen:
    """What the system counted while one lane took its turns in a pass. `by_cpu`: its figure is the CPU time that the worker claims, which no interruption lengthens."""

    def __init__(self, overhead: TurnOverhead | None, by_cpu: bool = False) -> None:
        self._overhead = overhead
        self._by_cpu = by_cpu
        self._used: list[float] = []
        self._telling = Telling()

    def add(self, seen: Seen, batch: Batch) -> None:
        """The turn that the worker has just made."""
        if seen.cpu_ns is None:
            return
        used = max(0.0, seen.cpu_ns - (batch.waited_ns or 0))
        self._used.append(used)
        claimed = batch.ns
        if self._by_cpu and batch.cpu_ns is not None:
            claimed, seen = min(batch.cpu_ns, batch.ns), calm(seen)
        self._telling.add(seen, claimed, used - claimed)

    def problem(self, ns: Sequence[int], calls: int, lead: int, batches: int) -> str:
        """Why the times of the batches cannot make a figure, or ""; `calls` of each, `batches` and `lead` calls in a turn. Raises WorkerError if they cannot be true."""
        if self._overhead is None:
            return ""
        counts = (self._used, lead + batches * calls, self._overhead.of(batches))
        claimed = [x / calls for x in ns]
        problem = too_little(claimed, *counts)
        if problem and not uneven(claimed, *counts):
            raise WorkerError("crashed", UNTRUE + problem)
        return problem

    def rate_problem(
        self, worker: WorkerProcess, calls: int, lead: int, batches: int, turn: Turn, known_ns: float
    ) -> str:
        """Whether the turns of the pass claim what the system counted of them, in the median: why they make no figure, or "". Raises WorkerError if the clock is behind.

        The worker's own part is known to some 15 us, of its turns of empty calls. Where that leaves a doubt, and now and then without one, turns of this very operation tell (`turn(calls)`): one call and
        many, of which the difference has no own part. `known_ns`: what a call is known to take; a turn is no longer than it makes it, whatever the turns of the pass tell. Where these are right and those of the pass clearly are not, there is no accusation, and the pass makes no figure.
        """
        if self._overhead is None or not self._used:
            return ""
        more = 1 + lead / (calls * batches)  # the lead-in is counted, and not claimed
        told = [
            TurnTimes(one.claimed_ns * more, one.beside_ns - one.claimed_ns * (more - 1))
            for one in self._telling.best(LEAST_TURNS)
        ]
        enough = len(told) >= LEAST_TURNS
        overhead_ns, unsure_ns = self._overhead.of(batches), max(UNSURE_NS, self._overhead.unsure_ns)
        least, most = (
            (_rate(told, overhead_ns - unsure_ns), _rate(told, overhead_ns + 2 * unsure_ns)) if told else (0.0, 1.0)
        )
        clear = enough and least >= RATE_AT_LEAST
        if clear and random.random() >= SPOT_SHARE:
            return ""
        ns_per_call = _median([one.claimed_ns for one in told]) / (lead + calls * batches) if told else 0.0
        rate = None
        little = enough and overhead_ns + 2 * unsure_ns <= LITTLE * _median([one.claimed_ns for one in told])
        if not (self._by_cpu and little):
            rate = rate_of_calls(worker, max(ns_per_call, known_ns), turn, by_cpu=self._by_cpu)
        if rate is None and clear:
            return ""  # a sample that was disturbed says nothing against turns that were
        if rate is None and little:
            rate = Rate(most, overhead_ns, ns_per_call)
        problem = _need(rate)
        if rate is not None and enough:  # by its own part as it is now: beside a neighbour it grows
            grown_ns = (
                max(overhead_ns, rate.overhead_ns + self._overhead.of(batches) - self._overhead.ns) + 2 * unsure_ns
            )
            most, other = _rate(told, grown_ns), ns_per_call / rate.call_ns if rate.call_ns > 0 else 1.0
            if not problem and most < DOUBTED_BELOW and other < RATE_AT_LEAST:
                problem = f"claims {most:.3g} of the CPU time that the system counted of its turns"
        return problem


def _need(found: Rate | None) -> str:
    """Why a rate makes no figure, or "". Raises WorkerError if it is one of a clock that is behind."""
    if found is None:
        return "too few of its turns were undisturbed for its clock to be held against the CPU time that the system counted"
    if found.of_counted < RATE_AT_LEAST:
        raise _behind(found.of_counted)
    return ""
