# SPDX-License-Identifier: Apache-2.0
"""Modular arithmetic: the timed numbers have the properties that the catalogue promises, and the oracle agrees with OpenSSL (through `cryptography`) and with libmpdec."""

from __future__ import annotations

import decimal
import hashlib
from functools import cache

import pytest
from Crypto.Util.number import isPrime
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.operations.bignum_inputs import PRIME_STEPS, WORD, bignum_inputs, prime
from cipherstone.operations.oracle import expected_output

OPERATIONS = [name for name, one in catalogue_of_checkout().operations.items() if one.family == "bignum"]
CRT_SIZES = (1024, 2048, 3072, 4096, 8192)
EXACT = decimal.Context(prec=5000, Emax=decimal.MAX_EMAX)
NUMBERS_512 = st.integers(0, (1 << 512) - 1)
MODULI_512 = st.one_of(
    st.integers(1 << 511, (1 << 512) - 1).map(lambda n: n | 1), st.sampled_from([(1 << 512) - 1, (1 << 511) + 1])
)


def number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def run(operation: str, **numbers: bytes) -> int:
    output = expected_output(operation, numbers)
    assert output is not None
    return number(output)


def inputs_of(operation: str) -> dict[str, bytes]:
    return bignum_inputs(Case.parse(operation))


