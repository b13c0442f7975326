# SPDX-License-Identifier: Apache-2.0
"""What `libraries/*/library.toml` says: who a library is, how its adapter is built, what it lacks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.algorithms import Catalogue, load_catalogue
from cipherstone.catalogue.document import read_toml, shown
from cipherstone.model.errors import DataError, nearest

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")


class Packages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to install, in each system's words; empty if that system has no package."""

    debian: tuple[str, ...] = ()
    fedora: tuple[str, ...] = ()
    arch: tuple[str, ...] = ()
    alpine: tuple[str, ...] = ()
    macos: tuple[str, ...] = ()


class Distribution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The build as the distribution ships it. `header` absent means not installed; `libs` serve where `pkg_config` is empty or knows nothing."""

    pkg_config: tuple[str, ...]
    header: str
    libs: tuple[str, ...]
    packages: Packages
    defines: tuple[str, ...] = ()


class Library(msgspec.Struct, frozen=True):
    """One library. `folder` holds `sources`; `not_measured` gives a reason for each operation of the catalogue that the library lacks or hides."""

    id: str
    title: str
    homepage: str
    licence: str
    language: Literal["c", "c++"]
    sources: tuple[str, ...]
    min_version: str
    notes: str
    distribution: Distribution
    not_measured: dict[str, str]
    folder: Path

    @property
    def source_paths(self) -> tuple[Path, ...]:
        """The adapter's source files."""
        return tuple(self.folder / source for source in self.sources)


class _NotMeasured(msgspec.Struct, forbid_unknown_fields=True):
    reason: str
    op: str | None = None
    ops: tuple[str, ...] | None = None


class _LibraryFile(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    title: str
    homepage: str
    licence: str
    language: Literal["c", "c++"]
    sources: tuple[str, ...]
    min_version: str
    notes: str
    distribution: Distribution
    not_measured: tuple[_NotMeasured, ...] = ()


def load_libraries(root: Path, catalogue: Catalogue | None = None) -> dict[str, Library]:
    """Every library under `root/libraries`, by id in rising order. A folder is a library if it is not empty. Raises DataError."""
    folder = root / "libraries"
    if not folder.is_dir():
        raise DataError(f"libraries: {folder} is not a folder", "is the checkout complete?")
    known = load_catalogue(root) if catalogue is None else catalogue
    found = [
        child
        for child in sorted(folder.iterdir())
        if child.is_dir() and child.name[0] not in "._" and any(child.iterdir())
    ]
    return {child.name: load_library(child, known) for child in found}


def load_library(folder: Path, catalogue: Catalogue) -> Library:
    """The library in `folder`. Raises DataError."""
    name = f"libraries/{folder.name}/library.toml"
    document = read_toml(folder / "library.toml", name, _LibraryFile)
    if document.id != folder.name or not _ID.match(document.id):
        raise DataError(f"{name}: id: {shown(document.id)} is not the folder's name", f'write `id = "{folder.name}"`')
    for field in ("title", "homepage", "licence", "min_version", "notes"):
        if not getattr(document, field).strip():
            raise DataError(f"{name}: {field}: is empty", "see CONTRIBUTING.md, adding a library")
    if not document.sources:
        raise DataError(f"{name}: sources: is empty", "name the adapter's source files")
    for index, source in enumerate(document.sources):
        if Path(source).name != source or not (folder / source).is_file():
            raise DataError(
                f"{name}: sources[{index}]: {shown(source)} is not a file in libraries/{folder.name}",
                "name files of that folder",
            )
    distribution = document.distribution
    if not distribution.header.strip():
        raise DataError(
            f"{name}: distribution.header: is empty",
            "name a header whose absence means that the library is not installed",
        )
    if not distribution.pkg_config and not distribution.libs:
        raise DataError(f"{name}: distribution.libs: is empty, and so is pkg_config", "say how to link the library")
    return Library(
        id=document.id,
        title=document.title,
        homepage=document.homepage,
        licence=document.licence,
        language=document.language,
        sources=document.sources,
        min_version=document.min_version,
        notes=document.notes,
        distribution=distribution,
        not_measured=_reasons(name, document.not_measured, catalogue),
        folder=folder,
    )


def _reasons(name: str, entries: tuple[_NotMeasured, ...], catalogue: Catalogue) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for index, entry in enumerate(entries):
        where = f"{name}: not_measured[{index}]"
        if (entry.op is None) == (entry.ops is None):
            raise DataError(f"{where}: needs either op or ops", '`op = "ALGORITHM/VERB"` or `ops = [...]`')
        if not entry.reason.strip():
            raise DataError(f"{where}.reason: is empty", "say why it is not measured")
        for operation in (entry.op,) if entry.op is not None else entry.ops or ():
            if operation not in catalogue.operations:
                raise DataError(
                    f"{where}: {shown(operation)} is not in the catalogue", nearest(operation, catalogue.operations)
                )
            if operation in reasons:
                raise DataError(f"{where}: {shown(operation)} stands twice", "remove one of them")
            reasons[operation] = entry.reason
    return reasons
