# SPDX-License-Identifier: Apache-2.0
"""A library that the user built: a prefix, a build tree, a shared library or an archive; found, looked at, and linked by its full path, so that no other of its name is taken."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cipherstone.build.installed import Installation, find_installation
from cipherstone.build.systems import System
from cipherstone.build.toolchain import Toolchain
from cipherstone.catalogue.builds import BuildSpec, OwnBuild
from cipherstone.catalogue.libraries import Library
from cipherstone.model.errors import BuildError
from cipherstone.model.later import Later

if TYPE_CHECKING:
    from elftools.common import exceptions
    from elftools.elf import elffile
else:
    exceptions, elffile = Later("elftools.common.exceptions"), Later("elftools.elf.elffile")

# Where prefixes and build trees keep libraries; a build tree's are looked for before they are installed.
FOLDERS = (
    "lib",
    "lib64",
    ".",
    ".libs",
    "lib/.libs",
    "src/.libs",
    "src/libsodium/.libs",
    "library",
    "build",
    "build/library",
    "build/lib",
)
_LIBRARY_FILE = re.compile(r".*\.(so(\.[0-9.]+)?|a|dylib)\Z")
_ELF_NAMES = {
    "EM_X86_64": "x86_64",
    "EM_AARCH64": "aarch64",
    "EM_386": "i686",
    "EM_ARM": "armv7l",
    "EM_RISCV": "riscv64",
}


def is_library_file(path: Path) -> bool:
    """Whether it is called like a shared library or an archive of objects."""
    return _LIBRARY_FILE.match(path.name) is not None


def find_brought(
    library: Library, build: BuildSpec, own: OwnBuild, toolchain: Toolchain, system: System | None
) -> Installation:
    """What compiling against it takes. Raises BuildError with one line: nothing there, another architecture, no headers."""
    if library.distribution is None:
        raise BuildError(
            f"{own.path}: {library.id} has no [distribution] that says how it is linked", "see library.toml"
        )
    place = Path(own.path)
    # Of a library in several files each is found by its own name beside the one that was named.
    wanted = [word[2:] for word in library.distribution.libs if word.startswith("-l")]
    files = [_find(library, place, name) for name in wanted]
    mine = [file for file in files if file is not None]
    if not mine:
        raise BuildError(
            f"{own.path}: no lib{wanted[0]}.so and no lib{wanted[0]}.a in it",
            "name a prefix, a build tree, a shared library or an archive",
        )
    for file in mine:
        _need_architecture(file)
    others = [f"-l{name}" for name, file in zip(wanted, files, strict=True) if file is None]
    rest = [word for word in library.distribution.libs if not word.startswith("-l")]
    paths = [f"-Wl,-rpath,{file.parent}" for file in mine if not file.name.endswith(".a")]
    defines = tuple(f"-D{define}" for define in (*library.distribution.defines, *build.defines))
    includes = _headers(place, mine[0], library.distribution.header)
    version = ""
    if not includes:
        there = find_installation(library, toolchain, system)
        if there.problem:
            raise BuildError(
                f"{own.path}: no {library.distribution.header} in it, nor on the system", "name a prefix with include/"
            )
        version, defines = there.version, (*defines, *there.cflags)
    return Installation(
        version="unknown",
        cflags=tuple(dict.fromkeys(defines)),
        libs=tuple(map(str, dict.fromkeys((*map(str, mine), *paths, *others, *rest, *build.libs, *_needed(mine))))),
        includes=tuple(map(str, includes)),
        origin=own.path,
        headers_of=version,
        mapped=tuple(str(file) for file in mine if not file.name.endswith(".a")),
    )


def _needed(files: list[Path]) -> list[str]:
    """What archives of any library may call of the system."""
    return ["-ldl", "-lpthread", "-lm"] if any(file.name.endswith(".a") for file in files) else []


def _find(library: Library, place: Path, name: str) -> Path | None:
    """The file of `-lNAME` in or beside what was named, links resolved."""
    if place.is_file():
        if place.name.startswith(f"lib{name}."):
            return place.resolve()
        suffixes = (".a",) if place.name.endswith(".a") else (".so", ".dylib")
        return next(_first(place.parent, name, suffixes), None)
    return next((found for folder in _folders(place) for found in _first(folder, name, (".so", ".dylib", ".a"))), None)


def _folders(place: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        if (place / folder).is_dir():
            yield place / folder
    yield from sorted(path for path in (place / "lib").glob("*-linux-*") if path.is_dir())


def _first(folder: Path, name: str, suffixes: tuple[str, ...]) -> Iterator[Path]:
    for suffix in suffixes:
        if (folder / f"lib{name}{suffix}").is_file():
            yield (folder / f"lib{name}{suffix}").resolve()


def _headers(place: Path, file: Path, header: str) -> list[Path]:
    """Folders of headers in a prefix or tree, or above a library that was named; empty if there is none."""
    above = [place] if place.is_dir() else [*file.parents][:4]
    for folder in above:
        for candidate in ("include", "inc", "src/libsodium/include", "src", "."):
            if (folder / candidate / header).is_file():
                # Some trees keep what their build generated apart.
                more = [folder / "build" / "include"]
                return [folder / candidate, *(one for one in more if one.is_dir())]
        if folder == Path("/usr"):
            break
    return []


def _need_architecture(file: Path) -> None:
    if file.name.endswith(".a"):
        return  # the linker tells of the objects in it
    try:
        with file.open("rb") as content:
            machine = elffile.ELFFile(content)["e_machine"]
    except (OSError, exceptions.ELFError) as error:
        raise BuildError(f"{file}: is not a shared library: {error}", "was it built?") from None
    name = _ELF_NAMES.get(machine, str(machine))
    if name != platform.machine():
        raise BuildError(f"{file}: is for {name}, this machine is {platform.machine()}", "build it for this machine")
