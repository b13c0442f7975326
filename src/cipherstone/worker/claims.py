# SPDX-License-Identifier: Apache-2.0
"""What a worker may claim: its figures against what its asker saw pass and what the system counted of its process (protocol/PROTOCOL.md section 5.1).

A worker's clock is its own. The asking side has two others: the monotonic time between writing a request and having read its reply, and, where the system tells it, the CPU time that the worker's
process used meanwhile. The first bounds every claim from above, reply by reply. The second bounds the figure of a pass from below: the system's count does not grow while others have the core.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from cipherstone.protocol.messages import Batch, Readings

# Two clocks of one machine may differ by this share: one is slewed by the network time, the other not (at most 500 ppm each), or was calibrated by its worker.
CLOCKS_DIFFER = 0.01
SLACK_NS = 2_000
LATE_NS = 200_000  # what a process computed for one request may be counted with the next: the end of its turn, after the reply was read
COARSEST_STEP_NS = 10_000_000  # of a clock whose steps are forgiven; coarser ones are in no system
MOST_PER_NS = 10  # cycles or ticks of a counter: no core has a clock of 10 GHz
LEAST_SWITCH_NS = 100  # a context switch takes more
SHORTEST_ADD_NS = (
    1e-6  # nonsense that is only improbable is left to who judges the probes; what is shorter would overflow quotients
)
# Share of what the system counted that a figure has to reach. A call of the lead, or a batch, may be the slower one, the core's clock may change within a pass, and a long input is looked at after
# the calls; a clock that lies by half stays below.
LEAST_SHARE = 0.6
SCHED_CLOCK = 2  # CPUCLOCK_SCHED of the process, linux/posix-timers.h


class Seen(msgspec.Struct, frozen=True):
    """What the asker saw of one request. `wall_ns`: monotonic nanoseconds from before it was written until its reply was read. `cpu_ns`: CPU time of the worker's process meanwhile; `turns`: how often
    its first thread was given a CPU meanwhile, once for a request that nothing interrupted; None where the system does not tell."""

    wall_ns: int
    cpu_ns: int | None = None
    turns: int | None = None

    @property
    def undisturbed(self) -> bool:
        """Whether the worker, once it had a CPU, kept it until it had replied. True where the system does not tell."""
        return self.turns is None or self.turns <= 1

    @property
    def longest_ns(self) -> float:
        """The longest time within it that another clock may have measured."""
        return self.wall_ns * (1 + CLOCKS_DIFFER) + SLACK_NS


class TurnOverhead(msgspec.Struct, frozen=True):
    """CPU time in ns that a turn of hardly any calls takes the worker: parsing, probes, reply. `ns`: with one batch, `per_batch_ns`: for each further one. `unsure_ns`: by how much single turns differ from it."""

    ns: float
    per_batch_ns: float
    unsure_ns: float = 0.0

    def of(self, batches: int) -> float:
        """Of a turn of so many batches."""
        return self.ns + self.per_batch_ns * (batches - 1)


def cpu_clock_of(pid: int) -> Callable[[], int | None]:
    """A reading of the CPU time of another process (user and system, all threads) in ns; it gives None where the system has no such clock, and once the process has ended. Linux only: its clock numbers hold the process (`clock_getcpuclockid`)."""
    clock = (~pid << 3) | SCHED_CLOCK

    def read() -> int | None:
        try:
            return time.clock_gettime_ns(clock)
        except (OSError, OverflowError):
            return None

    return read if sys.platform == "linux" else lambda: None


class TurnCounter:
    """How often the first thread of another process was given a CPU: the third number of /proc/PID/schedstat, or the context switches in /proc/PID/status where the kernel keeps none. Linux only."""

    def __init__(self, pid: int) -> None:
        self._file: int | None = None
        self._status = False
        for name in ("schedstat", "status") if sys.platform == "linux" else ():
            with suppress(OSError):
                self._file, self._status = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC), name == "status"
                if self.read():
                    return
                self.close()

    def read(self) -> int | None:
        """The count so far; None where the system has none, and once the process has ended."""
        if self._file is None:
            return None
        try:
            text = os.pread(self._file, 8192, 0)
        except OSError:
            return None
        if self._status:
            switches = [int(number) for number in _SWITCHES.findall(text)]
            return sum(switches) + 1 if switches else None
        return int(text.split()[2]) or None

    def close(self) -> None:
        """Gives the file back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class SystemCount:
    """What the system counts of another process."""

    def __init__(self, pid: int) -> None:
        self._cpu_ns = cpu_clock_of(pid)
        self._turns = TurnCounter(pid)

    def read(self) -> tuple[int | None, int | None, int]:
        """Turns on a CPU and CPU time in ns so far (None where the system has none), and the asker's own monotonic time in ns."""
        return self._turns.read(), self._cpu_ns(), time.monotonic_ns()

    def since(self, before: tuple[int | None, int | None, int]) -> Seen:
        """What was seen since a reading."""
        now = time.monotonic_ns()
        return Seen(now - before[2], _grown(before[1], self._cpu_ns()), _grown(before[0], self._turns.read()))

    def close(self) -> None:
        """Gives its file back."""
        self._turns.close()


