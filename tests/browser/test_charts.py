# SPDX-License-Identifier: Apache-2.0
"""Charts as a browser draws them: what has a name, where it stands, and that nothing lies on anything else; and that each fold says its answer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import legibility
import msgspec
import pytest
import sample_full
import sample_summary as sample
from playwright.sync_api import Browser, Page

from cipherstone.cli.lab_discovery import rooms
from cipherstone.model.summary import RunSummary
from cipherstone.report.charts.curves import MOST_CONTENDERS
from cipherstone.report.render.html import render_html

RUN = sample_full.wide_run(16)
BOXES = "(all) => all.filter((e) => e.checkVisibility() && e.getBoundingClientRect().width > 0).map((e) => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom] })"
Box = tuple[float, float, float, float]


def opened(browser: Browser, folder: Path, run: RunSummary) -> Page:
    path = folder / "report.html"
    path.write_text(render_html(run, run.cards or sample.CARDS, "x", rooms()), encoding="utf-8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(path.as_uri())
    page.locator("#base").wait_for(state="attached")
    page.evaluate(legibility.UNFOLD)
    return page


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    page = opened(browser, tmp_path_factory.mktemp("charts"), RUN)
    yield page
    page.context.close()


def share(a: Box, b: Box) -> float:
    """The part of the smaller box that lies in the other one."""
    wide, tall = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    least = min((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return max(0.0, wide) * max(0.0, tall) / least


def test_the_best_lines_have_names_at_their_ends(page: Page) -> None:
    """Five of sixteen, right of the plot, none on another; the others are grey, without marker and name."""
    charts = page.locator("svg.sizes")
    assert charts.count() > 5
    for chart in charts.all():
        lines = chart.locator("[data-lane]").count()
        names = chart.locator(".end").evaluate_all(BOXES)
        assert len(names) == min(lines, MOST_CONTENDERS)
        home = chart.bounding_box()
        assert home is not None and all(box[2] <= home["x"] + home["width"] for box in names)
        right = float(chart.get_attribute("data-left") or 0) + float(chart.get_attribute("data-px") or 0)
        assert all(box[0] >= home["x"] + right for box in names)
        assert all(share(a, b) < 0.15 for a, b in itertools.combinations(names, 2))
        grey = chart.locator(".faint")
        assert grey.count() == lines - len(names)
        assert grey.locator("use").evaluate_all(BOXES) == []
        assert len(set(grey.locator(".line").evaluate_all("all => all.map((e) => getComputedStyle(e).stroke)"))) <= 1  # fmt: skip


def test_names_follow_what_is_hidden_and_the_base(page: Page) -> None:
    """Another line takes the place of a hidden one; against a base the names stand where the lines end."""
    chart = page.locator("#sizes-aes-128-gcm-seal svg.sizes")
    before = chart.inner_html()
    first = chart.locator("[data-lane]:not(.faint)").first.get_attribute("data-lib")
    page.uncheck(f"#tools input[value={first}]")
    assert len(chart.locator(".end").evaluate_all(BOXES)) == MOST_CONTENDERS
    page.check(f"#tools input[value={first}]")
    page.select_option("#base", "openssl@3.0.19")
    names = chart.locator(".end").evaluate_all(BOXES)
    assert len(names) == MOST_CONTENDERS and all(share(a, b) < 0.15 for a, b in itertools.combinations(names, 2))
    order = "all => all.filter((g) => !g.matches('.off, .faint')).map((g) => [Number([...g.querySelectorAll('use')].pop().getAttribute('y')), Number(g.querySelector('.end').getAttribute('y'))]).sort((a, b) => a[0] - b[0]).map((p) => p[1])"
    places = chart.locator("[data-lane]").evaluate_all(order)
    assert places == sorted(places)
    page.select_option("#base", "")
    assert chart.inner_html() == before


def test_no_marker_hides_another(page: Page) -> None:
    """In the charts of families, where many libraries stand near 1."""
    rows = page.locator("svg.family g[data-case]")
    assert rows.count() > 20
    for row in rows.all():
        marks = row.locator("[data-lane] > path[transform]").evaluate_all(BOXES)
        assert all(share(a, b) < 0.3 for a, b in itertools.combinations(marks, 2))


def test_first_calls_are_logarithmic_and_as_in_the_table(page: Page) -> None:
    """Equal ratios are equally far apart, and the number at a row's end is that of the table."""
    cases = {case.case: case for case in RUN.cases}
    charts = page.locator("svg.phases")
    assert charts.count() > 2
    for chart in charts.all():
        cells = {c.lane: c for c in cases[chart.get_attribute("data-case") or ""].cells}
        places = {
            str(row.get_attribute("data-lane")): (float(row.locator("circle").get_attribute("cx") or 0), row.locator(":scope > g > text").text_content())
            for row in chart.locator("[data-lane]").all()
        }  # fmt: skip
        known = sorted((cell.first.steady.value, places[lane][0]) for lane, cell in cells.items() if lane in places and cell.first)  # fmt: skip
        (low, left), (high, right) = known[0], known[-1]
        for ns, x in known:
            assert x == pytest.approx(left + (right - left) * math.log(ns / low) / math.log(high / low), abs=0.2)
        table = page.locator(f"figure:has(svg[data-case='{chart.get_attribute('data-case')}'].phases) table")
        for lane, (_, text) in places.items():
            whole = table.locator(f"tr[data-key='{lane}'] td").nth(6).inner_text()
            assert whole.partition(" (")[0] == text


@pytest.mark.parametrize("step_s", [1.5, 7.1, 60.0])
def test_numbers_of_the_noise_chart_do_not_touch(browser: Browser, tmp_path: Path, step_s: float) -> None:
    plain = sample.sample_run()
    noise = msgspec.structs.replace(plain.noise, ipc_by_pass=tuple((i * step_s, 3.9 - 0.3 * (i % 7 == 3)) for i in range(40)))  # fmt: skip
    page = opened(browser, tmp_path, msgspec.structs.replace(plain, noise=noise))
    boxes = page.locator("#noise svg text").evaluate_all(BOXES)
    assert len(boxes) > 8
    for a, b in itertools.combinations(boxes, 2):
        level = min(a[3], b[3]) - max(a[1], b[1]) > 3
        assert not level or max(a[0], b[0]) - min(a[2], b[2]) > 4
    page.context.close()


def test_every_fold_says_its_answer(page: Page) -> None:
    """In its line, closed as it is when the page opens; what only shows a table says so itself."""
    page.reload()
    page.evaluate("document.querySelectorAll('#cells details.fam').forEach((d) => { d.open = true })")
    folds = page.evaluate("[...document.querySelectorAll('details > summary')].filter((s) => s.checkVisibility()).map((s) => [s.firstChild.textContent.trim() || s.innerText, s.querySelector('.says')?.innerText ?? ''])")  # fmt: skip
    assert len(folds) > 120
    assert [question for question, said in folds if len(said) < 8 and not question.startswith("Where a library")] == []
    page.evaluate(legibility.UNFOLD)
