# SPDX-License-Identifier: Apache-2.0
"""Where a library was loaded from, and what may have been meant instead: one line each, so that nothing else is measured without a word."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cipherstone.model.records import CodeObject

if TYPE_CHECKING:
    from cipherstone.execute.survey import Found

PATH_VARIABLE = "LD_LIBRARY_PATH"


def remarks(found: Found, caller: Mapping[str, str]) -> Iterator[str]:
    """What is remarkable about the objects of a build that is ready. `caller`: the environment of the caller, of which nothing is passed on."""
    if found.build is None:
        return
    own = found.build.environment.get(PATH_VARIABLE, "")
    for one in found.build.objects:
        if one.role == "library":
            yield from _passed_over(found, one, own, caller.get(PATH_VARIABLE, ""))
            yield from _not_linked(found, one)


def _passed_over(found: Found, one: CodeObject, own: str, callers: str) -> Iterator[str]:
    """A folder that the build's environment, or the caller's, names first and that has a library of this name which was not loaded."""
    for text, why in (
        (
            own,
            f"{PATH_VARIABLE} of its environment names it first, and the loader passed it over: damaged, or for another machine",
        ),
        (callers, f"{PATH_VARIABLE} of the caller is not passed to workers: set it for a build with [build.env]"),
    ):
        for folder in filter(None, text.split(os.pathsep)):
            other = _same_name(Path(folder), one)
            if other is None:
                continue
            if not other.samefile(one.path):
                yield f"{found.name}: {other} is not what is measured, but {one.path} ({why})"
            break  # the loader takes the first, and so does this


def _same_name(folder: Path, one: CodeObject) -> Path | None:
    """The file in `folder` that the loader would try for this object: of its name, or of the name before its last numbers."""
    names = [one.name]
    while names[-1].rpartition(".so")[2].count(".") > 1:
        names.append(names[-1].rpartition(".")[0])
    return next((folder / name for name in names if (folder / name).is_file() and Path(one.path).is_file()), None)


def _not_linked(found: Found, one: CodeObject) -> Iterator[str]:
    """The linker took one file and the loader another of the same name."""
    stem, loaded = one.name.partition(".so")[0], Path(one.path)
    for path in map(Path, found.linked):
        same_name = path.name.partition(".so")[0] == stem
        if same_name and path.exists() and loaded.exists() and not path.samefile(loaded):
            yield f"{found.name}: linked with {path}, but {loaded} is what was loaded and is measured"
