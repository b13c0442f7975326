# SPDX-License-Identifier: Apache-2.0
"""Seals of the cache: beside each thing that was built or fetched stand the hashes of what it was then. And who may write there: the user alone."""

from __future__ import annotations

import fcntl
import grp
import hashlib
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from cipherstone.model.errors import BuildError
from cipherstone.model.text import UNREADABLE

SUFFIX = ".seal"
WRITTEN_LATER = frozenset({"recipe.json", "build.log"})  # at the top of a folder: what is said of it, not what is used
Contents = dict[str, str]  # path in a folder, "" for a file -> SHA-256, or `-> TARGET` of a link
_CONTENTS = msgspec.json.Decoder(Contents)  # here and not in the threads that read it (protocol.messages)
# What was verified, by path: a digest of the seal and of all that a change of a file changes.
_seen: dict[str, bytes] = {}


def seal_of(target: Path) -> Path:
    """Where the seal of a target stands."""
    return target.with_name(target.name + SUFFIX)


def is_sealed(target: Path) -> bool:
    """Whether there is a seal; nothing is compared."""
    return seal_of(target).is_file()


def write_seal(target: Path) -> None:
    """Of a target as it is now. Raises OSError."""
    seal = seal_of(target)
    fresh = seal.with_name(f".{seal.name}.{os.getpid()}")
    fresh.write_bytes(msgspec.json.encode(_contents(target)))
    fresh.replace(seal)


def difference(target: Path) -> str:
    """In a few words how a target differs from its seal; "" if it does not. Raises OSError."""
    written = seal_of(target).read_bytes()
    touched = _touched(target, written)
    if _seen.get(str(target)) == touched:
        return ""
    if found := _differs(written, _contents(target)):
        return found
    _seen[str(target)] = touched
    return ""


def copy_differs(copy: Path, target: Path) -> str:
    """How a copy differs from what its original was sealed as; "" if it does not. Raises OSError."""
    return _differs(seal_of(target).read_bytes(), _contents(copy))


def _differs(written: bytes, found: Contents) -> str:
    try:
        wanted = _CONTENTS.decode(written)
    except UNREADABLE:
        return "its seal cannot be read"
    for name in sorted(wanted.keys() | found.keys()):
        was, now = wanted.get(name, ""), found.get(name, "")
        if was != now:
            what = f"{name}: " if name else ""
            return f"{what}is not what was put there: {_short(was)} then, {_short(now)} now"
    return ""


def _short(told: str) -> str:
    return ascii(told)[1:-1][:40] if told.startswith("-> ") else told[:12] or "nothing"


def _files(target: Path) -> Iterator[tuple[str, Path]]:
    """All that is not a folder, by its path in the target; links are not followed."""
    if target.is_symlink() or not target.is_dir():
        yield "", target
        return
    waiting = [target]
    while waiting:
        folder = waiting.pop()
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif folder != target or entry.name not in WRITTEN_LATER:
                yield os.path.relpath(entry.path, target), Path(entry.path)


def _contents(target: Path) -> Contents:
    return {_told(name): _content(path) for name, path in _files(target)}


def _told(name: str) -> str:
    """A name as JSON can hold it."""
    return name.encode("utf-8", "backslashreplace").decode()


def _content(path: Path) -> str:
    facts = path.lstat()
    if stat.S_ISLNK(facts.st_mode):
        return f"-> {_told(str(path.readlink()))}"
    if not stat.S_ISREG(facts.st_mode):
        return "no file"
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _touched(target: Path, written: bytes) -> bytes:
    """Changes with every file: the time of the last change of an entry cannot be set back."""
    digest = hashlib.sha256(written)
    for name, path in sorted(_files(target)):
        facts = path.lstat()
        told = (facts.st_dev, facts.st_ino, facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
        digest.update(f"{_told(name)}\0{told}\n".encode())
    return digest.digest()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One process at a time puts things into a folder of the cache, or compares them. Raises OSError."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a file system without locks: a comparison in the middle of a change may then fail
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def close_to_others(built: Path) -> None:
    """Only the user can write what is published, whatever the umask. Raises OSError."""
    for folder in [built, *(path for path in built.rglob("*"))] if built.is_dir() else [built]:
        facts = folder.lstat()
        if facts.st_mode & 0o022 and not stat.S_ISLNK(facts.st_mode):
            folder.chmod(stat.S_IMODE(facts.st_mode) & ~0o022)


def make_folder(folder: Path) -> None:
    """A folder of the cache with those above it, which only the user may write to. Raises BuildError, OSError."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        with suppress(FileExistsError):
            one.mkdir(mode=0o755)
    check_private(missing[0] if missing else folder)


def check_private(folder: Path) -> None:
    """Refuses a folder of the cache that others may write to, or replace. Raises BuildError."""
    place = Path(os.path.realpath(folder))
    for depth, one in enumerate((place, *place.parents)):
        try:
            facts = one.stat()
        except OSError:
            continue
        mode = facts.st_mode
        problem = ""
        if mode & stat.S_IWOTH and (depth == 0 or not mode & stat.S_ISVTX):
            problem = f"everybody may write to it (mode {stat.S_IMODE(mode):o})"
        elif depth < 2 and mode & stat.S_IWGRP and not mode & stat.S_ISVTX and not _group_is_mine(facts.st_gid):
            problem = f"its group may write to it (mode {stat.S_IMODE(mode):o})"
        elif depth == 0 and facts.st_uid not in (0, os.geteuid()):
            problem = f"it belongs to another user ({facts.st_uid})"
        if problem:
            raise BuildError(
                f"build cache: {one}: {problem}: what is run from it could be anybody's",
                "take the right away (chmod go-w), or choose another with --cache",
            )


def _group_is_mine(group: int) -> bool:
    """Whether a group has no other member, as far as the system's lists say."""
    if group != os.getegid():
        return False
    try:
        mine = pwd.getpwuid(os.geteuid()).pw_name
        return set(grp.getgrgid(group).gr_mem) <= {mine}
    except KeyError:
        return True
