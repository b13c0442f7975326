# SPDX-License-Identifier: Apache-2.0
"""Keys in DER: SubjectPublicKeyInfo (RFC 5280 section 4.1) and PrivateKeyInfo (RFC 5208) around the numbers of RSA (RFC 8017 appendix A.1).

The encoding is read here, as X.690 has it, and the numbers by PyCryptodome as well: both must find the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherstone.model.errors import NotAuthentic
from cipherstone.model.later import Later
from cipherstone.operations.rsa import EXPONENT_BYTES, encoded_public, key_pair

if TYPE_CHECKING:
    from Crypto.PublicKey import RSA
else:
    RSA = Later("Crypto.PublicKey.RSA")

INTEGER, BIT_STRING, OCTET_STRING, NULL, OID, SEQUENCE = 0x02, 0x03, 0x04, 0x05, 0x06, 0x30
RSA_ENCRYPTION = bytes.fromhex("2a864886f70d010101")  # 1.2.840.113549.1.1.1
_NUMBERS = 8  # of RSAPrivateKey, behind its version


def der(tag: int, *parts: bytes) -> bytes:
    """One element, with the shortest definite length (X.690 section 10.1)."""
    body = b"".join(parts)
    if len(body) < 128:
        return bytes((tag, len(body))) + body
    length = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + body


def der_integer(number: int) -> bytes:
    """A number that is not negative (X.690 section 8.3)."""
    return der(INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def algorithm_identifier(oid: bytes = RSA_ENCRYPTION) -> bytes:
    """With NULL, as RFC 3279 section 2.3.1 asks for rsaEncryption."""
    return der(SEQUENCE, der(OID, oid), der(NULL))


def spki(n: int, e: int) -> bytes:
    """SubjectPublicKeyInfo."""
    return der(SEQUENCE, algorithm_identifier(), der(BIT_STRING, b"\0", der(SEQUENCE, der_integer(n), der_integer(e))))


def pkcs8(numbers: list[int]) -> bytes:
    """PrivateKeyInfo around n, e, d, p, q, dP, dQ, qInv."""
    inner = der(SEQUENCE, der_integer(0), *map(der_integer, numbers))
    return der(SEQUENCE, der_integer(0), algorithm_identifier(), der(OCTET_STRING, inner))


def numbers_of(bits: int, number: int = 0) -> list[int]:
    """n, e, d, p, q, dP, dQ, qInv of the timed key or another of its ring."""
    key, whole, half = key_pair(bits, number)[0], bits // 8, bits // 16
    found, at = [], 0
    for length in (whole, EXPONENT_BYTES, whole, *(half for _ in range(5))):
        found.append(int.from_bytes(key[at : at + length], "big"))
        at += length
    return found


def spki_of(bits: int, number: int = 0) -> bytes:
    """The timed public key, or another of its ring."""
    n, e, *_ = numbers_of(bits, number)
    return spki(n, e)


def pkcs8_of(bits: int, number: int = 0) -> bytes:
    """The timed private key, or another of its ring."""
    return pkcs8(numbers_of(bits, number))


class Reader:
    """DER elements one after another. Raises NotAuthentic for what is none."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, tag: int) -> bytes:
        """Contents of the next element, which has this tag."""
        head = self._bytes(2)
        if head[0] != tag:
            raise NotAuthentic(f"tag {head[0]:02x}, not {tag:02x}")
        length = head[1]
        if length > 0x80:
            length = int.from_bytes(self._bytes(length & 0x7F), "big")
        elif length == 0x80:
            raise NotAuthentic("an indefinite length")
        return self._bytes(length)

    def number(self) -> int:
        """The next element, a number that is not negative."""
        body = self.take(INTEGER)
        if not body or body[0] & 0x80:
            raise NotAuthentic("a number that is empty or negative")
        return int.from_bytes(body, "big")

    def _bytes(self, length: int) -> bytes:
        found = self._data[self._at : self._at + length]
        if len(found) != length:
            raise NotAuthentic("it ends too early")
        self._at += length
        return found


def _checked_algorithm(reader: Reader) -> None:
    inner = Reader(reader.take(SEQUENCE))
    if inner.take(OID) != RSA_ENCRYPTION:
        raise NotAuthentic("another algorithm")


def rsa_public(bits: int, data: bytes) -> bytes:
    """n and e of a SubjectPublicKeyInfo, as the catalogue encodes a public key. Raises NotAuthentic for what is none, or of another length. What follows is not looked at: standards leave it open."""
    outer = Reader(Reader(data).take(SEQUENCE))
    _checked_algorithm(outer)
    bit_string = outer.take(BIT_STRING)
    inner = Reader(Reader(bit_string[1:]).take(SEQUENCE))
    n, e = inner.number(), inner.number()
    if n.bit_length() != bits or not 2 < e < 1 << (8 * EXPONENT_BYTES):
        raise NotAuthentic(f"a modulus of {n.bit_length()} bits, or an exponent out of range")
    try:
        found = RSA.import_key(spki(n, e))
    except (ValueError, IndexError, TypeError) as error:
        raise NotAuthentic(str(error)) from None
    assert (int(found.n), int(found.e)) == (n, e)
    return encoded_public(bits, n, e)


def rsa_private(bits: int, data: bytes) -> bytes:
    """p and q of a PrivateKeyInfo. Raises NotAuthentic for what is none, of another length, or not one key's numbers."""
    outer = Reader(Reader(data).take(SEQUENCE))
    outer.number()
    _checked_algorithm(outer)
    inner = Reader(Reader(outer.take(OCTET_STRING)).take(SEQUENCE))
    inner.number()
    n, e, d, p, q, dp, dq, qinv = numbers = [inner.number() for _ in range(_NUMBERS)]
    if n.bit_length() != bits or n != p * q or (dp, dq) != (d % (p - 1), d % (q - 1)) or q * qinv % p != 1:
        raise NotAuthentic("numbers that are no key of this length")
    try:
        found = RSA.import_key(pkcs8(numbers))
    except (ValueError, IndexError, TypeError) as error:
        raise NotAuthentic(str(error)) from None
    assert (int(found.n), int(found.e), int(found.d)) == (n, e, d)
    return b"".join(part.to_bytes(bits // 16, "big") for part in (p, q))
