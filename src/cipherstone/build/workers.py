# SPDX-License-Identifier: Apache-2.0
"""Worker executables: the SDK and an adapter, compiled with one toolchain, linked to one library, cached by the content of all that goes in."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.installed import Installation
from cipherstone.build.toolchain import OPTIMISATION, Toolchain, run_tool
from cipherstone.catalogue.libraries import Library
from cipherstone.model.errors import BuildError

WARNINGS = ("-Wall", "-Wextra", "-Wshadow")
C_STANDARD = ("-std=c11", "-D_GNU_SOURCE")
CXX_STANDARD = ("-std=c++17",)


class WorkerExecutable(msgspec.Struct, frozen=True):
    """A built worker. `digest`: SHA-256 prefix of the executable; `flags`: how its sources were compiled; `fresh`: compiled just now."""

    library: str
    path: Path
    digest: str
    flags: str
    installation: Installation
    fresh: bool = False


def build_worker(
    library: Library, installation: Installation, toolchain: Toolchain, root: Path, cache: Path
) -> WorkerExecutable:
    """Builds (or finds in the cache) the worker of an installed library. Raises BuildError with the compiler's message."""
    cxx = library.language == "c++"
    if toolchain.cc_version is None:
        raise BuildError(
            f"{library.id}: no C compiler ('{toolchain.cc}' does not run)", "install one, or name one with CC="
        )
    if cxx and toolchain.cxx_version is None:
        raise BuildError(
            f"{library.id}: no C++ compiler ('{toolchain.cxx}' does not run)", "install one, or name one with CXX="
        )
    folder = root / "libraries" / library.id
    sources = [folder / name for name in library.sources]
    flags = " ".join((*OPTIMISATION, *installation.cflags))
    version_define = f'-DCS_PACKAGE_VERSION="{installation.version}"'
    key = _digest(
        [
            *_sdk_sources(root),
            *_headers(root),
            *sorted(p for p in folder.iterdir() if p.suffix in (".c", ".h", ".cpp", ".hpp")),
        ],
        [flags, version_define, *installation.libs, toolchain.cc_version or "", toolchain.cxx_version or "", *WARNINGS],
    )
    target = cache / "workers" / f"{library.id}-{key}" / f"cs-{library.id}"
    if target.is_file():
        return WorkerExecutable(library.id, target, file_digest(target), flags, installation)
    objects = sdk_objects(toolchain, root, cache, flags)
    with _scratch(target.parent) as scratch:
        includes = ["-I", str(root / "sdk/c/include"), "-I", str(folder)]
        compiler, standard = (toolchain.cxx, CXX_STANDARD) if cxx else (toolchain.cc, C_STANDARD)
        built = []
        for source in sources:
            output = scratch / (source.stem + ".o")
            command = [
                compiler,
                *standard,
                *OPTIMISATION,
                *WARNINGS,
                *includes,
                *installation.cflags,
                version_define,
                "-c",
                str(source),
                "-o",
                str(output),
            ]
            run_tool(command, f"{library.id}: compiling {source.name}")
            built.append(str(output))
        executable = scratch / target.name
        run_tool(
            [compiler, "-o", str(executable), *built, *map(str, objects), *installation.libs, "-lpthread"],
            f"{library.id}: linking",
        )
        _publish(executable, target)
    return WorkerExecutable(library.id, target, file_digest(target), flags, installation, fresh=True)


def sdk_objects(toolchain: Toolchain, root: Path, cache: Path, worker_flags: str) -> list[Path]:
    """The SDK's objects, compiled by the C compiler that the worker is built with; `worker_flags` is what `hello` reports as flags."""
    sources = _sdk_sources(root)
    stamp = [f'-DCS_COMPILER="{(toolchain.cc_version or "")[:120]}"', f'-DCS_FLAGS="{worker_flags[:200]}"']
    key = _digest([*sources, *_headers(root)], [toolchain.cc_version or "", *OPTIMISATION, *WARNINGS, *stamp])
    folder = cache / "sdk" / key
    wanted = [folder / (source.stem + ".o") for source in sources]
    if all(path.is_file() for path in wanted):
        return wanted
    with _scratch(folder) as scratch:
        for source, target in zip(sources, wanted, strict=True):
            output = scratch / target.name
            run_tool(
                [
                    toolchain.cc,
                    *C_STANDARD,
                    *OPTIMISATION,
                    *WARNINGS,
                    *stamp,
                    "-I",
                    str(root / "sdk/c/include"),
                    "-c",
                    str(source),
                    "-o",
                    str(output),
                ],
                f"SDK: compiling {source.name}",
            )
            _publish(output, target)
    return wanted


def heap_preload(toolchain: Toolchain, root: Path, cache: Path) -> Path | None:
    """The shared object that counts heap use by LD_PRELOAD, or None where it cannot be built (another C library than glibc)."""
    source = root / "sdk/c/preload/heap_preload.c"
    if not source.is_file() or toolchain.cc_version is None:
        return None
    target = cache / "preload" / _digest([source], [toolchain.cc_version]) / "libcsheap.so"
    if target.is_file():
        return target
    try:
        with _scratch(target.parent) as scratch:
            output = scratch / target.name
            run_tool(
                [
                    toolchain.cc,
                    "-std=c11",  # it asks for the extensions itself
                    *OPTIMISATION,
                    "-shared",
                    "-fPIC",
                    "-I",
                    str(root / "sdk/c/include"),
                    str(source),
                    "-o",
                    str(output),
                    "-lpthread",
                ],
                "heap counter: compiling",
            )
            _publish(output, target)
    except BuildError:
        return None
    return target


def _sdk_sources(root: Path) -> list[Path]:
    sources = sorted((root / "sdk/c/src").glob("*.c"))
    if not sources:
        raise BuildError(f"SDK: no sources in {root / 'sdk/c/src'}", "is this a whole checkout?")
    return sources


def _headers(root: Path) -> list[Path]:
    return sorted([*(root / "sdk/c/include").glob("*.h"), *(root / "sdk/c/src").glob("*.h")])


def _digest(files: Iterable[Path], words: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for path in files:
        data = path.read_bytes()
        digest.update(f"{path.name}:{len(data)}:".encode() + data)
    digest.update("\0".join(words).encode())
    return digest.hexdigest()[:24]


def file_digest(path: Path) -> str:
    """SHA-256 prefix of a file, as `Build.worker_hash` holds it. Raises OSError."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


class _scratch:  # noqa: N801 - reads as a verb in `with`
    """A temporary folder beside the target (same file system, so that publishing is a rename)."""

    def __init__(self, beside: Path) -> None:
        self._beside = beside

    def __enter__(self) -> Path:
        try:
            self._beside.mkdir(parents=True, exist_ok=True)
            self._path = Path(tempfile.mkdtemp(prefix=".build-", dir=self._beside))
        except OSError as error:
            raise BuildError(
                f"build cache: {self._beside}: {error.strerror}", "choose another with --cache, or free some space"
            ) from None
        return self._path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._path, ignore_errors=True)


def _publish(built: Path, target: Path) -> None:
    try:
        built.replace(target)
    except OSError as error:
        raise BuildError(
            f"build cache: {target}: {error.strerror}", "choose another with --cache, or free some space"
        ) from None
