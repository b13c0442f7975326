# SPDX-License-Identifier: Apache-2.0
"""`[[upkeep]]` of a library.toml: until when upstream maintains a branch, dated, with its source."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.model.errors import DataError

_BRANCH = re.compile(r"[0-9]+(\.[0-9]+)*\Z")


class Upkeep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`branch`: the beginning of its versions, whole numbers (`3.0`: 3.0.19, not 3.01). `until`: the last day of upstream's support; `source`: who says so."""

    branch: str
    until: datetime.date
    source: str


def check_upkeep(name: str, entries: tuple[Upkeep, ...]) -> None:
    """`[[upkeep]]` of a library.toml called `name`. Raises DataError."""
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        where = f"{name}: upkeep[{index}]"
        if not _BRANCH.match(entry.branch) or entry.branch in seen:
            raise DataError(f"{where}.branch: {shown(entry.branch)} is no branch, or stands twice", "such as 2.28")
        if not entry.source.strip():
            raise DataError(f"{where}.source: is empty", "say who says so")
        seen.add(entry.branch)


def _speaking(entries: Iterable[Upkeep], version: str) -> Upkeep | None:
    """The entry of the longest branch that `version` is of."""
    mine = [
        entry for entry in entries if version == entry.branch or re.match(re.escape(entry.branch) + r"[^0-9]", version)
    ]
    return max(mine, key=lambda one: len(one.branch), default=None)


def upkeep_of(entries: Iterable[Upkeep], version: str, today: datetime.date) -> str:
    """`ended`, `maintained`, or `unknown` where nothing is said of the branch."""
    entry = _speaking(entries, version)
    return "unknown" if entry is None else "maintained" if today <= entry.until else "ended"


def upkeep_words(entries: Iterable[Upkeep], version: str, today: datetime.date) -> str:
    """What there is to say of a version today: that upstream maintains it no longer; "" if it does, or nothing is known. The longest branch speaks."""
    entry = _speaking(entries, version)
    if entry is None or today <= entry.until:
        return ""
    return f"no longer maintained upstream since {entry.until.isoformat()} ({entry.source}); a distribution may still mend it"
