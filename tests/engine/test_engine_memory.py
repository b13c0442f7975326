# SPDX-License-Identifier: Apache-2.0
"""Memory and first-call figures of a worker that tells other values in every process and for every call: which of them becomes which figure."""

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
# By the number of the process: three for first calls, then three with the counting allocator.
SETUP_NS = [900, 100, 500, 10**6, 10**6, 10**6]
FIRST_NS = [7_000, 90_000, 8_000, 1, 1, 1]
NEVER = [10**9] * PROCESSES  # a process of the other kind: whoever asks it for this has asked the wrong one
FIRST_CALL = {
    "heap_live_bytes": [*NEVER, 112, 480, 240],
    "heap_peak_bytes": [*NEVER, 5000, 4000, 3000],
    "allocations": [*NEVER, 77, 78, 79],
    "stack_bytes": [*NEVER, 9000, 9000, 9000],
    "max_rss_kib": [*NEVER, 10, 10, 10],
}
SECOND_CALL = {
    "heap_live_bytes": [*NEVER, 1, 2, 3],
    "heap_peak_bytes": [*NEVER, 64, 32, 96],
    "allocations": [*NEVER, 2, 5, 3],
    "stack_bytes": [*NEVER, 1700, 1500, 1600],
    "max_rss_kib": [*NEVER, 2000, 2100, 1900],
}


def measured(folder: Path, **behaviour: Any) -> list[MemoryRecord]:
    """The record of the only cell of a scripted worker, if it gives one."""
    worker = write_worker(folder, "alpha", {HASH: cost(1000)}, **behaviour)
    capability = Capability(HASH, "default")
    launches = {LANE.build_id: Launch((str(worker),))}
    return list(measure_memory([(CASE, LANE, capability)], launches, Expectations(), None, None))


def told(folder: Path, **behaviour: Any) -> MemoryRecord:
    (record,) = measured(folder, **{"setup_ns": SETUP_NS, "first_ns": FIRST_NS, "memory": [FIRST_CALL, SECOND_CALL], **behaviour})  # fmt: skip
    return record


def test_every_figure_is_of_the_call_it_names(tmp_path: Path) -> None:
    """Live bytes and the first peak are of the first call, the rest of a warm one; the largest of three processes. Times are medians of three processes without the counter."""
    record = told(tmp_path)
    assert (record.case, record.lane) == (CASE.id, LANE.id)
    assert record.live_bytes == 480
    assert record.first_peak_bytes == 5000
    assert record.warm_peak_bytes == 96
    assert record.warm_allocations == 5
    assert record.stack_bytes == 1700
    assert record.max_rss_kib == 2100
    assert record.first_call_ns == 8_000
    assert record.prepare_ns == 500


def test_the_first_call_is_one_call_that_nothing_led_in(tmp_path: Path) -> None:
    """The first thing that a process does with its case is that one call: no lead-in, no check before it; then its output is looked at, and no other call is made."""
    told(tmp_path, log=True)
    lines = [line.split() for line in (tmp_path / "alpha" / "requests.log").read_text().splitlines()]
    for process in range(PROCESSES):
        verbs = [words[2] for words in lines if int(words[0]) == process]
        asked = [verb for verb in verbs if verb not in ("hello", "objects", "bye", "pin")]
        assert asked == ["prepare", "run", "output"], asked
        (run,) = (dict(w.split("=", 1) for w in words[3:]) for words in lines if int(words[0]) == process and words[2] == "run")  # fmt: skip
        assert run["calls"] == "1" and run["lead"] == "0", run


def test_memory_is_asked_before_anything_else_calls(tmp_path: Path) -> None:
    """In the counted processes: the case is prepared, its first and its second call are counted, and only then it is proven."""
    told(tmp_path, log=True)
    lines = [line.split() for line in (tmp_path / "alpha" / "requests.log").read_text().splitlines()]
    for process in range(PROCESSES, 2 * PROCESSES):
        verbs = [words[2] for words in lines if int(words[0]) == process]
        asked = [verb for verb in verbs if verb not in ("hello", "objects", "bye", "pin")]
        assert asked == ["prepare", "memory", "memory", "prepare", "compute"], asked


@pytest.mark.parametrize("what", ["memory", "setup_ns"])
def test_what_nobody_told_is_missing_not_zero(tmp_path: Path, what: str) -> None:
    record = told(tmp_path, **{what: None if what == "setup_ns" else []})
    kinds = ("live_bytes", "first_peak_bytes", "warm_peak_bytes", "warm_allocations", "stack_bytes", "max_rss_kib")
    missing = kinds if what == "memory" else ("prepare_ns",)
    assert [getattr(record, name) for name in missing] == [None] * len(missing)
    assert record.first_call_ns == 8_000


@pytest.mark.parametrize(
    "fault",
    [
        {"wrong": [{"op": HASH, "exact_bytes": 16384}]},  # in every process
        {"wrong": [{"op": HASH, "exact_bytes": 16384, "after_runs": 1}]},  # what the first call left
        {"faults": [{"at": "memory", "do": "segv", "op": HASH, "processes": [5]}]},  # the last process only
    ],
    ids=["wrong", "wrong-after-the-call", "crash"],
)
def test_a_cell_that_is_not_right_here_gives_no_figures(tmp_path: Path, fault: dict[str, Any]) -> None:
    assert measured(tmp_path, setup_ns=SETUP_NS, memory=[FIRST_CALL, SECOND_CALL], **fault) == []
