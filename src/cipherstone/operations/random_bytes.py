# SPDX-License-Identifier: Apache-2.0
"""What can be said of bytes that a generator drew: not that they are random, but that they are none of what a broken call leaves.

How often bytes that are random are refused, for each call of at most 1 MiB: by the balance of bits less than 2 * exp(-2 * 36) < 2^-102 (Hoeffding's bound at 6 times the square root of their number),
by equal bytes in a row less than 2^20 * 2^-88 = 2^-68, by equal blocks less than 2^31 * 2^-128 = 2^-97.
"""

from __future__ import annotations

import re
from math import sqrt

from cipherstone.model.errors import NotAuthentic
from cipherstone.operations.scheme import Inputs, Pair, Scheme

MOST_EQUAL_BYTES = (
    11  # in a row; the worker spoils 64 bytes at either end with one byte before each call that is looked at
)
BLOCK_BYTES = 16
MOST_IMBALANCE = 6  # times the square root of the number of bits: twelve standard deviations
_ROW = re.compile(rb"(.)\1{%d}" % MOST_EQUAL_BYTES, re.DOTALL)


def random_bytes() -> Scheme:
    """Bytes from a library's own generator: as many as `msg` has. With `fork` a child draws as well, and what is asked is whether it draws what its parent draws: never."""
    return Scheme(_no_pair, due={"fetch": _due}, make={}, judge={"fetch": _judge}, key_pairs=0)


def _no_pair(number: int) -> Pair:
    raise ValueError("random bytes have no key pair")


def _due(inputs: Inputs) -> bytes | None:
    if "fork" in inputs:
        raise NotAuthentic("a child that was forked must not draw what its parent draws")
    return None


def _judge(inputs: Inputs, output: bytes, form: str | None) -> str:
    if len(output) != len(inputs["msg"]):
        return f"{len(output)} bytes, not {len(inputs['msg'])}"
    if row := _ROW.search(output):
        return f"byte {row.group(1).hex()} more than {MOST_EQUAL_BYTES} times in a row from byte {row.start()} on: not written, or stuck"
    blocks = [output[at : at + BLOCK_BYTES] for at in range(0, len(output) - BLOCK_BYTES + 1, BLOCK_BYTES)]
    if len(set(blocks)) != len(blocks):
        return f"a block of {BLOCK_BYTES} bytes stands twice"
    bits = 8 * len(output)
    ones = int.from_bytes(output, "big").bit_count()
    if abs(ones - bits / 2) > MOST_IMBALANCE * sqrt(bits):
        return f"{ones} of {bits} bits are set"
    return ""
