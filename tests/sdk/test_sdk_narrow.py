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


def test_counters_and_times_are_plausible(talk_to: list[str]) -> None:
    """Without probes: too few registers for as many chains as those of 64 bits have, beside which they would look like a shared core."""
    with Conversation(talk_to) as talk:
        hello = talk.ask("1 hello protocol=2")
        assert (hello["probe"], hello["ref_counter"]) == (None, "tsc") and hello["clock_step_ns"] > 0
        talk.ask("2 prepare case=0 op=harness/empty impl=sdk")
        assert talk.ask("3 check-probe")["imul_ratio"] is None
        turn = talk.ask("4 run case=0 calls=3000000 lead=1 probe=1 batches=4")
        assert turn["chain_ns"] is None and turn["ref"] > 0
        assert 0 < turn["cpu_ns"] < 2 * turn["ns"]
