# SPDX-License-Identifier: Apache-2.0
"""The reduced form of a pass: one row of scalars per lane. All later figures come from these rows, so that batches are read once."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from cipherstone.model.records import LaneSamples, PassRecord, Settings
from cipherstone.stats.passvalue import counted_cycles, pass_figures
from cipherstone.stats.probes import cycle_ns, gate_ipc, median_ipc, session_reference
from cipherstone.stats.quantiles import FloatArray, sorted_quantile


class PassValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """One lane in one pass of one case; `*_ns` of calls are per call, less the harness.

    `pass_index`, `start_s`, `wall_s`, `pass_timed_s`, `valid`, `reason`, `cycle_ns`, `ipc_median` and `ipc_gate` belong to the pass and are the
    same for its lanes. `ipc_gate`: the IPC that the asked share of its rounds reach. `floor_ns`: 10 % quantile, `median_ns`: median, both None if `refused` says why. `paired_log`: median over rounds of ln(time / time of
    the pass's first lane). `cycle_ns`: 10 % quantile of the chain probe, ns per core cycle. `counted_cycles`: cycles per call by the hardware counter. `batches`: batches used, `disturbed` of them longer than
    1.2 floors; `nivcsw`, `cpu_total_ns` and `timed_ns` (sum of wall times) are over all batches. `clock`: "wall" or "cpu".
    """

    case: str
    lane: str
    pass_index: int
    start_s: float
    wall_s: float
    pass_timed_s: float
    valid: bool
    reason: str
    floor_ns: float | None
    median_ns: float | None
    refused: str
    paired_log: float | None
    cycle_ns: float | None
    counted_cycles: float | None
    ipc_median: float | None
    ipc_gate: float | None
    harness_ns: float | None
    calls: int
    batches: int
    recorded: int
    disturbed: int
    nivcsw: int
    cpu_total_ns: int
    timed_ns: int
    slow: bool
    clock: str


def pass_values(record: PassRecord, settings: Settings) -> list[PassValue]:
    """One row per lane of `record`, in its order. Contended and cut passes are reduced like all others; `valid` says what they are."""
    period = cycle_ns(record.chain_ns)
    ipc = median_ipc(record.chain_ns, record.tput_ns)
    gate = gate_ipc(record.chain_ns, record.tput_ns, settings.contention_share)
    dropped = settings.dropped_batches
    rows: list[PassValue] = []
    first = _per_call(record.lanes[0], dropped) if record.lanes else None
    for position, samples in enumerate(record.lanes):
        harness = record.harness_ns[position] if position < len(record.harness_ns) else None
        figures = pass_figures(samples, dropped, harness or 0.0)
        usable = figures.floor_ns is not None
        rows.append(
            PassValue(
                case=record.case,
                lane=samples.lane,
                pass_index=record.index,
                start_s=record.start_s,
                wall_s=record.wall_s,
                pass_timed_s=record.timed_s,
                valid=record.valid,
                reason=record.reason,
                floor_ns=figures.floor_ns,
                median_ns=figures.median_ns,
                refused=figures.reason,
                paired_log=_paired_log(samples, record.lanes[0], dropped, first)
                if usable and first is not None
                else None,
                cycle_ns=period,
                counted_cycles=counted_cycles(samples, dropped, (harness or 0.0) / period if period else 0.0),
                ipc_median=ipc,
                ipc_gate=gate,
                harness_ns=harness,
                calls=samples.calls,
                batches=figures.batches,
                recorded=len(samples.ns),
                disturbed=figures.disturbed,
                nivcsw=samples.nivcsw,
                cpu_total_ns=samples.cpu_total_ns,
                timed_ns=sum(samples.ns),
                slow=samples.slow,
                clock=figures.clock,
            )
        )
    return rows


def judged(
    values: Sequence[PassValue], reference: float | None, threshold: float
) -> tuple[list[PassValue], float | None]:
    """The rows judged by the best reference that is known at the end, and that reference (`session_reference`).

    A pass is recorded as valid by what was known then. A better pass later shows that an earlier one was contended; it is not used, like all others.
    What was recorded as not valid stays so: it may have been cut.
    """
    by_pass = {(v.case, v.pass_index): v.ipc_median for v in values if v.ipc_median is not None}
    best = session_reference(list(by_pass.values()), reference)
    if best is None:
        return list(values), None
    limit = threshold * best
    found = []
    for value in values:
        if value.valid and value.ipc_gate is not None and value.ipc_gate < limit:
            reason = f"contended: its rounds reach IPC {value.ipc_gate:.2f}, {threshold:g} x {best:.2f} is needed"
            value = msgspec.structs.replace(value, valid=False, reason=reason)
        found.append(value)
    return found, best


def _per_call(samples: LaneSamples, dropped: int) -> FloatArray | None:
    """Wall ns per call of the used batches, harness included; None if there is none or one is not positive."""
    times: FloatArray = np.array(samples.ns[dropped:], dtype=np.float64)
    if times.size == 0 or samples.calls < 1 or not times.min() > 0.0:
        return None
    times /= samples.calls
    return times


def _paired_log(samples: LaneSamples, base: LaneSamples, dropped: int, base_times: FloatArray) -> float | None:
    """Median of ln(time / time of the base lane) over the rounds that both ran; None without such a round."""
    if samples is base:
        return 0.0
    times = _per_call(samples, dropped)
    if times is None:
        return None
    if samples.rounds != base.rounds:
        own = samples.rounds[dropped:] or range(dropped, dropped + times.size)
        other = base.rounds[dropped:] or range(dropped, dropped + base_times.size)
        if len(own) != times.size or len(other) != base_times.size:
            return None
        # A lane may take several batches a round: their first stands for the round.
        _, left, right = np.intersect1d(np.array(own), np.array(other), return_indices=True)
        times, base_times = times[left], base_times[right]
    elif times.size != base_times.size:
        return None
    if times.size == 0:
        return None
    logs = np.log(times / base_times)
    logs.sort()
    return float(sorted_quantile(logs, 0.5))
