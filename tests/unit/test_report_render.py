# SPDX-License-Identifier: Apache-2.0
"""HTML, Markdown and terminal: nothing blank, nothing zero that was not measured, nothing that a library says is trusted."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from cipherstone.model.deviations import Deviation, deviation_words, outcome_with
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import KnownAdvisory
from cipherstone.model.summary import CaseSummary, CellSummary, RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.tables import cells_csv, markdown_table
from cipherstone.report.charts.palette import LIBRARY_COLOURS, SHAPES, library_colour, library_shape
from cipherstone.report.charts.vega_lite import ratio_ticks
from cipherstone.report.export.json import export_json
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.report.words.numbers import levels_text
from cipherstone.report.words.sentences import TRUST

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))
import sample_summary as sample

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \"'&| `x` \x1b[31m\nsecond line"


@cache
def page(detail: str = "") -> str:
    return render_html(sample.sample_run(detail), sample.CARDS, sample.REPRODUCE)


class _Walk(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self.open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "td":
            self.cells.append("")
            self.open = True

    def handle_endtag(self, tag: str) -> None:
        self.open = self.open and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.open:
            self.cells[-1] += data


def _walk(text: str) -> _Walk:
    walk = _Walk()
    walk.feed(text)
    return walk


def test_one_file_without_network() -> None:
    for tag, attributes in _walk(page()).tags:
        for name in ("src", "href", "action", "data"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, value)
    assert "@import" not in page()
    assert "url(" not in page()


def test_no_cell_of_any_table_is_blank() -> None:
    cells = _walk(page()).cells
    assert len(cells) > 500
    assert all(text.strip() for text in cells)


def test_without_figure_is_a_word_not_a_number() -> None:
    grid = page().split('<table class="grid"')[1].split("</table>")[0]
    found = dict.fromkeys(re.findall(r'<td class="no ([a-z-]+)"', grid))
    assert set(found) == {"unsupported", "wrong", "crashed", "timed-out", "contended"}
    for match in re.finditer(r'<td class="no ([a-z-]+)"[^>]*>(.*?)</td>', grid, re.S):
        text = re.sub("<[^>]*>", "", match[2])
        assert match[1].replace("-", " ") in text
        assert not re.search(r"\d", text)


LAX = Deviation(
    Outcome.LAX, "unreduced-scalar", "accepts <S + L>", "It can be fooled.", "RFC 8032 section 5.1.7.", ("verify-63", "verify-85")
)  # fmt: skip
STRICT = Deviation(Outcome.STRICT, "point-duplication", "refuses a doubling", "It refuses.", "SEC 1.", ("verify-204",))


def deviating_run() -> RunSummary:
    """The sample, with a winner (libsodium) that is lax and another library that is strict at one operation."""
    run = sample.sample_run()

    def changed(cell: CellSummary) -> CellSummary:
        found = {"libsodium": (LAX,), "nettle": (STRICT,)}.get(Lane.parse(cell.lane).library, ())
        outcome = outcome_with(found)
        return msgspec.structs.replace(cell, outcome=outcome, deviations=found, detail=deviation_words(found))

    cases = tuple(
        msgspec.structs.replace(case, cells=tuple(changed(c) if c.outcome.timed else c for c in case.cells))
        if case.operation == "ed25519/verify"
        else case
        for case in run.cases
    )
    return msgspec.structs.replace(run, cases=cases)


CARD = (("Verify", "ed25519/verify"),)


def test_a_lax_lane_without_a_figure_says_both() -> None:
    """Contended, so that it has no time and no rank: its mark stands in the table, and the reason below."""
    run = deviating_run()
    why = "contended: 3 of 766 batches undisturbed, 16 needed"

    def busy(cell: CellSummary) -> CellSummary:
        return msgspec.structs.replace(cell, ns=None, refused=why) if cell.deviations else cell

    def hit(case: CaseSummary) -> CaseSummary:
        if case.operation != "ed25519/verify":
            return case
        out = {cell.lane for cell in case.cells if cell.deviations}
        groups = tuple(left for group in case.ranking if (left := tuple(lane for lane in group if lane not in out)))
        return msgspec.structs.replace(
            case, cells=tuple(map(busy, case.cells)), ranking=groups, to_best=(), end=CaseEnd.CONTENDED
        )

    text = render_terminal(msgspec.structs.replace(run, cases=tuple(map(hit, run.cases))), 120, False)
    below = " ".join(text.split("Without a figure")[1].split())
    assert f"libsodium (lax), Ed25519 verify: {why}" in below or f"(strict), Ed25519 verify: {why}" in below
    (row,) = [line for line in text.splitlines() if line.startswith("Ed25519 verify ")]
    assert "busy\u2020" in row


def test_a_lax_winner_is_named_on_the_first_screen_in_words() -> None:
    run = deviating_run()
    page = render_html(run, CARD, "x")
    card = page.split('<section class="cards')[1].split("</section>")[0]
    assert "libsodium is lax: it accepts &lt;S + L&gt;" in card
    assert "strict" not in card  # not the winner
    assert "libsodium is lax: it accepts <S + L>" in " ".join(render_terminal(run, 100, False, CARD).split())
    assert "libsodium is lax: it accepts" in render_markdown(run, CARD)
    assert "is lax" not in render_html(sample.sample_run(), CARD, "x")


def test_marks_are_explained_without_hover() -> None:
    page = render_html(deviating_run(), CARD, "x")
    text = re.sub(r"<[^>]*>", " ", page)  # what stands there, attributes left out
    grid = page.split('<table class="grid"')[1].split("</table>")[0]
    assert re.search(r'<span class="tag">best, lax \u2020</span>', grid) and "strict \u2021</span>" in grid
    below = page.split('<ul class="notes deviations">')[1].split("</ul>")[0]
    for part in ("\u2020 lax, Ed25519 verify", "verify-63, verify-85", "It can be fooled.", "RFC 8032", "verify-204"):
        assert part in below, part
    assert text.count("It can be fooled.") >= 3  # under the grid, under the ranking, on the cell's page
    assert "libsodium \u2020" in page.split('id="rank-ed25519-verify"')[1].split("</figure>")[0]
    assert "lax: unreduced-scalar" in text
    assert 'class="notes deviations"' not in render_html(sample.sample_run(), CARD, "x")


def test_marks_of_terminal_markdown_and_data() -> None:
    run = deviating_run()
    terminal = render_terminal(run, 140, False)
    row = next(line for line in terminal.splitlines() if line.startswith("Ed25519 verify"))
    assert "\u2020" in row and "\u2021" in row
    flat = " ".join(terminal.split())
    assert "\u2020 lax: it accepts what its standard forbids" in flat and "verify-63, verify-85" in flat
    markdown = render_markdown(run)
    assert "libsodium\u2020" in markdown and "Nettle\u2021" in markdown
    assert "- \u2020 lax, Ed25519 verify: accepts \\<S + L\\>: libsodium (verify-63, verify-85)." in markdown
    rows = list(csv.DictReader(io.StringIO(cells_csv(RunView(run), ((c, x) for c in run.cases for x in c.cells)))))
    lax = [row for row in rows if row["outcome"] == "lax"]
    assert [row["library"] for row in lax] == ["libsodium"] and "verify-63 and 1 more" in lax[0]["reason"]
    assert float(lax[0]["ns_per_call"]) > 0


def test_hostile_text_stays_text() -> None:
    walk = _walk(page(HOSTILE))
    assert [a for t, a in walk.tags if t == "img"] == []
    assert sum(t == "script" for t, _ in walk.tags) == 1
    assert all(not name.startswith("on") for _, a in walk.tags for name in a)
    assert "&lt;script&gt;alert(1)" in page(HOSTILE)


def test_hostile_titles_stay_text_in_charts() -> None:
    run = sample.sample_run()
    builds = tuple(msgspec.structs.replace(b, title=f"{b.title}<script>x</script>") for b in run.manifest.builds)
    text = render_html(
        msgspec.structs.replace(run, manifest=msgspec.structs.replace(run.manifest, builds=builds)), (), ""
    )
    assert sum(t == "script" for t, _ in _walk(text).tags) == 1
    assert "<svg" in text  # fmt: skip


def test_script_is_the_one_that_the_policy_names() -> None:
    import base64
    import hashlib

    script = page().split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in page()


def test_charts_have_no_fixed_colour_and_a_name() -> None:
    charts = re.findall(r'<svg [^>]*class="chart.*?</svg>', page(), re.S)
    assert len(charts) > 40
    for chart in charts:
        assert re.search(r'aria-label="[^"]+\?', chart) or "BearSSL:" in chart

        bare = re.sub(r"var\([^)]*\)", "", chart)
        assert not re.search(r'(?:fill|stroke)="#', bare)


def test_data_links_are_csv_of_the_run() -> None:
    href = re.search(r'download="cells.csv.gz" href="data:application/gzip;base64,([^"]*)"', page())
    assert href
    rows = list(csv.DictReader(io.StringIO(gzip.decompress(base64.b64decode(href[1])).decode())))
    run = sample.sample_run()
    assert len(rows) == sum(len(c.cells) for c in run.cases)
    bad = [r for r in rows if r["outcome"] == "wrong"]
    assert bad and all(r["ns_per_call"] == "" and r["reason"] for r in bad)
    good = next(r for r in rows if r["outcome"] == "ok")
    assert float(good["ns_low"]) <= float(good["ns_per_call"]) <= float(good["ns_high"])
    assert len(good["pass_ns"].split()) == sample.PASSES
    case, library = sample.TWO_SPEEDS
    (two,) = [r for r in rows if r["faster_ns"]]
    assert (two["case"], two["library"]) == (case, library)
    assert float(two["slower_ns"]) == pytest.approx(float(two["faster_ns"]) * 1.09)
    assert (two["faster_share"], two["slower_share"]) == ("0.58", "0.42")


def test_large_run_is_drawn_in_part_and_says_so() -> None:
    run = sample.sample_run(copies=8)
    text = render_html(run, sample.CARDS, sample.REPRODUCE)
    assert (
        f"This run is large: the first 20 charts are drawn, {sum(bool(c.ranking) for c in run.cases) - 20} more are shown as tables only."
        in text
    )
    packed = re.search(r'id="pages" data-packed="data:application/gzip;base64,([^"]*)"', text)
    assert packed, "what is folded is unpacked where it is opened"
    folded = "".join(json.loads(gzip.decompress(base64.b64decode(packed[1]))))
    assert folded.count('class="chart family"') == len({c.family for c in run.cases}), "one drawing a family"
    assert folded.count('class="cell"') == sum(len(c.cells) for c in run.cases)


def test_empty_and_interrupted_run() -> None:
    run = sample.sample_run()
    bare = msgspec.structs.replace(
        run,
        cases=(),
        fits=(),
        crossovers=(),
        warnings=(),
        manifest=msgspec.structs.replace(run.manifest, status="interrupted"),
    )
    assert "it was interrupted" in render_html(bare, sample.CARDS, "x")
    assert "noise:" in render_terminal(bare, 80, False)
    assert "Noise:" in render_markdown(bare)  # fmt: skip


def test_markdown_twin() -> None:
    text = render_markdown(sample.sample_run(), sample.CARDS, sample.REPRODUCE)
    for part in (
        "**indicative**",
        "| Hash a file | Libgcrypt |",
        "| = 1.00 |",
        "wrong",
        "unsupported",
        "crashed",
        "Noise: 13 % of batches were disturbed and not used, 312 of 320 passes complete",
        sample.REPRODUCE,
    ):
        assert part in text
    assert "|  |" not in text
    widths = {
        line.count("|") - line.count("\\|") for line in text.splitlines() if line.startswith("| SHA-256, 16 KiB | 9")
    }
    assert widths == {9}  # fmt: skip


def test_markdown_escapes() -> None:
    table = markdown_table(("a", "b"), [("x|y", "<script>\n`z`")])
    assert table.splitlines()[2] == "| x\\|y | \\<script\\> \\`z\\` |"


@pytest.mark.parametrize("width", [60, 80, 100, 132])
def test_terminal_fits(width: int) -> None:
    text = render_terminal(sample.sample_run(), width, False, sample.CARDS)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    words = " ".join(text.split())
    assert "noise: 13 % of batches were disturbed and not used, 312 of 320 passes complete" in words
    for part in (
        "indicative:",
        "WRONG",
        "n/a",
        "busy",
        "crash",
        "hung",
        "=1.00",
        "Implementations inside BearSSL",
    ):
        assert part in text, part  # fmt: skip


def test_a_lane_of_two_speeds_is_marked_wherever_its_figure_stands() -> None:
    """With both speeds and their shares beside it; nothing is marked that has one."""
    run = sample.sample_run()
    case, library = sample.TWO_SPEEDS
    cell = next(c for k in run.cases if k.case == case for c in k.cells if c.lane.startswith(library))
    told = levels_text(cell.levels)
    assert re.fullmatch(r"\S+ .s for 58% of its batches, \S+ .s for 42%", told)
    text = " ".join(render_terminal(run, 100, False, sample.CARDS).split())
    assert f"Botan, ChaCha20-Poly1305 seal, 16 KiB: {told}" in text and "At two speeds" in text
    assert text.count("\u00b2") == 2  # in the table, and where it is explained
    markdown = render_markdown(run, sample.CARDS, sample.REPRODUCE)
    assert markdown.count("(two speeds)") == 1 and f"ChaCha20-Poly1305 seal, 16 KiB: {told}" in markdown
    grid = page().split('<table class="grid"')[1].split("</table>")[0]
    (found,) = [m[0] for m in re.finditer(r"<td class=\"v[^>]*>.*?</td>", grid, re.S) if "two speeds" in m[0]]
    assert 'data-lib="botan"' in found and f"at two speeds: {told}" in found
    steady = tuple(
        msgspec.structs.replace(k, cells=tuple(msgspec.structs.replace(c, levels=(), flags=()) for c in k.cells))
        for k in run.cases
    )
    plain = msgspec.structs.replace(run, cases=steady)
    for shown in (render_terminal(plain, 100, False), render_markdown(plain), render_html(plain, (), "x")):
        assert "two speeds" not in shown and "\u00b2" not in shown


def test_a_cell_says_both_speeds_on_its_own_page() -> None:
    case, library = sample.TWO_SPEEDS
    anchor = page().split('id="cell-chacha20-poly1305-seal-bytes-16384--botan')[1].split("</details>")[0]
    assert "for 58% of its batches" in anchor and f"<dd>{library}@" in anchor and case in page()
    assert "it runs at two speeds; both are given" in re.sub(r"\s+", " ", anchor)


@pytest.mark.parametrize("trust", ["publishable", "indicative", "contended", "empty"])
def test_every_trust_word_is_explained(trust: str) -> None:
    run = sample.sample_run(trust=trust)
    assert f'<span class="trust {trust}">{trust}</span>' in render_html(run, (), "x")
    terminal = " ".join(render_terminal(run, 80, False).split())
    assert f"{trust}: 2 of 40 cases are not settled" in terminal and TRUST[trust] in terminal
    assert f"**{trust}**" in render_markdown(run)


def test_the_noise_panel_says_where_and_how_long() -> None:
    panel = re.sub("<[^>]*>", " ", page().split('id="noise"')[1].split("</section>")[0])
    words = " ".join(panel.split())
    for part in ("batches disturbed 13 %", "passes complete 312 of 320", "waited for a free core 1.25 s", "measured on CPU 1, 0"):  # fmt: skip
        assert part in words, part
    run = sample.sample_run()
    noise = msgspec.structs.replace(run.noise, disturbed_ratio=None, waited_s=0.0, cpus=())
    quiet = render_html(msgspec.structs.replace(run, noise=noise), (), "x").split('id="noise"')[1]
    words = " ".join(re.sub("<[^>]*>", " ", quiet).split())
    for part in (
        "batches disturbed this machine cannot tell",
        "waited for a free core no",
        "measured on CPU not pinned",
    ):
        assert part in words, part


def test_terminal_keeps_hostile_codes_out() -> None:
    run = sample.sample_run(HOSTILE)
    assert "\x1b" not in render_terminal(run, 80, False, sample.CARDS)
    coloured = render_terminal(run, 80, True, sample.CARDS)
    assert "\x1b[31malert" not in coloured and "\x1b[1;33mindicative\x1b[0m" in coloured
    plain = re.sub("\x1b\\[[0-9;]*m", "", coloured)
    assert plain == render_terminal(run, 80, False, sample.CARDS)


def test_what_a_library_is_stands_with_its_build_folded() -> None:
    """Advisories with their day, lines of code; in the Markdown twin folded too; a build of which nothing is listed is not said to be safe."""
    run = sample.sample_run()
    known = KnownAdvisory("CVE-2024-0001", "2024-05-01", "It leaks.", ("ecdsa-*/sign",), "a <page>")
    first, *others = run.manifest.builds
    told = msgspec.structs.replace(first, advisories=(known,), advisories_as_of="2025-12-31", lines={"C": 112_345})
    manifest = msgspec.structs.replace(run.manifest, builds=(told, *others))
    run = msgspec.structs.replace(run, manifest=manifest)
    html = render_html(run, sample.CARDS, sample.REPRODUCE)
    section = html.split('<section id="builds">')[1].split("</section>")[0]
    assert "known advisories that touch what is measured here, as of 2025-12-31" in section
    assert "CVE-2024-0001 (2024-05-01): It leaks (a &lt;page&gt;)." in section and "112 000" in section
    markdown = render_markdown(run, sample.CARDS, sample.REPRODUCE)
    folded = markdown.split("<details><summary>Known advisories")[1].split("</details>")[0]
    assert "as of 2025-12-31" in folded and "CVE-2024-0001" in folded
    assert '"advisories_as_of": "2025-12-31"' in export_json(run) and '"C": 112345' in export_json(run)
    plain = page() + render_markdown(sample.sample_run(), sample.CARDS, sample.REPRODUCE)
    assert "advisor" not in plain and "vulnerab" not in plain


def test_terminal_never_shows_zero_for_missing() -> None:
    text = render_terminal(sample.sample_run(), 80, False)
    table = text.split("Cost relative to the best")[1].split("Implementations inside")[0]
    assert not re.search(r"(?<![\d.])0(\.0+)?(?![\d.])", table)


def test_colour_and_shape_of_a_library_never_repeat_together() -> None:
    pairs = {(library_colour(i), library_shape(i)) for i in range(len(LIBRARY_COLOURS) * len(SHAPES))}
    assert len(pairs) == len(LIBRARY_COLOURS) * len(SHAPES)


def test_ratio_axis_has_one_and_does_not_crowd() -> None:
    for high in (1.05, 1.5, 7.0, 90.0, 5000.0):
        ticks = ratio_ticks(0.98, high)
        assert ticks[0] == 1
        assert 2 <= len(ticks) <= 7
