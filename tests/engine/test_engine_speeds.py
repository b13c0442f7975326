# SPDX-License-Identifier: Apache-2.0
"""Clocks that change, code with two speeds, and calls that take long: what moves no figure, and what is told of the rest."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, cells, cost, newest, options, passes, summary, write_worker

from cipherstone.measure.rounds import SLOW_LEAST
from cipherstone.model.outcomes import CaseEnd, Verdict

PROBE = {"chain": 0.25, "tput": 0.04}


# -- the clock


def test_a_clock_that_changes_moves_no_ratio(cli: CommandLine, tmp_path: Path) -> None:
    """In a tenth of alpha's turns the clock is 5 % slower, in nine tenths of beta's, and it changes within turns: chain and times get longer together. Times move by that, ratios and cycles do not."""
    a = write_worker(
        tmp_path,
        "alpha",
        {HASH: cost(1000)},
        probe=PROBE,
        harness_ns=0.01,
        clock={"factor": 1.05, "share": 0.1, "again": 0.1},
    )
    b = write_worker(
        tmp_path,
        "beta",
        {HASH: cost(1300)},
        probe=PROBE,
        harness_ns=0.01,
        clock={"factor": 1.05, "share": 0.9, "again": 0.1},
    )
    done = cli.measure("--base", "alpha", "--op", HASH, *options(a, b))
    found = summary(done)
    (case,) = found.cases
    lanes = cells(found)
    (beta,) = (row for row in case.to_base if row.lane.startswith("beta"))
    assert (beta.ratio.value, beta.ratio.low, beta.ratio.high) == pytest.approx((1.3,) * 3, rel=5e-5)  # type: ignore[union-attr]
    assert beta.verdict is Verdict.SLOWER and not beta.flags
    for lane, ns in (("alpha@1.0", 1000), ("beta@1.0", 1300), ("alpha@1.0#2", 1000)):
        assert lanes[lane].cycles.value == pytest.approx(ns / 0.25, rel=5e-5)
    # Without a look at the clock the two would be 1.365 apart.
    assert lanes["beta@1.0"].typical_ns / lanes["alpha@1.0"].typical_ns == pytest.approx(1.3 * 1.05, rel=1e-3)
    chain = {reading for one in passes(newest(cli.runs)) for samples in one.lanes for reading in samples.chain_ns}
    assert chain == {0.25, 0.2625}
    assert 1 / 0.2626 < found.noise.ghz_low <= found.noise.ghz_high < 1 / 0.2499  # type: ignore[operator]
    # A batch within which the clock changed was at neither: it does not count, but few do so.
    assert 0 < found.noise.disturbed_ratio < 0.1  # type: ignore[operator]
    assert case.end is CaseEnd.CONVERGED and case.aa is not None and case.aa.verdict is Verdict.EQUAL


# -- two speeds

SLOW_PASSES = {"beta": [0, 3, 4], "gamma": [1, 2, 4, 5, 7, 8], "delta": [0, 2, 4, 6, 8]}


def test_of_two_speeds_that_processes_keep_the_faster_one_is_the_figure(cli: CommandLine, tmp_path: Path) -> None:
    """However many of the nine processes got the slower one: a third, a half or two thirds. Both are reported, with their shares, and the interval holds both."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, noise=0.001)
    others = [
        write_worker(tmp_path, name, {HASH: cost(900)}, speeds={"factor": 1.08, "passes": slow})
        for name, slow in SLOW_PASSES.items()
    ]
    done = cli.measure("--base", "alpha", "--op", HASH, "--passes", "9", *options(a, *others))
    found = summary(done)
    (case,) = found.cases
    lanes = cells(found)
    ratios = {row.lane: row for row in case.to_base}
    for name, slow in SLOW_PASSES.items():
        cell, row = lanes[f"{name}@1.0"], ratios[f"{name}@1.0"]
        assert (cell.ns.value, cell.ns.low, cell.ns.high) == pytest.approx((900, 900, 972), rel=1e-4), name
        fast, other = cell.levels
        assert (fast.ns, other.ns) == pytest.approx((900, 972), rel=1e-4)
        assert (fast.share, other.share) == pytest.approx((1 - len(slow) / 9, len(slow) / 9))
        assert "bimodal" in cell.flags
        assert [index for index, ns in enumerate(cell.pass_ns) if ns > 930] == slow
        assert row.ratio is not None and row.ratio.value == pytest.approx(0.9, rel=1e-3)
        assert row.ratio.low is not None and row.ratio.high is not None
        assert row.ratio.low == pytest.approx(0.9, rel=1e-3) and row.ratio.high == pytest.approx(0.972, rel=1e-3)
    assert lanes["alpha@1.0"].levels == () and "bimodal" not in lanes["alpha@1.0"].flags
    assert case.end is CaseEnd.MAX_PASSES


