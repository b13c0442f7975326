# SPDX-License-Identifier: Apache-2.0
"""The pages suffice: a script that was written from them alone recomputes what runs published, and notices what was changed. The SQL of the reference gives the published time."""

from __future__ import annotations

import ast
import re
import shutil
import sys
from pathlib import Path

import duckdb
import msgspec
import pytest
import recompute
import recompute_figures

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import PassRecord, Settings
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.words.sentences import answer
from cipherstone.store.bundle import Bundle
from cipherstone.store.summary_tables import result_tables
from cipherstone.store.writer import BundleWriter
from cipherstone.views.run.summarise import summarise

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "golden"))

import fixed_run  # noqa: E402
import rich_run  # noqa: E402


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The runs of the golden outputs: a tie, wrong and lax lanes, one never undisturbed; the rich one with long calls, two speeds, drawn ones."""
    folder = tmp_path_factory.mktemp("runs")
    fixed_run.write(folder)
    # An engine makes one record of a pass; the rich run has some of them tried again, of which the last is kept.
    rich = list(rich_run.records(7))
    last = {(one.case, one.index): one for one in rich if isinstance(one, PassRecord)}
    once = [one for one in rich if not isinstance(one, PassRecord) or last[one.case, one.index] is one]
    manifest = rich_run.manifest("20260301-101010-1234", "openssl")
    with BundleWriter.create(folder, msgspec.structs.replace(manifest, status=RunStatus.RUNNING)) as writer:
        for record in once:
            writer.append(record)
        writer.set_status(RunStatus.FINISHED, 30.0)
        told = summarise(manifest, once)
        writer.finish(result_tables(told), told)
    return sorted(folder.iterdir())


def test_it_imports_nothing_of_the_program() -> None:
    for module in (recompute, recompute_figures):
        tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
        assert imported(tree) <= {*sys.stdlib_module_names, "duckdb", "numpy", "recompute_figures"}


def imported(tree: ast.AST) -> set[str]:
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names}


def test_every_figure_verdict_and_word_of_stored_runs(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert len(runs) == 3
    for folder in runs:
        assert recompute.main(folder) == 0, capsys.readouterr().out
    assert "words" in capsys.readouterr().out


def test_ties_are_said_as_the_report_says_them(runs: list[Path]) -> None:
    said = []
    for folder in runs:
        bundle = Bundle.open(folder)
        view = RunView(summarise(bundle.manifest, bundle.records(), load_catalogue(ROOT)))
        mine = {case.name: case for case in recompute.cases_of(recompute.Run(folder))}
        for case in view.run.cases:
            tie = mine[case.case].tie(lambda lane: lane.partition("@")[0])
            told = answer(view, case)
            assert bool(tie) is told.tie and told.sentence.startswith(tie)
            said.append(tie)
    assert len({tie for tie in said if tie}) >= 2


def test_a_figure_that_was_changed_is_noticed(runs: list[Path], tmp_path: Path) -> None:
    copy = tmp_path / runs[0].name
    shutil.copytree(runs[0], copy)
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * REPLACE (ratio * 1.0001 AS ratio) FROM '{runs[0]}/ratios.parquet') TO '{copy}/ratios.parquet'"
        )
    assert recompute.main(copy) == 1


def test_the_query_of_the_reference_gives_the_published_times(
    runs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every time of every run: of long calls, of slow ones, of key generation, of lanes that keep one of two speeds."""
    page = (ROOT / "docs/reference/bundle.md").read_text(encoding="utf-8")
    (query,) = [
        text for text in re.findall(r"^```sql\n(.*?)^```$", page, re.MULTILINE | re.DOTALL) if "median(figure)" in text
    ]
    kept = 0
    for folder in runs:
        monkeypatch.chdir(folder)
        with duckdb.connect() as connection:
            mine = {(case, lane): ns for case, lane, ns in connection.execute(query).fetchall()}
            cells = connection.execute(
                "SELECT case_id, lane, ns, fast_passes FROM 'cells.parquet' WHERE ns IS NOT NULL"
            )
            for case, lane, ns, fast in cells.fetchall():
                assert mine[case, lane] == pytest.approx(ns, rel=1e-9), (case, lane)
                kept += fast is not None
    assert kept


def test_defaults_of_the_page_are_those_of_the_program() -> None:
    settings = Settings()
    told = recompute_figures.defaults()
    assert {"batch_us", "dropped_batches", "clean_threshold", "target"} <= told.keys()
    assert told == {name: getattr(settings, name) for name in told}
