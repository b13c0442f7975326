# SPDX-License-Identifier: Apache-2.0
"""Random inputs in a run: records, what a wrong answer does to the figures, and how it is said."""

from __future__ import annotations

from pathlib import Path

import msgspec
from scripts import HASH
from sessions import HASHING, SHORT, Ran
from store_example import manifest

from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import BreadthRecord, LaneBreadth, OutcomeRecord, PassRecord, ProofRecord
from cipherstone.operations.breadth import question
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.report.words.breadth import looked_words, no_error_words, rate_text, run_words
from cipherstone.stats.rate import rate_below
from cipherstone.views.run.summarise import summarise

ASKING = msgspec.structs.replace(SHORT, breadth_share=0.05, max_time_s=240.0, breadth=80)
SOMETIMES = {"wrong": [{"op": HASH, "impl": "default", "exact_bytes": 1350}]}


def test_every_pass_asks_every_lane_once(tmp_path: Path) -> None:
    ran = Ran(tmp_path, settings=ASKING).all()
    records = ran.of(BreadthRecord)
    assert [one.pass_index for one in records] == [0, 1] and {one.operation for one in records} == {HASH}
    for one in records:  # the A/A lane is the same code
        assert [(lane.lane, lane.wrong, lane.forged) for lane in one.lanes] == [("alpha@1.0", 0, 0), ("beta@1.0", 0, 0)]
        assert all(0 < lane.genuine <= 40 for lane in one.lanes)
    # After the batches of the case, in the same pass.
    kinds = [type(record) for record in ran.records if not isinstance(record, ProofRecord)]
    assert kinds[:2] == [PassRecord, BreadthRecord]


def test_who_was_asked_too_little_is_asked_at_the_end(tmp_path: Path) -> None:
    """A loaded machine has no time for it in the passes, and the bound is far."""
    settings = msgspec.structs.replace(ASKING, breadth_share=1e-6)
    ran = Ran(tmp_path, settings=settings).all()
    (record,) = ran.of(BreadthRecord)
    assert record.pass_index == 2 and ran.records[-1] is record
    assert [(lane.lane, lane.genuine) for lane in record.lanes] == [("alpha@1.0", 80), ("beta@1.0", 80)]
    wrong = Ran(tmp_path / "wrong", alpha=SOMETIMES, settings=settings).all()
    cells = {cell.lane: cell for case in summarise(manifest(), wrong.records).cases for cell in case.cells}
    assert cells["alpha@1.0"].outcome is Outcome.WRONG and cells["beta@1.0"].outcome is Outcome.OK


def test_nothing_is_asked_where_nothing_is_said(tmp_path: Path) -> None:
    assert not Ran(tmp_path, settings=SHORT).all().of(BreadthRecord)


def test_what_errs_for_some_inputs_is_wrong_and_has_no_figure(tmp_path: Path) -> None:
    """No vector and no timed input has this length."""
    ran = Ran(tmp_path, alpha=SOMETIMES, settings=ASKING).all()
    record = ran.of(BreadthRecord)[0]
    alpha = next(one for one in record.lanes if one.lane == "alpha@1.0")
    assert 0 < alpha.wrong < alpha.genuine and {one.outcome for one in ran.of(ProofRecord)} == {Outcome.OK}
    (outcome,) = ran.of(OutcomeRecord)
    assert (outcome.case, outcome.lane, outcome.outcome) == (HASHING, "alpha@1.0", Outcome.WRONG)
    # The number names the input, so that it can be asked again.
    number = int(outcome.detail.split("random input ")[1].split(":")[0])
    assert question(Case.parse(f"{HASH}/bytes=1350"), None, number).due is not None
    # Neither it nor its A/A lane is measured further.
    assert {one.lane for one in ran.of(PassRecord)[1].lanes} == {"beta@1.0"}
    summary = summarise(manifest(), ran.records)
    cells = {cell.lane: cell for case in summary.cases if case.case == HASHING for cell in case.cells}
    assert cells["alpha@1.0"].outcome is Outcome.WRONG and cells["alpha@1.0"].ns is None
    assert cells["alpha@1.0#2"].outcome is Outcome.WRONG
    assert cells["beta@1.0"].outcome is Outcome.OK and cells["beta@1.0"].breadth_genuine > 0


def test_the_rate_that_would_have_been_found() -> None:
    """The rule of three, exactly: 1 - 0.05^(1/n)."""
    assert rate_below(0) == 1.0 and rate_below(1) == 0.95
    assert round(rate_below(4608), 7) == 0.0006499
    assert abs((1 - rate_below(1000)) ** 1000 - 0.05) < 1e-12
    assert rate_text(4608) == "below 0.065 %" and rate_text(1000) == "below 0.30 %"
    assert rate_text(1) == "below 95 %" and rate_text(10) == "below 26 %"
    assert no_error_words(4608, "signatures") == "no error in 4,608 signatures: below 0.065 % with 95 %"


def test_what_is_said_of_a_lane_and_of_a_run() -> None:
    assert looked_words(0, 0, 0) == ""
    assert looked_words(900, 300, 0) == "no error in 1,200 random inputs, 300 of them forged: below 0.25 % with 95 %"
    assert looked_words(900, 300, 7) == "7 of 1,200 random inputs gave a wrong answer"
    assert run_words([]) == ""


def test_lanes_of_a_record_add_up_over_passes() -> None:
    lane = LaneBreadth("x@1", genuine=3, forged=1)
    records = [BreadthRecord("sha-256/hash", index, (lane,)) for index in range(3)]
    outcome = OutcomeRecord(HASHING, "x@1", Outcome.CRASHED, "gone")
    cases = summarise(manifest(), [*records, outcome]).cases
    (cell,) = (cell for case in cases for cell in case.cells if cell.lane == "x@1")
    assert (cell.breadth_genuine, cell.breadth_forged, cell.breadth_wrong) == (9, 3, 0)
    assert run_words(cases).startswith("12 answers to random inputs")
    assert run_words(cases).endswith("12 at least: none was wrong")


def test_the_report_says_how_many_were_looked_at(tmp_path: Path) -> None:
    ran = Ran(tmp_path, settings=ASKING).all()
    summary = summarise(manifest(), ran.records)
    said = run_words(summary.cases)
    assert said.endswith("none was wrong")
    for text in (render_markdown(summary), render_html(summary, (), "")):
        assert said in text
    assert said in " ".join(render_terminal(summary, 100, False).split())
