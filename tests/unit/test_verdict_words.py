# SPDX-License-Identifier: Apache-2.0
"""The word beside an interval says no more than the interval, and denies nothing of it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.estimate import Estimate
from cipherstone.model.outcomes import Verdict
from cipherstone.model.units import percent_up
from cipherstone.stats.verdict import verdict
from cipherstone.stats.verdictwords import margin_text, verdict_words


@pytest.mark.parametrize(
    ("ratio", "d", "words"),
    [
        (Estimate(1.004, 1.002, 1.006), 0.01, "within 1 %"),  # leaves out 1: no longer `equal`
        (Estimate(1.0, 0.999, 1.001), 0.0123, "within 1.3 %"),
        (Estimate(1.0, 0.96, 1.04), 0.8, "within 5 %"),
        (Estimate(1.01, 1.005, 1.015), 0.01, "slower or within 1 %"),
        (Estimate(0.99, 0.985, 0.995), 0.01, "faster or within 1 %"),
        (Estimate(1.1, 1.001, 1.3), 0.01, "slower or within 1 %"),
        (Estimate(1.07, 1.06, 1.08), 0.1, "slower or within 10 %"),  # the A/A lane is off by as much
        (Estimate(1.005, 0.999, 1.0101), 0.01, "undecided"),
        (Estimate(1.1, 0.9, 1.3), 0.01, "unresolved"),
        (Estimate(1.5), 0.01, "unresolved"),
        (Estimate(1.5, 1.4, 1.6), 0.01, "slower"),
        (Estimate(0.5, 0.4, 0.6), 0.01, "faster"),
    ],
)
def test_words(ratio: Estimate, d: float, words: str) -> None:
    assert verdict_words(verdict(ratio, d), ratio, d) == words


@given(st.floats(0.8, 1.25), st.floats(0, 0.2), st.floats(0, 0.2), st.floats(0.01, 0.2))
def test_every_word_is_true_of_every_ratio_of_its_interval(value: float, below: float, above: float, d: float) -> None:
    ratio = Estimate(value, value * math.exp(-below), value * math.exp(above))
    assert ratio.low is not None and ratio.high is not None
    words = verdict_words(verdict(ratio, d), ratio, d)
    for true in (ratio.low, value, ratio.high):
        within = float(words.partition("within ")[2].rstrip(" %") or "nan") / 100 + 1e-12
        near = max(true, 1 / true) <= 1 + within
        match words.partition(" or ")[0].partition(" ")[0]:
            case "within":
                assert near
            case "slower":
                assert true > 1 and (near or true > 1 + d)
            case "faster":
                assert true < 1 and (near or true < 1 / (1 + d))
            case other:
                assert other in ("undecided", "unresolved") and ratio.low <= 1.0 <= ratio.high


def test_what_is_not_known_for_other_reasons_keeps_its_word() -> None:
    for kind in (Verdict.CONTENDED, Verdict.WRONG, Verdict.UNAVAILABLE):
        assert verdict_words(kind, None, 0.01) == kind.value


@given(st.floats(1e-6, 0.9))
def test_a_margin_is_never_said_to_be_less_than_it_is(share: float) -> None:
    for text in (percent_up(share), margin_text(share)):
        assert share <= float(text.rstrip(" %")) / 100 * (1 + 1e-12) <= share * 1.11