def _grown(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


_SWITCHES = re.compile(rb"^(?:non)?voluntary_ctxt_switches:\s*([0-9]+)$", re.MULTILINE)


def impossible_turn(batch: Batch, seen: Seen, batches: int, clock_step_ns: int) -> str:
    """What a reply to `run` claims that cannot be, or "". The measuring code judges times that are zero or negative."""
    room = seen.longest_ns + batches * min(clock_step_ns, COARSEST_STEP_NS)
    waited, aside = batch.waited_ns or 0, batch.aside_ns or 0
    longest = max(batch.ns, *batch.each) if batch.each else batch.ns
    if longest + waited + aside > room:
        more = f" and {waited} ns of waiting" if waited else ""
        more += f" and {aside} ns aside" if aside else ""
        return f"claims {longest} ns{more} for a request that took {seen.wall_ns} ns"
    # The probes are taken off what was counted around the whole turn, so a little of them may be left in it.
    if (batch.cpu_ns or 0) > room - waited:
        return f"claims {batch.cpu_ns} ns of CPU time for a request that took {seen.wall_ns} ns"
    if seen.cpu_ns is not None and (batch.cpu_ns or 0) > seen.cpu_ns * (1 + CLOCKS_DIFFER) + LATE_NS:
        return f"claims {batch.cpu_ns} ns of CPU time where the system counted {seen.cpu_ns} ns"
    for name, count, least_ns in (
        ("cycles", batch.cycles, 1 / MOST_PER_NS),
        ("ticks of its counter", batch.ref, 1 / MOST_PER_NS),
        ("context switches", batch.nivcsw, LEAST_SWITCH_NS),
    ):
        if (count or 0) * least_ns > room:
            return f"claims {count} {name} for a request that took {seen.wall_ns} ns"
    return impossible_readings(batch, seen)


def impossible_readings(reply: Batch | Readings, seen: Seen) -> str:
    """What a list of probe readings, or the waiting before them, claims that cannot be, or ""."""
    room = seen.longest_ns
    if (reply.waited_ns or 0) > room:
        return f"claims {reply.waited_ns} ns of waiting for a request that took {seen.wall_ns} ns"
    for one in (*(reply.chain_ns or ()), *(reply.tput_ns or ())):
        if one and not SHORTEST_ADD_NS <= one <= room:
            return f"claims {one:g} ns for an addition"
    return ""


def uneven(ns_per_call: Sequence[float], used_ns: Sequence[float], calls: int, overhead_ns: float) -> bool:
    """Whether claims that are too little for a figure (`too_little`, same arguments, none empty) come of turns that claim as much in sum as the system counted of these very turns, most of them.

    Then no claim is false, but their batches differ. Beside a neighbour that comes and goes within a turn the best batch is twice as fast as the least turn is on average; who spreads a time
    unevenly looks the same. The figure is believed in neither case.
    """
    each, rest = divmod(len(ns_per_call), len(used_ns))
    if rest or not each:
        return False
    counted = [_counted(used, calls, overhead_ns) for used in used_ns]
    turns = [ns_per_call[at : at + each] for at in range(0, len(ns_per_call), each)]
    looked = [
        (turn, count) for turn, count in zip(turns, counted, strict=True) if min(turn) < LEAST_SHARE * min(counted)
    ]
    agree = sum(sum(turn) / each >= LEAST_SHARE * count for turn, count in looked)
    return 2 * agree > len(looked)


def too_little(ns_per_call: Sequence[float], used_ns: Sequence[float], calls: int, overhead_ns: float) -> str:
    """Why the figure of a pass cannot be true, or "": it is well below what the system counted.

    `ns_per_call`: what the batches claim. `used_ns`: for each turn the CPU time that the process used, without the waiting. `calls`: calls of one turn, lead-in included. `overhead_ns`: CPU time of
    a turn of hardly any calls, the worker's own part; at most half of a turn is believed to be that.

    The smallest turn is taken, since an interruption between the batches is counted too, against the 10 % quantile of the claims, which is what becomes the figure.
    """
    if not ns_per_call or not used_ns:
        return ""
    counted = _counted(min(used_ns), calls, overhead_ns)
    claimed = sorted(ns_per_call)[len(ns_per_call) // 10]
    if claimed >= LEAST_SHARE * counted:
        return ""
    return f"claims {claimed:.4g} ns a call where the system counted {counted:.4g} ns of CPU time"


def _counted(used_ns: float, calls: int, overhead_ns: float) -> float:
    """CPU time of a call, from that of a turn."""
    return (used_ns - min(overhead_ns, used_ns / 2)) / calls
