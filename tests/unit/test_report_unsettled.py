# SPDX-License-Identifier: Apache-2.0
"""A lane that too few passes hold beside the fastest is in no group: no form of the report puts it among the fastest, or calls anybody fastest by its figure alone."""

from __future__ import annotations

import json

from test_report_standing import CASE, A, B, C, said
from test_views_passes import manifest, pass_record

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import ranking_table
from cipherstone.report.blocks.grid import UNSETTLED, RunView
from cipherstone.report.blocks.live import live_data
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.run.leaders import overall, standing, standing_of, standing_order, unsettled
from cipherstone.views.run.summarise import summarise

COSTS = {A: 1000.0, B: 1300.0, C: 16000.0}


def run_of(*lanes: str) -> RunSummary:
    """A (and B) in the first nine of fifteen passes, C in the last nine: three hold both, and six are needed."""
    records = []
    for index in range(15):
        here = {lane: COSTS[lane] for lane in lanes if (index < 9 if lane == A else index >= 6 if lane == C else True)}
        records.append(pass_record(CASE, index, here))
    return summarise(manifest({CASE: lanes}), records, catalogue_of_checkout())


def test_it_is_in_no_group_and_keeps_its_ratio() -> None:
    run = run_of(A, B, C)
    (case,) = run.cases
    assert all(cell.ns is not None for cell in case.cells)
    assert case.ranking == ((A,), (B,)) and unsettled(case) == (C,)
    assert [(r.lane, r.verdict) for r in case.to_best] == [
        (A, Verdict.EQUAL), (B, Verdict.SLOWER), (C, Verdict.UNRESOLVED)
    ]  # fmt: skip
    ratio = case.to_best[2].ratio
    assert ratio is not None and ratio.low is None and round(ratio.value) == 16
    assert standing(case).leaders == (A,) and standing_of(case, [A, C]).leaders == (A, C)
    assert standing_order(case) == [A, B, C]
    assert overall([(case, C)]).wins == overall([(case, C)]).ties == 0


def test_the_words_say_that_it_is_not_settled() -> None:
    run = run_of(A, B, C)
    assert said(run).endswith("not settled: botan has too few passes for an interval")
    assert "nettle" in said(run) and "apart" not in said(run)
    assert [number for number, _ in RunView(run).ranked(run.cases[0])] == [1, 2, UNSETTLED]
    places = [row[1].text for row in ranking_table(RunView(run), run.cases[0], "t").rows]
    assert places == ["1", "2", "not settled"]
    text = render_markdown(run)
    assert "not settled" in text and "= botan" not in text
    assert "not settled" in render_terminal(run, 200, False)


def test_nobody_is_ranked_where_nothing_is_settled() -> None:
    run = run_of(A, C)
    (case,) = run.cases
    assert case.ranking == () and unsettled(case) == (A, C)
    assert [r.lane for r in case.to_best] == [A, C]
    assert said(run) == "not settled: openssl and botan have too few passes for an interval"
    assert [row[1].text for row in ranking_table(RunView(run), case, "t").rows] == ["not settled"] * 2
    assert not any(cell.best for cell in RunView(run).grid_row(case))
    assert standing_of(case, [A, C]).leaders == (A, C)
    assert "fastest |" not in render_markdown(run) or "| not settled |" in render_markdown(run)
    assert render_terminal(run, 120, False)


def test_a_page_that_is_ranked_anew_knows_it_too() -> None:
    """The script drops what has no interval beside the first of those shown: it needs the lane, and its pairs."""
    live = json.loads(live_data(RunView(run_of(A, B, C)), [CASE]))
    assert len(live["cases"][CASE]["order"]) == 3
    # By rows without the diagonal: the first lane's two pairs, then the second's with the first, the third's with the first.
    pairs = {name: column[0] for name, column in live["pairs"].items()}
    assert pairs["verdict"][2] == "s" and pairs["verdict"][4] == "u"
    assert [pairs[end].split(" ")[4] for end in ("low", "high")] == ["=-", "=-"]
