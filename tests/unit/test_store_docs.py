# SPDX-License-Identifier: Apache-2.0
"""The reference page of bundles: its columns are those of the files, and what it tells people to type works."""

from __future__ import annotations

import re
import shlex
import statistics
import subprocess
from pathlib import Path

import duckdb
import pytest
import store_example as example

from cipherstone.model.records import PassRecord
from cipherstone.store import BundleWriter
from cipherstone.store.database import open_duckdb
from cipherstone.store.parquet import was_interrupted
from cipherstone.store.schema_page import BEGIN, END, with_schema
from cipherstone.store.summary_tables import result_tables
from cipherstone.views.run.passes import parts, pass_values

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "bundle.md"
BLOCKS = re.findall(r"^```(sql views|sql|sh|console)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with BundleWriter.create(tmp_path_factory.mktemp("runs"), example.manifest()) as writer:
        for record in example.records():
            writer.append(record)
        writer.finish(result_tables(example.summary()))
        return writer.path


def test_columns_on_the_page_are_those_of_the_files() -> None:
    page = PAGE.read_text()
    assert with_schema(page) == page, "run `make docs`"


def test_the_page_has_examples_of_each_kind() -> None:
    kinds = [kind for kind, _ in BLOCKS]
    assert kinds.count("sql") >= 7 and "sql views" in kinds and kinds.count("sh") == 2


@pytest.mark.parametrize(("kind", "text"), BLOCKS, ids=[f"{kind}-{n}" for n, (kind, _) in enumerate(BLOCKS)])
def test_every_example_works(folder: Path, kind: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    if kind == "sql views":
        with open_duckdb([folder]) as connection:
            assert connection.execute(text).fetchall()
        return
    words = shlex.split(text) if kind == "sh" else ["duckdb", "-c", text]
    if words[:2] == ["duckdb", "-c"]:
        with duckdb.connect() as connection:
            assert connection.execute(words[2]).fetchall()
    else:
        subprocess.run(words, check=True, capture_output=True)


def test_the_figure_computed_from_samples_is_the_one_of_the_views(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the reference that stands in the manifest; the example has lanes without a probe, slow ones, and passes in which nothing counts."""
    monkeypatch.chdir(folder)
    (query,) = [text for kind, text in BLOCKS if kind == "sql" and "median(figure)" in text]
    with duckdb.connect() as connection:
        found = {(case, lane): ns for case, lane, ns in connection.execute(query).fetchall()}
    manifest = example.manifest()
    figures: dict[tuple[str, str], list[float]] = {}
    for record in example.records():
        if isinstance(record, PassRecord):
            for row in pass_values(parts(record, manifest.settings), manifest.settings, manifest.ipc_reference):
                assert (row.floor_ns is not None) == record.valid, row.refused
                if row.floor_ns is not None:
                    figures.setdefault((row.case, row.lane), []).append(row.floor_ns)
    assert len(figures) == 4 and all(len(values) == 4 for values in figures.values())
    assert found == {key: pytest.approx(statistics.median(values), rel=1e-12) for key, values in figures.items()}


def test_a_page_is_written_anew_between_its_marks_alone() -> None:
    """The first of each; what stands before and behind stays, with marks of its own."""
    page = f"head\n{BEGIN}\nso far\n{END}\ntail {BEGIN} more {END} end"
    found = with_schema(page)
    assert found.startswith(f"head\n{BEGIN}\n\n") and found.endswith(f"\n{END}\ntail {BEGIN} more {END} end")
    assert "so far" not in found and with_schema(found) == found
    for wrong in ("", BEGIN, END, f"{END} {BEGIN}", page.replace(END, "")):
        with pytest.raises(ValueError, match="the page has no"):
            with_schema(wrong)


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (RuntimeError("INTERRUPT Error: Interrupted!"), True),
        (RuntimeError("interrupted"), True),
        (OSError("interrupted system call"), False),
        (RuntimeError("out of memory"), False),
    ],
)
def test_what_a_signal_makes_of_a_query(error: Exception, found: bool) -> None:
    assert was_interrupted(error) is found
