# SPDX-License-Identifier: Apache-2.0
"""The builds of a library: as the distribution ships it, from upstream's source, or (laboratories) our own sources, each with its compiler and flags."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.catalogue.sources import COMMAND, VERSION, Packages, Source, check_libs, inside
from cipherstone.model.errors import DataError, nearest
from cipherstone.model.ids import DISTRIBUTION_BUILD

RESERVED_NAMES = ("LC_ALL", "CS_CPUS", "CS_PAD")  # set for every worker alike
RESERVED = (DISTRIBUTION_BUILD, "all", "default", "sources")
_VARIANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_FLAG = re.compile(r"-[!-~]+\Z")
_DEFINE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(=[!-~]*)?\Z")
_MASK = re.compile(r"[a-z][a-z0-9]*\Z")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Distribution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The build as the distribution ships it. `header` absent means not installed; `libs` serve where `pkg_config` is empty or knows nothing; `env` as in `BuildSpec`."""

    pkg_config: tuple[str, ...]
    header: str
    libs: tuple[str, ...]
    packages: Packages
    defines: tuple[str, ...] = ()
    env: dict[str, str] = {}


class Mask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Processor features that a library leaves out, by its own switch: `env` of its workers. `hides`: their names as the kernel lists them, `why`: one line.

    `isa`: the kind of processor whose features they are; the same names mean others elsewhere. `builds`: variants that have the switch, where not all have (a laboratory's are of several libraries).
    """

    env: dict[str, str]
    hides: tuple[str, ...]
    why: str
    isa: Literal["x86-64", "aarch64"] = "x86-64"
    builds: tuple[str, ...] = ()

    def problem(self, isa: str | None, features: Collection[str]) -> str:
        """Why it means nothing on a processor of the kind `isa` (None: another kind) with the `features` that its kernel lists (none: it does not say); "" if it does."""
        if isa != self.isa:
            return f"is for {self.isa}, which this is not"
        if features and not {*self.hides} & {*features}:
            return f"hides {', '.join(self.hides)}, which this processor does not have"
        return ""


class OwnBuild(msgspec.Struct, frozen=True):
    """A build that the user brought. `path`: a prefix, a library, or the checkout or archive it is built from; `commit`: of a checkout, 40 digits."""

    path: str
    commit: str = ""


class BuildFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[build]]` as written: what it does not say it has of the `[[source]]` that `source` names."""

    variant: str
    why: str
    title: str = ""
    source: str = ""
    cc: str = ""
    cxx: str = ""
    flags: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    libs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    version: str = ""
    packages: Packages = msgspec.field(default_factory=Packages)
    default: bool = False
    env: dict[str, str] = {}
    header: str = ""
    pkg_config: tuple[str, ...] = ()


class BuildSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One build. `variant` "" is the distribution's; otherwise what follows the version in lane ids, and `why` says what the build is there for.

    `source`: upstream's, which is built first; None: the system's library, or (laboratories) sources of our own. `options`: words for its script.
    `own`: what the user named instead (a prefix, a library, a checkout). `masks`: names of the library's `[mask.NAME]` whose settings `env` has.
    `cc`, `cxx`: compiler commands ("": the system's). `flags`, `defines`: of the library's sources and the adapter (no flags: the adapter's usual ones).
    `libs`: to link beside the source's. `sources` stand in for the library's. `version`: for a library that cannot say it. `packages`: what
    brings compiler and tools. `default`: part of plain runs; other builds are made when asked for. `env`: what its workers get of an environment, beside what all get;
    a build of the distribution's library has the distribution's too. `header`, or `pkg_config` where its headers are not where the compiler looks (laboratories): of
    a system's library, whose absence means that it is not installed.
    """

    variant: str = ""
    title: str = ""
    why: str = ""
    cc: str = ""
    cxx: str = ""
    flags: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    source: Source | None = None
    options: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    own: OwnBuild | None = None
    libs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    version: str = ""
    packages: Packages = msgspec.field(default_factory=Packages)
    default: bool = False
    env: dict[str, str] = {}
    header: str = ""
    pkg_config: tuple[str, ...] = ()

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


def of_source(source: Source, why: str = "") -> BuildSpec:
    """Upstream's source as it is."""
    return BuildSpec(
        variant=source.name,
        title=source.title or f"{source.name} from source",
        why=source.why or why or f"upstream's {source.version}, built with upstream's own options",
        source=source,
        flags=source.flags,
        defines=source.defines,
        sources=source.sources,
        version=source.version,
        packages=source.packages,
    )


def resolved(name: str, folder: Path, sources: tuple[Source, ...], builds: tuple[BuildFile, ...]) -> list[BuildSpec]:
    """Every build of a library.toml called `name`: of each source as it is, then those that are written out. Raises DataError for the first thing that is wrong."""
    known = {source.name: source for source in sources}
    found = [of_source(source) for source in sources]
    seen = set(known)
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
        if build.source and build.source not in known:
            raise DataError(
                f"{where}.source: no [[source]] is called {shown(build.source)}", nearest(build.source, tuple(known))
            )
        source = known.get(build.source)
        for option in build.options:
            if source is None or option not in source.options:
                raise DataError(
                    f"{where}.options: its source has no option {shown(option)}",
                    nearest(option, tuple(source.options) if source else ()),
                )
        _check_words(where, build)
        check_environment(f"{where}.env", build.env)
        check_libs(where, build.libs, archives=False)
        check_sources(f"{where}.sources", folder, build.sources)
        found.append(_inheriting(build, source))
    return found


def _inheriting(build: BuildFile, source: Source | None) -> BuildSpec:
    own = BuildSpec(**{name: getattr(build, name) for name in build.__struct_fields__ if name != "source"})
    if source is None:
        return own
    return msgspec.structs.replace(
        own,
        source=source,
        flags=build.flags or source.flags,
        defines=tuple(dict.fromkeys((*source.defines, *build.defines))),
        sources=build.sources or source.sources,
        version=build.version or source.version,
        packages=source.packages.and_those_of(build.packages),
    )


def source_path(folder: Path, source: str) -> Path:
    """The file that `sources` of the library in `folder` name: of that folder, or, where its first part begins with `_`, of a folder beside it that libraries share."""
    return (folder.parent if source.startswith("_") else folder) / source


def check_sources(where: str, folder: Path, sources: tuple[str, ...]) -> None:
    """Source files are named relative to the library's folder and lie inside it, or in a shared folder `_NAME` beside it. Raises DataError."""
    for index, source in enumerate(sources):
        if not inside(source) or not source_path(folder, source).is_file():
            raise DataError(
                f"{where}[{index}]: {shown(source)} is not a file in {folder.parent.name}/{folder.name}",
                "name files of that folder, or _NAME/FILE of a shared one beside it",
            )


def check_environment(where: str, environment: dict[str, str]) -> None:
    """What a build sets for its workers. Raises DataError for a name that is none, one that every worker gets, and a value of more than one line."""
    for name, text in environment.items():
        if not _NAME.match(name) or name in RESERVED_NAMES:
            raise DataError(
                f"{where}: {shown(name)} cannot be set",
                f"letters, digits and _; not {' or '.join(RESERVED_NAMES)}, which every worker gets",
            )
        if not text.isprintable():
            raise DataError(f"{where}.{name}: {shown(text)} is not one line of text", "")


def check_masks(name: str, masks: dict[str, Mask]) -> None:
    """`[mask.NAME]` of a library.toml called `name`. Raises DataError."""
    for word, mask in masks.items():
        where = f"{name}: mask.{word}"
        if not _MASK.match(word):
            raise DataError(f"{where}: {shown(word)} is no name for a mask", "small letters and digits, such as noavx2")
        if not mask.env or not mask.hides or not mask.why.strip():
            raise DataError(f"{where}: env, hides and why are needed", "what is set, what that hides, what for")
        check_environment(f"{where}.env", mask.env)


def _check_words(where: str, build: BuildFile) -> None:
    for field, words, pattern, hint in (
        ("cc", (build.cc,), COMMAND, "one compiler command, such as clang-14; flags go into `flags`"),
        ("cxx", (build.cxx,), COMMAND, "one compiler command, such as clang++-14; flags go into `flags`"),
        ("flags", build.flags, _FLAG, "one compiler flag each, such as -O3"),
        ("defines", build.defines, _DEFINE, "NAME or NAME=VALUE"),
        ("version", (build.version,), VERSION, "a version without spaces, such as 2.28.10"),
    ):
        for word in words:
            if not pattern.match(word) and not (
                word == "" and len(words) == 1 and isinstance(getattr(build, field), str)
            ):
                raise DataError(f"{where}.{field}: {shown(word)} cannot stand here", hint)
