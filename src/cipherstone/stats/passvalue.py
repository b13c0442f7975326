# SPDX-License-Identifier: Apache-2.0
"""From one pass to one value a lane: the lower quartile of core cycles per call over the clean batches, as time at the clock of the pass.

Each batch is divided by the length of a core cycle that was read at its two ends, so that a clock that moves between lanes moves no ratio; the median cycle of the pass turns cycles back into
nanoseconds, the same for every lane. A low quantile, because disturbances that the probes do not see only add time; the quartile and not the 10 % quantile, because
a cycle's length is read with an error of its own, and the lowest of many quotients are those with the largest errors (standard deviation of a pass: 0.04 to 0.15 % against 0.05 to 0.18 %).
Without a probe: the 10 % quantile of the time itself. Sources: section 2 of the method's study; decision 0013.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.model.records import LaneSamples, PassRecord
from cipherstone.stats.batches import LaneBatches, lane_batches
from cipherstone.stats.quantiles import FloatArray, median, sorted_quantile

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


SMALLEST_BATCHES = 16
SMALLEST_LONG_BATCHES = 8  # of one call each, because a call is longer than a batch: fewer fit between disturbances
SMALLEST_SLOW_BATCHES = 3
CLEAN_QUANTILE = 0.25
FLOOR_QUANTILE = 0.1
SMALLEST_FOR_LEVELS = 8
SMALLEST_OF_A_TURN = 3
DISTURBED = 1.2  # a batch of more than this times the floor is counted as slow
CLOCK_STEP_SHARE = 0.01
SPREAD = tuple((k + 0.5) / 10 for k in range(10))  # quantiles that stand for a tenth of the batches each


@dataclass(frozen=True)
class PassFigures:
    """One lane in one pass, in nanoseconds per call less the harness; None where `reason` says why.

    `floor_ns`: the lower quartile of clean batches at the clock of the pass. `clean_median_ns`: their median. `median_ns`: median wall time over all batches, disturbed ones included. `spread_ns`: ten quantiles
    of the clean batches that are alike (`LaneBatches.alike`), each for a tenth of them; none below 8. `turn_spread`: the median over turns of what separates the outermost of a turn's, in logarithms; None where no turn has three. `batches`: batches used; `seen`: batches that do not only warm up; `slow_batches`: of them, longer than 1.2 times
    the floor. `short`: the reason is that too few batches count, and `contended`: because they were disturbed. `clock`: "wall", or "cpu" (CPU time, slow operations).
    Where calls differ by what they draw `floor_ns` is their median and there is no `spread_ns`. `calls_ns`: each clean call, where a batch is one.
    """

    floor_ns: float | None
    clean_median_ns: float | None
    median_ns: float | None
    spread_ns: tuple[float, ...]
    batches: int
    seen: int
    slow_batches: int
    clock: str
    reason: str = ""
    short: bool = False
    contended: bool = False
    calls_ns: tuple[float, ...] = ()
    turn_spread: float | None = None


def smallest(calls: int, slow: bool) -> int:
    """Clean batches without which a lane has no figure in a pass. `calls` in a batch; `slow`: calls of more than 3 ms."""
    return SMALLEST_SLOW_BATCHES if slow else SMALLEST_LONG_BATCHES if calls == 1 else SMALLEST_BATCHES


def batches_of(record: PassRecord, dropped_batches: int) -> list[LaneBatches]:
    """The batches of every lane of a pass."""
    return [lane_batches(samples, dropped_batches) for samples in record.lanes]


def pass_cycle_ns(lanes: Sequence[LaneBatches], reference: float | None, threshold: float) -> float | None:
    """Length of a core cycle in the pass: the median over the clean batches of all lanes; over all batches if none is clean; None without a probe."""
    probed = [lane for lane in lanes if lane.probed]
    for cycles in (
        [lane.cycle_ns[lane.clean(reference, threshold)] for lane in probed],
        [lane.cycle_ns[np.isfinite(lane.cycle_ns)] for lane in probed],
    ):
        joined = np.concatenate(cycles) if cycles else np.empty(0)
        if joined.size:
            return median(joined)
    return None


def pass_figures(
    lane: LaneBatches,
    harness_ns: float,
    cycle_ns: float | None,
    reference: float | None,
    threshold: float,
    distribution: bool = False,
) -> PassFigures:
    """Figures of one lane. `harness_ns`: cost of the empty call per call, subtracted. `cycle_ns`: `pass_cycle_ns` of its pass. `distribution`: calls differ by what they draw (`stats.distribution`).

    Refused, with the reason: a damaged record, batches in doubt, fewer than 16 clean batches (of one call: 8; slow operations, which have fewer of their own: 3), a time of zero, a floor that is not above zero once the harness is taken off.
    """
    seen = lane.ns.size

    def refused(reason: str, batches: int, short: bool = False, contended: bool = False) -> PassFigures:
        typical = median(lane.wall_ns) - harness_ns if seen else None
        return PassFigures(None, None, typical, (), batches, seen, 0, lane.clock, reason, short, contended)

    if lane.reason:
        return refused(lane.reason, 0)
    if seen and not lane.ns.min() > 0.0:
        return refused(f"a batch of {lane.ns.min() * lane.calls:.0f} ns", 0)
    if lane.doubt:
        return refused(f"contended: {lane.doubt}", 0, True, True)
    clean = lane.clean(reference, threshold)
    used = int(np.count_nonzero(clean))
    needed = smallest(lane.calls, lane.slow)
    if used < needed:
        if seen < needed:
            return refused(f"{seen} batches, {needed} needed", used, True)
        return refused(f"contended: {used} of {seen} batches undisturbed, {needed} needed", used, True, True)
    in_order = _at_the_clock(lane, clean, cycle_ns)
    times = np.sort(in_order)
    spread, turn_spread = _levels_of(lane, clean, in_order, harness_ns) if not distribution else ((), None)
    floor = sorted_quantile(times, 0.5 if distribution else CLEAN_QUANTILE if lane.probed else FLOOR_QUANTILE)
    net = floor - harness_ns
    if not net > 0.0:
        return refused(f"{floor:.3g} ns per call is not above the harness's {harness_ns:.3g} ns", used)
    return PassFigures(
        floor_ns=net,
        clean_median_ns=sorted_quantile(times, 0.5) - harness_ns,
        median_ns=median(lane.wall_ns) - harness_ns,
        spread_ns=spread,
        batches=used,
        seen=seen,
        slow_batches=int(np.count_nonzero(lane.ns > DISTURBED * floor)),
        clock=lane.clock,
        calls_ns=tuple((times - harness_ns).tolist()) if lane.calls == 1 else (),
        turn_spread=turn_spread,
    )


def _levels_of(
    lane: LaneBatches, clean: np.ndarray[tuple[int], np.dtype[np.bool_]], times: FloatArray, harness_ns: float
) -> tuple[tuple[float, ...], float | None]:
    """(`spread_ns`, `turn_spread`) of the clean batches, whose `times` these are."""
    if lane.alike is None or lane.turns is None:
        return (), None
    chosen = lane.alike[clean]
    found, turns = times[chosen] - harness_ns, lane.turns[clean][chosen]
    if found.size < SMALLEST_FOR_LEVELS or not found.min() > 0.0:
        return (), None
    within = [np.log(part) for turn in np.unique(turns) if (part := found[turns == turn]).size >= SMALLEST_OF_A_TURN]
    ordered = np.sort(found)
    spread = tuple(sorted_quantile(ordered, q) for q in SPREAD)
    return spread, median(np.array([float(np.ptp(part)) for part in within])) if within else None


def _at_the_clock(
    lane: LaneBatches, clean: np.ndarray[tuple[int], np.dtype[np.bool_]], cycle_ns: float | None
) -> FloatArray:
    if not lane.probed or cycle_ns is None:
        return lane.ns[clean]
    result: FloatArray = lane.ns[clean] / lane.cycle_ns[clean] * cycle_ns
    return result


def counted_cycles(samples: LaneSamples, dropped_batches: int, harness_cycles: float) -> float | None:
    """Core cycles per call by the hardware counter: 10 % quantile over the turns that do not only warm up, less the empty call's; None without a counter.

    A turn's cycles are of all its batches together, so that a quantile over turns is a little less low than one over batches; cycles of user mode do not
    grow while the process waits, which is what the low quantile guards the clock against.
    """
    if not samples.cycles or samples.calls < 1 or len(samples.ns) % len(samples.cycles) != 0:
        return None
    batches = len(samples.ns) // len(samples.cycles)
    turns = np.array(samples.cycles[-(-dropped_batches // batches) :], dtype=np.float64)
    if turns.size < SMALLEST_SLOW_BATCHES or not turns.min() > 0.0:
        return None
    turns.sort()
    net = sorted_quantile(turns, FLOOR_QUANTILE) / (batches * samples.calls) - harness_cycles
    return net if net > 0.0 else None


def clock_refusal(clock_step_ns: float, batch_ns: float) -> str:
    """Why a clock is too coarse for batches of `batch_ns`, or "": a step above 1 % of the batch decides the result instead of the library."""
    if clock_step_ns <= CLOCK_STEP_SHARE * batch_ns:
        return ""
    return f"the clock moves in steps of {clock_step_ns:.0f} ns, more than 1 % of a batch of {batch_ns:.0f} ns"
