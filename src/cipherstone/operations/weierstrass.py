# SPDX-License-Identifier: Apache-2.0
"""brainpoolP256r1 in plain Python, because PyCryptodome has no such curve: key agreement (SP 800-56A section 5.7.1.2), and ECDSA with SHA-256 (FIPS 186-5 section 6)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.later import Later
from cipherstone.operations.scheme import (
    Inputs,
    MustNotBeUsed,
    Pair,
    Scheme,
    judge_of_pair,
    judge_of_signature,
    key_stream,
)

if TYPE_CHECKING:
    from Crypto.Hash import HMAC, SHA256
    from Crypto.Util import asn1
else:
    HMAC, SHA256, asn1 = Later("Crypto.Hash.HMAC"), Later("Crypto.Hash.SHA256"), Later("Crypto.Util.asn1")

# RFC 5639 section 3.4.
P = 0xA9FB57DBA1EEA9BC3E660A909D838D726E3BF623D52620282013481D1F6E5377
A = 0x7D5A0975FC2C3057EEF67530417AFFE7FB8055C126DC5C6CE94A4B44F330B5D9
B = 0x26DC5C6CE94A4B44F330B5D9BBD77CBF958416295CF7E1CE6BCCDC18FF8C07B6
ORDER = 0xA9FB57DBA1EEA9BC3E660A909D838D718C397AA3B561A6F7901E0E82974856A7
BASE = (
    0x8BD2AEB9CB7E57CB2C4B482FFC81B7AFB9DE27E1E3BD23C23A4453BD9ACE3262,
    0x547EF835C3DAC4FD97F8461A14611DC9C27745132DED8E545C1D54C72F046997,
)
SIZE = 32
_CHECKED = b"cipherstone: a key pair"

Point = tuple[int, int] | None  # None: the point at infinity


def _add(one: Point, two: Point) -> Point:
    """SEC 1 section 2.2.1."""
    if one is None or two is None:
        return two if one is None else one
    (x1, y1), (x2, y2) = one, two
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    slope = (3 * x1 * x1 + A) * pow(2 * y1, -1, P) if one == two else (y2 - y1) * pow(x2 - x1, -1, P)
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def _multiply(scalar: int, point: Point) -> Point:
    total: Point = None
    while scalar:
        if scalar & 1:
            total = _add(total, point)
        point, scalar = _add(point, point), scalar >> 1
    return total


@lru_cache(maxsize=64)
def _public(key: bytes) -> bytes:
    scalar = int.from_bytes(key, "big")
    if len(key) != SIZE or not 0 < scalar < ORDER:
        raise ValueError("key is not from 1 to the order less 1")
    point = _multiply(scalar, BASE)
    assert point is not None
    return b"\4" + b"".join(number.to_bytes(SIZE, "big") for number in point)


def _point(pub: bytes) -> Point:
    """Raises ValueError for what is no uncompressed point, MustNotBeUsed for what is not on the curve."""
    if len(pub) != 2 * SIZE + 1 or pub[0] != 4:
        raise ValueError("pub is not an uncompressed point")
    x, y = int.from_bytes(pub[1 : 1 + SIZE], "big"), int.from_bytes(pub[1 + SIZE :], "big")
    if max(x, y) >= P or (y * y - x * x * x - A * x - B) % P:
        raise MustNotBeUsed("pub is not on the curve")
    return x, y


def _pair(number: int) -> Pair:
    key = (int.from_bytes(key_stream(number, SIZE), "big") % ORDER).to_bytes(SIZE, "big")
    return key, _public(key)


def ecdh() -> Scheme:
    """Key agreement and key generation."""
    return Scheme(
        _pair, due={"derive": _derive}, judge={"keygen": judge_of_pair((SIZE, 2 * SIZE + 1), _serves)}, endless=True
    )


def _derive(inputs: Inputs) -> bytes:
    scalar = int.from_bytes(inputs["key"], "big")
    if not 0 < scalar < ORDER:
        raise ValueError("key is not from 1 to the order less 1")
    shared = _multiply(scalar, _point(inputs["pub"]))
    assert shared is not None  # the cofactor is 1
    return shared[0].to_bytes(SIZE, "big")


def _serves(key: bytes, pub: bytes) -> str:
    if not 0 < int.from_bytes(key, "big") < ORDER:
        return "the private key is not from 1 to the order less 1"
    return "" if _public(key) == pub else "the public key is not the private one's"


def ecdsa() -> Scheme:
    """Signatures over SHA-256. One right signature is that of RFC 6979."""
    return Scheme(_pair, make={"sign": _sign}, judge={"sign": judge_of_signature(_verify)}, endless=True)


def _digest(message: bytes) -> int:
    return int.from_bytes(SHA256.new(message).digest(), "big")


def _nonces(key: bytes, digest: bytes) -> int:
    """RFC 6979 section 3.2; the order has 256 bits, as the digest has. The first that is below the order."""

    def mac(secret: bytes, data: bytes) -> bytes:
        return HMAC.new(secret, data, SHA256).digest()

    reduced = (int.from_bytes(digest, "big") % ORDER).to_bytes(SIZE, "big")
    k, v = bytes(32), b"\1" * 32
    for mark in (b"\0", b"\1"):
        k = mac(k, v + mark + key + reduced)
        v = mac(k, v)
    while True:
        v = mac(k, v)
        if 0 < int.from_bytes(v, "big") < ORDER:
            return int.from_bytes(v, "big")
        k = mac(k, v + b"\0")
        v = mac(k, v)


def _sign(inputs: Inputs, form: str | None) -> bytes:
    key, digest = inputs["key"], SHA256.new(inputs["msg"]).digest()
    nonce = _nonces(key, digest)
    point = _multiply(nonce, BASE)
    assert point is not None
    r = point[0] % ORDER
    s = pow(nonce, -1, ORDER) * (int.from_bytes(digest, "big") + r * int.from_bytes(key, "big")) % ORDER
    if _is_der(form):
        return bytes(asn1.DerSequence([r, s]).encode())
    return r.to_bytes(SIZE, "big") + s.to_bytes(SIZE, "big")


def _verify(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
    """SEC 1 section 4.1.4: both s and n - s are signatures."""
    if _is_der(form):
        r, s = _read_der(signature)
    elif len(signature) == 2 * SIZE:
        r, s = (int.from_bytes(signature[at : at + SIZE], "big") for at in (0, SIZE))
    else:
        raise ValueError(f"signature of {len(signature)} bytes")
    if not (0 < r < ORDER and 0 < s < ORDER):
        raise ValueError("r or s is not from 1 to the order less 1")
    inverse = pow(s, -1, ORDER)
    point = _add(_multiply(_digest(message) * inverse % ORDER, BASE), _multiply(r * inverse % ORDER, _point(pub)))
    if point is None or point[0] % ORDER != r:
        raise ValueError("the signature is not of this message and key")


def _read_der(signature: bytes) -> tuple[int, int]:
    try:
        numbers = asn1.DerSequence().decode(signature, strict=True, nr_elements=2, only_ints_expected=True)
    except IndexError:  # of bytes that end too early
        raise ValueError("signature is not DER") from None
    return int(numbers[0]), int(numbers[1])


def _is_der(form: str | None) -> bool:
    if form in (None, "der", "p1363"):
        return form != "p1363"
    raise UsageError(f"signature encoding: '{form}' is not known", nearest(form or "", ("der", "p1363")))
