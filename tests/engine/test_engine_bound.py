# SPDX-License-Identifier: Apache-2.0
"""A time bound: the run ends in order, what there is time for gets figures first, and a pass that is cut keeps what is enough."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from scripts import (
    HASH,
    MAC,
    OPEN,
    CommandLine,
    cells,
    cost,
    newest,
    options,
    passes,
    summary,
    timed_by_script,
    write_worker,
)

from cipherstone.model.outcomes import CaseEnd, Verdict
from cipherstone.views.run.passes import parts, pass_values

HEADLINE = HASH + "/bytes=16384"


def test_the_time_bound_ends_a_run_in_order(cli: CommandLine, tmp_path: Path) -> None:
    """Nine passes, of a second even if cut short, do not fit into 4 s: what was measured is there, the rest is cut, nothing is an error."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, takes_s=0.15)
    done = timed_by_script(cli).measure(
        "--base", "alpha", "--op", HASH, "--passes", "40", "--precise", "--max-time", "4s", *options(a)
    )
    found = summary(done.no_trace())
    (case,) = found.cases
    assert case.end is CaseEnd.TIME_BOUND and 1 <= case.passes_tried < 9
    assert found.manifest.status == "finished"
    # A pass is started only if it fits: nothing begins after the bound.
    assert all(one.start_s <= 4 for one in passes(newest(cli.runs)))
    # Six passes may have fitted or not; without a figure the run says so.
    figures = [cell for cell in case.cells if cell.ns is not None]
    assert done.code == (0 if figures else 1), done.err
    assert all(cell.ns.value == pytest.approx(1000) for cell in figures)  # type: ignore[union-attr]


def test_headline_cases_get_figures_first(cli: CommandLine, tmp_path: Path) -> None:
    """Six sizes of which six seconds do not suffice for all, even with passes as short as gives a value: 36 passes of 0.18 s by the script. The size that tables show has its figure; it is asked first what a pass costs."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, takes_s=0.03)
    sizes = "16,64,256,1024,8192,16384"
    done = (
        timed_by_script(cli)
        .measure("--base", "alpha", "--op", HASH, "--size", sizes, "--max-time", "6s", *options(a))
        .no_trace()
    )
    found = summary(done)
    assert done.code == 0, done.err
    made: dict[int, set[str]] = defaultdict(set)
    for one in passes(newest(cli.runs)):
        made[one.index].add(one.case)
    assert made[0] == {HEADLINE}
    figures = {case.case for case in found.cases if cells(found, case.case)["alpha@1.0"].ns is not None}
    assert HEADLINE in figures and len(figures) < 6
    assert {case.end for case in found.cases if case.case not in figures} == {CaseEnd.TIME_BOUND}


def test_where_time_is_short_passes_are_short_and_whole(cli: CommandLine, tmp_path: Path) -> None:
    """Six passes of 1.3 s by the script do not fit into 6 s. Each takes its share of the time and ends with as many batches as give a value, so that there is a figure."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, takes_s=0.08)
    done = timed_by_script(cli).measure("--base", "alpha", "--op", HASH, "--max-time", "7s", *options(a)).no_trace()
    bundle = newest(cli.runs)
    batches = [len(samples.ns) for one in passes(bundle) for samples in one.lanes]
    assert min(batches) < 48  # of eight rounds
    for one in passes(bundle)[:-1]:  # the last may be cut by the bound itself
        for row in pass_values(parts(one, bundle.manifest.settings), bundle.manifest.settings, 8.0):
            assert row.batches >= 16 and row.floor_ns == pytest.approx(1000)
    (case,) = summary(done).cases
    assert case.passes_tried >= 5


