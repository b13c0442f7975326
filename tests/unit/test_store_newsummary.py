# SPDX-License-Identifier: Apache-2.0
"""What is computed when a run ends: a new figure is one line at its declaration, and so is a new name. The program is copied, lines are added to summaries, two names are changed, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import store_example as example
from test_store_newfield import added

import cipherstone
from cipherstone.store import BundleWriter
from cipherstone.store.summary_tables import result_tables

# (module of model, class, line, table, columns in it with type and unit)
LINES = (
    ("records", "MemoryRecord", 'held_bytes_max: Annotated[Int | None, column("bytes", "new", metric="heap_live_max")] = None', "cells", {"held_bytes_max": ("BIGINT", "bytes")}),
    ("summary", "CellSummary", 'best: Annotated[Estimate | None, column("K", "new", "best_ns", metric="best")] = None', "cells", {"best_ns": ("DOUBLE", "K"), "best_ns_low": ("DOUBLE", "K"), "best_ns_high": ("DOUBLE", "K")}),
    ("summary", "LevelSummary", 'turns: Annotated[Int, column("count", "new", "level_turns")] = 3', "cells", {"level_turns": ("BIGINT[]", "count")}),
    ("summary", "RatioSummary", 'near: Annotated[bool, column("", "new")] = False', "ratios", {"near": ("BOOLEAN", "")}),
    ("summary", "FitSummary", 'left_out: Annotated[tuple[Int, ...], column("bytes", "new")] = ()', "fits", {"left_out": ("BIGINT[]", "bytes")}),
    ("summary", "Crossover", 'why: Annotated[str, column("", "new")] = "none"', "crossovers", {"why": ("VARCHAR", "")}),
    ("instruments", "FigureSummary", 'place: Annotated[Int, column("count", "new")] = 0', "figures", {"place": ("BIGINT", "count")}),
)  # fmt: skip
# (module of model, as it is, with another name)
RENAMED = (
    ("records", '"heap held by the prepared operation", ', '"heap held by the prepared operation", "kept_bytes", was="live_bytes", '),
    ("summary", '"cost of a further byte"', '"cost of a further byte", "slope_ns", was="per_byte_ns"'),
)  # fmt: skip

PROGRAM = """
import sys
from pathlib import Path
import duckdb, msgspec, store_example as example
from msgspec.structs import replace
from cipherstone.model.estimate import Estimate
from cipherstone.report.export.csv import export_csv
from cipherstone.report.export.json import export_json
from cipherstone.store import BundleWriter
from cipherstone.store.database import open_duckdb
from cipherstone.store.schema_page import schema_markdown
from cipherstone.store.summary_tables import result_tables
from cipherstone.store.tables import TABLES

folder, *old = map(Path, sys.argv[1:])
summary = example.summary()
case, *others = summary.cases
cell, *cells = case.cells
cell = replace(cell, memory=replace(cell.memory, held_bytes_max=512), best=Estimate(2.5, 2.0))
case = replace(case, cells=(cell, *cells), to_best=(replace(case.to_best[0], near=True),))
summary = replace(summary, cases=(case, *others), fits=(replace(summary.fits[0], left_out=(64,)),), crossovers=(replace(summary.crossovers[0], why="it is"),))
QUESTIONS = (
    "SELECT held_bytes_max, best_ns, best_ns_low, best_ns_high FROM cells ORDER BY held_bytes_max",
    "SELECT level_turns FROM cells WHERE level_turns <> []",
    "SELECT against, near FROM ratios WHERE near",
    "SELECT left_out FROM fits",
    "SELECT why FROM crossovers",
    "SELECT count(*) FROM cells WHERE kept_bytes = 112",
    "SELECT count(*) FROM memory WHERE kept_bytes = 112",
    "SELECT slope_ns, slope_ns_low, slope_ns_high FROM fits",
)

def answers(path):
    with open_duckdb([path]) as connection:
        return [connection.execute(question).fetchall() for question in QUESTIONS]

