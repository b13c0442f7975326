# SPDX-License-Identifier: Apache-2.0
"""What modular arithmetic must give: Python's integers, which share no code with the libraries measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import gcd

WORD_BITS = 32  # a word on every machine
PUBLIC_EXPONENT = 65537
PUBLIC_EXPONENT_BYTES = bytes.fromhex("010001")
QUOTIENT_EXTRA_BYTES = 8  # a quotient of 2N by N bits has N + 1 bits: a whole word more

Inputs = Mapping[str, bytes]
Compute = Callable[[Inputs, Mapping[str, str]], bytes]  # of the inputs and the parameters


def _number(inputs: Inputs, name: str, length: int) -> int:
    data = inputs[name]
    if len(data) != length:
        raise ValueError(f"{name} has {len(data)} bytes, not {length}")
    return int.from_bytes(data, "big")


def _modulus(inputs: Inputs, bits: int, odd: bool = True) -> int:
    m = _number(inputs, "pub", bits // 8)
    if m >> (bits - 1) != 1 or (odd and m % 2 == 0):
        raise ValueError(f"pub is not an {'odd ' if odd else ''}number of {bits} bits")
    return m


def _below(value: int, m: int) -> int:
    if value >= m:
        raise ValueError("msg is not below the modulus")
    return value


def _one(bits: int, inputs: Inputs) -> tuple[int, int]:
    """(operand, modulus)"""
    m = _modulus(inputs, bits)
    return _below(_number(inputs, "msg", bits // 8), m), m


def _two(bits: int, inputs: Inputs) -> tuple[int, int, int]:
    """(first operand, second operand, modulus)"""
    m = _modulus(inputs, bits)
    both = _number(inputs, "msg", bits // 4)
    return _below(both >> bits, m), _below(both & ((1 << bits) - 1), m), m


def _modexp(bits: int, key_bytes: int, inputs: Inputs) -> int:
    base, m = _one(bits, inputs)
    return pow(base, _number(inputs, "key", key_bytes), m)


def _modexp_private(bits: int, inputs: Inputs) -> int:
    return _modexp(bits, bits // 8, inputs)


def _modexp_public(bits: int, inputs: Inputs) -> int:
    if inputs["key"] != PUBLIC_EXPONENT_BYTES:
        raise ValueError("key is not 65537 in 3 bytes")
    return _modexp(bits, 3, inputs)


def _one_word(function: Callable[[int, Inputs], int], bits: int, inputs: Inputs) -> int:
    if int.from_bytes(inputs["msg"], "big") >> WORD_BITS:
        raise ValueError(f"msg has more than {WORD_BITS} bits")
    return function(bits, inputs)


def _modexp_crt(bits: int, inputs: Inputs) -> int:
    """The number below p q that is msg^dP modulo p and msg^dQ modulo q. RFC 8017 section 5.1.2 gives one way to it; qInv is checked, not used."""
    half = bits // 16
    if len(inputs["key"]) != 5 * half:
        raise ValueError(f"key has {len(inputs['key'])} bytes, not five numbers of {half}")
    p, q, dp, dq, qinv = (int.from_bytes(inputs["key"][at : at + half], "big") for at in range(0, 5 * half, half))
    if p * q >> (bits - 1) != 1 or gcd(2 * q, p) != 1 or q % 2 == 0 or q * qinv % p != 1:
        raise ValueError("key is not p, q, dP, dQ, qInv of an odd modulus with its top bit set")
    base = _below(_number(inputs, "msg", bits // 8), p * q)
    m_p, m_q = pow(base % p, dp, p), pow(base % q, dq, q)
    return (m_p * q * pow(q, -1, p) + m_q * p * pow(p, -1, q)) % (p * q)


def _montmul(bits: int, inputs: Inputs) -> int:
    """With a in Montgomery form and b plain the Montgomery product is a b."""
    return _mod_mul(bits, inputs)


def _mod_add(bits: int, inputs: Inputs) -> int:
    a, b, m = _two(bits, inputs)
    return (a + b) % m


def _mod_mul(bits: int, inputs: Inputs) -> int:
    a, b, m = _two(bits, inputs)
    return a * b % m


def _mod_sqr(bits: int, inputs: Inputs) -> int:
    a, m = _one(bits, inputs)
    return a * a % m


def _mod_inv(bits: int, inputs: Inputs) -> int:
    a, m = _one(bits, inputs)
    return pow(a, -1, m)  # ValueError where there is none


def _mod_sqrt(bits: int, inputs: Inputs) -> int:
    """The even one of the two roots modulo a prime that is 3 modulo 4 (HAC, algorithm 3.36); of 0 it is 0."""
    a, p = _one(bits, inputs)
    if p % 4 != 3:
        raise ValueError("pub is not 3 modulo 4")
    root = pow(a, (p + 1) // 4, p)
    if root * root % p != a:
        raise ValueError("msg is no square modulo pub")
    return p - root if root % 2 else root


def _div_mod(bits: int, inputs: Inputs) -> bytes:
    m = _modulus(inputs, bits, odd=False)
    quotient, remainder = divmod(_number(inputs, "msg", bits // 4), m)
    return quotient.to_bytes(bits // 8 + QUOTIENT_EXTRA_BYTES, "big") + remainder.to_bytes(bits // 8, "big")


def _encoded(function: Callable[[int, Inputs], int]) -> Compute:
    """`function` of the bits of the modulus and the inputs, with its number in as many bits."""

    def compute(inputs: Inputs, params: Mapping[str, str]) -> bytes:
        bits = int(params["bits"])
        return function(bits, inputs).to_bytes(bits // 8, "big")

    return compute


def _word(function: Callable[[int, Inputs], int]) -> Compute:
    return _encoded(lambda bits, inputs: _one_word(function, bits, inputs))


def _private(inputs: Inputs, params: Mapping[str, str]) -> bytes:
    return _encoded(_modexp_crt if params["crt"] == "yes" else _modexp_private)(inputs, params)


BY_ALGORITHM: dict[str, dict[str, Compute]] = {
    "modexp": {"private": _private, "public": _encoded(_modexp_public)},
    "modexp-word": {"private": _word(_modexp_private), "public": _word(_modexp_public)},
    "bignum": {
        "montmul": _encoded(_montmul),
        "mod-add": _encoded(_mod_add),
        "mod-mul": _encoded(_mod_mul),
        "mod-sqr": _encoded(_mod_sqr),
        "mod-inv": _encoded(_mod_inv),
        "mod-sqrt": _encoded(_mod_sqrt),
        "div-mod": lambda inputs, params: _div_mod(int(params["bits"]), inputs),
    },
}
"""By algorithm and verb, a function of the inputs and the parameters; it raises ValueError or KeyError for what are no inputs of it."""
