# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
import os
import platform
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.outcomes import Verdict
from cipherstone.stats.line import crossover, fit_line, fit_passes, padded_size

SIZES = [16, 64, 256, 1024, 4096, 16384, 65536]


@pytest.mark.parametrize(
    "size,block,padding,padded",
    [
        (0, 64, 9, 64),
        (16, 64, 9, 64),
        (55, 64, 9, 64),
        (56, 64, 9, 128),
        (64, 64, 9, 128),
        (1024, 64, 9, 1088),
        (111, 128, 17, 128),
        (112, 128, 17, 256),
        (135, 136, 1, 136),
        (136, 136, 1, 272),
        (0, 128, 0, 128),
        (128, 128, 0, 128),
        (129, 128, 0, 256),
    ],
)
def test_padding_of_block_hashes(size: int, block: int, padding: int, padded: int) -> None:
    assert padded_size(size, block, padding) == padded


@given(st.floats(1, 1000), st.floats(0.01, 10))
def test_an_exact_line_is_found_exactly(a: float, b: float) -> None:
    line = fit_line(SIZES, [a + b * n for n in SIZES])
    assert (line.overhead, line.per_byte) == pytest.approx((a, b), rel=1e-6)
    assert line.rms_relative < 1e-9


def test_three_points_by_hand() -> None:
    # Points (0, 1), (1, 1), (1, 2): weights 1, 1, 1/4. At x = 1 the weighted mean is (1 + 0.5) / 1.25 = 1.2, so a = 1, b = 0.2.
    line = fit_line([0, 1, 1], [1, 1, 2])
    assert (line.overhead, line.per_byte) == pytest.approx((1.0, 0.2))
    assert line.rms_relative == pytest.approx(math.sqrt((0.2**2 + 0.4**2) / 3))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the kernels named are of x86-64")
def test_the_digits_are_the_same_whichever_kernels_a_processor_gets() -> None:
    """A run is read on other machines than the one that measured it."""
    code = f"from cipherstone.stats.line import fit_line; print([fit_line({SIZES}, [a + n * b for n in {SIZES}]) for a in (41.7, 5.1e6) for b in (0.17, 1020.3)])"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"OPENBLAS_CORETYPE": kernels},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for kernels in ("Prescott", "Haswell")
    }
    assert len(told) == 1 and "Line(" in told.pop()


def test_one_percent_at_the_large_end_moves_the_overhead_little() -> None:
    times = [150 + 0.17 * n for n in SIZES]
    times[-1] *= 1.01
    assert fit_line(SIZES, times).overhead == pytest.approx(150, rel=0.01)


@pytest.mark.parametrize("x,t", [([1, 2], [1.0]), ([1, 1], [1.0, 2.0]), ([1, 2], [0.0, 1.0])])
def test_no_line(x: list[float], t: list[float]) -> None:
    with pytest.raises(ValueError):
        fit_line(x, t)


def test_interval_from_refits() -> None:
    overheads = [98.0, 99.0, 100.0, 101.0, 102.0, 97.0, 103.0, 96.0, 104.0]
    rows = [[a + 0.5 * n for n in SIZES] for a in overheads]
    fit = fit_passes(SIZES, [100.0 + 0.5 * n for n in SIZES], rows)
    assert (fit.overhead_ns.value, fit.overhead_ns.low, fit.overhead_ns.high) == pytest.approx((100, 97, 103))
    assert (fit.per_byte_ns.value, fit.per_byte_ns.low, fit.per_byte_ns.high) == pytest.approx((0.5, 0.5, 0.5))
    assert fit.half_size_bytes == pytest.approx(200)
    few = fit_passes(SIZES, rows[0], rows[:5])
    assert few.overhead_ns.low is None
    negative = fit_passes(SIZES, [0.5 * n - 1 for n in SIZES], [])
    assert negative.half_size_bytes is None


def test_interval_holds_the_figure() -> None:
    rows = [[110.0 + 0.5 * n for n in SIZES]] * 9
    fit = fit_passes(SIZES, [100.0 + 0.5 * n for n in SIZES], rows)
    assert (fit.overhead_ns.low, fit.overhead_ns.high) == pytest.approx((100, 110))


F, S, E, U = Verdict.FASTER, Verdict.SLOWER, Verdict.EQUAL, Verdict.UNDECIDED


def test_crossover_is_interpolated_in_logarithms() -> None:
    # ratios 1/2 at 64 and 2 at 1024: the logarithms cross in the middle of ln 64 .. ln 1024, at 256.
    (c,) = crossover([64, 1024], [1.0, 4.0], [2.0, 2.0], [F, S])
    assert c.size_bytes == pytest.approx(256)
    assert (c.below_bytes, c.above_bytes, c.i_first) == (64, 1024, True)
    (c,) = crossover([64, 1024], [2.0, 2.0], [1.0, 4.0], [S, F])
    assert c.size_bytes == pytest.approx(256) and not c.i_first


def test_crossover_over_sizes_without_finding() -> None:
    (c,) = crossover([16, 64, 256, 1024], [1.0, 2.0, 4.4, 9.0], [1.5, 2.2, 4.0, 8.0], [F, U, E, S])
    assert (c.below_bytes, c.above_bytes) == (16, 1024)
    assert c.size_bytes == pytest.approx(128)  # ratios 1/1.1 at 64 and 1.1 at 256: in the middle of the logarithms


def test_no_crossover_without_two_findings() -> None:
    assert crossover([16, 64], [1.0, 2.0], [2.0, 1.0], [F, U]) == ()
    assert crossover([16, 64], [1.0, 1.0], [2.0, 2.0], [F, F]) == ()
    assert crossover([], [], [], []) == ()


def test_two_crossovers() -> None:
    found = crossover([16, 64, 256], [1.0, 2.0, 1.0], [2.0, 1.0, 2.0], [F, S, F])
    assert [c.i_first for c in found] == [True, False]
