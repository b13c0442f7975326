# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: no network, no errors, a phone's width, dark, without script, filters that survive a reload."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import legibility
import msgspec
import pytest
import sample_full
import sample_summary as sample
from playwright.sync_api import Browser, Page

from cipherstone.cli.lab_discovery import rooms
from cipherstone.model.counts import Count, CountedTarget, Counting
from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary
from cipherstone.model.units import format_time
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.html import render_html
from cipherstone.views.run.leaders import Standing, standing_of


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_html(sample.sample_run(), sample.CARDS, sample.REPRODUCE), encoding="utf-8")
    return path.as_uri()


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
    page.evaluate(legibility.UNFOLD)
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
            return !home || !svg.getAttribute('aria-label') || !home.querySelector('.twin table, .twin dl') || !home.querySelector('a[download][href^="data:"], a[data-rows][href$="-data"]');
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
    libraries = page.locator("table.grid thead th").evaluate_all("heads => heads.map(h => h.dataset.lib)")
    column = libraries.index("mbedtls")
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
    page.locator("#overview").get_by_role("button", name="Copy as Markdown").first.click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("| operation |")
    context.close()


def test_is_small_and_short_at_full_size(browser: Browser, tmp_path: Path) -> None:
    """Limits of a full default run with memory, first calls and roofline: 2 MB, and 15,000 px at a width of 1280 before anything is unfolded."""
    run = sample_full.full_run()
    assert len(run.cases) >= 80 and sum(len(case.cells) for case in run.cases) > 800
    assert all(c.memory and c.first for case in run.cases for c in case.cells if c.ns and not Lane.parse(c.lane).twin)
    text = render_html(run, run.cards, "x", rooms())
    assert len(text.encode()) < 2_000_000
    path = tmp_path / "large.html"
    path.write_text(text, encoding="utf-8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") < 15_000
    assert page.evaluate("[...document.querySelectorAll('details[open]')].length") == 0
    page.evaluate("window.scrollTo(0, 4000)")
    contents = page.locator("nav.contents").bounding_box()
    assert contents is not None and abs(contents["y"]) < 2
    page.evaluate(legibility.UNFOLD)
    page.evaluate("window.scrollTo(0, 0)")  # what lies behind the heads of the grid does not count
    for what in ("texts that overlap", "wider than its container", "cut text"):
        assert page.evaluate(legibility.EVERYTHING[what]) == [], what
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


def test_the_mark_of_the_fewest_instructions_moves(browser: Browser, tmp_path: Path) -> None:
    """By the exact count, which sorting rounds; one alone is no best, and what is shown again has its mark again."""
    case, *others = (run := sample.sample_run()).cases
    counted = {
        "m4": {"bearssl@0.6": 10_000_001, "botan@2.19.3": 10_000_002, "nettle@3.8.1": 30_000_000},
        "m0": {"bearssl@0.6": 5, "botan@2.19.3": None, "nettle@3.8.1": 7},
    }
    counts = tuple(
        Count(target=target, case=case.case, lane=lane, outcome=Counting.COUNTED if n else Counting.VARIES, instructions=n)
        for target, lanes in counted.items()
        for lane, n in lanes.items()
    )  # fmt: skip
    cases = (msgspec.structs.replace(case, counts=counts), *others)
    told = tuple(CountedTarget(target, "bearssl@0.6", library="BearSSL") for target in counted)
    path = tmp_path / "report.html"
    path.write_text(render_html(msgspec.structs.replace(run, cases=cases, counted=told), (), ""), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())

    def column(number: int) -> list[str]:
        cells = page.locator(f"#counts figure tbody tr:not(.off) td:nth-child({number})")
        return [text.strip() for text in cells.all_text_contents()[:3]]

    whole = (["best 10,000,001", "10,000,002", "30,000,000"], ["best 5", "varies", "7"])
    assert (column(2), column(3)) == whole
    page.uncheck("#tools input[value=bearssl]")
    assert column(2)[:2] == ["best 10,000,002", "30,000,000"]
    assert column(3)[:2] == ["varies", "7"]
    page.check("#tools input[value=bearssl]")
    assert (column(2), column(3)) == whole
    page.close()


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


def _lines(page: Page) -> list[str]:
    drawn = (
        "[...document.querySelectorAll('#sizes-aes-128-gcm-seal svg [data-lane]:not(.off)')].map(g => g.dataset.lib)"
    )
    return list(page.evaluate(drawn))


