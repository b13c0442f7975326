# SPDX-License-Identifier: Apache-2.0
"""Calls that are timed one by one and take less than the probes around them: what the system counts of a turn of many tells whether their times can be true."""

from __future__ import annotations

from typing import Any

import pytest

from cipherstone.measure.clock import MANY_TRIES, short_calls_problem
from cipherstone.model.errors import WorkerError
from cipherstone.worker.claims import OwnCost, Seen

OWN = OwnCost(40_000.0, 12_000.0)
CALL_NS = 7_000


class Counted:
    """A worker whose turns of many calls the system counts. `claims`, `takes`: ns of a call as it says and as it is, turn by turn, the last for all further ones; `counts`: whether the system tells."""

    def __init__(self, claims: list[float], takes: list[float], counts: bool = True) -> None:
        self.claims, self.takes, self.counts = claims, takes, counts
        self.seen = Seen(0)
        self.turns = 0

    def __call__(self, calls: int) -> int:
        at = min(self.turns, len(self.claims) - 1), min(self.turns, len(self.takes) - 1)
        self.turns += 1
        used = round(self.takes[at[1]] * calls + OWN.ns)
        self.seen = Seen(2 * used, used if self.counts else None)
        return round(self.claims[at[0]] * calls)


def problem(worker: Any, ns: list[int] | None = None, own: OwnCost | None = OWN) -> str:
    return short_calls_problem(own, worker, [CALL_NS] * 64 if ns is None else ns, CALL_NS, worker)


def test_honest_times_are_believed_after_one_turn() -> None:
    """The probes of a single call take more than twice as long as the call; nothing of them is left in a turn of many."""
    worker = Counted([CALL_NS], [CALL_NS])
    assert problem(worker) == ""
    assert worker.turns == 1


def test_one_quiet_turn_is_enough() -> None:
    """A neighbour who slows most of the turns down, claims and count alike, harms nobody."""
    slow = 2.5 * CALL_NS
    worker = Counted([slow, slow, CALL_NS], [slow, slow, CALL_NS])
    assert problem(worker) == ""
    assert worker.turns == 3


def test_what_became_slower_since_is_in_doubt() -> None:
    slow = 2.5 * CALL_NS
    found = problem(worker := Counted([slow], [slow]))
    assert found == "claims 7000 ns a call where the system counted 1.75e+04 ns of CPU time"
    assert worker.turns == MANY_TRIES


def test_times_that_are_true_of_many_calls_alone_are_no_figure() -> None:
    """A worker that tells a third of each single call, and the truth where it is looked at."""
    found = problem(Counted([CALL_NS], [CALL_NS]), [CALL_NS // 3] * 64)
    assert found == "claims 2333 ns a call where the system counted 7000 ns of CPU time"


def test_a_clock_that_runs_at_half_is_accused() -> None:
    worker = Counted([CALL_NS / 2], [CALL_NS])
    with pytest.raises(WorkerError, match=r"^protocol: claims 3500 ns a call where the system counted 7000 ns of CPU"):
        problem(worker, [CALL_NS // 2] * 64)
    assert worker.turns == MANY_TRIES


@pytest.mark.parametrize(
    ("worker", "ns", "own"),
    [
        (Counted([1.0], [CALL_NS], counts=False), [1] * 64, OWN),
        (Counted([1.0], [CALL_NS]), [1] * 64, None),
        (Counted([1.0], [CALL_NS]), [], OWN),
    ],
)
def test_without_a_count_or_times_nothing_is_said(worker: Counted, ns: list[int], own: OwnCost | None) -> None:
    assert problem(worker, ns, own) == ""
