# SPDX-License-Identifier: Apache-2.0
"""Lines over the sizes: who gets one, from which figures."""

from __future__ import annotations

import pytest
from test_views_passes import manifest, pass_record

from cipherstone.model.estimate import Estimate
from cipherstone.model.records import Record
from cipherstone.model.summary import FitSummary, RunSummary
from cipherstone.stats.line import LineFit
from cipherstone.views.run import fits
from cipherstone.views.run.fits import _summary, line_length
from cipherstone.views.run.summarise import summarise

OSSL, NTL, TWIN = "openssl@3.0", "nettle@3.8", "openssl@3.0#2"
LANES = (OSSL, NTL, TWIN)
SIZES = (16, 64, 256, 1024, 16384)


def with_times(times: dict[int, float]) -> RunSummary:
    """A lane with these ns at these sizes, and one beside it that is on a line."""
    cases = {f"aes-128-gcm/seal/bytes={size}": size for size in times}
    records: list[Record] = [
        pass_record(case, p, {OSSL: times[size], NTL: 400 + 0.2 * size, TWIN: times[size]})
        for p in range(9)
        for case, size in cases.items()
    ]
    return summarise(manifest(dict.fromkeys(cases, LANES)), records)


def over_sizes(sizes: tuple[int, ...] = SIZES, operation: str = "aes-128-gcm/seal") -> RunSummary:
    """100 ns and 0.5 ns a byte, against 400 ns and 0.2 ns: they meet at 1000 bytes."""
    cases = {f"{operation}/bytes={size}": size for size in sizes}
    records: list[Record] = [
        pass_record(case, p, {OSSL: 100 + 0.5 * size, NTL: 400 + 0.2 * size, TWIN: 100 + 0.5 * size})
        for p in range(9)
        for case, size in cases.items()
    ]
    return summarise(manifest(dict.fromkeys(cases, LANES)), records)


def test_the_lane_against_itself_has_no_line_and_changes_places_with_nobody() -> None:
    """It is there to show the noise; a reader of the fits would take it for a library."""
    found = over_sizes()
    assert {fit.lane for fit in found.fits} == {OSSL, NTL}
    assert {lane for one in found.crossovers for lane in (one.small, one.large)} == {OSSL, NTL}


def test_the_line_is_that_of_the_figures() -> None:
    fits = {fit.lane: fit for fit in over_sizes().fits}
    for lane, overhead, per_byte in ((OSSL, 100.0, 0.5), (NTL, 400.0, 0.2)):
        fit = fits[lane]
        assert fit.overhead_ns is not None and fit.overhead_ns.value == pytest.approx(overhead, rel=1e-3)
        assert fit.per_byte_ns is not None and fit.per_byte_ns.value == pytest.approx(per_byte, rel=1e-3)
        assert fit.half_size_bytes == pytest.approx(overhead / per_byte, rel=1e-2)
        assert fit.sizes == SIZES
    (crossing,) = over_sizes().crossovers
    assert crossing.size_bytes == pytest.approx(1000, rel=0.01)
    assert (crossing.below_bytes, crossing.above_bytes) == (256, 1024)


def test_three_sizes_make_no_line() -> None:
    assert over_sizes(SIZES[:3]).fits == ()
    assert {fit.lane for fit in over_sizes(SIZES[:4]).fits} == {OSSL, NTL}


def test_times_that_lie_on_no_line_have_a_rate_from_1_kib_up() -> None:
    """Short messages go another way: their times say nothing of the rate."""
    times = {16: 900.0, 64: 20.0, 256: 900.0, 1023: 9000.0, 1024: 612.0, 2048: 1124.0, 16384: 8292.0}
    (fit,) = [fit for fit in with_times(times).fits if fit.lane == OSSL]
    assert (fit.overhead_ns, fit.per_byte_ns, fit.half_size_bytes) == (None, None, None)
    assert fit.rms_relative_error > 0.05 and fit.sizes == tuple(times)
    assert fit.withheld.startswith("the times do not lie on one line (relative error ")
    assert fit.withheld.endswith("; from 1 KiB up 0.5 ns per byte")


