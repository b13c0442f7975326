# SPDX-License-Identifier: Apache-2.0
"""What a reader with thirty seconds sees, by the boxes that the browser draws: verdict, scoreboard, chart and cards, the grid's heads, what is hidden, another base, another size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import legibility
import msgspec
import pytest
import sample_full
import sample_summary as sample
from playwright.sync_api import Browser, FloatRect, Locator, Page

from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.html import render_html

WIDTHS = (390, 1280, 1920)
DESKS = (1280, 1920)
THIN, EMPTY = "tiny@1.0", "hollow@2.0"
ROWS = "table.grid tr[data-case]:not(.off)"


def with_thin_builds(run: RunSummary) -> RunSummary:
    """The run with a library that has one slow figure, and one that has none."""
    like = next(b for b in run.manifest.builds if b.library == "openssl")
    more = tuple(msgspec.structs.replace(like, library=b.partition("@")[0], build=b.partition("@")[2], title=b.partition("@")[0].capitalize()) for b in (THIN, EMPTY))  # fmt: skip
    cases = list(run.cases)
    at, case = next((n, c) for n, c in enumerate(cases) if c in RunView(run).headline and c.ranking)
    cell = next(c for c in case.cells if c.lane == "openssl@3.0.19")
    ratio = next(r for r in case.to_best if r.lane == cell.lane)
    assert cell.ns is not None and ratio.ratio is not None
    cases[at] = msgspec.structs.replace(
        case,
        cells=(*case.cells, msgspec.structs.replace(cell, lane=THIN, ns=sample_full._scaled(cell.ns, 30.0), pass_ns=tuple(30 * ns for ns in cell.pass_ns))),
        ranking=(*case.ranking, (THIN,)),
        to_best=(*case.to_best, msgspec.structs.replace(ratio, lane=THIN, ratio=sample_full._scaled(ratio.ratio, 30.0))),
    )  # fmt: skip
    manifest = msgspec.structs.replace(run.manifest, builds=(*run.manifest.builds, *more))
    return msgspec.structs.replace(run, manifest=manifest, cases=tuple(cases))


@pytest.fixture(scope="module")
def run() -> RunSummary:
    return with_thin_builds(sample_full.full_run())


@pytest.fixture(scope="module")
def address(run: RunSummary, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("first") / "report.html"
    path.write_text(render_html(run, run.cards, sample.REPRODUCE), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest, address: str) -> Iterator[Page]:
    """At a width; 1280 px unless a test says another."""
    width = getattr(request, "param", 1280)
    context = browser.new_context(viewport={"width": width, "height": 900 if width > 500 else 844})
    opened = context.new_page()
    opened.goto(address)
    opened.locator("#base").wait_for(state="attached")
    yield opened
    context.close()


def box(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found is not None
    return found


def sound(page: Page) -> None:
    """Nothing overlaps, nothing is cut or wider than its container, and the page does not scroll sideways. Seen from the top: heads that stay in sight lie over other rows elsewhere."""
    page.evaluate("window.scrollTo(0, 0)")
    for what in ("texts that overlap", "wider than its container", "cut text", "text of too little contrast"):
        found = page.evaluate(legibility.EVERYTHING[what])
        if what == "cut text":  # words that only a screen reader reads
            found = [text for text in found if 'class="word"' not in text]
        assert found == [], what
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("page", WIDTHS, indirect=True)
def test_the_first_screen_decides(page: Page) -> None:
    """Verdict, scoreboard, chart and the first cards above the fold of a desk, without a click; the verdict and the scoreboard on a phone."""
    high = page.viewport_size["height"] if page.viewport_size else 0
    wide = page.viewport_size["width"] if page.viewport_size else 0
    seen = ["#verdict", *(f'table[data-sort="overall"] tbody tr:nth-child(5) td:nth-child({n})' for n in (1, 2, 3, 4))]
    if wide > 500:
        seen += ['table[data-sort="overall"]', "svg.spread", "#mean-of", ".card >> nth=0"]
    for selector in seen:
        one = box(page.locator(selector))
        assert one["y"] + one["height"] <= high and one["x"] + one["width"] <= wide, selector
    assert page.locator("svg.spread [data-lane]").count() == len(sample.VERSIONS) + 2
    sound(page)


@pytest.mark.parametrize("page", WIDTHS, indirect=True)
def test_the_scoreboard_is_sorted_and_its_bars_start_at_zero(page: Page) -> None:
    rows = page.locator('table[data-sort="overall"] tbody tr')
    told = rows.evaluate_all("rows => rows.map(r => [...r.cells].map(c => c.textContent.trim()))")
    order = [(-int(row[1]), -int(row[2])) for row in told]
    assert order == sorted(order) and order[0] < order[-1]
    whole = box(page.locator(".bar").first)
    of = int(told[0][4].split(" of ")[1])
    for number, row in enumerate(told):
        alone, ties = (box(rows.nth(number).locator(".bar i").nth(at)) for at in (0, 1))
        assert alone["x"] == pytest.approx(box(rows.nth(number).locator(".bar"))["x"], abs=0.6)
        assert alone["width"] == pytest.approx(whole["width"] * int(row[1]) / of, abs=0.6)
        assert ties["width"] == pytest.approx(whole["width"] * int(row[2]) / of, abs=0.6)
    assert told[0][0] in page.locator("#verdict").inner_text()


@pytest.mark.parametrize("page", WIDTHS, indirect=True)
def test_no_winner_is_off_the_screen(page: Page) -> None:
    """Columns stand in the order of the scoreboard, and each best cell lies within the window."""
    board = page.locator('table[data-sort="overall"] tbody tr').evaluate_all("rows => rows.map(r => r.dataset.key)")
    columns = page.locator("table.grid thead th").evaluate_all("heads => heads.map(h => h.dataset.build).filter(Boolean)")  # fmt: skip
    assert columns == board
    wide = page.viewport_size["width"] if page.viewport_size else 0
    edges = page.locator(f"{ROWS} td.best").evaluate_all("cells => cells.map(c => c.getBoundingClientRect()).map(b => [b.left, b.right])")  # fmt: skip
    assert len(edges) > 20 and all(left >= 0 and right <= wide for left, right in edges)


@pytest.mark.parametrize("page", WIDTHS, indirect=True)
def test_names_of_libraries_stay_in_sight(page: Page) -> None:
    """On a desk the heads stay below the contents while the rows scroll, and nothing lies over them; on a phone each cell has its name. The same with a banner."""
    for at in ("", "hide=nettle"):
        page.evaluate("(at) => { location.hash = at || '#' }", at)
        page.locator("#basis").wait_for(state="visible" if at else "hidden")
        page.evaluate("(row) => document.querySelectorAll(row)[22].scrollIntoView({ block: 'center' })", ROWS)
        page.wait_for_timeout(100)
        if page.viewport_size and page.viewport_size["width"] < 500:
            names = page.locator(ROWS).nth(22).locator("td:visible").evaluate_all("cells => cells.map(c => getComputedStyle(c, '::before').content)")  # fmt: skip
            assert all(len(name) > 3 for name in names)
            continue
        nav = box(page.locator("nav.contents"))
        below = nav["y"] + nav["height"]
        if at:
            banner = box(page.locator("#basis"))
            assert banner["y"] >= below - 1
            below = banner["y"] + banner["height"]
        heads = page.locator("table.grid thead th .lib:visible")
        assert heads.count() == len(sample.VERSIONS) - bool(at)
        for number in range(heads.count()):
            one = box(heads.nth(number))
            assert below - 1 <= one["y"] < 250
            middle = [one["x"] + one["width"] / 2, one["y"] + one["height"] / 2]
            assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('thead') !== null", middle)


def test_many_heads_stay_in_sight_too(browser: Browser, run: RunSummary) -> None:
    """Sixteen columns, whose names stand upright; and thirty, whose table scrolls inside a box of its own."""
    for columns in (16, 30):
        run = sample_full.wide_run(columns)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_content(render_html(run, (), ""))
        middle = "([selector, block]) => document.querySelectorAll(selector)[22].scrollIntoView({ block })"
        page.evaluate(middle, [ROWS, "center"])
        page.wait_for_timeout(100)
        row = box(page.locator(ROWS).nth(22))
        one = box(page.locator("table.grid thead th .lib").first)
        assert one["y"] > 30 and one["y"] + one["height"] < row["y"] < 900, columns
        page.close()


@pytest.mark.parametrize("page", DESKS, indirect=True)
def test_next_to_empty_columns_are_folded(page: Page) -> None:
    """One line below the grid names them and how much they have; a button shows them, and so does a base among them."""
    heads = page.locator("table.grid thead th")
    thin = [page.locator(f'table.grid thead th[data-build="{build}"]') for build in (THIN, EMPTY)]
    assert all(head.is_hidden() for head in thin)
    assert heads.locator("visible=true").count() == len(sample.VERSIONS) + 1
    line, grid = page.locator("#thin"), box(page.locator("table.grid"))
    assert "Hollow (none) and Tiny (1 operation)" in line.inner_text()
    assert 0 <= box(line)["y"] - (grid["y"] + grid["height"]) < 40
    assert "common to the 6 libraries" in page.locator("#mean-of").inner_text()
    page.select_option("#base", THIN)
    assert all(head.is_visible() for head in thin)
    page.reload()
    page.select_option("#base", "")
    line.get_by_role("button").click()
    assert all(head.is_visible() for head in thin) and line.get_by_role("button").count() == 0
    last = box(page.locator("table.grid thead th").last)
    assert page.viewport_size and 0 <= page.viewport_size["width"] - last["x"] - last["width"] < 60


def test_a_wide_window_is_used(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1920, "height": 1000})
    page.goto(address)
    for selector in ("table.grid thead th:visible", ".card"):
        ends = [one["x"] + one["width"] for one in map(box, page.locator(selector).all())]
        assert max(ends) > 1850, selector
    page.locator("#base").wait_for(state="attached")
    page.uncheck("#tools input[value=nettle]")
    last = box(page.locator("table.grid thead th:visible").last)
    assert last["x"] + last["width"] > 1850
    page.close()


@pytest.mark.parametrize("page", WIDTHS, indirect=True)
def test_what_is_hidden_is_said_above_the_fold(page: Page) -> None:
    """Of an address that another reader sent: who is hidden, and one click shows all again."""
    before = page.locator("main").inner_text()
    page.evaluate("location.hash = 'hide=libgcrypt'")
    banner = page.locator("#basis")
    banner.wait_for()
    assert "Hidden: Libgcrypt. Winners and figures are among the 8 libraries shown." in banner.inner_text()
    one, verdict = box(banner), box(page.locator("#verdict"))
    assert one["y"] + one["height"] < verdict["y"] + 1 < 600
    assert page.locator('table[data-sort="overall"] tbody tr:visible').count() == len(sample.VERSIONS) + 1
    assert page.locator(".card .winner svg.mark").count() >= page.locator(".card").count()
    sound(page)
    if page.viewport_size and page.viewport_size["width"] > 500:
        page.evaluate("window.scrollTo(0, 3000)")
        nav = box(page.locator("nav.contents"))
        assert box(banner)["y"] == pytest.approx(nav["y"] + nav["height"], abs=1.5)
    banner.get_by_role("button", name="Show everything").click()
    assert banner.is_hidden() and page.locator("main").inner_text() == before
    assert "hide" not in page.url


@pytest.mark.parametrize("page", WIDTHS, indirect=True)
def test_only_these_is_one_click(page: Page) -> None:
    button = page.get_by_role("button", name="Only these")
    assert button.is_disabled()
    for library in ("nettle", "openssl"):
        page.locator(f'table[data-sort="overall"] tr[data-lib="{library}"] .pick').check()
    button.click()
    assert page.locator('table[data-sort="overall"] tbody tr:visible').count() == 2
    shown = page.locator(f"{ROWS} >> nth=0").locator("td:visible").evaluate_all("cells => cells.map(c => c.dataset.lib)")  # fmt: skip
    assert set(shown) == {"nettle", "openssl"}
    assert "among the 2 libraries shown" in page.locator("#basis").inner_text()
    assert page.is_checked("#tools input[value=nettle]") and not page.is_checked("#tools input[value=botan]")
    sound(page)
    page.reload()
    assert page.locator('table[data-sort="overall"] tbody tr:visible').count() == 2


@pytest.mark.parametrize("page", WIDTHS, indirect=True)
def test_a_base_is_one_scale(page: Page) -> None:
    """Each row has ratios alone or none; less than the base, the base and more than it differ in colour; digits are those of the page without a base; words name the base."""
    texts = "rows => rows.map(r => [...r.querySelectorAll('td.v b')].map(b => b.textContent))"
    whole = "rows => rows.map(r => [r.dataset.case, [...r.querySelectorAll('td.v b')].map(b => b.textContent)])"
    ahead = page.locator(f"{ROWS} td[data-lib=openssl][title$='the others are compared with it']")
    first = ahead.evaluate_all("cells => cells.map(c => c.closest('tr').dataset.case)")
    before = dict(page.locator(ROWS).evaluate_all(whole))
    page.select_option("#base", "openssl@3.0.19")
    rows = page.locator(ROWS).evaluate_all(texts)
    assert not [text for row in rows for text in row if "/s" in text]
    kinds = [{text == "no ratio" for text in row} for row in rows]
    assert all(len(kind) < 2 for kind in kinds) and {True} in kinds
    after = dict(page.locator(ROWS).evaluate_all(whole))
    assert len(first) >= 2 and {case: after[case] for case in first} == {case: before[case] for case in first}
    cells = page.locator(f"{ROWS} td.v").evaluate_all("cells => cells.map(c => [Number(c.dataset.v), getComputedStyle(c).backgroundColor])")  # fmt: skip
    less, same, more = ({c for v, c in cells if test(v)} for test in (lambda v: 0 < v < 0.5, lambda v: v == 1, lambda v: v > 2))  # fmt: skip
    assert less and more and len(same) == 1 and not (less & more) and not (less & same) and not (more & same)
    assert page.locator("#grid-title").inner_text() == "How far is each library from OpenSSL?"
    assert page.locator("#scale").inner_text().strip().endswith("times OpenSSL")
    assert "Mean cost: geometric mean of the cost over OpenSSL" in page.locator("#mean-of").inner_text()
    assert page.locator(".board h3").inner_text() == "How far from OpenSSL, over all operations?"
    assert "cost over OpenSSL" in (page.locator("svg.spread").text_content() or "")
    assert "Base: costs are over OpenSSL, not over the best." in page.locator("#basis").inner_text()
    sound(page)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(legibility.EVERYTHING["text of too little contrast"]) == []


@pytest.mark.parametrize("page", WIDTHS, indirect=True)
def test_a_size_shows_that_size_alone(page: Page) -> None:
    sizes = page.locator("#size option").evaluate_all("all => all.map(o => o.value).filter(Boolean)")
    units = {"B": 1, "KiB": 1024, "MiB": 1024 * 1024}
    numbers = [float(size.split()[0]) * units[size.split()[1]] for size in sizes]
    assert numbers == sorted(numbers) and len(numbers) > 4
    whole = page.locator(f"{ROWS}:visible").count()
    page.select_option("#size", "64 B")
    names = page.locator(f"{ROWS}:visible th").all_inner_texts()
    sized = [name for name in names if name.endswith(tuple(units))]
    assert len(sized) > 3 and all(name.endswith(", 64 B") for name in sized)
    banner = page.locator("#basis").inner_text()
    assert f"{whole - len(names)} operations without this size are left out" in banner
    told = page.locator('table[data-sort="overall"] tbody tr:visible td:nth-child(5)').all_inner_texts()
    assert {text.split(" of ")[1] for text in told} == {str(len(names))}
    sound(page)
    page.select_option("#size", "")
    assert page.locator(f"{ROWS}:visible").count() == whole


def test_only_these_takes_builds(browser: Browser, tmp_path: Path) -> None:
    """One build of a library that has three: its column, its row and its marks stay, those of the other builds go; the address keeps it."""
    run = sample_full.with_builds(sample_full.full_run())
    path = tmp_path / "report.html"
    path.write_text(render_html(run, run.cards, sample.REPRODUCE), encoding="utf-8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(path.as_uri())
    page.locator("#base").wait_for(state="attached")
    board = page.locator('table[data-sort="overall"] tbody tr:visible')
    for build in ("openssl@3.6.0", "nettle@3.8.1"):
        page.locator(f'table[data-sort="overall"] tr[data-key="{build}"] .pick').check()
    page.get_by_role("button", name="Only these").click()

    def holds() -> None:
        assert sorted(board.evaluate_all("rows => rows.map(r => r.dataset.key)")) == ["nettle@3.8.1", "openssl@3.6.0"]
        heads = page.locator("table.grid thead th[data-build]:visible").evaluate_all("h => h.map(x => x.dataset.build)")
        assert sorted(heads) == ["nettle@3.8.1", "openssl@3.6.0"]
        told = page.locator("#basis").inner_text()
        assert "among the 2 builds shown" in told and "Hidden: " in told
        assert page.is_checked("#tools input[value=openssl]") and not page.is_checked("#tools input[value=botan]")
        winners = page.locator(f"{ROWS} td.best:visible").evaluate_all("cells => cells.map(c => c.dataset.build)")
        assert winners and set(winners) <= {"nettle@3.8.1", "openssl@3.6.0"}

    holds()
    page.reload()
    page.locator("#basis").wait_for()
    holds()
    # A library that is ticked again comes with all of its builds; those of another that are hidden stay so.
    page.locator("#tools input[value=botan]").check()
    assert sorted(board.evaluate_all("rows => rows.map(r => r.dataset.lib)")) == ["botan", "nettle", "openssl"]
    page.get_by_role("button", name="Show everything").click()
    assert board.count() == len({one.build for one in run.manifest.builds if one.library == "openssl"}) + 6
    page.context.close()
