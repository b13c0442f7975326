# SPDX-License-Identifier: Apache-2.0
"""Every algorithm with key pairs, by name: those whose folder in `algorithms/` brings a `SCHEME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cipherstone.operations import algorithm_folders
from cipherstone.operations.scheme import Scheme


class _Schemes(Mapping[str, Scheme]):
    """Each is made when it is asked for first; only who asks for all of them reads every folder."""

    def __getitem__(self, algorithm: str) -> Scheme:
        return algorithm_folders.folder_code(algorithm).schemes[algorithm]

    def __iter__(self) -> Iterator[str]:
        return iter(algorithm_folders.checkout_code().schemes)

    def __len__(self) -> int:
        return len(algorithm_folders.checkout_code().schemes)


_SCHEMES = _Schemes()


def schemes() -> Mapping[str, Scheme]:
    """By algorithm."""
    return _SCHEMES
