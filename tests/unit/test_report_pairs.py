# SPDX-License-Identifier: Apache-2.0
"""Pairs of a published page in a report: derived with the run, of one build on each target, told in every form, and absent where nothing was counted."""

from __future__ import annotations

import csv
import io
import json

import msgspec
from test_published_pages import run

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_pages import PublishedPage, load_page
from cipherstone.catalogue.suites import load_suite
from cipherstone.model.counts import Count, CountedTarget, Counting
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.pairs import lead, pairs_csv, pairs_section, pairs_table, tally_table
from cipherstone.report.export.json import export_json
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.derive import derive
from cipherstone.views.implied_cycles import counts_of_page

ROOT = data_root()
GHASH = "ghash/mac/bytes=8192"
M0, POWER = "cortex-m0plus", "ppc64le"
OWN, FAST = "bearssl@0.6+0.6+Os", "bearssl@0.6+0.6+O3"


def one(build: str, implementation: str, instructions: int, target: str = M0) -> Count:
    """On the page GHASH on the M0+ is done at 50.49 kB/s by ctmul, 152.68 by ctmul32, 68.62 by ctmul64."""
    classes = {"load": 20, "store": 10, "branch": 5, "multiply": 40, "divide": 0}
    return Count(
        target=target,
        case=GHASH,
        lane=f"{build}:ghash_{implementation}",
        outcome=Counting.COUNTED,
        instructions=instructions,
        classes=classes,
    )


COUNTS = (one(OWN, "ctmul", 300), one(OWN, "ctmul32", 100), one(OWN, "ctmul64", 310))


def counted(*counts: Count, timed: bool = True) -> RunSummary:
    """The run beside the page with these counts."""
    made = run()
    targets = dict.fromkeys(count.target for count in counts)
    told = tuple(CountedTarget(name, OWN, library="BearSSL") for name in (*targets, "aarch64"))
    settings = msgspec.structs.replace(made.manifest.settings, timed=timed)
    case = msgspec.structs.replace(
        made.cases[0], case=GHASH, operation="ghash/mac", cells=(), ranking=(), to_best=(), to_base=(), counts=counts
    )
    plan = msgspec.structs.replace(made.manifest, settings=settings)
    return derive(msgspec.structs.replace(made, manifest=plan, cases=(*made.cases, case), counted=told), ROOT, {})


def test_they_are_derived_with_the_run() -> None:
    """Of the platform that is a target, in the order of the page; another target of the run has no platform."""
    (found,) = counted(*COUNTS).pairs
    assert (found.id, found.target, found.build, len(found.pairs)) == ("m0+", M0, "bearssl@0.6+Os", 73)
    told = {(pair.faster, pair.slower): pair for pair in found.counted}
    assert len(told) == 3
    assert told["GHASH, ctmul32", "GHASH, ctmul"].near and told["GHASH, ctmul32", "GHASH, ctmul"].mixes is None
    (apart,) = found.disagreeing
    assert (apart.faster, apart.slower) == ("GHASH, ctmul64", "GHASH, ctmul")
    assert apart.mixes == ("10% accesses to memory, 2% branches, 13% multiplications",) * 2


def test_of_several_builds_the_pages_own_is_held_against_it() -> None:
    """Never the one of one build against the other of another."""
    (found,) = counted(one(FAST, "ctmul", 7), one(FAST, "pwr8", 3), *COUNTS).pairs
    assert found.build == "bearssl@0.6+Os" and found == counted(*COUNTS).pairs[0]
    (other,) = counted(one(FAST, "ctmul", 700), one(FAST, "ctmul32", 100), one("bearssl@0.6", "ctmul64", 5)).pairs
    assert other.build == "bearssl@0.6+O3" and [pair.counted for pair in other.counted] == [7.0]


