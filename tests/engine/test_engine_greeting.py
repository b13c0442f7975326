# SPDX-License-Identifier: Apache-2.0
"""Who a worker says it is, process after process: one that changes its version, its name or what it can do is refused with both values, and the run beside it goes on."""

from __future__ import annotations

from typing import Any

import pytest
from scripts import HASH, CommandLine, Done, cells, cost, newest, options, passes, summary, write_worker

from cipherstone.measure.hello_changes import hello_changes
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Hello

SAID = "its identity changed while the run measured: "
# Process 0 is the one that was asked when the build was found.
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "everyprocess": ({"version": "1.NUMBER"}, "version was 1.0, is 1."),
    "fifth": ({"5": {"version": "1.1"}}, "version was 1.0, is 1.1"),
    "othername": ({"3": {"library": "somebody"}}, "library was othername, is somebody"),
    "othercode": ({"3": {"cpu_path": "avx512"}}, "cpu_path was not told, is avx512"),
    "othercompiler": ({"3": {"compiler": "gcc 14", "flags": "-O3"}}, "compiler was none, is gcc 14; flags was empty, is -O3"),
    "otherability": ({"3": {"capabilities": ["inputs"]}}, "capabilities was empty, is inputs"),
    "otherclock": ({"3": {"clock": "wrist"}}, "clock was script, is wrist"),
}  # fmt: skip
STEADY: dict[str, Any] = {"3": {"clock_step_ns": 7, "heap": True, "counter": "perf", "ref_counter": "tsc"}}


@pytest.fixture(scope="module")
def ran(new_cli: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Any, CommandLine]:
    cli, folder = new_cli("greeting-run"), tmp_path_factory.mktemp("greeting")
    workers = [write_worker(folder, "good", {HASH: cost(1000)})]
    for name, (told, _) in {**CASES, "steady": (STEADY, "")}.items():
        by_process = told if "version" not in told else {"*": told}
        workers.append(write_worker(folder, name, {HASH: cost(700)}, hello_of=by_process))
    done = cli.measure("--base", "good", "--op", HASH, *options(*workers), timeout_s=300)
    return done.no_trace(), summary(done), cli


@pytest.mark.parametrize("library", CASES)
def test_a_worker_that_becomes_another_is_out(ran: tuple[Done, Any, CommandLine], library: str) -> None:
    cell = cells(ran[1])[f"{library}@1.0"]
    assert cell.outcome is Outcome.UNAVAILABLE and cell.ns is None
    assert cell.detail.startswith(f"{SAID}{CASES[library][1]}")
    assert cell.lane not in [lane for group in ran[1].cases[0].ranking for lane in group]


def test_what_was_taken_before_it_changed_is_kept_as_it_was(ran: tuple[Done, Any, CommandLine]) -> None:
    """Each pass begins one process of the lane; nothing of the fifth is in any."""
    found = passes(newest(ran[2].runs))
    assert len(found) >= 6
    assert sum(any(one.lane == "fifth@1.0" for one in each.lanes) for each in found) == 4


@pytest.mark.parametrize("library", ["good", "steady"])
def test_what_every_process_measures_anew_may_differ(ran: tuple[Done, Any, CommandLine], library: str) -> None:
    """The step of its clock; what a process gets of counters and heap figures."""
    assert cells(ran[1])[f"{library}@1.0"].outcome is Outcome.OK


def hello(**words: Any) -> Hello:
    known = {"sdk": "s", "library": "l", "version": "1", "version_from": "library", "compiler": "c", "flags": "f"}
    return Hello(**{"protocol": 2, "clock": "c", "clock_step_ns": 1, **known, **words})


def test_each_word_is_told_in_one_line() -> None:
    """The order of capabilities is nothing; a value of several lines is one."""
    assert list(hello_changes(hello(), hello(clock_step_ns=9, counter="x", stack=True))) == []
    assert list(hello_changes(hello(capabilities=("a", "b")), hello(capabilities=("b", "a")))) == []
    told = list(hello_changes(hello(probe="p"), hello(version="2\n3", version_from="header", cpu_clock="k")))
    assert told == [
        "version was 1, is 2 3",
        "version_from was library, is header",
        "cpu_clock was not told, is k",
        "probe was p, is not told",
    ]