def test_times_whose_error_is_the_largest_allowed_are_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fit() -> FitSummary:
        times = {16: 110.0, 64: 130.0, 256: 230.0, 1024: 615.0, 16384: 8300.0}
        return next(fit for fit in with_times(times).fits if fit.lane == OSSL)

    error = fit().rms_relative_error
    assert 0.0 < error < fits.LARGEST_RMS
    for limit, withheld in ((error, False), (0.999 * error, True)):
        monkeypatch.setattr(fits, "LARGEST_RMS", limit)
        assert bool(fit().withheld) is withheld


@pytest.mark.parametrize(
    "large",
    [
        {1024: 612.0, 2048: 1124.0},  # two sizes are on a line whatever they are
        {1024: 612.0, 2048: 11240.0, 16384: 829.0},  # on no line either
        {1024: 9000.0, 2048: 8600.0, 16384: 3000.0},  # falls
    ],
)
def test_without_a_line_from_1_kib_up_there_is_no_rate(large: dict[int, float]) -> None:
    (fit,) = [fit for fit in with_times({16: 900.0, 64: 20.0, 256: 900.0, **large}).fits if fit.lane == OSSL]
    assert fit.per_byte_ns is None and "from 1 KiB up" not in fit.withheld


def test_a_time_that_does_not_grow_has_no_rate() -> None:
    (fit,) = [fit for fit in with_times(dict.fromkeys(SIZES, 100.0)).fits if fit.lane == OSSL]
    assert fit.overhead_ns is not None and fit.overhead_ns.value == pytest.approx(100)
    assert (fit.per_byte_ns, fit.half_size_bytes, fit.withheld) == (
        None,
        None,
        "the time does not measurably grow with the size",
    )


@pytest.mark.parametrize(
    ("value", "low", "grows"), [(0.5, 0.0, False), (0.5, 1e-9, True), (0.5, None, True), (0.0, None, False)]
)
def test_a_rate_that_may_be_nothing_is_not_told(value: float, low: float | None, grows: bool) -> None:
    rate = Estimate(value, low, None if low is None else 1.0)
    found = _summary("sha-256/hash", OSSL, SIZES, [1.0], [1.0], LineFit(Estimate(100.0), rate, 200.0, 0.0))
    assert (found.per_byte_ns, found.half_size_bytes) == ((rate, 200.0) if grows else (None, None))
    assert bool(found.withheld) is not grows


@pytest.mark.parametrize(
    ("algorithms", "block", "padding"),
    [
        ("md5 sha-1 sha-224 sha-256 hmac-sha-1 hmac-sha-256", 64, 9),
        ("sha-384 sha-512 sha-512-256 hmac-sha-384 hmac-sha-512", 128, 17),
        ("sha3-256 shake256", 136, 1),
        ("sha3-384", 104, 1),
        ("sha3-512", 72, 1),
        ("shake128", 168, 1),
        ("blake2b-512", 128, 0),
        ("blake2s-256", 64, 0),
    ],
)
def test_a_hash_runs_over_whole_blocks_with_its_padding(algorithms: str, block: int, padding: int) -> None:
    """At both sides of the length that takes one block more."""
    for algorithm in algorithms.split():
        last = 3 * block - padding
        lengths = [line_length(f"{algorithm}/hash", size) for size in (1, last, last + 1)]
        assert lengths == [block, 3 * block, 4 * block], algorithm
    assert line_length("aes-128-gcm/seal", 17) == 17


def test_sizes_that_are_one_length_for_the_function_make_no_line() -> None:
    """Of SHA-256 up to 55 bytes are one block."""
    assert over_sizes((1, 2, 3, 55), "sha-256/hash").fits == ()
    assert {fit.lane for fit in over_sizes((1, 2, 3, 56), "sha-256/hash").fits} == {OSSL, NTL}
    assert over_sizes((1, 2, 56), "sha-256/hash").fits == ()
