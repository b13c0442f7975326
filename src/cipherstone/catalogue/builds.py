# SPDX-License-Identifier: Apache-2.0
"""The builds of a library: as the distribution ships it, from upstream's source, or (laboratories) our own sources, each with its compiler and flags."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.model.errors import DataError
from cipherstone.model.ids import DISTRIBUTION_BUILD

OWN_NAMES = ("LC_ALL", "CS_PAD")  # set for every worker alike
RESERVED = (DISTRIBUTION_BUILD, "all", "default")
_VARIANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_COMMAND = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*\Z")
_FLAG = re.compile(r"-[!-~]+\Z")
_DEFINE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(=[!-~]*)?\Z")
_CRATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")
_CRATE_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?\Z")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]*\Z")


class Packages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to install, in each system's words; empty if that system has no package."""

    debian: tuple[str, ...] = ()
    fedora: tuple[str, ...] = ()
    arch: tuple[str, ...] = ()
    alpine: tuple[str, ...] = ()
    macos: tuple[str, ...] = ()


class Distribution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The build as the distribution ships it. `header` absent means not installed; `libs` serve where `pkg_config` is empty or knows nothing; `env` as in `BuildSpec`."""

    pkg_config: tuple[str, ...]
    header: str
    libs: tuple[str, ...]
    packages: Packages
    defines: tuple[str, ...] = ()
    env: dict[str, str] = {}


class BuildSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One build. `variant` "" is the distribution's; otherwise the word after `+` in lane ids, and `why` says what the build is there for.

    `cc`, `cxx`: compiler commands ("": the system's). `flags`, `defines`: of the library's sources and the adapter (no flags: the adapter's usual ones).
    `crate`, `crate_version`, `crate_sha256`: the Cargo package that carries upstream's source, and its checksum as a lock file has it; `script` builds it,
    with the programs `tools`, and installs below $PREFIX, where `include` (folders) and `libs` (archives `lib/...`; plain `-l` flags) are found.
    Without a crate the sources are our own. `sources` stand in for the library's. `version`: for a library that cannot say it. `packages`: what
    brings compiler and tools. `default`: part of plain runs; other builds are made when asked for. `env`: what its workers get of an environment, beside what all get;
    a build of the distribution's library has the distribution's too.
    """

    variant: str = ""
    title: str = ""
    why: str = ""
    cc: str = ""
    cxx: str = ""
    flags: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    crate: str = ""
    crate_version: str = ""
    crate_sha256: str = ""
    script: str = ""
    tools: tuple[str, ...] = ()
    include: tuple[str, ...] = ("include",)
    libs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    version: str = ""
    packages: Packages = msgspec.field(default_factory=Packages)
    default: bool = False
    env: dict[str, str] = {}

    @property
    def name(self) -> str:
        """The variant, or `distribution`: what `--build` and the filter key `build` call it."""
        return self.variant or DISTRIBUTION_BUILD


def distribution_build(distribution: Distribution) -> BuildSpec:
    """The build as the system ships the library, which every plain run takes."""
    return BuildSpec(
        why="as the system ships it",
        defines=distribution.defines,
        packages=distribution.packages,
        default=True,
        env=distribution.env,
    )


def check_builds(name: str, folder: Path, builds: tuple[BuildSpec, ...]) -> None:
    """`[[build]]` of a library.toml called `name`. Raises DataError for the first thing that is wrong."""
    seen: set[str] = set()
    for index, build in enumerate(builds):
        where = f"{name}: build[{index}]"
        if not _VARIANT.match(build.variant) or build.variant in RESERVED:
            raise DataError(
                f"{where}.variant: {shown(build.variant)} is not a name for a build",
                f"letters, digits, . _ and -; not {', '.join(RESERVED)}",
            )
        if build.variant in seen:
            raise DataError(f"{where}.variant: {shown(build.variant)} stands twice", "give each build its own name")
        seen.add(build.variant)
        if not build.why.strip() or "\n" in build.why:
            raise DataError(f"{where}.why: needs one line", "say what this build is there for")
        _check_words(where, build)
        check_environment(f"{where}.env", build.env)
        _check_origin(where, folder, build)
        check_sources(f"{where}.sources", folder, build.sources)


