# SPDX-License-Identifier: Apache-2.0
"""What the timing of a case yields: a record a pass, with every batch of every lane."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import msgspec

from cipherstone.model.bounds import Float, Int
from cipherstone.model.declared import column

_batch = partial(column, table="samples")
_PASS = "index of the pass over the run, from 0"
_VALID = "false: no lane of the pass had enough undisturbed batches; kept, not used"
_ALIKE = "whether it can tell of two speeds: of the later half of its lane's batches of the pass, not the first of a request of several, and no other process had the CPU in that request"
_ROUNDS = "coalesce(nullif(rounds, []), range(len(ns)))"
# A turn has one reading more than batches.
_BEFORE, _AFTER = (f"[k + k // per_turn + {at}] FOR k IN range(len(ns))]" for at in (1, 2))


class LaneSamples(msgspec.Struct, frozen=True, omit_defaults=True):
    """One lane's batches in one pass of one case. `ns[k]` belongs to round `rounds[k]` (to round k if `rounds` is empty).

    `ns` are monotonic wall nanoseconds for `calls` calls; `cpu_ns`, CPU nanoseconds, is kept for slow operations (their primary
    clock) and is empty else. `cycles`: of each turn, empty where there is no counter.
    `chain_ns` and `tput_ns`: probe readings, ns per addition (dependent and independent). A turn of `per_turn` batches has `per_turn` + 1 of them, one before
    its first batch and one after each; turns follow one another. Empty from a worker without a probe.
    `settling_calls` and `settling_ns`: the calls before the first turn, in cycles until they fell no more.
    `switched`: requests, counted from 0, in which another process had the CPU (an involuntary context switch); each has `per_turn` batches.
    """

    lane: str
    calls: Annotated[Int, column("count", "calls in each batch of this lane"), _batch("count", "calls in the batch")]
    ns: Annotated[
        tuple[Int, ...],
        column("count", "batches of this lane", "batches", "len(ns)", type="BIGINT"),
        column("ns", "sum of its batches", "total_ns", "list_sum(ns)", type="BIGINT"),
        _batch("count", "index among the lane's batches of the pass, from 0; the first ones warm up", "batch", "range(len(ns))", before="calls"),
        _batch("ns", "monotonic wall time of the batch (all its calls)"),
    ]  # fmt: skip
    cpu_ns: Annotated[
        tuple[Int, ...], _batch("ns", "CPU time of the batch; null where it was not kept (fast operations)")
    ] = ()
    cycles: Annotated[
        tuple[Int, ...],
        column("cycles", "core cycles of its batches by the hardware counter; null without one", "total_cycles", "list_sum(cycles)", type="BIGINT"),
    ] = ()  # fmt: skip
    rounds: Annotated[
        tuple[Int, ...], _batch("count", "index of the round in its pass, from 0", "round", _ROUNDS, before="calls")
    ] = ()
    nivcsw: Annotated[Int, column("count", "involuntary context switches over the pass")] = 0
    cpu_total_ns: Annotated[Int, column("ns", "CPU time over the pass", before="total_cycles")] = 0
    slow: Annotated[bool, column("", "calls of more than 3 ms: CPU time is the primary clock")] = False
    per_turn: Int = 1
    chain_ns: Annotated[
        tuple[Float, ...],
        _batch("ns", "before the batch: per dependent addition, one core cycle on most processors; null without a probe", "chain_before_ns", f"[chain_ns{_BEFORE}"),
        _batch("ns", "the same after the batch", "chain_after_ns", f"[chain_ns{_AFTER}"),
    ] = ()  # fmt: skip
    tput_ns: Annotated[
        tuple[Float, ...],
        _batch("ns", "before the batch: per independent addition, more when a sibling thread is busy", "tput_before_ns", f"[tput_ns{_BEFORE}", before="chain_after_ns"),
        _batch("ns", "the same after the batch", "tput_after_ns", f"[tput_ns{_AFTER}"),
    ] = ()  # fmt: skip
    doubt: Annotated[str, column("", "why this lane's batches give no figure, clean or not, or empty")] = ""
    settling_calls: Annotated[
        tuple[Int, ...], column("count", "calls of each cycle before the first turn, in no figure")
    ] = ()
    settling_ns: Annotated[tuple[Int, ...], column("ns", "what each of these cycles took")] = ()
    switched: Annotated[
        tuple[Int, ...],
        _batch("", _ALIKE, "alike", "[k >= len(ns) // 2 AND (per_turn = 1 OR k % per_turn <> 0) AND NOT list_contains(switched, k // per_turn) FOR k IN range(len(ns))]", type="BOOLEAN[]"),
    ] = ()  # fmt: skip


class PassRecord(msgspec.Struct, frozen=True, tag="pass", tag_field="type", omit_defaults=True):
    """One pass of one case: fresh processes, every lane once a round in fresh random order, until each has its counted number of undisturbed batches.

    `order[r]` gives round r's lanes as indices into `lanes`. `harness_ns`: in the order of `lanes`. `valid`: by what was known then.
    `cpus[r]`: the CPU that all lanes of round r were pinned to; a pass moves between rounds to one that is freer.
    """

    case: str
    index: Annotated[Int, column("count", _PASS, "pass"), _batch("count", _PASS, "pass")]
    start_s: Annotated[Float, column("s", "start of the pass since the run began")]
    wall_s: Annotated[Float, column("s", "length of the pass, all lanes together")]
    timed_s: Annotated[Float, column("s", "of it inside timed batches, all lanes together")]
    lanes: tuple[LaneSamples, ...]
    order: Annotated[
        tuple[tuple[Int, ...], ...],
        _batch("count", "place of the lane in the order of its round, from 0", "position", f'[list_position("order"[r + 1], place) - 1 FOR r IN {_ROUNDS}]', type="BIGINT[]", before="calls"),
    ]  # fmt: skip
    harness_ns: Annotated[
        tuple[Float, ...],
        column("ns", "cost of the empty call in this lane's process; null if not measured", sql="harness_ns[place + 1]", type="DOUBLE", before="nivcsw"),
    ] = ()  # fmt: skip
    valid: Annotated[bool, column("", _VALID, before="start_s"), _batch("", _VALID)] = True
    reason: Annotated[str, column("", "why the pass is not valid, or empty", before="start_s")] = ""
    cpus: Annotated[
        tuple[Int, ...],
        column("", "logical CPUs that it was measured on, more than one if a freer one was found; empty if not pinned", sql="list_sort(list_distinct(cpus))", before="calls"),
        _batch("", "logical CPU of the round; null if not pinned", "cpu", f"[cpus[r + 1] FOR r IN {_ROUNDS}]", before="calls"),
    ] = ()  # fmt: skip
    waited_s: Annotated[Float, column("s", "of it looking for a free core", before="cpus")] = 0.0
