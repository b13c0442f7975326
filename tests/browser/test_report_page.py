# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: no network, no errors, a phone's width, dark, without script, filters that survive a reload."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from cipherstone.report.render.html import render_html

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
    assert page.locator("table.grid").is_visible() and page.locator("#rankings svg.chart").first.is_visible()
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
            const home = svg.closest('figure, details.case');
            return !home || !home.querySelector('.twin table') || !home.querySelector('a[download][href^="data:text/csv"]');
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
    def libraries() -> list[str]:
        return page.locator("#rank-sha-256-hash-bytes-16384 tbody tr td:first-child").all_inner_texts()

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


def test_copy_as_markdown(browser: Browser, address: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address)
    page.get_by_role("button", name="Copy summary as Markdown").click()
    page.get_by_text("Copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("## Which library is fastest here?") and "| Hash a file | Libgcrypt |" in text
    context.close()
