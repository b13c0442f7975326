# SPDX-License-Identifier: Apache-2.0
"""Published figures of other people: `references/PAGE/`, a folder a page. `reference.toml` says what it is, the files beside it have the values, in a form for each kind (`references/README.md`)."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from cipherstone.catalogue.document import read_toml
from cipherstone.model.errors import DataError

T = TypeVar("T")

FOLDER = "references"
ABOUT = "reference.toml"


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page is. `date`: as it states it; `note`: what is known about its figures and what is wrong with them, a sentence each."""

    title: str
    source: str
    date: str
    note: tuple[str, ...]


def shown_place(page: str, file: str) -> str:
    """The path of a file of a page, as messages and runs show it."""
    return f"{FOLDER}/{page}/{file}"


def pages_with(root: Path, file: str) -> tuple[str, ...]:
    """Names of the pages that have this file of values, in order."""
    return tuple(sorted(path.parent.name for path in (root / FOLDER).glob(f"*/{file}")))


def load_reference(root: Path, page: str) -> Reference:
    """`reference.toml` of a page. Raises DataError: it is missing, or a text is empty."""
    name = shown_place(page, ABOUT)
    found = read_toml(root / FOLDER / page / ABOUT, name, Reference)
    for field, text in (("title", found.title), ("source", found.source), ("date", found.date)):
        if not text.strip():
            raise DataError(f"{name}: {field}: is empty", "write 'not recorded' for a date that is not known here")
    return found


def read_values(root: Path, page: str, file: str, shape: type[T]) -> T:
    """A file of values as `shape`, a Struct that forbids unknown fields. Of its fields `title`, `source` and `note` come from `reference.toml`, which must be right in any case. Raises DataError."""
    about = load_reference(root, page)
    known = {"title": about.title, "source": about.source, "note": list(about.note)}
    given = {name: value for name, value in known.items() if name in getattr(shape, "__struct_fields__", ())}
    return read_toml(root / FOLDER / page / file, shown_place(page, file), shape, given)


def files_of(root: Path, page: str, file: str) -> tuple[Path, ...]:
    """The files that what `read_values` gives depends on."""
    return (root / FOLDER / page / ABOUT, root / FOLDER / page / file)
