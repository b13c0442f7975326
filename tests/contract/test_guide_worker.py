# SPDX-License-Identifier: Apache-2.0
"""The worker of the guide, docs/guides/hashlib_worker.py, answers what is asked of times and probes as the others do."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from conversation import Conversation, differences, exchanges, replay
from sdk_build import ROOT

TRANSCRIPTS = ROOT / "protocol" / "transcripts"
GUIDE = [sys.executable, str(ROOT / "docs" / "guides" / "hashlib_worker.py")]
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
# Cases of 07-run.txt whose operations always succeed: any hash can stand for them.
ORDINARY = ("case=0", "case=1", "case=2", "case=5")
RUNS = [
    (request, reply)
    for group in exchanges(TRANSCRIPTS / "07-run.txt")
    for request, reply in zip(group.sent, group.expected, strict=True)
    if request.split(" ")[1:2] == ["run"] and request.split(" ")[2] in ORDINARY
]


@pytest.fixture(scope="module")
def talk() -> Iterator[Conversation]:
    with Conversation(GUIDE) as conversation:
        for number in range(6):
            reply = conversation.ask(f"1 prepare case={number} op=sha-256/hash impl=default msg=hex:616263")
            assert reply["ok"] is True
        yield conversation


def test_transcript_of_the_probes() -> None:
    replay(GUIDE, TRANSCRIPTS / "17-probe.txt")


@pytest.mark.parametrize(("request_line", "expected"), RUNS, ids=[request for request, _ in RUNS])
def test_runs_of_the_transcript(talk: Conversation, request_line: str, expected: dict[str, object]) -> None:
    assert differences(expected, talk.ask(request_line)) == []


def test_the_timed_calls_are_the_proven_ones(talk: Conversation) -> None:
    assert talk.ask("2 run case=3 calls=4 lead=2 batches=2 probe=1")["failed"] == 0
    assert talk.ask("3 output case=3 form=hex")["out"] == ABC


@pytest.mark.parametrize(
    ("version", "error"), [("1", "protocol-version"), ("3", "protocol-version"), ("two", "bad-request")]
)
def test_another_version_is_refused(talk: Conversation, version: str, error: str) -> None:
    assert talk.ask(f"2 hello protocol={version}")["error"] == error
    assert talk.ask("3 hello protocol=2")["protocol"] == 2
