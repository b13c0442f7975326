# SPDX-License-Identifier: Apache-2.0
"""Calls that stand aside: what they do meanwhile is in no figure of time or heap, and is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from conversation import Conversation

OWN, OTHER = 20, 60  # steps
STEP_NS = 1000  # by the clock of the worker, which nothing else moves


@pytest.fixture
def worker(program) -> list[str]:  # type: ignore[no-untyped-def]
    return list(program("aside_worker.c"))


@pytest.fixture
def talk(worker: list[str]) -> Iterator[Conversation]:
    with Conversation(worker) as conversation:
        yield conversation


def prepare(talk: Conversation, what: str, own: int = OWN, other: int = OTHER) -> None:
    assert talk.ask(f"1 prepare case=0 op={what}/hash impl=default msg=hex:{own:02x}{other:02x}")["ok"] is True


def test_the_time_aside_is_not_in_the_figure(talk: Conversation) -> None:
    prepare(talk, "aside")
    reply = talk.ask("2 run case=0 calls=3 lead=1 batches=4")
    assert reply["each"] == [3 * OWN * STEP_NS] * 4 and reply["ns"] == sum(reply["each"])
    assert reply["aside_ns"] == 4 * 3 * 2 * OTHER * STEP_NS


def test_nothing_of_a_turn_s_beginning_is_aside(talk: Conversation) -> None:
    """What the lead stood aside for is of no batch; and CPU time, counter and cycles would hold both sides."""
    prepare(talk, "aside")
    for lead in (0, 1, 9):
        reply = talk.ask(f"2 run case=0 calls=2 lead={lead} batches=8")
        assert (reply["ns"], reply["aside_ns"]) == (8 * 2 * OWN * STEP_NS, 8 * 2 * 2 * OTHER * STEP_NS)
        assert reply["cpu_ns"] is None and reply["ref"] is None and reply["cycles"] is None


def test_where_nothing_says_so_all_is_the_call_s(talk: Conversation) -> None:
    prepare(talk, "aside-unsaid")
    reply = talk.ask("2 run case=0 calls=3 lead=1 batches=4")
    assert "aside_ns" not in reply and reply["ns"] == 4 * 3 * (OWN + 2 * OTHER) * STEP_NS


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
