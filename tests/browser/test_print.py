# SPDX-License-Identifier: Apache-2.0
"""The report as Chromium prints it: heads on every page, markers that stand upright, no words that belong to links, and a summary of one page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import legibility
import pytest
import sample_full
import sample_summary as sample
from playwright.sync_api import Browser, Page
from printed import page_texts

from cipherstone.cli.lab_discovery import rooms
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.html import render_html

MANY = {f"3.{number}.0": 1.0 + number / 4 for number in range(1, 10)}
RUNS = {"few": sample.sample_run(), "many": sample_full.wide_run(16)}
# A mark with nothing before it, or two in a row.
LEFT_OVER = re.compile(r"(^|\s)[.,;·](\s|$)|[.,;·]\s*[.,;·]")


@pytest.fixture(scope="module", params=list(RUNS))
def run(request: pytest.FixtureRequest) -> RunSummary:
    return RUNS[str(request.param)]


@pytest.fixture
def page(run: RunSummary, browser: Browser, tmp_path: Path) -> Iterator[Page]:
    path = tmp_path / "report.html"
    path.write_text(render_html(run, run.cards or sample.CARDS, sample.REPRODUCE, rooms()), encoding="utf-8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(path.as_uri())
    yield page
    page.context.close()


def plain(text: str) -> str:
    """As `page_texts` gives it: without ligatures and spaces."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def test_every_page_of_the_grid_has_its_heads(run: RunSummary, page: Page) -> None:
    """On the second page of the grid too, above its rows."""
    view = RunView(run)
    texts = [plain(text) for text in page_texts(page.pdf(format="A4"))]
    rows = [plain(view.case_title(case)) for case in view.headline]
    title = plain("How far is each library from the best?")
    begins = next(number for number, text in enumerate(texts) if title in text)
    goes_on = [text for text in texts[begins + 1 :] if sum(row in text for row in rows) > 3][:1]
    assert goes_on
    for head in goes_on:
        at = [head.find(plain(view.build_title(column))) for column in view.columns]
        assert all(0 <= place < 900 for place in at), at
        assert min(place for row in rows if (place := head.find(row)) >= 0) > max(at)


def test_markers_of_heads_stand_upright(page: Page) -> None:
    """The triangle of one library upside down is the marker of another: on the screen and in print."""
    ask = """[...document.querySelectorAll('table.grid thead svg.mark :is(path, use)')].map((e) => { const m = e.getScreenCTM(); return [m.a > 0, m.d > 0, Math.abs(m.b) < 1e-6, Math.abs(m.c) < 1e-6] })"""
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        found = page.evaluate(ask)
        assert len(found) >= 7 and all(all(one) for one in found), media


def test_no_words_of_links_are_left(page: Page) -> None:
    """What a reader of paper cannot follow is left out with the words around it."""
    page.evaluate(legibility.UNFOLD)
    page.emulate_media(media="print")
    texts = page.evaluate("[...document.querySelectorAll('p')].filter((e) => e.checkVisibility()).map((e) => e.innerText)")  # fmt: skip
    assert len(texts) > 50
    assert [text for text in texts if LEFT_OVER.search(text)] == []
    assert page.locator("a[download]:visible, a[data-rows]:visible").count() == 0


def test_names_of_faster_implementations_do_not_stretch_a_row(page: Page) -> None:
    """In a narrow column a name would stand in ten lines; a star stands for it, and a line says what it means."""
    page.set_viewport_size({"width": 688, "height": 900})  # A4 without its margins
    page.emulate_media(media="print")
    tall = page.evaluate("[...document.querySelectorAll('table.grid tbody tr:not(.family)')].map((e) => e.getBoundingClientRect().height)")  # fmt: skip
    assert max(tall) < 130
    starred = page.locator("table.grid.many td:has(.faster)").count()
    assert page.locator(".starred:visible").count() == (1 if starred else 0)


SUMMARIES = {
    "small": sample.sample_run(),
    "26 operations": sample.sample_run(copies=2),
    "52 operations, 16 builds": sample_full.with_builds(sample.sample_run(copies=4), MANY),
    "31 operations, 16 builds": RUNS["many"],
    "31 operations, 28 builds": sample_full.wide_run(28),
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_summary_is_one_page(browser: Browser, tmp_path: Path, name: str) -> None:
    """Whatever the run's size; its last line is on it, and its smallest figures are at least 3 points tall."""
    run = SUMMARIES[name]
    path = tmp_path / "summary.html"
    path.write_text(render_html(run, run.cards or sample.CARDS, "x", rooms(), brief=True), encoding="utf-8")
    page = browser.new_context().new_page()
    page.goto(path.as_uri())
    (text,) = page_texts(page.pdf(format="A4"))
    assert "emptycall" in plain(text)
    page.emulate_media(media="print")
    points = page.evaluate("[...document.querySelectorAll('table.grid td b')].map((e) => parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom * 0.75)")  # fmt: skip
    assert min(points) >= 3
    page.context.close()
