# SPDX-License-Identifier: Apache-2.0
"""Figures of instruments beside each other: two lanes of a run, two runs."""

from __future__ import annotations

import msgspec
import pytest
from test_views_figures import PLAN, SPEEDS, run_of, turn, turns

from cipherstone.model.errors import UsageError
from cipherstone.model.instruments import InstrumentLane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import RunSummary
from cipherstone.views.compare import BASES, compare_lanes, compare_runs


def run(factor: float, program: str = "", run_id: str = "run-1") -> RunSummary:
    lanes = tuple(InstrumentLane(one.id, one.title, program and f"{program}{one.id}") for one in PLAN.lanes)
    found = run_of(turns(factor), msgspec.structs.replace(PLAN, lanes=lanes))
    return msgspec.structs.replace(found, manifest=msgspec.structs.replace(found.manifest, run_id=run_id))


def test_lanes_of_one_run_are_paired_by_pass() -> None:
    """The machine's speed changes from pass to pass; the ratio does not."""
    (row,) = compare_lanes(run(1.3), "x@1+a", "x@1+b").rows
    assert row.ratio is not None and row.ratio.value == pytest.approx(1.3) and row.ratio.low == pytest.approx(1.3)
    assert (row.case, row.verdict, row.passes) == ("x/one ns", Verdict.SLOWER, len(SPEEDS))
    (other,) = compare_lanes(run(1.3), "x@1+b", "x@1+a").rows
    assert other.ratio is not None and other.ratio.value == pytest.approx(1 / 1.3) and other.verdict is Verdict.FASTER
    with pytest.raises(UsageError, match="neither a run nor a lane"):
        compare_lanes(run(1.3), "x@1", "y@1")


def test_two_runs_are_compared_over_the_base_of_each() -> None:
    """B takes 1.3 times as long as the base in one run and 1.56 in the other: 1.2 times as long as before."""
    found = compare_runs(run(1.3, "a"), run(1.56, "b", "run-2"))
    (row,) = found.rows
    assert row.ratio is not None and row.ratio.value == pytest.approx(1.2) and row.verdict is Verdict.SLOWER
    assert (found.base, found.refused, row.lane_a) == (BASES, "", "x@1+b")
    assert found.worst_slowdown == pytest.approx(0.2)


def test_the_same_programs_are_no_comparison() -> None:
    same = compare_runs(run(1.3, "a"), run(1.3, "a", "run-2"))
    assert not same.rows and "every program is the same in both runs" in same.refused
    forced = compare_runs(run(1.3, "a"), run(1.3, "a", "run-2"), force=True)
    assert len(forced.rows) == 1 and any("every program is the same" in one for one in forced.warnings)
    # Programs that have no hash may be others.
    assert compare_runs(run(1.3), run(1.3, run_id="run-2")).rows


def test_a_lane_that_lost_its_figure_says_so() -> None:
    some = [
        turn(one.lane, one.pass_index, one.turn, 0.0, failed="lost") if one.lane == "x@1+b" else one for one in turns()
    ]
    gone = run_of(some)
    gone = msgspec.structs.replace(gone, manifest=msgspec.structs.replace(gone.manifest, run_id="run-2"))
    (row,) = compare_runs(run(1.3), gone).rows
    assert (row.ratio, row.verdict, row.note, row.lost) == (None, Verdict.UNRESOLVED, "lost", True)
    (back,) = compare_runs(gone, run(1.3)).rows
    assert not back.lost


def test_another_base_is_no_common_ground() -> None:
    other = run_of(
        turns(1.3), msgspec.structs.replace(PLAN, cases=(msgspec.structs.replace(PLAN.cases[0], base="x@1+b"),))
    )
    other = msgspec.structs.replace(other, manifest=msgspec.structs.replace(other.manifest, run_id="run-2"))
    found = compare_runs(run(1.3), other)
    assert not found.rows and "nothing to divide by" in found.refused
