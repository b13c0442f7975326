# SPDX-License-Identifier: Apache-2.0
"""The pages of the laboratories and of the roofline: HTML, terminal, Markdown, CSV and JSON of runs written by hand."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import instructions_example as kernels
import modexp_example as example
import msgspec
import pytest
import spectrum_example as machine
from unfolded import unfolded

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))
import sample_summary as sample

from cipherstone.cli.derived_summary import derived
from cipherstone.cli.lab_discovery import rooms
from cipherstone.labs.modexp.results import rows_of
from cipherstone.model.outcomes import Outcome
from cipherstone.model.summary import CellSummary, RunSummary
from cipherstone.report.blocks.room_page import bits_words
from cipherstone.report.blocks.tables import Table, item
from cipherstone.report.charts.measures import Share, fine_ticks
from cipherstone.report.charts.rows import shares
from cipherstone.report.export.csv import export_csv
from cipherstone.report.export.json import export_json
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.room_text import fitted_lines
from cipherstone.report.render.terminal import render_terminal


@pytest.fixture(scope="module")
def modexp() -> RunSummary:
    return example.modexp_run()


@pytest.fixture(scope="module")
def instructions() -> RunSummary:
    return kernels.instructions_run()


def with_spectrum(run: RunSummary, refused: str = "") -> RunSummary:
    here = msgspec.structs.replace(run.manifest.machine, cpu_features=machine.FEATURES)
    manifest = msgspec.structs.replace(run.manifest, spectrum=machine.spectrum(refused), machine=here)
    return derived(msgspec.structs.replace(run, manifest=manifest))


def test_modexp_page_shows_the_table_first_and_what_is_wrong_with_the_published_one(modexp: RunSummary) -> None:
    page = unfolded(render_html(modexp, (), "cipherstone lab modexp", rooms()))
    assert page.index('id="lab-table"') < page.index('id="lab-pareto"') < page.index('id="overview"')
    assert "<h1>Which exponentiation is fastest here, and what does it need?</h1>" in page
    for words in (
        "Montgomery, 6b, RM",
        "386.33 ms",
        "its times give 41.4 %",
        "no row for the Montgomery ladder",
        "SEGGER",
    ):
        assert words in page
    for anchor in ("lab-model", "lab-portable", "lab-libraries", "lab-limbs", "lab-compilers"):
        assert f'<section id="{anchor}">' in page
    assert len(re.findall(r'class="card"', page)) == 7
    assert len(re.findall(r'<svg xmlns="http://www.w3.org/2000/svg" class="chart[ "]', page)) > 6


def test_links_of_the_lab_pages_lead_somewhere(modexp: RunSummary, instructions: RunSummary) -> None:
    for run in (modexp, instructions):
        page = unfolded(render_html(run, (), "x", rooms()))
        ids = re.findall(r'\bid="([^"]+)"', page)
        assert len(ids) == len(set(ids)), [i for i in ids if ids.count(i) > 1]
        assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)


@pytest.mark.parametrize("width", [80, 60, 120])
def test_terminal_fits_and_has_the_table(modexp: RunSummary, instructions: RunSummary, width: int) -> None:
    for run, words in ((modexp, ("Basic, fast", "Montgomery, 6b, RM", "386.33 ms")), (instructions, ("aesenc-xmm", "mont-inner"))):  # fmt: skip
        text = render_terminal(run, width, colour=False, rooms=rooms())
        assert max(map(len, text.splitlines())) <= width
        for word in words[:2]:
            assert word in text
    shown = render_terminal(modexp, width, colour=False, rooms=rooms())
    assert all(printed in shown for printed in ("386.33 ms", "13.80x", "943.00 ms", "1.56x"))


def test_terminal_says_what_is_wrong_with_published_figures(modexp: RunSummary) -> None:
    text = " ".join(render_terminal(modexp, 80, colour=False, rooms=rooms()).split())
    assert (
        "38.2 % for Basic, fast: 3.20 over the other compiler: wrong, its times give 41.4 %" in text
        and "There is no row for the Montgomery ladder" in text
    )


def test_markdown_has_every_table(modexp: RunSummary, instructions: RunSummary) -> None:
    text = render_markdown(modexp, rooms=rooms())
    assert text.startswith("## Which exponentiation is fastest here, and what does it need?")
    assert "| Montgomery, 6b, RM |" in text and "### Whose portable C is fastest" in text and "### Rankings" in text
    table = render_markdown(instructions, rooms=rooms())
    assert table.startswith("## What do this processor") and "| aesenc-xmm |" in table and "### Rankings" not in table


def test_csv_and_json_hold_the_lab_rows(modexp: RunSummary) -> None:
    rows = list(csv.DictReader(io.StringIO(export_csv(modexp, rooms()))))
    lane = f"modexp@{example.LAB_BUILD}:mont-64-rm5"
    mine = {r["metric"]: r for r in rows if r["lane"] == lane and r["case"] == example.CRT}
    assert float(mine["working_memory"]["value"]) == 136 * 21 and mine["working_memory"]["note"] == "arena"
    assert float(mine["published_time"]["value"]) == 391.33e6 and mine["published_time"]["note"] == "not ours"
    assert float(mine["factor_time"]["value"]) > 3
    assert float(mine["predicted_time"]["value"]) == pytest.approx(float(mine["time"]["value"]), rel=0.01)
    tables = json.loads(export_json(modexp, rooms()))["lab"]
    assert len(tables["published"]["lines"]) == 36 and len(tables["published"]["about"]["note"]) >= 5
    assert {m["reduction"] for m in tables["cost_models"]} == {"basic", "barrett", "mont", "cios"}
    assert "lab" not in json.loads(export_json(sample.sample_run()))


def test_a_modexp_run_without_figures_still_has_a_page() -> None:
    cells = [msgspec.structs.replace(c, ns=None, pass_ns=(), refused="3 valid passes, 6 needed") for c in example.lab_rows(("basic-64-fast", "mont-64-fw5"))]  # fmt: skip
    run = example.run_of([example.case_of(example.CRT, cells)], "modexp")
    assert "no figure" in render_terminal(run, 80, colour=False, rooms=rooms())
    assert "<h1>Which exponentiation" in render_html(run, (), "x", rooms())


def test_rows_that_told_no_facts_stand_by_their_names() -> None:
    """What cannot run on a machine tells nothing of how it computes."""
    cells = example.lab_rows(("basic-64-fast", "mont-64-fw5"))
    cells.append(
        CellSummary(example.CRT, "modexp@1.0+gcc-O3:ifma-52-fw5", Outcome.UNAVAILABLE, "this CPU has no AVX-512 IFMA")
    )
    case = example.case_of(example.CRT, cells)
    (silent,) = [row for row in rows_of(case) if row.method is None]
    assert silent.lane.endswith(":ifma-52-fw5") and "AVX-512" in silent.why_not
    assert "<h1>Which exponentiation" in render_html(example.run_of([case], "modexp"), (), "x", rooms())


def test_instruction_page_is_no_competition(instructions: RunSummary) -> None:
    page = unfolded(render_html(instructions, (), "x", rooms()))
    assert '<section id="overview">' not in page and '<section id="rankings">' not in page and 'id="tools"' in page
    assert "They do: cycles are core cycles." in page
    for name in kernels.MISSING:
        assert f"this CPU lacks what {name} needs" in page
    text = render_terminal(instructions, 80, colour=False, rooms=rooms())
    assert re.search(r"aesenc-xmm +[34]\.\d+ +0\.\d+ +\d", text)


def test_chains_that_disagree_give_no_cycles() -> None:
    run = kernels.instructions_run(rotation=1.02)
    text = render_terminal(run, 80, colour=False, rooms=rooms())
    assert "Are these core cycles? no" in text and "not 1 within 1%" in text
    assert re.search(r"aesenc-xmm +refused +refused", text)
    assert not re.search(r"aesenc-xmm +[34]\.\d", text)
    assert "aesenc-xmm" in render_html(run, (), "x", rooms())


def test_roofline_stands_in_every_run_with_a_spectrum() -> None:
    plain = sample.sample_run()
    assert 'id="roofline"' not in render_html(plain, (), "x", rooms())
    run = with_spectrum(plain)
    page = unfolded(render_html(run, sample.CARDS, "x"))
    assert page.index('id="rankings"') < page.index('id="roofline"') < page.index('id="sizes"')
    assert "of AES-NI" in page and "model in doubt" in page
    text = render_terminal(run, 80, colour=False, rooms=rooms())
    assert re.search(r"AES-128-CBC encryption, OpenSSL +\d+ % AES-NI", text)
    assert "| AES-128-CBC encryption, OpenSSL |" in render_markdown(run)
    rows = [r for r in csv.DictReader(io.StringIO(export_csv(run, rooms()))) if r["metric"] == "roofline_share"]
    assert {r["base"] for r in rows} >= {"AES-NI", "VAES-512"} and all(float(r["value"]) > 0 for r in rows)


def test_a_refused_spectrum_says_why_and_bounds_nothing() -> None:
    run = with_spectrum(sample.sample_run(), refused="the chains disagree by 3 %")
    page = unfolded(render_html(run, (), "x", rooms()))
    assert "No bounds in this run: the chains disagree by 3 %." in page and "of AES-NI" not in page
    assert "of its tier" not in render_terminal(run, 80, colour=False, rooms=rooms())
    assert "roofline_share" not in export_csv(run, rooms())


def test_hostile_text_does_not_become_markup() -> None:
    hostile = "<script>alert(1)</script>"
    cells = example.lab_rows(("basic-64-fast", "mont-64-fw5"))
    cells = [msgspec.structs.replace(c, facts={**c.facts, "leak": hostile}) for c in cells]
    run = example.run_of([example.case_of(example.CRT, cells)], "modexp")
    assert hostile not in unfolded(render_html(run, (), "x", rooms()))


def test_shares_mark_what_is_flagged() -> None:
    rows = [Share("a", "AES-NI", 0.9, 0.89, 0.91), Share("b", "", 1.4, flagged=True)]
    svg = shares(rows, ["AES-NI"], "x")
    assert "140 %: model in doubt" in svg and "NaN" not in svg


@pytest.mark.parametrize(("low", "high"), [(0.41, 0.62), (1.0, 1.05), (3.0, 900.0), (0.002, 0.0031)])
def test_ticks_of_short_and_long_log_axes(low: float, high: float) -> None:
    ticks = fine_ticks(low, high)
    assert 2 <= len(ticks) <= 12 and ticks == sorted(set(ticks)) and low * 0.99 <= ticks[0] and ticks[-1] <= high * 1.01


@pytest.mark.parametrize(("windows", "words"), [((5,), "5"), ((6, 5), "5 or 6"), ((4, 5, 6), "4 to 6"), ((3, 5, 7), "3, 5 or 7"), ((), "")])  # fmt: skip
def test_windows_in_words(windows: tuple[int, ...], words: str) -> None:
    assert bits_words(windows) == words


def test_a_table_that_is_too_wide_names_what_it_leaves_out() -> None:
    head = ("row", *(f"column {i}" for i in range(12)))
    table = Table("t", head, (tuple(item("x" * 9, 1.0) for _ in head),))
    lines = fitted_lines(table, 60)
    assert max(map(len, lines)) <= 60 and "column 11" in " ".join(lines) and "in the report also" in " ".join(lines)
