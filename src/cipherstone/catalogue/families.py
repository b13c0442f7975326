# SPDX-License-Identifier: Apache-2.0
"""Families of algorithms, `algorithms/families.toml`: their order, the algorithms that stand first in each, and what is timed for a verb."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.document import read_toml, shown
from cipherstone.model.errors import DataError, nearest

Unit = Literal["byte", "call"]
NAME = "algorithms/families.toml"


class TimedRegion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is timed for a verb, in a family or in an algorithm of its own. Fields as in `Operation` (`catalogue/algorithms.py`)."""

    timed: str
    untimed: str
    unit: Unit
    sizes: tuple[int, ...] = ()
    headline_size: int | None = None
    ring: int = 1
    distribution: bool = False


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`first`: algorithms that stand before the others of the family, which follow by name. `verbs`: what holds for all of its algorithms, unless their own files say otherwise."""

    id: str
    first: tuple[str, ...] = ()
    verbs: dict[str, TimedRegion] = {}


class _FamiliesFile(msgspec.Struct, forbid_unknown_fields=True):
    family: list[Family]


def load_families(root: Path, sizes: Mapping[int, str], verbs: Collection[str]) -> dict[str, Family]:
    """`algorithms/families.toml` under `root`, by id, in the file's order. `sizes` and `verbs`: those that there are. Raises DataError: one line, the first thing that is wrong."""
    families: dict[str, Family] = {}
    for index, family in enumerate(read_toml(root / NAME, NAME, _FamiliesFile).family):
        where = f"{NAME}: family[{index}]"
        if family.id in families:
            raise DataError(f"{where}.id: {shown(family.id)} stands twice", "remove one of them")
        if len(set(family.first)) < len(family.first):
            raise DataError(f"{where}.first: an algorithm stands twice", "remove one of them")
        check_verbs(f"{where}.verbs", family.verbs, sizes, verbs)
        families[family.id] = family
    return families


def check_verbs(where: str, timed: Mapping[str, TimedRegion], sizes: Mapping[int, str], known: Collection[str]) -> None:
    """Every verb is one of `known`, and its sizes are of `sizes` and fit its unit. Raises DataError."""
    for verb, one in timed.items():
        check_verb(where, verb, known)
        check_sizes(f"{where}.{verb}", one.unit, one.sizes, one.headline_size, sizes)


def check_verb(where: str, verb: str, known: Collection[str]) -> None:
    """Raises DataError for a verb that is not one of `known`."""
    if verb not in known:
        raise DataError(f"{where}: {shown(verb)} is not a verb that is known here", nearest(verb, known))


def check_sizes(
    where: str, unit: Unit, sizes: tuple[int, ...], headline_size: int | None, known: Mapping[int, str]
) -> None:
    """Sizes in bytes are of `known`, each once, the smallest first; they are there if the unit is a byte, and only then; the headline size is one of them. Raises DataError."""
    for size in sizes:
        if size not in known:
            raise DataError(
                f"{where}.sizes: '{size}' is not in algorithms/sizes.toml",
                f"known: {', '.join(map(str, sorted(known)))}",
            )
    if list(sizes) != sorted(set(sizes)):
        raise DataError(f"{where}.sizes: '{list(sizes)}' is not in rising order", "each size once, smallest first")
    if unit == "byte" and not sizes:
        raise DataError(f"{where}.sizes: is empty, but the unit of work is a byte", 'give sizes, or `unit = "call"`')
    if unit == "call" and sizes:
        raise DataError(
            f"{where}.sizes: '{list(sizes)}', but the unit of work is a call", 'give no sizes, or `unit = "byte"`'
        )
    if sizes and headline_size not in sizes:
        raise DataError(f"{where}.headline_size: '{headline_size}' is not one of its sizes", f"one of {list(sizes)}")
    if not sizes and headline_size is not None:
        raise DataError(f"{where}.headline_size: '{headline_size}', but it has no sizes", "remove it")
