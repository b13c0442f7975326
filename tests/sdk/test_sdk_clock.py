# SPDX-License-Identifier: Apache-2.0
"""With a scripted clock the figures of a batch are exact, and the readings come in the order that the method asks for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from conversation import Conversation

Program = Callable[..., list[str]]

PREPARE = "1 prepare case=0 op=clock/hash impl=default msg=hex:"
SECOND = 10**9


def reading(ns: int) -> str:
    return f"{ns // SECOND}.{ns % SECOND:09d}"


def scripted(command: list[str], wall: list[int], cpu: list[int], request: str) -> tuple[dict[str, Any], str]:
    """The reply to `request` under a clock that gives these readings (ns), and the journal of what was read and called.

    Preparing takes the two readings before them: the set-up lasts 7 ns.
    """
    script = ",".join(map(reading, [3, 10, *wall])) + ";" + ",".join(map(reading, cpu))
    with Conversation(command, env={**os.environ, "CS_SCRIPT": script}) as talk:
        assert talk.ask(PREPARE)["setup_ns"] == 7
        reply = talk.ask(request)
        assert talk.end() == (0, b"")
        talk.drain.join()
        journal = talk.errors.decode().strip()
        assert journal.startswith("WW")
        return reply, journal[2:]


@pytest.fixture(scope="session")
def clock_worker(program: Program) -> list[str]:
    return program("clock_worker.c")


@pytest.mark.parametrize("start", [0, 2**32 - 1, 2**32 * SECOND - 3, 2**63 - 500, 2**63 - 1, 2**64 - 1])
@pytest.mark.parametrize("span", [1, 300_000, 2**32 - 1, 2**32 + 7, 3600 * SECOND + 1, 2**53 + 1])
def test_figures_are_exact(clock_worker: list[str], start: int, span: int) -> None:
    wall, cpu = [start, start + span], [start + 9, start + 9 + span // 3]
    reply, _ = scripted(clock_worker, wall, cpu, "2 run case=0 calls=3 lead=0")
    assert (reply["ns"], reply["cpu_ns"], reply["nivcsw"], reply["failed"]) == (span, span // 3, 5 * SECOND, 0)


def test_readings_come_in_order(clock_worker: list[str]) -> None:
    """Lead-in first; then context switches, CPU clock, wall clock; nothing but the calls; and back out."""
    _, journal = scripted(clock_worker, [5, 6], [7, 8], "2 run case=0 calls=4 lead=2")
    assert journal == "kk" + "SCW" + "kkkk" + "WCS"


def test_probes_are_read_before_the_lead_in(clock_worker: list[str]) -> None:
    adds = 640 * 64
    wall = [0, 2 * adds, 0, 1280 * 128 // 2, 100, 450]
    reply, journal = scripted(clock_worker, wall, [0, 1], "2 run case=0 calls=1 lead=1 probe=1")
    if reply["chain_ns"] is None:
        pytest.skip("no probe for this instruction set")
    assert (reply["chain_ns"], reply["tput_ns"], reply["ns"]) == (2.0, 0.5, 350)
    assert journal == "WWWW" + "k" + "SCW" + "k" + "WCS"


def test_one_reading_ends_a_batch_and_begins_the_next(clock_worker: list[str]) -> None:
    reply, journal = scripted(
        clock_worker, [5, 12, 12 + 2**33, 13 + 2**33], [0, 1], "2 run case=0 calls=2 lead=1 batches=3"
    )
    assert (reply["each"], reply["ns"]) == ([7, 2**33, 1], 2**33 + 8)
    assert journal == "k" + "SCW" + "kkW" * 3 + "CS"


def test_clock_that_stands_still_is_reported_as_zero(clock_worker: list[str]) -> None:
    reply, _ = scripted(clock_worker, [5, 5], [7, 7], "2 run case=0 calls=1 lead=0")
    assert (reply["ns"], reply["cpu_ns"]) == (0, 0)


def test_clock_that_runs_backwards_is_reported_as_zero(clock_worker: list[str]) -> None:
    reply, _ = scripted(clock_worker, [5 * SECOND, 4 * SECOND], [7, 6], "2 run case=0 calls=1 lead=0")
    assert (reply["ns"], reply["cpu_ns"]) == (0, 0)


def test_step_of_the_clock_is_the_smallest_that_was_seen(clock_worker: list[str]) -> None:
    reply, _ = scripted(clock_worker, [0, 40, 40, 65, 165], [], "2 hello protocol=1")
    assert reply["clock_step_ns"] == 25
