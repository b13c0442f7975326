# SPDX-License-Identifier: Apache-2.0
"""Which batches of a lane count: those that a free core is seen right before and right after.

A busy sibling thread comes in bursts of microseconds to seconds, between which the core is free for a fraction of a millisecond and more. So batches are judged, not passes:
a batch is clean if the probe before it and the probe after it both reach the threshold, by one clock. What happens inside a batch is not seen; batches are short, and a low quantile
of many is taken. Experiments: decision 0013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.model.records import LaneSamples
from cipherstone.stats.probes import ipc
from cipherstone.stats.quantiles import FloatArray

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    BoolArray = NDArray[np.bool_]
else:
    np = Later("numpy")
    BoolArray = object

# Chain readings at both ends that are nearer than this are averaged; of others the shorter one is the clock: an interruption only lengthens a reading.
CLOCK_CHANGE = 0.02
# A reading this far above the reference is of interrupted chains at both ends, not of a faster core.
ABOVE = 1.05


@dataclass(frozen=True)
class LaneBatches:
    """One lane's batches that do not only warm up, in order. Arrays of one length; `reason` says why there are none, `doubt` why they give no figure.

    `ns`: time of a call by the lane's primary clock, harness included. `wall_ns`: by the wall. `cycle_ns`: length of a core cycle as read at both ends, NaN without a
    probe. `ipc`: the lower IPC of both ends by the shorter chain reading of the two, 0 where a reading is missing; `ipc_high`: the higher one. A clock that changes by more than the threshold allows shows as a low IPC.
    `alike`: batches that differ neither by their place in the request (not its first, where it has more), nor by their place in the process (of its later half), nor by a neighbour that had the CPU; `turns`: the round of each. None where there are none.
    """

    ns: FloatArray
    wall_ns: FloatArray
    cycle_ns: FloatArray
    ipc: FloatArray
    ipc_high: FloatArray
    probed: bool
    clock: str
    slow: bool
    calls: int
    reason: str = ""
    doubt: str = ""
    alike: BoolArray | None = None
    turns: NDArray[np.int64] | None = None

    def clean(self, reference: float | None, threshold: float) -> BoolArray:
        """Which batches count. All, if the worker has no probe; none, if it has one and no reference is known."""
        if not self.probed:
            return np.ones(self.ns.size, dtype=np.bool_)
        if reference is None:
            return np.zeros(self.ns.size, dtype=np.bool_)
        found: BoolArray = (self.ipc >= threshold * reference) & (self.ipc_high <= ABOVE * reference)
        return found


def lane_batches(samples: LaneSamples, dropped_batches: int) -> LaneBatches:
    """The batches of a lane after its first `dropped_batches`, which warm it up, in whatever round they fall.

    Slow operations use CPU time where the worker reports it (a wall-clock batch of milliseconds spans scheduler slices), wall time where it cannot.
    """
    use_cpu = samples.slow and len(samples.cpu_ns) > 0
    clock = "cpu" if use_cpu else "wall"
    wall = np.array(samples.ns, dtype=np.float64)
    times = np.array(samples.cpu_ns, dtype=np.float64) if use_cpu else wall
    reason = _damaged(samples, times.size)
    if reason:
        none: FloatArray = np.empty(0)
        return LaneBatches(none, none, none, none, none, False, clock, samples.slow, max(samples.calls, 1), reason)
    low, high, cycle = _ends(samples)
    kept = slice(dropped_batches, None)
    return LaneBatches(
        times[kept] / samples.calls,
        wall[kept] / samples.calls,
        cycle[kept],
        low[kept],
        high[kept],
        len(samples.chain_ns) > 0,
        clock,
        samples.slow,
        samples.calls,
        doubt=samples.doubt,
        alike=_alike(samples)[kept],
        turns=np.array(samples.rounds or range(times.size), dtype=np.int64)[kept],
    )


def _alike(samples: LaneSamples) -> BoolArray:
    number = np.arange(len(samples.ns))
    found: BoolArray = number >= number.size // 2
    if samples.per_turn > 1:
        found &= number % samples.per_turn != 0
    if samples.switched:
        found &= ~np.isin(number // samples.per_turn, samples.switched)
    return found


def readings(samples: LaneSamples) -> FloatArray:
    """IPC of every probe reading of a lane, in order; NaN where one is missing."""
    return ipc(samples.chain_ns, samples.tput_ns) if len(samples.chain_ns) == len(samples.tput_ns) else np.empty(0)


def _damaged(samples: LaneSamples, times: int) -> str:
    if samples.calls < 1:
        return f"{samples.calls} calls a batch"
    if samples.rounds and len(samples.rounds) != times:
        return f"{times} times for {len(samples.rounds)} rounds"
    if times != len(samples.ns):
        return f"{times} CPU times for {len(samples.ns)} batches"
    if samples.per_turn < 1 or times % samples.per_turn:
        return f"{times} batches are no turns of {samples.per_turn}"
    due = times // samples.per_turn * (samples.per_turn + 1)
    if samples.chain_ns and not len(samples.chain_ns) == len(samples.tput_ns) == due:
        return f"{len(samples.chain_ns)} and {len(samples.tput_ns)} probe readings for {times} batches, expected {due}"
    return ""


def _ends(samples: LaneSamples) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(lower IPC, higher IPC, ns per cycle) of each batch."""
    count = len(samples.ns)
    if not samples.chain_ns:
        return np.zeros(count), np.zeros(count), np.full(count, np.nan)
    shape = (count // samples.per_turn, samples.per_turn + 1)
    good = np.isfinite(ipc(samples.chain_ns, samples.tput_ns))
    chain = np.where(good, np.asarray(samples.chain_ns, dtype=np.float64), np.nan).reshape(shape)
    tput = np.where(good, np.asarray(samples.tput_ns, dtype=np.float64), np.nan).reshape(shape)
    before, after = chain[:, :-1].ravel(), chain[:, 1:].ravel()
    clock = np.minimum(before, after)
    first, second = clock / tput[:, :-1].ravel(), clock / tput[:, 1:].ravel()
    cycle: FloatArray = np.where(np.maximum(before, after) <= (1 + CLOCK_CHANGE) * clock, (before + after) / 2, clock)
    low: FloatArray = np.nan_to_num(np.minimum(first, second), nan=0.0)
    high: FloatArray = np.nan_to_num(np.maximum(first, second), nan=0.0)
    return low, high, cycle
