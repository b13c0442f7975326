# SPDX-License-Identifier: Apache-2.0
"""The reduced form of a pass: one row of scalars per lane. All later figures come from these rows.

In two steps, because which batches count depends on the reference that the whole run knows at its end: `parts` keeps a pass's batches as arrays, `pass_values` judges and reduces them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from cipherstone.model.later import Later
from cipherstone.model.records import PassRecord, Settings
from cipherstone.stats.batches import LaneBatches, lane_batches, readings
from cipherstone.stats.passvalue import counted_cycles, pass_cycle_ns, pass_figures
from cipherstone.stats.probes import clean_level, median_ipc, session_reference
from cipherstone.stats.quantiles import FloatArray

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


class PassValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """One lane in one pass of one case; `*_ns` of calls are per call, less the harness.

    `pass_index`, `start_s`, `wall_s`, `pass_timed_s`, `waited_s`, `cpus` (in the order of its rounds, each once), `cycle_ns`, `ipc_median` and `clean_share` belong to the pass and are the same for its lanes. `valid`: the lane has a figure in this
    pass; if not, `refused` says why, and `contended` whether it is for want of undisturbed batches. `floor_ns`: lower quartile of the clean batches at the clock of the pass, `clean_median_ns` their median,
    `spread_ns` ten quantiles, each for a tenth of them; `median_ns`: median over all batches. `cycle_ns`: ns per core cycle, by the chain probe. `counted_cycles`: cycles per call by the hardware counter.
    `batches`: batches used, of `seen` that did not only warm up, of `recorded`; `slow_batches` took more than 1.2 floors; `nivcsw`, `cpu_total_ns` and `timed_ns` (sum of wall times) are over all
    batches. `clock`: "wall" or "cpu". `long`: a call is longer than the batch that was asked for. `probed`: its worker has probes. `calls_ns`: each clean call, where a batch is one; else empty.
    """

    case: str
    lane: str
    pass_index: int
    start_s: float
    wall_s: float
    pass_timed_s: float
    waited_s: float
    cpus: tuple[int, ...]
    valid: bool
    floor_ns: float | None
    clean_median_ns: float | None
    median_ns: float | None
    spread_ns: tuple[float, ...]
    refused: str
    contended: bool
    cycle_ns: float | None
    counted_cycles: float | None
    ipc_median: float | None
    clean_share: float | None
    harness_ns: float | None
    calls: int
    batches: int
    seen: int
    recorded: int
    slow_batches: int
    nivcsw: int
    cpu_total_ns: int
    timed_ns: int
    slow: bool
    long: bool
    probed: bool
    clock: str
    calls_ns: tuple[float, ...] = ()
    turn_spread: float | None = None
    settling: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class LanePart:
    """A lane of a pass, its batches as arrays. `gross_cycles`: by the hardware counter, harness included."""

    lane: str
    calls: int
    batches: LaneBatches
    gross_cycles: float | None
    recorded: int
    nivcsw: int
    cpu_total_ns: int
    timed_ns: int
    settling: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class PassParts:
    """A pass before it is judged. `record` is without its lanes; `readings`: IPC of every probe reading."""

    record: PassRecord
    lanes: tuple[LanePart, ...]
    readings: FloatArray


def parts(record: PassRecord, settings: Settings) -> PassParts:
    """The arrays of a pass."""
    lanes = tuple(
        LanePart(
            samples.lane,
            samples.calls,
            lane_batches(samples, settings.dropped_batches),
            counted_cycles(samples, settings.dropped_batches, 0.0),
            len(samples.ns),
            samples.nivcsw,
            samples.cpu_total_ns,
            sum(samples.ns),
            tuple((n, ns / n) for n, ns in zip(samples.settling_calls, samples.settling_ns, strict=False) if n > 0),
        )
        for samples in record.lanes
    )
    seen = [readings(samples) for samples in record.lanes]
    joined: FloatArray = np.concatenate(seen) if seen else np.empty(0)
    return PassParts(msgspec.structs.replace(record, lanes=(), order=()), lanes, joined)


def run_reference(passes: Sequence[PassParts], stored: float | None) -> float | None:
    """The IPC that a run is judged by: what all its readings show, and what was stored before (`session_reference`)."""
    seen = [one.readings for one in passes if one.readings.size]
    return session_reference(clean_level(np.concatenate(seen)) if seen else None, stored)


def pass_values(
    one: PassParts, settings: Settings, reference: float | None, distribution: bool = False
) -> list[PassValue]:
    """One row per lane, in the order of the record. `reference`: IPC of an undisturbed core, None if nothing is known of it. `distribution`: calls differ by what they draw."""
    record, threshold = one.record, settings.clean_threshold
    period = pass_cycle_ns([lane.batches for lane in one.lanes], reference, threshold)
    ipc = median_ipc(one.readings)
    rows: list[PassValue] = []
    probed = [lane.batches for lane in one.lanes if lane.batches.probed]
    clean = sum(int(np.count_nonzero(b.clean(reference, threshold))) for b in probed)
    seen = sum(b.ns.size for b in probed)
    for position, lane in enumerate(one.lanes):
        harness = record.harness_ns[position] if position < len(record.harness_ns) else None
        figures = pass_figures(lane.batches, harness or 0.0, period, reference, threshold, distribution)
        cycles = lane.gross_cycles
        if cycles is not None:
            cycles -= (harness or 0.0) / period if period else 0.0
        rows.append(
            PassValue(
                case=record.case,
                lane=lane.lane,
                pass_index=record.index,
                start_s=record.start_s,
                wall_s=record.wall_s,
                pass_timed_s=record.timed_s,
                waited_s=record.waited_s,
                cpus=tuple(dict.fromkeys(record.cpus)),
                valid=figures.floor_ns is not None,
                floor_ns=figures.floor_ns,
                clean_median_ns=figures.clean_median_ns,
                median_ns=figures.median_ns,
                spread_ns=figures.spread_ns,
                refused=figures.reason,
                contended=figures.contended,
                cycle_ns=period,
                counted_cycles=cycles if cycles is None or cycles > 0.0 else None,
                ipc_median=ipc,
                clean_share=clean / seen if seen else None,
                harness_ns=harness,
                calls=lane.calls,
                batches=figures.batches,
                seen=figures.seen,
                recorded=lane.recorded,
                slow_batches=figures.slow_batches,
                nivcsw=lane.nivcsw,
                cpu_total_ns=lane.cpu_total_ns,
                timed_ns=lane.timed_ns,
                slow=lane.batches.slow,
                long=figures.floor_ns is not None
                and lane.calls == 1
                and figures.floor_ns > LONG * settings.batch_us * 1e3,
                probed=lane.batches.probed,
                clock=figures.clock,
                calls_ns=figures.calls_ns,
                turn_spread=figures.turn_spread,
                settling=lane.settling,
            )
        )
    return rows


LONG = 2.0  # a call of more than this many batches cannot be watched inside
