# SPDX-License-Identifier: Apache-2.0
"""The tables of a finished bundle: name, meaning and unit of every column. The reference page and the Parquet files come from this list."""

from __future__ import annotations

from cipherstone.store.columns import Column as Column
from cipherstone.store.columns import TableSchema as TableSchema
from cipherstone.store.journal_tables import JOURNAL_TABLES
from cipherstone.store.summary_tables import SUMMARY_TABLES

# Bundles sealed before these existed have no file of them, and no rows.
ADDED_LATER = frozenset(
    {
        "breadth",
        "counts",
        "facts",
        "figures",
        "first_calls",
        "foreign_figures",
        "processes",
        "targets",
        "turns",
        "wire_sizes",
    }
)
TABLES: dict[str, TableSchema] = {table.name: table for table in (*JOURNAL_TABLES, *SUMMARY_TABLES)}


def parquet_name(table: str) -> str:
    """File name of a table in a finished bundle."""
    return f"{table}.parquet"


ROWS_SUFFIX = ".jsonl.gz"


def rows_name(table: str) -> str:
    """File name of a computed table in a bundle that was finished without DuckDB; what is from the journal stands there alone."""
    return f"{table}{ROWS_SUFFIX}"


# Of every bundle without Parquet.
ROWS_NAMES = frozenset(rows_name(table.name) for table in SUMMARY_TABLES if table.name not in ADDED_LATER)
