# SPDX-License-Identifier: Apache-2.0
"""`[worker]` of a library.toml: a worker in a language without an SDK, which speaks protocol/PROTOCOL.md itself; how it comes to be and how it is started."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from cipherstone.catalogue.builds import check_environment
from cipherstone.catalogue.document import shown
from cipherstone.catalogue.sources import Packages
from cipherstone.model.errors import DataError

LINKED_LANGUAGES = ("c", "c++")  # an adapter that is linked with the C SDK
_LANGUAGE = re.compile(r"[a-z][a-z0-9+#.-]*\Z")
_PROGRAM = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*\Z")


class WorkerSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A worker that is not linked with the C SDK.

    `run`: the words that start it: a program (an interpreter, or a file of its own) and its arguments; a word that names a file of the worker's becomes its
    path. Its files are the sources or, with `build`, what that command leaves below $PREFIX: it runs in a copy of the sources, and `$PREFIX` in its words is
    replaced. `tools`: programs that the build needs beside its own. `packages`: what brings interpreter and tools. `env`: as in `BuildSpec`.
    """

    run: tuple[str, ...]
    build: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    packages: Packages = msgspec.field(default_factory=Packages)
    env: dict[str, str] = {}


def check_worker(name: str, folder: Path, language: str, worker: WorkerSpec | None) -> None:
    """`language` and `[worker]` of a library.toml called `name`. Raises DataError for the first thing that is wrong."""
    if worker is None:
        if language not in LINKED_LANGUAGES:
            raise DataError(
                f"{name}: language: {shown(language)} has no SDK, and there is no [worker]",
                'c or c++ for an adapter; else say how the worker is started: [worker] run = ["python3", "worker.py"]',
            )
        return
    if not _LANGUAGE.match(language):
        raise DataError(f"{name}: language: {shown(language)} is not a name", "lower case, such as python, rust, c#")
    for field, words in (("run", worker.run[:1]), ("build", worker.build[:1]), ("tools", worker.tools)):
        for word in words:
            if not _PROGRAM.match(word) or word.startswith("/") or ".." in Path(word).parts:
                raise DataError(
                    f"{name}: worker.{field}: {shown(word)} is not a program",
                    f"a program by its name, or a file of {folder.parent.name}/{folder.name}",
                )
    if not worker.run:
        raise DataError(f"{name}: worker.run: is empty", 'the words that start it, such as ["python3", "worker.py"]')
    for field, words in (("run", worker.run), ("build", worker.build)):
        for word in words:
            if not word or not word.isprintable():
                raise DataError(f"{name}: worker.{field}: {shown(word)} is not one line of text", "")
    check_environment(f"{name}: worker.env", worker.env)
