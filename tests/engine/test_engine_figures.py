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
    cli.measure("--base", "alpha", "--op", HASH, *options)
    bundle = newest(cli.runs)
    settings = bundle.manifest.settings
    orders = [turn for one in passes(bundle) for turn in one.order]
    warm = -(-settings.dropped_batches // settings.batches_per_turn)
    assert len(orders) == 6 * (settings.rounds + warm)
    for one in passes(bundle):
        for samples in one.lanes:
            assert len(samples.ns) == settings.batches_per_turn * (settings.rounds + warm)
    assert all(sorted(turn) == [0, 1, 2, 3, 4] for turn in orders)
    # 186 draws of 120 orders: most orders are there, each lane is first about as often as any other
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
    assert all(270 <= number <= 330 for number in calls), calls
    assert len(set(calls)) > 6


def test_contended_passes_are_retried_counted_and_not_used(cli: CommandLine, tmp_path: Path) -> None:
    """Passes 1, 3 and 4 read a third less throughput: six valid ones are needed, so nine are made."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, contended=[1, 3, 4], starts_per_pass=2)
    b = write_worker(tmp_path, "beta", {HASH: cost(1030)}, contended=[1, 3, 4])
    done = cli.measure(
        "--base", "alpha", "--op", HASH, "--passes", "12", "--target", "1%", "--worker", a, "--worker", b
    )
    assert done.code == 0, done.err
    (case,) = summary(done).cases
    bundle = newest(cli.runs)
    validity = {one.index: one.valid for one in passes(bundle)}
    assert [index for index, valid in validity.items() if not valid] == [1, 3, 4]
    assert (case.passes_tried, case.passes_valid, case.end) == (12, 9, CaseEnd.CONVERGED)
    assert all("contended: 0 of" in one.reason for one in passes(bundle) if not one.valid)
    assert summary(done).noise.passes_valid == 9
    assert all(cell.passes_used == 9 for cell in case.cells)


def test_a_machine_that_stays_contended_gives_no_figure(cli: CommandLine, tmp_path: Path) -> None:
    """Only the first two passes are undisturbed: no figure, the reason in its place, verdict `contended`, trust `contended`."""
    later = list(range(2, 40))
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, contended=later, starts_per_pass=2)
    b = write_worker(tmp_path, "beta", {HASH: cost(1030)}, contended=later)
    done = cli.measure("--base", "alpha", "--op", HASH, "--worker", a, "--worker", b)
    assert done.code == 0, done.err
    found = summary(done)
    (case,) = found.cases
    assert case.end is CaseEnd.CONTENDED and (case.passes_tried, case.passes_valid) == (6, 2)
    assert all(cell.ns is None and "2 valid passes, 6 needed" in cell.refused for cell in case.cells)
    assert case.ranking == () and {row.verdict for row in case.to_base} == {Verdict.CONTENDED}
    assert found.trust == "contended"
    assert "contended" in cli("show").out


def test_nonsense_of_a_probe_spoils_no_other_pass(cli: CommandLine, tmp_path: Path) -> None:
    """Workers whose probes tell of a thousand additions a cycle must not become the reference that all others are judged by, in this run and later ones."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    liar = [{"at": "run", "do": "boundless"}]
    liars = [write_worker(tmp_path, name, {HASH: cost(1030)}, faults=liar) for name in ("beta", "gamma", "delta")]
    options = [word for path in (a, *liars) for word in ("--worker", path)]
    done = cli.measure("--base", "alpha", "--op", HASH, *options)
    (case,) = summary(done).cases
    assert case.passes_valid == 6, done.err
    assert "additions a cycle" in done.err
    found = summary(cli.measure("--base", "alpha", "--op", HASH, "--worker", a))
    assert found.cases[0].passes_valid == 6
    assert (found.manifest.ipc_reference or 0) <= 8.01


def test_the_time_bound_ends_a_run_in_order(cli: CommandLine, tmp_path: Path) -> None:
    """Forty passes of 0.6 s do not fit into 4 s: what was measured is there, the rest is cut, nothing is an error."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, sleep_s=0.01)
    done = cli.measure(
        "--base",
        "alpha",
        "--op",
        HASH,
        "--passes",
        "40",
        "--worker",
        a,
        "--precise",
        "--max-time",
        "4s",
    )
    assert done.code == 0, done.err
    found = summary(done)
    (case,) = found.cases
    assert case.end is CaseEnd.TIME_BOUND and 1 <= case.passes_tried < 40
    assert found.manifest.status == "finished"
    # A pass is started only if it fits: nothing begins after the bound.
    assert all(one.start_s <= 4 for one in passes(newest(cli.runs)))


def test_slow_operations_use_the_cpu_clock_and_rounds_of_their_own(cli: CommandLine, tmp_path: Path) -> None:
    """4 ms of CPU time in 5 ms of wall time: figures are CPU time, marked slow; 60 ms get five rounds; the fast lane beside them keeps all its rounds."""
    fast = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    slow = write_worker(tmp_path, "beta", {HASH: cost(5e6)}, cpu_share=0.8)
    slower = write_worker(tmp_path, "gamma", {HASH: cost(60e6)}, cpu_share=0.5)
    blind = write_worker(tmp_path, "delta", {HASH: cost(5e6)}, cpu_share=None)
    options = [word for path in (fast, slow, slower, blind) for word in ("--worker", path)]
    done = cli.measure("--base", "alpha", "--op", HASH, *options)
    lanes = cells(summary(done))
    assert lanes["beta@1.0"].ns.value == pytest.approx(4e6, rel=1e-5) and "slow-op" in lanes["beta@1.0"].flags
    assert lanes["gamma@1.0"].ns.value == pytest.approx(30e6, rel=1e-5)
    assert lanes["delta@1.0"].ns.value == pytest.approx(5e6, rel=1e-5)  # without a CPU clock: wall time
    assert not lanes["alpha@1.0"].slow
    bundle = newest(cli.runs)
    settings = bundle.manifest.settings
    warm = -(-settings.dropped_batches // settings.batches_per_turn)
    for one in passes(bundle):
        rows = {samples.lane: samples for samples in one.lanes}
        assert len(rows["alpha@1.0"].ns) == settings.batches_per_turn * (settings.rounds + warm)
        assert rows["beta@1.0"].slow and rows["beta@1.0"].calls == 1
        assert len(rows["beta@1.0"].ns) == len(rows["beta@1.0"].cpu_ns) == settings.slow_rounds + warm
        assert len(rows["gamma@1.0"].ns) == settings.very_slow_rounds + warm
        assert rows["delta@1.0"].cpu_ns == ()
        # evenly spread over the pass
        assert rows["gamma@1.0"].rounds[0] == 0 and rows["gamma@1.0"].rounds[-1] == settings.rounds + warm - 1


def test_every_pass_has_processes_of_its_own(cli: CommandLine, tmp_path: Path) -> None:
    """One process to introduce itself, then one a pass, two for the base library with its A/A lane."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000), MAC: cost(1000)})
    b = write_worker(tmp_path, "beta", {HASH: cost(1030), MAC: cost(1000)})
    done = cli.measure("--base", "alpha", "--filter", f"op:({HASH} OR {MAC})", "--worker", a, "--worker", b)
    assert done.code == 0
    assert (starts(a), starts(b)) == (1 + 2 * 6, 1 + 6)
    assert scripts.gone(tmp_path) == []


def test_a_selection_of_implementations_makes_each_a_lane(cli: CommandLine, tmp_path: Path) -> None:
    both = {HASH: {"default": {"ns": 1000}, "fast": {"ns": 500}}}
    a = write_worker(tmp_path, "alpha", both)
    found = summary(cli.measure("--base", "alpha", "--op", HASH, "--impl", "all", "--worker", a))
    lanes = cells(found)
    assert set(lanes) == {"alpha@1.0", "alpha@1.0:fast", "alpha@1.0#2"}
    assert lanes["alpha@1.0:fast"].ns.value == pytest.approx(500)
    assert starts(a) == 1 + 2 * 6  # implementations of one build share its process


def test_a_lane_that_breaks_does_not_take_its_siblings_along(cli: CommandLine, tmp_path: Path) -> None:
    """Implementations of one build share a process: when one ends it, the others enter again in a fresh one."""
    costs = {HASH: {"default": {"ns": 1000}, "slow": {"ns": 2000}, "torn": {"ns": 500}}}
    a = write_worker(tmp_path, "alpha", costs, faults=[{"at": "prepare", "do": "abort", "op": HASH, "impl": "torn"}])
    b = write_worker(tmp_path, "beta", {HASH: {"default": {"ns": 1500}}})
    lanes = cells(summary(cli.measure("--base", "beta", "--op", HASH, "--impl", "all", "--worker", a, "--worker", b)))
    assert lanes["alpha@1.0:torn"].outcome == "crashed"
    assert lanes["alpha@1.0"].outcome == lanes["alpha@1.0:slow"].outcome == lanes["beta@1.0"].outcome == "ok"
    assert lanes["alpha@1.0:slow"].ns.value == pytest.approx(2000)
