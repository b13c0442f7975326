# SPDX-License-Identifier: Apache-2.0
"""Memory figures of a worker that tells other values in every process and for every call: which of them becomes which figure. First calls: test_engine_first_calls.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, cost, write_worker

from cipherstone.measure.memory import PROCESSES, measure_memory
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, Expectations
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import MemoryRecord

CASE = Case.parse(HASH + "/bytes=16384")
LANE = Lane("alpha", "1.0", "default")
# By the number of the process.
FIRST_CALL = {
    "heap_live_bytes": [112, 480, 240],
    "heap_peak_bytes": [5000, 4000, 3000],
    "allocations": [77, 78, 79],
    "stack_bytes": [9000, 9000, 9000],
    "max_rss_kib": [10, 10, 10],
    "random_bytes": [900, 901, 902],
    "system_random_bytes": [48, 40, 44],
    "system_random_before": [7, 5, 6],
}
SECOND_CALL = {
    "heap_live_bytes": [1, 2, 3],
    "heap_peak_bytes": [64, 32, 96],
    "allocations": [2, 5, 3],
    "stack_bytes": [1700, 1500, 1600],
    "max_rss_kib": [2000, 2100, 1900],
    "random_bytes": [33, 31, 32],
    "system_random_bytes": [1, 3, 2],
    "system_random_before": [70, 50, 60],
}


def measured(folder: Path, **behaviour: Any) -> list[MemoryRecord]:
    """The record of the only cell of a scripted worker, if it gives one."""
    worker = write_worker(folder, "alpha", {HASH: cost(1000)}, **behaviour)
    capability = Capability(HASH, "default")
    launches = {LANE.build_id: Launch((str(worker),))}
    return list(measure_memory([(CASE, LANE, capability)], launches, Expectations(), None, (None,)))


def told(folder: Path, **behaviour: Any) -> MemoryRecord:
    (record,) = measured(folder, **{"memory": [FIRST_CALL, SECOND_CALL], **behaviour})  # fmt: skip
    return record


def test_every_figure_is_of_the_call_it_names(tmp_path: Path) -> None:
    """Live bytes and the first peak are of the first call, the rest of a warm one; the largest of three processes."""
    record = told(tmp_path)
    assert (record.case, record.lane) == (CASE.id, LANE.id)
    assert record.held_bytes == 480
    assert record.first_peak_bytes == 5000
    assert record.warm_peak_bytes == 96
    assert record.warm_allocations == 5
    assert record.stack_bytes == 1700
    assert record.max_rss_kib == 2100


def test_random_bytes_are_the_middle_of_three_processes(tmp_path: Path) -> None:
    """What a call draws, and what it asks the system for at first and then; and what the process had asked for before."""
    record = told(tmp_path)
    assert record.random_bytes == 32
    assert (record.first_system_random_bytes, record.warm_system_random_bytes) == (44, 2)
    assert record.opening_system_random_bytes == 6


def test_memory_is_asked_before_anything_else_calls(tmp_path: Path) -> None:
    """The case is prepared, its first and its second call are counted, and only then it is proven."""
    told(tmp_path, log=True)
    lines = [line.split() for line in (tmp_path / "alpha" / "requests.log").read_text().splitlines()]
    for process in range(PROCESSES):
        verbs = [words[2] for words in lines if int(words[0]) == process]
        asked = [verb for verb in verbs if verb not in ("hello", "objects", "bye", "pin")]
        assert asked == ["prepare", "memory", "memory", "prepare", "compute"], asked


def test_what_nobody_told_is_missing_not_zero(tmp_path: Path) -> None:
    record = told(tmp_path, memory=[])
    kinds = ("held_bytes", "first_peak_bytes", "warm_peak_bytes", "warm_allocations", "stack_bytes", "max_rss_kib")
    assert [getattr(record, name) for name in kinds] == [None] * len(kinds)


@pytest.mark.parametrize(
    "fault",
    [
        {"wrong": [{"op": HASH, "exact_bytes": 16384}]},  # in every process
        {"faults": [{"at": "memory", "do": "segv", "op": HASH, "processes": [2]}]},  # the last process only
    ],
    ids=["wrong", "crash"],
)
def test_a_cell_that_is_not_right_here_gives_no_figures(tmp_path: Path, fault: dict[str, Any]) -> None:
    assert measured(tmp_path, memory=[FIRST_CALL, SECOND_CALL], **fault) == []
