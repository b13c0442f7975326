# SPDX-License-Identifier: Apache-2.0
"""From one lane's batches in one pass to one value: the 10 % quantile of nanoseconds per call.

A low quantile per pass, then the median over passes, beats the median of paired ratios (sd 0.14 against 0.23 %, worst cell 0.34 against 0.82 %): disturbances
only add time. The minimum is no better and depends on the number of rounds. Source: section 2 of the method.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cipherstone.model.records import LaneSamples
from cipherstone.stats.quantiles import sorted_quantile

SMALLEST_ROUNDS = 16
SMALLEST_SLOW_ROUNDS = 3
FLOOR_QUANTILE = 0.1
DISTURBED = 1.2  # a batch of more than this times the floor is counted as disturbed
CLOCK_STEP_SHARE = 0.01


@dataclass(frozen=True)
class PassFigures:
    """One lane in one pass, in nanoseconds per call less the harness; `floor_ns` and `median_ns` are None if `reason` is not "".

    `batches`: batches used. `disturbed`: of them, longer than 1.2 times the floor. `clock`: "wall", or "cpu" (thread CPU time, slow operations).
    """

    floor_ns: float | None
    median_ns: float | None
    batches: int
    disturbed: int
    clock: str
    reason: str = ""


def pass_figures(samples: LaneSamples, dropped_batches: int, harness_ns: float) -> PassFigures:
    """Floor and median of one lane in one pass.

    The lane's own first `dropped_batches` batches are left out: they warm it up, in whatever round they fall. Slow operations use thread CPU time where the worker reports it (a wall-clock batch of
    milliseconds spans scheduler slices), wall time where it cannot. `harness_ns`: cost of the empty call per call, subtracted.
    Refused, with the reason: fewer than 16 used rounds (slow operations, which have fewer rounds of their own: 3), a time of zero, a floor that
    is not above zero once the harness is taken off, `cpu_ns` or `rounds` of another length than `ns`.
    """
    use_cpu = samples.slow and len(samples.cpu_ns) > 0
    clock = "cpu" if use_cpu else "wall"
    times = np.array(samples.cpu_ns if use_cpu else samples.ns, dtype=np.float64)

    def refused(reason: str, batches: int) -> PassFigures:
        return PassFigures(None, None, batches, 0, clock, reason)

    if samples.calls < 1:
        return refused(f"{samples.calls} calls a batch", 0)
    if samples.rounds and len(samples.rounds) != times.size:
        return refused(f"{times.size} times for {len(samples.rounds)} rounds", 0)
    times = times[dropped_batches:]
    needed = SMALLEST_SLOW_ROUNDS if samples.slow else SMALLEST_ROUNDS
    if times.size < needed:
        return refused(f"{times.size} rounds, {needed} needed", times.size)
    times.sort()
    if not times[0] > 0.0:
        return refused(f"a batch of {times[0]:.0f} ns", times.size)
    floor = float(sorted_quantile(times, FLOOR_QUANTILE))
    disturbed = times.size - int(np.searchsorted(times, DISTURBED * floor, side="right"))
    net = floor / samples.calls - harness_ns
    if not net > 0.0:
        return refused(
            f"{floor / samples.calls:.3g} ns per call is not above the harness's {harness_ns:.3g} ns", times.size
        )
    median = float(sorted_quantile(times, 0.5)) / samples.calls - harness_ns
    return PassFigures(net, median, times.size, disturbed, clock)


def pass_floor(samples: LaneSamples, dropped_batches: int, harness_ns: float) -> float | None:
    """f_ip: 10 % quantile (type 7) of ns per call less the harness, or None where `pass_figures` refuses."""
    return pass_figures(samples, dropped_batches, harness_ns).floor_ns


def counted_cycles(samples: LaneSamples, dropped_batches: int, harness_cycles: float) -> float | None:
    """Core cycles per call by the hardware counter: 10 % quantile over the turns that do not only warm up, less the empty call's; None without a counter.

    A turn's cycles are of all its batches together, so that a quantile over turns is a little less low than one over batches; cycles of user mode do not
    grow while the process waits, which is what the low quantile guards the clock against.
    """
    if not samples.cycles or samples.calls < 1 or len(samples.ns) % len(samples.cycles) != 0:
        return None
    batches = len(samples.ns) // len(samples.cycles)
    turns = np.array(samples.cycles[-(-dropped_batches // batches) :], dtype=np.float64)
    if turns.size < SMALLEST_SLOW_ROUNDS or not turns.min() > 0.0:
        return None
    turns.sort()
    net = float(sorted_quantile(turns, FLOOR_QUANTILE)) / (batches * samples.calls) - harness_cycles
    return net if net > 0.0 else None


def clock_refusal(clock_step_ns: float, batch_ns: float) -> str:
    """Why a clock is too coarse for batches of `batch_ns`, or "": a step above 1 % of the batch decides the result instead of the library."""
    if clock_step_ns <= CLOCK_STEP_SHARE * batch_ns:
        return ""
    return f"the clock moves in steps of {clock_step_ns:.0f} ns, more than 1 % of a batch of {batch_ns:.0f} ns"
