# SPDX-License-Identifier: Apache-2.0
"""A ring: cases of one operation take the calls in turn, and each leaves its own result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conversation import Conversation
from sdk_build import COMPILER, SDK, link_with_sdk


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    target: Path = tmp_path_factory.mktemp("ring") / "cs-toy"
    return [str(link_with_sdk(COMPILER, SDK / "tests" / "toy_adapter.c", target))]


def test_every_case_of_a_ring_is_called(toy: list[str]) -> None:
    with Conversation(toy) as talk:
        assert "ring" in talk.ask("1 hello protocol=2")["capabilities"]
        for number, text in enumerate(("61", "62", "63")):
            assert talk.ask(f"2 prepare case={number} op=toy-copy/hash impl=default msg=hex:{text}")["ok"]
        assert talk.ask("3 run case=0 calls=2 lead=0 ring=3 batches=2 probe=1")["failed"] == 0
        assert [talk.ask(f"4 output case={number} form=hex")["out"] for number in range(3)] == ["61", "62", "63"]


def test_a_turn_begins_where_the_last_one_ended(toy: list[str]) -> None:
    """Every call of the toy's signing leaves another signature: who was called can be seen; who was not keeps what it had."""
    with Conversation(toy) as talk:

        def signatures() -> list[str]:
            return [talk.ask(f"9 output case={number} form=hex")["out"] for number in range(3)]

        for number in range(3):
            assert talk.ask(f"1 prepare case={number} op=toy-random/sign impl=default key=hex:61 pub=hex: msg=hex:62")[
                "ok"
            ]
            assert talk.ask(f"2 compute case={number}")["result"] == "ok"
        for calls, called in ((1, {0}), (1, {1}), (2, {2, 0}), (3, {0, 1, 2}), (4, {0, 1, 2}), (1, {2})):
            before = signatures()
            assert talk.ask(f"3 run case=0 calls={calls} lead=0 ring=3")["failed"] == 0
            after = signatures()
            assert {number for number in range(3) if before[number] != after[number]} == called


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ("ring=0", "bad-request"),
        ("ring=65", "bad-request"),
        ("ring=two", "bad-request"),
        ("ring=3", "no-such-case"),  # the third is of another operation
        ("ring=4", "no-such-case"),
    ],
)
def test_a_ring_is_of_one_operation(toy: list[str], asked: str, error: str) -> None:
    with Conversation(toy) as talk:
        for number, op in enumerate(("toy-copy", "toy-copy", "toy-sum")):
            assert talk.ask(f"1 prepare case={number} op={op}/hash impl=default msg=hex:61")["ok"]
        assert talk.ask("2 run case=0 calls=1 lead=0 ring=2")["ok"]
        assert talk.ask(f"3 run case=0 calls=1 lead=0 {asked}")["error"] == error
        assert talk.ask("4 prepare case=1023 op=toy-copy/hash impl=default msg=hex:61")["ok"]
        assert talk.ask("5 run case=1023 calls=1 lead=0 ring=2")["error"] == "no-such-case"


@pytest.fixture(scope="module")
def wrapped(program: Callable[..., list[str]]) -> list[str]:
    if not sys.platform.startswith("linux"):
        pytest.skip("the linker has no --wrap")
    return program(
        "wrapped_worker.c", "-Wl,--wrap=cs_time_batches", "-Wl,--wrap=cs_evict_all", "-Wl,--wrap=cs_evict_range"
    )


PREPARE = "prepare case={} op=wrapped/encrypt impl=default room=99 key=hex:00 iv=hex:00 msg=hex:616263"


def left(talk: Conversation, asked: str, params: str = "") -> str:
    """What the last call of such a run was told, of the first of two cases."""
    for number in range(2):
        assert talk.ask(f"1 {PREPARE.format(number)}{params}")["ok"]
    assert talk.ask(f"2 run case=0 lead=1 {asked}")["failed"] == 0
    return bytes.fromhex(talk.ask("3 output case=0 form=hex")["out"]).decode()


def test_a_case_alone_is_timed_itself(wrapped: list[str]) -> None:
    """To walk a ring of one would cost every call as much as to walk a longer one."""
    with Conversation(wrapped) as talk:
        for asked in ("calls=2", "calls=2 ring=1", "calls=2 batches=3 probe=1"):
            assert left(talk, asked) == "wrapped/encrypt 0 0"
        assert left(talk, "calls=2 ring=2") == "harness/ring 0 0"


def test_caches_are_emptied_before_cold_calls_alone(wrapped: list[str]) -> None:
    """Not before those that are timed one by one for another reason, nor before those that are not timed. Of a ring all members are."""
    with Conversation(wrapped) as talk:
        assert left(talk, "calls=3", " params=place=same") == "nothing 0 0"
        assert left(talk, "calls=3", " params=cache=cold") == "nothing 3 3"
    with Conversation(wrapped) as talk:  # one call that is not timed and the second of three are the first case's
        assert left(talk, "calls=3 ring=2", " params=cache=cold") == "nothing 2 4"
