# SPDX-License-Identifier: Apache-2.0
"""Encodings that adapters share: cut-up keys, numbers in fields, a point of P-256 as a key that PyCryptodome reads."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from Crypto.PublicKey import ECC
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

Program = Callable[..., list[str]]


@pytest.fixture(scope="session")
def encode(program: Program) -> Callable[..., str]:
    """encode(command, number, first, second) -> what the SDK's function of that name gives."""
    binary = program("encoding.c")

    def ask(command: str, number: int = 0, first: bytes = b"", second: bytes = b"") -> str:
        line = f"{command} {number} {first.hex() or '-'} {second.hex() or '-'}\n"
        done = subprocess.run(binary, input=line, capture_output=True, text=True, check=True, timeout=600)
        return done.stdout.removesuffix("\n")

    return ask


@pytest.mark.parametrize("length", [1, 2, 64, 256])
def test_a_key_for_crt_has_five_parts_of_one_length(encode: Callable[..., str], length: int) -> None:
    parts = [bytes([i + 1] * (length - 1) + [0xF0 + i]) for i in range(5)]
    assert encode("crt", 0, b"".join(parts)).split() == [part.hex() for part in parts]


@pytest.mark.parametrize("length", [0, 1, 4, 6, 9, 11])
def test_a_key_of_another_length_is_refused(encode: Callable[..., str], length: int) -> None:
    assert encode("crt", 0, bytes(length)) == "refused: key is not five numbers of one length"


@pytest.mark.parametrize("half", [1, 2, 64])
def test_the_numbers_of_an_rsa_key_in_their_order(encode: Callable[..., str], half: int) -> None:
    """A private key has n, e, d and five numbers of half the length; a public one n and e, and nothing else. Zeros before e are cut."""
    modulus, exponent, secret = b"\xa1" * (2 * half), b"\0\1\0\1", b"\xd1" * (2 * half)
    parts = [bytes([0xF0 + i]) * half for i in range(5)]
    whole = modulus + exponent + secret + b"".join(parts)
    due = [modulus.hex(), "010001", secret.hex(), *(part.hex() for part in parts)]
    assert encode("rsa", 0, whole).split(" ") == due
    assert encode("rsa", 0, b"", modulus + exponent).split(" ") == [modulus.hex(), "010001", *[""] * 6]
    assert encode("rsa", 0, b"", modulus + bytes(4)).split(" ")[1] == "00"


@pytest.mark.parametrize(("key", "pub"), [(4, 0), (9, 0), (12, 0), (14, 0), (0, 0), (0, 4), (0, 3), (0, 5), (0, 9)])
def test_what_is_not_as_long_as_an_rsa_key(encode: Callable[..., str], key: int, pub: int) -> None:
    assert encode("rsa", 0, bytes(key), bytes(pub)) == "refused: the key is not as long as the numbers of an RSA key"


def test_two_operands_are_as_long_as_the_modulus(encode: Callable[..., str]) -> None:
    assert encode("operands", 0, b"\x01\x02\x03\x04", b"\xff\xfe") == "0102 0304"
    for msg in (b"", b"\x01\x02\x03", b"\x01\x02\x03\x04\x05"):
        assert encode("operands", 0, msg, b"\xff\xfe") == "refused: msg is not twice as long as pub"


def test_results_fill_their_fields_from_the_right(encode: Callable[..., str]) -> None:
    around = b"\x5a" * 8
    for first, second in ((b"\x01\x02\x03", b"\x04"), (b"", b"\xff" * 5), (b"\x07" * 5, b"")):
        wanted = around + first.rjust(5, b"\0") + second.rjust(5, b"\0") + around
        assert encode("room", 5, first, second) == wanted.hex()
    assert encode("room", 2, b"\x01\x02\x03") == "refused: the result is not below the modulus"


def test_a_number_takes_as_many_bytes_as_its_field(encode: Callable[..., str]) -> None:
    around = b"\x5a" * 8
    for number in (b"", b"\0", b"\x01", b"\0\0\x80\x01", b"\0" * 9 + b"\xff" * 4, b"\xff" * 4):
        value = int.from_bytes(number, "big")
        assert encode("put", 4, number) == (around + value.to_bytes(4, "big") + around).hex()
    assert encode("put", 4, b"\0\x01\0\0\0\0") == "refused: a number is longer than its field"


def test_a_message_is_copied_to_the_beginning_of_the_output(encode: Callable[..., str]) -> None:
    around = b"\x5a" * 8
    for msg in (b"", b"\x01", bytes(range(40))):
        assert encode("copy", 0, msg) == (around + msg + around).hex()


def test_a_point_becomes_the_key_that_another_library_writes(encode: Callable[..., str]) -> None:
    for curve, command in (("P-256", "spki"), ("secp256k1", "spki-k1"), ("P-384", "spki-384"), ("P-521", "spki-521")):
        for scalar in (1, 2, 2**200 + 12345):
            key = ECC.construct(curve=curve, d=scalar).public_key()
            point = key.export_key(format="SEC1")
            assert encode(command, 0, point) == key.export_key(format="DER").hex()


def test_a_point_of_brainpool_becomes_the_key_that_another_library_writes(encode: Callable[..., str]) -> None:
    for scalar in (1, 2, 2**200 + 12345):
        key = ec.derive_private_key(scalar, ec.BrainpoolP256R1()).public_key()
        point = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        assert encode("spki-brainpool", 0, point) == der.hex()


def test_what_is_no_uncompressed_point_is_refused(encode: Callable[..., str]) -> None:
    for point in (b"", b"\x04" * 64, b"\x04" * 66, b"\x02" + b"\1" * 64, b"\x02" + b"\1" * 32):
        for command in ("spki", "spki-k1", "spki-brainpool"):
            assert encode(command, 0, point) == "refused: pub is not an uncompressed point of 65 bytes"


def test_what_is_no_point_of_the_longer_curves_is_refused(encode: Callable[..., str]) -> None:
    for bytes_, command in ((48, "spki-384"), (66, "spki-521")):
        for length, mark in ((2 * bytes_, 4), (2 * bytes_ + 2, 4), (2 * bytes_ + 1, 2), (65, 4)):
            point = bytes([mark]) + b"\1" * (length - 1)
            assert encode(command, 0, point) == "refused: pub is not an uncompressed point"


def test_a_wrong_length_is_named_with_both_numbers(encode: Callable[..., str]) -> None:
    assert encode("length", 32, bytes(32)) == ""
    assert encode("length", 0) == ""
    assert encode("length", 32, bytes(31)) == "refused: key is 31 bytes long, not 32"


@pytest.mark.parametrize(
    ("seed", "each", "pieces", "left"),
    [
        ("", 1, "", 0),
        ("aabb", 1, "aa bb ", 0),
        ("aabbcc", 2, "aabb ", 1),
        ("aabbcc", 3, "aabbcc ", 0),
        ("aabb", 3, "", 2),
    ],
)
def test_a_seed_is_handed_out_in_its_order_and_no_further(
    encode: Callable[..., str], seed: str, each: int, pieces: str, left: int
) -> None:
    """Of a piece that is not there nothing is written."""
    assert encode("draw", each, bytes.fromhex(seed)) == f"{pieces}the seed has too few bytes {left} left"
