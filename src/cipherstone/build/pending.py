# SPDX-License-Identifier: Apache-2.0
"""What a run will have to build before it can measure; nothing is built to find out."""

from __future__ import annotations

from collections.abc import Iterable

from cipherstone.build.installed import Installation, find_installation
from cipherstone.build.upstream import build_problem, is_built, prepare
from cipherstone.build.workers import worker_path
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.model.errors import BuildError
from cipherstone.model.ids import build_label


def to_build(workshop: Workshop, libraries: Iterable[Library]) -> tuple[list[str], list[str]]:
    """(names of builds whose worker is to be compiled, names of those that are made from upstream's source before that). What is not installed is in neither."""
    workers: list[str] = []
    upstream: list[str] = []
    for library in libraries:
        for build in library.builds:
            name = build_label(library.id, build.variant)
            if build.source is not None and not is_built(library, build, workshop.toolchain, workshop.cache):
                if not build_problem(library, build, workshop.toolchain, workshop.cache):
                    upstream.append(name)
            elif not _is_there(workshop, library, build):
                workers.append(name)
    return workers, upstream


def _is_there(workshop: Workshop, library: Library, build: BuildSpec) -> bool:
    """Whether the worker is in the cache, or cannot be built at all."""
    try:
        installation = _installed(workshop, library, build)
        if installation.problem:
            return True
        return worker_path(workshop.job(library, installation, build)).exists()
    except (BuildError, OSError):
        return True  # the survey says what is wrong with it


def _installed(workshop: Workshop, library: Library, build: BuildSpec) -> Installation:
    if build.source is None:
        return find_installation(library, workshop.toolchain, workshop.system, build)
    return prepare(library, build, workshop.toolchain, workshop.system, workshop.cache, lambda _: None)
