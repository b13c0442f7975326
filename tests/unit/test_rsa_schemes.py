# SPDX-License-Identifier: Apache-2.0
"""The judge of RSA against a second library, which shares nothing with it: keys, signatures, ciphertexts and implicit rejection."""

from __future__ import annotations

from pathlib import Path

import pytest
from Crypto.Math import Primality
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from kept import answered, judge

from cipherstone.catalogue.conditions import KEYS
from cipherstone.operations.oracle import NotAuthentic, expected_output, made, random_output_problem
from cipherstone.operations.rsa import encoded_key, key_pair, prime_start

SIZES = (2048, 3072, 4096)
SHA256 = hashes.SHA256()
PSS = padding.PSS(padding.MGF1(SHA256), 32)
OAEP = padding.OAEP(padding.MGF1(SHA256), SHA256, None)
MESSAGE = b"cipherstone"


def second(bits: int, number: int = 0) -> rsa.RSAPrivateKey:
    """The pair as the second library takes it, which checks that its numbers belong together."""
    key = key_pair(bits, number)[0]
    whole, half = bits // 8, bits // 16
    at, numbers = 0, []
    for length in (whole, 4, whole, half, half, half, half, half):
        numbers.append(int.from_bytes(key[at : at + length], "big"))
        at += length
    n, e, d, p, q, dp, dq, qinv = numbers
    return rsa.RSAPrivateNumbers(p, q, d, dp, dq, qinv, rsa.RSAPublicNumbers(e, n)).private_key()


@pytest.mark.parametrize("bits", SIZES)
def test_timed_keys_are_keys_and_differ(bits: int) -> None:
    def judged() -> list[tuple[str, int, str]]:
        """Of each key: its public half, its size by the second library, and what the judge says of it as of one that was drawn."""
        found = []
        for number in range(KEYS):
            key, pub = key_pair(bits, number)
            assert key.startswith(pub)
            said = random_output_problem(f"rsa-{bits}/keygen", {}, key[len(key) - 5 * bits // 16 :] + pub)
            found.append((pub.hex(), second(bits, number).key_size, said))
        return found

    with answered("rsa-keys", (judge(), str(bits), Path(__file__)), list[tuple[str, int, str]], judged) as pairs:
        assert len({pub for pub, _, _ in pairs}) == KEYS
        assert {(size, said) for _, size, said in pairs} == {(bits, "")}


@pytest.mark.parametrize(("bits_apart", "said"), [(924, "closer to each other than 2^924"), (925, "is not a prime")])
def test_primes_that_begin_alike_are_no_key(bits_apart: int, said: str) -> None:
    """FIPS 186-5 section A.1.1: in their highest hundred bits they differ."""
    p = 3 << 1022 | 1
    q = p + (1 << (bits_apart - 1))
    five = b"".join(number.to_bytes(128, "big") for number in (p, q, 0, 0, 0))
    pub = (p * q).to_bytes(256, "big") + (65537).to_bytes(4, "big")
    assert said in random_output_problem("rsa-2048/keygen", {}, five + pub)


def test_a_prime_is_the_first_that_suits_behind_its_beginning() -> None:
    key = key_pair(2048, 0)[0]
    p, start = int.from_bytes(key[516:644], "big"), prime_start(2048, 0)
    assert start <= p < start + 2**14 and (p - start) % 2 == 0
    assert not any(int(Primality.test_probable_prime(number)) for number in range(start, p, 2))


@pytest.mark.parametrize("bits", SIZES)
def test_signatures_are_those_of_the_second_library(bits: int) -> None:
    key, pub = key_pair(bits, 0)
    theirs, inputs = second(bits), {"key": key, "pub": pub, "msg": MESSAGE}
    due = expected_output(f"rsa-{bits}-pkcs1-sha256/sign", inputs)
    assert due == theirs.sign(MESSAGE, padding.PKCS1v15(), SHA256)
    theirs.public_key().verify(made(f"rsa-{bits}-pss-sha256/sign", inputs), MESSAGE, PSS, SHA256)
    for name, one in (("pkcs1", padding.PKCS1v15()), ("pss", PSS)):
        operation, signature = f"rsa-{bits}-{name}-sha256/sign", theirs.sign(MESSAGE, one, SHA256)
        assert random_output_problem(operation, inputs, signature) == ""
        for changed in (signature[:-1], signature + b"\0", signature[:-1] + bytes([signature[-1] ^ 1])):
            assert "does not verify" in random_output_problem(operation, inputs, changed)
    with pytest.raises(InvalidSignature):
        theirs.public_key().verify(due, MESSAGE, PSS, SHA256)
    # A salt of another length is another scheme.
    longer = theirs.sign(MESSAGE, padding.PSS(padding.MGF1(SHA256), 33), SHA256)
    assert random_output_problem(f"rsa-{bits}-pss-sha256/sign", inputs, longer)


@pytest.mark.parametrize(("algorithm", "one"), [(f"rsa-{bits}-oaep-sha256", OAEP) for bits in SIZES] + [("rsa-2048-pkcs1", padding.PKCS1v15())])  # fmt: skip
def test_ciphertexts_go_both_ways(algorithm: str, one: padding.AsymmetricPadding) -> None:
    bits = int(algorithm.split("-")[1])
    theirs, (key, pub) = second(bits, 3), key_pair(bits, 3)
    operation, inputs = f"{algorithm}/public-encrypt", {"pub": pub, "msg": MESSAGE}
    assert theirs.decrypt(made(operation, inputs), one) == MESSAGE
    ciphertext = theirs.public_key().encrypt(MESSAGE, one)
    assert expected_output(f"{algorithm}/private-decrypt", {"key": key, "msg": ciphertext}) == MESSAGE
    assert random_output_problem(operation, inputs, ciphertext) == ""
    assert "another message" in random_output_problem(operation, inputs | {"msg": b"other"}, ciphertext)
    foreign = inputs | {"pub": second(bits, 0).public_key().public_numbers().n.to_bytes(bits // 8, "big") + b"\0\0\0\3"}
    assert "does not know" in random_output_problem(operation, foreign, ciphertext)
    with pytest.raises(NotAuthentic):
        expected_output(f"{algorithm}/private-decrypt", {"key": key, "msg": ciphertext + b"\0"})


def test_a_key_is_encoded_with_its_numbers_in_order() -> None:
    theirs = second(2048).private_numbers()
    public = theirs.public_numbers
    assert encoded_key(2048, public.n, public.e, theirs.d, theirs.p, theirs.q) == key_pair(2048, 0)[0]


def test_implicit_rejection_is_that_of_the_second_library() -> None:
    """From 3.2 on, OpenSSL gives the message of the guidance for what is not genuine, of whatever length."""
    theirs, key = second(2048), key_pair(2048, 0)[0]
    lengths = set()
    for number in range(1, 9):
        ciphertext = bytes([0] * 255 + [number])
        found = expected_output("rsa-2048-pkcs1/private-decrypt", {"key": key, "msg": ciphertext})
        assert found == theirs.decrypt(ciphertext, padding.PKCS1v15())
        lengths.add(len(found))
    assert len(lengths) > 4
