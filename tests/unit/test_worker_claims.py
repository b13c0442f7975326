# SPDX-License-Identifier: Apache-2.0
"""Claims against what the asker saw and the system counted: where the line runs, by hand."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from undisturbed import least

from cipherstone.protocol.messages import Batch, Readings
from cipherstone.worker.claims import (
    Seen,
    TurnOverhead,
    cpu_clock_of,
    impossible_readings,
    impossible_turn,
    too_little,
    uneven,
)

SEEN = Seen(1_000_000, 900_000)


def turn(step_ns: int = 0, batches: int = 1, seen: Seen = SEEN, **claims: Any) -> str:
    return impossible_turn(Batch(**{"ns": 100_000, "failed": 0, **claims}), seen, batches, step_ns)


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({}, ""),
        ({"ns": 1_000_000}, ""),
        ({"ns": 1_012_000}, ""),  # one per cent between two clocks, and 2 us
        ({"ns": 1_012_001}, "claims 1012001 ns for a request that took 1000000 ns"),
        ({"ns": 500_000, "waited_ns": 512_000}, ""),
        ({"ns": 500_000, "waited_ns": 512_001}, "claims 500000 ns and 512001 ns of waiting"),
        ({"ns": 100_000, "each": (1_012_001, -912_001)}, "claims 1012001 ns"),
        ({"cpu_ns": 900_000}, ""),
        ({"cpu_ns": 1_012_001}, "1012001 ns of CPU time for a request"),
        ({"cpu_ns": 500_000, "waited_ns": 512_001}, "500000 ns of CPU time for a request"),
        ({"cycles": 10_000_000, "ref": 10_000_000, "nivcsw": 10_000}, ""),
        ({"cycles": 10_120_001}, "10120001 cycles"),
        ({"ref": 10_120_001}, "10120001 ticks"),
        ({"nivcsw": 10_121}, "10121 context switches"),
        ({"chain_ns": (0.25, 0.0, None)}, ""),
        ({"chain_ns": (0.25, 1_012_001.0)}, "for an addition"),
        ({"tput_ns": (1e-300,)}, "claims 1e-300 ns for an addition"),
        ({"ns": 0}, ""),
        ({"ns": -5}, ""),
    ],
)
def test_a_turn_takes_no_longer_than_its_request(claims: dict[str, Any], said: str) -> None:
    found = turn(**claims)
    assert said in found and bool(said) == bool(found)


def test_the_step_of_a_coarse_clock_is_forgiven_within_bounds() -> None:
    """Once a batch; what it says of itself does not open the door."""
    assert turn(ns=1_100_000) and not turn(step_ns=100_000, ns=1_100_000)
    assert not turn(step_ns=50_000, batches=2, ns=1_100_000)
    assert turn(step_ns=1 << 53, ns=11_012_001) and not turn(step_ns=1 << 53, ns=11_012_000)


def test_cpu_time_is_what_the_system_counted() -> None:
    """Up to one per cent and what may be counted late."""
    seen = Seen(10_000_000, 4_000_000)
    assert turn(seen=seen, cpu_ns=4_240_000) == ""
    assert "where the system counted 4000000 ns" in turn(seen=seen, cpu_ns=4_240_001)
    assert turn(seen=Seen(10_000_000), cpu_ns=4_240_001) == ""


def test_readings_alone() -> None:
    assert impossible_readings(Readings((0.25,), (0.1,), 1_012_000), SEEN) == ""
    assert "of waiting" in impossible_readings(Readings((0.25,), (0.1,), 1_012_001), SEEN)


def test_a_figure_reaches_a_share_of_what_was_counted() -> None:
    """Ten calls in a turn, 1000 ns of the worker's own: 100 ns a call by the system."""
    used = [2000.0, 2000.0, 9000.0]
    assert too_little([100.0] * 20, used, 10, 1000.0) == ""
    assert too_little([60.0] * 20, used, 10, 1000.0) == ""
    assert (
        too_little([59.9] * 20, used, 10, 1000.0) == "claims 59.9 ns a call where the system counted 100 ns of CPU time"
    )


def test_what_becomes_the_figure_is_judged() -> None:
    """The 10 % quantile: two low batches of twenty are one too few, three decide."""
    used = [2000.0]
    assert too_little([50.0] * 2 + [100.0] * 18, used, 10, 1000.0) == ""
    assert too_little([50.0] * 3 + [100.0] * 17, used, 10, 1000.0) != ""


def test_uneven_batches_are_told_from_a_clock_that_lies() -> None:
    """Three turns of ten batches of a call, 100 ns each by the system. In each turn a third is at half of that and the others above; or whole turns are at half."""
    used = [1000.0] * 3
    neighbour = ([50.0] * 4 + [130.0] * 6) * 3
    assert too_little(neighbour, used, 10, 0.0) and uneven(neighbour, used, 10, 0.0)
    for lies in ([50.0] * 30, [50.0] * 20 + [130.0] * 10, [50.0] * 10 + [130.0] * 20):
        assert too_little(lies, used, 10, 0.0) and not uneven(lies, used, 10, 0.0)
    # One of the turns was interrupted between its batches, and counts twice.
    assert uneven(neighbour, [1000.0, 2000.0, 1000.0], 10, 0.0)
    assert not uneven(neighbour, [1000.0, 2000.0, 2000.0], 10, 0.0)
    # Turns are not known apart.
    assert not uneven(neighbour[:-1], used, 10, 0.0)


def test_an_interruption_accuses_nobody() -> None:
    """One turn without it is enough, and a turn that was taken away from the core counts less, not more."""
    assert too_little([100.0] * 20, [50_000.0, 60_000.0, 2000.0], 10, 1000.0) == ""
    assert too_little([100.0] * 20, [500.0], 10, 1000.0) == ""


def test_at_most_half_of_a_turn_is_the_workers_own() -> None:
    assert (
        too_little([50.0] * 20, [2000.0], 10, 1e9) == "claims 50 ns a call where the system counted 100 ns of CPU time"
    )


def test_without_figures_or_counts_nothing_is_said() -> None:
    assert too_little([], [1.0], 1, 0.0) == too_little([1.0], [], 1, 0.0) == ""


def test_a_turns_own_cost_grows_with_its_batches() -> None:
    assert [TurnOverhead(20.0, 7.0).of(batches) for batches in (1, 2, 6)] == [20.0, 27.0, 55.0]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells another process's CPU time this way")
def test_the_systems_count_of_another_process() -> None:
    """It grows while that process computes, and not while it sleeps; once it is gone there is none."""
    program = "import time\nfor line in iter(input, ''):\n e = time.process_time() + float(line)\n while time.process_time() < e: pass\n print(flush=True)"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None and process.stdout is not None
    read = cpu_clock_of(process.pid)

    def spent(seconds: str) -> float:
        assert process.stdin is not None and process.stdout is not None
        before = read()
        process.stdin.write(seconds + "\n")
        process.stdin.flush()
        process.stdout.readline()
        after = read()
        assert before is not None and after is not None
        return after - before

    spent("0.0")
    busy, _ = least(
        lambda busy, idle: busy < 0.09e9 and idle < 0.03e9, lambda: spent("0.05"), lambda: spent("0.0"), at_least=1
    )
    assert busy >= 0.05e9
    process.kill()
    process.communicate()
    assert read() is None
