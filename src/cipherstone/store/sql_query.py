# SPDX-License-Identifier: Apache-2.0
"""One question in SQL to one run: its tables are read first, then the doors are shut. Whatever the question is, it reads no other file, writes none, loads nothing, and ends."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLong
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from cipherstone.model.errors import StoreError, UsageError
from cipherstone.model.later import Later, need_report_parts
from cipherstone.store.database import open_duckdb, unreadable
from cipherstone.store.journal_sql import literal_path
from cipherstone.store.seal import check_sums
from cipherstone.store.tables import TABLES, parquet_name

if TYPE_CHECKING:
    import duckdb
else:
    duckdb = Later("duckdb")

MIB = 1 << 20
ALL_OF_IT = "--sql-unsafe is all of DuckDB, without limits"
_TABLES_ARE = "tables and columns: docs/reference/bundle.md"
# What asks. MULTI: PIVOT, which DuckDB takes apart. The others change, attach, load, or keep something.
_ASKS = frozenset({"SELECT", "EXPLAIN", "PRAGMA", "CALL", "MULTI"})
# With these a question can name a table in pieces.
_BUILT_NAMES = re.compile(r"\bquery(_table)?\s*\(", re.IGNORECASE)
_SHUT = (
    "SET enable_external_access = false",
    "SET allow_community_extensions = false",
    "SET lock_configuration = true",
)


class QuestionLimits(NamedTuple):
    """What a question may take. `memory_bytes`: of its tables and its work, nothing of which goes to a disk."""

    memory_bytes: int = 2048 * MIB
    seconds: float = 120.0
    rows: int = 1_000_000
    threads: int = 4


class SqlAnswer(NamedTuple):
    """Names of the columns, and the rows."""

    names: list[str]
    rows: list[tuple[object, ...]]


def ask(path: Path, sql: str, limits: QuestionLimits | None = None) -> SqlAnswer:
    """What the run in folder `path` answers; its seal is not looked at. Without `limits` the question may do whatever DuckDB and its user can.

    Raises StoreError: a table that is damaged; UsageError: a question that is wrong, that asks for more than this run, or that takes more than its limits.
    """
    need_report_parts("duckdb")
    if limits is None:
        connection = open_duckdb([path], verify=False)
        _need_columns(connection, path, sql)
        try:
            return _alone(connection, lambda: _answer(connection, sql, None), None)
        except Exception as error:  # noqa: BLE001 - whatever DuckDB and Python make of the user's words
            for name in TABLES:
                _read(connection, path, name, f"SELECT sum(hash(t)) FROM {name} AS t")
            raise _damaged(path, sql, error) or _refused(error, limits) from None
    connection = open_duckdb([path], verify=False)
    memory = min(limits.memory_bytes, _half_of_memory_bytes())
    for setting in (
        f"SET memory_limit = '{memory // MIB}MiB'",
        "SET temp_directory = ''",
        f"SET threads = {min(limits.threads, os.cpu_count() or 1)}",
    ):
        connection.execute(setting)

    def work() -> SqlAnswer:
        _check_asks(connection, sql)
        _need_columns(connection, path, sql)
        _load(connection, path, sql)
        for setting in _SHUT:
            connection.execute(setting)
        return _answer(connection, sql, limits)

    # What a text grows to is not counted by DuckDB: the system counts everything.
    with _address_space(2 * memory + 1024 * MIB):
        try:
            return _alone(connection, work, limits)
        except (StoreError, UsageError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever DuckDB and Python make of the user's words
            raise _damaged(path, sql, error) or _refused(error, limits) from None


def _damaged(path: Path, sql: str, error: Exception) -> StoreError | None:
    """What is said instead if a table that the question names is not as it was sealed: damage can look like a column that there is not, or like rows without end."""
    import duckdb

    if isinstance(error, duckdb.InterruptException | duckdb.ParserException):
        return None
    files = [parquet_name(name) for name in TABLES if name in sql.lower()]
    changed = next((one for one in check_sums(path) if one.partition(":")[0] in files), "")
    if not changed:
        return None
    name, _, how = changed.partition(": ")
    reason = (str(error) or type(error).__name__).splitlines()[0]
    return StoreError(f"table: {path}: {name}: {how}, and the question fails: {reason}", "restore it from a copy")


def _need_columns(connection: duckdb.DuckDBPyConnection, path: Path, sql: str) -> None:
    """Raises StoreError if a table that the question names lacks a column, and is not as it was sealed. One that is as it was sealed is older than the column."""
    for name, table in TABLES.items():
        place = path / parquet_name(name)
        if name not in sql.lower() or not place.is_file():
            continue
        try:
            found = connection.execute(f"SELECT name FROM parquet_schema({literal_path(place)})").fetchall()
        except (duckdb.Error, RuntimeError):
            continue  # reading it says why
        names = {one for (one,) in found}
        if all(column.name in names or column.was in names for column in table.columns):
            continue
        for problem in check_sums(path):
            file, _, how = problem.partition(": ")
            if file == place.name:
                raise StoreError(f"table: {path}: {file}: {how}, and it lacks a column", "restore it from a copy")


def _check_asks(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    statements = connection.extract_statements(sql)
    if not statements:
        raise UsageError("--sql: nothing is asked", "for example: SELECT case_id, lane, ns FROM cells")
    for statement in statements:
        if statement.type.name not in _ASKS:
            raise UsageError(
                f"--sql: {statement.type.name} is no question: SELECT, FROM, WITH, SHOW, DESCRIBE and EXPLAIN are",
                ALL_OF_IT,
            )


def _load(connection: duckdb.DuckDBPyConnection, path: Path, sql: str) -> None:
    """The tables that the question names, in memory; the others are gone. Also by the names of their files, as a question to DuckDB in the run's folder has them."""
    text = sql.lower()
    named = [name for name in TABLES if name in text]
    if not named or _BUILT_NAMES.search(sql):
        named = list(TABLES)
    for name in TABLES:
        if name in named:
            _read(connection, path, name, f"CREATE TABLE loaded AS FROM {name}")
        connection.execute(f"DROP VIEW {name}")
        if name in named:
            connection.execute(f"ALTER TABLE loaded RENAME TO {name}")
            if parquet_name(name) in text:
                connection.execute(f'CREATE VIEW "{parquet_name(name)}" AS FROM {name}')


