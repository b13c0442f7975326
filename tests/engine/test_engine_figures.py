# SPDX-License-Identifier: Apache-2.0
"""A scripted clock gives figures that are known beforehand: through the whole path, from the worker to `show --format json`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import scripts
from scripts import HASH, MAC, CommandLine, cells, cost, newest, passes, starts, summary, write_worker

from cipherstone.model.outcomes import CaseEnd, Verdict

CASE = HASH + "/bytes=16384"


def ratio_to(found: object, lane: str) -> object:
    """The ratio of a lane over the base in the only case."""
    (case,) = found.cases  # type: ignore[attr-defined]
    return next(row for row in case.to_base if row.lane.startswith(lane + "@"))


def test_figures_of_a_steady_clock_are_exact(cli: CommandLine, tmp_path: Path) -> None:
    """1000 ns and 1300 ns a call, 1 ns of harness contained in both: net figures, ratio and interval without any spread."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)}, harness_ns=2.0)
    done = cli.measure("--base", "alpha", "--op", HASH, "--worker", a, "--worker", b, "--passes", "9")
    assert done.code == 0, done.err
    shown = cli("show", "--format", "json")
    found = summary(shown)
    assert found == summary(done)
    lanes = cells(found)
    assert set(lanes) == {"alpha@1.0", "beta@1.0", "alpha@1.0#2"}
    for lane, expected in (("alpha@1.0", 1000.0), ("beta@1.0", 1300.0), ("alpha@1.0#2", 1000.0)):
        figure = lanes[lane].ns
        assert (figure.value, figure.low, figure.high) == pytest.approx((expected,) * 3, rel=1e-9)
        assert lanes[lane].pass_ns == pytest.approx([expected] * 9)
        # 0.25 ns a cycle
        assert lanes[lane].cycles.value == pytest.approx(expected / 0.25)
    beta = ratio_to(found, "beta")
    assert beta.verdict is Verdict.SLOWER  # type: ignore[attr-defined]
    ratio = beta.ratio  # type: ignore[attr-defined]
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((1.3, 1.3, 1.3))
    (case,) = found.cases
    assert case.end is CaseEnd.CONVERGED
    assert case.ranking == (("alpha@1.0",), ("beta@1.0",))
    assert case.aa.verdict is Verdict.EQUAL and case.aa.ratio.value == pytest.approx(1.0)
    assert found.noise.harness_ns == pytest.approx(1.0)
    assert found.noise.ghz_low == pytest.approx(4.0) and found.noise.ipc_median == pytest.approx(8.0)


def test_overhead_and_cost_per_byte_come_out_of_the_sizes(cli: CommandLine, tmp_path: Path) -> None:
    """100 ns + 0.5 ns a padded byte, against 1000 ns + 0.25 ns: line and crossover (900 / 0.25 = 3600 bytes)."""
    a = write_worker(tmp_path, "alpha", {MAC: cost(100, per_block=32)})
    b = write_worker(tmp_path, "beta", {MAC: cost(1000, per_block=16)})
    sizes = "16,64,256,1024,8192,16384"
    done = cli.measure("--base", "alpha", "--op", MAC, "--size", sizes, "--worker", a, "--worker", b)
    found = summary(done)
    fits = {fit.lane: fit for fit in found.fits}
    for lane, overhead, slope in (("alpha@1.0", 100, 0.5), ("beta@1.0", 1000, 0.25)):
        assert fits[lane].overhead_ns.value == pytest.approx(overhead, rel=1e-3)  # type: ignore[union-attr]
        assert fits[lane].per_byte_ns.value == pytest.approx(slope, rel=1e-3)  # type: ignore[union-attr]
    (crossing,) = found.crossovers
    assert (crossing.small, crossing.large) == ("alpha@1.0", "beta@1.0")
    assert (crossing.below_bytes, crossing.above_bytes) == (1024, 8192)


def test_three_percent_are_found_in_noise_and_equal_lanes_are_tied(cli: CommandLine, tmp_path: Path) -> None:
    """Disturbances that only add time, up to 2 %: a lane that is 3 % slower is `slower`, one that is alike shares the first group."""
    workers = [
        write_worker(tmp_path, name, {HASH: cost(ns)}, noise=0.02, seed=name)
        for name, ns in (("alpha", 1000), ("beta", 1030), ("gamma", 1000))
    ]
    options = [word for path in workers for word in ("--worker", path)]
    done = cli.measure("--base", "alpha", "--op", HASH, "--passes", "9", *options)
    found = summary(done)
    (case,) = found.cases
    verdicts = {row.lane: row.verdict for row in case.to_base}
    assert verdicts["beta@1.0"] is Verdict.SLOWER
    assert verdicts["gamma@1.0"] is Verdict.EQUAL
    assert [set(group) for group in case.ranking] == [{"alpha@1.0", "gamma@1.0"}, {"beta@1.0"}]
    beta = next(row.ratio for row in case.to_base if row.lane == "beta@1.0")
    assert beta is not None and beta.low is not None and beta.high is not None
    assert beta.low <= 1.03 <= beta.high or beta.value == pytest.approx(1.03, rel=2e-3)
    assert case.aa is not None and case.aa.verdict in (Verdict.EQUAL, Verdict.UNDECIDED)