@cache
def private_key(bits: int) -> rsa.RSAPrivateKey:
    """The key of the timed CRT inputs, checked by OpenSSL."""
    inputs = inputs_of(f"modexp/private/bits={bits},crt=yes")
    p, q, dp, dq, qinv = (number(inputs["key"][at : at + bits // 16]) for at in range(0, 5 * bits // 16, bits // 16))
    n, d = p * q, pow(65537, -1, (p - 1) * (q - 1))
    numbers = rsa.RSAPrivateNumbers(p, q, d, dp, dq, qinv, rsa.RSAPublicNumbers(65537, n))
    return numbers.private_key(unsafe_skip_rsa_key_validation=bits == 8192)  # its validation takes seconds


@pytest.mark.parametrize(("bits", "role"), PRIME_STEPS)
def test_the_fixed_primes_are_primes_for_another_program(bits: int, role: str) -> None:
    p = prime(bits, role)
    assert p >> (bits - 2) == 3
    if bits < 4096:
        assert isPrime(p, false_positive_prob=1e-6)
    else:  # it takes seconds there: Euler's criterion at a few bases instead, which no known composite of this kind passes
        for base in (3, 1009, 65539):
            assert pow(base, (p - 1) // 2, p) in (1, p - 1)
    assert p % 4 == 3 if role == "root" else p % 65537 != 1


@pytest.mark.parametrize("operation", OPERATIONS)
def test_timed_numbers_have_the_promised_lengths(operation: str) -> None:
    case = Case.parse(operation)
    inputs, verb, bits = inputs_of(operation), case.verb, int(case.param("bits") or 0)
    if case.param("crt") == "yes":
        assert len(inputs["key"]) == 5 * bits // 16 and len(inputs["msg"]) == bits // 8
        return
    m = number(inputs["pub"])
    assert len(inputs["pub"]) == bits // 8 and m.bit_length() == bits and m % 2 == 1
    assert len(inputs["msg"]) == bits // 8 * (2 if verb in ("montmul", "mod-add", "mod-mul", "div-mod") else 1)
    # Nothing that a library could take a short cut for.
    assert verb == "mod-sqrt" or not isPrime(m)
    assert bin(m).count("1") > bits // 3
    whole = number(inputs["msg"]).bit_length() > 8 * len(inputs["msg"]) - 20
    assert whole or (case.algorithm == "modexp-word" and number(inputs["msg"]) == WORD)
    if verb == "private":
        key = number(inputs["key"])
        assert len(inputs["key"]) == bits // 8 and key.bit_length() == bits
        assert abs(bin(key).count("1") - bits // 2) < bits // 8
    if verb == "public":
        assert inputs["key"].hex() == "010001"
    if operation == "modexp/private/bits=8192,crt=no":
        return  # more than a second, and a known answer of this length is checked elsewhere
    output = expected_output(operation, inputs)
    assert output is not None and len(output) == (bits // 4 + 8 if verb == "div-mod" else bits // 8)


@pytest.mark.parametrize("bits", CRT_SIZES)
def test_exponentiations_agree_with_openssl(bits: int) -> None:
    """A deterministic signature is one private exponentiation of a message that is known; with CRT, without it, and back."""
    key = private_key(bits)
    signature = key.sign(b"message", padding.PKCS1v15(), hashes.SHA256())
    info = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(b"message").digest()
    message = b"\x00\x01" + b"\xff" * (bits // 8 - len(info) - 3) + b"\x00" + info
    inputs = inputs_of(f"modexp/private/bits={bits},crt=yes")
    assert expected_output(f"modexp/private/bits={bits},crt=yes", {**inputs, "msg": message}) == signature
    pub = key.private_numbers().public_numbers.n.to_bytes(bits // 8, "big")
    public = {"msg": signature, "key": bytes.fromhex("010001"), "pub": pub}
    assert expected_output(f"modexp/public/bits={bits}", public) == message
    if bits < 8192:
        d = key.private_numbers().d.to_bytes(bits // 8, "big")
        assert (
            expected_output(f"modexp/private/bits={bits},crt=no", {"msg": message, "key": d, "pub": pub}) == signature
        )


@settings(max_examples=20, deadline=None)
@given(base=NUMBERS_512, exponent=st.integers(1, (1 << 512) - 1), m=MODULI_512)
def test_exponentiations_agree_with_libmpdec(base: int, exponent: int, m: int) -> None:
    """Python's integers and libmpdec, the library of `decimal`, share no code."""
    found = run(
        "modexp/private/bits=512,crt=no",
        msg=(base % m).to_bytes(64, "big"),
        key=exponent.to_bytes(64, "big"),
        pub=m.to_bytes(64, "big"),
    )
    assert found == int(EXACT.power(decimal.Decimal(base % m), decimal.Decimal(exponent), decimal.Decimal(m)))


@given(data=st.data())
def test_single_operations_agree_with_libmpdec(data: st.DataObject) -> None:
    m = data.draw(st.integers(1 << 2047, (1 << 2048) - 1)) | 1
    a, b = (data.draw(st.integers(0, m - 1)) for _ in range(2))
    x, y, z = (decimal.Decimal(value) for value in (a, b, m))
    pub, one = m.to_bytes(256, "big"), a.to_bytes(256, "big")
    two = one + b.to_bytes(256, "big")
    assert run("bignum/mod-add/bits=2048", msg=two, pub=pub) == int(EXACT.remainder(EXACT.add(x, y), z))
    assert run("bignum/mod-mul/bits=2048", msg=two, pub=pub) == int(EXACT.remainder(EXACT.multiply(x, y), z))
    assert run("bignum/montmul/bits=2048", msg=two, pub=pub) == int(EXACT.remainder(EXACT.multiply(x, y), z))
    assert run("bignum/mod-sqr/bits=2048", msg=one, pub=pub) == int(EXACT.remainder(EXACT.multiply(x, x), z))
    both = EXACT.divmod(decimal.Decimal(number(two)), z)
    divided = expected_output("bignum/div-mod/bits=2048", {"msg": two, "pub": pub})
    assert divided is not None
    assert (number(divided[:264]), number(divided[264:])) == tuple(map(int, both))


@settings(max_examples=15, deadline=None)
@given(value=st.integers(1, (1 << 2048) - 1))
def test_inverses_and_roots_give_back_what_they_are_of(value: int) -> None:
    p = prime(2048, "root")
    pub, a = p.to_bytes(256, "big"), value % p
    inverse = run("bignum/mod-inv/bits=2048", msg=a.to_bytes(256, "big"), pub=pub)
    assert a * inverse % p == 1
    root = run("bignum/mod-sqrt/bits=2048", msg=(a * a % p).to_bytes(256, "big"), pub=pub)
    assert root % 2 == 0 and root in (a, p - a)


@pytest.mark.parametrize(
    ("operation", "change", "words"),
    [
        ("modexp/private/bits=512,crt=no", {"pub": bytes(64)}, "odd number of 512 bits"),
        ("modexp/private/bits=512,crt=no", {"pub": b"\xff" * 63 + b"\xfe"}, "odd number of 512 bits"),
        ("modexp/private/bits=512,crt=no", {"pub": b"\x7f" + b"\xff" * 63}, "odd number of 512 bits"),
        ("modexp/private/bits=512,crt=no", {"pub": b"\xff" * 63}, "63 bytes, not 64"),
        ("modexp/private/bits=512,crt=no", {"msg": b"\xff" * 64}, "not below"),
        ("modexp/private/bits=512,crt=no", {"key": b"\xff" * 65}, "65 bytes, not 64"),
        ("modexp/public/bits=512", {"key": b"\x03"}, "65537"),
        ("bignum/montmul/bits=512", {"msg": b"\xff" * 128}, "not below"),
        ("bignum/montmul/bits=512", {"msg": bytes(64)}, "64 bytes, not 128"),
        ("bignum/mod-inv/bits=2048", {"msg": bytes(256)}, "invertible"),
        ("bignum/mod-sqrt/bits=2048", {"msg": (prime(2048, "root") - 1).to_bytes(256, "big")}, "square"),
        ("bignum/div-mod/bits=2048", {"pub": bytes(256)}, "2048 bits"),
        ("modexp/private/bits=1024,crt=yes", {"key": bytes(320)}, "qInv"),
        ("modexp/private/bits=1024,crt=yes", {"key": bytes(319)}, "five numbers"),
        ("modexp/private/bits=1024,crt=yes", {"msg": b"\xff" * 128}, "not below"),
    ],
)
def test_what_are_no_inputs_is_one_line(operation: str, change: dict[str, bytes], words: str) -> None:
    inputs = inputs_of(operation) | change
    with pytest.raises(UsageError, match=words) as caught:
        expected_output(operation, inputs)
    assert "\n" not in str(caught.value)


def test_a_wrong_coefficient_is_no_key() -> None:
    inputs = inputs_of("modexp/private/bits=1024,crt=yes")
    with pytest.raises(UsageError, match="qInv"):
        expected_output("modexp/private/bits=1024,crt=yes", {**inputs, "key": inputs["key"][:-1] + b"\x00"})


def test_a_missing_input_is_named() -> None:
    inputs = inputs_of("modexp/private/bits=512,crt=no")
    with pytest.raises(UsageError, match="'pub' is missing"):
        expected_output("modexp/private/bits=512,crt=no", {"msg": inputs["msg"], "key": inputs["key"]})
