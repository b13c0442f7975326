# SPDX-License-Identifier: Apache-2.0
"""X448 and Ed448, by PyCryptodome."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.operations.scheme import PEER, Inputs, Pair, Scheme, judge_of_pair, judge_of_signature, key_stream

if TYPE_CHECKING:
    from Crypto.Protocol import DH
    from Crypto.PublicKey import ECC
    from Crypto.Signature import eddsa
else:
    DH, ECC, eddsa = Later("Crypto.Protocol.DH"), Later("Crypto.PublicKey.ECC"), Later("Crypto.Signature.eddsa")

X448_BYTES = 56
ED448_BYTES = 57
_CHECKED = b"cipherstone: a key pair"


def x448() -> Scheme:
    """X448: RFC 7748 section 5."""
    lengths = (X448_BYTES, X448_BYTES)
    return Scheme(
        _x448_pair, due={"derive": _x448}, judge={"keygen": judge_of_pair(lengths, _x448_agrees)}, endless=True
    )


def _x448_pair(number: int) -> Pair:
    key = key_stream(number, X448_BYTES)
    return key, _x448_public(key)


def _x448_public(key: bytes) -> bytes:
    return DH.import_x448_private_key(key).public_key().export_key(format="raw")


def _x448(inputs: Inputs) -> bytes:
    private = DH.import_x448_private_key(inputs["key"])
    if len(inputs["pub"]) != X448_BYTES:
        raise ValueError(f"pub is not {X448_BYTES} bytes")
    try:
        public = DH.import_x448_public_key(inputs["pub"])
    except ValueError:
        # Of 56 bytes, PyCryptodome refuses exactly the points of low order; a clamped scalar, a multiple of 4, takes each of them to zero.
        return bytes(X448_BYTES)
    return DH.key_agreement(static_priv=private, static_pub=public, kdf=bytes)


def _x448_agrees(key: bytes, pub: bytes) -> str:
    if _x448_public(key) != pub:
        return "the public key is not the private one's"
    private, peer = (DH.import_x448_private_key(one) for one in (key, key_stream(PEER, X448_BYTES)))
    mine = DH.key_agreement(static_priv=private, static_pub=peer.public_key(), kdf=bytes)
    theirs = DH.key_agreement(static_priv=peer, static_pub=DH.import_x448_public_key(pub), kdf=bytes)
    return "" if mine == theirs else "both sides do not agree"


def ed448() -> Scheme:
    """Ed448 with an empty context: RFC 8032 section 5.2. Its signatures are fixed by the standard, so that the bytes are known."""
    return Scheme(
        lambda number: (key_stream(number, ED448_BYTES), _ed448_public_key(key_stream(number, ED448_BYTES))),
        due={"sign": _ed448_sign, "keygen": _ed448_keygen},
        make={"sign": lambda inputs, form: _ed448_sign(inputs)},
        judge={
            "sign": judge_of_signature(_ed448_verify),
            "keygen": judge_of_pair((ED448_BYTES, ED448_BYTES), _ed448_serves),
        },
        endless=True,
        seed_bytes={"keygen": ED448_BYTES},
    )


@lru_cache(maxsize=64)
def _ed448_private(seed: bytes) -> ECC.EccKey:
    return ECC.construct(curve="Ed448", seed=seed)


@lru_cache(maxsize=64)
def _ed448_public(pub: bytes) -> ECC.EccKey:
    if len(pub) != ED448_BYTES:
        raise ValueError(f"pub is not {ED448_BYTES} bytes")
    return eddsa.import_public_key(pub)


def _ed448_public_key(key: bytes) -> bytes:
    return _ed448_private(key).public_key().export_key(format="raw")


def _ed448_sign(inputs: Inputs) -> bytes:
    return eddsa.new(_ed448_private(inputs["key"]), "rfc8032").sign(inputs["msg"])


def _ed448_keygen(inputs: Inputs) -> bytes | None:
    return inputs["seed"] + _ed448_public_key(inputs["seed"]) if "seed" in inputs else None


def _ed448_verify(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
    eddsa.new(_ed448_public(pub), "rfc8032").verify(message, signature)


def _ed448_serves(key: bytes, pub: bytes) -> str:
    if _ed448_public_key(key) != pub:
        return "the public key is not the private one's"
    _ed448_verify(pub, _CHECKED, _ed448_sign({"key": key, "msg": _CHECKED}), None)
    return ""
