# SPDX-License-Identifier: Apache-2.0
"""The worker of the guide, docs/guides/hashlib_worker.py, passes `cipherstone replay` and has every key that there is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from conversation import Conversation
from sdk_build import ROOT

from cipherstone.protocol.messages import Batch, Computed, Facts, Hello, Listed, Memory, Objects, ProbeCheck, Readings
from cipherstone.worker.attacks import attack_all, requests_of
from cipherstone.worker.replay import exchanges, needs_toy, replay_all, transcripts

GUIDE = [sys.executable, str(ROOT / "docs" / "guides" / "hashlib_worker.py")]
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
FOR_ALL = [path for path in transcripts(ROOT) if not needs_toy(path)]


@pytest.fixture(scope="module")
def talk() -> Iterator[Conversation]:
    with Conversation(GUIDE) as conversation:
        for number in range(6):
            reply = conversation.ask(f"1 prepare case={number} op=sha-256/hash impl=default msg=hex:616263")
            assert reply["ok"] is True
        yield conversation


def test_it_keeps_to_the_conversations_that_are_for_all() -> None:
    verdicts = replay_all(GUIDE, FOR_ALL, toy=False)
    assert len(verdicts) >= 4
    assert [one for one in verdicts if not one.right] == []


def test_it_survives_what_nobody_should_send() -> None:
    verdicts = list(attack_all(GUIDE, requests_of([exchanges(path) for path in FOR_ALL])))
    assert len(verdicts) == 9
    assert [one for one in verdicts if not one.right] == []


@pytest.mark.parametrize(
    ("request_line", "kind"),
    [
        ("hello protocol=2", Hello),
        ("run case=0 calls=2 lead=1 batches=2 probe=1", Batch),
        ("probe", Readings),
        ("check-probe", ProbeCheck),
        ("memory case=0", Memory),
        ("facts case=0", Facts),
        ("objects", Objects),
    ],
)
def test_it_has_every_key_of_a_reply(talk: Conversation, request_line: str, kind: Any) -> None:
    """What it cannot tell is null, so that whoever copies it sees what there is."""
    reply = talk.ask(f"7 {request_line}")
    assert set(reply) == {"seq", "ok", *kind.__struct_encode_fields__} - {
        "aside_ns"
    }  # which goes with calls that stand aside


def test_it_has_every_key_of_a_row_and_of_a_result(talk: Conversation) -> None:
    for row in talk.ask("1 list")["operations"]:
        assert set(row) == set(Listed.__struct_fields__)
    keys = {key for form in ("hex", "crc32") for key in talk.ask(f"2 compute case=0 form={form}")}
    assert keys == {"seq", "ok", *Computed.__struct_fields__} - {"detail"}  # which goes with an error


def test_the_page_of_the_guide_says_how_long_it_is() -> None:
    page = (ROOT / "docs" / "guides" / "add-a-worker-language.md").read_text()
    said = re.search(r"about ([0-9]+) lines of Python", page)
    assert said is not None
    assert abs(int(said[1]) - len((ROOT / "docs" / "guides" / "hashlib_worker.py").read_text().splitlines())) <= 10


def test_the_timed_calls_are_the_proven_ones(talk: Conversation) -> None:
    assert talk.ask("2 run case=3 calls=4 lead=2 batches=2 probe=1")["failed"] == 0
    assert talk.ask("3 output case=3 form=hex")["out"] == ABC
