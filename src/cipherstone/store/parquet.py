# SPDX-License-Identifier: Apache-2.0
"""Tables -> Parquet files, by the engine that reads them. Where it is not installed: the computed ones as lines of JSON, packed; the others stand in the journal."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cipherstone.model.errors import StoreError
from cipherstone.model.later import Later, is_here
from cipherstone.store.journal import shape
from cipherstone.store.journal_sql import journal_select, kind_of, literal_path
from cipherstone.store.layout import TEMPORARY, create_file, sync_file
from cipherstone.store.sql_text import quoted
from cipherstone.store.tables import ROWS_SUFFIX, TABLES, TableSchema, parquet_name, rows_name

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = Later("duckdb")  # slow to load, and a run that only measures has no use for it before its end

Rows = Sequence[Mapping[str, object]]
Tables = Mapping[str, Rows]  # table name -> rows


def connect() -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB that installs and loads nothing, takes no variable of this program for a table, and shows no progress bar."""
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_persistent_secrets": "false",
            "python_enable_replacements": "false",
        }
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


def was_interrupted(error: Exception) -> bool:
    """Whether this is what DuckDB makes of a signal whose handler raised KeyboardInterrupt."""
    return "interrupted" in str(error).lower() and not isinstance(error, OSError)


def check_rows(tables: Tables) -> None:
    """Raises ValueError if `tables` names a table or a column that there is not, or gives a table that comes from the journal."""
    for name, rows in tables.items():
        if name not in TABLES or TABLES[name].from_journal:
            raise ValueError(f"tables: '{name}' is not a table of results")
        known = {column.name for column in TABLES[name].columns}
        for row in rows:
            if not known.issuperset(row):
                raise ValueError(f"tables: {name}: unknown column {sorted(set(row) - known)}")


def write_tables(folder: Path, journal: Path, run_id: str, tables: Tables) -> list[str]:
    """Writes every table as `NAME.parquet.tmp` in `folder`, durable; returns the final names. Tables not given are empty. Without DuckDB: `NAME.jsonl.gz.tmp` of each that is not from the journal.

    Raises StoreError (disk full, and what else DuckDB says); removes what it wrote then.
    """
    check_rows(tables)
    written: list[Path] = []
    if not is_here("duckdb"):
        return _write_rows(folder, tables)
    try:
        longest, kinds = shape(journal)
        with connect() as connection:
            # One thread keeps the journal's order without holding it all: less memory, and faster than several.
            connection.execute("SET threads = 1")
            connection.execute(f"SET temp_directory = {quoted(str(folder / ('spill' + TEMPORARY)))}")
            for table in TABLES.values():
                target = folder / (parquet_name(table.name) + TEMPORARY)
                written.append(target)
                if table.from_journal and kinds is not None and kind_of(table.name) not in kinds:
                    _copy(connection, _no_rows(table), target)
                elif table.from_journal:
                    select = journal_select(table.name, journal, run_id, longest)
                    _copy(connection, select, target)
                else:
                    rows = folder / (f"{table.name}.jsonl" + TEMPORARY)
                    written.append(rows)
                    with create_file(rows) as stream:
                        stream.writelines(_lines(tables.get(table.name, ())))
                    _copy(connection, rows_select(table, rows), target)
                    rows.unlink()
                sync_file(target)
    except (duckdb.Error, OSError, RuntimeError) as error:
        for path in written:
            with suppress(OSError):
                path.unlink()
        if was_interrupted(error):
            raise KeyboardInterrupt from error
        reason = str(error).splitlines()[0]
        raise StoreError(
            f"tables: {folder}: {reason}",
            "the journal is complete and safe; make space, then show the run again or resume it to finish it",
        ) from error
    return [parquet_name(name) for name in TABLES]


def _lines(rows: Rows) -> Iterator[bytes]:
    return (msgspec.json.encode(row) + b"\n" for row in rows)


def _write_rows(folder: Path, tables: Tables) -> list[str]:
    names = [rows_name(table.name) for table in TABLES.values() if not table.from_journal]
    written: list[Path] = []
    try:
        for name in names:
            target = folder / (name + TEMPORARY)
            written.append(target)
            with (
                create_file(target) as stream,
                gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0) as packed,
            ):
                packed.writelines(_lines(tables.get(name.removesuffix(ROWS_SUFFIX), ())))
            sync_file(target)
    except OSError:
        for path in written:
            with suppress(OSError):
                path.unlink()
        raise
    return names


def _copy(connection: duckdb.DuckDBPyConnection, select: str, target: Path) -> None:
    target.unlink(missing_ok=True)  # DuckDB writes through a link
    connection.execute(f"COPY ({select}) TO {quoted(str(target))} (FORMAT parquet, COMPRESSION zstd)")


def _no_rows(table: TableSchema) -> str:
    """No row, with the columns of `table`. Most runs have no record of half of the kinds, and to plan the search for them takes as long as to read a small journal."""
    columns = ", ".join(f"CAST(NULL AS {column.type}) AS {column.name}" for column in table.columns)
    return f"SELECT {columns} LIMIT 0"


def rows_select(table: TableSchema, rows: Path) -> str:
    """SELECT of the rows of a computed table from lines of JSON, plain or packed."""
    names = [(name, column.type) for column in table.columns for name in (column.name, column.was) if name]
    fields = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in names)
    return with_renamed(
        table,
        f"FROM read_json({literal_path(rows)}, format = 'newline_delimited', "
        f"maximum_object_size = {64 << 20}, hive_partitioning = false, columns = {{{fields}}})",
    )


def with_renamed(table: TableSchema, select: str) -> str:
    """`select` from files of `table`, where a column that had another name when a file was written has the one of today."""
    renamed = [column for column in table.columns if column.was]
    if not renamed:
        return select
    none = ", ".join(f"CAST(NULL AS {one.type}) AS {name}" for one in renamed for name in (one.name, one.was))
    old = ", ".join(one.was for one in renamed)
    now = ", ".join(f"coalesce({one.name}, {one.was}) AS {one.name}" for one in renamed)
    every = f"(SELECT {none} WHERE false) UNION ALL BY NAME ({select})"
    return f"SELECT * EXCLUDE ({old}) REPLACE ({now}) FROM ({every})"
