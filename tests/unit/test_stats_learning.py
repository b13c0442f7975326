# SPDX-License-Identifier: Apache-2.0
"""Lanes whose first calls in a process cost more: by hand, and what is no learning."""

from __future__ import annotations

import pytest

from cipherstone.report.words.numbers import learning_text
from cipherstone.stats.learning import learning


def test_a_cache_that_fills_over_keys() -> None:
    """As a library with a table for each key: sixteen that are seen for the second time, the third, and then no longer new."""
    passes = [([(16, 4_000.0), (16, 130.0), (16, 101.0)], 100.0)] * 8 + [([(16, 100.0)], 100.0)]
    found = learning(passes)
    assert found is not None
    assert (found.cycle_calls, found.steps, found.settled_after) == (16, ((0, 4000.0), (16, 130.0)), 32)
    assert found.steady_ns == pytest.approx(100.0)
    assert learning_text(found) == "4.00 \u00b5s a call at first, 130 ns after 16 calls, 100 ns from 32 on"


@pytest.mark.parametrize(
    ("cycles", "learns"),
    [
        ([(16, 149.0), (16, 100.0)], False),
        ([(16, 150.0), (16, 100.0)], True),
        ([(4, 400.0), (4, 100.0)], False),  # one cold call among four
        ([(4, 400.0), (4, 111.0), (4, 100.0)], True),
        ([(4, 400.0)], False),
        ([], False),
    ],
)
def test_a_cold_first_call_is_no_learning(cycles: list[tuple[int, float]], learns: bool) -> None:
    assert (learning([(cycles, 100.0)] * 9) is not None) == learns


def test_six_passes_tell_and_a_neighbour_in_half_of_them_does_not() -> None:
    slow, usual = [(16, 900.0), (16, 100.0)], [(16, 101.0)]
    assert learning([(slow, 100.0)] * 5) is None and learning([(slow, 100.0)] * 6) is not None
    assert learning([(slow, 100.0)] * 6 + [(usual, 100.0)] * 3) is None  # the lower quartile of nine
    assert learning([(slow, 0.0)] * 9) is None
