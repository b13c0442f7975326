# SPDX-License-Identifier: Apache-2.0
"""Noise panel, trust word, lines over sizes, crossovers."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from test_views_passes import manifest, pass_record, samples, uneven

from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import CaseEndRecord, NoiseRecord, OutcomeRecord, PassRecord, Record
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import state_of
from cipherstone.views.run.estimates import CaseValues
from cipherstone.views.run.noise import LARGEST_SERIES, trust
from cipherstone.views.run.summarise import summarise

CASE = "aes-128-gcm/seal/bytes=16384"
A, B, TWIN = "openssl@3", "nettle@3", "openssl@3#2"
COSTS = {A: 100.0, B: 130.0, TWIN: 100.0}
CONVERGED = CaseEndRecord(CASE, CaseEnd.CONVERGED, 9, 9)


def summary(records: list[Record], **more: object) -> RunSummary:
    return summarise(manifest({CASE: (A, B, TWIN)}, **more), records)  # type: ignore[arg-type]


def nine(costs: Mapping[str, float] = COSTS) -> list[Record]:
    return [pass_record(CASE, p, costs) for p in range(9)]


def test_noise_panel_by_hand() -> None:
    records: list[Record] = [
        pass_record(CASE, p, COSTS, harness_ns=(0.5, 0.6, 0.5), waited_s=0.25, cpus=(1,) * 6) for p in range(8)
    ]
    contended = pass_record(CASE, 8, COSTS, ipc=4.0, ghz=2.0, waited_s=0.5, cpus=(1, 1, 0))
    records += [
        contended,
        *(NoiseRecord(p, 10.0 * p, 4.0, load_1min=float(p), steal_ratio=0.01, imul_ratio=3.01) for p in range(9)),
    ]
    n = summary(records).noise
    assert (n.passes_tried, n.passes_valid) == (9, 8)
    assert n.disturbed_ratio == pytest.approx(1 / 9)
    assert n.waited_s == 8 * 0.25 + 0.5 and n.cpus == (1, 0)  # in order of first use
    assert n.ipc_median == pytest.approx(5.0) and n.ipc_reference == 5.0
    assert (n.ghz_low, n.ghz_high) == pytest.approx((2.0, 4.0))
    assert n.slow_batches_ratio == 0.0
    assert n.nivcsw_per_batch == pytest.approx(2 / 62)
    assert (n.steal_ratio, n.load_1min, n.imul_ratio) == (0.01, 4.0, 3.01)
    assert n.wall_over_cpu == pytest.approx(2.0)
    assert n.harness_ns == 0.5
    assert n.timed_share == pytest.approx(9 * 1.0 / (9 * 4.0))  # of the whole pass, starts of processes included
    assert n.ipc_by_pass[0] == pytest.approx((0.0, 5.0)) and n.ipc_by_pass[-1] == (80.0, 4.0)
    assert (n.aa_offset_median, n.aa_halfwidth_median, n.aa_worst, n.aa_false_positives, n.aa_cases) == (
        0.0,
        0.0,
        0.0,
        0,
        1,
    )


def test_missing_figures_are_missing() -> None:
    n = summary([]).noise
    assert n.passes_tried == 0 and n.waited_s == 0.0 and n.cpus == ()
    for value in (
        n.ipc_median,
        n.disturbed_ratio,
        n.ghz_low,
        n.slow_batches_ratio,
        n.nivcsw_per_batch,
        n.steal_ratio,
        n.wall_over_cpu,
        n.aa_worst,
        n.harness_ns,
        n.timed_share,
    ):
        assert value is None
    assert summary(nine()).noise.timed_share == 0.5  # no noise records: the passes' own wall time


def test_slow_batches_are_counted_against_their_floor() -> None:
    record = pass_record(CASE, 0, {}, lanes=(uneven(A, (100_000,) * 56 + (121_000,) * 6),))
    n = summary([record]).noise
    assert n.slow_batches_ratio == pytest.approx(6 / 60) and n.disturbed_ratio == 0.0


HALF = uneven(A, (100_000,) * 60)
HALF = msgspec.structs.replace(HALF, tput_ns=HALF.tput_ns[:72] + (1 / 16,) * 48)  # batches 36 to 59 at IPC 4


def test_batches_that_nobody_looked_at_are_no_undisturbed_ones() -> None:
    """A worker without a probe beside one that has one."""
    lanes = (HALF, samples(B, 130.0, ipc=None))
    assert summary([pass_record(CASE, 0, {}, lanes=lanes)]).noise.disturbed_ratio == pytest.approx(24 / 58)


def test_disturbed_batches_are_those_that_the_probes_call_so() -> None:
    """Of a lane that has a figure, and of one that has none."""
    lanes = (HALF, samples(B, 130.0, ipc=4.0))
    n = summary([pass_record(CASE, 0, {}, lanes=lanes)]).noise
    assert n.disturbed_ratio == pytest.approx((24 + 60) / (58 + 60))
    assert summary([pass_record(CASE, 0, {A: 100.0}, ipc=None)]).noise.disturbed_ratio is None


def test_aa_figures() -> None:
    low = [0.999, 1.0, 1.001, 1.002, 1.003, 1.004, 1.005, 1.006, 1.007]
    records: list[Record] = [pass_record(CASE, p, {A: 10000.0, B: 13000.0, TWIN: 10000 * low[p]}) for p in range(9)]
    n = summary(records).noise
    assert n.aa_offset_median == n.aa_worst == pytest.approx(0.003)
    assert n.aa_halfwidth_median == pytest.approx(1.003 / 1.0 - 1)
    assert n.aa_false_positives == 0


def test_long_series_are_merged() -> None:
    plan = {f"md5/hash/bytes={n}": (A,) for n in range(130)}
    records = [
        pass_record(case, p, {A: 100.0}, start_s=p * 1000.0 + k) for k, case in enumerate(plan) for p in range(9)
    ]
    series = summarise(manifest(plan), records).noise.ipc_by_pass
    assert 300 < len(series) <= LARGEST_SERIES
    assert [t for t, _ in series] == sorted(t for t, _ in series)


def test_publishable() -> None:
    s = summary([*nine(), CONVERGED])
    assert (s.trust, s.trust_reason) == (
        "publishable",
        "2 of 2 cells have a figure, 1 of 1 A/A comparison came out alike, every case is settled",
    )
    # Not converged in time, yet every ratio to the best is a finding.
    assert summary([*nine(), CaseEndRecord(CASE, CaseEnd.TIME_BOUND, 9, 9)]).trust == "publishable"


def test_the_reference_of_a_run_without_a_stored_one() -> None:
    records: list[Record] = [*nine(), *(pass_record(CASE, 9 + p, COSTS, ipc=4.5) for p in range(3))]
    s = summary(records, ipc_reference=None)
    assert s.noise.ipc_reference == pytest.approx(5.0)
    assert (s.noise.passes_tried, s.noise.passes_valid) == (12, 9)  # 4.5 is unmasked by the others
    assert (s.cases[0].passes_tried, s.cases[0].passes_valid) == (12, 9)
    assert any("found by this run alone" in w for w in s.warnings)
    stored = summary(records, ipc_reference=6.0, ipc_reference_from="shipped table")
    assert stored.noise.passes_valid == 0 and stored.trust == "contended"
    assert not any("found by this run alone" in w for w in stored.warnings)


def bad_passes(count: int) -> list[Record]:
    return [pass_record(CASE, 100 + p, COSTS, ipc=4.0) for p in range(count)]


def test_disturbed_passes_alone_take_no_trust_away() -> None:
    """They are not used; what is left is as good as ever, up to nine batches in ten."""
    assert summary([*nine(), *bad_passes(72), CONVERGED]).trust == "publishable"
    s = summary([*nine(), *bad_passes(90), CONVERGED])
    assert (s.trust, s.trust_reason) == ("indicative", "91% of the batches were disturbed")


def test_what_is_timed_as_whole_processes_alone_takes_no_trust_away() -> None:
    """Its cells have no figure of passes, which is no want of one."""
    keys = "dsa-2048-sha256/paramgen"
    plan = manifest({CASE: (A, B, TWIN), keys: (A, B, TWIN)})
    s = summarise(plan, [*nine(), CONVERGED, CaseEndRecord(keys, CaseEnd.PROCESSES, 0, 0)])
    assert (s.trust, s.trust_reason[:25]) == ("publishable", "2 of 2 cells have a figur")
    assert not any("no figure" in warning for warning in s.warnings)
    (alone,) = (case for case in s.cases if case.case == keys)
    assert {cell.refused for cell in alone.cells} == {"not measured: timed as whole processes alone"}
    assert {state_of(alone, cell) for cell in alone.cells} == {"processes"}
    bound = summarise(plan, [*nine(), CONVERGED, CaseEndRecord(keys, CaseEnd.TIME_BOUND, 0, 0)])
    assert bound.trust == "indicative" and any("no figure" in warning for warning in bound.warnings)


@pytest.mark.parametrize(
    "records,more,reason",
    [
        ([*nine(), CONVERGED], {"status": "interrupted"}, "the run is interrupted"),
        (nine({A: 100.0, B: 130.0}), {}, "no library was measured against itself"),
        (nine({A: 100.0, TWIN: 100.0}), {}, "only 1 of 2 cells have a figure"),
        ([pass_record(CASE, p, COSTS, ipc=None) for p in range(9)], {}, "no probe could watch for contention"),
    ],
)
def test_indicative(records: list[Record], more: dict[str, object], reason: str) -> None:
    s = summary(records, **more)
    assert s.trust == "indicative" and reason in s.trust_reason


@pytest.mark.parametrize(
    "records,reason",
    [
        ([], "nothing was measured"),
        ([CaseEndRecord(CASE, CaseEnd.TIME_BOUND, 0, 0)], "nothing was measured"),
        (nine()[:5], "0 of 2 cells have a figure: 5 passes with a figure, 6 needed for an interval"),
    ],
)
def test_a_run_without_a_single_figure_is_empty(records: list[Record], reason: str) -> None:
    """Whatever its status: it holds nothing that could be indicative."""
    for status in ("finished", "interrupted"):
        s = summary(records, status=status)
        assert (s.trust, s.trust_reason) == ("empty", reason)


def with_second_lane(factors: list[float]) -> list[Record]:
    return [pass_record(CASE, p, {A: 10000.0, B: 10000 * f, TWIN: 10000.0}) for p, f in enumerate(factors)]


def test_unresolved_cases_are_only_indicative_unless_they_converged() -> None:
    wide = with_second_lane([1.0, 1.002, 1.004, 1.006, 1.015, 1.024, 1.026, 1.028, 1.03])  # 1.015 [1.002, 1.028]
    s = summary(wide)
    assert (s.trust, s.trust_reason) == ("indicative", "1 of 1 case is not settled")
    assert summary([*wide, CONVERGED]).trust == "publishable"


def test_a_narrow_interval_across_the_limit_is_settled() -> None:
    s = summary(with_second_lane([1.0, 1.006, 1.007, 1.008, 1.01, 1.012, 1.013, 1.014, 1.02]))  # 1.010 [1.006, 1.014]
    assert s.cases[0].to_best[1].verdict == "undecided" and s.trust == "publishable"


@pytest.mark.parametrize("broken", [A, TWIN])
def test_a_library_is_measured_against_itself_only_where_both_lanes_work(broken: str) -> None:
    """What one of them gave before it broke says nothing of the noise."""
    whole = summary([*nine(), CONVERGED])
    assert whole.noise.aa_cases == 1 and whole.noise.aa_worst is not None
    half = summary([*nine(), OutcomeRecord(CASE, broken, Outcome.CRASHED, "signal 11"), CONVERGED])
    assert (half.noise.aa_cases, half.noise.aa_worst) == (0, None)
    assert "no library was measured against itself" in half.trust_reason


@pytest.mark.parametrize(
    ("at_the_limit", "beyond", "reason"),
    [
        ({"disturbed_ratio": 0.9}, {"disturbed_ratio": 0.901}, "90% of the batches were disturbed"),
        (
            {"aa_cases": 20, "aa_false_positives": 1},
            {"aa_cases": 19, "aa_false_positives": 1},
            "1 of 19 libraries measured against themselves came out different",
        ),
        (
            {"aa_offset_median": 0.006, "aa_halfwidth_median": 0.02},
            {"aa_offset_median": 0.006, "aa_halfwidth_median": 0.091},
            "libraries are the same as themselves to \u00b19.1 % in the median, more than \u00b12 %",
        ),
    ],
)
def test_a_limit_of_trust_is_still_trusted(
    at_the_limit: dict[str, float], beyond: dict[str, float], reason: str
) -> None:
    s = summary([*nine(), CONVERGED])
    values = [CaseValues(seen={A: 9, B: 9, TWIN: 9})]

    def word(more: dict[str, float]) -> tuple[str, str]:
        return trust(s.manifest, msgspec.structs.replace(s.noise, **more), s.cases, values)

    assert word(at_the_limit)[0] == "publishable"
    assert word(beyond) == ("indicative", reason)


def test_one_cell_in_twenty_may_lack_its_figure() -> None:
    s = summary([*nine(), CONVERGED])
    whole = s.cases[0]
    first, *others = whole.cells

    def word(count: int, lacking: int) -> tuple[str, str]:
        cases, values = [], []
        for number in range(count // 2):
            ns = None if number < lacking else first.ns
            name = f"md5/hash/bytes={number + 1}"
            cells = (msgspec.structs.replace(first, ns=ns, refused="one pass with a figure"), *others)
            cells = tuple(msgspec.structs.replace(cell, case=name) for cell in cells)
            cases.append(msgspec.structs.replace(whole, case=name, cells=cells))
            values.append(CaseValues(seen={A: 9, B: 9, TWIN: 9}))
        return trust(s.manifest, s.noise, cases, values)

    assert word(20, 1)[0] == "publishable"
    assert word(18, 1) == ("indicative", "only 17 of 18 cells have a figure")


def test_a_run_with_most_cells_contended() -> None:
    """Cells count, and the A/A lane is none: the case with figures has two."""

    def with_dead(count: int) -> RunSummary:
        dead = {f"md5/hash/bytes={n}": (A,) for n in range(count)}
        records = [*nine(), *(pass_record(case, p, {A: 1.0}, ipc=4.0) for case in dead for p in range(9))]
        return summarise(manifest({CASE: (A, B, TWIN), **dead}), records)

    s = with_dead(3)
    assert (s.trust, s.trust_reason) == ("contended", "only 2 of 5 cells have a figure: something else used the core")
    assert all(c.end is None and c.cells[0].refused.startswith("contended: 0 of 60") for c in s.cases[1:])
    half = with_dead(2)
    assert half.trust == "indicative" and "only 2 of 4 cells have a figure" in half.trust_reason


def test_a_run_that_was_contended_throughout_is_that_and_not_empty() -> None:
    s = summary(bad_passes(9))
    assert (s.trust, s.trust_reason) == ("contended", "only 0 of 2 cells have a figure: something else used the core")


SIZES = (16, 64, 256, 1024, 8192)


def sized(
    operation: str, times: Mapping[str, Mapping[int, float]], scale: tuple[float, ...] = (1.0,) * 9
) -> RunSummary:
    """Lane -> size -> ns per call; pass p is `scale[p]` times that."""
    plan = {f"{operation}/bytes={size}": tuple(times) for size in SIZES}
    records: list[Record] = []
    for size in SIZES:
        for p, factor in enumerate(scale):
            lanes = tuple(samples(lane, row[size] * factor, calls=10**6) for lane, row in times.items())
            records.append(pass_record(f"{operation}/bytes={size}", p, {}, lanes=lanes))
    return summarise(manifest(plan), records)


def test_line_of_a_lane() -> None:
    scale = (1.0, 0.99, 1.01, 0.98, 1.02, 0.97, 1.03, 0.96, 1.04)
    (fit,) = sized("aes-128-gcm/seal", {A: {n: 150 + 0.25 * n for n in SIZES}}, scale).fits
    assert fit.overhead_ns is not None and fit.per_byte_ns is not None
    assert (fit.overhead_ns.value, fit.overhead_ns.low, fit.overhead_ns.high) == pytest.approx((150, 145.5, 154.5))
    assert (fit.per_byte_ns.value, fit.per_byte_ns.low, fit.per_byte_ns.high) == pytest.approx((0.25, 0.2425, 0.2575))
    assert fit.half_size_bytes == pytest.approx(600)
    assert fit.rms_relative_error < 1e-6 and fit.sizes == SIZES and fit.withheld == ""


def test_hashes_run_over_padded_blocks() -> None:
    padded = {16: 64, 64: 128, 256: 320, 1024: 1088, 8192: 8256}
    (fit,) = sized("sha-256/hash", {A: {n: 40 + 0.5 * padded[n] for n in SIZES}}).fits
    assert fit.overhead_ns is not None and fit.overhead_ns.value == pytest.approx(40) and fit.rms_relative_error < 1e-6


def test_what_is_no_line_is_withheld() -> None:
    times = {16: 200.0, 64: 100.0, 256: 300.0, 1024: 700.0, 8192: 4000.0}
    (fit,) = sized("aes-128-gcm/seal", {A: times}).fits
    assert fit.overhead_ns is None and fit.per_byte_ns is None and fit.half_size_bytes is None
    assert fit.rms_relative_error > 0.05 and "do not lie on one line" in fit.withheld


def test_flat_times_have_an_overhead_and_no_rate() -> None:
    times: dict[int, float] = dict.fromkeys(SIZES, 9000.0)
    (fit,) = sized("ed25519/sign", {A: times}).fits
    assert fit.overhead_ns is not None and fit.overhead_ns.value == pytest.approx(9000)
    assert fit.per_byte_ns is None and "grow" in fit.withheld


def test_fewer_than_four_sizes_have_no_line() -> None:
    plan = {f"aes-128-gcm/seal/bytes={n}": (A,) for n in SIZES[:3]}
    records: list[PassRecord] = [pass_record(case, p, {A: 100.0}) for case in plan for p in range(9)]
    assert summarise(manifest(plan), records).fits == ()


def test_crossover_of_two_leading_lanes() -> None:
    # a = 100 + n, b = 164 + n/2: equal at 128 bytes; c never leads.
    times: dict[str, dict[int, float]] = {
        A: {n: 100 + n for n in SIZES},
        B: {n: 164 + n / 2 for n in SIZES},
        "botan@2": {n: 5000 + 2 * n for n in SIZES},
    }
    (c,) = sized("aes-128-gcm/seal", times).crossovers
    assert (c.operation, c.small, c.large, c.below_bytes, c.above_bytes) == ("aes-128-gcm/seal", A, B, 64, 256)
    assert 100 < c.size_bytes < 150


def test_a_lane_that_always_leads_crosses_nobody() -> None:
    assert (
        sized("aes-128-gcm/seal", {A: {n: 100 + n for n in SIZES}, B: {n: 200 + n * 2 for n in SIZES}}).crossovers == ()
    )
