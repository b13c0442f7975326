# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: no network, no errors, a phone's width, dark, without script, filters that survive a reload."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.html import render_html
from cipherstone.views.run.standing import Standing, standing_of

sys.path.insert(0, str(Path(__file__).parent))
import sample_summary as sample

CHROMIUM = next((p for p in ("/usr/bin/chromium", shutil.which("chromium"), shutil.which("chromium-browser")) if p and Path(p).exists()), None)  # fmt: skip
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CS_REQUIRE_BROWSER"), reason="no Chromium on this machine"
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_html(sample.sample_run(), sample.CARDS, sample.REPRODUCE), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None, "CS_REQUIRE_BROWSER is set, but there is no Chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    opened = context.new_page()
    opened.goto(address)
    yield opened
    context.close()


def _background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_opens_quietly_and_asks_the_network_for_nothing(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_timeout(200)
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [address]
    page.context.close()


def test_winners_stand_on_the_first_screen(page: Page) -> None:
    cards = page.locator(".card")
    assert cards.count() == len(sample.CARDS)
    text = page.locator(".cards").inner_text()
    for words in ("Libgcrypt", "OpenSSL", "libsodium", "2.04 GB/s", "times faster than", "Hash a file"):
        assert words in text
    last = cards.last.bounding_box()
    assert last is not None and last["y"] + last["height"] < 900
    assert "indicative" in page.locator(".strip").inner_text()


def test_tie_names_both(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "tie.html"
    path.write_text(render_html(sample.sample_run(), (("Encrypt", "aes-128-cbc/encrypt/bytes=16384"),), "x"), encoding="utf-8")  # fmt: skip
    page = browser.new_context().new_page()
    page.goto(path.as_uri())
    winner = page.locator(".card .winner").inner_text()
    assert "OpenSSL" in winner and "Libgcrypt" in winner and "and" in winner
    page.context.close()


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_sideways_scrolling(browser: Browser, address: str, width: int) -> None:
    page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_readable_without_javascript(browser: Browser, address: str) -> None:
    page = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900}).new_page()
    page.goto(address)
    assert page.locator("#tools").is_hidden()
    assert page.locator("button").count() == 0
    assert page.locator("table.grid tbody td").count() == len(sample.OPERATIONS) * len(sample.VERSIONS)
    page.locator("#rankings details.fam summary").first.click()
    assert page.locator("table.grid").is_visible() and page.locator("#rankings svg.chart").first.is_visible()
    page.locator("#cells details.fam summary").first.click()
    page.locator("details.case summary").first.click()
    page.locator("details.cell summary").first.click()
    assert page.locator("details.cell pre").first.is_visible()
    page.context.close()


def test_dark_mode_changes_page_and_charts(browser: Browser, address: str) -> None:
    seen = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
        page = context.new_page()
        page.goto(address)
        label = page.evaluate("getComputedStyle(document.querySelector('svg.chart text')).fill")
        seen.append(
            (_background(page), label, page.evaluate("getComputedStyle(document.querySelector('.v.deep')).color"))
        )
        context.close()
    assert all(light != dark for light, dark in zip(*seen, strict=True))


def test_print_is_light_and_has_column_heads(browser: Browser, address: str) -> None:
    page = browser.new_context(color_scheme="dark").new_page()
    page.goto(address)
    page.emulate_media(media="print")
    assert _background(page) == "rgb(255, 255, 255)"
    assert page.locator("table.grid thead th .lib").first.is_visible()
    assert page.locator(".inprint").first.is_visible()
    assert len(page.pdf(format="A4")) > 10_000
    page.context.close()


def test_every_chart_has_its_table_and_data(page: Page) -> None:
    lonely = page.evaluate(
        """[...document.querySelectorAll('svg.chart')].filter(svg => {
            const home = svg.closest('figure, details.case, .home');
            return !home || !svg.getAttribute('aria-label') || !home.querySelector('.twin table, .twin dl') || !home.querySelector('a[download][href^="data:text/csv"], a[data-rows][href="#all-data"]');
        }).length"""
    )
    assert page.locator("svg.chart").count() > 40
    assert lonely == 0


