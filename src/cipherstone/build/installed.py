# SPDX-License-Identifier: Apache-2.0
"""Is a library installed here, in which version, and how does one compile and link against it?"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence

import msgspec

from cipherstone.build import zig
from cipherstone.build.language_workers import worker_origin, worker_problem
from cipherstone.build.systems import System, package_version
from cipherstone.build.toolchain import NARROW, Toolchain, is_zig, narrow_problem, toolchain_of
from cipherstone.catalogue.builds import BuildSpec, Distribution
from cipherstone.catalogue.libraries import Library


class Installation(msgspec.Struct, frozen=True):
    """What compiling against a library takes. `problem` is "" or one line on why it cannot be used; the rest is then empty.

    `headers_of`: the version that the library must have, because the system's headers of that version stand in for its own. `mapped`: shared libraries that its
    workers must map. `includes`: header folders of a private build, which say nothing about how code was compiled. `origin`: where it is from, if not from `package`.
    """

    version: str = ""
    cflags: tuple[str, ...] = ()
    libs: tuple[str, ...] = ()
    package: str = ""
    problem: str = ""
    includes: tuple[str, ...] = ()
    origin: str = ""
    headers_of: str = ""
    mapped: tuple[str, ...] = ()


def packages_for(library: Library, system: System | None, build: BuildSpec | None = None) -> tuple[str, ...]:
    """The packages that bring a build (the library's first, if None) on this system; empty if the system has none."""
    build = build or library.builds[0]
    wanted = [build.packages]
    if build.variant and build.source is None and library.distribution is not None:
        wanted.insert(0, library.distribution.packages)
    return tuple(dict.fromkeys(name for one in wanted for name in (getattr(one, system.key) if system else ())))


def find_installation(
    library: Library, toolchain: Toolchain, system: System | None, build: BuildSpec | None = None
) -> Installation:
    """What a build (the library's first, if None) that needs nothing built before takes: the distribution's library, our own sources, or a worker's own programs.

    Asks pkg-config where it knows the library, else the compiler whether the header is there.
    """
    build = build or library.builds[0]
    if library.worker is not None:
        if problem := worker_problem(library):
            return Installation(problem=problem)
        return Installation("unknown", origin=worker_origin(library))
    if problem := compiler_problem(library, build, toolchain):
        return Installation(problem=problem)
    if library.distribution is not None:
        return _of_distribution(library, library.distribution, build, toolchain, system)
    if build.header and not _header_is_there(library, build.header, build.defines, toolchain):
        return Installation(problem=f"not installed (no {build.header})")
    cflags, libs = "", ""
    if build.pkg_config:
        if _pkg_config("--exists", *build.pkg_config) is None:
            return Installation(problem=f"not installed (pkg-config knows no {' '.join(build.pkg_config)})")
        cflags = _pkg_config("--cflags", *build.pkg_config) or ""
        libs = _pkg_config("--libs", *build.pkg_config) or ""
    return Installation(
        build.version or "unknown",
        (*(f"-D{define}" for define in build.defines), *cflags.split()),
        (*libs.split(), *build.libs),
        origin=f"sources in {library.folder.parent.name}/{library.id}",
    )


def compiler_problem(library: Library, build: BuildSpec, toolchain: Toolchain) -> str:
    """One line if a compiler that the build names is not here, or cannot make what the build wants; "" if all are, or none is named."""
    own = toolchain_of(build, toolchain)
    if is_zig(build.cc) and library.language == "c++":
        return (
            "its C++ library is its own, and its linker does not tell which files it takes: zig builds libraries in C"
        )
    for named, version in (
        (build.cc, own.cc_version),
        (build.cxx if library.language == "c++" else "", own.cxx_version),
    ):
        if named and version is None:
            return f"no zig in this environment: {zig.HINT}" if is_zig(named) else f"no compiler '{named}'"
    if NARROW in build.flags:
        return narrow_problem(own.cxx, "c++") if library.language == "c++" else narrow_problem(own.cc)
    return ""


def _of_distribution(
    library: Library, distribution: Distribution, build: BuildSpec, toolchain: Toolchain, system: System | None
) -> Installation:
    packages = packages_for(library, system)
    defines = dict.fromkeys((*distribution.defines, *build.defines))
    cflags, libs = [f"-D{define}" for define in defines], [*distribution.libs]
    version = ""
    known = bool(distribution.pkg_config) and _pkg_config("--exists", *distribution.pkg_config) is not None
    if known:
        version = _pkg_config("--modversion", distribution.pkg_config[0]) or ""
        cflags += (_pkg_config("--cflags", *distribution.pkg_config) or "").split()
        libs = (_pkg_config("--libs", *distribution.pkg_config) or "").split()
    elif not _header_is_there(library, distribution.header, distribution.defines, toolchain):
        return Installation(problem=f"not installed (no {distribution.header})")
    package = packages[0] if packages else ""
    if not version and package:
        version = package_version(system, package) or ""
    if version and _older(version, library.min_version):
        return Installation(
            problem=f"version {version} is too old; the adapter is written for {library.min_version} and later"
        )
    if version and library.max_version and _older(library.max_version, version):
        return Installation(
            problem=f"version {version} is too new; the adapter is written for versions up to {library.max_version}"
        )
    return Installation(version or "unknown", tuple(cflags), (*libs, *build.libs), package)


def _pkg_config(*arguments: str) -> str | None:
    tool = shutil.which("pkg-config") or shutil.which("pkgconf")
    if tool is None:
        return None
    try:
        done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _header_is_there(library: Library, header: str, defined: Sequence[str], toolchain: Toolchain) -> bool:
    compiler = toolchain.cxx if library.language == "c++" else toolchain.cc
    if (toolchain.cxx_version if library.language == "c++" else toolchain.cc_version) is None:
        return True  # without a compiler it is not known; building will say that there is no compiler
    language = "c++" if library.language == "c++" else "c"
    source = f"#include <{header}>\n"
    defines = [f"-D{define}" for define in defined]
    try:
        done = subprocess.run(
            [compiler, "-x", language, "-E", "-o", "/dev/null", *defines, "-"],
            input=source,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _older(version: str, minimum: str) -> bool:
    return _numbers(version) < _numbers(minimum)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])
