# SPDX-License-Identifier: Apache-2.0
"""Keys of P-256 in DER: SubjectPublicKeyInfo (RFC 5480 section 2) around a point, PrivateKeyInfo (RFC 5208) around ECPrivateKey (RFC 5915).

As with RSA the encoding is read here, and the numbers by PyCryptodome as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cipherstone.model.errors import NotAuthentic
from cipherstone.model.later import Later
from cipherstone.operations.elliptic import point_keys
from cipherstone.operations.key_import import BIT_STRING, OCTET_STRING, OID, SEQUENCE, Reader, der, der_integer

if TYPE_CHECKING:
    from Crypto.PublicKey import ECC
else:
    ECC = Later("Crypto.PublicKey.ECC")

EC_PUBLIC_KEY = bytes.fromhex("2a8648ce3d0201")  # 1.2.840.10045.2.1
PRIME256V1 = bytes.fromhex("2a8648ce3d030107")  # 1.2.840.10045.3.1.7
SIZE, POINT = 32, 65
WITH_PUBLIC = 0xA1  # the tag [1] of ECPrivateKey


def curve_identifier(oid: bytes = EC_PUBLIC_KEY, curve: bytes = PRIME256V1) -> bytes:
    """The algorithm, and the curve as its parameter."""
    return der(SEQUENCE, der(OID, oid), der(OID, curve))


def ec_spki(point: bytes) -> bytes:
    """SubjectPublicKeyInfo."""
    return der(SEQUENCE, curve_identifier(), der(BIT_STRING, b"\0", point))


def ec_private_key(scalar: bytes, point: bytes) -> bytes:
    """ECPrivateKey with the public point, as programs write it into a PrivateKeyInfo: the curve is named outside."""
    inner = der(WITH_PUBLIC, der(BIT_STRING, b"\0", point))
    return der(SEQUENCE, der_integer(1), der(OCTET_STRING, scalar), inner)


def ec_pkcs8(scalar: bytes, point: bytes) -> bytes:
    """PrivateKeyInfo."""
    return der(SEQUENCE, der_integer(0), curve_identifier(), der(OCTET_STRING, ec_private_key(scalar, point)))


def pair(number: int = 0) -> tuple[bytes, bytes]:
    """Scalar and point of the timed key or another of its ring."""
    return point_keys("P-256", SIZE).key_pair(number)


def _checked_curve(reader: Reader) -> None:
    inner = Reader(reader.take(SEQUENCE))
    if inner.take(OID) != EC_PUBLIC_KEY or inner.take(OID) != PRIME256V1:
        raise NotAuthentic("another algorithm, or another curve")


def ec_public(data: bytes) -> bytes:
    """The point of a SubjectPublicKeyInfo, uncompressed. Raises NotAuthentic for what is none, or of another length. What follows is not looked at: standards leave it open."""
    outer = Reader(Reader(data).take(SEQUENCE))
    _checked_curve(outer)
    point = outer.take(BIT_STRING)[1:]
    if len(point) != POINT or point[0] != 4:
        raise NotAuthentic("no uncompressed point of P-256")
    try:
        found = ECC.import_key(ec_spki(point))
    except ValueError as error:
        raise NotAuthentic(str(error)) from None
    assert found.export_key(format="SEC1") == point
    return point


def ec_private(data: bytes) -> bytes:
    """The scalar of a PrivateKeyInfo. Raises NotAuthentic for what is none, or of another length."""
    outer = Reader(Reader(data).take(SEQUENCE))
    outer.number()
    _checked_curve(outer)
    inner = Reader(Reader(outer.take(OCTET_STRING)).take(SEQUENCE))
    inner.number()
    scalar = inner.take(OCTET_STRING)
    if len(scalar) != SIZE:
        raise NotAuthentic("no scalar of P-256")
    try:
        found = ECC.construct(curve="P-256", d=int.from_bytes(scalar, "big"))
    except ValueError as error:
        raise NotAuthentic(str(error)) from None
    assert ECC.import_key(ec_pkcs8(scalar, found.public_key().export_key(format="SEC1"))).d == found.d
    return scalar