with BundleWriter.create(folder, example.manifest()) as writer:
    for record in example.records():
        writer.append(record)
    writer.finish(result_tables(summary), summary)
told = {"new": answers(writer.path), "old": [answers(path) for path in old]}
told["columns"] = {table.name: {one.name: (one.type, one.unit) for one in table.columns} for table in TABLES.values()}
told["page"], told["csv"], told["json"] = schema_markdown(), export_csv(summary), export_json(summary)
print(msgspec.json.encode(told).decode())
"""


def sealed(folder: Path) -> Path:
    """A bundle as this program writes it."""
    with BundleWriter.create(folder, example.manifest()) as writer:
        for record in example.records():
            writer.append(record)
        writer.finish(result_tables(example.summary()), example.summary())
        return writer.path


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the changed program says of a bundle of its own, and of two that this program has sealed: with Parquet and without."""
    folder = tmp_path_factory.mktemp("copy")
    parquet = sealed(folder / "parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cipherstone.store.parquet.is_here", lambda _: False)
        lines = sealed(folder / "lines")
    shutil.copytree(
        Path(cipherstone.__file__).parent, folder / "cipherstone", ignore=shutil.ignore_patterns("__pycache__")
    )
    model = folder / "cipherstone" / "model"
    for name, struct, line, _, _ in LINES:
        module = model / f"{name}.py"
        module.write_text(added(module.read_text(), struct, line))
    for name, before, after in RENAMED:
        module = model / f"{name}.py"
        assert module.read_text().count(before) == 1
        module.write_text(module.read_text().replace(before, after))
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder / "new"), str(parquet), str(lines)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(Path(__file__).parent)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = msgspec.json.decode(ran.stdout)
    return found


@pytest.mark.parametrize(("struct", "table", "columns"), [(line[1], line[3], line[4]) for line in LINES])
def test_a_new_figure_is_a_column(
    told: dict[str, Any], struct: str, table: str, columns: dict[str, tuple[str, str]]
) -> None:
    for name, (kind, unit) in columns.items():
        assert told["columns"][table][name] == [kind, unit], struct
        assert f"| `{name}` | `{kind}` | {unit} | " in told["page"]


def test_a_new_figure_has_its_values_in_a_sealed_run(told: dict[str, Any]) -> None:
    new = [None, None, None, None]
    assert told["new"][:5] == [
        [[512, 2.5, 2.0, None], new, new, new, new],
        [[[3, 3]]],
        [["best", True]],
        [[[64]]],
        [["it is"]],
    ]


def test_the_exports_have_it(told: dict[str, Any]) -> None:
    lines = told["csv"].splitlines()
    assert [line.split(",")[-8:-3] for line in lines if ",heap_live_max," in line] == [
        ["heap_live_max", "512", "", "", "B"]
    ]
    assert [line.split(",")[-8:-3] for line in lines if ",best," in line] == [["best", "2.5", "2.0", "", "K"]]
    assert told["json"].count('"held_bytes_max": 512') == 1


def test_a_run_that_was_sealed_before_has_no_value_of_it(told: dict[str, Any]) -> None:
    for old in told["old"]:
        assert {value for row in old[0] for value in row} == {None}
        assert old[1:5] == [[], [], [[None]], [[None]]]


def test_a_new_name_finds_what_has_the_old_one(told: dict[str, Any]) -> None:
    """In tables from the journal and in computed ones, in Parquet and in lines."""
    assert "live_bytes" not in told["columns"]["cells"] and "live_bytes" not in told["columns"]["memory"]
    assert told["columns"]["fits"].keys() & {"per_byte_ns", "slope_ns", "slope_ns_low"} == {"slope_ns", "slope_ns_low"}
    for answers in (told["new"], *told["old"]):
        assert answers[5:] == [[[4]], [[1]], [[0.46, 0.45, 0.47]]]
