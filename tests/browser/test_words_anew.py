# SPDX-License-Identifier: Apache-2.0
"""Sentences that the page makes anew after a library is hidden, in a real browser, against those that Python makes of the run without it: ties, who is ahead, and by how much."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
import sample_summary as sample
from playwright.sync_api import Browser, Page
from test_views_passes import manifest, pass_record

from cipherstone.model.ids import Lane
from cipherstone.model.records import PassRecord
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.firstscreen import first_screen
from cipherstone.report.render.html import _answer_line, render_html
from cipherstone.views.run.pairs import case_pairs
from cipherstone.views.run.ranking import ranking, to_best
from cipherstone.views.run.summarise import summarise

# Of each case what every lane takes, and how much it moves from pass to pass.
LANES = ("alpha@1", "beta@1", "gamma@1", "delta@1")
CASES: dict[str, tuple[tuple[float, float], ...]] = {
    "sha-256/hash/bytes=8192": ((1000, 0.0), (1000, 0.0), (1000, 0.0), (1500, 0.0)),  # three alike
    "sha-1/hash/bytes=8192": ((1000, 0.0), (1003, 0.0), (1300, 0.01), (5000, 0.02)),  # apart, by less than counts
    "md5/hash/bytes=8192": ((1000, 0.0), (1008, 0.03), (1010, 0.03), (1011, 0.03)),  # none told from each other
    "sha-384/hash/bytes=8192": ((1000, 0.0), (1009, 0.004), (1009, 0.004), (1040, 0.001)),  # crossing the threshold
    "sha3-256/hash/bytes=8192": ((1000, 0.0), (1002, 0.0), (1004, 0.0), (1500, 0.0)),  # three within, and apart
    "sha3-512/hash/bytes=8192": ((1000, 0.0), (1002, 0.03), (1500, 0.0), (1600, 0.0)),  # a pair that is not told apart
    "sha-224/hash/bytes=8192": (
        (1000, 0.03),
        (1005, 0.0),
        (1020, 0.0),
        (1500, 0.0),
    ),  # told from each other, not from the first
    "x25519/derive": ((100_000, 0.0), (104_000, 0.001), (104_500, 0.001), (1_730_000, 0.004)),
    "sha-512/hash/bytes=8192": (
        (1000, 0.0),
        (1006, 0.0),
        (1012, 0.0),
        (1018, 0.0),
    ),  # a tie whose members are told apart
}


def synthetic() -> RunSummary:
    records: list[PassRecord] = []
    for case, costs in CASES.items():
        for number in range(9):
            moved = {
                lane: cost * (1 + width * ((number * (5 + place)) % 9 - 4) / 4)
                for place, (lane, (cost, width)) in enumerate(zip(LANES, costs, strict=True))
            }
            records.append(pass_record(case, number, {**moved, "alpha@1#2": moved["alpha@1"]}))
    return summarise(manifest(dict.fromkeys(CASES, (*LANES, "alpha@1#2"))), records)


def without(run: RunSummary, library: str) -> RunSummary:
    """The run as if the library had not been in it."""
    cases = []
    for case in run.cases:
        cells = tuple(cell for cell in case.cells if Lane.parse(cell.lane).library != library)
        pairs = case_pairs(case)
        groups = ranking(pairs, cells)
        cases.append(msgspec.structs.replace(case, cells=cells, ranking=groups, to_best=to_best(pairs, groups, cells)))
    return msgspec.structs.replace(run, cases=tuple(cases))


def due(run: RunSummary, hidden: str = "") -> dict[str, str]:
    """By case the line above its ranking."""
    view = RunView(run)
    told = {case.case: _answer_line(view, case) for case in view.headline}
    for here, shown in (
        ("the only one measured here", "the only one shown here"),
        ("no other library here", "no other library shown here"),
    ):
        told = {case: text.replace(here, shown) if hidden else text for case, text in told.items()}
    return told


def lines(page: Page) -> dict[str, str]:
    """The same, of the page."""
    ask = """[...document.querySelectorAll('#rankings figure')].filter(f => f.querySelector('.answer')).map(f =>
        [f.querySelector('table').dataset.sort, f.querySelector('.answer').textContent])"""
    return {name: text.replace("\u00a0", " ").replace("\u202f", " ") for name, text in page.evaluate(ask)}


# What the first screen and the grid say, as a reader sees it, without what is hidden; of the page that is there, or of one made by Python.
FIRST = """() => ({
    verdict: document.getElementById('verdict').textContent,
    mean: document.getElementById('mean-of').textContent,
    board: [...document.querySelectorAll('table[data-sort=overall] tbody tr:not(.off)')].map(r => [...r.cells].map(c => c.textContent.trim())),
    bars: [...document.querySelectorAll('table[data-sort=overall] tbody tr:not(.off) .bar i')].map(i => Number(parseFloat(i.style.width).toPrecision(3))),
    grid: [...document.querySelectorAll('table.grid td.v:not(.off)')].map(c => [c.closest('tr').dataset.case, c.dataset.build, c.textContent.replace(/\\s+/g, ' ').trim(), c.title].join(' | ')).sort(),
    cards: [...document.querySelectorAll('.card')].map(c => ['.winner', '.rate', '.by'].map(k => (c.querySelector(k) || {textContent: ''}).textContent.replace(/\\s+/g, ' ').trim()).join(' | ')),
})"""


@pytest.fixture(scope="module", params=["synthetic", "sample"])
def opened(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RunSummary, Page]]:
    run = synthetic() if request.param == "synthetic" else without(sample.sample_run(), "")  # ranked by its own ratios
    path = tmp_path_factory.mktemp("words") / "report.html"
    path.write_text(render_html(run, sample.CARDS if request.param == "sample" else (), ""), encoding="utf-8")
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(path.as_uri())
    page.locator("#base").wait_for(state="attached")
    yield run, page
    page.context.close()


def anchor(case: str) -> str:
    return "rank-" + "".join(c if c.isalnum() else "-" for c in case)


def test_the_page_says_what_python_says(opened: tuple[RunSummary, Page]) -> None:
    """With nothing hidden (a base is chosen, so that all is made anew), and with each library hidden in its turn."""
    run, page = opened
    builds = page.locator("#base option").evaluate_all("all => all.map(one => one.value).filter(Boolean)")
    page.select_option("#base", builds[-1])
    expected = {anchor(case): text for case, text in due(run).items()}
    assert lines(page) == expected
    page.select_option("#base", "")
    assert lines(page) == expected
    for library in dict.fromkeys(
        Lane.parse(lane).library for case in run.cases for lane in (c.lane for c in case.cells)
    ):
        page.uncheck(f"#tools input[value={library}]")
        told = lines(page)
        for case, text in due(without(run, library), library).items():
            if not text.startswith("No figure"):
                assert told[anchor(case)] == text, library
        page.check(f"#tools input[value={library}]")
    assert lines(page) == expected


def test_first_screen_and_grid_say_what_python_says(opened: tuple[RunSummary, Page], browser: Browser) -> None:
    """Verdict, scoreboard, cards and every cell of the grid, with each library hidden, against the page that Python makes of the run without it."""
    run, page = opened
    whole = page.evaluate(FIRST)
    cards = sample.CARDS if "bearssl@0.6" in RunView(run).columns else ()
    libraries = page.locator("#tools input[type=checkbox]").evaluate_all("ticks => ticks.map(t => t.value)")
    for library in libraries:
        less = without(run, library)
        builds = tuple(b for b in run.manifest.builds if b.library != library)
        less = msgspec.structs.replace(less, manifest=msgspec.structs.replace(run.manifest, builds=builds))
        screen = first_screen(RunView(less))
        page.uncheck(f"#tools input[value={library}]")
        shown = page.evaluate(FIRST)
        page.check(f"#tools input[value={library}]")
        other = browser.new_page()
        other.set_content(render_html(less, cards, ""))
        made = other.evaluate(FIRST)
        other.close()
        assert made["verdict"] == screen["verdict"]
        for kind in ("verdict", "mean", "board", "bars", "grid"):
            assert shown[kind] == made[kind], (library, kind)
        for here, there in (("the only one measured here", "the only one shown here"), ("no other library here", "no other library shown here")):  # fmt: skip
            made["cards"] = [text.replace(here, there) for text in made["cards"]]
        if cards:
            assert shown["cards"] == made["cards"], library
    assert page.evaluate(FIRST) == whole


def test_the_ties_that_are_tried_are_all_kinds() -> None:
    """So that the test above says something: every sentence of a tie is made by some case, or by one without a library."""
    run = synthetic()
    texts = " ".join(
        text
        for hidden in ("", *(lane.partition("@")[0] for lane in LANES))
        for text in due(without(run, hidden)).values()
    )
    for words in (
        "as fast as each other, to within",
        "all equally fast, to within",
        "of each other: the second takes",
        "all within",
        "cannot be told apart here",
        "times as long as",
        "though some differ from each other",
        "times faster than",
        "% faster than",
        "not shown to differ by more than",
    ):
        assert words in texts, words
