# SPDX-License-Identifier: Apache-2.0
"""The laboratories' pages and the roofline in a real browser: no network, a phone's width, dark, sorting, links from the first screen."""

from __future__ import annotations

import instructions_example as kernels
import legibility
import modexp_example as example
import msgspec
import pytest
import sample_summary as sample
import spectrum_example as machine
from playwright.sync_api import Browser, Page

from cipherstone.cli.derived_summary import derived
from cipherstone.cli.lab_discovery import rooms
from cipherstone.report.render.html import render_html

PAGES = ("modexp", "instructions", "roofline")


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("labs")
    plain = sample.sample_run()
    here = msgspec.structs.replace(plain.manifest.machine, cpu_features=machine.FEATURES)
    manifest = msgspec.structs.replace(plain.manifest, spectrum=machine.spectrum(), machine=here)
    runs = {
        "modexp": example.modexp_run(),
        "instructions": kernels.instructions_run(),
        "roofline": derived(msgspec.structs.replace(plain, manifest=manifest)),
    }
    for name, run in runs.items():
        (folder / f"{name}.html").write_text(render_html(run, (), f"cipherstone lab {name}", rooms()), encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in runs}


def opened(browser: Browser, address: str, width: int = 1280, dark: bool = False) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
    )  # fmt: skip
    page = context.new_page()
    page.goto(address)
    return page


@pytest.mark.parametrize("name", PAGES)
def test_opens_quietly(browser: Browser, addresses: dict[str, str], name: str) -> None:
    page = browser.new_context().new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(addresses[name])
    page.wait_for_timeout(100)
    assert said == [] and [url for url in asked if not url.startswith("data:")] == [addresses[name]]
    page.context.close()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [390, 1280])
def test_no_sideways_scrolling(browser: Browser, addresses: dict[str, str], name: str, width: int) -> None:
    page = opened(browser, addresses[name], width)
    page.evaluate(legibility.UNFOLD)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


@pytest.mark.parametrize("name", PAGES)
def test_every_chart_has_its_table_and_data(browser: Browser, addresses: dict[str, str], name: str) -> None:
    page = opened(browser, addresses[name])
    page.evaluate(legibility.UNFOLD)
    lonely = page.evaluate(
        """[...document.querySelectorAll('svg.chart')].filter(svg => {
            const home = svg.closest('figure, details.case, .home');
            return !home || !home.querySelector('.twin table, .twin dl') || !home.querySelector('a[download][href^="data:"], a[data-rows][href$="-data"]');
        }).length"""
    )
    assert lonely == 0
    page.context.close()


def test_first_screen_answers_and_leads_on(browser: Browser, addresses: dict[str, str]) -> None:
    page = opened(browser, addresses["modexp"])
    cards = page.locator(".card")
    last = cards.last.bounding_box()
    assert cards.count() == 7 and last is not None and last["y"] + last["height"] < 900
    page.locator(".card", has_text="Which window is best here?").click()
    assert "lab-model" in page.url
    seen = page.locator("#lab-model").bounding_box()
    assert seen is not None and -5 < seen["y"] < 900
    page.context.close()


def test_the_table_sorts_by_time(browser: Browser, addresses: dict[str, str]) -> None:
    page = opened(browser, addresses["modexp"])
    rows = page.locator("#lab-publication tbody tr")
    assert rows.count() == 36 and rows.first.locator("td").first.inner_text() == "Basic, fast"
    page.locator("#lab-publication thead th").nth(1).locator("button").click()
    assert rows.first.locator("td").first.inner_text() in ("Montgomery, 6b, RM", "Montgomery, 5b, RM")
    page.reload()
    assert rows.first.locator("td").first.inner_text() != "Basic, fast"
    page.context.close()


def test_charts_follow_the_theme_and_name_their_kinds(browser: Browser, addresses: dict[str, str]) -> None:
    inks = []
    for dark in (False, True):
        page = opened(browser, addresses["modexp"], dark=dark)
        chart = page.locator("#lab-pareto-plot svg.chart").first
        assert "Barrett" in chart.text_content() and "Montgomery IFMA" in chart.text_content()  # type: ignore[operator]
        inks.append(page.evaluate("getComputedStyle(document.querySelector('#lab-pareto-plot svg.chart text')).fill"))
        page.context.close()
    assert inks[0] != inks[1]


def test_readable_without_javascript(browser: Browser, addresses: dict[str, str]) -> None:
    page = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900}).new_page()
    page.goto(addresses["instructions"])
    assert page.locator("button").count() == 0 and page.locator("#lab-instruction-table tbody tr").count() > 60
    assert page.locator("#lab-ablation svg.chart").is_visible()
    assert page.locator("#tools").is_hidden()
    page.context.close()


def test_the_roofline_draws_its_bound(browser: Browser, addresses: dict[str, str]) -> None:
    page = opened(browser, addresses["roofline"])
    page.evaluate(legibility.UNFOLD)
    assert page.locator("#roofline svg.chart").count() >= 4
    text = page.locator("#roofline svg.chart").first.text_content() or ""
    assert "100" in text and "model in doubt" in text
    page.context.close()
