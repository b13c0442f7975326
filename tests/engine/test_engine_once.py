# SPDX-License-Identifier: Apache-2.0
"""First calls and memory keep to the share of the run's bound that is theirs: what is asked for first is there, what is left out is said, and the plan says it before."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from scripts import HASH, MAC, OPEN, CommandLine, cost, newest, passes, records, summary, timed_by_script, write_worker

from cipherstone.measure import firstcall, memory
from cipherstone.model.records import FirstCallRecord, MemoryRecord

PHASES = {"open_ns": 5000, "setup_ns": 20, "first_ns": 9000}
ONCE_S = 0.25  # of a process, by the script


def known_processes(worker: Path) -> int:
    """In which a cell was measured once: those of the passes and of the question of availability do not say that it is known."""
    return sum("known=1" in line for line in (worker.parent / "requests.log").read_text().splitlines())


@pytest.mark.parametrize(("bound_s", "once_s"), [(12, 1.0), (20, 0.45)])
def test_they_end_with_their_share_of_the_bound(cli: CommandLine, tmp_path: Path, bound_s: int, once_s: float) -> None:
    """A pass takes so long by the script that the timing ends with the bound; what remains and 15 % of it are too little for memory of two cells, or for their first calls."""
    costs = {HASH: cost(1000), MAC: cost(1000)}
    alpha = write_worker(tmp_path, "alpha", costs, phases=PHASES, takes_s=0.1, once_s=once_s, log=True)
    done = timed_by_script(cli).measure(
        "--base",
        "alpha",
        "--op",
        f"{HASH},{MAC}",
        "--memory",
        "--max-time",
        f"{bound_s}s",
        "--passes",
        "40",
        "--worker",
        str(alpha),
    )
    bundle = newest(cli.runs)
    spent_s = max(one.start_s + one.wall_s for one in passes(bundle))
    left_s = max(0.0, bound_s - spent_s) + 0.15 * bound_s
    made = known_processes(alpha)
    assert made == math.ceil(round(left_s / once_s, 6)) < 2 * (memory.PROCESSES + firstcall.PROCESSES)
    memories, firsts = records(bundle, MemoryRecord), records(bundle, FirstCallRecord)
    assert len(memories) == min(2, math.ceil(made / memory.PROCESSES))
    (note,) = [note for note in summary(done).manifest.notes if "first calls" in note]
    assert note.startswith(f"memory of {len(memories)} of 2 cells, first calls of {len(firsts)} of 2 cells: ")
    assert note in done.err.replace("note: ", "")


def test_what_the_timing_leaves_is_theirs(cli: CommandLine, tmp_path: Path) -> None:
    """Passes that take no time leave the whole bound: all is measured, and nothing is to be noted."""
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, phases=PHASES, once_s=ONCE_S, log=True)
    done = timed_by_script(cli).measure(
        "--base", "alpha", "--op", HASH, "--memory", "--max-time", "10s", "--worker", str(alpha)
    )
    assert done.code == 0, done.err
    assert known_processes(alpha) * ONCE_S > 0.15 * 10
    (record,) = records(newest(cli.runs), FirstCallRecord)
    assert len(record.first_call_ns) == firstcall.PROCESSES and len(records(newest(cli.runs), MemoryRecord)) == 1
    assert summary(done).manifest.notes == ()


def test_the_plan_says_which_cells_and_how_long(cli: CommandLine, tmp_path: Path) -> None:
    """Headline sizes only, the cards of the suite before others; a run without memory says nothing of them."""
    alpha = write_worker(tmp_path, "alpha", {OPEN: cost(1000), MAC: cost(1000), HASH: cost(1000)})
    words = ("--base", "alpha", "--op", f"{OPEN},{MAC},{HASH}", "--size", "1024,16384", "--worker", str(alpha))
    done = timed_by_script(cli).measure(*words, "--memory", "--max-time", "10s")
    assert "then memory and first calls of 3 cells, up to 17 processes each, at most 1.5 s beyond that" in done.err
    places = {planned.case: planned.once for planned in summary(done).manifest.plan}
    assert {case for case, place in places.items() if not place} == {f"{op}/bytes=1024" for op in (OPEN, MAC, HASH)}
    assert places[f"{OPEN}/bytes=16384"] == 3
    assert sorted(places[f"{op}/bytes=16384"] for op in (MAC, HASH)) == [1, 2]
    unbounded = cli.measure(*words, "--memory", "--max-time", "none")
    assert "then memory and first calls of 3 cells, up to 17 processes each\n" in unbounded.err
    assert "first calls" not in timed_by_script(cli).measure(*words, "--max-time", "10s").err
