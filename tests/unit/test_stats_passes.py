# SPDX-License-Identifier: Apache-2.0
"""Pass values, probes and flags."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.records import LaneSamples
from cipherstone.stats.flags import bimodal, contention_sensitive, drift, spearman
from cipherstone.stats.passvalue import clock_refusal, pass_figures, pass_floor
from cipherstone.stats.probes import (
    cycle_ns,
    cycles_refusal,
    gate_ipc,
    ghz,
    ipc,
    median_ipc,
    pass_is_valid,
    session_reference,
)


def samples(ns: list[int], calls: int = 100, **more: object) -> LaneSamples:
    return LaneSamples(lane="toy@1", calls=calls, ns=tuple(ns), **more)  # type: ignore[arg-type]


def test_floor_and_median_by_hand() -> None:
    # 2 dropped, then 21 batches 3000, 3100, ..., 5000 ns of 100 calls: q10 is the third (position 2), 32 ns; the median 40 ns.
    s = samples([9000, 9000, *range(5000, 2999, -100)])
    figures = pass_figures(s, 2, 0.5)
    assert (figures.floor_ns, figures.median_ns) == pytest.approx((31.5, 39.5))
    assert (figures.batches, figures.clock, figures.reason) == (21, "wall", "")
    assert figures.disturbed == 12  # above 1.2 x 3200 = 3840: 3900 to 5000
    assert pass_floor(s, 2, 0.5) == figures.floor_ns


def test_every_lane_drops_its_own_first_batches() -> None:
    s = samples([9000, 9000] + [4000] * 18, rounds=tuple(range(0, 60, 3)))
    figures = pass_figures(s, 2, 0.0)
    assert (figures.batches, figures.floor_ns, figures.median_ns) == (18, 40.0, 40.0)


@pytest.mark.parametrize(
    "s,reason",
    [
        (samples([3000] * 17), "15 rounds, 16 needed"),
        (samples([3000] * 20 + [0]), "a batch of 0 ns"),
        (samples([100] * 20), "not above the harness"),  # 1 ns per call, harness 1.5
        (samples([3000] * 20, rounds=(1, 2)), "20 times for 2 rounds"),
        (samples([3000] * 20, calls=0), "0 calls"),
        (samples([]), "0 rounds"),
        (samples([5_000_000] * 4, calls=1, slow=True), "2 rounds, 3 needed"),
    ],
)
def test_refused_with_the_reason(s: LaneSamples, reason: str) -> None:
    figures = pass_figures(s, 2, 1.5)
    assert reason in figures.reason
    assert figures.floor_ns is None and figures.median_ns is None
    assert pass_floor(s, 2, 1.5) is None


def test_slow_operations_use_cpu_time_and_their_own_rounds() -> None:
    s = samples(
        [90_000_000] * 5,
        calls=1,
        slow=True,
        cpu_ns=(61_000_000, 60_000_000, 62_000_000, 60_000_000, 60_000_000),
        rounds=(0, 12, 24, 36, 48),
    )
    figures = pass_figures(s, 2, 1.0)
    assert figures.floor_ns == pytest.approx(60_000_000 - 1.0)
    assert (figures.clock, figures.batches) == ("cpu", 3)
    without = pass_figures(samples([90_000_000] * 5, calls=1, slow=True), 2, 0.0)
    assert (without.floor_ns, without.clock) == (90_000_000, "wall")
    fast = samples([3000] * 20, cpu_ns=tuple([1000] * 20))
    assert pass_floor(fast, 2, 0.0) == 30.0  # CPU time is the primary clock of slow operations only


def test_floor_survives_64_bit_times() -> None:
    assert pass_floor(samples([2**40] * 20, calls=1), 2, 0.0) == float(2**40)


@given(st.lists(st.integers(1000, 10**6), min_size=18, max_size=80))
def test_floor_is_between_minimum_and_median(ns: list[int]) -> None:
    figures = pass_figures(samples(ns, calls=10), 2, 0.0)
    assert figures.floor_ns is not None and figures.median_ns is not None
    assert min(ns[2:]) / 10 - 1e-9 <= figures.floor_ns <= figures.median_ns + 1e-9
    assert figures.floor_ns == pytest.approx(float(np.quantile(ns[2:], 0.1)) / 10)


def test_clock_step() -> None:
    assert clock_refusal(10, 300_000) == ""
    assert clock_refusal(3000, 300_000) == ""
    assert "3001 ns" in clock_refusal(3001, 300_000)


def test_probes_by_hand() -> None:
    assert list(ipc([0.25, 0.25], [0.05, 0.0625])) == pytest.approx([5.0, 4.0])
    assert median_ipc([0.25] * 3, [0.05, 0.0625, 0.05]) == pytest.approx(5.0)
    assert median_ipc([0.0, math.nan], [0.05, 0.05]) is None
    assert ghz([0.25] * 9 + [0.5]) == pytest.approx(4.0)
    assert cycle_ns([]) is None and ghz([math.nan]) is None
    with pytest.raises(ValueError):
        ipc([0.25], [])


def readings(good: int, bad: int) -> tuple[list[float], list[float]]:
    """`good` rounds at 5.26 additions per cycle and `bad` at 4.0."""
    return [0.25] * (good + bad), [0.25 / 5.26] * good + [0.25 / 4.0] * bad


def test_gate_at_eighty_percent() -> None:
    assert pass_is_valid(*readings(48, 12), 5.26) == (True, "")
    valid, reason = pass_is_valid(*readings(47, 13), 5.26)
    assert not valid and "contended: 47 of 60" in reason and "5.26" in reason
    assert pass_is_valid(*readings(0, 60), 5.26)[1].endswith("median IPC 4.00")


def test_gate_at_ninety_seven_percent() -> None:
    chain = [0.25] * 10
    assert pass_is_valid(chain, [0.25 / 5.11] * 10, 5.26)[0]  # 0.9715
    assert not pass_is_valid(chain, [0.25 / 5.10] * 10, 5.26)[0]  # 0.9696


def test_gate_value_by_hand() -> None:
    chain = [1.0] * 5
    assert gate_ipc(chain, [1 / 5, 1 / 4, 1 / 3, 1 / 2, 1.0]) == pytest.approx(2.0)  # 4 of 5 reach 2
    assert gate_ipc([1.0] * 4, [1 / 5, 1 / 4, 1 / 3, 1 / 2]) == pytest.approx(2.0)  # 80 % of 4 is 4
    assert gate_ipc(chain, [0.2, 0.2, 0.2, math.nan, math.nan]) == 0.0
    assert gate_ipc([], []) is None


@given(st.lists(st.floats(3, 6), min_size=1, max_size=80), st.floats(3, 6))
def test_gate_value_decides_validity(values: list[float], reference: float) -> None:
    chain, tput = [1.0] * len(values), [1 / v for v in values]
    gate = gate_ipc(chain, tput)
    assert gate is not None
    good = sum(v >= 0.97 * reference for v in ipc(chain, tput))
    assert pass_is_valid(chain, tput, reference)[0] == (gate >= 0.97 * reference) == (5 * good >= 4 * len(values))


def test_missing_readings() -> None:
    assert pass_is_valid([], [], 5.26) == (True, "")
    assert pass_is_valid(*readings(0, 60), None) == (True, "")
    assert not pass_is_valid([math.nan] * 10, [0.05] * 10, 5.26)[0]


def test_reference_is_the_best_seen() -> None:
    assert session_reference([4.1, 5.26, 4.2]) == 5.26
    assert session_reference([4.1], 5.3) == 5.3
    assert session_reference([5.4], 5.3) == 5.4
    assert session_reference([]) is None


def test_one_pass_in_ten_may_read_too_high() -> None:
    assert session_reference([5.2] * 8 + [5.9]) == 5.9
    assert session_reference([5.2] * 9 + [5.9]) == 5.2
    assert session_reference([5.2] * 18 + [5.9, 6.1]) == 5.2


def test_cycles_are_refused_when_the_chain_is_no_clock() -> None:
    assert cycles_refusal(3.0) == cycles_refusal(2.95) == cycles_refusal(3.05) == ""
    assert "2.93" in cycles_refusal(2.93)
    assert "3.07" in cycles_refusal(3.07)
    assert cycles_refusal(None).startswith("no cycles")
    assert cycles_refusal(math.nan) != ""


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
