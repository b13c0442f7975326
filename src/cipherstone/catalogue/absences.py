# SPDX-License-Identifier: Apache-2.0
"""What `not_measured` and `implementation` of a library.toml say: operations that are not there, and since or until which version; properties of named implementations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.document import shown
from cipherstone.model.errors import DataError, nearest
from cipherstone.model.summary import Properties

_CONDITION = re.compile(r"(<|>=)(\d+(?:\.\d+)*)\Z")
_NUMBERS = re.compile(r"\d+(?:\.\d+)*")


class NotMeasured(msgspec.Struct, forbid_unknown_fields=True):
    """One entry as written: ids or patterns in `ops`, or all of `families`; without what `except` names; only of `versions` (`<3.5`, `>=3`)."""

    reason: str
    ops: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    leaving: tuple[str, ...] = msgspec.field(name="except", default=())
    versions: str = ""


class Absence(msgspec.Struct, frozen=True):
    """Why one operation is not measured. `versions`: of which versions that is so (`<3.5`); "": of all."""

    operation: str
    reason: str
    versions: str = ""

    def holds(self, version: str | None) -> bool:
        """Whether it is so of `version`, as the library reports it; one that is not known is taken for any."""
        return not self.versions or version is None or version_matches(self.versions, version)


class Implementation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of the implementations that `impl` (a pattern) names, in the operations that `ops` (patterns; none: all) name, of the builds that `builds` (patterns of what follows `+` in them; none: all) name.

    `constant_time`: what the library's documentation or source says of secrets and time, not a finding of ours. `tables`: it reads tables at places
    that depend on secrets. `hardware`: instructions that it needs. `note`: one clause more.
    """

    impl: str
    constant_time: Literal["yes", "no", "unknown"] = "unknown"
    tables: bool = False
    hardware: str = ""
    note: str = ""
    ops: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()

    def covers(self, operation: str, implementation: str, variant: str = "") -> bool:
        """Whether it speaks of this lane. `variant`: of its build, "" for the distribution's."""
        return all(
            not patterns or any(fnmatchcase(word, pattern) for pattern in patterns)
            for word, patterns in ((implementation, (self.impl,)), (operation, self.ops), (variant, self.builds))
        )

    @property
    def properties(self) -> Properties:
        """The same as a run stores it with a cell."""
        return Properties(self.constant_time, self.tables, self.hardware, self.note)


def version_matches(condition: str, version: str) -> bool:
    """Whether the numbers at the beginning of `version` meet `<3.5` or `>=3`; 3.5 and 3.5.0 are the same. A version without numbers meets none."""
    sign, bound = _CONDITION.match(condition).groups()  # type: ignore[union-attr]
    found = _NUMBERS.search(version)
    if found is None:
        return False
    there, wanted = _numbers(found[0]), _numbers(bound)
    return there < wanted if sign == "<" else there >= wanted


def _numbers(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def absences(name: str, entries: Iterable[NotMeasured], catalogue: Catalogue) -> tuple[Absence, ...]:
    """By operation, each at most once for all versions and once for some. An id that stands there itself goes before a pattern or a family that covers it. Raises DataError."""
    named: dict[tuple[str, str], Absence] = {}
    covered: dict[tuple[str, str], Absence] = {}
    for index, entry in enumerate(entries):
        where = f"{name}: not_measured[{index}]"
        if bool(entry.ops) == bool(entry.families):
            raise DataError(f"{where}: needs either ops or families", '`ops = ["ALGORITHM/VERB", ...]`')
        if not entry.reason.strip():
            raise DataError(f"{where}.reason: is empty", "say why it is not measured")
        if entry.versions and not _CONDITION.match(entry.versions):
            raise DataError(f"{where}.versions: {shown(entry.versions)} is no condition", "write `<3.5` or `>=3`")
        for operation in _operations(where, entry, catalogue):
            one = Absence(operation, entry.reason, entry.versions)
            key = (operation, entry.versions)
            if operation not in entry.ops:
                covered.setdefault(key, one)
            elif key in named:
                raise DataError(f"{where}: {shown(operation)} stands twice", "remove one of them")
            else:
                named[key] = one
    return tuple((covered | named).values())


def _operations(where: str, entry: NotMeasured, catalogue: Catalogue) -> list[str]:
    found: list[str] = []
    families = {operation.family for operation in catalogue.operations.values()} if entry.families else set()
    for family in entry.families:
        if family not in families:
            raise DataError(f"{where}.families: {shown(family)} is not in the catalogue", nearest(family, families))
        found += [name for name, operation in catalogue.operations.items() if operation.family == family]
    for pattern in entry.ops:
        found += operations_named(where, pattern, catalogue)
    for pattern in entry.leaving:
        left = operations_named(f"{where}.except", pattern, catalogue)
        if not set(left) & set(found):
            raise DataError(f"{where}.except: {shown(pattern)} takes nothing away", "remove it")
        found = [name for name in found if name not in left]
    if len(set(found)) == len(catalogue.operations):
        raise DataError(f"{where}: covers the whole catalogue", "name what is missing, or what is there in `except`")
    return found


def operations_named(where: str, pattern: str, catalogue: Catalogue) -> list[str]:
    """The operations that an id or a pattern names. Raises DataError if there is none."""
    if set("*?[") & set(pattern):
        matching = catalogue.matching(pattern)
        if not matching:
            raise DataError(f"{where}: {shown(pattern)} covers nothing of the catalogue", "remove it")
        return list(matching)
    if pattern not in catalogue.operations:
        raise DataError(f"{where}: {shown(pattern)} is not in the catalogue", nearest(pattern, catalogue.operations))
    return [pattern]


def check_implementations(
    name: str, entries: Iterable[Implementation], catalogue: Catalogue, variants: Iterable[str] = ()
) -> None:
    """Raises DataError for an entry that says nothing, or speaks of operations or builds (`variants`: what follows `+` in the library's) that there are not."""
    known = tuple(variants)
    for index, entry in enumerate(entries):
        where = f"{name}: implementation[{index}]"
        if not entry.impl.strip():
            raise DataError(f"{where}.impl: is empty", "name an implementation of the adapter's table, or a pattern")
        for pattern in entry.ops:
            operations_named(f"{where}.ops", pattern, catalogue)
        for pattern in entry.builds:
            if not any(fnmatchcase(variant, pattern) for variant in known):
                raise DataError(f"{where}.builds: {shown(pattern)} names no build", nearest(pattern, known))
