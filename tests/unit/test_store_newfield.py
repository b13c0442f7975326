# SPDX-License-Identifier: Apache-2.0
"""A new field of a record is one line at its declaration: the program is copied, one line is added to each record, and nothing else is changed."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import cipherstone

# table -> (file, record, line, field of the example's record that has it, type, value in it, rows with it)
LINES = {
    "samples": ("passes", "LaneSamples", 'new_samples: Annotated[tuple[Int, ...], column("K", "new: {}", table="samples")] = ()', "BIGINT", (7, 8)),
    "passes": ("passes", "LaneSamples", 'new_passes: Annotated[tuple[Float, ...], column("K", "new: {}")] = ()', "DOUBLE[]", (1.5, 2.5)),
    "proofs": ("records", "ProofRecord", 'new_proofs: Annotated[str, column("K", "new: {}")] = "it\'s none"', "VARCHAR", "some"),
    "breadth": ("records", "LaneBreadth", 'new_breadth: Annotated[bool, column("K", "new: {}")] = False', "BOOLEAN", True),
    "counts": ("counts", "Count", 'new_counts: Annotated[Int | None, column("bytes", "new: {}", metric="new_counts")] = None', "BIGINT", 12),
    "facts": ("records", "FactsRecord", 'new_facts: Annotated[Int, column("K", "new: {}")] = 3', "BIGINT", 4),
}  # fmt: skip

PROGRAM = """
import sys
from pathlib import Path
import duckdb, msgspec, store_example as example
from msgspec.structs import replace
from cipherstone.model.counts import Count
from cipherstone.model.records import BreadthRecord, FactsRecord, PassRecord, ProofRecord
from cipherstone.report.export.csv import export_csv
from cipherstone.report.export.json import export_json
from cipherstone.store import Bundle, BundleWriter
from cipherstone.store.database import open_duckdb
from cipherstone.store.schema_page import schema_markdown
from cipherstone.store.tables import TABLES, parquet_name

values, folder, old = msgspec.json.decode(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
KINDS = {PassRecord: ("passes", "samples"), ProofRecord: ("proofs",), BreadthRecord: ("breadth",), Count: ("counts",), FactsRecord: ("facts",)}

def changed(record):
    new = {f"new_{table}": values[table] for table in KINDS.get(type(record), ())}
    new = {name: tuple(value) if isinstance(value, list) else value for name, value in new.items()}
    if isinstance(record, (PassRecord, BreadthRecord)):
        return replace(record, lanes=(replace(record.lanes[0], **new), *record.lanes[1:]))
    return replace(record, **new)

def rows(connection, source, table):
    column = f"new_{table}"
    kind = connection.execute(f"SELECT any_value(typeof({column})) FROM {source}").fetchone()[0]
    found = connection.execute(f"SELECT {column} FROM {source}").fetchall()
    return kind, [value for value, in found]

records, seen = example.records(), set()
for place, record in enumerate(records):
    if type(record) in KINDS and type(record) not in seen:
        seen.add(type(record))
        records[place] = changed(record)
told = {"columns": {}, "sql": {}, "parquet": {}, "old": {}}
with BundleWriter.create(folder, example.manifest()) as writer:
    for record in records:
        writer.append(record)
    with open_duckdb([writer.path]) as connection:
        told["sql"] = {table: rows(connection, table, table) for table in values}
    told["same"] = list(Bundle.open(writer.path).records()) == records
    writer.finish({})
for table in values:
    (told["columns"][table],) = [one for one in TABLES[table].columns if one.name == f"new_{table}"]
    with duckdb.connect() as connection:
        told["parquet"][table] = rows(connection, f"'{writer.path / parquet_name(table)}'", table)
with open_duckdb([old]) as connection:
    told["old"] = {table: rows(connection, table, table)[1] for table in values}
told["page"] = schema_markdown()
summary = example.summary()
counts = tuple(one for one in records if isinstance(one, Count))
summary = replace(summary, cases=(replace(summary.cases[0], counts=counts), *summary.cases[1:]))
told["csv"], told["json"] = export_csv(summary), export_json(summary)
print(msgspec.json.encode(told).decode())
"""


def added(text: str, record: str, line: str) -> str:
    """`text` of a module with a line behind the last field of a record."""
    (found,) = [one for one in ast.parse(text).body if isinstance(one, ast.ClassDef) and one.name == record]
    end = max(one.end_lineno or 0 for one in found.body if isinstance(one, ast.AnnAssign))
    lines = text.splitlines(keepends=True)
    return "".join([*lines[:end], f"    {line}\n", *lines[end:]])


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[object]]]:
    """What the changed program says of a bundle of its own, and of one that this program has sealed."""
    import store_example as example

    from cipherstone.store import BundleWriter

    folder = tmp_path_factory.mktemp("copy")
    with BundleWriter.create(folder / "old", example.manifest()) as writer:
        for record in example.records():
            writer.append(record)
        writer.finish({})
    source = Path(cipherstone.__file__).parent
    shutil.copytree(source, folder / "cipherstone", ignore=shutil.ignore_patterns("__pycache__"))
    for table, (name, record, line, _, _) in LINES.items():
        module = folder / "cipherstone" / "model" / f"{name}.py"
        module.write_text(added(module.read_text(), record, line.format(table)))
    values = msgspec.json.encode({table: value for table, (*_, value) in LINES.items()}).decode()
    path = os.pathsep.join((str(folder), str(Path(__file__).parent)))
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, values, str(folder / "new"), str(writer.path)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, dict[str, list[object]]] = msgspec.json.decode(ran.stdout)
    return found


def expected_rows(table: str, count: int) -> list[object]:
    """The new values of a table with `count` rows: the first record has them, the others their default."""
    first: list[object] = {
        "samples": [7, 8],
        "passes": [[1.5, 2.5]],
        "proofs": ["some"],
        "breadth": [True],
        "counts": [12],
        "facts": [4, 4, 4, 4],
    }[table]
    default = {"samples": None, "passes": [], "proofs": "it's none", "breadth": False, "counts": None, "facts": 3}[
        table
    ]
    return first + [default] * (count - len(first))


@pytest.mark.parametrize("table", LINES)
def test_a_new_field_is_a_column(told: dict[str, dict[str, list[object]]], table: str) -> None:
    *_, kind, _ = LINES[table]
    unit = "bytes" if table == "counts" else "K"
    assert told["columns"][table] == [f"new_{table}", kind, unit, f"new: {table}", ""]
    assert f"| `new_{table}` | `{kind}` | {unit} | new: {table} |" in told["page"]
    for place in ("sql", "parquet"):
        seen, rows = told[place][table]
        assert isinstance(rows, list) and seen == kind
        assert rows == expected_rows(table, len(rows)) and len(rows) > 1
    assert told["sql"] == told["parquet"]
    assert set(map(str, told["old"][table])) == {"None"}, "a bundle that was sealed before has the column, and no value"


def test_the_reader_and_the_exports_have_it(told: dict[str, dict[str, list[object]]]) -> None:
    assert told["same"] is True
    (line,) = [line for line in str(told["csv"]).splitlines() if ",new_counts," in line]
    assert ",new_counts,12," in line and ",B," in line
    assert '"new_counts": 12' in str(told["json"])