def test_a_base_with_two_speeds_is_alike_to_itself(cli: CommandLine, tmp_path: Path) -> None:
    """Where the lane and its second process got different speeds, that is no noise: passes in which both have the faster one tell."""
    # By processes, of which every second one is of the A/A lane: that one is slow in passes 1, 4 and 7.
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, speeds={"factor": 1.08, "passes": [3, 9, 15]})
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)})
    done = cli.measure("--base", "alpha", "--op", HASH, "--passes", "9", *options(a, b))
    (case,) = summary(done).cases
    lanes = cells(summary(done))
    assert lanes["alpha@1.0"].levels == () and len(lanes["alpha@1.0#2"].levels) == 2
    assert case.aa is not None and case.aa.ratio is not None and case.aa.verdict is Verdict.EQUAL
    assert (case.aa.ratio.low, case.aa.ratio.high) == pytest.approx((1.0, 1.0), rel=1e-4)
    assert lanes["alpha@1.0"].ns.value == lanes["alpha@1.0#2"].ns.value == pytest.approx(1000)
    (beta,) = (row for row in case.to_base if row.lane.startswith("beta"))
    assert beta.ratio is not None and beta.ratio.value == pytest.approx(1.3)


def test_two_speeds_from_one_moment_to_the_next(cli: CommandLine, tmp_path: Path) -> None:
    """More than half of the batches are 8 % slower: both levels and their shares are told; the lower quartile is the faster one in every pass, though the median is not."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    b = write_worker(tmp_path, "beta", {HASH: cost(900)}, speeds={"factor": 1.08, "share": 0.55})
    found = summary(cli.measure("--base", "alpha", "--op", HASH, *options(a, b)))
    beta = cells(found)["beta@1.0"]
    assert (beta.ns.value, beta.ns.low, beta.ns.high) == pytest.approx((900,) * 3, rel=1e-4)
    assert [level.ns for level in beta.levels] == pytest.approx([900, 972], rel=1e-4)
    assert beta.levels[1].share == pytest.approx(0.55, abs=0.1)
    assert sum(level.share for level in beta.levels) == pytest.approx(1)
    assert found.cases[0].end is CaseEnd.CONVERGED


# -- slow calls


def test_slow_operations_use_the_cpu_clock_and_rounds_of_their_own(cli: CommandLine, tmp_path: Path) -> None:
    """4 ms of CPU time in 5 ms of wall time: figures are CPU time, marked slow; 60 ms get five calls; the fast lane beside them keeps all its rounds."""
    fast = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    slow = write_worker(tmp_path, "beta", {HASH: cost(5e6)}, cpu_share=0.8)
    slower = write_worker(tmp_path, "gamma", {HASH: cost(60e6)}, cpu_share=0.5)
    blind = write_worker(tmp_path, "delta", {HASH: cost(5e6)}, cpu_share=None)
    done = cli.measure("--base", "alpha", "--op", HASH, *options(fast, slow, slower, blind))
    lanes = cells(summary(done))
    assert lanes["beta@1.0"].ns is not None, [cell.detail for cell in lanes.values()]
    assert lanes["beta@1.0"].ns.value == pytest.approx(4e6, rel=1e-5) and "slow-op" in lanes["beta@1.0"].flags
    assert lanes["gamma@1.0"].ns.value == pytest.approx(30e6, rel=1e-5)
    assert lanes["delta@1.0"].ns.value == pytest.approx(5e6, rel=1e-5)  # without a CPU clock: wall time
    assert not lanes["alpha@1.0"].slow
    bundle = newest(cli.runs)
    settings = bundle.manifest.settings
    warm = -(-settings.dropped_batches // settings.batches_per_turn)
    planned = SLOW_LEAST + settings.dropped_batches
    few = settings.very_slow_rounds + settings.dropped_batches
    for one in passes(bundle):
        assert len(one.order) == settings.rounds + warm
        rows = {samples.lane: samples for samples in one.lanes}
        assert len(rows["alpha@1.0"].ns) == settings.batches_per_turn * (settings.rounds + warm)
        # One call a request, with a reading at either end; ten requests of 5 ms in a turn of up to 60 ms.
        assert rows["beta@1.0"].slow and rows["beta@1.0"].calls == rows["beta@1.0"].per_turn == 1
        assert len(rows["beta@1.0"].ns) == len(rows["beta@1.0"].cpu_ns) == planned
        assert len(rows["beta@1.0"].chain_ns) == 2 * planned
        assert len(rows["gamma@1.0"].ns) == few
        assert rows["delta@1.0"].cpu_ns == ()
        for lane in ("alpha@1.0", "gamma@1.0"):  # evenly spread over the pass
            assert rows[lane].rounds[0] == 0 and rows[lane].rounds[-1] == settings.rounds + warm - 1


def test_slow_calls_beside_somebody_else(cli: CommandLine, tmp_path: Path) -> None:
    """Disturbed calls are thrown away one by one, CPU time or not, and made up for. What is dirty is drawn reading by reading, and how many readings there are depends on the machine: a pass or two may fall short."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(4e6)}, cpu_share=0.8)
    b = write_worker(tmp_path, "beta", {HASH: cost(5e6)}, dirty=0.3, slowdown=0.3, cpu_share=0.8)
    c = write_worker(tmp_path, "gamma", {HASH: cost(60e6)}, dirty=0.3, slowdown=0.3, cpu_share=0.8)
    done = cli.measure("--passes", 9, "--base", "alpha", "--op", HASH, *options(a, b, c))
    found = summary(done)
    lanes = cells(found)
    for lane, ns in (("alpha@1.0", 4e6), ("beta@1.0", 5e6), ("gamma@1.0", 60e6)):
        figure = lanes[lane].ns
        assert figure is not None, (lanes[lane], done.err)
        assert (figure.value, figure.low, figure.high) == pytest.approx((0.8 * ns,) * 3, rel=1e-5)
    settings = newest(cli.runs).manifest.settings
    whole = 0
    for one in passes(newest(cli.runs)):
        reached = []
        for samples, goal in zip(one.lanes, (8, 8, 5, 8), strict=True):
            ends = [c / t > 0.97 * 8 for c, t in zip(samples.chain_ns, samples.tput_ns, strict=True)]
            free = [x and y for x, y in zip(ends[::2], ends[1::2], strict=True)]
            reached.append(sum(free[settings.dropped_batches :]) >= goal)
        whole += all(reached)
    assert whole >= 6
    assert found.noise.disturbed_ratio is not None and 0.15 < found.noise.disturbed_ratio < 0.5


