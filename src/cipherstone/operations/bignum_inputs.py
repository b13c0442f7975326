# SPDX-License-Identifier: Apache-2.0
"""Timed inputs of modular arithmetic, as numbers: fixed by SplitMix64 streams (PROTOCOL.md section 2), read most significant byte first.

A stream of its own for every role and length. Moduli are odd with the top bit set and, but for the square root, not prime: no algorithm here needs a prime, and none may
rely on one. Exponents of private operations have the full length of the modulus.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from cipherstone.model.ids import Case
from cipherstone.operations.bignum_oracle import PUBLIC_EXPONENT, PUBLIC_EXPONENT_BYTES
from cipherstone.operations.splitmix import splitmix64

_ROLES = {"modulus": 16, "a": 17, "b": 18, "exponent": 19, "dividend": 20, "p": 21, "q": 22, "root": 23}

# (bits, role): steps from the stream's number (top two bits and the lowest bit set) to the prime: steps of 2 to the first prime p of CRT with p mod 65537 != 1, of 4 to
# the first prime that is 3 modulo 4 for the square root. Found by a sieve and 40 Miller-Rabin rounds (tools/vector_bignum.py); the tests ask another program.
PRIME_STEPS = {
    (512, "p"): 21,
    (512, "q"): 18,
    (1024, "p"): 94,
    (1024, "q"): 1974,
    (1536, "p"): 236,
    (1536, "q"): 460,
    (2048, "p"): 518,
    (2048, "q"): 551,
    (4096, "p"): 2738,
    (4096, "q"): 195,
    (2048, "root"): 1227,
    (4096, "root"): 2359,
}


def bignum_inputs(case: Case) -> dict[str, bytes]:
    """The inputs of an operation of modular arithmetic by name, as `keys` of its algorithm encodes them."""
    return dict(_inputs(case))


def stream_number(role: str, bits: int) -> int:
    """`bits` (a multiple of 8) of the stream of `role`, as a number."""
    return int.from_bytes(splitmix64(_ROLES[role] << 16 | bits, bits // 8), "big")


def first_candidate(bits: int, role: str) -> int:
    """Where the search for the prime of `role` begins: the stream's number with its top two bits set, odd, and 3 modulo 4 for `root`."""
    start = stream_number(role, bits) | 3 << (bits - 2) | 1
    return start | 2 if role == "root" else start


def prime(bits: int, role: str) -> int:
    """The fixed prime of a role (`p`, `q`, `root`). Its top two bits are set, so that a product of two has twice the length."""
    return first_candidate(bits, role) + PRIME_STEPS[bits, role] * prime_step(role)


def prime_step(role: str) -> int:
    """Distance between two candidates."""
    return 4 if role == "root" else 2


def crt_key(p: int, q: int, half_bits: int) -> bytes:
    """p, q, dP, dQ, qInv of the exponent that belongs to 65537, each `half_bits` long, one after the other."""
    dp, dq = pow(PUBLIC_EXPONENT, -1, p - 1), pow(PUBLIC_EXPONENT, -1, q - 1)
    return b"".join(x.to_bytes(half_bits // 8, "big") for x in (p, q, dp, dq, pow(q, -1, p)))


WORD = 123456  # the base that lelegard/cryptobench times


@lru_cache(maxsize=64)
def _inputs(case: Case) -> dict[str, bytes]:
    verb, bits = case.verb, int(case.param("bits") or 0)
    size = bits // 8
    a, b = stream_number("a", bits), stream_number("b", bits)
    if case.algorithm == "modexp-word":
        a = WORD
    if case.param("crt") == "yes":
        p, q = sorted((prime(bits // 2, "p"), prime(bits // 2, "q")), reverse=True)
        return {"key": crt_key(p, q, bits // 2), "msg": (a % (p * q)).to_bytes(size, "big")}
    m = prime(bits, "root") if verb == "mod-sqrt" else stream_number("modulus", bits) | 1 << (bits - 1) | 1
    pub = m.to_bytes(size, "big")
    if verb == "div-mod":
        return {"msg": stream_number("dividend", 2 * bits).to_bytes(2 * size, "big"), "pub": pub}
    if verb in ("montmul", "mod-add", "mod-mul"):
        return {"msg": (a % m).to_bytes(size, "big") + (b % m).to_bytes(size, "big"), "pub": pub}
    if verb == "mod-sqrt":
        a = a * a
    elif verb == "mod-inv":
        while gcd(a, m) != 1:
            a += 1
    inputs = {"msg": (a % m).to_bytes(size, "big"), "pub": pub}
    if verb == "private":
        inputs["key"] = (stream_number("exponent", bits) | 1 << (bits - 1)).to_bytes(size, "big")
    elif verb == "public":
        inputs["key"] = PUBLIC_EXPONENT_BYTES
    return inputs
