# SPDX-License-Identifier: Apache-2.0
"""What the independent verifier knows of an algorithm with key pairs: pairs to work with, right outputs, and whether an output that was drawn is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from cipherstone.catalogue.conditions import KEYS
from cipherstone.model.errors import NotAuthentic
from cipherstone.operations.splitmix import splitmix64, stream_number

Inputs = Mapping[str, bytes]
Pair = tuple[bytes, bytes]  # private and public key, both as the catalogue encodes them
Due = Callable[[Inputs], bytes | None]
Make = Callable[[Inputs, str | None], bytes]
Judge = Callable[[Inputs, bytes, str | None], str]

SMALL = 1000  # below it numbers of pairs and of members count up from a seed, as rings always did; larger ones have seeds anywhere
SEEDS = (1 << 64) - 1
PEER = -1  # of an agreement: the number of the other side's pair
_KEY_SEED, _PEER_SEED, _RING_SEED = 1, 5, 3000


class MustNotBeUsed(NotAuthentic):
    """A key that a standard's input check refuses: a library must say so."""


class Scheme(NamedTuple):
    """An algorithm with key pairs, as code that no measured library shares knows it. All functions raise ValueError for inputs that are none, KeyError (its name) for one that is missing.

    `key_pair`: the key pair number 0 (timed), 1 and up (further members of a ring), or PEER; always the same one.
    `due`: by verb, the output that inputs must give; None where it is drawn. Raises MustNotBeUsed and NotAuthentic where a library must refuse.
    `make`: by verb, one right output where they are drawn, always the same one; the second argument is the encoding of a signature (`der`, `p1363`, None).
    `judge`: by verb, "" if an output that was drawn is right, else what is wrong with it in one line. A `verify` asks the judge of `sign`.
    `key_pairs`: how many different pairs there are at least; below the length of a ring of keys there is no ring. 0: nothing is signed but the timed message, either.
    `endless`: whether there are pairs of any number. `seed_bytes`: by verb, how long `seed` is where an interface takes it.
    `message`: what member `number` of a ring of messages signs, in `length` bytes, where a stream of its own will not do.
    """

    key_pair: Callable[[int], Pair]
    due: Mapping[str, Due] = {}
    make: Mapping[str, Make] = {}
    judge: Mapping[str, Judge] = {}
    key_pairs: int = KEYS
    message: Callable[[int, int], bytes] | None = None
    endless: bool = False
    seed_bytes: Mapping[str, int] = {}

    @property
    def different_pairs(self) -> int:
        """How many pairs there are; SEEDS where there is no end to them."""
        return SEEDS if self.endless else self.key_pairs


def key_stream(number: int, length: int) -> bytes:
    """`length` bytes that private key `number` is made of: the SplitMix64 stream that timed keys are (PROTOCOL.md section 2)."""
    if number == PEER:
        return splitmix64(_PEER_SEED, length)
    ring = _RING_SEED + number if number < SMALL else stream_number(_RING_SEED, number)
    return splitmix64(ring if number else _KEY_SEED, length)


def judge_of_pair(lengths: tuple[int, int], check: Callable[[bytes, bytes], str]) -> Judge:
    """A judge of key generation. `lengths`: bytes of the private and of the public key; `check`: "" if the two belong together and serve, else what is wrong; it may raise ValueError."""

    def judge(inputs: Inputs, output: bytes, form: str | None) -> str:
        if len(output) != sum(lengths):
            return f"key pair of {len(output)} bytes, not {lengths[0]} and {lengths[1]}"
        try:
            return check(output[: lengths[0]], output[lengths[0] :])
        except ValueError as error:
            return f"the independent library refuses the key: {error}"

    return judge


def judge_of_signature(check: Callable[[bytes, bytes, bytes, str | None], None]) -> Judge:
    """A judge of signatures. `check(pub, msg, sig, form)` raises ValueError for one that is not valid."""

    def judge(inputs: Inputs, output: bytes, form: str | None) -> str:
        try:
            check(inputs["pub"], inputs["msg"], output, form)
        except ValueError:
            return "signature does not verify with the independent library"
        return ""

    return judge
