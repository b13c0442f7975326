# SPDX-License-Identifier: Apache-2.0
"""X25519, Ed25519, and ECDSA and keys on curves in short Weierstrass form, by PyCryptodome."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.later import Later
from cipherstone.operations.scheme import (
    PEER,
    Inputs,
    MustNotBeUsed,
    Pair,
    Scheme,
    judge_of_pair,
    judge_of_signature,
    key_stream,
)

if TYPE_CHECKING:
    from Crypto.Hash import SHA256
    from Crypto.Protocol import DH
    from Crypto.PublicKey import ECC
    from Crypto.Signature import DSS, eddsa
else:
    SHA256, DH, ECC = Later("Crypto.Hash.SHA256"), Later("Crypto.Protocol.DH"), Later("Crypto.PublicKey.ECC")
    DSS, eddsa = Later("Crypto.Signature.DSS"), Later("Crypto.Signature.eddsa")

_CHECKED = b"cipherstone: a key pair"
_ORDERS = {  # SP 800-186 sections 3.2.1.3 to 3.2.1.5, SEC 2 section 2.4.1
    "P-256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "P-384": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
    "P-521": 0x1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
    "secp256k1": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
}


def x25519() -> Scheme:
    """X25519: RFC 7748 section 5."""
    return Scheme(
        _x25519_pair, due={"derive": _x25519}, judge={"keygen": judge_of_pair((32, 32), _x25519_agrees)}, endless=True
    )


def _x25519_pair(number: int) -> Pair:
    key = key_stream(number, 32)
    return key, _x25519_public(key)


def _x25519_public(key: bytes) -> bytes:
    return DH.import_x25519_private_key(key).public_key().export_key(format="raw")


def _x25519(inputs: Inputs) -> bytes:
    private = DH.import_x25519_private_key(inputs["key"])
    if len(inputs["pub"]) != 32:
        raise ValueError("pub is not 32 bytes")
    try:
        public = DH.import_x25519_public_key(inputs["pub"])
    except ValueError:
        # Of 32 bytes, PyCryptodome refuses exactly the points of low order; a clamped scalar, a multiple of 8, takes each of them to zero.
        return bytes(32)
    return DH.key_agreement(static_priv=private, static_pub=public, kdf=bytes)


def _x25519_agrees(key: bytes, pub: bytes) -> str:
    private = DH.import_x25519_private_key(key)
    if private.public_key().export_key(format="raw") != pub:
        return "the public key is not the private one's"
    peer = DH.import_x25519_private_key(key_stream(PEER, 32))
    mine = DH.key_agreement(static_priv=private, static_pub=peer.public_key(), kdf=bytes)
    theirs = DH.key_agreement(static_priv=peer, static_pub=DH.import_x25519_public_key(pub), kdf=bytes)
    return "" if mine == theirs else "both sides do not agree"


def ed25519() -> Scheme:
    """Ed25519: RFC 8032 section 5.1. Its signatures are fixed by the standard, so that the bytes are known."""
    return Scheme(
        lambda number: (key_stream(number, 32), _ed25519_public_key(key_stream(number, 32))),
        due={"sign": _ed25519_sign, "keygen": _ed25519_keygen},
        make={"sign": lambda inputs, form: _ed25519_sign(inputs)},
        judge={"sign": judge_of_signature(_ed25519_verify), "keygen": judge_of_pair((32, 32), _ed25519_serves)},
        endless=True,
        seed_bytes={"keygen": 32},
    )


@lru_cache(maxsize=64)
def _ed25519_private(seed: bytes) -> ECC.EccKey:
    return ECC.construct(curve="Ed25519", seed=seed)


@lru_cache(maxsize=64)
def _ed25519_public(pub: bytes) -> ECC.EccKey:
    return eddsa.import_public_key(pub)


def _ed25519_public_key(key: bytes) -> bytes:
    return _ed25519_private(key).public_key().export_key(format="raw")


def _ed25519_sign(inputs: Inputs) -> bytes:
    return eddsa.new(_ed25519_private(inputs["key"]), "rfc8032").sign(inputs["msg"])


def _ed25519_keygen(inputs: Inputs) -> bytes | None:
    return inputs["seed"] + _ed25519_public_key(inputs["seed"]) if "seed" in inputs else None


def _ed25519_verify(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
    eddsa.new(_ed25519_public(pub), "rfc8032").verify(message, signature)


def _ed25519_serves(key: bytes, pub: bytes) -> str:
    if _ed25519_public_key(key) != pub:
        return "the public key is not the private one's"
    _ed25519_verify(pub, _CHECKED, _ed25519_sign({"key": key, "msg": _CHECKED}), None)
    return ""


def point_keys(curve: str, size: int) -> Scheme:
    """Key generation on `curve` (PyCryptodome's name), whose scalars have `size` bytes: FIPS 186-5 appendix A.2, SEC 1 section 3.2.1."""

    def check(key: bytes, pub: bytes) -> str:
        if not 0 < int.from_bytes(key, "big") < _ORDERS[curve]:
            return "the private key is not from 1 to the order less 1"
        if _point(curve, key) != pub:
            return "the public key is not the private one's"
        signature = DSS.new(_ec_private(curve, key), "deterministic-rfc6979").sign(SHA256.new(_CHECKED))
        DSS.new(_ec_public(curve, pub), "sec1").verify(SHA256.new(_CHECKED), signature)
        return ""

    return Scheme(_ec_pair(curve, size), judge={"keygen": judge_of_pair((size, 2 * size + 1), check)}, endless=True)


def ecdh(curve: str, size: int) -> Scheme:
    """Key agreement on `curve`, and what `point_keys` has."""
    return point_keys(curve, size)._replace(due={"derive": lambda inputs: _ecdh(curve, size, inputs)})


def with_multiples(scheme: Scheme, curve: str = "") -> Scheme:
    """`scheme` with multiples of the generator of `curve`; of Curve25519 without one."""

    def multiple(inputs: Inputs) -> bytes:
        key = inputs["key"]
        if not curve:
            return _x25519_public(key)
        if not 0 < int.from_bytes(key, "big") < _ORDERS[curve]:
            raise ValueError("key is not from 1 to the order less 1")
        return _point(curve, key)

    return scheme._replace(due={**scheme.due, "multiply-base": multiple})


def _ecdh(curve: str, size: int, inputs: Inputs) -> bytes:
    """ECDH: SP 800-56A section 5.7.1.2. The secret is the x-coordinate; what is no point of the curve must not be used (section 5.6.2.3.4)."""
    if not 0 < int.from_bytes(inputs["key"], "big") < _ORDERS[curve]:
        raise ValueError("key is not from 1 to the order less 1")
    if len(inputs["pub"]) != 2 * size + 1 or inputs["pub"][0] != 4:
        raise ValueError("pub is not an uncompressed point")
    try:
        public = _ec_public(curve, inputs["pub"])
    except ValueError:
        raise MustNotBeUsed("pub is not on the curve") from None
    if public.pointQ.is_point_at_infinity():  # what PyCryptodome takes x = y = 0 for
        raise MustNotBeUsed("pub is not on the curve")
    return DH.key_agreement(static_priv=_ec_private(curve, inputs["key"]), static_pub=public, kdf=bytes)


def ecdsa(curve: str, size: int, digest: Any) -> Scheme:
    """ECDSA on `curve` (PyCryptodome's name), whose scalars have `size` bytes, over `digest` (a module of Crypto.Hash): FIPS 186-5 section 6. One right signature is that of RFC 6979."""

    def make(inputs: Inputs, form: str | None) -> bytes:
        key = _ec_private(curve, inputs["key"])
        return DSS.new(key, "deterministic-rfc6979", encoding=signature_encoding(form)).sign(digest.new(inputs["msg"]))

    def check(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
        # SEC 1 section 4.1.4: both s and n - s are signatures, on every curve.
        DSS.new(_ec_public(curve, pub), "sec1", encoding=signature_encoding(form)).verify(
            digest.new(message), signature
        )

    return Scheme(_ec_pair(curve, size), make={"sign": make}, judge={"sign": judge_of_signature(check)}, endless=True)


def _ec_pair(curve: str, size: int) -> Any:
    """Scalars are cut to as many bits as the order has: P-521's would not be below it else."""
    mask = (1 << _ORDERS[curve].bit_length()) - 1

    def pair(number: int) -> Pair:
        key = ((int.from_bytes(key_stream(number, size), "big") & mask) % _ORDERS[curve]).to_bytes(size, "big")
        return key, _point(curve, key)

    return pair


def _point(curve: str, key: bytes) -> bytes:
    return _ec_private(curve, key).public_key().export_key(format="SEC1")


@lru_cache(maxsize=64)
def _ec_private(curve: str, scalar: bytes) -> ECC.EccKey:
    return ECC.construct(curve=curve, d=int.from_bytes(scalar, "big"))


@lru_cache(maxsize=64)
def _ec_public(curve: str, point: bytes) -> ECC.EccKey:
    return ECC.import_key(point, curve_name=curve)


def signature_encoding(form: str | None) -> Literal["der", "binary"]:
    """PyCryptodome's word for the encoding of a signature of ECDSA or DSA. UsageError for a form that is none."""
    if form in (None, "der"):
        return "der"
    if form == "p1363":
        return "binary"
    raise UsageError(f"signature encoding: '{form}' is not known", nearest(form or "", ("der", "p1363")))
