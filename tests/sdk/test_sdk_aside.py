# SPDX-License-Identifier: Apache-2.0
"""Calls that stand aside: what they do meanwhile is in no figure of time or heap, and is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from conversation import Conversation

OWN, OTHER = 20, 60  # steps


@pytest.fixture
def worker(program) -> list[str]:  # type: ignore[no-untyped-def]
    return list(program("aside_worker.c"))


@pytest.fixture
def talk(worker: list[str]) -> Iterator[Conversation]:
    with Conversation(worker) as conversation:
        yield conversation


def prepare(talk: Conversation, what: str, own: int = OWN, other: int = OTHER) -> None:
    assert talk.ask(f"1 prepare case=0 op={what}/hash impl=default msg=hex:{own:02x}{other:02x}")["ok"] is True


def least(talk: Conversation, key: str) -> int:
    return min(int(talk.ask("2 run case=0 calls=3 lead=1 batches=4 probe=1")[key]) for _ in range(9))


def test_the_time_aside_is_not_in_the_figure(talk: Conversation) -> None:
    prepare(talk, "aside", OWN, 0)
    alone = least(talk, "ns")
    prepare(talk, "aside")
    beside, aside = least(talk, "ns"), least(talk, "aside_ns")
    assert beside == pytest.approx(alone, rel=0.2)
    assert aside == pytest.approx(2 * OTHER / OWN * alone, rel=0.3)


def test_every_batch_is_without_it(talk: Conversation) -> None:
    prepare(talk, "aside")
    reply = talk.ask("2 run case=0 calls=2 lead=1 batches=8")
    assert sum(reply["each"]) == reply["ns"] < reply["aside_ns"]
    assert reply["cpu_ns"] is None and reply["ref"] is None and reply["cycles"] is None


def test_where_nothing_says_so_all_is_the_call_s(talk: Conversation) -> None:
    prepare(talk, "aside")
    own = least(talk, "ns")
    prepare(talk, "aside-unsaid")
    reply = talk.ask("2 run case=0 calls=3 lead=1 batches=4")
    assert "aside_ns" not in reply and reply["ns"] > 3 * own


def test_who_does_not_come_back_is_wrong(talk: Conversation) -> None:
    prepare(talk, "aside-lost")
    reply = talk.ask("2 compute case=0")
    assert reply["result"] == "error" and "did not come back" in reply["detail"]
    assert talk.ask("3 run case=0 calls=1 lead=0")["failed"] == 2


def test_heap_figures_are_of_the_call_alone(worker: list[str], heap_preload: Path) -> None:
    with Conversation(worker, env={**os.environ, "LD_PRELOAD": str(heap_preload)}) as talk:
        prepare(talk, "aside")
        talk.ask("2 memory case=0")
        reply = talk.ask("3 memory case=0")
        assert reply["allocations"] == 1 and 1000 <= reply["heap_peak_bytes"] < 1100
        prepare(talk, "aside-unsaid")
        talk.ask("4 memory case=0")
        # Aside is aside for the heap whatever the row says of time.
        assert talk.ask("5 memory case=0")["allocations"] == 1
