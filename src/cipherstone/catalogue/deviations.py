# SPDX-License-Identifier: Apache-2.0
"""`judged` and `deviations` of a library.toml: versions whose deviations from the vectors are all known, and these deviations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from cipherstone.catalogue.absences import operations_named
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.document import shown
from cipherstone.model.errors import DataError, nearest


class KnownDeviation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A deviation of all versions that begin with `version`: in `ops` (ids or patterns) they are `outcome`, by the classes `kinds` of `vectors/CLASSES.toml`. `cpu`: only on processors with all of these features. The reason is in the library's NOTES.md."""

    version: str
    outcome: Literal["lax", "strict", "wrong"]
    ops: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    cpu: tuple[str, ...] = ()


class Deviating(msgspec.Struct, frozen=True):
    """How an operation deviates: its outcome (`lax`, `strict`, `wrong`) and the classes of the vectors that say so."""

    outcome: str
    kinds: frozenset[str] = frozenset()


def check_deviations(name: str, judged: Sequence[str], entries: Sequence[KnownDeviation], catalogue: Catalogue) -> None:
    """Raises DataError for an entry of a version that is not in `judged`, one without an operation, or without a class where the outcome needs one."""
    for index, entry in enumerate(entries):
        where = f"{name}: deviations[{index}]"
        if entry.version not in judged:
            hint = nearest(entry.version, judged) if judged else f'write `judged = ["{entry.version}"]`'
            raise DataError(f"{where}.version: {shown(entry.version)} is not in judged", hint)
        if not entry.ops:
            raise DataError(f"{where}.ops: is empty", "name the operations")
        for pattern in entry.ops:
            operations_named(f"{where}.ops", pattern, catalogue)
        if not entry.kinds and entry.outcome != "wrong":
            raise DataError(
                f"{where}.kinds: is empty", "name classes of vectors/CLASSES.toml; `wrong` alone needs none"
            )


def known_deviations(
    judged: Sequence[str],
    entries: Iterable[KnownDeviation],
    version: str,
    features: Collection[str],
    catalogue: Catalogue,
) -> Mapping[str, Deviating] | None:
    """By operation, of `version` (as the library reports it) on a processor with `features`; None if it is not judged. Entries of one operation are joined; the last outcome counts."""
    begins = next((one for one in judged if f"{version}.".startswith(f"{one}.")), None)
    if begins is None:
        return None
    found: dict[str, Deviating] = {}
    for entry in entries:
        if entry.version != begins or not set(entry.cpu) <= set(features):
            continue
        for pattern in entry.ops:
            for operation in operations_named("deviations", pattern, catalogue):
                before = found.get(operation, Deviating(entry.outcome)).kinds
                found[operation] = Deviating(entry.outcome, before | set(entry.kinds))
    return found
