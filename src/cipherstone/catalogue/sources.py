# SPDX-License-Identifier: Apache-2.0
"""`[[source]]` of a library.toml: where upstream's source comes from, pinned by version and hash, and how its own build system is called."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.model.errors import DataError

_CRATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")
_CRATE_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?\Z")
_DEBIAN = re.compile(r"[a-z0-9][a-z0-9+.-]+\Z")
_DEBIAN_VERSION = re.compile(r"([0-9]+:)?[0-9][A-Za-z0-9.+~-]*\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_PART = re.compile(r"[a-z][a-z0-9_]*\Z")
OPTION = re.compile(r"[a-z][a-z0-9-]*\Z")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._~-]*\Z")
COMMAND = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*\Z")


class Packages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to install, in each system's words; empty if that system has no package."""

    debian: tuple[str, ...] = ()
    fedora: tuple[str, ...] = ()
    arch: tuple[str, ...] = ()
    alpine: tuple[str, ...] = ()
    macos: tuple[str, ...] = ()

    def and_those_of(self, other: Packages) -> Packages:
        """Both, each once."""
        return Packages(
            **{
                name: tuple(dict.fromkeys((*getattr(self, name), *getattr(other, name))))
                for name in self.__struct_fields__
            }
        )


class Crate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Cargo package that carries upstream's source. `sha256`: its `checksum` in a lock file."""

    name: str
    version: str
    sha256: str

    @property
    def said(self) -> str:
        """For people."""
        return f"crate {self.name} {self.version}"


class DebianSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Upstream's archive in a Debian source package. `suite`: which has this version; `sha256`: of the archive, the signed index says it too."""

    package: str
    version: str
    suite: str
    sha256: str

    @property
    def said(self) -> str:
        """For people."""
        return f"Debian source {self.package} {self.version}"


