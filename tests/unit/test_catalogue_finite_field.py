# SPDX-License-Identifier: Apache-2.0
"""Key agreement in finite fields, as the oracle knows it, against a second implementation; and the groups that the adapters are built with."""

from __future__ import annotations

import re

import pytest
from Crypto.Util.number import isPrime
from cryptography.hazmat.primitives.asymmetric import dh

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.operations.finite_field import EXPONENT_BITS, group
from cipherstone.operations.oracle import MustNotBeUsed, expected_output, random_output_problem
from cipherstone.operations.schemes import schemes

ROOT = data_root()
BITS = (2048, 3072)


@pytest.mark.parametrize("bits", BITS)
def test_the_primes_are_safe_and_end_as_the_standard_prints_them(bits: int) -> None:
    p = group(bits).p
    assert isPrime(p) and isPrime((p - 1) // 2) and p.bit_length() == bits
    # RFC 7919 appendices A.1 and A.2, last row of the hexadecimal representation.
    assert f"{p:x}".endswith({2048: "886b423861285c97ffffffffffffffff", 3072: "25e41d2b66c62e37ffffffffffffffff"}[bits])


@pytest.mark.parametrize("bits", BITS)
def test_the_adapters_have_the_same_groups(bits: int) -> None:
    text = (ROOT / "libraries/_ffdhe/ffdhe.c").read_text()
    for name, number in (("p", group(bits).p), ("q", (group(bits).p - 1) // 2)):
        body = re.search(rf"{name}{bits}\[\] = {{(.*?)}};", text, re.DOTALL)
        assert body is not None
        assert bytes(int(byte, 16) for byte in re.findall(r"0x([0-9a-f]{2})", body[1])) == number.to_bytes(
            bits // 8, "big"
        )


@pytest.mark.parametrize("bits", BITS)
def test_a_second_implementation_agrees(bits: int) -> None:
    of = group(bits)
    numbers = dh.DHParameterNumbers(of.p, of.g)
    for vector in load_vectors(ROOT, f"dh-{bits}").of("derive", brief=True):  # OpenSSL looks at the prime for every key
        if vector.expect == "bad-key":
            with pytest.raises(MustNotBeUsed):
                expected_output(f"dh-{bits}/derive", vector.inputs)
            continue
        x, y = (int.from_bytes(vector.inputs[name], "big") for name in ("key", "pub"))
        private = dh.DHPrivateNumbers(x, dh.DHPublicNumbers(pow(of.g, x, of.p), numbers)).private_key()
        shared = private.exchange(dh.DHPublicNumbers(y, numbers).public_key())
        assert shared.rjust(bits // 8, b"\0") == vector.output, vector.id


@pytest.mark.parametrize("bits", BITS)
def test_pairs_are_judged(bits: int) -> None:
    operation, (key, pub) = f"dh-{bits}/keygen", schemes()[f"dh-{bits}"].key_pair(0)
    assert int.from_bytes(key, "big").bit_length() == EXPONENT_BITS[bits]
    assert random_output_problem(operation, {}, key + pub) == ""
    assert "private one's" in random_output_problem(operation, {}, key + pub[:-1] + bytes([pub[-1] ^ 4]))
    assert "bits" in random_output_problem(operation, {}, bytes(bits // 8 - 8) + bytes(7) + b"\5" + pub)
    assert "not" in random_output_problem(operation, {}, key + pub[:-1])
