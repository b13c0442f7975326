# SPDX-License-Identifier: Apache-2.0
"""What the probes tell: clock, additions per cycle, the level of an undisturbed core, the reference of a session."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.stats.probes import (
    Level,
    clean_level,
    cycle_ns,
    cycles_refusal,
    ghz,
    ipc,
    median_ipc,
    session_reference,
)
from cipherstone.stats.quantiles import FloatArray

CLEAN = 5.26


def test_probes_by_hand() -> None:
    assert list(ipc([0.25, 0.25], [0.05, 0.0625])) == pytest.approx([5.0, 4.0])
    assert median_ipc(ipc([0.25] * 3, [0.05, 0.0625, 0.05])) == pytest.approx(5.0)
    assert median_ipc(ipc([0.0, math.nan], [0.05, 0.05])) is None
    assert ghz([0.25] * 9 + [0.5]) == pytest.approx(4.0)
    assert cycle_ns([]) is None and ghz([math.nan]) is None
    with pytest.raises(ValueError):
        ipc([0.25], [])


@pytest.mark.parametrize(
    ("chain", "tput"), [(0.0, 0.05), (0.25, 0.0), (-1.0, 0.05), (math.nan, 0.05), (math.inf, 0.05), (0.25, math.inf)]
)
def test_a_missing_reading_is_none_and_takes_no_other_with_it(chain: float, tput: float) -> None:
    found = ipc([0.25, chain, 0.25], [0.05, tput, 0.0625])
    assert np.isnan(found[1]) and list(found[[0, 2]]) == pytest.approx([5.0, 4.0])
    assert median_ipc(found) == pytest.approx(4.5)


def crowd(rng: np.random.Generator, count: int, level: float = CLEAN, width: float = 0.001) -> FloatArray:
    """Readings of an undisturbed core: alike to a few tenths of a percent."""
    return level * (1 + rng.normal(0, width, count))


def smear(rng: np.random.Generator, count: int, highest: float = 0.98) -> FloatArray:
    """Readings beside a busy sibling: anything over tens of percent."""
    return CLEAN * rng.uniform(0.45, highest, count)


@given(st.floats(0.0, 0.95), st.integers(600, 4000), st.integers(0, 2**32 - 1))
def test_a_crowd_is_found_beside_a_broad_smear(share: float, count: int, seed: int) -> None:
    """Whatever the share of disturbed readings, up to 95 %, and in whatever order they come."""
    rng = np.random.default_rng(seed)
    disturbed = round(share * count)
    readings = np.concatenate([smear(rng, disturbed), crowd(rng, count - disturbed)])
    level = clean_level(readings)
    assert level is not None and level.ipc == pytest.approx(CLEAN, rel=0.002)
    assert level.share == pytest.approx(1 - disturbed / count, abs=0.02)
    rng.shuffle(readings)
    assert clean_level(readings) == level


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("count", [200, 5000])
def test_a_smear_alone_is_no_level(count: int, seed: int) -> None:
    """Wide, whether its readings lie evenly or about a middle."""
    rng = np.random.default_rng(seed)
    assert clean_level(smear(rng, count)) is None
    assert clean_level(rng.normal(0.7 * CLEAN, 0.1 * CLEAN, count)) is None


@given(st.integers(0, 19), st.integers(0, 2**32 - 1))
def test_interrupted_readings_above_do_not_win(above: int, seed: int) -> None:
    """An interrupted chain makes a core look faster than any can be; that is rare, and never twice the same."""
    rng = np.random.default_rng(seed)
    high = CLEAN * rng.uniform(1.05, 1.5, above)
    level = clean_level(np.concatenate([smear(rng, 500), crowd(rng, 500), high]))
    assert level is not None and level.ipc == pytest.approx(CLEAN, rel=0.002)


def test_fewer_than_twenty_readings_are_no_crowd() -> None:
    rng = np.random.default_rng(3)
    assert clean_level(np.full(19, CLEAN)) is None
    assert clean_level(np.full(20, CLEAN)) == Level(CLEAN, 1.0)
    assert clean_level(np.concatenate([smear(rng, 400), np.full(19, CLEAN)])) is None
    found = clean_level(np.concatenate([smear(rng, 400), np.full(40, CLEAN)]))
    assert found is not None and found.ipc == CLEAN


def test_less_than_a_fiftieth_of_the_readings_is_no_crowd() -> None:
    rng = np.random.default_rng(4)
    below = smear(rng, 10_000, highest=0.8)
    assert clean_level(np.concatenate([below, np.full(150, CLEAN)])) is None
    found = clean_level(np.concatenate([below, np.full(250, CLEAN)]))
    assert found is not None and found.ipc == CLEAN and found.share == pytest.approx(250 / 10_250)


def test_of_two_crowds_the_higher_one_is_the_free_core() -> None:
    """A sibling that is busy all alike makes a crowd as well."""
    rng = np.random.default_rng(5)
    level = clean_level(np.concatenate([crowd(rng, 800, 3.1), crowd(rng, 200)]))
    assert level is not None and level.ipc == pytest.approx(CLEAN, rel=0.001) and level.share == pytest.approx(0.2)


def test_missing_and_impossible_readings_are_left_out_but_not_forgotten() -> None:
    """They make no level; the share is of all readings, because a reading that failed was not an undisturbed one."""
    good = np.full(60, CLEAN)
    wrong = np.array([math.nan] * 20 + [math.inf] * 5 + [-math.inf, 0.0, -1.0] + [1000.0] * 12)
    assert clean_level(np.concatenate([wrong, good])) == Level(CLEAN, 0.6)
    assert clean_level(wrong) is None and clean_level(np.empty(0)) is None
    assert clean_level(np.full(50, math.nan)) is None
    assert clean_level(np.full(50, 8.01)) is None  # eight chains, so eight additions a cycle
    assert clean_level(np.full(50, 8.0)) == Level(8.0, 1.0)


def test_reference_of_a_session() -> None:
    assert session_reference(None) is None
    assert session_reference(None, CLEAN) == CLEAN
    assert session_reference(Level(4.1, 0.03)) == 4.1  # nothing better is known
    assert session_reference(Level(5.4, 0.03), CLEAN) == 5.4  # what was seen can be reached


def test_few_readings_below_what_is_stored_do_not_lower_it() -> None:
    """A session that is disturbed nearly throughout must not take its own best for normal."""
    assert session_reference(Level(5.2, 0.03), CLEAN) == CLEAN
    assert session_reference(Level(5.2, 0.199), CLEAN) == CLEAN
    assert session_reference(Level(4.6, 0.1), CLEAN) == CLEAN


def test_a_fifth_of_all_readings_shows_that_the_stored_figure_is_stale() -> None:
    """Up to 15 % below it: otherwise every batch would be called disturbed for ever."""
    assert session_reference(Level(5.2, 0.2), CLEAN) == 5.2
    assert session_reference(Level(4.48, 0.2), CLEAN) == 4.48  # 0.852 of it
    assert session_reference(Level(4.46, 0.2), CLEAN) == CLEAN  # 0.848
    assert session_reference(Level(3.1, 1.0), CLEAN) == CLEAN  # a sibling that is busy all alike


def test_the_reference_follows_from_readings() -> None:
    """The rules together: a crowd in a smear, with what is stored above, a little above, and far above."""
    rng = np.random.default_rng(6)
    half = clean_level(np.concatenate([smear(rng, 500), crowd(rng, 500)]))
    assert session_reference(half, 1.1 * CLEAN) == pytest.approx(CLEAN, rel=0.001)
    assert session_reference(half, 1.3 * CLEAN) == 1.3 * CLEAN
    tenth = clean_level(np.concatenate([smear(rng, 900), crowd(rng, 100)]))
    assert session_reference(tenth, 1.1 * CLEAN) == 1.1 * CLEAN
    assert session_reference(clean_level(smear(rng, 1000)), CLEAN) == CLEAN


def test_cycles_are_refused_when_the_chain_is_no_clock() -> None:
    assert cycles_refusal(3.0) == cycles_refusal(2.95) == cycles_refusal(3.05) == ""
    assert "2.93" in cycles_refusal(2.93)
    assert "3.07" in cycles_refusal(3.07)
    assert cycles_refusal(None).startswith("no cycles")
    assert cycles_refusal(math.nan) != ""
