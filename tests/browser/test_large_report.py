# SPDX-License-Identifier: Apache-2.0
"""Reports of 1,600 and of 5,000 cells in a real browser: small enough to send, few enough elements to open at once, and everything in them can be found."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import legibility
import pytest
import sample_full
import sample_summary as sample
from playwright.sync_api import Browser, Page

from cipherstone.cli.lab_discovery import rooms
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import cell_anchor
from cipherstone.report.render.folds import MOST_BYTES as MOST_BYTES_IN_PLACE
from cipherstone.report.render.folds import MOST_ELEMENTS as MOST_ELEMENTS_IN_PLACE
from cipherstone.report.render.html import render_html

CELLS = 5000
MOST_BYTES = 3_000_000
MOST_ELEMENTS = 20_000
RUN = sample_full.large_run(CELLS)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "report.html"
    path.write_text(render_html(RUN, sample.CARDS, sample.REPRODUCE), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: Browser, path: Path) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(path.as_uri())
    yield opened
    context.close()


def test_it_is_small_and_opens_at_once(browser: Browser, path: Path) -> None:
    """Bytes and elements are what decides; how long it took is told, and depends on who else is on the machine."""
    assert sum(len(case.cells) for case in RUN.cases) >= CELLS
    assert path.stat().st_size < MOST_BYTES
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    began = time.monotonic()
    page.goto(path.as_uri())
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    took = time.monotonic() - began
    elements = page.evaluate("document.getElementsByTagName('*').length")
    print(f"{path.stat().st_size / 1e6:.2f} MB, {elements} elements, open after {took:.2f} s")
    assert elements < MOST_ELEMENTS
    page.context.close()


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("all builds", sample_full.wide_run(28)),
        ("default", sample_full.wide_run(16)),
        ("seven", sample_full.full_run()),
    ],
    ids=["all builds", "default", "seven"],
)
def test_a_default_run_with_all_builds_is_small(browser: Browser, tmp_path: Path, name: str, run: RunSummary) -> None:
    """87 cases and all 28 builds of a machine, 16 or 7: 1.5 MB and 15,000 elements at most, with the folds packed; unfolded, all of it is there."""
    assert sum(len(case.cells) for case in run.cases) > {"all builds": 2600, "default": 1500, "seven": 800}[name]
    text = render_html(run, run.cards, sample.REPRODUCE, rooms())
    path = tmp_path / "report.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(path.as_uri())
    assert path.stat().st_size <= 1_500_000
    count = "document.getElementsByTagName('*').length"
    assert page.evaluate(count) <= 15_000
    packed = page.locator("details[data-pack]").count()
    assert packed > 100
    page.evaluate(legibility.UNFOLD)
    assert page.locator("details.case").count() == len(run.cases)
    assert page.locator("#cells details.cell").count() == sum("#2" not in c.lane for case in run.cases for c in case.cells)  # fmt: skip
    assert page.locator("details[data-pack]").count() == 0 and page.evaluate(count) > MOST_ELEMENTS_IN_PLACE
    page.context.close()


def test_a_small_report_has_everything_in_place() -> None:
    """By its bytes and elements, not by its cells: such a page needs no script."""
    text = render_html(sample.sample_run(), sample.CARDS, sample.REPRODUCE)
    assert len(text.encode()) <= MOST_BYTES_IN_PLACE
    assert 'class="cell"' in text and 'data-pack="0"' not in text and "<!--" not in text


def test_a_cell_is_there_when_it_is_opened(page: Page) -> None:
    """Out of the packed pages, by its case and by the link of a ranking."""
    case = next(case for case in RUN.cases if len(case.cells) > 3)
    cell = next(cell for cell in case.cells if cell.ns is not None)
    anchor = cell_anchor(case, cell)
    home = page.locator(f"#case-{anchor.removeprefix('cell-').partition('--')[0]}")
    assert page.locator("details.cell").count() == 0
    page.evaluate("(id) => { location.hash = id }", anchor)
    page.wait_for_selector(f"#{anchor}[open]")
    assert home.locator("details.cell").count() == len([one for one in case.cells if "#2" not in one.lane])
    assert cell.lane in page.locator(f"#{anchor} dl").inner_text()
    other = page.locator("#cells details.case[data-pack]").first
    name = other.get_attribute("id")
    page.evaluate("(id) => { for (let e = document.getElementById(id); e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true }", name)  # fmt: skip
    page.wait_for_selector(f"#{name} details.cell")


def test_without_script_it_says_where_the_figures_are(browser: Browser, path: Path) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    assert "opens with JavaScript" in page.locator("#cells noscript").inner_text()
    page.context.close()


def test_every_column_of_the_grid_is_on_the_screen(browser: Browser, tmp_path: Path) -> None:
    """Sixteen builds at 1280 px, as a default run on a machine with all libraries has. What has no figure is a sign there; its word is still read out."""
    path = tmp_path / "wide.html"
    path.write_text(render_html(sample_full.wide_run(16), (), sample.REPRODUCE), encoding="utf-8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(path.as_uri())
    grid = page.locator("table.grid.many")
    assert grid.locator("thead th").count() == 17
    box, last = page.locator(".scroll:has(table.grid)").bounding_box(), grid.locator("thead th").last.bounding_box()
    assert box is not None and last is not None and last["x"] + last["width"] <= box["x"] + box["width"] + 1
    word = grid.locator("td.no .word").first
    assert word.inner_text() and (word.bounding_box() or {"width": 9})["width"] <= 1
    page.context.close()
