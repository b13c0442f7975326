# SPDX-License-Identifier: Apache-2.0
"""What `libraries/*/library.toml` and `labs/*/library.toml` say: who a library is, how its adapter is built, what it lacks."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.absences import Absence, Implementation, NotMeasured, absences, check_implementations
from cipherstone.catalogue.advisories import Advisory, check_advisories
from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.builds import (
    BuildFile,
    BuildSpec,
    Distribution,
    Mask,
    check_environment,
    check_masks,
    check_sources,
    distribution_build,
    resolved,
    source_path,
)
from cipherstone.catalogue.deviations import Deviating, KnownDeviation, check_deviations, known_deviations
from cipherstone.catalogue.document import read_toml, shown
from cipherstone.catalogue.sources import Packages, Source, check_upstream
from cipherstone.catalogue.upkeep import Upkeep, check_upkeep
from cipherstone.catalogue.workerspec import WorkerSpec, check_worker
from cipherstone.model.errors import DataError

__all__ = ["BuildSpec", "Distribution", "Library", "Packages", "load_labs", "load_libraries", "load_library"]

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")


class Library(msgspec.Struct, frozen=True):
    """One library, or a laboratory (`lab`): code of our own, measured as a library is. `folder` holds `sources`; `builds` has the distribution's first, if any.

    `language`: of the adapter, `c` or `c++`, which is linked with the C SDK; with `worker`, which needs no SDK, any.

    `absent` gives a reason for each operation of the catalogue that the library, or some of its versions, lacks or hides. `implementations`: what is
    known of those with a name. `judged`: versions whose `deviations` from the vectors are all known. `upstream`: sources that builds are made of; `masks`: processor features that can be switched off. `generated`: sources that are made from a table
    (`kernels`), beside those in the folder.
    """

    id: str
    title: str
    homepage: str
    licence: str
    language: str
    sources: tuple[str, ...]
    min_version: str
    notes: str
    distribution: Distribution | None
    builds: tuple[BuildSpec, ...]
    absent: tuple[Absence, ...]
    implementations: tuple[Implementation, ...]
    folder: Path
    generated: str = ""
    lab: bool = False
    worker: WorkerSpec | None = None
    upstream: tuple[Source, ...] = ()
    masks: Mapping[str, Mask] = {}
    max_version: str = ""
    upkeep: tuple[Upkeep, ...] = ()
    advisories: tuple[Advisory, ...] = ()
    advisories_as_of: datetime.date | None = None
    judged: tuple[str, ...] = ()
    deviations: tuple[KnownDeviation, ...] = ()

    @property
    def not_measured(self) -> Mapping[str, str]:
        """Operation -> why it is in no version."""
        return {one.operation: one.reason for one in self.absent if not one.versions}

    def why_not(self, operation: str, version: str | None = None) -> str:
        """Why `operation` is not in `version` (None: not known); "" if nothing says so."""
        return next((a.reason for a in self.absent if a.operation == operation and a.holds(version)), "")

    def about(self, operation: str, implementation: str, variant: str = "") -> Implementation | None:
        """What is known of a lane: the first entry that speaks of it. `variant`: of its build, "" for the distribution's."""
        return next((one for one in self.implementations if one.covers(operation, implementation, variant)), None)

    def deviating(
        self, version: str, features: Collection[str], catalogue: Catalogue
    ) -> Mapping[str, Deviating] | None:
        """Operation -> how `version` is known to deviate on a processor with `features`; None of a version that is not in `judged`."""
        return known_deviations(self.judged, self.deviations, version, features, catalogue)

    def path_of(self, source: str) -> Path:
        """The file that `sources`, of the library or of a build, name."""
        return source_path(self.folder, source)

    @property
    def source_paths(self) -> tuple[Path, ...]:
        """The adapter's source files."""
        return tuple(map(self.path_of, self.sources))

    @property
    def code_folders(self) -> tuple[Path, ...]:
        """Where the adapter's sources and headers lie: its own folder, then those that it shares with other libraries."""
        named = [*self.sources, *(source for build in self.builds for source in build.sources)]
        shared = dict.fromkeys(source.partition("/")[0] for source in named if source.startswith("_"))
        return (self.folder, *(self.folder.parent / name for name in shared))

    def environment(self, build: BuildSpec) -> dict[str, str]:
        """What workers of a build get of an environment, beside what all get."""
        if self.worker is not None:
            return {**self.worker.env}
        shared = self.distribution.env if self.distribution is not None and build.source is None else {}
        return {**shared, **build.env}

    @property
    def default_builds(self) -> tuple[BuildSpec, ...]:
        """The builds that a plain run measures."""
        return tuple(build for build in self.builds if build.default)


