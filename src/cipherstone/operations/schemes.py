# SPDX-License-Identifier: Apache-2.0
"""Every algorithm with key pairs, by name: those whose folder in `algorithms/` brings a `SCHEME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cipherstone.operations import own
from cipherstone.operations.scheme import Scheme


class _Schemes(Mapping[str, Scheme]):
    """Each is made when it is asked for first; only who asks for all of them reads every folder."""

    def __getitem__(self, algorithm: str) -> Scheme:
        return own.own_of(algorithm).schemes[algorithm]

    def __iter__(self) -> Iterator[str]:
        return iter(own.own_of_checkout().schemes)

    def __len__(self) -> int:
        return len(own.own_of_checkout().schemes)


_SCHEMES = _Schemes()


def schemes() -> Mapping[str, Scheme]:
    """By algorithm."""
    return _SCHEMES
