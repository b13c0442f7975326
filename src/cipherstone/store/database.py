# SPDX-License-Identifier: Apache-2.0
"""One bundle or a thousand as views of one in-memory DuckDB: `samples`, `cells`, ... and `runs`, the manifests."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from cipherstone.model.errors import StoreError
from cipherstone.model.later import Later
from cipherstone.store.bundle import Bundle
from cipherstone.store.journal import longest_line_bytes
from cipherstone.store.journal_sql import journal_select, literal_path
from cipherstone.store.layout import check_regular, store_errors
from cipherstone.store.parquet import connect, rows_select, with_renamed
from cipherstone.store.seal import sealed_names
from cipherstone.store.sealindex import SealIndex
from cipherstone.store.tables import ADDED_LATER, TABLES, TableSchema, parquet_name, rows_name

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = Later("duckdb")


def open_duckdb(
    paths: Iterable[Path], verify: bool = True, index: SealIndex | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection with one view per table over all bundles, told apart by the column `run`, and the view `runs`.

    A run that is not finished gives the tables of its journal only; its cells, ratios, fits and crossovers are not computed yet.
    Nothing is copied: the views read the files. Raises StoreError: no bundle, a bundle that cannot be opened, a table that is missing or damaged. `verify` and `index` as for `Bundle.open`.
    """
    bundles = [Bundle.open(path, verify, index) for path in paths]
    if not bundles:
        raise StoreError("query: no run to read", "make one with `cipherstone run`")
    for bundle in bundles:
        for name in TABLES:
            if bundle.finished and not _has(bundle, name) and not _is_younger(bundle, name):
                raise StoreError(f"bundle: {bundle.path}: {parquet_name(name)} is missing", "restore it from a copy")
    connection = connect()
    for table in TABLES.values():
        try:
            connection.execute(f"CREATE VIEW {table.name} AS {_view(table, bundles)}")
        except (duckdb.Error, RuntimeError) as error:
            raise unreadable(bundles[0].path, table.name, error) from None
    connection.execute(
        "CREATE TABLE runs (run VARCHAR, created VARCHAR, suite VARCHAR, status VARCHAR, method VARCHAR, "
        "machine VARCHAR, cpu_model VARCHAR, architecture VARCHAR, wall_s DOUBLE, path VARCHAR)"
    )
    connection.executemany("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [_run_row(b) for b in bundles])
    return connection


def unreadable(folder: Path, table: str, error: Exception) -> StoreError:
    """What is said of a table that DuckDB cannot read."""
    return StoreError(
        f"table: {folder}: {parquet_name(table)}: {str(error).splitlines()[0]}", "it is damaged: restore it from a copy"
    )


def _is_there(path: Path) -> bool:
    """Raises StoreError for what is no regular file: DuckDB would follow a link, and wait for a pipe."""
    try:
        with store_errors("table", path, "restore it from a copy"):
            check_regular(path)
    except StoreError:
        if os.path.lexists(path):
            raise
        return False
    return True


def _has(bundle: Bundle, table: str) -> bool:
    """Whether a finished bundle has a table, in whichever form."""
    if bundle.has_parquet:
        return _is_there(bundle.path / parquet_name(table))
    return TABLES[table].from_journal or _is_there(bundle.path / rows_name(table))


def _rows(table: TableSchema, bundle: Bundle) -> str | None:
    """SELECT of the rows that no Parquet file has: of a run that is not finished, or was finished without DuckDB; None if there are none."""
    if table.from_journal:
        # a table of a bundle with Parquet that has no file is one that was added later
        if bundle.finished and bundle.has_parquet:
            return None
        with store_errors("journal", bundle.journal, "restore it from a copy"):
            longest = longest_line_bytes(bundle.journal)
        return journal_select(table.name, bundle.journal, bundle.manifest.run_id, longest)
    place = bundle.path / rows_name(table.name)
    return rows_select(table, place) if bundle.finished and not bundle.has_parquet and _is_there(place) else None


def _is_younger(bundle: Bundle, table: str) -> bool:
    """Whether the bundle was sealed before there was this table: its seal names the others and not this one."""
    return table in ADDED_LATER and parquet_name(table) not in sealed_names(bundle.path)


def _run_row(bundle: Bundle) -> list[object]:
    m = bundle.manifest
    machine = m.machine
    return [
        m.run_id,
        m.created,
        m.suite,
        m.status,
        m.method,
        machine.fingerprint,
        machine.cpu_model,
        machine.architecture,
        m.wall_s,
        str(bundle.path),
    ]


def _view(table: TableSchema, bundles: list[Bundle]) -> str:
    finished = [bundle for bundle in bundles if bundle.finished]
    parquet = [literal_path(place) for bundle in finished if _is_there(place := bundle.path / parquet_name(table.name))]
    # A column that is younger than a bundle is null there; a younger table has no rows.
    parts = [f"SELECT {', '.join(f'CAST(NULL AS {one.type}) AS {one.name}' for one in table.columns)} WHERE false"]
    if parquet:
        files = f"FROM read_parquet([{', '.join(parquet)}], union_by_name = true, hive_partitioning = false)"
        parts.append(with_renamed(table, files))
    for bundle in bundles:
        if (rows := _rows(table, bundle)) is not None:
            parts.append(rows)
    return " UNION ALL BY NAME ".join(f"({part})" for part in parts)