def _drawn(page: Page, library: str) -> list[float]:
    """Middle heights of the marks of a library's line over the sizes, in the chart of AES-128-GCM."""
    ask = "library => [...document.querySelectorAll(`#sizes-aes-128-gcm-seal svg [data-lib=${library}] use`)].map(u => Number(u.getAttribute('y')))"
    return [float(y) for y in page.evaluate(ask, library)]


def test_size_charts_follow(page: Page) -> None:
    """Hidden lines and what is said of them go; against a base the line of the base is flat at 1 and costs lie above it; a chosen size is marked."""
    page.evaluate(legibility.UNFOLD)
    figure = page.locator("#sizes-aes-128-gcm-seal")
    before = figure.locator("svg.chart").inner_html()
    page.locator("#base").wait_for()
    assert "Libgcrypt from 5900 B up" in figure.inner_text()
    page.uncheck("#tools input[value=libgcrypt]")
    assert "libgcrypt" not in _lines(page) and "openssl" in _lines(page)
    assert not figure.get_by_text("Libgcrypt from 5900 B up").is_visible()
    told = figure.locator(".notes li:visible").all_inner_texts()
    assert told and not [note for note in told if "Libgcrypt" in note]
    page.check("#tools input[value=libgcrypt]")
    page.select_option("#base", "openssl@3.0.19")
    assert "cost against OpenSSL (down is better)" in (figure.locator("svg.chart").text_content() or "")
    (flat,) = set(_drawn(page, "openssl"))
    view = RunView(sample.sample_run())
    for library in ("libgcrypt", "nettle"):
        marks = _drawn(page, library)
        for case, y in zip(view.sizes_of("aes-128-gcm/seal"), marks, strict=True):
            costs = {Lane.parse(c.lane).library: c.ns.value for c in case.cells if c.ns is not None}
            if abs(costs[library] / costs["openssl"] - 1) > 0.02:
                assert (y < flat) == (costs[library] > costs["openssl"]), case.case
    page.select_option("#base", "")
    page.select_option("#size", "1 KiB")
    assert figure.locator("svg.chart .chosen").count() == 1
    page.select_option("#size", "")
    assert figure.locator("svg.chart").inner_html() == before


def test_first_calls_follow(page: Page) -> None:
    """Bars of what is hidden go; a base is written at the ends; another size brings its own figures into the bars and the table, out of the CSV of all cells."""
    page.evaluate(legibility.UNFOLD)
    figure = page.locator("#first-sha-256-hash-bytes-16384")
    page.locator("#base").wait_for()
    before, whole = figure.locator("svg.chart").inner_html(), figure.locator("svg.chart").bounding_box()
    page.uncheck("#tools input[value=openssl]")
    figure.locator("svg.chart [data-lib=openssl].off").wait_for(state="attached")
    less = figure.locator("svg.chart").bounding_box()
    assert whole is not None and less is not None and less["height"] < whole["height"]
    page.check("#tools input[value=openssl]")
    page.select_option("#base", "nettle@3.8.1")
    figure.locator("svg.chart text", has_text=", base").wait_for()
    assert figure.locator("svg.chart text", has_text=" x").count() == len(sample.VERSIONS) - 1
    page.select_option("#base", "")
    page.select_option("#size", "64 B")
    figure.get_by_text("What does a single SHA-256, 64 B cost").wait_for()
    view = RunView(sample.sample_run())
    case = view.cases["sha-256/hash/bytes=64"]
    for cell in case.cells:
        if cell.first is not None:
            row = figure.locator(f'tr[data-key="{cell.lane}"]')
            assert row.locator("td").nth(5).inner_text() == format_time(cell.first.call.value, 3)
            assert figure.locator(f'svg [data-lane="{cell.lane}"]:not(.off) :is(rect, circle)').count() == 2
    page.select_option("#size", "")
    assert figure.locator("svg.chart").inner_html() == before
    assert "16 KiB" in figure.locator("h3").inner_text()


def test_no_match_says_so(page: Page) -> None:
    page.fill("#filter", "nonesuch")
    assert "No operation here matches" in page.locator("#nothing").inner_text()
    page.fill("#filter", "")
    assert page.locator("#nothing").is_hidden()
    for name in sample.VERSIONS:
        page.uncheck(f"#tools input[value={name}]")
    assert "Every library is hidden" in page.locator("#nothing").inner_text()


def test_data_of_one_figure_is_cut_out_of_all(page: Page) -> None:
    page.evaluate(legibility.UNFOLD)
    with page.expect_download() as download:
        page.locator("#rank-x25519-derive a[data-rows]").click()
    text = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert (
        text[0].startswith("case,bytes,lane")
        and len(text) > 3
        and all(line.startswith("x25519/derive,") for line in text[1:])
    )


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
