# SPDX-License-Identifier: Apache-2.0
"""Is a library installed here, in which version, and how does one compile and link against it?"""

from __future__ import annotations

import re
import shutil
import subprocess

import msgspec

from cipherstone.build.systems import System, package_version
from cipherstone.build.toolchain import Toolchain
from cipherstone.catalogue.libraries import Library


class Installation(msgspec.Struct, frozen=True):
    """What compiling against a library takes. `problem` is "" or one line on why it cannot be used; the rest is then empty."""

    version: str = ""
    cflags: tuple[str, ...] = ()
    libs: tuple[str, ...] = ()
    package: str = ""
    problem: str = ""


def packages_for(library: Library, system: System | None) -> tuple[str, ...]:
    """The packages that bring this library on this system; empty if the system has none."""
    packages: tuple[str, ...] = getattr(library.distribution.packages, system.key) if system else ()
    return packages


def find_installation(library: Library, toolchain: Toolchain, system: System | None) -> Installation:
    """Asks pkg-config where it knows the library, else the compiler whether the header is there."""
    distribution = library.distribution
    packages = packages_for(library, system)
    version, cflags, libs = "", [f"-D{define}" for define in distribution.defines], list(distribution.libs)
    known = bool(distribution.pkg_config) and _pkg_config("--exists", *distribution.pkg_config) is not None
    if known:
        version = _pkg_config("--modversion", distribution.pkg_config[0]) or ""
        cflags += (_pkg_config("--cflags", *distribution.pkg_config) or "").split()
        libs = (_pkg_config("--libs", *distribution.pkg_config) or "").split()
    elif not _header_is_there(library, toolchain):
        return Installation(problem=f"not installed (no {distribution.header})")
    package = packages[0] if packages else ""
    if not version and package:
        version = package_version(system, package) or ""
    if version and _older(version, library.min_version):
        return Installation(
            problem=f"version {version} is too old; the adapter is written for {library.min_version} and later"
        )
    return Installation(version or "unknown", tuple(cflags), tuple(libs), package)


def _pkg_config(*arguments: str) -> str | None:
    tool = shutil.which("pkg-config") or shutil.which("pkgconf")
    if tool is None:
        return None
    try:
        done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _header_is_there(library: Library, toolchain: Toolchain) -> bool:
    compiler = toolchain.cxx if library.language == "c++" else toolchain.cc
    if (toolchain.cxx_version if library.language == "c++" else toolchain.cc_version) is None:
        return True  # without a compiler nobody can tell; building will say that there is no compiler
    language = "c++" if library.language == "c++" else "c"
    source = f"#include <{library.distribution.header}>\n"
    defines = [f"-D{define}" for define in library.distribution.defines]
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