def test_a_clock_that_slows_with_every_process_is_flagged(cli: CommandLine, tmp_path: Path) -> None:
    """Every process is 0.1 % slower than the one before: the figure stands, with the flag `drift`, and ratios hold."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000, drift=0.0005)})
    b = write_worker(tmp_path, "beta", {HASH: cost(2000, drift=0.001)})
    done = cli.measure("--base", "alpha", "--op", HASH, "--passes", "9", "--worker", a, "--worker", b)
    lanes = cells(summary(done))
    assert "drift" in lanes["alpha@1.0"].flags and "drift" in lanes["beta@1.0"].flags
    rising = list(lanes["beta@1.0"].pass_ns)
    assert rising == sorted(rising) and rising[0] == pytest.approx(2002, rel=1e-6)


def test_every_lane_comes_once_a_round_in_random_order(cli: CommandLine, tmp_path: Path) -> None:
    workers = [write_worker(tmp_path, name, {HASH: cost(1000)}) for name in ("alpha", "beta", "gamma", "delta")]
    options = [word for path in workers for word in ("--worker", path)]
    cli.measure("--base", "alpha", "--op", HASH, "--size", "16,64,1024,16384", *options)
    bundle = newest(cli.runs)
    settings = bundle.manifest.settings
    orders = [turn for one in passes(bundle) for turn in one.order]
    warm = -(-settings.dropped_batches // settings.batches_per_turn)
    assert len(orders) == 4 * 6 * (settings.rounds + warm)
    for one in passes(bundle):
        for samples in one.lanes:
            assert len(samples.ns) == settings.batches_per_turn * (settings.rounds + warm)
            # A reading before each turn and one after each of its batches.
            assert samples.per_turn == settings.batches_per_turn
            assert len(samples.chain_ns) == len(samples.tput_ns) == len(samples.ns) + settings.rounds + warm
    assert all(sorted(turn) == [0, 1, 2, 3, 4] for turn in orders)
    # 192 draws of 120 orders: most orders are there, each lane is first about as often as any other
    assert len(set(orders)) > 60
    first = Counter(turn[0] for turn in orders)
    assert all(0.5 * len(orders) / 5 < first[lane] < 1.6 * len(orders) / 5 for lane in range(5)), first


def test_a_seed_makes_the_orders_again(cli: CommandLine, tmp_path: Path) -> None:
    """Passes of cases, turns in a round and the jitter of batches are the same with one seed and others with another."""

    def shape(seed: int) -> list[object]:
        a = write_worker(
            tmp_path / f"{seed}{len(list(tmp_path.glob('*')))}", "alpha", {HASH: cost(1000), MAC: cost(900)}
        )
        cli.measure(
            "--base", "alpha", "--filter", f"op:({HASH} OR {MAC})", "--size", "16,1024", "--seed", seed, "--worker", a
        )
        bundle = newest(cli.runs)
        assert bundle.manifest.settings.seed == seed
        return [(one.case, one.order, [samples.calls for samples in one.lanes]) for one in passes(bundle)]

    first, again, other = shape(1), shape(1), shape(2)
    assert first == again
    assert first != other
    assert {row[0] for row in first} == {row[0] for row in other}  # type: ignore[index]


def test_batches_are_about_as_long_as_asked_and_jittered(cli: CommandLine, tmp_path: Path) -> None:
    a = write_worker(tmp_path, "alpha", {HASH: cost(999)})
    cli.measure("--base", "alpha", "--op", HASH, "--worker", a)
    bundle = newest(cli.runs)
    calls = [samples.calls for one in passes(bundle) for samples in one.lanes]
    # 100 microseconds, a tenth more or less
    assert all(90 <= number <= 110 for number in calls), calls
    assert len(set(calls)) > 6


def test_every_pass_has_processes_of_its_own(cli: CommandLine, tmp_path: Path) -> None:
    """One process to introduce itself, then one a pass, two for the base library with its A/A lane; and of the first one a scout, which looks at CPUs for the whole run."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000), MAC: cost(1000)})
    b = write_worker(tmp_path, "beta", {HASH: cost(1030), MAC: cost(1000)})
    done = cli.measure("--base", "alpha", "--filter", f"op:({HASH} OR {MAC})", "--worker", a, "--worker", b)
    assert done.code == 0
    assert (starts(a), starts(b)) == (1 + 1 + 2 * 6, 1 + 6)
    assert scripts.gone(tmp_path) == []


def test_a_selection_of_implementations_makes_each_a_lane(cli: CommandLine, tmp_path: Path) -> None:
    both = {HASH: {"default": {"ns": 1000}, "fast": {"ns": 500}}}
    a = write_worker(tmp_path, "alpha", both)
    found = summary(cli.measure("--base", "alpha", "--op", HASH, "--impl", "all", "--worker", a))
    lanes = cells(found)
    assert set(lanes) == {"alpha@1.0", "alpha@1.0:fast", "alpha@1.0#2"}
    assert lanes["alpha@1.0:fast"].ns.value == pytest.approx(500)
    assert starts(a) == 1 + 1 + 2 * 6  # implementations of one build share its process


def test_a_lane_that_breaks_does_not_take_its_siblings_along(cli: CommandLine, tmp_path: Path) -> None:
    """Implementations of one build share a process: when one ends it, the others enter again in a fresh one."""
    costs = {HASH: {"default": {"ns": 1000}, "slow": {"ns": 2000}, "torn": {"ns": 500}}}
    a = write_worker(tmp_path, "alpha", costs, faults=[{"at": "prepare", "do": "abort", "op": HASH, "impl": "torn"}])
    b = write_worker(tmp_path, "beta", {HASH: {"default": {"ns": 1500}}})
    lanes = cells(summary(cli.measure("--base", "beta", "--op", HASH, "--impl", "all", "--worker", a, "--worker", b)))
    assert lanes["alpha@1.0:torn"].outcome == "crashed"
    assert lanes["alpha@1.0"].outcome == lanes["alpha@1.0:slow"].outcome == lanes["beta@1.0"].outcome == "ok"
    assert lanes["alpha@1.0:slow"].ns.value == pytest.approx(2000)
