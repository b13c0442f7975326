# SPDX-License-Identifier: Apache-2.0
"""Key agreement in the finite-field groups of RFC 7919, in plain Python from the formulas of its appendix A."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from cipherstone.operations.scheme import Inputs, MustNotBeUsed, Pair, Scheme, judge_of_pair, key_stream

_EULER_GUARD = 64  # bits of e beyond those that are taken
_GENERATOR = 2
# RFC 7919 appendices A.1 and A.2: what makes the prime one whose half is prime too, and the least bits of a secret exponent.
_OFFSETS = {2048: 560316, 3072: 2625351}
EXPONENT_BITS = {2048: 225, 3072: 275}
_FEWEST_BITS = 64  # that an exponent of so many may lack by chance (2^-64)


class Group(NamedTuple):
    """`p`: the prime, with (p - 1) / 2 prime; `g`: the generator of the subgroup of that order; `size`: bytes of p."""

    p: int
    g: int
    size: int


@lru_cache(maxsize=2)
def group(bits: int) -> Group:
    """ffdhe2048 or ffdhe3072: p = 2^b - 2^(b-64) + ([2^(b-130) e] + X) 2^64 - 1."""
    wanted = bits - 130
    total, term, number = 0, 1 << (wanted + _EULER_GUARD), 0
    while term:
        total, number = total + term, number + 1
        term //= number
    euler = total >> _EULER_GUARD
    p = (1 << bits) - (1 << (bits - 64)) + ((euler + _OFFSETS[bits]) << 64) - 1
    return Group(p, _GENERATOR, bits // 8)


def ffdh(bits: int) -> Scheme:
    """Agreement with a modulus of `bits`: SP 800-56A section 5.7.1.1. A private key is as long as the modulus; those that are timed have the bits that RFC 7919 recommends at least, and zeros before them."""
    size = bits // 8
    return Scheme(
        lambda number: _pair(bits, number),
        due={"derive": lambda inputs: _shared(bits, inputs)},
        judge={"keygen": judge_of_pair((size, size), lambda key, pub: _check(bits, key, pub))},
        endless=True,
    )


def _pair(bits: int, number: int) -> Pair:
    of, long = group(bits), EXPONENT_BITS[bits]
    stream = int.from_bytes(key_stream(number, -(-long // 8)), "big") & ((1 << long) - 1)
    exponent = stream | 1 << (long - 1)
    return exponent.to_bytes(of.size, "big"), pow(of.g, exponent, of.p).to_bytes(of.size, "big")


def _shared(bits: int, inputs: Inputs) -> bytes:
    """Public values of 0, 1, p - 1 and more must not be used (section 5.6.2.3.1)."""
    of = group(bits)
    key, pub = int.from_bytes(inputs["key"], "big"), int.from_bytes(inputs["pub"], "big")
    if len(inputs["pub"]) != of.size or not 0 < key < of.p - 1:
        raise ValueError("key or pub is no number of the group")
    if not 2 <= pub <= of.p - 2:
        raise MustNotBeUsed("pub is not from 2 to p - 2")
    return pow(pub, key, of.p).to_bytes(of.size, "big")


def _check(bits: int, key: bytes, pub: bytes) -> str:
    of, exponent = group(bits), int.from_bytes(key, "big")
    if not 0 < exponent < of.p - 1:
        return "the private key is not from 1 to p - 2"
    if exponent.bit_length() < EXPONENT_BITS[bits] - _FEWEST_BITS:
        return f"the private key has {exponent.bit_length()} bits, not {EXPONENT_BITS[bits]} or more"
    return "" if pow(of.g, exponent, of.p) == int.from_bytes(pub, "big") else "the public key is not the private one's"