def _read(connection: duckdb.DuckDBPyConnection, path: Path, name: str, sql: str) -> None:
    try:
        connection.execute(sql)
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except (duckdb.Error, RuntimeError) as error:
        raise unreadable(path, name, error) from None


def _answer(connection: duckdb.DuckDBPyConnection, sql: str, limits: QuestionLimits | None) -> SqlAnswer:
    result = connection.execute(sql)
    names = [column[0] for column in result.description or ()]
    if limits is None:
        return SqlAnswer(names, result.fetchall())
    rows: list[tuple[object, ...]] = []
    while block := result.fetchmany(10_000):
        rows += block
        if len(rows) > limits.rows:
            raise UsageError(f"--sql: more than {limits.rows:,} rows", f"LIMIT or GROUP BY; {ALL_OF_IT}")
    return SqlAnswer(names, rows)


def _alone(
    connection: duckdb.DuckDBPyConnection, work: Callable[[], SqlAnswer], limits: QuestionLimits | None
) -> SqlAnswer:
    """In a thread of its own: while DuckDB waits for its threads, the main one would notice no signal, and no end of its time."""
    answer: Future[SqlAnswer] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where the answer is taken
            answer.set_exception(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        return answer.result(None if limits is None else limits.seconds)
    except (KeyboardInterrupt, TooLong) as error:
        # Also what the thread raised may be called so: it has ended then.
        connection.interrupt()
        thread.join(5.0)
        if limits is None or isinstance(error, KeyboardInterrupt):
            raise
        raise UsageError(f"--sql: no answer within {limits.seconds:g} s", ALL_OF_IT) from None


def _refused(error: Exception, limits: QuestionLimits | None) -> UsageError:
    reason = (str(error) or type(error).__name__).splitlines()[0]
    if limits is None:
        return UsageError(f"--sql: {reason}", _TABLES_ARE)
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return UsageError(f"--sql: takes more than {limits.memory_bytes // MIB} MiB of memory", ALL_OF_IT)
    if isinstance(error, duckdb.PermissionException) or "configuration" in reason:
        return UsageError(f"--sql: {reason}", f"only the tables of this run are there; {ALL_OF_IT}")
    return UsageError(f"--sql: {reason}", _TABLES_ARE)


def _half_of_memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


@contextmanager
def _address_space(more_bytes: int) -> Iterator[None]:
    """Within, this process gets no more than so much beyond what it has; where the system does not tell that, without a limit."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
        most = used + more_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most if before[0] < 0 else min(most, before[0]), before[1]))
    except (OSError, ValueError):
        pass
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