class _LibraryFile(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    title: str
    licence: str
    language: str
    sources: tuple[str, ...]
    notes: str
    homepage: str = ""
    min_version: str = ""
    distribution: Distribution | None = None
    worker: WorkerSpec | None = None
    source: tuple[Source, ...] = ()
    build: tuple[BuildFile, ...] = ()
    mask: dict[str, Mask] = {}
    upkeep: tuple[Upkeep, ...] = ()
    advisory: tuple[Advisory, ...] = ()
    advisories_as_of: datetime.date | None = None
    max_version: str = ""
    generated: Literal["", "kernels"] = ""
    not_measured: tuple[NotMeasured, ...] = ()
    implementation: tuple[Implementation, ...] = ()
    judged: tuple[str, ...] = ()
    deviations: tuple[KnownDeviation, ...] = ()


def load_libraries(
    root: Path, catalogue: Catalogue | None = None, left_out: dict[str, DataError] | None = None
) -> dict[str, Library]:
    """Every library under `root/libraries`, by id in rising order. A folder is a library if it is not empty.

    `left_out` receives the error of each folder that is no readable library, by the folder's name, and the others are returned; without it the first such
    error is raised. Raises DataError.
    """
    folder = root / "libraries"
    if not folder.is_dir():
        raise DataError(f"libraries: {folder} is not a folder", "is the checkout complete?")
    return _load_all(folder, root, catalogue, left_out)


def load_labs(
    root: Path, catalogue: Catalogue | None = None, left_out: dict[str, DataError] | None = None
) -> dict[str, Library]:
    """Every laboratory under `root/labs`, by id in rising order: folders with a library.toml; none if there is no such folder. `left_out`: as of `load_libraries`. Raises DataError."""
    return _load_all(root / "labs", root, catalogue, left_out, "library.toml")


def _load_all(
    folder: Path, root: Path, catalogue: Catalogue | None, left_out: dict[str, DataError] | None, needs: str = "*"
) -> dict[str, Library]:
    if not folder.is_dir():
        return {}
    known = catalogue_at(root) if catalogue is None else catalogue
    libraries = {}
    for child in sorted(folder.iterdir()):
        if not child.is_dir() or child.name[0] in "._" or not any(child.glob(needs)):
            continue
        try:
            libraries[child.name] = load_library(child, known)
        except DataError as error:
            if left_out is None:
                raise
            left_out[child.name] = error
    return libraries


def load_library(folder: Path, catalogue: Catalogue) -> Library:
    """The library, or laboratory, in `folder`. Raises DataError."""
    name = f"{folder.parent.name}/{folder.name}/library.toml"
    document = read_toml(folder / "library.toml", name, _LibraryFile)
    distribution = document.distribution
    if document.id != folder.name or not _ID.match(document.id):
        raise DataError(f"{name}: id: {shown(document.id)} is not the folder's name", f'write `id = "{folder.name}"`')
    lab = folder.parent.name == "labs"
    if lab and (folder.parents[1] / "libraries" / document.id).is_dir():
        raise DataError(f"{name}: id: {shown(document.id)} is a library already", "rename the folder")
    needed = ("title", "licence", "notes", *(() if lab else ("homepage",)), *(("min_version",) if distribution else ()))
    for field in needed:
        if not getattr(document, field).strip():
            raise DataError(f"{name}: {field}: is empty", "see CONTRIBUTING.md, adding a library")
    if not document.sources:
        raise DataError(f"{name}: sources: is empty", "name the source files of the adapter, or of the worker")
    check_sources(f"{name}: sources", folder, document.sources)
    check_worker(name, folder, document.language, document.worker)
    _check_one_way(name, document)
    check_upstream(name, folder, document.source)
    check_masks(name, document.mask)
    check_upkeep(name, document.upkeep)
    check_advisories(name, document.advisory, document.advisories_as_of, catalogue)
    check_deviations(name, document.judged, document.deviations, catalogue)
    builds = resolved(name, folder, document.source, document.build)
    if distribution is not None:
        _check_distribution(name, distribution)
    check_implementations(name, document.implementation, catalogue, [build.variant for build in builds])
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
        builds=(*_plain_build(document), *builds),
        absent=(*absences(name, document.not_measured, catalogue), *_of_laboratories(document.id, catalogue)),
        implementations=document.implementation,
        folder=folder,
        generated=document.generated,
        lab=lab,
        worker=document.worker,
        upstream=document.source,
        masks=document.mask,
        max_version=document.max_version,
        upkeep=document.upkeep,
        advisories=document.advisory,
        advisories_as_of=document.advisories_as_of,
        judged=document.judged,
        deviations=document.deviations,
    )


def _of_laboratories(library: str, catalogue: Catalogue) -> list[Absence]:
    """Operations that only the workers of another laboratory have."""
    return [
        Absence(name, f"measured by the workers of `cipherstone lab {operation.lab}`")
        for name, operation in catalogue.operations.items()
        if operation.lab not in ("", library)
    ]


def _check_one_way(name: str, document: _LibraryFile) -> None:
    """An adapter is linked to builds of a library; a worker of its own brings what it measures itself. Raises DataError."""
    linked = [
        word
        for word, there in (
            ("[distribution]", document.distribution),
            ("[[source]]", document.source),
            ("[[build]]", document.build),
        )
        if there
    ]
    if document.worker is None and not linked:
        raise DataError(
            f"{name}: top level: neither [distribution] nor [[source]], [[build]] or [worker]",
            "say how the library comes to be compiled",
        )
    if document.worker is not None and (linked or document.generated):
        raise DataError(
            f"{name}: top level: {(*linked, 'generated')[0]} beside [worker]",
            "only an adapter that is linked with the C SDK has it",
        )


def _plain_build(document: _LibraryFile) -> tuple[BuildSpec, ...]:
    """The build without a name, if there is one: the distribution's, or that of a worker of its own."""
    if document.worker is not None:
        return (BuildSpec(why="a worker of its own", packages=document.worker.packages, default=True),)
    return (distribution_build(document.distribution),) if document.distribution else ()


def _check_distribution(name: str, distribution: Distribution) -> None:
    if not distribution.header.strip():
        raise DataError(
            f"{name}: distribution.header: is empty",
            "name a header whose absence means that the library is not installed",
        )
    if not distribution.pkg_config and not distribution.libs:
        raise DataError(f"{name}: distribution.libs: is empty, and so is pkg_config", "say how to link the library")
    check_environment(f"{name}: distribution.env", distribution.env)
