# SPDX-License-Identifier: Apache-2.0
"""X25519MLKEM768, the key exchange of TLS that needs both ML-KEM-768 and X25519 broken (draft-ietf-tls-ecdhe-mlkem section 4): whatever there is of one stands before what there is of the other, ML-KEM first.

ML-KEM is FIPS 203 as mlkem.py has it, X25519 is PyCryptodome's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from cipherstone.catalogue.conditions import KEYS
from cipherstone.model.errors import NotAuthentic
from cipherstone.operations import elliptic, mlkem
from cipherstone.operations.mlkem_scheme import ml_kem
from cipherstone.operations.scheme import PEER, Inputs, Pair, Scheme, judge_of_pair, key_stream

_OF = mlkem.SETS["ml-kem-768"]
_SCALAR = 32  # bytes of an X25519 private key, public key and secret
_LEAST_SECRETS = 2 * mlkem.SEED_BYTES


def x25519_mlkem768() -> Scheme:
    """The hybrid as one encapsulation. A seed is ML-KEM's, then the X25519 private key that is drawn."""
    lattice, curve = ml_kem("ml-kem-768"), elliptic.x25519()

    def shared(key: bytes, pub: bytes) -> bytes:
        found = curve.due["derive"]({"key": key, "pub": pub})
        assert found is not None
        return found

    def public(key: bytes) -> bytes:
        return shared(key, (9).to_bytes(_SCALAR, "little"))  # RFC 7748 section 6.1

    @lru_cache(maxsize=2 * KEYS)
    def key_pair(number: int) -> Pair:
        (dk, ek), (key, pub) = lattice.key_pair(number), curve.key_pair(number)
        return dk + key, ek + pub

    def keygen(inputs: Inputs) -> bytes | None:
        if "seed" not in inputs:
            return None
        dk, ek = mlkem.keygen(_OF, inputs["seed"][:_LEAST_SECRETS])
        key = inputs["seed"][_LEAST_SECRETS:]
        return dk + key + ek + public(key)

    def encapsulated(pub: bytes, m: bytes, key: bytes) -> bytes:
        ciphertext, secret = mlkem.encaps(_OF, pub[:-_SCALAR], m)
        return ciphertext + public(key) + secret + shared(key, pub[-_SCALAR:])

    def encaps(inputs: Inputs) -> bytes | None:
        _checked(lattice.due["encaps"], {"pub": inputs["pub"][:-_SCALAR]})
        seed = inputs.get("seed")
        return None if seed is None else encapsulated(inputs["pub"], seed[: mlkem.SEED_BYTES], seed[mlkem.SEED_BYTES :])

    def decaps(inputs: Inputs) -> bytes:
        if len(inputs["msg"]) != _OF.ciphertext_bytes + _SCALAR:
            raise NotAuthentic("the ciphertext has another length")
        split = {"key": inputs["key"][:-_SCALAR], "msg": inputs["msg"][:-_SCALAR]}
        secret = lattice.due["decaps"](split)
        assert secret is not None
        return secret + shared(inputs["key"][-_SCALAR:], inputs["msg"][-_SCALAR:])

    def made(inputs: Inputs, form: str | None) -> bytes:
        both = lattice.make["encaps"]({"pub": inputs["pub"][:-_SCALAR]}, form)
        key = key_stream(PEER, _SCALAR)
        split = _OF.ciphertext_bytes
        return both[:split] + public(key) + both[split:] + shared(key, inputs["pub"][-_SCALAR:])

    def judge(inputs: Inputs, output: bytes, form: str | None) -> str:
        """Of pairs whose private key is known: what is encapsulated must come out of decapsulation."""
        number = next((number for number in range(KEYS) if key_pair(number)[1] == inputs["pub"]), None)
        if number is None:
            return "the judge does not know the private key of this public one"
        split = _OF.ciphertext_bytes + _SCALAR
        if len(output) != split + mlkem.SECRET_BYTES + _SCALAR:
            return f"{len(output)} bytes, not {split} and {mlkem.SECRET_BYTES + _SCALAR}"
        mine, theirs = output[: split - _SCALAR], output[split : split + mlkem.SECRET_BYTES]
        if wrong := lattice.judge["encaps"]({"pub": inputs["pub"][:-_SCALAR]}, mine + theirs, form):
            return wrong
        secret = shared(key_pair(number)[0][-_SCALAR:], output[split - _SCALAR : split])
        return "" if secret == output[-_SCALAR:] else "the secret of X25519 is not the one of the ciphertext"

    def belong(key: bytes, pub: bytes) -> str:
        wrong = lattice.judge["keygen"]({}, key[:-_SCALAR] + pub[:-_SCALAR], None)
        return wrong or curve.judge["keygen"]({}, key[-_SCALAR:] + pub[-_SCALAR:], None)

    return Scheme(
        key_pair,
        due={"keygen": keygen, "encaps": encaps, "decaps": decaps},
        make={"encaps": made},
        judge={
            "keygen": judge_of_pair((_OF.private_bytes + _SCALAR, _OF.public_bytes + _SCALAR), belong),
            "encaps": judge,
        },
        seed_bytes={"keygen": _LEAST_SECRETS + _SCALAR, "encaps": mlkem.SEED_BYTES + _SCALAR},
    )


def _checked(due: Callable[[Inputs], bytes | None], inputs: Inputs) -> None:
    """What ML-KEM's part refuses is refused: MustNotBeUsed."""
    due(inputs)
