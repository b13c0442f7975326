# SPDX-License-Identifier: Apache-2.0
"""Numbers and names that stand in two places of a report: they have one source, so they are the same."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from cipherstone.catalogue.paths import data_root
from cipherstone.labs.tls.words import LABORATORY, library_words
from cipherstone.model.records import PlannedCase
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import STEADINESS, RunView
from cipherstone.report.blocks.overall import overall_rows
from cipherstone.report.blocks.roofline import LEAD
from cipherstone.report.render.html import render_html
from cipherstone.report.words.numbers import LEAST_STACK_BYTES, stack_text
from cipherstone.views.roofline import TOLERANCE
from cipherstone.views.run.leaders import tied_builds

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))
import sample_full
import sample_summary as sample

RUN = sample.sample_run()


def planned_without_unsupported(run: RunSummary) -> RunSummary:
    """As a real run is planned: what a library does not offer is no cell of the plan, but one of the page."""
    plan = tuple(
        PlannedCase(case.case, tuple(c.lane for c in case.cells if c.outcome != "unsupported"), ())
        for case in run.cases
    )
    return msgspec.structs.replace(run, manifest=msgspec.structs.replace(run.manifest, plan=plan))


def test_the_page_counts_cells_as_the_plan_does() -> None:
    run = planned_without_unsupported(RUN)
    everything = sum(len(case.cells) for case in run.cases)
    text = render_html(run, (), "")
    planned, offered_by_none = run.manifest.planned_cells, everything - run.manifest.planned_cells
    assert planned < everything
    assert f"{len(run.cases)} cases, {planned} cells (and {offered_by_none} that a library does not offer)" in text
    whole = f"{len(run.cases)} cases, {everything} cells"
    assert f"{whole}, measured" in render_html(RUN, (), "")


def test_wins_and_ties_are_of_builds() -> None:
    """Two builds of one library that tie are no two winners: over all builds no operation is won twice, and a tie has two builds at least."""
    plain = sample_full.with_builds(RUN, {"3.6.0": 1.0})
    cases = []
    for case in plain.cases:
        first = case.ranking[0] if case.ranking else ()
        both = ("openssl@3.0.19", "openssl@3.6.0")
        groups = tuple(
            kept for group in case.ranking[1:] if (kept := tuple(lane for lane in group if lane not in both))
        )
        cases.append(msgspec.structs.replace(case, ranking=(both, *groups)) if both[0] in first else case)
    run = msgspec.structs.replace(plain, cases=tuple(cases))
    view = RunView(run)
    rows = dict(overall_rows(view))
    shared = [case for case in view.headline if case.ranking and case.ranking[0] == ("openssl@3.0.19", "openssl@3.6.0")]
    assert shared
    for build in ("openssl@3.0.19", "openssl@3.6.0"):
        assert (rows[build].wins, rows[build].ties) == (0, len(shared))
    assert sum(one.wins for one in rows.values()) <= len(view.headline)


def test_implementations_of_one_build_are_no_tie() -> None:
    """GHASH of BearSSL alone, whose own choice and named implementations are the first group: the grid says `best`, not `tie`."""
    run = sample_full.full_run()
    (case,) = (one for one in run.cases if one.operation == "ghash/mac")
    own = ("bearssl@0.6", "bearssl@0.6:ghash_pclmul")
    rest = tuple((lane,) for group in case.ranking for lane in group if lane not in own)
    view = RunView(msgspec.structs.replace(run, cases=(msgspec.structs.replace(case, ranking=(own, *rest)),)))
    cell = view.grid_cell(view.run.cases[0], "bearssl@0.6")
    assert cell.best and not cell.tied
    assert not tied_builds(own, own[0]) and tied_builds((*own, "nettle@3.8.1"), own[0])
    whole = RunView(run)
    ties = [(one, grid) for one in run.cases for grid in whole.grid_row(one) if grid.tied]
    assert ties and all(len({lane.partition(":")[0] for lane in one.ranking[0]}) > 1 for one, _ in ties)


def test_a_bound_is_passed_by_no_more_than_its_error() -> None:
    """The text and the limit of the finding are of one constant: 101 % beside "cannot be passed" would be a contradiction."""
    assert f"{(TOLERANCE - 1) * 100:.1f} %" in LEAD and "cannot be passed" not in LEAD
    run = sample_full.full_run()
    most = max(t.share for row in run.roofline if not row.flag for t in row.tiers if t.share and t.tier == row.fits)
    assert most <= TOLERANCE


def test_no_stack_is_less_than_the_limit_of_the_worker() -> None:
    """0 is what the worker says of a call that stays above what it paints."""
    source = (data_root() / "sdk/c/src/memory.c").read_text(encoding="utf-8")
    limit = re.search(r"#define OWN_FRAME (\d+)", source)
    assert limit is not None and int(limit[1]) == LEAST_STACK_BYTES
    assert stack_text(0) == "less than 256 B" and stack_text(400) == "400 B"
    cells = [c for case in RUN.cases for c in case.cells if c.memory is not None]
    none = {c.lane: msgspec.structs.replace(c, memory=msgspec.structs.replace(c.memory, stack_bytes=0)) for c in cells if c.memory}  # fmt: skip
    cases = tuple(
        msgspec.structs.replace(
            case, cells=tuple(none[c.lane] if c.memory and c.lane in none else c for c in case.cells)
        )
        for case in RUN.cases[:1]
    )
    text = render_html(msgspec.structs.replace(RUN, cases=cases), (), "")
    assert "less than 256 B" in text and "<dt>stack<dd>0 B" not in text


def test_every_word_of_a_cell_is_in_the_key() -> None:
    """`two speeds` and `drifting` stand in cells, so the key says what they mean."""
    small = [case for case in RUN.cases if case.size_bytes in (64, None) or case.family == "aead"]
    flagged = []
    for case in small:
        cells = tuple(msgspec.structs.replace(c, flags=("drift", "bimodal")) if c.ns is not None else c for c in case.cells)  # fmt: skip
        flagged.append(msgspec.structs.replace(case, cells=cells))
    key = render_html(msgspec.structs.replace(RUN, cases=tuple(flagged)), (), "").partition('<div class="key">')[2].partition("</div>")[0]  # fmt: skip
    for word, meaning in STEADINESS.items():
        assert f'<span class="tag">{word}</span> {meaning}' in key
    plain = render_html(msgspec.structs.replace(RUN, cases=RUN.cases[:1]), (), "")
    assert "it runs at two speeds" not in plain.partition('<div class="key">')[2].partition("</div>")[0]


def test_the_laboratory_is_no_library() -> None:
    """`OpenSSL 3.0.19`, where `TLS 3.0.19, OpenSSL` would read as a version of TLS."""
    assert tomllib.loads((data_root() / "labs/tls/library.toml").read_text(encoding="utf-8"))["title"] == LABORATORY

    def words(title: str, lane: str) -> str:
        record = SimpleNamespace(title=title)
        view: Any = SimpleNamespace(builds={lane: record}, build_title=lambda build: title)
        return library_words(view, lane)

    assert words("TLS, OpenSSL", "tls@3.0.19+openssl") == "OpenSSL 3.0.19"
    assert words("TLS, Mbed TLS", "tls@2.28.3+mbedtls") == "Mbed TLS 2.28.3"
    assert words("TLS, Mbed TLS 3.6, noasm", "tls@3.6.5+mbedtls-3.6") == "Mbed TLS 3.6.5, noasm"
