# SPDX-License-Identifier: Apache-2.0
"""Rounds of whole processes, and the bound of a run that cuts them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cipherstone.measure import processes
from cipherstone.measure.processes import Processes, left_s
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import ProcessRecord, Record, Settings

CASE = Case("sha-256", "hash", 4096)


def made(seconds: float | None, monkeypatch: pytest.MonkeyPatch, earlier: tuple[Record, ...] = ()) -> Processes:
    """Of two lanes; every look at the clock takes a second, and no process is started."""
    clock = count()
    monkeypatch.setattr(processes, "awake_s", lambda: float(next(clock)))
    cells: Any = [(CASE, Lane(name, "1.0"), None) for name in ("alpha", "beta")]
    found = Processes(cells, {}, Path("/nowhere"), Settings(processes=3), seconds, earlier)
    sample = ProcessRecord(CASE.id, "alpha@1.0", 0, 1, 1, 1)
    monkeypatch.setattr(found, "_empty_process", lambda name, starter: sample)
    monkeypatch.setattr(found, "_task", lambda cell, starter, expectations: sample)
    return found


def rounds_told(one: Processes) -> tuple[list[int], int]:
    told: list[int] = []
    records: Iterator[Record] = one.run(lambda number, most: told.append(number))
    return told, len(list(records))


def test_every_round_has_every_lane_and_its_empty_process(monkeypatch: pytest.MonkeyPatch) -> None:
    one = made(None, monkeypatch)
    assert rounds_told(one) == ([0, 1, 2], 3 * 4)
    assert one.note == ""


@pytest.mark.parametrize(("seconds", "rounds", "records"), [(1.0, 0, 0), (3.5, 0, 2), (6.5, 1, 4), (7.5, 1, 5)])
def test_the_bound_cuts_between_two_processes(
    seconds: float, rounds: int, records: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round that it cuts does not count as made."""
    one = made(seconds, monkeypatch)
    assert rounds_told(one)[1] == records
    assert one.note.startswith(f"whole processes: {rounds} of 3 rounds, too few for an interval")


def test_a_resumed_run_goes_on_behind_the_last_round(monkeypatch: pytest.MonkeyPatch) -> None:
    one = made(None, monkeypatch, (ProcessRecord(CASE.id, "alpha@1.0", 1, 1, 1, 1),))
    assert rounds_told(one)[0] == [2]


def test_behind_the_bound_nothing_is_left() -> None:
    assert left_s(Settings(max_time_s=10.0), 4.0) == 6.0
    assert left_s(Settings(max_time_s=10.0), 20.0) == 0.0
    assert left_s(Settings(max_time_s=None), 20.0) is None
