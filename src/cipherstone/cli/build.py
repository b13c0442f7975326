# SPDX-License-Identifier: Apache-2.0
"""`cipherstone build`: upstream's sources fetched and built ahead of a run, side by side as far as memory reaches; one that fails stops no other."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

import msgspec
import typer

from cipherstone.build.upstream import LOG, build_problem, is_built, prefix_of, prepare, recipe_of
from cipherstone.build.workers import build_worker
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.cli.console import console
from cipherstone.cli.known_libraries import known_libraries
from cipherstone.cli.plan_lines import source_cost
from cipherstone.cli.selection import with_builds
from cipherstone.cli.tables import show_table, show_text
from cipherstone.cli.user_library import with_brought
from cipherstone.model.errors import BuildError, ExitCode, UsageError, nearest
from cipherstone.model.ids import build_label
from cipherstone.model.units import counted
from cipherstone.report.render.screen_table import ScreenColumn


class Made(msgspec.Struct, frozen=True):
    """One build. `state`: `built` now, `ready` before, `missing` (a tool, a compiler) or `failed`; `problem`: one line then. `wall_s`, `cpu_s`, `disk_mib`: what its recipe took, once."""

    name: str
    state: str
    problem: str = ""
    wall_s: float | None = None
    cpu_s: float | None = None
    disk_mib: float | None = None
    log: str = ""


def build(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Libraries (all their sources), or builds such as openssl@4.0+clang16; default: all sources."
        ),
    ] = None,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be built, and what it is known to take.")
    ] = False,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Build libraries from upstream's pinned sources, once; what is built already is left as it is."""
    workshop = env.workshop(cache)
    chosen = _chosen(names or [], known_libraries(workshop.root))
    if not chosen:
        raise UsageError("build: nothing to build", "`cipherstone list --builds` shows what there is")
    missing = [pair for pair in chosen if not is_built(*pair, workshop.toolchain, workshop.cache)]
    env.say(_expectation(missing, len(chosen)))
    if dry:
        made = [_planned(workshop, library, one) for library, one in chosen]
    else:
        with ThreadPoolExecutor(2) as threads:
            made = list(threads.map(lambda pair: make_build(workshop, *pair), chosen))
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(made)).decode())
    else:
        _show(made)
    if any(one.state in ("failed", "missing") for one in made) and not dry:
        sys.exit(ExitCode.FAILURE)


def _chosen(names: Sequence[str], libraries: dict[str, Library]) -> list[tuple[Library, BuildSpec]]:
    """What the names mean, each build once, in the order of the libraries. Raises UsageError."""
    if not names:
        return [
            (library, one)
            for library in libraries.values()
            for one in library.builds
            if one.source is not None and not one.source.tarball and one.variant == one.source.name
        ]
    wanted: set[str] = set()
    for name in names:
        if "=" in name:
            (called,), libraries = _one_brought(name, libraries)
            wanted |= {build_label(called, one.variant) for one in libraries[called].builds if one.own is not None}
        elif name in libraries:
            found = [build_label(name, one.variant) for one in libraries[name].builds if one.source is not None]
            if not found:
                raise UsageError(f"build: {name} has no [[source]]", "it is measured as the system ships it")
            wanted |= {*found}
        else:
            libraries, asked = with_builds("build", [name], libraries)
            wanted |= asked
    chosen = [
        (library, one)
        for library in libraries.values()
        for one in library.builds
        if {build_label(library.id, one.name), one.name} & wanted
    ]
    for library, one in chosen:
        if one.source is None and one.own is None:
            raise UsageError(
                f"build: {build_label(library.id, one.name)} is not built from source", nearest(library.id, ())
            )
    return chosen


def _one_brought(name: str, libraries: dict[str, Library]) -> tuple[list[str], dict[str, Library]]:
    names, changed = with_brought([name], libraries)
    return names or [], changed


def _expectation(missing: Sequence[tuple[Library, BuildSpec]], total: int) -> str:
    """What is to be built, and what that took where it was tried."""
    if not missing:
        return f"all {counted(total, 'build')} are there"
    return f"to build: {len(missing)} of {counted(total, 'build')}{source_cost(one for _, one in missing)}"


def _planned(workshop: Workshop, library: Library, one: BuildSpec) -> Made:
    name = build_label(library.id, one.variant)
    problem = build_problem(library, one, workshop.toolchain, workshop.cache)
    if problem:
        return Made(name, "missing", problem)
    if is_built(library, one, workshop.toolchain, workshop.cache):
        return _with_recipe(workshop, library, one, Made(name, "ready"))
    source = one.source
    return Made(
        name,
        "to build",
        "",
        None,
        float(source.cpu_s) if source and source.cpu_s else None,
        float(source.disk_mib) if source and source.disk_mib else None,
    )


def make_build(workshop: Workshop, library: Library, one: BuildSpec) -> Made:
    """Builds one, unless it is built already; what goes wrong is said, and stands in `problem`."""
    name = build_label(library.id, one.variant)
    before = is_built(library, one, workshop.toolchain, workshop.cache)
    began = time.monotonic()
    try:
        installation = prepare(library, one, workshop.toolchain, workshop.system, workshop.cache, env.say)
        if installation.problem:
            return Made(name, "missing", installation.problem)
        build_worker(workshop.job(library, installation, one))
    except BuildError as error:
        env.say(f"{name}: {error.message}" + (f" ({error.hint})" if error.hint else ""))
        return Made(name, "failed", error.message, time.monotonic() - began, log=error.hint)
    return _with_recipe(workshop, library, one, Made(name, "ready" if before or one.source is None else "built"))


def _with_recipe(workshop: Workshop, library: Library, one: BuildSpec, made: Made) -> Made:
    took = recipe_of(library, one, workshop.toolchain, workshop.cache) if one.source is not None else None
    if took is None:
        return made
    log = prefix_of(library, one, workshop.toolchain, workshop.cache) / LOG
    return msgspec.structs.replace(made, wall_s=took.wall_s, cpu_s=took.cpu_s, disk_mib=took.disk_mib, log=str(log))


def _show(made: Sequence[Made]) -> None:
    def number(value: float | None, unit: str) -> str:
        return "-" if value is None else f"{value:.0f} {unit}"

    rows = [
        (one.name, one.state, number(one.wall_s, "s"), number(one.cpu_s, "s"), number(one.disk_mib, "MiB"))
        for one in made
    ]
    heads = (
        ScreenColumn("build", words=True),
        ScreenColumn("state", words=True),
        ScreenColumn("wall"),
        ScreenColumn("CPU"),
        ScreenColumn("disk"),
    )
    show_table(list(heads), rows)
    for one in made:
        if one.problem:
            show_text(f"{one.name}: {one.problem}", "", "  ")
    done = sum(one.state in ("built", "ready") for one in made)
    console().print(f"{done} of {counted(len(made), 'build')} there", highlight=False)
