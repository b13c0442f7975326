# SPDX-License-Identifier: Apache-2.0
"""Bundles that earlier versions sealed are read as they were: `bundles/` holds them as they were written."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import duckdb
import pytest

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.cli.derived_summary import derived
from cipherstone.execute.stored_run import bundle_summary
from cipherstone.model.errors import StoreError
from cipherstone.report.export.csv import export_csv
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.store import Bundle
from cipherstone.store.sql_query import QuestionLimits, ask
from cipherstone.store.tables import TABLES

HERE = Path(__file__).resolve().parent / "bundles"
READ = ("format-2-a", "format-2-b", "format-2-c")


def unpacked(name: str, place: Path) -> Path:
    subprocess.run(["tar", "-xzf", HERE / f"{name}.tar.gz", "-C", place, "--no-same-owner"], check=True)
    (found,) = place.iterdir()
    return found


def test_every_stored_bundle_is_read() -> None:
    assert sorted(path.name.removesuffix(".tar.gz") for path in HERE.glob("*.tar.gz")) == sorted(("format-1", *READ))


@pytest.mark.parametrize("name", READ)
def test_an_earlier_bundle_is_sealed_and_says_what_it_said(name: str, tmp_path: Path) -> None:
    path = unpacked(name, tmp_path)
    bundle = Bundle.open(path)
    lines = gzip.decompress((path / "journal.jsonl.gz").read_bytes()).splitlines()
    assert len(list(bundle.records())) == len(lines) > 20
    summary = bundle_summary(bundle, catalogue_of_checkout(), derived)
    text = render_terminal(summary, 80, False)
    assert "SHA-256" in text and "Ed25519 sign" in text
    assert summary.manifest.run_id in render_html(summary, (), "x") and "openssl" in export_csv(summary)


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("table", ["cells", "ratios", "fits"])
def test_no_figure_of_an_earlier_bundle_moves(name: str, table: str, tmp_path: Path) -> None:
    """What a query gives of every column that the bundle has is what a plain DuckDB reads in its file."""
    path = unpacked(name, tmp_path)
    with duckdb.connect() as connection:
        plain = connection.execute(f"SELECT * FROM '{path / table}.parquet'")
        columns = [one[0] for one in plain.description]
        due = plain.fetchall()
    known = [one for one in columns if one in {column.name for column in TABLES[table].columns}]
    assert len(known) >= len(columns) - 1 and due
    places = [columns.index(one) for one in known]
    names, rows = ask(path, f"SELECT {', '.join(known)} FROM {table}", QuestionLimits())
    assert list(names) == known
    assert [tuple(row) for row in rows] == [tuple(row[place] for place in places) for row in due]


@pytest.mark.parametrize("name", READ)
def test_a_table_that_came_later_is_empty(name: str, tmp_path: Path) -> None:
    path = unpacked(name, tmp_path)
    lacking = [table for table in TABLES if not (path / f"{table}.parquet").is_file()]
    assert "wire_sizes" in lacking
    for table in lacking:
        names, rows = ask(path, f"SELECT * FROM {table}", QuestionLimits())
        assert list(names) == [column.name for column in TABLES[table].columns]
        if table in ("wire_sizes", "figures"):  # of the others the journal has records
            assert list(rows) == []


def test_another_format_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="format 1, this cipherstone reads format 2"):
        Bundle.open(unpacked("format-1", tmp_path))
