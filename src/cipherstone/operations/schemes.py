# SPDX-License-Identifier: Apache-2.0
"""Every algorithm with key pairs, by name: those of the family files, and those whose folder in `algorithms/` brings a `SCHEME`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial

from cipherstone.model.later import Later
from cipherstone.operations import elliptic, mlkem, own
from cipherstone.operations.ephemeral import with_agreement
from cipherstone.operations.mlkem_scheme import ml_kem
from cipherstone.operations.rsa import rsa_keys
from cipherstone.operations.scheme import Scheme

_SHA256 = Later("Crypto.Hash.SHA256")
_OF_FAMILIES: dict[str, Callable[[], Scheme]] = {
    "x25519": lambda: with_agreement(elliptic.with_multiples(elliptic.x25519()), 32, 32),
    "ed25519": elliptic.ed25519,
    "p-256": lambda: with_agreement(elliptic.with_multiples(elliptic.ecdh("P-256", 32), "P-256"), 65, 32),
    "secp256k1": lambda: elliptic.with_multiples(elliptic.ecdh("secp256k1", 32), "secp256k1"),
    "ecdsa-p256-sha256": lambda: elliptic.ecdsa("P-256", 32, _SHA256),
    "ecdsa-secp256k1-sha256": lambda: elliptic.ecdsa("secp256k1", 32, _SHA256),
    "rsa-2048": lambda: rsa_keys(2048),
    **{algorithm: partial(ml_kem, algorithm) for algorithm in mlkem.SETS},
}


class _Schemes(Mapping[str, Scheme]):
    """Each is made when it is asked for first; only who asks for all of them reads every folder."""

    def __getitem__(self, algorithm: str) -> Scheme:
        found = _scheme(algorithm)
        if found is None:
            raise KeyError(algorithm)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*_OF_FAMILIES, *own.own_of_checkout().schemes)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


_SCHEMES = _Schemes()


def schemes() -> Mapping[str, Scheme]:
    """By algorithm."""
    return _SCHEMES


@lru_cache(maxsize=256)
def _scheme(algorithm: str) -> Scheme | None:
    make = _OF_FAMILIES.get(algorithm)
    return own.own_of(algorithm).schemes.get(algorithm) if make is None else make()
