# SPDX-License-Identifier: Apache-2.0
"""`show --sql` asks one run: nothing else is read, nothing is written or loaded, and every question ends."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, cost, write_worker

from cipherstone.model.errors import UsageError
from cipherstone.store.parquet import connect
from cipherstone.store.sql_query import QuestionLimits, ask

SECRET = "root:hash-of-a-password"
RECURSIVE = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) "


@pytest.fixture(scope="module")
def sealed(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Path]:
    """A command line with one finished run, and files beside it that are none of its business."""
    cli = new_cli("asked")
    worker = write_worker(tmp_path_factory.mktemp("workers"), "alpha", {HASH: cost(1000)})
    assert cli.measure("--base", "alpha", "--op", HASH, "--worker", worker).code == 0
    (path,) = [path for path in cli.runs.iterdir() if path.is_dir()]
    for name in ("shadow", "shadow.csv", "shadow.json"):
        (cli.home / name).write_text(SECRET + "\n")
    return cli, path


def every_file(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    "sql",
    [
        "COPY cells TO '{run}/manifest.json'",
        "COPY (SELECT 1) TO 'out.csv'",
        "COPY cells FROM 'shadow.csv'",
        "EXPORT DATABASE 'exported'",
        "IMPORT DATABASE 'exported'",
        "ATTACH 'made.db'",
        "ATTACH ':memory:' AS other",
        "INSTALL httpfs",
        "FORCE INSTALL httpfs FROM community",
        "LOAD httpfs",
        "LOAD '{home}/shadow'",
        "UPDATE EXTENSIONS",
        "SELECT * FROM read_csv('{home}/shadow')",
        "SELECT * FROM read_text('/etc/shadow')",
        "SELECT * FROM read_blob('shadow')",
        "SELECT * FROM read_json('shadow.json')",
        "SELECT * FROM read_parquet('{run}/cells.parquet')",
        "SELECT * FROM read_parquet('https://example.org/x.parquet')",
        "SELECT * FROM 'shadow.csv'",
        "FROM '{home}/shadow.json'",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM sniff_csv('shadow.csv')",
        "EXPLAIN ANALYZE COPY cells TO 'out.csv'",
        "SELECT 1; COPY cells TO 'out.csv'",
        "PREPARE p AS COPY cells TO 'out.csv'",
        "CREATE TYPE t AS ENUM (SELECT content FROM read_text('shadow'))",
        "PRAGMA enable_profiling = 'json'",
        "PRAGMA profiling_output = 'out.json'",
        "CALL enable_logging(storage = 'file', storage_config = {{'path': 'logs'}})",
        "CALL start_ui()",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "SET temp_directory = '{home}/spill'",
        "RESET lock_configuration",
        "CREATE SECRET s (TYPE http)",
        "CREATE PERSISTENT SECRET s (TYPE http)",
        "SELECT getenv('HOME')",
        "DROP TABLE cells",
        "SELECT count(*) FROM rows",
        "SELECT FROM FROM",
        "SELECT error(chr(27) || '[2J')",
        "",
        "-- nothing",
    ],
)
def test_a_question_to_more_than_the_run(sealed: tuple[CommandLine, Path], sql: str) -> None:
    cli, path = sealed
    before = every_file(cli.home)
    done = cli.inside("show", path, "--sql", sql.format(run=path, home=cli.home)).no_trace()
    assert done.code == 2 and done.out == "", done
    error, hint = done.err.splitlines()
    assert error.startswith("cipherstone: error: --sql: ") and hint.startswith("hint: ") and "\x1b" not in done.err
    assert SECRET not in done.err and every_file(cli.home) == before


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM range(1000000000) a, range(1000000000) b",
        RECURSIVE + "SELECT count(*) FROM t",
        RECURSIVE + "SELECT * FROM t",
        "SELECT * FROM range(1000000000)",
        "SELECT repeat('x', 100000000) FROM range(1000)",
        "SELECT list(range) FROM range(10000000000)",
        "SELECT string_agg(a.range::VARCHAR || b.range) FROM range(100000) a, range(100000) b",
        "SELECT * FROM range(1000000000) ORDER BY hash(range)",
    ],
)
def test_a_question_without_an_end_ends(sealed: tuple[CommandLine, Path], sql: str) -> None:
    _, path = sealed
    with pytest.raises(UsageError, match=r"^--sql: (no answer within|more than 1,000 rows|takes more than 256 MiB)"):
        ask(path, sql, QuestionLimits(256 << 20, 5.0, 1000, 2))


def test_the_run_itself_answers(sealed: tuple[CommandLine, Path]) -> None:
    cli, path = sealed
    for sql, holds in (
        ("SELECT lane FROM cells WHERE NOT twin", "alpha@1.0"),
        ("SELECT lane FROM 'cells.parquet' WHERE NOT twin", "alpha@1.0"),
        ("SELECT lane FROM query_table('ce' || 'lls') WHERE NOT twin", "alpha@1.0"),
        ("SHOW TABLES", "samples"),
        ("DESCRIBE cells", "case_id"),
        ("SUMMARIZE passes", "wall_s"),
        ("EXPLAIN SELECT * FROM cells", "cells"),
        ("PIVOT cells ON lane USING any_value(outcome)", "alpha@1.0#2"),
        ("SELECT cpu_model IS NOT NULL FROM runs", "True"),
        ("WITH x AS (FROM samples) SELECT count(*) > 0 FROM x", "True"),
    ):
        done = cli.inside("show", path, "--sql", sql).no_trace()
        assert done.code == 0 and holds in done.out, (sql, done)


def test_who_wants_all_of_duckdb_says_so(sealed: tuple[CommandLine, Path], tmp_path: Path) -> None:
    cli, path = sealed
    words = ("--sql-unsafe", "--sql", f"COPY (SELECT count(*) AS n FROM cells) TO '{tmp_path}/out.csv'")
    assert cli.inside("show", path, *words).no_trace().code == 0
    assert (tmp_path / "out.csv").read_text().startswith("n\n")
    assert cli.inside("show", path, "--sql-unsafe").code == 2
    done = cli.inside("show", path, "--sql-unsafe", "--sql", "SELECT nothing FROM cells").no_trace()
    assert done.code == 2 and "--sql: Binder Error" in done.err


@pytest.mark.parametrize("unsafe", [(), ("--sql-unsafe",)])
@pytest.mark.parametrize("where", ["head", "data", "end"])
def test_a_damaged_table_is_no_wrong_question(
    sealed: tuple[CommandLine, Path], tmp_path: Path, where: str, unsafe: tuple[str, ...]
) -> None:
    cli, path = sealed
    path = Path(shutil.copytree(path, tmp_path / path.name))
    file = path / "samples.parquet"
    data = bytearray(file.read_bytes())
    if where == "end":
        data = data[: len(data) // 2]
    else:
        at = 0 if where == "head" else 4
        data[at : at + 2000] = b"\xff" * 2000
    file.write_bytes(data)
    done = cli.inside("show", path, "--no-verify", *unsafe, "--sql", "SELECT sum(hash(s)) FROM samples AS s").no_trace()
    assert done.code == 1 and done.out == "", done
    error, hint = done.err.splitlines()
    assert error.startswith(f"cipherstone: error: table: {path}: samples.parquet: ") and "restore it" in hint


@pytest.mark.parametrize("unsafe", [(), ("--sql-unsafe",)])
def test_a_table_that_lost_a_column_is_no_wrong_question(
    sealed: tuple[CommandLine, Path], tmp_path: Path, unsafe: tuple[str, ...]
) -> None:
    """It can be read to its end, and what the question names is not in it."""
    cli, path = sealed
    path = Path(shutil.copytree(path, tmp_path / path.name))
    (path / "cells.parquet").unlink()
    with connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS other) TO '{path}/cells.parquet' (FORMAT parquet)")
    done = cli.inside("show", path, "--no-verify", *unsafe, "--sql", "SELECT ns FROM cells").no_trace()
    error, hint = done.err.splitlines()
    assert done.code == 1 and "restore it" in hint
    assert error.startswith(f"cipherstone: error: table: {path}: cells.parquet: changed since the run was sealed"), (
        error
    )
    asked = cli.inside("show", path, "--no-verify", *unsafe, "--sql", "SELECT nothing FROM samples").no_trace()
    assert asked.code == 2 and asked.err.startswith("cipherstone: error: --sql: Binder Error")


@pytest.mark.parametrize("name", ["lane=evil", "file:", "~", "a*b?[c]", "x'); SELECT 1; --"])
def test_the_name_of_a_folder_is_only_a_name(sealed: tuple[CommandLine, Path], tmp_path: Path, name: str) -> None:
    """DuckDB takes `lane=evil` for a column, and `~` and `file:` for other places."""
    cli, path = sealed
    copy = Path(shutil.copytree(path, tmp_path / name / path.name))
    done = cli.inside("show", copy, "--sql", "SELECT DISTINCT lane FROM samples ORDER BY ALL").no_trace()
    assert done.code == 0 and done.out.split() == ["lane", "alpha@1.0", "alpha@1.0#2"], done
    done = cli.inside("show", copy, "--sql-unsafe", "--sql", "SELECT DISTINCT lane FROM samples ORDER BY ALL")
    assert done.code == 0 and done.out.split() == ["lane", "alpha@1.0", "alpha@1.0#2"], done
