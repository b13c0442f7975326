# SPDX-License-Identifier: Apache-2.0
"""Pairs that a page ranks anew with: what is stored is what was given, in fewer bytes, and no figure loses a digit that a sentence shows."""

from __future__ import annotations

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.report.blocks.livepairs import BOUNDS, SELF, columns_of, figure


def again(columns: dict[str, str], lanes: int) -> list[list[str]]:
    """The square, as the page's script makes it of its columns."""
    ratio, low, high, figures = (columns[name].split(" ") for name in ("ratio", "low", "high", "figures"))
    found, k = [[SELF] * lanes for _ in range(lanes)], 0
    for i in range(lanes):
        for j in range(lanes):
            if i != j:
                ends = [_end(ratio[k], text) for text in (low[k], high[k])]
                told = figures[k].split(",") if k < len(figures) and figures[k] else []
                verdict = columns["verdict"][k]
                found[i][j] = "" if verdict == "-" else " ".join((ratio[k], *ends, verdict, *told))
                k += 1
    return found


def _end(ratio: str, text: str) -> str:
    if text.startswith("="):
        return text[1:]
    beside = ratio.partition("/")[0]
    places = len(beside.partition(".")[2])
    return f"{(round(float(beside) * 10**places) + int(text)) / 10**places:.{places}f}"


PAIRS = [
    [SELF, "0.938/0.94 0.937 0.939 f", ""],
    ["1.066 1.065 1.067 s 1.0661 1.0652 1.0672", SELF, "~1.3 - - u"],
    ["123 99.5 130 s", "1.00 0.99 1.004 e", SELF],
]


def test_pairs_are_what_they_were() -> None:
    assert again(columns_of(PAIRS), 3) == PAIRS
    assert columns_of([[SELF]]) == {"ratio": "", "low": "", "high": "", "verdict": "", "figures": ""}


def test_they_take_less_than_half_of_the_bytes() -> None:
    chance = random.Random(1)
    values = [[chance.uniform(0.2, 5) for _ in range(28)] for _ in range(28)]
    rows = [
        [SELF if i == j else f"{v:.2f} {v - 0.01:.2f} {v + 0.01:.2f} s" for j, v in enumerate(row)]
        for i, row in enumerate(values)
    ]
    columns = columns_of(rows)
    assert again(columns, 28) == rows
    packed = [len(gzip.compress(repr(text).encode(), 9, mtime=0)) for text in (columns, rows)]
    assert 2 * packed[0] < packed[1]


@given(st.one_of(st.floats(0.001, 5000), st.sampled_from(BOUNDS).flatmap(lambda b: st.floats(b - 1e-6, b + 1e-6))))
def test_a_figure_rounds_as_all_of_its_digits_do(value: float) -> None:
    short = float(figure(value))
    for bound in BOUNDS:
        assert ((value > bound), (value < bound)) == ((short > bound), (short < bound))
    assert [f"{short:.{n}f}" for n in range(5)] == [f"{value:.{n}f}" for n in range(5)]


@pytest.mark.parametrize(("value", "text"), [(2.5, "2.5"), (1.0000000004, "1.0000000004"), (1.3100213, "1.31"), (0.3333333333, "0.33333")])  # fmt: skip
def test_a_figure_is_short(value: float, text: str) -> None:
    assert figure(value) == text
