# SPDX-License-Identifier: Apache-2.0
"""`[[advisory]]` of a library.toml: what was published of versions of a library and touches what is measured here; dated, with its source."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

import msgspec

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.document import shown
from cipherstone.model.errors import DataError, nearest
from cipherstone.model.records import KnownAdvisory

_ID = re.compile(r"(CVE-[0-9]{4}-[0-9]{4,}|[A-Z][A-Z0-9]*(-[A-Za-z0-9]+)+)\Z")
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)*\Z")
_NUMBERS = re.compile(r"[0-9]+(\.[0-9]+)*")
_ADDRESS = re.compile(r"[a-z]+://")


class Advisory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One advisory. `date`: when it was published; `what`: one sentence; `ops`: operations of the catalogue that it touches, or patterns; `source`: who says so.

    Versions, whole numbers with points, of upstream: `min`, the first that has it ("": no first is known); `max`, the last that is known to have it; `fixed_in`, the first of each branch that has it no more
    (a branch is all but the last number). One of the last two is there.
    """

    id: str
    date: datetime.date
    what: str
    ops: tuple[str, ...]
    source: str
    min: str = ""
    max: str = ""
    fixed_in: tuple[str, ...] = ()

    def affects(self, version: str) -> bool:
        """Whether upstream's `version` has it; one that does not begin with numbers is not known to."""
        found = _NUMBERS.match(version)
        if found is None:
            return False
        mine = _parts(found[0])
        if (self.min and mine < _parts(self.min)) or (self.max and mine > _parts(self.max)):
            return False
        fixes = sorted(map(_parts, self.fixed_in))
        return not fixes or not (
            mine >= fixes[-1] or any(mine[: len(fix) - 1] == fix[:-1] and mine >= fix for fix in fixes)
        )

    @property
    def versions(self) -> str:
        """The versions that have it, for people."""
        words = [f"from {self.min}" if self.min else "", f"up to {self.max}" if self.max else ""]
        words.append(f"before {', '.join(self.fixed_in)}" if self.fixed_in else "")
        return " ".join(filter(None, words))


def _parts(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:  # 3.0 and 3.0.0 are one version
        numbers.pop()
    return tuple(numbers)


def check_advisories(
    name: str, entries: tuple[Advisory, ...], as_of: datetime.date | None, catalogue: Catalogue
) -> None:
    """`[[advisory]]` and `advisories_as_of` of a library.toml called `name`. Raises DataError."""
    if (as_of is None) != (not entries):
        which = "stands there without an [[advisory]]" if as_of else "is missing"
        raise DataError(
            f"{name}: advisories_as_of: {which}", "the day up to which the list was made, such as 2025-12-31"
        )
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        where = f"{name}: advisory[{index}]"
        if not _ID.match(entry.id) or entry.id in seen:
            raise DataError(
                f"{where}.id: {shown(entry.id)} is no name of an advisory, or stands twice", "such as CVE-2024-28834"
            )
        seen.add(entry.id)
        for field in ("what", "source"):
            if not getattr(entry, field).strip():
                raise DataError(f"{where}.{field}: is empty", "one sentence, and who says so")
        if _ADDRESS.search(entry.source):
            raise DataError(
                f"{where}.source: {shown(entry.source)} is an address", "name the document: addresses change"
            )
        if as_of is not None and entry.date > as_of:
            raise DataError(f"{where}.date: {entry.date} is after advisories_as_of, {as_of}", "set that anew")
        _check_versions(where, entry)
        if not entry.ops:
            raise DataError(f"{where}.ops: is empty", "what touches nothing that is measured does not belong here")
        for pattern in entry.ops:
            if not any(fnmatchcase(known, pattern) for known in catalogue.operations):
                raise DataError(f"{where}.ops: {shown(pattern)} covers nothing of the catalogue", nearest(pattern, catalogue.operations))  # fmt: skip


def _check_versions(where: str, entry: Advisory) -> None:
    for field, versions in (("min", (entry.min,)), ("max", (entry.max,)), ("fixed_in", entry.fixed_in)):
        for version in versions:
            if (version or field == "fixed_in") and not _VERSION.match(version):
                raise DataError(
                    f"{where}.{field}: {shown(version)} is not a version", "numbers with points, such as 3.0.16"
                )
    if not entry.max and not entry.fixed_in:
        raise DataError(f"{where}: neither max nor fixed_in", "say which versions have it")
    last = [*map(_parts, entry.fixed_in), *([_parts(entry.max)] if entry.max else [])]
    if entry.min and any(_parts(entry.min) > one for one in last):
        raise DataError(f"{where}.min: {shown(entry.min)} is after max or fixed_in", "then no version has it")


def known_advisories(entries: Iterable[Advisory], version: str) -> tuple[KnownAdvisory, ...]:
    """Those of upstream's `version`, the newest first."""
    mine = sorted((one for one in entries if one.affects(version)), key=lambda one: (one.date, one.id), reverse=True)
    return tuple(KnownAdvisory(one.id, one.date.isoformat(), one.what, one.ops, one.source) for one in mine)
