# SPDX-License-Identifier: Apache-2.0
"""What a process does once, timed by a clock that counts steps: the digits of a figure say what is in it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conversation import Conversation

Program = Callable[..., list[str]]

OPEN_LIBRARY, OPEN_INTERFACE, SEED, AVAILABLE, FETCH, SETUP, FIRST, LATER = (10**i for i in range(8))
STEPS = ("open_ns", "available_ns", "seed_ns", "fetch_ns", "setup_ns")


@pytest.fixture(scope="session")
def phases(program: Program) -> list[str]:
    return program("phases_worker.c")


def prepared(talk: Conversation, row: str, case: int = 0, more: str = " known=1") -> tuple[Any, ...]:
    reply = talk.ask(f"1 prepare case={case} op={row}/hash impl=default msg=hex:{more}")
    return tuple(reply[step] for step in STEPS)


def test_every_step_is_told_apart(phases: list[str]) -> None:
    with Conversation(phases) as talk:
        assert prepared(talk, "whole") == (OPEN_LIBRARY + OPEN_INTERFACE, None, SEED, FETCH, SETUP)
        assert [talk.ask("2 run case=0 calls=1 lead=0")["ns"] for _ in range(2)] == [FIRST, LATER]
        assert talk.ask("3 output case=0 form=hex")["out"] == b"fetched".hex()


def test_availability_is_asked_unless_it_is_known(phases: list[str]) -> None:
    with Conversation(phases) as talk:
        first = prepared(talk, "whole", more="")
        assert first == (OPEN_LIBRARY + OPEN_INTERFACE, AVAILABLE, SEED, FETCH, SETUP)
        assert prepared(talk, "whole", more=" known=0") == (None, AVAILABLE, None, None, SETUP)
        assert prepared(talk, "whole") == (None, None, None, None, SETUP)
        reply = talk.ask("9 prepare case=0 op=whole/hash impl=default msg=hex: known=yes")
        assert reply["error"] == "bad-request"


def test_a_step_is_taken_once_a_process_by_whom_it_is_needed_first(phases: list[str]) -> None:
    """A step that rows share is told by the first of them; a fetch is of one row, and what it got stays."""
    with Conversation(phases) as talk:
        assert prepared(talk, "plain") == (OPEN_LIBRARY, None, None, None, SETUP)
        assert prepared(talk, "fetching", 1) == (None, None, None, FETCH, SETUP)
        assert prepared(talk, "other", 2) == (OPEN_INTERFACE, None, SEED, FETCH, SETUP)
        assert prepared(talk, "whole", 3) == (None, None, None, FETCH, SETUP)
        for case, left in ((1, b"fetched"), (2, b"fetched"), (0, b"")):
            assert talk.ask(f"2 compute case={case}")["out"] == left.hex()
        assert prepared(talk, "fetching", 1) == (None, None, None, None, SETUP)


def test_a_step_that_fails_is_no_step_and_is_tried_again(phases: list[str]) -> None:
    """What was taken before it is told by the first `prepare` that succeeds."""
    with Conversation(phases) as talk:
        for _ in range(2):
            reply = talk.ask("1 prepare case=0 op=late/hash impl=default msg=hex: known=1")
            assert (reply["error"], reply["detail"]) == ("unavailable", "not yet")
        assert prepared(talk, "late") == (OPEN_LIBRARY, None, SEED, FETCH, SETUP)


def settlings(talk: Conversation) -> int:
    talk.ask("8 prepare case=7 op=settlings/hash impl=default msg=hex:")
    return int(talk.ask("8 compute case=7")["out"], 16)


def test_a_library_is_settled_once_a_process_and_never_before_a_first_call(phases: list[str]) -> None:
    with Conversation(phases) as talk:
        assert prepared(talk, "settling") == (OPEN_LIBRARY, None, None, None, SETUP)
        assert settlings(talk) == 0
        assert prepared(talk, "plain", more="") == (None, None, None, None, SETUP)
        assert settlings(talk) == 0
        for row in ("settling", "settling-too", "settling"):
            assert prepared(talk, row, more="") == (None, None, None, None, SETUP)
            assert settlings(talk) == 1


@pytest.mark.parametrize("seed", range(20))
def test_no_step_is_in_another_and_none_is_lost(phases: list[str], seed: int) -> None:
    """Whatever is asked in whatever order: the figures of all replies add up to the clock, so that each step is in one figure."""
    draw = random.Random(seed)
    told = 0
    with Conversation(phases) as talk:
        for _ in range(60):
            case = draw.randrange(4)
            if draw.random() < 0.5:
                row = draw.choice(["whole", "other", "fetching", "plain"])
                reply = talk.ask(f"1 prepare case={case} op={row}/hash impl=default msg=hex: known={draw.randrange(2)}")
                told += sum(reply[step] or 0 for step in STEPS)
            else:
                reply = talk.ask(f"2 run case={case} calls={draw.randrange(1, 4)} lead=0")
                told += reply.get("ns", 0)
        talk.ask("3 prepare case=0 op=plain/hash impl=default msg=hex:")
        assert talk.end()[0] == 0
        talk.drain.join()
        assert int(talk.errors.decode()) == told + SETUP


# ---- random bytes


@pytest.fixture
def counting(phases: list[str], heap_preload: Path) -> list[str]:
    return ["env", f"LD_PRELOAD={heap_preload}", *phases]


def memory(command: list[str], row: str, length: int) -> list[tuple[int | None, int | None]]:
    """(drawn, asked of the system) of three calls."""
    with Conversation(command) as talk:
        talk.ask(f"1 prepare case=0 op={row}/hash impl=default msg=gen:1:{length}")
        replies = [talk.ask("2 memory case=0") for _ in range(3)]
        asked = [reply["system_random_bytes"] for reply in replies]
        if asked[0] is not None:
            before = [reply["system_random_before"] - replies[0]["system_random_before"] for reply in replies]
            assert before == [0, asked[0], asked[0] + asked[1]]
        return [(reply["random_bytes"], reply["system_random_bytes"]) for reply in replies]


@pytest.mark.parametrize("length", [1, 40, 200])
def test_random_bytes_of_a_call(counting: list[str], length: int) -> None:
    assert memory(counting, "drawn", length) == [(length, 0)] * 3
    assert memory(counting, "getrandom", length) == [(length, length)] * 3


@pytest.mark.parametrize("row", ["getentropy", "syscall", "read", "stream"])
def test_every_way_to_the_system_is_seen(counting: list[str], row: str) -> None:
    """An adapter that does not tell what is drawn has no figure for it: not 0."""
    assert memory(counting, row, 77) == [(None, 77)] * 3


def test_what_is_not_told_is_not_seen(counting: list[str], phases: list[str]) -> None:
    assert memory(counting, "drawn-untold", 40) == [(None, 0)] * 3
    assert memory(phases, "drawn", 40) == [(None, None)] * 3
    assert memory(phases, "getrandom", 40) == [(None, None)] * 3


def test_an_operation_that_draws_nothing_has_a_true_zero(counting: list[str]) -> None:
    assert memory(counting, "drawn", 0) == [(0, 0)] * 3


def test_the_counter_does_not_disturb_what_is_read(counting: list[str]) -> None:
    """A worker that reads its requests from a pipe and asks the system for nothing has asked for nothing."""
    with Conversation(counting, env=dict(os.environ)) as talk:
        talk.ask("1 prepare case=0 op=plain/hash impl=default msg=gen:1:100000")
        reply = talk.ask("2 memory case=0")
        assert (reply["random_bytes"], reply["system_random_bytes"], reply["system_random_before"]) == (None, 0, 0)
