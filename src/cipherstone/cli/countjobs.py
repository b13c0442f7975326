# SPDX-License-Identifier: Apache-2.0
"""What is counted on which machines, for `count` and for `run --on`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from cipherstone.build.targets import TARGETS, Target, chosen_targets, missing
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.filter import FILTER_KEYS, Filter
from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.execute.counting.jobs import Job
from cipherstone.model.counts import CountingPlan
from cipherstone.model.errors import CipherstoneError, UsageError
from cipherstone.model.ids import build_label

OnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--on",
        metavar="TARGETS",
        help=f"Machines to count on (a,b or repeated): {', '.join(TARGETS)}; default: all whose compiler and emulator are here, but for masked ones (~).",
    ),
]
AlsoOnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--on",
        metavar="TARGETS",
        help="Count the instructions of the same cases on these machines as well, under emulation (a,b or repeated; see count --on).",
    ),
]
TimeOption = Annotated[
    bool, typer.Option("--time/--no-time", help="Time here, too; --no-time with --on counts instructions alone.")
]


def targets_here(names: Sequence[str], workshop: Workshop) -> list[Target]:
    """Those that are named, or all without a mask that can be reached here. Raises UsageError, and CipherstoneError if there is none."""
    if names:
        return chosen_targets(names)
    lacking = {target.id: missing(target, workshop.toolchain) for target in TARGETS.values() if not target.is_masked}
    found = [TARGETS[name] for name, problem in lacking.items() if not problem]
    if absent := [name for name, problem in lacking.items() if problem]:
        env.say(f"not on {', '.join(absent)}: compiler or emulator are not here (--on says what each needs)")
    if not found:
        raise CipherstoneError(next(iter(lacking.values())), next(iter(TARGETS.values())).said)
    return found


def chosen_builds(
    libraries: Mapping[str, Library],
    selection: Filter | None,
    catalogue: Catalogue,
    asked: frozenset[str],
    strictly: bool = True,
) -> list[tuple[Library, BuildSpec]]:
    """What is counted: of each library that the selection can leave the builds that were asked for or brought, else the first of its sources that builds for other machines; a laboratory only if it is named.

    `strictly`: what was asked for must be built from source; else what is not is measured here alone. Raises UsageError, also where nothing is left.
    """
    unknown = {*FILTER_KEYS, *catalogue.keys} - {"library"}
    chosen = []
    for library in libraries.values():
        if selection is not None and not selection.may_match({"library": library.id}, unknown):
            continue
        named = selection is not None and selection.asks("library", library.id)
        builds = [
            one
            for one in library.builds
            if one.own is not None or {one.name, build_label(library.id, one.name)} & asked
        ]
        if not builds and library.lab and named:
            builds = list(library.default_builds)
        elif not builds and not library.lab and (not asked or named):
            builds = [one for one in library.builds if one.source is not None and one.source.cross][:1]
        for one in builds:
            if one.source is None and not library.lab:
                if not strictly:
                    continue
                raise UsageError(
                    f"--build: {build_label(library.id, one.name)} is not built from source",
                    "the system's libraries are compiled for this machine",
                )
            chosen.append((library, one))
    if not chosen:
        raise UsageError(
            "no library that is selected has a source that is known to build for other machines, to count it there",
            "name a build: --build LIBRARY@SOURCE; `cipherstone list --builds` shows what there is",
        )
    return chosen


def counting_again(plan: CountingPlan | None, libraries: Mapping[str, Library]) -> list[Job]:
    """The jobs that a manifest names. Raises UsageError for a build that is not there any more."""
    if plan is None:
        return []
    pairs = []
    for name in plan.builds:
        library, _, variant = name.partition("@")
        if library not in libraries:
            raise UsageError(f"--resume: the run counts {name}, and there is no library '{library}'", "start a new run")
        pairs.append((libraries[library], build_again(libraries[library], variant)))
    return [Job(target, *pair) for target in chosen_targets(plan.targets) for pair in pairs]


def build_again(library: Library, variant: str) -> BuildSpec:
    """A build of a run by its name, put together anew where it was. Raises UsageError where it was one of the user's own, which a name does not bring back."""
    known = {one.variant: one for one in library.builds}
    try:
        return known.get(variant) or composed(library, variant)
    except UsageError:
        what = build_label(library.id, variant)
        raise UsageError(
            f"--resume: the run measured {what}, which was brought to it", f"bring it again: --library {what}=WHERE"
        ) from None