def test_counts_of_a_page_are_of_one_build_on_each_target() -> None:
    counts = (one(FAST, "ctmul", 7), one(OWN, "ctmul", 8), one(FAST, "ctmul", 9, POWER))
    found = counts_of_page(page(), counts)
    assert {key: count.instructions for key, count in found.items()} == {
        (M0, GHASH, "ghash_ctmul"): 8,
        (POWER, GHASH, "ghash_ctmul"): 9,
    }


def page() -> PublishedPage:
    found = load_page(ROOT, load_suite(ROOT, "bearssl"))
    assert found is not None
    return found


def test_the_tally_and_the_list() -> None:
    power = (one(OWN, "ctmul", 100, POWER), one(OWN, "pwr8", 90, POWER))
    found = counted(*COUNTS, *power).pairs
    rows = [[it.text for it in row] for row in tally_table(found).rows]
    assert rows == [
        ["pwr8", "109", "1", "1", "0", "\u2013", POWER, "bearssl@0.6+Os"],
        ["m0+", "73", "3", "2", "1", rows[1][5], M0, "bearssl@0.6+Os"],
        ["all", "182", "4", "3", "1", "", "", ""],
    ]
    assert "Of 182 pairs 4 were counted: the same winner in 3, by the same factor within 20 % in 1." in lead(found)
    listed = {row[0].text: [it.text for it in row[1:]] for row in pairs_table(found[1]).rows}
    assert len(listed) == 73
    assert listed["GHASH: ctmul32 over ctmul"] == ["3.02x", "3.00x", "within 20 %"]
    assert listed["GHASH: ctmul32 over ctmul64"] == ["2.23x", "3.10x", "same winner"]
    assert listed["GHASH: ctmul64 over ctmul"] == ["1.36x", "0.97x", "the other wins"]
    assert listed["private: i15 over i31"] == ["2.17x", "\u2013", "no count"]


def test_every_form_of_the_report_has_them() -> None:
    for timed in (True, False):
        summary = counted(*COUNTS, timed=timed)
        html, marked = render_html(summary, (), ""), render_markdown(summary)
        assert 'id="pairs"' in html and 'href="#pairs"' in html and html.count('id="pairs-') == 2
        text = render_terminal(summary, 80, False)
        assert max(map(len, text.splitlines())) <= 80
        told = "Not so on m0+: GHASH, ctmul64 is 1.36 times as fast as GHASH, ctmul on the page, and takes 1.033 times"
        for form in (html, marked, text):
            assert "Do fewer instructions win on the published page?" in form
            assert told in " ".join(form.replace("\\", "").split())
        assert "GHASH: ctmul32 over ctmul<td" in html and "| GHASH: ctmul32 over ctmul | 3.02x |" in marked
        assert "<details><summary>All 73 pairs of m0+" in marked and "GHASH: ctmul32 over ctmul" not in text
        (exported,) = json.loads(export_json(summary))["pairs"]
        assert len(exported["pairs"]) == 73 and exported["target"] == M0


def test_the_data_of_all() -> None:
    found = counted(*COUNTS).pairs
    rows = list(csv.DictReader(io.StringIO(pairs_csv(found))))
    assert len(rows) == 73
    (apart,) = (row for row in rows if row["same_winner"] == "False")
    assert (apart["platform"], apart["faster"], apart["counted"], apart["near"]) == ("m0+", "GHASH, ctmul64", "0.96774", "False")  # fmt: skip
    assert next(row for row in rows if row["faster"] == "private, i15")["counted"] == ""


def test_a_run_without_counts_or_without_a_page_has_none() -> None:
    without = counted()
    assert without.pairs == () and pairs_section(RunView(without), "") is None
    assert 'id="pairs"' not in render_html(without, (), "") and "Do fewer" not in render_markdown(without)
    other = msgspec.structs.replace(counted(*COUNTS).manifest, suite="default")
    elsewhere = msgspec.structs.replace(counted(*COUNTS), manifest=other, pairs=())
    assert derive(elsewhere, ROOT, {}).pairs == ()
    assert counted(one("openssl@3.0", "ctmul", 5)).pairs == ()
