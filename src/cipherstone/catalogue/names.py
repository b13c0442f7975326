# SPDX-License-Identifier: Apache-2.0
"""Names as people type them: `gcm`, `sha256`, `AES-GCM` and `OpenSSL` mean names of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

# Names made of parts, of which a person may say some; a part of any other name (`lib`, `ssl`) says nothing.
_OF_PARTS = ("algorithm", "op")
_PART = re.compile(r"[a-z]+|[0-9]+")


def meant(key: str, word: str, known: Collection[str]) -> tuple[str, ...]:
    """The names in `known` that `word` means, in their order: itself, else the one that differs in case and separators only, else all that have its parts in their order.

    `sha256` is `sha-256` alone, and as an operation all of that algorithm; `gcm`, which is no name, is every algorithm with a part `gcm`. Empty if it means none.
    """
    if word in known:
        return (word,)
    same = tuple(name for name in known if _bare(name) == _bare(word))
    if not same and key == "op":  # all of an algorithm
        same = tuple(name for name in known if _bare(name.partition("/")[0]) == _bare(word))
    if same or key not in _OF_PARTS:
        return same
    wanted = _PART.findall(word.lower())
    return tuple(name for name in known if wanted and _holds(_PART.findall(name.lower()), wanted))


def _bare(name: str) -> str:
    return re.sub(r"[-_. ]", "", name.lower())


def _holds(parts: Iterable[str], wanted: Iterable[str]) -> bool:
    """Whether `wanted` are among `parts` in the same order, others between them or not."""
    left = iter(parts)
    return all(part in left for part in wanted)