class Archive(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One thing that is fetched and unpacked: exactly one of `crate` and `debian`. `folder`: upstream's tree in it; an archive of that name in it is unpacked."""

    crate: Crate | None = None
    debian: DebianSource | None = None
    folder: str = ""

    @property
    def origin(self) -> Crate | DebianSource:
        """Where it comes from."""
        found = self.crate or self.debian
        if found is None:
            raise ValueError("an archive without origin: check_sources_of lets none pass")
        return found


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Upstream's source, and how to build it: the `script` calls the library's own build system with the programs `tools` and installs below $PREFIX, where
    `include` (folders) and `libs` (archives `lib/...`; plain `-l` flags) are found.

    `name` is the build's that is made of it as it is, and the first word of the builds with more words. `also`: further archives that it needs, by the name
    under which the script finds them ($WITH_NAME). `options`: words that the script knows (in $OPTIONS), and what each does. `sources` stand in for the
    library's adapter. `version`: of upstream. `cxx`: it needs the C++ compiler, whatever the adapter's language. `cpu_s`, `disk_mib`: what building took when it was tried, in seconds of one CPU and MiB, 0 if unknown.
    `cross`: the script is known to build for another machine if $CC does, so that its operations can be counted there.
    `setup`: `cipherstone setup` builds it, since no system ships what it has and it takes less than a minute.
    A `tarball` is one that the user has to bring; `tried` says what was tried to get it from a package registry.
    """

    name: str
    version: str
    script: str
    libs: tuple[str, ...]
    title: str = ""
    why: str = ""
    crate: Crate | None = None
    debian: DebianSource | None = None
    tarball: bool = False
    tried: str = ""
    folder: str = ""
    also: dict[str, Archive] = {}
    tools: tuple[str, ...] = ()
    cxx: bool = False
    cross: bool = False
    setup: bool = False
    flags: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    include: tuple[str, ...] = ("include",)
    options: dict[str, str] = {}
    sources: tuple[str, ...] = ()
    packages: Packages = msgspec.field(default_factory=Packages)
    cpu_s: int = 0
    disk_mib: int = 0

    @property
    def archive(self) -> Archive:
        """Upstream's own."""
        return Archive(crate=self.crate, debian=self.debian, folder=self.folder)

    @property
    def said(self) -> str:
        """Where it comes from, for people."""
        return self.archive.origin.said if self.crate or self.debian else "a tarball that you bring"


def check_upstream(name: str, folder: Path, sources: tuple[Source, ...]) -> None:
    """`[[source]]` of a library.toml called `name`. Raises DataError for the first thing that is wrong."""
    seen: set[str] = set()
    for index, source in enumerate(sources):
        where = f"{name}: source[{index}]"
        if not VERSION.match(source.name) or source.name in seen:
            raise DataError(f"{where}.name: {shown(source.name)} is no name, or stands twice", "such as 3.6")
        seen.add(source.name)
        if not VERSION.match(source.version):
            raise DataError(f"{where}.version: {shown(source.version)} is not a version", "such as 3.6.3")
        _check_origin(where, source)
        for part, archive in source.also.items():
            if not _PART.match(part):
                raise DataError(f"{where}.also: {shown(part)} is not a name", "small letters, digits and _")
            check_archive(f"{where}.also.{part}", archive)
        if not inside(source.script) or not (folder / source.script).is_file():
            raise DataError(
                f"{where}.script: {shown(source.script)} is not a file in {folder.parent.name}/{folder.name}",
                "a shell script that builds the source and installs below $PREFIX",
            )
        for number, path in enumerate(source.include):
            if not inside(path):
                raise DataError(
                    f"{where}.include[{number}]: {shown(path)} is not a folder below $PREFIX", '`["include"]`'
                )
        if not source.libs:
            raise DataError(f"{where}.libs: is empty", 'say what to link, such as ["lib/libx.a"]')
        check_libs(where, source.libs, archives=True)
        for word, what in source.options.items():
            if not OPTION.match(word) or not what.strip():
                raise DataError(f"{where}.options: {shown(word)} is no word, or says nothing", "small letters")
        for tool in source.tools:
            if not COMMAND.match(tool):
                raise DataError(f"{where}.tools: {shown(tool)} cannot stand here", "names of programs, such as perl")


def _check_origin(where: str, source: Source) -> None:
    """Fetched from one place, or brought by the user."""
    if source.tarball:
        if source.crate or source.debian or not source.tried.strip():
            raise DataError(f"{where}.tarball: stands beside crate or debian, or without `tried`", "say what was tried")
        return
    check_archive(where, source.archive)


def check_archive(where: str, archive: Archive) -> None:
    """One thing that is fetched. Raises DataError."""
    if (archive.crate is None) == (archive.debian is None):
        raise DataError(f"{where}: neither crate nor debian, or both", "say where the source comes from")
    if archive.folder and not inside(archive.folder):
        raise DataError(f"{where}.folder: {shown(archive.folder)} is not a place in the archive", "a relative path")
    if archive.crate is not None:
        found: tuple[tuple[str, str, re.Pattern[str], str], ...] = (
            ("crate.name", archive.crate.name, _CRATE, "the name of a Cargo package"),
            ("crate.version", archive.crate.version, _CRATE_VERSION, "the exact version, as a lock file writes it"),
            ("crate.sha256", archive.crate.sha256, _SHA256, "64 hexadecimal digits: `checksum` in a Cargo.lock"),
        )
    else:
        debian = archive.debian
        assert debian is not None
        found = (
            ("debian.package", debian.package, _DEBIAN, "the name of a source package"),
            ("debian.version", debian.version, _DEBIAN_VERSION, "with the distribution's revision"),
            ("debian.suite", debian.suite, _DEBIAN, "such as trixie"),
            ("debian.sha256", debian.sha256, _SHA256, "64 hexadecimal digits, of upstream's archive"),
        )
    for field, value, pattern, hint in found:
        if not pattern.match(value):
            raise DataError(f"{where}.{field}: {shown(value)} cannot stand here", hint)


def check_libs(where: str, libs: tuple[str, ...], archives: bool) -> None:
    """What is linked. Raises DataError."""
    for index, lib in enumerate(libs):
        if not re.match(r"-l[!-~]+\Z", lib) and not (archives and lib.startswith("lib/") and inside(lib)):
            what = "an archive below $PREFIX (lib/...) nor a -l flag" if archives else "a -l flag"
            raise DataError(f"{where}.libs[{index}]: {shown(lib)} is not {what}", "")


def inside(path: str) -> bool:
    """Whether a relative path stays where it begins."""
    parts = Path(path).parts
    return bool(parts) and not Path(path).is_absolute() and ".." not in parts and str(Path(path)) == path