def check_sources(where: str, folder: Path, sources: tuple[str, ...]) -> None:
    """Source files are named relative to the library's folder and lie inside it. Raises DataError."""
    for index, source in enumerate(sources):
        if not _inside(source) or not (folder / source).is_file():
            raise DataError(
                f"{where}[{index}]: {shown(source)} is not a file in {folder.parent.name}/{folder.name}",
                "name files of that folder",
            )


def check_environment(where: str, environment: dict[str, str]) -> None:
    """What a build sets for its workers. Raises DataError for a name that is none, one that every worker gets, and a value of more than one line."""
    for name, text in environment.items():
        if not _NAME.match(name) or name in OWN_NAMES:
            raise DataError(
                f"{where}: {shown(name)} cannot be set",
                f"letters, digits and _; not {' or '.join(OWN_NAMES)}, which every worker gets",
            )
        if not text.isprintable():
            raise DataError(f"{where}.{name}: {shown(text)} is not one line of text", "")


def _check_words(where: str, build: BuildSpec) -> None:
    for field, words, pattern, hint in (
        ("cc", (build.cc,), _COMMAND, "one compiler command, such as clang-14; flags go into `flags`"),
        ("cxx", (build.cxx,), _COMMAND, "one compiler command, such as clang++-14; flags go into `flags`"),
        ("flags", build.flags, _FLAG, "one compiler flag each, such as -O3"),
        ("defines", build.defines, _DEFINE, "NAME or NAME=VALUE"),
        ("tools", build.tools, _COMMAND, "names of programs, such as perl"),
        ("version", (build.version,), _VERSION, "a version without spaces, such as 2.28.10"),
    ):
        for word in words:
            if not pattern.match(word) and not (
                word == "" and len(words) == 1 and isinstance(getattr(build, field), str)
            ):
                raise DataError(f"{where}.{field}: {shown(word)} cannot stand here", hint)


def _check_origin(where: str, folder: Path, build: BuildSpec) -> None:
    """A crate comes whole (name, version, checksum, script, what to link); without one there is only `libs` of the system."""
    if not build.crate:
        for field in ("crate_version", "crate_sha256", "script"):
            if getattr(build, field):
                raise DataError(f"{where}.{field}: stands without crate", "name the Cargo package in `crate`")
        _check_libs(where, build, archives=False)
        return
    for field, pattern, hint in (
        ("crate", _CRATE, "the name of a Cargo package"),
        ("crate_version", _CRATE_VERSION, "the exact version, as a lock file writes it"),
        ("crate_sha256", _SHA256, "64 hexadecimal digits: `checksum` of the package in a Cargo.lock"),
    ):
        if not pattern.match(getattr(build, field)):
            raise DataError(f"{where}.{field}: {shown(getattr(build, field))} cannot stand here", hint)
    if not _inside(build.script) or not (folder / build.script).is_file():
        raise DataError(
            f"{where}.script: {shown(build.script)} is not a file in {folder.parent.name}/{folder.name}",
            "a shell script that builds the source and installs below $PREFIX",
        )
    for index, path in enumerate(build.include):
        if not _inside(path):
            raise DataError(f"{where}.include[{index}]: {shown(path)} is not a folder below $PREFIX", '`["include"]`')
    if not build.libs:
        raise DataError(f"{where}.libs: is empty", 'say what to link, such as ["lib/libx.a"]')
    _check_libs(where, build, archives=True)


def _check_libs(where: str, build: BuildSpec, archives: bool) -> None:
    for index, lib in enumerate(build.libs):
        if not re.match(r"-l[!-~]+\Z", lib) and not (archives and lib.startswith("lib/") and _inside(lib)):
            what = "an archive below $PREFIX (lib/...) nor a -l flag" if archives else "a -l flag"
            raise DataError(f"{where}.libs[{index}]: {shown(lib)} is not {what}", "")


def _inside(path: str) -> bool:
    """Whether a relative path stays where it begins."""
    parts = Path(path).parts
    return bool(parts) and not Path(path).is_absolute() and ".." not in parts and str(Path(path)) == path