def test_calls_longer_than_a_batch_have_wider_intervals(cli: CommandLine, tmp_path: Path) -> None:
    """Half a millisecond cannot be watched inside. Calls that scatter upwards by up to 4 % widen the interval by the distance from lower quartile to median; a call of 100 microseconds does not."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(5e5)})
    b = write_worker(tmp_path, "beta", {HASH: cost(5e5)}, noise=0.04)
    c = write_worker(tmp_path, "gamma", {HASH: cost(5e4)}, noise=0.04)
    found = summary(cli.measure("--base", "alpha", "--op", HASH, *options(a, b, c)))
    lanes = cells(found)
    rows = {row.lane: row.ratio for row in found.cases[0].to_base}
    steady, long, short = (lanes[f"{name}@1.0"] for name in ("alpha", "beta", "gamma"))
    assert (steady.ns.low, steady.ns.high) == pytest.approx((5e5, 5e5))
    # Evenly drawn between 0 and 4 %: a quarter is 1 %, half is 2 %, so a hundredth more is unseen, give or take what a few dozen draws do.
    assert math.log(min(long.pass_ns) / long.ns.low) == pytest.approx(0.01, abs=0.004)
    assert short.ns.low == pytest.approx(min(short.pass_ns))
    assert rows["beta@1.0"] is not None and rows["beta@1.0"].low is not None and rows["beta@1.0"].high is not None
    # What beta missed makes it look slower than it is, never quicker.
    assert math.log(rows["beta@1.0"].high) >= math.log(max(long.pass_ns) / 5e5) - 1e-6
    assert rows["beta@1.0"].low < 1.004 < rows["beta@1.0"].value
