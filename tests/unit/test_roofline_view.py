# SPDX-License-Identifier: Apache-2.0
"""Shares of the roofline, their sentences and flags; the spectrum's rows and scores."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from store_example import manifest

from cipherstone.catalogue.roofline import load_models
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import Build, KernelFigure, Spectrum
from cipherstone.model.roofline import RooflineRow
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, NoiseSummary, RunSummary
from cipherstone.report.blocks.roofline import best_rows
from cipherstone.report.render.machine import roofline_lines, score_lines, spectrum_lines
from cipherstone.views.machines import kernel_group, missing_features, ratio_to, scores, spectrum_rows
from cipherstone.views.roofline import roofline_rows, times

MODELS = load_models(Path(__file__).resolve().parents[2])
# Figures of a Zen 5 core, in cycles.
FIGURES = {
    "aesenc-xmm/latency": 3.99,
    "aesenc-xmm/throughput": 0.503,
    "vaesenc-ymm/throughput": 0.503,
    "vaesenc-zmm/throughput": 0.503,
    "pxor-xmm/throughput": 0.25,
    "vpxor-ymm/throughput": 0.25,
    "vpaddd-zmm/throughput": 0.25,
    "load/throughput": 0.5,
    "load/latency": 4.0,
    "add/throughput": 0.2,
    "add/latency": 1.0,
    "ror/latency": 1.0,
    "ror/throughput": 0.5,
    "sha256rnds2/latency": 3.99,
    "sha256rnds2/throughput": 2.0,
}
SPECTRUM = Spectrum("x86-64", tuple(KernelFigure(f"x86-64.{k}", v) for k, v in FIGURES.items()), 1.0, ghz=4.0)
WIDE = ("aes", "vaes", "avx2", "avx512f", "sha_ni")
NOISE = NoiseSummary(
    **dict.fromkeys((f for f in NoiseSummary.__struct_fields__ if f != "ipc_by_pass"), None)
    | {"passes_tried": 6, "passes_valid": 6, "waited_s": 0.0, "cpus": (), "aa_false_positives": 0, "aa_cases": 0}  # type: ignore[arg-type]
)
TITLES = {"aes-128-ctr/encrypt": "AES-128-CTR", "sha-256/hash": "SHA-256", "aes-128-cbc/encrypt": "AES-128-CBC"}


def case(operation: str, size: int, **cycles: float | None) -> CaseSummary:
    """A case with a lane for each library: cycles a byte, or None for a figure without cycles."""
    name = f"{operation}/bytes={size}"
    cells = tuple(
        CellSummary(
            name,
            f"{library}@3.0",
            Outcome.OK,
            ns=Estimate(100.0),
            cycles=None if value is None else Estimate(value * size, value * size * 0.99, value * size * 1.01),
        )
        for library, value in cycles.items()
    )
    verb = operation.partition("/")[2]
    return CaseSummary(name, operation, TITLES.get(operation, operation), "cipher", verb, size, "", (), cells)


def run(*cases: CaseSummary, spectrum: Spectrum | None = SPECTRUM, features: tuple[str, ...] = WIDE) -> RunSummary:
    base = manifest()
    machine = msgspec.structs.replace(base.machine, cpu_features=features)
    builds = (Build("openssl", "3.0", "3.0", "", "OpenSSL", "", "", "", None, ""),)
    made = msgspec.structs.replace(base, machine=machine, builds=builds, spectrum=spectrum)
    return RunSummary(made, cases, (), (), NOISE, "indicative", "")


def only(summary: RunSummary) -> RooflineRow:
    (row,) = roofline_rows(MODELS, summary)
    return row


def test_the_sentence_of_a_bulk_cipher() -> None:
    row = only(run(case("aes-128-ctr/encrypt", 16384, openssl=0.3446)))
    assert row.sentence == "AES-128-CTR, OpenSSL 3.0: 91 % of AES-NI, 23 % of VAES-512: four times left"
    assert [tier.tier for tier in row.tiers] == ["tables", "AES-NI", "VAES-256", "VAES-512"]
    assert row.tiers[0].share is not None and row.tiers[0].share > 1 and not row.flag
    assert row.measured is not None and row.measured.value == pytest.approx(0.3446)
    assert row.measured.low == pytest.approx(0.3446 * 0.99) and row.left == pytest.approx(0.3446 / 0.0786, rel=1e-3)
    assert "aesenc-xmm/throughput" in row.why and "VAES-512 would allow 4.0 times" in row.why


def test_a_chain_says_that_it_is_latency_bound() -> None:
    row = only(run(case("sha-256/hash", 16384, openssl=2.031)))
    assert row.sentence == "SHA-256, OpenSSL 3.0: 98 % of SHA-NI: little left"
    assert row.why.startswith("latency-bound (sha256rnds2/latency)")


def test_equal_tiers_are_one_and_the_one_that_asks_for_less_is_named() -> None:
    double = tuple(
        msgspec.structs.replace(one, cycles=1.005) if "vaesenc-zmm" in one.kernel else one for one in SPECTRUM.figures
    )
    spectrum = msgspec.structs.replace(SPECTRUM, figures=double)
    row = only(run(case("aes-128-ctr/encrypt", 16384, openssl=0.178), spectrum=spectrum))
    assert row.sentence == "AES-128-CTR, OpenSSL 3.0: 88 % of VAES-256: 1.1 times left"
    assert [tier.tier for tier in row.tiers] == ["tables", "AES-NI", "VAES-256", "VAES-512"]


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (1.05, "little left"),
        (1.1, "1.1 times left"),
        (1.9, "two times left"),
        (2.3, "2.3 times left"),
        (3.0, "three times left"),
        (4.2, "four times left"),
        (5.0, "five times left"),
        (6.4, "six times left"),
        (7.0, "7.0 times left"),
        (8.0, "eight times left"),
        (10.0, "ten times left"),
        (12.0, "12 times left"),
    ],
)
def test_what_is_left_in_words(factor: float, words: str) -> None:
    assert times(factor) == words


def test_a_ratio_needs_both_of_its_sides() -> None:
    assert ratio_to(2.0, 3.0) == 1.5
    assert ratio_to(None, 3.0) is ratio_to(0.0, 3.0) is ratio_to(2.0, None) is None


def test_a_cell_without_any_bound_says_why() -> None:
    """Nothing that its tiers are made of was measured here."""
    spectrum = msgspec.structs.replace(SPECTRUM, figures=SPECTRUM.figures[-1:])
    row = only(run(case("aes-128-ctr/encrypt", 16384, openssl=0.3446), spectrum=spectrum))
    assert row.best is None and row.sentence == "" and row.measured is not None
    assert row.reason == row.tiers[0].reason != ""


def test_tiers_of_other_processors_are_not_shown() -> None:
    row = only(run(case("aes-128-ctr/encrypt", 16384, openssl=0.3446), features=("aes",)))
    assert [tier.tier for tier in row.tiers] == ["tables", "AES-NI"]
    assert row.sentence.endswith("91 % of AES-NI: little left")


@pytest.mark.parametrize(
    ("cycles", "flagged"), [(0.0786 / 1.019, False), (0.0786 / 1.03, True), (99.0, False), (101.0, True)]
)
def test_a_share_that_no_tier_allows_or_that_is_tiny_is_the_models_fault(cycles: float, flagged: bool) -> None:
    # 5 % of the weakest tier: 160 look-ups at 0.5 cycles for 16 bytes are 5 cycles a byte.
    row = only(run(case("aes-128-ctr/encrypt", 16384, openssl=cycles)))
    assert bool(row.flag) == flagged
    if flagged:
        assert "model wrong for this result" in row.sentence and not row.why
        assert scores([row]).overall == {} and scores([row]).flagged == (row,)


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        (run(case("sha-256/hash", 16384, openssl=2.0), spectrum=None), "holds no spectrum"),
        (
            run(case("sha-256/hash", 16384, openssl=2.0), spectrum=Spectrum("x86-64", refused="chains differ")),
            "chains differ",
        ),
        (run(case("sha-256/hash", 16384, openssl=None)), "no cycles"),
        (run(case("sha-256/hash", 1024, openssl=3.0)), "measured up to 1 KiB only"),
        (run(case("aes-128-gcm/seal", 16384, openssl=3.0), features=("aes", "pclmulqdq", "ssse3")), ""),
    ],
)
def test_where_there_is_no_bound_the_row_says_why(summary: RunSummary, said: str) -> None:
    row = only(summary)
    assert said in row.reason and bool(row.sentence) == (not said)


def test_a_kernel_without_a_figure_takes_its_tier_out() -> None:
    row = only(run(case("aes-128-gcm/seal", 16384, openssl=7.0), features=("aes", "pclmulqdq", "ssse3")))
    assert [(tier.tier, bool(tier.reason)) for tier in row.tiers] == [("AES-NI", True), ("tables", False)]
    assert "pclmulqdq-xmm/throughput" in row.tiers[0].reason


def test_the_largest_size_counts_and_the_second_process_does_not() -> None:
    small, large = case("sha-256/hash", 8192, openssl=9.0), case("sha-256/hash", 16384, openssl=2.0)
    twin = msgspec.structs.replace(large.cells[0], lane="openssl@3.0#2")
    row = only(run(large, small))
    assert row.case.endswith("bytes=16384")
    assert len(roofline_rows(MODELS, run(msgspec.structs.replace(large, cells=(*large.cells, twin))))) == 1


@pytest.mark.parametrize("outcome", [Outcome.WRONG, Outcome.UNAVAILABLE, Outcome.CRASHED])
def test_what_was_not_timed_has_no_row(outcome: Outcome) -> None:
    one = case("sha-256/hash", 16384, openssl=1.5, nettle=2.0)
    first, other = one.cells
    cells = (msgspec.structs.replace(first, outcome=outcome, ns=None, cycles=None), other)
    assert [row.lane for row in roofline_rows(MODELS, run(msgspec.structs.replace(one, cells=cells)))] == [other.lane]


def test_scores_and_what_is_slower_than_this_core_should_be() -> None:
    operations = ("aes-128-ctr/encrypt", "aes-256-ctr/encrypt", "aes-128-cbc/decrypt", "sha-256/hash")
    cycles = (0.0786 / 0.5, 0.11 / 0.5, 0.0786 / 0.1, 1.995 / 0.5)
    summary = run(*(case(o, 16384, openssl=c) for o, c in zip(operations, cycles, strict=True)))
    found = scores(roofline_rows(MODELS, summary))
    assert found.counts == {"openssl@3.0": 4}
    assert found.overall["openssl@3.0"] == pytest.approx((0.5**3 * 0.1) ** 0.25, rel=0.01)
    assert [one.row.operation for one in found.residuals] == ["aes-128-cbc/decrypt"]
    assert "slower than this core should be: 10 % of VAES-512" in found.residuals[0].sentence


def test_a_build_stands_with_the_lane_that_the_ranking_puts_first() -> None:
    """The second of the ranking has the smaller figure by a hair: it is in a tie, and does not stand for the library."""
    one = case("aes-128-ctr/encrypt", 16384, openssl=0.3446)
    (cell,) = one.cells
    other = msgspec.structs.replace(cell, lane="openssl@3.0:second", cycles=Estimate(0.3440 * 16384))
    one = msgspec.structs.replace(one, cells=(other, cell), ranking=((cell.lane, other.lane),))
    rows = roofline_rows(MODELS, run(one))
    assert [row.lane for row in best_rows(rows)] == [cell.lane]
    (row,) = (row for row in rows if row.lane == cell.lane)
    assert row.best is not None and scores(rows).overall["openssl@3.0"] == pytest.approx(row.best.share)


def test_text_fits_its_width() -> None:
    summary = run(
        case("aes-128-ctr/encrypt", 16384, openssl=0.3446, bearssl=16.0), case("sha-256/hash", 16384, openssl=2.0)
    )
    rows = roofline_rows(MODELS, summary)
    for width in (60, 80, 120):
        machine = summary.manifest.machine
        lines = [
            *roofline_lines(rows, width),
            *score_lines(scores(rows), width),
            *spectrum_lines(SPECTRUM, machine, width),
        ]
        assert max(map(len, lines)) <= width
    assert any("91 %*" in line for line in roofline_lines(rows, 80))


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("mulx", "scalar multiply"),
        ("mont-inner-plain", "scalar multiply"),
        ("adcx-adox", "carry chain"),
        ("vaesenc-zmm", "AES round"),
        ("vpclmulqdq-ymm", "carry-less multiply"),
        ("pxor-xmm", "vector integer"),
        ("gf2p8mulb-xmm", "vector integer"),
        ("sha256rnds2", "SHA round"),
        ("shl", "scalar integer"),
        ("store", "load and store"),
        ("branch", "branch"),
        ("andn", "scalar integer"),
    ],
)
def test_groups_of_kernels(name: str, group: str) -> None:
    assert kernel_group(name) == group


def test_rows_of_the_spectrum() -> None:
    rows = {row.name: row for row in spectrum_rows(SPECTRUM)}
    aes = rows["aesenc-xmm"]
    assert (aes.latency, aes.throughput, aes.per_second) == (3.99, 0.503, pytest.approx(4e9 / 0.503))
    lacking = missing_features("x86-64", ("aes", "avx2"))
    assert ("vaes", "AES on wide vectors") in lacking and "aes" not in dict(lacking)
