# SPDX-License-Identifier: Apache-2.0
"""Probes and counters on the real machine, with bounds that a busy one keeps too."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from conversation import Conversation

pytestmark = pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="no probes for this machine")


@pytest.fixture
def talk(odd: list[str]) -> Iterator[Conversation]:
    with Conversation(odd) as conversation:
        conversation.ask("1 prepare case=0 op=harness/empty impl=sdk")
        yield conversation


def test_hello_names_clocks_and_probes(talk: Conversation) -> None:
    reply = talk.ask("2 hello protocol=1")
    assert reply["probe"] == os.uname().machine
    assert reply["ref_counter"] == ("tsc" if os.uname().machine == "x86_64" else "cntvct")
    assert reply["clock"] == "CLOCK_MONOTONIC" and 0 < reply["clock_step_ns"] < 10_000_000


def test_probes_are_plausible(talk: Conversation) -> None:
    """0.1 to 10 GHz; eight chains never slower than one, and no core does more than 16 additions in a cycle."""
    replies = [talk.ask("2 run case=0 calls=100 lead=1 probe=1") for _ in range(20)]
    chain = min(reply["chain_ns"] for reply in replies)
    throughput = min(reply["tput_ns"] for reply in replies)
    assert 0.1 < chain < 10
    assert 1 < chain / throughput < 16


def test_multiplication_takes_a_few_additions(talk: Conversation) -> None:
    assert 2.5 < talk.ask("2 check-probe")["imul_ratio"] < 5.5


def test_time_grows_with_the_number_of_calls(talk: Conversation) -> None:
    """The loop makes as many calls as asked for: a hundred times as many take at least 30 times as long."""
    short = min(talk.ask("2 run case=0 calls=10000 lead=1")["ns"] for _ in range(9))
    long = min(talk.ask("2 run case=0 calls=1000000 lead=1")["ns"] for _ in range(9))
    assert 30 < long / short < 300


def test_clocks_agree(talk: Conversation) -> None:
    reply = talk.ask("2 run case=0 calls=3000000 lead=1")
    assert 0 < reply["cpu_ns"] < 2 * reply["ns"]
    assert reply["ref"] > 0 and reply["nivcsw"] >= 0
