# SPDX-License-Identifier: Apache-2.0
"""The tables whose rows are the journal's own: what was measured, counted, proven and seen. Their columns stand in the records."""

from __future__ import annotations

from cipherstone.model.counts import Count, CountedTarget
from cipherstone.model.instruments import TurnRecord
from cipherstone.model.records import (
    BreadthRecord,
    FactsRecord,
    FirstCallRecord,
    ForeignRecord,
    MemoryRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    ProcessRecord,
    ProofRecord,
)
from cipherstone.store.from_records import RecordTable

RECORD_TABLES = (
    RecordTable("samples", "One row per batch.", PassRecord, each=True),
    RecordTable("passes", "One row per lane of each pass of each case.", PassRecord),
    RecordTable(
        "proofs", "One row per check of an operation on a lane in one process, before or after timing.", ProofRecord
    ),
    RecordTable(
        "breadth",
        "One row per operation, lane and pass in which random inputs beyond the vectors were asked.",
        BreadthRecord,
    ),
    RecordTable("outcomes", "One row per cell that is not, or no longer, timed.", OutcomeRecord),
    RecordTable(
        "memory",
        "One row per cell whose memory was measured, in a process of its own. Null: the machine or the worker cannot tell.",
        MemoryRecord,
    ),
    RecordTable(
        "first_calls",
        "One row per process in which a cell was called for the first time. Null: there is no such step, or the worker cannot tell. Nothing of the library ran in the process before, and no column holds a part of another.",
        FirstCallRecord,
        each=True,
    ),
    RecordTable(
        "processes",
        "One row per whole process that did one task, or none: it starts, loads its library, calls once and ends.",
        ProcessRecord,
    ),
    RecordTable(
        "counts",
        "One row per cell on a machine that it was counted on, under emulation: instructions and no time.",
        Count,
    ),
    RecordTable("targets", "One row per build of a library on a machine that is counted on.", CountedTarget),
    RecordTable(
        "facts",
        "One row per fact that a worker told of a timed cell: counted, not measured.",
        FactsRecord,
        each=True,
    ),
    RecordTable(
        "foreign_figures",
        "One row per published figure of another program. Nothing of ours is computed from it.",
        ForeignRecord,
    ),
    RecordTable("noise", "One row per pass over all cases: the machine around it.", NoiseRecord),
    RecordTable("turns", "One row per turn of a lane in a pass of an instrument's case.", TurnRecord),
)
JOURNAL_TABLES = tuple(record_table.table() for record_table in RECORD_TABLES)
