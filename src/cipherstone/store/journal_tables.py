# SPDX-License-Identifier: Apache-2.0
"""The tables whose rows are the journal's own: what was measured, counted, proven and seen."""

from __future__ import annotations

from cipherstone.model.counts import CountedTarget
from cipherstone.model.instruments import TurnRecord
from cipherstone.model.records import (
    FirstCallRecord,
    ForeignRecord,
    MemoryRecord,
    NoiseRecord,
    OutcomeRecord,
    ProcessRecord,
)
from cipherstone.store.columns import CASE, DEVIATIONS, LANE, PASS, RUN, TARGET, VALID, Column, Table
from cipherstone.store.flat import flat_table

PROCESS = Column("process", "BIGINT", "count", "index of the process, from 0")

JOURNAL_TABLES = (
    Table(
        "samples",
        "One row per batch.",
        True,
        (
            *CASE,
            *LANE,
            PASS,
            Column(
                "batch", "BIGINT", "count", "index among the lane's batches of the pass, from 0; the first ones warm up"
            ),
            Column("round", "BIGINT", "count", "index of the round in its pass, from 0"),
            Column("position", "BIGINT", "count", "place of the lane in the order of its round, from 0"),
            Column("cpu", "BIGINT", "", "logical CPU of the round; null if not pinned"),
            Column("calls", "BIGINT", "count", "calls in the batch"),
            Column("ns", "BIGINT", "ns", "monotonic wall time of the batch (all its calls)"),
            Column("cpu_ns", "BIGINT", "ns", "CPU time of the batch; null where it was not kept (fast operations)"),
            Column(
                "chain_before_ns",
                "DOUBLE",
                "ns",
                "before the batch: per dependent addition, one core cycle on most processors; null without a probe",
            ),
            Column(
                "tput_before_ns",
                "DOUBLE",
                "ns",
                "before the batch: per independent addition, more when a sibling thread is busy",
            ),
            Column("chain_after_ns", "DOUBLE", "ns", "the same after the batch"),
            Column("tput_after_ns", "DOUBLE", "ns", "the same after the batch"),
            Column(
                "alike",
                "BOOLEAN",
                "",
                "whether it can tell of two speeds: of the later half of its lane's batches of the pass, not the first of a request of several, and no other process had the CPU in that request",
            ),
            VALID,
        ),
    ),
    Table(
        "passes",
        "One row per lane of each pass of each case.",
        True,
        (
            *CASE,
            *LANE,
            PASS,
            VALID,
            Column("reason", "VARCHAR", "", "why the pass is not valid, or empty"),
            Column("start_s", "DOUBLE", "s", "start of the pass since the run began"),
            Column("wall_s", "DOUBLE", "s", "length of the pass, all lanes together"),
            Column("timed_s", "DOUBLE", "s", "of it inside timed batches, all lanes together"),
            Column("waited_s", "DOUBLE", "s", "of it looking for a free core"),
            Column(
                "cpus",
                "BIGINT[]",
                "",
                "logical CPUs that it was measured on, more than one if a freer one was found; empty if not pinned",
            ),
            Column("calls", "BIGINT", "count", "calls in each batch of this lane"),
            Column("batches", "BIGINT", "count", "batches of this lane"),
            Column("total_ns", "BIGINT", "ns", "sum of its batches"),
            Column("cpu_total_ns", "BIGINT", "ns", "CPU time over the pass"),
            Column(
                "total_cycles",
                "BIGINT",
                "cycles",
                "core cycles of its batches by the hardware counter; null without one",
            ),
            Column("harness_ns", "DOUBLE", "ns", "cost of the empty call in this lane's process; null if not measured"),
            Column("nivcsw", "BIGINT", "count", "involuntary context switches over the pass"),
            Column("slow", "BOOLEAN", "", "calls of more than 3 ms: CPU time is the primary clock"),
            Column("doubt", "VARCHAR", "", "why this lane's batches give no figure, clean or not, or empty"),
            Column("settling_calls", "BIGINT[]", "count", "calls of each cycle before the first turn, in no figure"),
            Column("settling_ns", "BIGINT[]", "ns", "what each of these cycles took"),
        ),
    ),
    Table(
        "proofs",
        "One row per check of an operation on a lane in one process, before or after timing.",
        True,
        (
            RUN,
            Column("operation", "VARCHAR", "", "`ALGORITHM/VERB`"),
            *LANE,
            PASS,
            Column("outcome", "VARCHAR", "", "`ok`, `lax`, `strict`, or why not"),
            Column("accepted", "BIGINT", "count", "known answers reproduced"),
            Column("rejected", "BIGINT", "count", "negative vectors rejected as they must be"),
            Column("oracle", "BIGINT", "count", "outputs at timed inputs confirmed by the independent library"),
            Column("sources", "VARCHAR[]", "", "where the vectors are from"),
            Column(
                "failures", "VARCHAR[]", "", "what makes it `wrong`: vector, class and what happened, one line each"
            ),
            *DEVIATIONS,
        ),
    ),
    Table(
        "breadth",
        "One row per operation, lane and pass in which random inputs beyond the vectors were asked.",
        True,
        (
            RUN,
            Column("operation", "VARCHAR", "", "`ALGORITHM/VERB`"),
            *LANE,
            PASS,
            Column("genuine", "BIGINT", "count", "answers to genuine inputs that were looked at"),
            Column("forged", "BIGINT", "count", "answers to inputs with one bit changed that were looked at"),
            Column("wrong", "BIGINT", "count", "how many of all these were wrong"),
            Column("failures", "VARCHAR[]", "", "the first of them, one line each, with the number of the input"),
        ),
    ),
    flat_table("outcomes", "One row per cell that is not, or no longer, timed.", OutcomeRecord),
    flat_table(
        "memory",
        "One row per cell whose memory was measured, in a process of its own. Null: the machine or the worker cannot tell.",
        MemoryRecord,
    ),
    flat_table(
        "first_calls",
        "One row per process in which a cell was called for the first time. Null: there is no such step, or the worker cannot tell. Nothing of the library ran in the process before, and no column holds a part of another.",
        FirstCallRecord,
        PROCESS,
    ),
    flat_table(
        "processes",
        "One row per whole process that did one task, or none: it starts, loads its library, calls once and ends.",
        ProcessRecord,
    ),
    Table(
        "counts",
        "One row per cell on a machine that it was counted on, under emulation: instructions and no time.",
        True,
        (
            *CASE,
            *LANE,
            TARGET,
            Column("outcome", "VARCHAR", "", "`counted`, `varies`, or why there is no count"),
            Column("instructions", "BIGINT", "count", "of one call, less those of an empty call; null: not counted"),
            *(
                Column(name, "BIGINT", "count", f"of them, or of accesses to memory: {name}")
                for name in ("load", "store", "branch", "multiply", "divide")
            ),
            Column("stack_bytes", "BIGINT", "bytes", "stack that the call uses at its deepest; null: not known"),
            Column("heap_bytes", "BIGINT", "bytes", "the most that the call had allocated; null: not known"),
            Column("held_bytes", "BIGINT", "bytes", "heap that is kept between calls; null: not known"),
            Column(
                "code_bytes",
                "BIGINT",
                "bytes",
                "code and constants that the operation brings into a program for a microcontroller; null: not known",
            ),
            Column(
                "proof", "VARCHAR", "", "`ok`, `lax` or `strict` by the known answers on the target; null: not proven"
            ),
            Column("seen", "BIGINT[]", "count", "what was counted where it varies; else empty"),
            Column("reason", "VARCHAR", "", "why there is no count, or empty"),
        ),
    ),
    flat_table("targets", "One row per build of a library on a machine that is counted on.", CountedTarget),
    Table(
        "facts",
        "One row per fact that a worker told of a timed cell: counted, not measured.",
        True,
        (
            *CASE,
            *LANE,
            Column(
                "key",
                "VARCHAR",
                "",
                "name of the fact; what ends in `_bytes` or `_bits` has that unit, other numbers are counts",
            ),
            Column("number", "BIGINT", "", "its value, null for a text"),
            Column("text", "VARCHAR", "", "its text, null for a number"),
        ),
    ),
    flat_table(
        "foreign_figures",
        "One row per published figure of another program. Nothing of ours is computed from it.",
        ForeignRecord,
    ),
    flat_table("noise", "One row per pass over all cases: the machine around it.", NoiseRecord),
    flat_table("turns", "One row per turn of a lane in a pass of an instrument's case.", TurnRecord),
)
