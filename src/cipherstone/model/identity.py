# SPDX-License-Identifier: Apache-2.0
"""What two builds of one name differ in: the words for it, wherever a changed library is reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cipherstone.model.counts import CountedTarget
from cipherstone.model.records import Build, CodeObject
from cipherstone.model.text import brief

SHOWN_DIGITS = 12  # of a hash


def described(one: CodeObject) -> str:
    """`libssl3 3.0.20-1~deb12u2, sha256 0123456789ab`, or with the path where no package has it."""
    origin = f"{one.package} {one.package_version}".strip() or one.path
    return f"{origin}, sha256 {one.sha256[:SHOWN_DIGITS] or 'unreadable'}"


def library_objects(build: Build) -> list[CodeObject]:
    """The objects and archives that hold the library; those of the language and what is mapped along are left out."""
    return [one for one in build.objects if one.role in ("library", "archive")]


def package_text(build: Build) -> str:
    """`libssl3 3.0.19-1~deb12u2`, or where its source came from: which package holds the code, in which revision; "" where none is known."""
    named = [f"{one.package} {one.package_version}" for one in library_objects(build) if one.package]
    return ", ".join(dict.fromkeys(named)) or build.package


def code_text(build: Build) -> str:
    """`libcrypto.so.3 7c3c55df3d09`: the files that hold the library, with the beginning of their hashes; the worker's own where it cannot tell."""
    named = [f"{one.name} {one.sha256[:SHOWN_DIGITS] or 'unreadable'}" for one in library_objects(build)]
    return ", ".join(named) or f"worker {build.worker_hash}"


def object_changes(before: Iterable[CodeObject], now: Iterable[CodeObject]) -> Iterator[str]:
    """One line for each object of another content, and for each that came or went; by name, since the same content elsewhere is the same code."""
    old, new = ({(one.role == "archive", one.name): one for one in side} for side in (before, now))
    for key, one in old.items():
        other = new.get(key)
        if other is None:
            yield f"{one.name} is no longer there ({described(one)})"
        elif other.sha256 != one.sha256:
            yield f"{one.name} was {described(one)}, is {described(other)}"
    for key, one in new.items():
        if key not in old:
            yield f"{one.name} is new ({described(one)})"


def changes(before: Build, now: Build) -> list[str]:
    """What makes two builds two: objects, environment, the worker itself. Empty if their code is the same."""
    told = before.objects and now.objects  # one that cannot tell differs from nothing
    found = [*object_changes(_others(before), _others(now))] if told else []
    names = dict.fromkeys((*before.environment, *now.environment))
    for name in names:
        old, new = before.environment.get(name), now.environment.get(name)
        if old != new:
            found.append(f"{name} was {_value(old)}, is {_value(new)}")
    if before.worker_hash != now.worker_hash:
        found.append(f"the worker was {before.worker_hash}, is {now.worker_hash}")
    return found


def _others(build: Build) -> list[CodeObject]:
    """Without the executable, whose hash stands beside."""
    return [one for one in build.objects if one.role != "worker"]


def _value(text: str | None) -> str:
    return "not set" if text is None else f"'{brief(text)}'"


def same_code(a: Build, b: Build) -> str:
    """What two builds both are (`libcrypto.so.3 7c3c55df3d09`), if they run the same code: the same content of every file, the same adapter, the same environment. "" if they do not, or if that is not known.

    Where files lie does not count, nor what the linker wrote into the worker of where they lie: of one library's builds the adapter is the same if compiler and flags are, folders aside. Of other workers the executable itself must be. One that does not tell what it was mapped from is the same as nothing.
    """
    if a.environment != b.environment or not a.objects or not b.objects:
        return ""
    if not all(one.sha256 for one in (*a.objects, *b.objects)) or _contents(a) != _contents(b):
        return ""
    if a.worker_hash == b.worker_hash:
        return code_text(a)
    adapter = a.library == b.library and a.flags and (a.compiler, _flags(a.flags)) == (b.compiler, _flags(b.flags))
    return code_text(a) if adapter and library_objects(a) else ""


def _contents(build: Build) -> set[tuple[str, str]]:
    return {(one.name, one.sha256) for one in _others(build)}


def _flags(flags: str) -> list[str]:
    """Without the folders that are searched."""
    return [word for word in flags.split() if not word.startswith(("-I", "-L"))]


def same_counted(a: CountedTarget, b: CountedTarget) -> str:
    """What two builds counted on one machine both are, by the rule of `same_code`: one executable, or one library's archives of one content below one adapter. "" if they are not, or if that is not known."""
    if (a.target, a.processor) != (b.target, b.processor) or not a.worker_hash or not b.worker_hash:
        return ""
    if a.worker_hash == b.worker_hash:
        return a.archives or b.archives or f"worker {a.worker_hash}"
    library = a.build.partition("@")[0] == b.build.partition("@")[0]
    adapter = library and a.flags and (a.compiler, _flags(a.flags)) == (b.compiler, _flags(b.flags))
    return a.archives if adapter and a.archives == b.archives else ""