def test_filter_and_hidden_library_survive_reload(page: Page) -> None:
    rows = page.locator("table.grid tbody tr:not(.family):visible")
    everything = rows.count()
    page.fill("#filter", "gcm")
    assert rows.count() == 2 < everything
    page.uncheck("#tools input[value=botan]")
    assert page.locator("table.grid td[data-lib=botan]:visible").count() == 0
    assert "f=gcm" in page.url and "hide=botan" in page.url
    page.reload()
    assert rows.count() == 2
    assert page.input_value("#filter") == "gcm"
    assert not page.is_checked("#tools input[value=botan]")
    page.fill("#filter", "")
    assert rows.count() == everything


def test_sort_survives_reload(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details.fam').forEach(d => { d.open = true })")

    def libraries() -> list[str]:
        return page.locator("#rank-sha-256-hash-bytes-16384 tbody tr td:first-child").all_text_contents()

    before = libraries()
    head = page.locator("#rank-sha-256-hash-bytes-16384 thead th").nth(0).locator("button")
    head.click()
    ascending = libraries()
    assert [t.strip() for t in ascending] == sorted((t.strip() for t in before), key=str.lower)
    assert ascending != before
    head.click()
    descending = libraries()
    assert descending == ascending[::-1]
    assert "sort=" in page.url
    page.reload()
    assert libraries() == descending


def test_numbers_sort_as_numbers_and_missing_last(page: Page) -> None:
    column = 1 + sorted(sample.VERSIONS).index("mbedtls")
    page.locator("table.grid thead th").nth(column).locator("button").click()
    texts = page.locator("table.grid tbody").last.locator(f"tr:not(.family) td:nth-child({column + 1})").all_inner_texts()  # fmt: skip
    numbers = [float(t.split()[0]) for t in texts if t[0].isdigit()]
    assert numbers == sorted(numbers) and len(numbers) >= 2
    assert "unsupported" in texts[-1]


def test_deep_link_opens_the_cell(browser: Browser, address: str) -> None:
    page = browser.new_context().new_page()
    page.goto(address + "#cell-aes-128-gcm-open-bytes-16384--nettle-3-8-1")
    assert page.get_by_text("accepted, must be rejected").first.is_visible()
    page.context.close()


def test_copies_a_table_as_markdown(browser: Browser, address: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name="Copy as Markdown").first.click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("| operation |")
    context.close()


def test_is_short_before_anything_is_unfolded(browser: Browser, tmp_path: Path) -> None:
    """Limits of a full default run: 15,000 px at a width of 1280, on which thrice the sample's operations stand."""
    path = tmp_path / "large.html"
    path.write_text(render_html(sample.sample_run(copies=3), sample.CARDS, "x"), encoding="utf-8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") < 15_000
    assert page.evaluate("[...document.querySelectorAll('details[open]')].length") == 0
    page.evaluate("window.scrollTo(0, 4000)")
    contents = page.locator("nav.contents").bounding_box()
    assert contents is not None and abs(contents["y"]) < 2
    page.context.close()


def _restricted(case: CaseSummary, hidden: set[str]) -> Standing:
    ranked = [lane for group in case.ranking for lane in group]
    return standing_of(case, [lane for lane in ranked if Lane.parse(lane).library not in hidden])


@pytest.mark.parametrize("hidden", [{"openssl"}, {"libgcrypt", "openssl"}, {"bearssl", "mbedtls", "nettle"}])
def test_hiding_ranks_anew_as_the_method_does(browser: Browser, address: str, hidden: set[str]) -> None:
    """Grid, cards and charts of those left, against the standing that the run itself gives them."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(address)
    before = page.locator("main").inner_text()
    for name in hidden:
        page.uncheck(f"#tools input[value={name}]")
    view = RunView(sample.sample_run())
    for case in view.headline:
        leaders = {Lane.parse(lane).build_id for lane in _restricted(case, hidden).leaders}
        row = page.locator(f'table.grid tr[data-case="{case.case}"]')
        shown = set(row.locator("td.best:visible").evaluate_all("cells => cells.map(c => c.dataset.build)"))
        stands = {g.build for g in view.grid_row(case) if g.cell and g.cell.lane in _restricted(case, hidden).leaders}
        assert shown == stands, case.case
        assert len(leaders) >= len(shown)
    for question, case_id in sample.CARDS:
        first = _restricted(view.cases[case_id], hidden).first
        assert first is not None
        assert view.lane_title(first) in page.locator(".card", has_text=question).first.locator(".winner").inner_text()
    drawn = page.locator("svg.family [data-lane]:not(.off)").evaluate_all("marks => marks.map(m => m.dataset.lib)")
    assert drawn and not hidden & set(drawn)
    for name in hidden:
        page.check(f"#tools input[value={name}]")
    assert page.locator("main").inner_text() == before
    page.context.close()


def test_a_base_and_a_size_can_be_chosen(page: Page) -> None:
    row = page.locator('table.grid tr[data-case="sha-256/hash/bytes=16384"]')
    page.select_option("#base", "nettle@3.8.1")
    assert row.locator('td[data-lib="nettle"] b').inner_text() == "1.00"
    assert float(row.locator('td[data-lib="openssl"] b').inner_text()) < 1
    page.select_option("#size", "64 B")
    assert "SHA-256, 64 B" in row.locator("th").inner_text()
    assert page.locator("#basis").is_visible() and "64 B" in page.locator("#basis").inner_text()
    page.reload()
    assert "SHA-256, 64 B" in row.locator("th").inner_text() and page.input_value("#base") == "nettle@3.8.1"


def test_no_match_says_so(page: Page) -> None:
    page.fill("#filter", "nonesuch")
    assert "No operation here matches" in page.locator("#nothing").inner_text()
    page.fill("#filter", "")
    assert page.locator("#nothing").is_hidden()
    for name in sample.VERSIONS:
        page.uncheck(f"#tools input[value={name}]")
    assert "Every library is hidden" in page.locator("#nothing").inner_text()


def test_data_of_one_figure_is_cut_out_of_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    with page.expect_download() as download:
        page.locator("#rank-x25519-derive a[data-rows]").click()
    text = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert (
        text[0].startswith("case,bytes,lane")
        and len(text) > 3
        and all(line.startswith("x25519/derive,") for line in text[1:])
    )


OVERLAPS = """() => {
    const found = [];
    for (const svg of document.querySelectorAll('svg.chart')) {
        const boxes = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim() && getComputedStyle(t).strokeWidth !== '4px')
            .map(t => [t.textContent, t.getBoundingClientRect()]).filter(([, b]) => b.width > 0);
        for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
            const [a, b] = [boxes[i][1], boxes[j][1]];
            const across = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (boxes[i][0] !== boxes[j][0] && across > 1 && down > 4) found.push(svg.getAttribute('aria-label') + ': ' + boxes[i][0] + ' on ' + boxes[j][0]);
        }
    }
    return found;
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_charts_are_legible(browser: Browser, address: str, width: int) -> None:
    page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert page.evaluate(OVERLAPS) == []
    small = """[...document.querySelectorAll('svg.chart')].filter(s => s.getBoundingClientRect().width / s.viewBox.baseVal.width < 0.99
        || [...s.querySelectorAll('text')].some(t => parseFloat(getComputedStyle(t).fontSize) < 11)).map(s => s.getAttribute('aria-label'))"""
    assert page.evaluate(small) == []
    wide = """[...document.querySelectorAll('main *:not(svg *)')].filter(e => { const r = e.getBoundingClientRect(), home = e.closest('.scroll, .plot');
        return r.width > 0 && !home && r.right > document.documentElement.clientWidth + 1; }).map(e => e.outerHTML.slice(0, 90))"""
    assert page.evaluate(wide) == []
    unfocusable = "[...document.querySelectorAll('.scroll, .plot')].filter(e => e.scrollWidth > e.clientWidth && e.tabIndex !== 0).length"
    assert page.evaluate(unfocusable) == 0
    page.context.close()


def test_the_summary_is_one_printed_page(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "summary.html"
    path.write_text(render_html(sample.sample_run(copies=2), sample.CARDS, "x", brief=True), encoding="utf-8")
    page = browser.new_context().new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="A4"))) == 1
    page.uncheck("#tools input[value=openssl]")
    assert said == [] and page.locator("#basis").is_visible()
    page.context.close()
