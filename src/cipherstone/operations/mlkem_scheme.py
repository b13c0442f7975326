# SPDX-License-Identifier: Apache-2.0
"""ML-KEM as a scheme: pairs, encapsulations and right answers, from FIPS 203 as mlkem.py has it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from cipherstone.catalogue.conditions import KEYS
from cipherstone.model.errors import NotAuthentic
from cipherstone.operations import mlkem
from cipherstone.operations.scheme import Inputs, MustNotBeUsed, Pair, Scheme, judge_of_pair
from cipherstone.operations.splitmix import splitmix64

_PAIR_SEED, _ENCAPS_SEED = 1, 6
_RING_PAIR, _RING_ENCAPS = 5000, 5500  # of further keys


def ml_kem(algorithm: str) -> Scheme:
    """`ml-kem-512`, `ml-kem-768` or `ml-kem-1024`: FIPS 203 sections 7 and 8. The judge knows the private keys of its pairs, so that it can look into ciphertexts."""
    of = mlkem.SETS[algorithm]

    @lru_cache(maxsize=2 * KEYS)
    def key_pair(number: int) -> Pair:
        seed = splitmix64(_RING_PAIR + number if number else _PAIR_SEED, 2 * mlkem.SEED_BYTES)
        return mlkem.keygen(of, seed)

    def number_of(pub: bytes) -> int | None:
        return next((number for number in range(KEYS) if key_pair(number)[1] == pub), None)

    def encapsulate(inputs: Inputs, form: str | None) -> bytes:
        number = number_of(inputs["pub"])
        if number is None:
            raise ValueError("pub is none of the timed ones")
        seed = splitmix64(_RING_ENCAPS + number if number else _ENCAPS_SEED, mlkem.SEED_BYTES)
        return b"".join(mlkem.encaps(of, inputs["pub"], seed))

    def encapsulated(inputs: Inputs, output: bytes, form: str | None) -> str:
        number = number_of(inputs["pub"])
        if number is None:
            return "the judge does not know the private key of this public one"
        if len(output) != of.ciphertext_bytes + mlkem.SECRET_BYTES:
            return f"{len(output)} bytes, not {of.ciphertext_bytes} and {mlkem.SECRET_BYTES}"
        dk, ciphertext, secret = key_pair(number)[0], output[: of.ciphertext_bytes], output[of.ciphertext_bytes :]
        if mlkem.is_rejected(of, dk, ciphertext):
            return "the ciphertext is not genuine: decapsulation rejects it"
        return "" if mlkem.decaps(of, dk, ciphertext) == secret else "the secret is not the one of the ciphertext"

    return Scheme(
        key_pair,
        due={
            "keygen": _refusing(
                lambda inputs: b"".join(mlkem.keygen(of, inputs["seed"])) if "seed" in inputs else None
            ),
            "encaps": _refusing(lambda inputs: _encaps(of, inputs)),
            "decaps": _refusing(lambda inputs: mlkem.decaps(of, inputs["key"], inputs["msg"])),
        },
        make={"encaps": encapsulate},
        judge={
            "keygen": judge_of_pair((of.private_bytes, of.public_bytes), lambda dk, ek: _belong(of, dk, ek)),
            "encaps": encapsulated,
        },
        seed_bytes={"keygen": 2 * mlkem.SEED_BYTES, "encaps": mlkem.SEED_BYTES},
    )


def _encaps(of: mlkem.ParameterSet, inputs: Inputs) -> bytes | None:
    mlkem.check_public(of, inputs["pub"])
    return b"".join(mlkem.encaps(of, inputs["pub"], inputs["seed"])) if "seed" in inputs else None


def _belong(of: mlkem.ParameterSet, dk: bytes, ek: bytes) -> str:
    if wrong := mlkem.belongs_together(of, dk, ek):
        return wrong
    ciphertext, secret = mlkem.encaps(of, ek, splitmix64(_ENCAPS_SEED, mlkem.SEED_BYTES))
    same = mlkem.decaps(of, dk, ciphertext) == secret
    return "" if same else "what is encapsulated with the public key is not what the private one finds"


def _refusing(compute: Callable[[Inputs], bytes | None]) -> Callable[[Inputs], bytes | None]:
    """`compute`, with the refusals of the standard in the words that all schemes have."""

    def due(inputs: Inputs) -> bytes | None:
        try:
            return compute(inputs)
        except mlkem.BadKey as error:
            raise MustNotBeUsed(str(error)) from None
        except mlkem.BadCiphertext as error:
            raise NotAuthentic(str(error)) from None

    return due
