# SPDX-License-Identifier: Apache-2.0
"""Every figure that a published page prints is shown as printed, on a terminal of any width, in the report and in JSON, whatever the run has of its own."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import modexp_example
import msgspec
import pytest
from store_example import manifest
from test_roofline_view import NOISE
from unfolded import unfolded

from cipherstone.catalogue.paths import data_root
from cipherstone.cli.lab_discovery import rooms
from cipherstone.model.summary import RunSummary
from cipherstone.report.export.json import export_json
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.derive import derive

PAGES: dict[str, list[list[str]]] = {
    name: page["rows"]
    for name, page in tomllib.loads((Path(__file__).parent / "published_figures.toml").read_text()).items()
}
SUITES = [name for name in PAGES if name != "modexp"]  # which a laboratory of its own shows
FIGURE = re.compile(r"(?<![\d.])\d[\d.]*(?:\(\d+\))?(?: K|x)?(?![\d.])")


def without_cases(suite: str) -> RunSummary:
    """A run of the suite that has no figure of its own."""
    made = msgspec.structs.replace(manifest(), suite=suite, spectrum=None)
    return derive(RunSummary(made, (), (), (), NOISE, "indicative", ""), data_root(), {})


def missing(name: str, text: str) -> list[list[str]]:
    """The rows of a page of which `text` lacks a figure."""
    found = set(FIGURE.findall(text))
    found |= {one.removesuffix("x") for one in found}
    return [row for row in PAGES[name] if not {*row[1:]} <= found]


def test_the_list_has_all_of_the_pages() -> None:
    counts = {name: sum(len(row) - 1 for row in rows) for name, rows in PAGES.items()}
    assert counts == {"bearssl": 264, "cryptobench": 87, "tls-blog": 35, "survey": 94, "modexp": 180}


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("suite", SUITES)
def test_a_terminal_shows_every_figure(suite: str, width: int) -> None:
    text = render_terminal(without_cases(suite), width, False)
    assert max(map(len, text.splitlines())) <= width
    assert missing(suite, text) == []


@pytest.mark.parametrize("suite", SUITES)
def test_the_report_shows_every_figure(suite: str) -> None:
    page = unfolded(render_html(without_cases(suite), (), ""))
    assert missing(suite, re.sub(r"<[^>]*>", " ", page)) == []


@pytest.mark.parametrize("suite", SUITES)
def test_json_has_every_figure(suite: str) -> None:
    run = without_cases(suite)
    text = export_json(run)
    assert missing(suite, text) == []
    rows = {row["label"]: row for table in json.loads(text)["published"]["tables"] for row in table["rows"]}
    for label, *figures in PAGES[suite]:
        if suite in ("bearssl", "survey") and label in rows:
            cells = rows[label]["cells"]
            printed = [cell["printed"] for cell in cells if cell["printed"] != "-"]
            printed += [cell["deviation"] for cell in cells if cell.get("deviation", "-") != "-"]
            assert printed == figures, label


@pytest.mark.parametrize("width", [80, 200])
def test_the_table_of_exponentiations_is_shown_as_printed(width: int) -> None:
    run = modexp_example.modexp_run()
    assert missing("modexp", render_terminal(run, width, colour=False, rooms=rooms())) == []
    page = unfolded(render_html(run, (), "", rooms()))
    assert missing("modexp", re.sub(r"<[^>]*>", " ", page)) == []
    numbers = {float(one) for one in re.findall(r"\d+(?:\.\d+)?", export_json(run, rooms()))}
    assert all(float(figure.removesuffix("x")) in numbers for row in PAGES["modexp"] for figure in row[1:])
