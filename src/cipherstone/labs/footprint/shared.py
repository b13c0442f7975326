# SPDX-License-Identifier: Apache-2.0
"""Shared libraries as they are installed: those that the workers of `libraries/` and of the laboratory of TLS are linked with, found by the words that link them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.installed import find_installation
from cipherstone.build.toolchain import Toolchain
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.cli.known_libraries import known_libraries, known_with_labs
from cipherstone.labs.footprint.elf import read_executable
from cipherstone.labs.footprint.results import Shared
from cipherstone.model.errors import DataError

_TLS, _UNKNOWN = "tls", "unknown"
# Of the compiler and of the C library, which every program has.
NO_PACKAGE = "no package here has it; built from source it is linked as an archive"
NOT_SHARED = "the workers here are linked with an archive of it"
_EVERYWHERE = {"c", "dl", "gcc_s", "m", "pthread", "rt", "stdc++"}


def shared_libraries(workshop: Workshop, catalogue: Catalogue, only: Sequence[str] = ()) -> tuple[Shared, ...]:
    """By library in rising order, each file once; libraries that are not installed have a reason, those that are nowhere linked dynamically are not here unless `only` names them, with the reason. `only`: these libraries; all if empty."""
    found: dict[tuple[str, str], Shared] = {}
    problems: dict[str, str] = {}
    for name, library, build in _linked(workshop, catalogue):
        if only and name not in only:
            continue
        installed = find_installation(library, workshop.toolchain, workshop.system, build)
        if installed.problem:
            problems.setdefault(name, installed.problem)
        for path in _files(installed.libs, workshop.toolchain):
            if (name, path.name) not in found and (one := _shared(name, installed.version, path)) is not None:
                found[name, path.name] = one
    # Where a word alone links a library nothing tells its version; another file of it may.
    versions = {one.library: one.version for one in found.values() if one.version not in ("", _UNKNOWN)}
    for key, one in found.items():
        if one.version == _UNKNOWN:
            found[key] = msgspec.structs.replace(one, version=versions.get(one.library, ""))
    here = {name for name, _ in found}
    known = known_libraries(workshop.root)
    for name in only:
        problems.setdefault(name, NO_PACKAGE if name in known and known[name].distribution is None else NOT_SHARED)
    missing = [Shared(library=name, problem=said) for name, said in problems.items() if name not in here]
    return tuple(sorted([*found.values(), *missing], key=lambda one: (one.library, one.name)))


def _linked(workshop: Workshop, catalogue: Catalogue) -> Iterator[tuple[str, Library, BuildSpec | None]]:
    """(name, library, its build) of what is linked with the distribution's libraries."""
    for library in known_libraries(workshop.root).values():
        if library.distribution is not None:
            yield library.id, library, None
    tls = known_with_labs(workshop.root).get(_TLS)
    for build in tls.builds if tls is not None else ():
        if build.source is None and build.default:
            assert tls is not None
            yield build.variant, tls, build


def _files(words: Sequence[str], toolchain: Toolchain) -> Iterator[Path]:
    """The shared libraries that the linker takes for these words."""
    folders = [Path(word[2:]) for word in words if word.startswith("-L")]
    for word in words:
        if not word.startswith("-l") or word[2:] in _EVERYWHERE:
            continue
        name = f"lib{word[2:]}.so"
        places = [folder / name for folder in folders if (folder / name).is_file()]
        path = places[0] if places else _of_compiler(name, toolchain)
        if path is not None and path.is_file():
            yield path.resolve()


def _of_compiler(name: str, toolchain: Toolchain) -> Path | None:
    try:
        done = subprocess.run(
            [toolchain.cc, f"-print-file-name={name}"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    said = done.stdout.strip()
    return Path(said) if done.returncode == 0 and said != name else None


def _shared(library: str, version: str, path: Path) -> Shared | None:
    """None for what is no ELF file: a text for the linker."""
    try:
        read = read_executable(path)
    except DataError:
        return None
    return Shared(
        library=library,
        name=path.name,
        version=version,
        sizes=read.sizes,
        stripped_bytes=_stripped(path),
        needed=read.needed,
    )


def _stripped(path: Path) -> int | None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "stripped"
        try:
            done = subprocess.run(["strip", "--strip-unneeded", "-o", str(out), str(path)], capture_output=True, timeout=60, check=False)  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return None
        return out.stat().st_size if done.returncode == 0 else None
