# SPDX-License-Identifier: Apache-2.0
"""The journal's tables as SQL over `journal.jsonl`, so that a batch never becomes a Python object on its way to Parquet."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from cipherstone.store.fieldtypes import fields_of
from cipherstone.store.journal_tables import RECORD_TABLES
from cipherstone.store.sql_text import quoted
from cipherstone.store.tables import TABLES

# DuckDB reserves twice the longest line that it has to expect, and refuses longer ones.
_LEAST_LINE_BYTES = 1 << 20


def literal_path(path: Path) -> str:
    """`path` as an SQL string that read_json and read_parquet take as one file, whatever its folder's name holds: wildcards, `~`, or the beginning of an address."""
    return quoted("".join(f"[{c}]" if c in "*?[" else c for c in str(path.absolute())))


_TABLES = {record_table.name: record_table for record_table in RECORD_TABLES}


def kind_of(table: str) -> str:
    """The kind of the records (`type`) that the rows of `table` come from."""
    return _TABLES[table].kind


@cache
def _query(table: str) -> str:
    return _TABLES[table].query()


@cache
def _fields(table: str) -> str:
    """What DuckDB is to look for in a line: the fields that the query names. To hear of all takes it longer than a short journal."""
    named = {"type", *re.findall(r"\w+", _query(table))}
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
    return f"SELECT {columns} FROM (WITH journal AS (FROM {source}) SELECT * FROM ({_query(table)}))"