def test_a_pass_that_the_bound_cuts_keeps_the_lanes_that_have_enough(cli: CommandLine, tmp_path: Path) -> None:
    """Nothing clean comes of beta, so that the first pass goes on until the bound: alpha's value in it counts, beta has none for want of undisturbed batches."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, takes_s=0.01)
    # 128 rounds, the most that a pass may take, would take 6.4 s: never within the bound.
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)}, takes_s=0.05, contended=list(range(40)), slowdown=0.3)
    done = timed_by_script(cli).measure("--base", "alpha", "--op", HASH, "--max-time", "3s", *options(a, b)).no_trace()
    bundle = newest(cli.runs)
    (record,) = passes(bundle)
    assert record.valid and record.reason == ""
    assert 8 < len(record.order) < 2 * 8 * 8
    rows = {
        row.lane: row for row in pass_values(parts(record, bundle.manifest.settings), bundle.manifest.settings, 8.0)
    }
    assert rows["alpha@1.0"].floor_ns == rows["alpha@1.0#2"].floor_ns == pytest.approx(1000)
    assert rows["beta@1.0"].floor_ns is None and rows["beta@1.0"].contended
    found = summary(done)
    (case,) = found.cases
    assert (case.end, case.passes_tried, case.passes_valid) == (CaseEnd.TIME_BOUND, 1, 0)
    assert "1 pass with a figure, 6 needed" in cells(found)["alpha@1.0"].refused
    assert "0 passes with a figure, 6 needed" in cells(found)["beta@1.0"].refused
    assert {row.lane: row.verdict for row in case.to_base} == {
        "alpha@1.0": Verdict.UNRESOLVED,
        "beta@1.0": Verdict.CONTENDED,
    }
    assert done.code == 1 and "no figure: " in done.err


def test_a_lane_that_is_always_disturbed_does_not_take_the_others_along(cli: CommandLine, tmp_path: Path) -> None:
    """Without a bound: beta has no figure and the reason, alpha and gamma have theirs and are ranked."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    b = write_worker(tmp_path, "beta", {HASH: cost(900)}, contended=list(range(40)), slowdown=0.3)
    c = write_worker(tmp_path, "gamma", {HASH: cost(1300)})
    done = cli.measure("--base", "alpha", "--op", HASH, "--passes", "2", *options(a, b, c)).no_trace()
    found = summary(done)
    (case,) = found.cases
    assert (case.passes_tried, case.passes_valid, case.end) == (6, 0, CaseEnd.CONTENDED)
    assert case.ranking == (("alpha@1.0",), ("gamma@1.0",))
    lanes = cells(found)
    assert lanes["gamma@1.0"].ns.value == pytest.approx(1300) and lanes["gamma@1.0"].passes_used == 6
    assert lanes["beta@1.0"].ns is None and lanes["beta@1.0"].refused.startswith("contended: 0 of 1150 batches")
    assert next(row.verdict for row in case.to_base if row.lane == "beta@1.0") is Verdict.CONTENDED
    assert done.code == 0


def test_a_bound_that_is_too_short_for_all_finishes_the_first_rows(cli: CommandLine, tmp_path: Path) -> None:
    """Three operations, of which a pass each takes a third of the bound by the script: the first in the plan has its figure, and the others are begun only with the time that it leaves."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000), MAC: cost(1000), OPEN: cost(1000)}, takes_s=0.05)
    done = timed_by_script(cli).measure(
        "--base", "alpha", "--op", f"{HASH},{MAC},{OPEN}", "--size", "16384", "--max-time", "4s", *options(a)
    )
    found = summary(done.no_trace())
    made: dict[str, int] = defaultdict(int)
    for one in passes(newest(cli.runs)):
        made[one.case] += 1
    first = found.manifest.plan[0].case
    assert made[first] >= 6
    assert cells(found, first)["alpha@1.0"].ns is not None and done.code == 0


@pytest.mark.parametrize("suite", ["default", "quick", "full", "upgrade"])
def test_the_bound_holds_with_every_suite(cli: CommandLine, tmp_path: Path, suite: str) -> None:
    """Those that ask for no builds of libraries, which are not here. By the script's clock, with a turn that takes a tenth of the bound: no turn begins behind the bound, of any lane of a round."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, takes_s=0.4)
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)}, takes_s=0.4)
    done = timed_by_script(cli).measure(
        "--base", "alpha", "--suite", suite, "-l", "alpha,beta", "--max-time", "4s", *options(a, b)
    )
    assert done.no_trace().out, done.err
    run = summary(done)
    timed = passes(newest(cli.runs))
    assert timed and run.manifest.status == "finished"
    behind = [one.case for one in timed if one.start_s + one.wall_s > 4 + 0.4]
    assert behind == []
