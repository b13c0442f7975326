# SPDX-License-Identifier: Apache-2.0
"""Workers in languages without an SDK: a script and its interpreter, or what a command builds; kept, like linked ones, under a name made of all that goes in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import msgspec

from cipherstone.build.cache import digest_of, file_digest, kept, publish, scratch_beside
from cipherstone.build.sandbox import SandboxFolders, run_confined
from cipherstone.build.toolchain import COMPILE_TIMEOUT_S, program_version, telling
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.workerspec import WorkerSpec
from cipherstone.model.errors import BuildError

PREFIX = "$PREFIX"


class OwnWorker(msgspec.Struct, frozen=True):
    """A worker that is ready. `command` starts it; `digest`: SHA-256 prefix of all that runs, the interpreter with it; `fresh`: made just now."""

    command: tuple[str, ...]
    digest: str
    fresh: bool


def worker_problem(library: Library) -> str:
    """One line if a program is not here that starts or builds the worker; "" if all are, or it needs none."""
    missing = [word for word in _programs(library) if shutil.which(word) is None]
    return f"no {missing[0]}, which its worker needs" if missing else ""


def worker_origin(library: Library) -> str:
    """What the worker is made of, in one line: its folder, and the version of the program that runs or builds it."""
    versions = [program_version(word) for word in _programs(library)[:1]]
    return ", ".join((f"sources in {library.folder.parent.name}/{library.id}", *filter(None, versions)))


def language_worker_folder(library: Library, cache: Path) -> Path:
    """Where the worker's files are kept, made or not: a path that names all that they are made of."""
    spec = _spec(library)
    programs = [path for path in map(shutil.which, _programs(library)) if path is not None]
    key = digest_of(
        [
            *((source, library.folder / source) for source in library.sources),
            *((Path(path).name, Path(path).resolve()) for path in programs),
        ],
        [*spec.run, "", *spec.build, "", *(program_version(word) or "" for word in _programs(library))],
    )
    return cache / "workers" / f"{library.id}-{key}"


def build_language_worker(library: Library, cache: Path) -> OwnWorker:
    """Makes (or finds in the cache) a library's own worker. Raises BuildError with the build's last lines."""
    spec = _spec(library)
    if problem := worker_problem(library):
        raise BuildError(f"{library.id}: {problem}", "see [worker] of its library.toml")
    target = language_worker_folder(library, cache)
    for compiled in target.rglob("__pycache__"):  # an interpreter's own, which no seal holds
        shutil.rmtree(compiled, ignore_errors=True)
    fresh = not kept(target)
    if fresh:
        with scratch_beside(target.parent) as scratch:
            tree, prefix = scratch / "source", scratch / "prefix"
            _copy(library, tree)
            if spec.build:
                prefix.mkdir()
                _run_build(library.id, spec, tree, prefix)
            publish(prefix if spec.build else tree, target)
    command = _command(library, spec, target)
    files = [(str(path.relative_to(target)), path) for path in sorted(target.rglob("*")) if _counts(path)]
    program = Path(command[0]).resolve()
    outside = [] if program.is_relative_to(target.resolve()) else [(program.name, program)]
    return OwnWorker(command, digest_of([*files, *outside], spec.run)[: len(file_digest(program))], fresh)


def _spec(library: Library) -> WorkerSpec:
    if library.worker is None:
        raise ValueError(f"{library.id} has no [worker]")
    return library.worker


def _programs(library: Library) -> tuple[str, ...]:
    """The programs of the system that start or build it, each once, the one that it is built or run by first."""
    spec = _spec(library)
    own = set(library.sources)
    # Without a build the first word of `run` is a source or a program; with one it may be what is built, which is no program yet.
    starts = spec.run[:1] if not spec.build or shutil.which(spec.run[0]) else ()
    return tuple(dict.fromkeys(word for word in (*spec.build[:1], *starts, *spec.tools) if word not in own))


def _copy(library: Library, tree: Path) -> None:
    for source in library.sources:
        (tree / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library.folder / source, tree / source)


def _run_build(name: str, spec: WorkerSpec, tree: Path, prefix: Path) -> None:
    words = [word.replace(PREFIX, str(prefix)) for word in spec.build]
    if (tree / words[0]).is_file():
        words[0] = str(tree / words[0])
    log = prefix.parent / "log"  # No date of building in what is built: the same recipe gives the same worker.
    settings = {"PREFIX": str(prefix), "SOURCE_DATE_EPOCH": "1"}
    what = f"{name}: building its worker"
    hint = "see [worker] of its library.toml"
    with log.open("w+b") as output:
        try:
            status = run_confined(words, SandboxFolders(tree, prefix.parent), settings, output, COMPILE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise BuildError(f"{what}: '{words[0]}' did not end within {COMPILE_TIMEOUT_S} s", hint) from None
        output.seek(0)
        lines = [line for line in output.read().decode(errors="replace").splitlines() if line.strip()]
    if status != 0:
        said = f"{what}: {words[0]} ended with status {status}: {telling(lines)[:200]}"
        raise BuildError(said, hint, "\n".join(lines[-20:]))


def _counts(path: Path) -> bool:
    """Whether a file is part of what runs: an interpreter's own cache, which it writes when it likes, is not."""
    return path.is_file() and "__pycache__" not in path.parts


def _command(library: Library, spec: WorkerSpec, folder: Path) -> tuple[str, ...]:
    """The words that start it: its files by their paths, its interpreter by the path that the system gives it."""
    words = [str(folder / word) if (folder / word).exists() else word for word in spec.run]
    if not (folder / words[0]).is_file():
        program = shutil.which(spec.run[0])
        if program is None:
            raise BuildError(
                f"{library.id}: worker.run: '{spec.run[0]}' is neither a program nor one of its files",
                f"its files: {', '.join(sorted(path.name for path in folder.iterdir())[:6])}",
            )
        words[0] = str(Path(program).absolute())
    return tuple(words)
