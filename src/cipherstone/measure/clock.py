# SPDX-License-Identifier: Apache-2.0
"""Whether a worker's clock is believed: its rate when a process begins, and the figures of a pass, against the CPU time that the system counted (`worker.claims`, protocol/PROTOCOL.md section 5.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cipherstone.model.errors import WorkerError
from cipherstone.worker import WorkerProcess
from cipherstone.worker.claims import OwnCost, too_little, uneven

# Long against the worker's own part of a turn, about 0.1 ms. Of one that is interpreted, on a core that others share, it is a millisecond now and another half then: before it is accused it is asked for more.
CHECK_NS = (2_000_000, 2_000_000, 2_000_000, 8_000_000, 32_000_000)
MOST_CALLS = 100_000_000  # of a check: a claim of next to nothing asks for no more
RATE_AT_LEAST = 0.9  # of what the system counted; measured on a machine in use: 0.97 to 1.00
OWN_TRIALS = 3
OWN_BATCHES = 8
MANY_NS = 1_000_000  # a turn of many calls, long against the worker's own part of it
MANY_TRIES = 5


def own_cost(worker: WorkerProcess, empty: int) -> OwnCost | None:
    """What turns cost this process beside their calls, by turns of single empty calls (case `empty`); None where the system does not count its CPU time. The least of a few trials."""
    found = []
    for batches in (1, OWN_BATCHES):
        used = []
        for _ in range(OWN_TRIALS):
            worker.run(empty, 1, 0, True, batches=batches)
            if worker.seen.cpu_ns is None:
                return None
            used.append(worker.seen.cpu_ns)
        found.append(float(min(used)))
    one, many = found
    return OwnCost(one, max(0.0, (many - one) / (OWN_BATCHES - 1)))


def need_true_rate(worker: WorkerProcess, empty: int, empty_ns: float, own: OwnCost | None) -> None:
    """Raises WorkerError if the worker's clock runs behind what the system counts, in a batch of empty calls of some two milliseconds, at last of 32. A clock that runs ahead claims more than passed, which `WorkerProcess.run` refuses: such a batch is long enough that little can hide in the time around it.

    `empty_ns`: what the worker claims for one empty call. An interruption between the readings of the two clocks makes the system's count larger, so that one try of a few that agrees is enough.
    """
    best = 0.0
    for length in CHECK_NS:
        calls = int(min(MOST_CALLS, max(1.0, length / max(empty_ns, 1e-9))))
        claimed = worker.run(empty, calls).ns
        if own is None or worker.seen.cpu_ns is None:
            return
        counted = worker.seen.cpu_ns - min(own.ns, worker.seen.cpu_ns / 2)
        best = max(best, claimed / max(counted, 1.0))
        if best >= RATE_AT_LEAST:
            return
    raise WorkerError("crashed", f"protocol: its clock runs at {best:.3g} of the CPU time that the system counted")


def short_calls_problem(
    own: OwnCost | None, worker: WorkerProcess, ns: Sequence[int], ns_per_call: float, turn: Callable[[int], int]
) -> str:
    """Why the times of calls that were timed one by one cannot make a figure, or "". Raises WorkerError if the worker's clock contradicts the system's.

    Where a call takes less than the probes around it, the system's count of its turn tells nothing of the call. So after the pass turns of many calls are counted (`turn(calls)` gives what the worker
    claims for one): their claims are held against that count, and the times one by one against it too. Calls may have become slower since, beside a neighbour: that accuses nobody.

    `ns`: the times one by one. `ns_per_call`: about what one takes.
    """
    if own is None or not ns:
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
        many = too_little(claimed, used, calls, own.ns)
        one_by_one = too_little(ns, used, calls, own.ns)
        if not many and not one_by_one:
            return ""
    if many:
        raise WorkerError("crashed", f"protocol: {many}")
    return one_by_one


class TurnsSeen:
    """What the system counted while one lane took its turns in a pass."""

    def __init__(self, own: OwnCost | None) -> None:
        self._own = own
        self._used: list[float] = []

    def add(self, worker: WorkerProcess, waited_ns: int) -> None:
        """The turn that the worker has just made."""
        if worker.seen.cpu_ns is not None:
            self._used.append(max(0.0, worker.seen.cpu_ns - waited_ns))

    def problem(self, ns: Sequence[int], calls: int, lead: int, batches: int) -> str:
        """Why the times of the batches cannot make a figure, or ""; `calls` of each, `batches` and `lead` calls in a turn. Raises WorkerError if they cannot be true."""
        if self._own is None:
            return ""
        counts = (self._used, lead + batches * calls, self._own.of(batches))
        claimed = [x / calls for x in ns]
        problem = too_little(claimed, *counts)
        if problem and not uneven(claimed, *counts):
            raise WorkerError("crashed", f"protocol: {problem}")
        return problem
