# SPDX-License-Identifier: Apache-2.0
"""`cipherstone list --builds`: every build, what it is there for, and whether it is here; nothing is built to find out."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from cipherstone.build.installed import find_installation, packages_for
from cipherstone.build.toolchain import OPTIMISATION
from cipherstone.build.upstream import build_problem, origin_of, state_of
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.traits import Traits
from cipherstone.cli import environment as env
from cipherstone.cli.tables import show_text
from cipherstone.model.ids import DISTRIBUTION_BUILD, build_label

if TYPE_CHECKING:
    from rich.console import Console


class BuildRow(msgspec.Struct, frozen=True):
    """A build as it is listed. `state`: `ready`, `to build` (at first use), `to fetch` (and to build), `missing`; `problem`: one line if missing."""

    name: str
    library: str
    build: str
    default: bool
    state: str
    problem: str
    packages: tuple[str, ...]
    why: str
    source: str
    compiler: str
    flags: tuple[str, ...]


def build_rows(workshop: Workshop, libraries: Iterable[Library]) -> list[BuildRow]:
    """One row for each build, in the order of the libraries."""
    return [_row(workshop, library, build) for library in libraries for build in library.builds]


def problem_of(workshop: Workshop, library: Library, build: BuildSpec) -> str:
    """One line if the build cannot be made here, else ""."""
    if build.source is not None:
        return build_problem(library, build, workshop.toolchain, workshop.cache)
    return find_installation(library, workshop.toolchain, workshop.system, build).problem


def version_of(workshop: Workshop, library: Library, build: BuildSpec) -> str:
    """The build's version as far as it is known before it is built; "" if not, as of what the user brings."""
    if build.own is not None:
        return ""
    if build.source is not None:
        return build.version or build.source.version
    return find_installation(library, workshop.toolchain, workshop.system, build).version


def traits_of(workshop: Workshop, libraries: Mapping[str, Library]) -> Traits:
    """What the keys `licence` and `upkeep` of a filter mean here."""
    return Traits(libraries, lambda library, build: version_of(workshop, library, build), datetime.now(UTC).date())


def _row(workshop: Workshop, library: Library, build: BuildSpec) -> BuildRow:
    problem = problem_of(workshop, library, build)
    state = "missing" if problem else state_of(library, build, workshop.toolchain, workshop.cache)
    packages = packages_for(library, workshop.system, build)
    own = f"{library.folder.parent.name}/{library.id}"
    distributed = f"package {packages[0]}" if packages else "the system's library"
    return BuildRow(
        name=build_label(library.id, build.variant),
        library=library.id,
        build=build.name,
        default=build.default,
        state=state,
        problem=problem,
        packages=packages if problem else (),
        why=build.why,
        source=origin_of(build) if build.source is not None else distributed if library.distribution else own,
        compiler=shlex.join(library.worker.build or library.worker.run)
        if library.worker is not None
        else (build.cxx or workshop.toolchain.cxx)
        if library.language == "c++"
        else (build.cc or workshop.toolchain.cc),
        flags=()
        if library.worker is not None
        else (*(build.flags or OPTIMISATION), *(f"-D{define}" for define in build.defines)),
    )


def show_builds(rows: list[BuildRow], format_: env.Format, screen: Console) -> None:
    """Prints the builds."""
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(rows)).decode())
        return
    for row in rows:
        screen.print(f"[bold]{row.name}[/bold]  {row.state}{'' if row.default else ', on request'}", highlight=False)
        show_text(row.why, "    ")
        adapter = "adapter: " if row.build == DISTRIBUTION_BUILD and row.flags else ""
        show_text(f"{row.source}; {adapter}{row.compiler} {' '.join(row.flags)}".rstrip(), "    ")
        if row.problem:
            hint = f"; install: {' '.join(row.packages)}" if row.packages else ""
            show_text(f"{row.problem}{hint}", "    ")
    print()
    show_text(
        "ready: measured without further ado; to fetch, to build: from upstream's source at first use, once; "
        "on request: measured with --build NAME, or by a suite that asks for it"
    )
