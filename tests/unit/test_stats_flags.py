# SPDX-License-Identifier: Apache-2.0
"""Warnings that a median hides: drift, two levels of a ratio, ratios that depend on who disturbs."""

from __future__ import annotations

import math

import pytest

from cipherstone.stats.flags import bimodal, contention_sensitive, drift, spearman


def test_drift() -> None:
    rising = [100.0 + v for v in range(9)]
    assert drift(rising) and drift(rising[::-1])
    assert not drift(rising[:8])
    assert not drift([1.0] * 9)
    assert not drift([5.0, 1.0, 4.0, 2.0, 3.0, 5.0, 1.0, 4.0, 2.0])


def test_spearman_by_hand() -> None:
    assert spearman([10.0, 20.0, 30.0]) == pytest.approx(1.0)
    assert spearman([10.0, 30.0, 20.0]) == pytest.approx(0.5)  # 1 - 6 * 2 / (3 * 8)
    assert spearman([1.0, 1.0, 2.0]) == pytest.approx(math.sqrt(3) / 2)  # ranks 1.5 1.5 3
    assert spearman([1.0]) == 0.0


def test_bimodal() -> None:
    two = [0.0, 0.001, 0.002, 0.001, 0.100, 0.101, 0.102, 0.101, 0.1]
    assert bimodal(two)
    assert not bimodal([*two[:4], 0.1])  # one far value is an outlier
    assert not bimodal([v / 1000 for v in two])  # a gap of 0.01 %
    assert not bimodal([0.01 * v for v in range(9)])


def test_contention_sensitive() -> None:
    floors = [0.0, 0.001, -0.001] * 3
    assert not contention_sensitive(floors, [v + 0.009 for v in floors])
    assert contention_sensitive(floors, [v + 0.02 for v in floors])
    wide = [-0.1, -0.05, 0.02, 0.05, 0.1, 0.0, 0.03, 0.04, -0.02]
    assert not contention_sensitive(wide, [v + 0.02 for v in wide])
    assert not contention_sensitive(floors[:5], [1.0] * 5)
