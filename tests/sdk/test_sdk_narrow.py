# SPDX-License-Identifier: Apache-2.0
"""The SDK as a program of 32 bits, which builds with the word i386 are: it computes, counts and times as the other does."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conversation import Conversation
from sdk_build import COMPILER

from cipherstone.build.toolchain import NARROW_SDK, narrow_problem

Program = Callable[..., list[str]]


@pytest.fixture(scope="module")
def talk_to(program: Program) -> list[str]:
    if os.uname().machine != "x86_64":
        pytest.skip("programs of 32 bits are x86's")
    if problem := narrow_problem(COMPILER):
        pytest.skip(problem)
    return program("odd_worker.c", *NARROW_SDK)


def test_it_is_a_program_of_32_bits(talk_to: list[str]) -> None:
    assert Path(talk_to[-1]).read_bytes()[4] == 1  # ELFCLASS32


def test_probes_counters_and_times_are_plausible(talk_to: list[str]) -> None:
    """The least of many readings, as for programs of 64 bits; six chains never slower than one."""
    with Conversation(talk_to) as talk:
        hello = talk.ask("1 hello protocol=2")
        assert (hello["probe"], hello["ref_counter"]) == ("i386", "tsc") and hello["clock_step_ns"] > 0
        talk.ask("2 prepare case=0 op=harness/empty impl=sdk")
        assert 2.5 < talk.ask("3 check-probe")["imul_ratio"] < 5.5
        replies = [talk.ask("4 probe count=128") for _ in range(40)]
        chain, throughput = (min(min(reply[half]) for reply in replies) for half in ("chain_ns", "tput_ns"))
        assert 0.1 < chain < 10 and 1 < chain / throughput < 7
        turn = talk.ask("5 run case=0 calls=3000000 lead=1 probe=1 batches=4")
        assert len(turn["chain_ns"]) == 5 and turn["ref"] > 0
        assert 0 < turn["cpu_ns"] < 2 * turn["ns"]
