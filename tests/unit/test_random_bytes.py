# SPDX-License-Identifier: Apache-2.0
"""The judge of random bytes: it takes those of the system, and refuses what a broken call leaves."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.errors import NotAuthentic
from cipherstone.operations.oracle import expected_output, random_output_problem

OPERATION = "random/fetch"
SPOILT = b"\x5a"  # with what the C SDK spoils an output buffer


def problem(output: bytes, asked: int | None = None) -> str:
    return random_output_problem(OPERATION, {"msg": bytes(len(output) if asked is None else asked)}, output)


@pytest.mark.parametrize("length", [1, 7, 16, 31, 64, 255, 1024, 1025, 16384])
def test_bytes_of_the_system_are_taken(length: int) -> None:
    assert [problem(os.urandom(length)) for _ in range(50)] == [""] * 50


def test_another_length_is_refused() -> None:
    assert problem(os.urandom(31), 32) == "31 bytes, not 32"


@given(before=st.integers(0, 300), stuck=st.integers(12, 64), after=st.integers(0, 300))
def test_bytes_that_were_not_written_are_refused(before: int, stuck: int, after: int) -> None:
    assert "times in a row" in problem(os.urandom(before) + SPOILT * stuck + os.urandom(after))


@pytest.mark.parametrize("length", [32, 33, 256, 8192])
def test_a_block_that_comes_again_is_refused(length: int) -> None:
    block = os.urandom(16)
    assert "stands twice" in problem((block * (length // 16 + 1))[:length])


@pytest.mark.parametrize("mask", [0x7F, 0xFE, 0x55])
def test_a_bit_that_stands_still_is_refused(mask: int) -> None:
    assert "bits are set" in problem(bytes(byte & mask for byte in os.urandom(8192)))


def test_outputs_are_drawn_and_a_child_must_not_repeat_them() -> None:
    assert expected_output(OPERATION, {"msg": bytes(16)}) is None
    with pytest.raises(NotAuthentic, match="child"):
        expected_output(OPERATION, {"msg": bytes(16), "fork": b"\1"})
