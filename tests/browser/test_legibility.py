# SPDX-License-Identifier: Apache-2.0
"""Legibility, measured in the browser on everything unfolded: contrast, overlaps, widths, scrolling boxes, charts with table and name; on a desk and a phone, light and dark."""

from __future__ import annotations

import instructions_example as kernels
import legibility
import modexp_example as example
import msgspec
import pytest
import sample_full
import sample_summary as sample
import spectrum_example as machine
from playwright.sync_api import Browser

from cipherstone.cli.derived_summary import derived
from cipherstone.cli.lab_discovery import rooms
from cipherstone.report.charts import palette
from cipherstone.report.render.html import render_html

PAGES = ("report", "modexp", "instructions")


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A report with every outcome, three builds of one library and a roofline; and those of the laboratories."""
    folder = tmp_path_factory.mktemp("legible")
    plain = sample_full.with_builds(sample.sample_run())
    here = msgspec.structs.replace(plain.manifest.machine, cpu_features=machine.FEATURES)
    manifest = msgspec.structs.replace(plain.manifest, spectrum=machine.spectrum(), machine=here)
    runs = {
        "report": derived(msgspec.structs.replace(plain, manifest=manifest)),
        "modexp": example.modexp_run(),
        "instructions": kernels.instructions_run(),
    }
    for name, run in runs.items():
        text = render_html(run, sample.CARDS if name == "report" else (), f"cipherstone run {name}", rooms())
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in runs}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_illegible(browser: Browser, addresses: dict[str, str], name: str, width: int, dark: bool) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.goto(addresses[name])
    page.evaluate(legibility.UNFOLD)
    assert page.locator("svg.chart").count() > 3
    findings = {what: page.evaluate(ask) for what, ask in legibility.EVERYTHING.items()}
    assert {what: found for what, found in findings.items() if found} == {}
    context.close()


def test_the_roofline_looks_like_no_library(browser: Browser, addresses: dict[str, str]) -> None:
    """Colours and markers of tiers are their own, in charts and as data."""
    assert not {c for pair in palette.KIND_COLOURS for c in pair} & {c for pair in palette.LIBRARY_COLOURS for c in pair}  # fmt: skip
    assert not set(palette.KIND_SHAPES) & set(palette.SHAPES)
    page = browser.new_context().new_page()
    page.goto(addresses["report"])
    page.evaluate(legibility.UNFOLD)
    drawn = "[...document.querySelectorAll('#roofline svg.chart *')].map(e => [e.getAttribute('fill'), e.getAttribute('stroke'), e.getAttribute('href') && document.querySelector(e.getAttribute('href')).getAttribute('d')].join(' '))"
    marks = [mark for mark in page.evaluate(drawn) if "--kind-" in mark or "--lib-" in mark]
    assert len(marks) > 20 and not [mark for mark in marks if "--lib-" in mark]
    page.context.close()


def test_builds_of_one_library_differ_by_more_than_colour(browser: Browser, addresses: dict[str, str]) -> None:
    """Three builds of OpenSSL: by dash and marker where lines are drawn, by marker in a family, by their name at each row elsewhere."""
    page = browser.new_context().new_page()
    page.goto(addresses["report"])
    page.evaluate(legibility.UNFOLD)
    looks = """selector => [...document.querySelectorAll(selector)].filter(s => s.querySelector('[data-lib=openssl]')).map(s => [...s.querySelectorAll('[data-lib=openssl]')].map(g =>
        [...g.querySelectorAll('path:not(.whisker), use, circle')].slice(0, 3).map(e => [e.getAttribute('stroke-dasharray'), getComputedStyle(e).fill, getComputedStyle(e).strokeWidth, e.getAttribute('href')].join()).join('|')))"""
    for selector, least in (("svg.sizes", 3), ("svg.family g[data-case]", 5), (".legend", 3)):
        charts = [chart for chart in page.evaluate(looks, selector) if len(chart) > 1]
        assert len(charts) >= least, selector
        assert all(len(set(chart)) == len(chart) == 3 for chart in charts), selector
    rows = "[...document.querySelectorAll('svg.phases')].map(s => [...s.querySelectorAll('[data-lib=openssl]')].map(g => [...g.querySelectorAll(':scope > text')].map(t => t.textContent).join(' ')))"
    for chart in page.evaluate(rows):
        assert len(set(chart)) == len(chart) and all("OpenSSL 3." in label for label in chart)
    page.context.close()
