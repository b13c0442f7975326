# SPDX-License-Identifier: Apache-2.0
"""The hooks `finish` and `facts`: when they are called, what they may say, and that no figure holds their cost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from conversation import Conversation


@pytest.fixture
def talk(odd: list[str]) -> Iterator[Conversation]:
    with Conversation(odd) as conversation:
        yield conversation


def prepare(talk: Conversation, what: str, msg: bytes = b"") -> None:
    assert talk.ask(f"1 prepare case=0 op=odd-{what}/hash impl=default msg=hex:{msg.hex()}")["ok"] is True


def test_a_result_is_finished_once_whatever_is_asked_afterwards(talk: Conversation) -> None:
    prepare(talk, "finishes")
    for number, request in enumerate(("compute case=0", "run case=0 calls=9 lead=4 batches=3", "memory case=0"), 1):
        assert talk.ask(f"2 {request}")["ok"] is True
        for _ in range(3):
            assert bytes.fromhex(talk.ask("3 output case=0 form=hex")["out"]).decode() == str(number)


def test_calls_that_are_not_good_are_not_finished(talk: Conversation) -> None:
    prepare(talk, "rejects")
    assert talk.ask("2 compute case=0")["result"] == "rejected"
    prepare(talk, "finishes")
    assert bytes.fromhex(talk.ask("3 compute case=0")["out"]) == b"1"


@pytest.mark.parametrize(
    ("what", "detail"), [("overrun", "outside"), ("claims", "more output"), ("rejects", "could not be encoded")]
)
def test_a_finish_that_goes_wrong_is_an_error_of_the_calls(talk: Conversation, what: str, detail: str) -> None:
    prepare(talk, f"finish-{what}")
    reply = talk.ask("2 compute case=0")
    assert reply["result"] == "error" and detail in reply["detail"]
    assert talk.ask("3 run case=0 calls=2 lead=0")["failed"] == 2
    assert talk.ask("4 output case=0")["result"] == "error"


def test_memory_figures_do_not_hold_what_finish_uses(odd: list[str], heap_preload: Path) -> None:
    with Conversation(odd, env={**os.environ, "LD_PRELOAD": str(heap_preload)}) as talk:
        prepare(talk, "finish-heavy")
        talk.ask("2 run case=0 calls=3 lead=1")
        talk.ask("3 compute case=0")
        reply = talk.ask("4 memory case=0")
        keys = ("heap_live_bytes", "heap_peak_bytes", "allocations", "stack_bytes")
        assert [reply[key] for key in keys] == [0, 0, 0, 0]
        assert talk.ask("5 memory case=0")["heap_live_bytes"] == 0


def test_facts_up_to_their_limits(talk: Conversation) -> None:
    prepare(talk, "facts-full")
    facts = talk.ask("2 facts case=0")["facts"]
    assert len(facts) == 64 and list(facts)[:2] == ["k_0", "k_1"]
    assert facts["k_0"] == 'a "text" now' and facts["k_61"] == 61
    assert facts["most"] == 2**53 and facts["longest"] == "x" * 4096


@pytest.mark.parametrize(
    ("what", "msg", "detail"),
    [
        ("many", b"", "64 facts"),
        ("number", b"", "2^53"),
        ("text", b"", "one line"),
        ("text", b"two\nlines", "one line"),
        ("text", b"two\rlines", "one line"),
        ("text", b"x" * 4097, "one line"),
        ("key", b"", "key"),
        ("key", b"Mul", "key"),
        ("key", b"limb-mul", "key"),
        ("key", b"two words", "key"),
        ("key", b"k" * 64, "key"),
    ],
)
def test_what_is_no_fact_refuses_them_all(talk: Conversation, what: str, msg: bytes, detail: str) -> None:
    prepare(talk, f"facts-{what}", msg)
    reply = talk.ask("2 facts case=0")
    assert reply["error"] == "bad-facts" and detail in reply["detail"]
    assert talk.ask("3 compute case=0")["result"] == "ok"


def test_the_longest_key(talk: Conversation) -> None:
    prepare(talk, "facts-key", b"k" * 63)
    assert talk.ask("2 facts case=0")["facts"] == {"k" * 63: 1}


def each_or_none(data: bytes) -> str:
    """UTF-8 as Python reads it; of what is none every byte is a replacement character."""
    found = ""
    while data:
        for length in (1, 2, 3, 4):
            try:
                found, data = found + data[:length].decode(), data[length:]
                break
            except UnicodeDecodeError:
                continue
        else:
            found, data = found + "\ufffd", data[1:]
    return found


def test_texts_are_utf8_whatever_a_library_says(talk: Conversation) -> None:
    """Every sequence at the limits of the table of well-formed ones, alone, cut off, and before a letter."""
    limits = ["\x01", "\x1f", '"', "\\", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0003ffff", "\U000fffff", "\U0010ffff"]  # fmt: skip
    wrong = ["80", "bf", "c080", "c1bf", "c27f", "c2c0", "e09fbf", "e0a07f", "eda080", "efbfc0", "f08fbfbf", "f09080c0", "f0907f80", "f4908080", "f5808080", "ff"]  # fmt: skip
    whole = [text.encode() for text in limits]
    texts = [*whole, *(one[:-1] for one in whole if len(one) > 1), *map(bytes.fromhex, wrong)]
    texts = [*texts, *(one + b"a" for one in texts)]
    for text in texts:
        prepare(talk, "facts-text", text)
        assert talk.ask("2 facts case=0")["facts"] == {"text": each_or_none(text)}, text.hex()
