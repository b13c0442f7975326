# SPDX-License-Identifier: Apache-2.0
"""Which package a file belongs to, in which revision, as the system's package manager says. Where none knows, nothing is known: never an error."""

from __future__ import annotations

import gzip
import re
import subprocess
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.systems import System
from cipherstone.model.records import CodeObject

TIMEOUT_S = 30
MAX_CHANGELOG_BYTES = 4 << 20  # the newest entries stand first
_CELLAR = re.compile(r"/Cellar/(?P<package>[^/]+)/(?P<version>[^/]+)/")
_APK = re.compile(r"(?P<package>.+)-(?P<version>[0-9][^-]*-r[0-9]+)\Z")

Owner = tuple[str, str]  # package, version with the distribution's revision


def with_packages(objects: Iterable[CodeObject], owners: Mapping[str, Owner]) -> tuple[CodeObject, ...]:
    """The objects with the package of each that has one."""
    return tuple(
        msgspec.structs.replace(one, package=owners[one.path][0], package_version=owners[one.path][1])
        if one.path in owners
        else one
        for one in objects
    )


def named_in_changelog(package: str, words: Iterable[str], folder: Path = Path("/usr/share/doc")) -> set[str]:
    """Those of `words`, ids of advisories, that a Debian package's changelog names; none where the package has no changelog here (containers often leave it out)."""
    text = ""
    for name in ("changelog.Debian.gz", "changelog.gz"):
        try:
            with gzip.open(folder / package / name, "rt", encoding="utf-8", errors="replace") as changelog:
                text += changelog.read(MAX_CHANGELOG_BYTES)
        except (OSError, EOFError, zlib.error):
            continue
    return {word for word in words if re.search(rf"{re.escape(word)}(?![0-9])", text)}


def owners(paths: Iterable[str], system: System | None) -> dict[str, Owner]:
    """Package and version of each file that belongs to one. One question for all: a package manager takes as long for one file as for twenty."""
    wanted = list(dict.fromkeys(paths))
    if system is None or not wanted:
        return {}
    return {"debian": _debian, "fedora": _fedora, "arch": _arch, "alpine": _alpine, "macos": _macos}[system.key](wanted)


def _debian(paths: Sequence[str]) -> dict[str, Owner]:
    # Where /lib is a link to /usr/lib, packages may still name the one or the other.
    spelt = {spelling: path for path in paths for spelling in (path, path.removeprefix("/usr"))}
    found: dict[str, str] = {}
    for line in _said("dpkg", "-S", "--", *spelt).splitlines():
        names, _, path = line.partition(": ")
        if path in spelt and not line.startswith("diversion by "):
            found.setdefault(spelt[path], names.split(", ")[0])
    if not found:
        return {}
    told = _said("dpkg-query", "-W", "-f", "${binary:Package}\t${Package}\t${Version}\n", *sorted({*found.values()}))
    versions: dict[str, Owner] = {}
    for line in told.splitlines():
        full, name, version = line.split("\t")
        versions[full] = versions[name] = (name, version)
    return {path: versions[name] for path, name in found.items() if name in versions}


def _fedora(paths: Sequence[str]) -> dict[str, Owner]:
    found = {}
    for path in paths:  # what belongs to no package gives no line of its own
        name, tab, version = _said("rpm", "-qf", "--qf", "%{NAME}\t%{EVR}\n", path).partition("\n")[0].partition("\t")
        if tab:
            found[path] = (name, version)
    return found


def _arch(paths: Sequence[str]) -> dict[str, Owner]:
    return _owned(_said("pacman", "-Qo", *paths), re.compile(r"(?P<package>\S+) (?P<version>\S+)\Z"))


def _alpine(paths: Sequence[str]) -> dict[str, Owner]:
    return _owned(_said("apk", "info", "--who-owns", *paths), _APK)


def _owned(text: str, pattern: re.Pattern[str]) -> dict[str, Owner]:
    """`PATH is owned by PACKAGE...`, a line each."""
    found = {}
    for line in text.splitlines():
        path, _, owner = line.partition(" is owned by ")
        if match := pattern.match(owner.strip()):
            found[path] = (match["package"], match["version"])
    return found


def _macos(paths: Sequence[str]) -> dict[str, Owner]:
    return {path: (m["package"], m["version"]) for path in paths if (m := _CELLAR.search(path)) is not None}


def _said(*command: str) -> str:
    """Standard output, whatever the status: a file that no package has is an error to these tools, which still print the others."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False, env=_PLAIN
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


_PLAIN = {"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
