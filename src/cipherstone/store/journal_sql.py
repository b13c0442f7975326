# SPDX-License-Identifier: Apache-2.0
"""The journal's tables as SQL over `journal.jsonl`, so that a batch never becomes a Python object on its way to Parquet."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

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
from cipherstone.store.fieldtypes import fields_of
from cipherstone.store.flat import flat_query
from cipherstone.store.journal_tables import PROCESS
from cipherstone.store.names import case_columns, lane_columns
from cipherstone.store.tables import TABLES

# DuckDB reserves twice the longest line that it has to expect, and refuses longer ones.
_LEAST_LINE_BYTES = 1 << 20


def quoted(text: str) -> str:
    """`text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def literal_path(path: Path) -> str:
    """`path` as an SQL string that read_json and read_parquet take as one file, whatever its folder's name holds: wildcards, `~`, or the beginning of an address."""
    return quoted("".join(f"[{c}]" if c in "*?[" else c for c in str(path.absolute())))


# First everything that is the same for all batches of a lane, with its position in each round; then one row per batch.
# DuckDB unnests lists side by side and fills the shorter one (cpu_ns) with null.
_SAMPLES = f"""
    WITH lane AS (SELECT *, unnest(lanes) AS l, unnest(range(len(lanes))) AS i FROM journal WHERE type = 'pass'),
    placed AS (
        SELECT {case_columns()}, {lane_columns("l.lane")}, "index" AS pass, coalesce(valid, true) AS valid,
            l.calls AS calls, l.ns AS ns, l.cpu_ns AS cpu_ns, coalesce(l.rounds, range(len(l.ns))) AS rounds,
            l.chain_ns AS chain, l.tput_ns AS tput, [k + k // coalesce(l.per_turn, 1) + 1 FOR k IN range(len(l.ns))] AS ends,
            [k >= len(l.ns) // 2 AND (coalesce(l.per_turn, 1) = 1 OR k % l.per_turn <> 0)
                AND NOT coalesce(list_contains(l.switched, k // coalesce(l.per_turn, 1)), false) FOR k IN range(len(l.ns))] AS alike,
            cpus, [list_position(o, i) - 1 FOR o IN "order"] AS places FROM lane)
    SELECT * EXCLUDE (ns, cpu_ns, rounds, places, cpus, chain, tput, ends, alike), unnest(range(len(ns))) AS batch,
        unnest(rounds) AS round, unnest([places[r + 1] FOR r IN rounds]) AS position, unnest([cpus[r + 1] FOR r IN rounds]) AS cpu, unnest(ns) AS ns, unnest(cpu_ns) AS cpu_ns,
        unnest([chain[e] FOR e IN ends]) AS chain_before_ns, unnest([tput[e] FOR e IN ends]) AS tput_before_ns,
        unnest([chain[e + 1] FOR e IN ends]) AS chain_after_ns, unnest([tput[e + 1] FOR e IN ends]) AS tput_after_ns, unnest(alike) AS alike FROM placed"""

_PASSES = f"""
    WITH lane AS (
        SELECT *, unnest(lanes) AS l, unnest([harness_ns[i + 1] FOR i IN range(len(lanes))]) AS harness
        FROM journal WHERE type = 'pass')
    SELECT {case_columns()}, {lane_columns("l.lane")}, "index" AS pass, coalesce(valid, true) AS valid,
        coalesce(reason, '') AS reason, start_s, wall_s, timed_s, coalesce(waited_s, 0) AS waited_s, list_sort(list_distinct(coalesce(cpus, []))) AS cpus, l.calls AS calls, len(l.ns) AS batches,
        list_sum(l.ns) AS total_ns, coalesce(l.cpu_total_ns, 0) AS cpu_total_ns, list_sum(l.cycles) AS total_cycles, harness AS harness_ns,
        coalesce(l.nivcsw, 0) AS nivcsw, coalesce(l.slow, false) AS slow, coalesce(l.doubt, '') AS doubt,
        coalesce(l.settling_calls, []) AS settling_calls, coalesce(l.settling_ns, []) AS settling_ns FROM lane"""

_PROOFS = f"""
    SELECT operation, {lane_columns("lane")}, pass_index AS pass, outcome, coalesce(accepted, 0) AS accepted,
        coalesce(rejected, 0) AS rejected, coalesce(oracle, 0) AS oracle, coalesce(sources, []) AS sources,
        coalesce(failures, []) AS failures, coalesce([d.kind FOR d IN deviations], []) AS deviations,
        coalesce(flatten([d.vectors FOR d IN deviations]), []) AS deviation_vectors FROM journal WHERE type = 'proof'"""

# Where a field has its default it is left out.
_BREADTH = f"""
    WITH lane AS (SELECT operation, pass_index, unnest(lanes) AS l FROM journal WHERE type = 'breadth')
    SELECT operation, {lane_columns("l.lane")}, pass_index AS pass, coalesce(l.genuine, 0) AS genuine, coalesce(l.forged, 0) AS forged,
        coalesce(l.wrong, 0) AS wrong, coalesce(l.failures, []) AS failures FROM lane"""

_FACTS = f"""
    WITH told AS (SELECT "case", lane, unnest(map_entries(facts)) AS fact FROM journal WHERE type = 'facts')
    SELECT {case_columns()}, {lane_columns("lane")}, fact.key AS key,
        CASE WHEN json_type(fact.value) <> 'VARCHAR' THEN try_cast(fact.value AS BIGINT) END AS number,
        CASE WHEN json_type(fact.value) = 'VARCHAR' THEN json_extract_string(fact.value, '$') END AS text FROM told"""

_COUNTS = f"""
    SELECT {case_columns()}, {lane_columns("lane")}, target, outcome, instructions,
        {", ".join(f"classes['{name}'] AS {name}" for name in ("load", "store", "branch", "multiply", "divide"))},
        stack_bytes, heap_bytes, held_bytes, list_sum(map_values(code))::BIGINT AS code_bytes,
        proof, coalesce(seen, []) AS seen, coalesce(reason, '') AS reason FROM journal WHERE type = 'count'"""

_QUERIES = {
    "samples": _SAMPLES,
    "passes": _PASSES,
    "proofs": _PROOFS,
    "breadth": _BREADTH,
    "outcomes": flat_query(OutcomeRecord),
    "memory": flat_query(MemoryRecord),
    "first_calls": flat_query(FirstCallRecord, PROCESS),
    "processes": flat_query(ProcessRecord),
    "counts": _COUNTS,
    "targets": flat_query(CountedTarget),
    "facts": _FACTS,
    "foreign_figures": flat_query(ForeignRecord),
    "noise": flat_query(NoiseRecord),
    "turns": flat_query(TurnRecord),
}


@cache
def kind_of(table: str) -> str:
    """The kind of the records (`type`) that the rows of `table` come from."""
    (kind,) = re.findall(r"type = '([\w-]+)'", _QUERIES[table])
    return str(kind)


@cache
def _fields(table: str) -> str:
    """What DuckDB is to look for in a line: the fields that the query names. To hear of all takes it longer than a short journal."""
    named = {"type", *re.findall(r"\w+", _QUERIES[table])}
    kinds = fields_of(kind_of(table)).items()
    return ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in kinds if name in named)


def journal_select(table: str, journal: Path, run_id: str, longest_line_bytes: int) -> str:
    """A SELECT that gives the rows of `table` from a plain or gzip journal, with the columns and types of `TABLES[table]`.

    Lines that are not JSON (the end of a journal that is being written) give no row.
    """
    source = (
        f"read_json({literal_path(journal)}, format = 'newline_delimited', ignore_errors = true, hive_partitioning = false, "
        f"maximum_object_size = {max(longest_line_bytes + 1, _LEAST_LINE_BYTES)}, columns = {{{_fields(table)}}})"
    )
    columns = ", ".join(
        f"CAST({quoted(run_id) if column.name == 'run' else column.name} AS {column.type}) AS {column.name}"
        for column in TABLES[table].columns
    )
    return f"SELECT {columns} FROM (WITH journal AS (FROM {source}) SELECT * FROM ({_QUERIES[table]}))"
