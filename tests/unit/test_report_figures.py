# SPDX-License-Identifier: Apache-2.0
"""Figures are rounded to what their interval supports, never further and never less."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.summary import Estimate
from cipherstone.report.words.numbers import (
    bytes_text,
    cycles_text,
    half_width,
    interval_text,
    rate_text,
    rate_words,
    ratio_beside_interval,
    ratio_text,
    rounded,
    supported_decimals,
    supported_digits,
)


@pytest.mark.parametrize(
    ("estimate", "shown", "interval"),
    [
        (Estimate(1.3123, 1.3011, 1.3204), "1.31", "1.30 to 1.32"),
        (Estimate(6.7321, 6.5, 6.95), "6.7", "6.5 to 7.0"),  # half-width 0.2: one decimal
        (Estimate(23.42, 22.9, 23.9), "23.4", "22.9 to 23.9"),
        (Estimate(117.3, 110, 125), "117", "110 to 125"),
        (Estimate(1234, 1150, 1320), "1230", "1150 to 1320"),
        (Estimate(1.0062, 1.0051, 1.0074), "1.01", "1.005 to 1.007"),
        (Estimate(1.3, None, None), "~1.3", "no interval"),
        (Estimate(1.0, 1.0, 1.0), "1.00", "1.0000 to 1.0000"),
    ],
)
def test_ratio_and_interval(estimate: Estimate, shown: str, interval: str) -> None:
    assert ratio_text(estimate) == shown
    assert interval_text(estimate) == interval


@pytest.mark.parametrize(("half", "digits"), [(0.1, 2), (0.03, 2), (0.01, 3), (0.003, 3), (0.001, 4), (1e-9, 4), (0.5, 2)])  # fmt: skip
def test_digits_follow_the_interval(half: float, digits: int) -> None:
    assert supported_digits(Estimate(500.0, 500.0 * (1 - half), 500.0 * (1 + half))) == digits


def test_rates_in_units_that_people_know() -> None:
    assert rate_text(Estimate(8000, 7920, 8080), 16384) == "2.05 GB/s"
    assert rate_text(Estimate(8000, None, None), 16384) == "2.0 GB/s"
    assert rate_words(Estimate(28990, 28900, 29080), None) == "34,500 a second"
    assert rate_words(Estimate(2e6, 1.98e6, 2.02e6), None) == "500 a second"
    assert cycles_text(Estimate(23600, 23500, 23700), 16384) == "1.44"
    assert bytes_text(0) == "0 B"
    assert bytes_text(20480) == "20.0 KiB"


@given(st.floats(1e-3, 1e6), st.floats(1e-6, 0.5), st.integers(0, 6))
def test_last_digit_lies_in_the_interval(value: float, relative: float, most: int) -> None:
    estimate = Estimate(value, value * (1 - relative), value * (1 + relative))
    half = half_width(estimate)
    assert half is not None
    decimals = supported_decimals(estimate, most)
    assert decimals <= most
    if (
        decimals < most
    ):  # the interval decided: the last digit printed is neither below a tenth of the half-width nor above it
        assert half / 10 < 10.0**-decimals * 1.0001
        assert 10.0**-decimals <= half * 1.0001


@given(st.floats(0.9, 500), st.floats(1e-5, 0.3))
def test_value_is_printed_inside_its_interval(value: float, relative: float) -> None:
    ratio = Estimate(value, value / (1 + relative), value * (1 + relative))
    low, high = (float(part) for part in interval_text(ratio).split(" to "))
    assert low <= float(ratio_beside_interval(ratio)) <= high


def test_however_wide_an_interval_is_nothing_is_rounded_to_nothing() -> None:
    wide = Estimate(5.45, 2.2, 65.2)
    assert (ratio_text(wide), ratio_beside_interval(wide), interval_text(wide)) == ("5", "5", "2 to 65")
    assert (
        interval_text(Estimate(340.0, 21.0, 900.0)) == "20 to 900" and ratio_text(Estimate(3.0, 0.04, 80.0)) == "3.00"
    )


def test_no_negative_zero() -> None:
    assert rounded(-0.001, 2) == "0.00"
    assert rounded(1549, -2) == "1500"
