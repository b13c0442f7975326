# SPDX-License-Identifier: Apache-2.0
"""Archives unpacked by hand: `tarfile` and `zipfile` say what is in them, and nothing is written but files, folders and links that stay inside. The standard library alone, any Python that is promised."""

from __future__ import annotations

import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from cipherstone.build.compressed import ArchiveRefused, Forward, within
from cipherstone.model.errors import BuildError

MAX_MEMBERS = 200_000
MAX_PATH, MAX_NAME = 1024, 255  # bytes
MAX_DEPTH = 48
_CHUNK = 1 << 18
_LATEST = 1 << 33  # seconds: a time of the year 2242, and none later
_BROKEN = (
    OSError, EOFError, ValueError, IndexError, KeyError, OverflowError, NotImplementedError, RuntimeError, struct.error,
    zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile,
)  # fmt: skip
Read = Callable[[int], bytes]


def unpack(file: Path, folder: Path) -> None:
    """Unpacks a tar archive, packed by gzip, bzip2 or xz or not, or a zip archive, into a new folder. Raises BuildError in one line; what was written until then is the caller's to remove.

    What is refused: names that are absolute, lead upward, are too long or come twice; devices and the like; links that leave the archive, lead through other links, or name no file of it; more than the limits.
    """
    try:
        with file.open("rb") as packed, _Tree(folder) as tree:
            size = os.fstat(packed.fileno()).st_size
            start = packed.read(4)
            packed.seek(0)
            (_unpack_zip if start == b"PK\3\4" else _unpack_tar)(packed, size, tree)
            tree.finish()
    except (ArchiveRefused, *_BROKEN) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        what = "refused" if isinstance(error, ArchiveRefused) else "is not an archive that can be unpacked"
        raise BuildError(
            f"{file}: {what}: {' '.join(said.split())[:300] or type(error).__name__}",
            "nothing of it is used; a .tar.gz, .tar.xz, .tar.bz2 or .zip of plain files and folders",
        ) from None


class _Tree:
    """A new folder that is written into through its descriptor: no name leads through a link. Links are made last."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o755, parents=True)
        self._root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        self._folders: set[tuple[str, ...]] = {()}
        self._files: set[tuple[str, ...]] = set()
        self._links: dict[tuple[str, ...], str] = {}
        self._members = 0

    def __enter__(self) -> _Tree:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._root)

    def named(self, name: str) -> tuple[str, ...]:
        """The parts of a member's name."""
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise ArchiveRefused(f"has more than {MAX_MEMBERS} members")
        return _parts(name, name)

    def folder(self, parts: tuple[str, ...]) -> None:
        """A folder, with those above it; once more is no harm."""
        for depth in range(1, len(parts) + 1):
            above = parts[:depth]
            if above in self._folders:
                continue
            self._new(above)
            holder = self._opened(above[:-1])
            try:
                os.mkdir(above[-1], 0o755, dir_fd=holder)
            finally:
                os.close(holder)
            self._folders.add(above)

    def file(self, parts: tuple[str, ...], size: int, executable: bool, mtime: float, read: Read) -> None:
        """A new file of exactly `size` bytes."""
        if not parts:
            raise ArchiveRefused("has a file without a name")
        self.folder(parts[:-1])
        self._new(parts)
        holder = self._opened(parts[:-1])
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(parts[-1], flags, 0o600, dir_fd=holder), "wb") as out:
                left = size
                while left > 0:
                    data = read(min(_CHUNK, left))
                    if not data:
                        raise EOFError("ends in the middle of " + _shown("/".join(parts)))
                    out.write(data)
                    left -= len(data)
                out.flush()
                os.fchmod(out.fileno(), 0o755 if executable else 0o644)
                seconds = int(min(max(mtime, 0), _LATEST)) if mtime == mtime else 0
                os.utime(out.fileno(), (seconds, seconds))
        finally:
            os.close(holder)
        self._files.add(parts)

    def same(self, parts: tuple[str, ...], target: str) -> None:
        """A copy of a file that is here already, which is what a hard link says."""
        there = _parts(target, target)
        if there not in self._files:
            raise ArchiveRefused(
                f"'{_shown('/'.join(parts))}' is said to be '{_shown(target)}', which is no earlier file of it"
            )
        holder = self._opened(there[:-1])
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(there[-1], flags, dir_fd=holder), "rb") as file:
                facts = os.fstat(file.fileno())
                self.file(parts, facts.st_size, bool(facts.st_mode & 0o100), facts.st_mtime, file.read)
        finally:
            os.close(holder)

    def link(self, parts: tuple[str, ...], target: str) -> None:
        """A symbolic link, made at the end if it is a good one."""
        if not parts:
            raise ArchiveRefused("has a link without a name")
        self.folder(parts[:-1])
        self._new(parts)
        self._links[parts] = target

    def finish(self) -> None:
        """Makes the links: each stays inside, and no part of its way but the last is a link."""
        for parts, target in self._links.items():
            self._follow(parts, target)
        for parts, target in self._links.items():
            holder = self._opened(parts[:-1])
            try:
                os.symlink(target, parts[-1], dir_fd=holder)
            finally:
                os.close(holder)

    def _follow(self, parts: tuple[str, ...], target: str) -> None:
        what = f"the link '{_shown('/'.join(parts))}'"
        if not target or target.startswith("/") or len(os.fsencode(target)) > MAX_PATH or not _printable(target):
            raise ArchiveRefused(f"{what} leads to '{_shown(target)}'")
        at = list(parts[:-1])
        for word in target.split("/"):
            if tuple(at) in self._links:
                raise ArchiveRefused(f"{what} leads through another link")
            if word == ".." and not at:
                raise ArchiveRefused(f"{what} leads outside: '{_shown(target)}'")
            if word == "..":
                at.pop()
            elif word not in ("", "."):
                at.append(word)

    def _new(self, parts: tuple[str, ...]) -> None:
        if parts in self._files or parts in self._links or parts in self._folders:
            raise ArchiveRefused(f"has '{_shown('/'.join(parts))}' twice")

    def _opened(self, parts: tuple[str, ...]) -> int:
        at = os.dup(self._root)
        for part in parts:
            try:
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                deeper = os.open(part, flags, dir_fd=at)
            finally:
                os.close(at)
            at = deeper
        return at


def _parts(name: str, shown: str) -> tuple[str, ...]:
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if name.startswith("/") or ".." in parts:
        raise ArchiveRefused(f"'{_shown(shown)}' leads outside")
    if (
        len(os.fsencode(name)) > MAX_PATH
        or len(parts) > MAX_DEPTH
        or any(len(os.fsencode(p)) > MAX_NAME for p in parts)
    ):
        raise ArchiveRefused(f"'{_shown(shown)}' is too long or too deep")
    if not _printable(name):
        raise ArchiveRefused(f"'{_shown(shown)}' is no name of a file")
    return parts


def _printable(name: str) -> bool:
    return all(ord(letter) >= 32 and ord(letter) != 127 for letter in name)


def _shown(name: str) -> str:
    """A name as it may stand in a line: what a terminal would obey, and what no text can hold, is spelt out."""
    text = name.encode("utf-8", "backslashreplace").decode()
    text = "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)
    return text if len(text) <= 80 else text[:77] + "..."


def _unpack_tar(packed: BinaryIO, size: int, tree: _Tree) -> None:
    forward = Forward(packed, size)
    archive = tarfile.TarFile(fileobj=forward, mode="r", encoding="utf-8", errorlevel=2)  # type: ignore[arg-type]
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined] # which would keep a record of each
        parts = tree.named(member.name)
        if member.issparse() or member.size < 0:
            raise ArchiveRefused(f"'{_shown(member.name)}' is of a kind that no source has")
        if member.type in (tarfile.REGTYPE, tarfile.AREGTYPE):
            forward.seek(member.offset_data)
            tree.file(parts, member.size, bool(member.mode & 0o100), float(member.mtime), forward.read)
        elif member.type == tarfile.DIRTYPE:
            tree.folder(parts)
        elif member.type == tarfile.SYMTYPE:
            tree.link(parts, member.linkname)
        elif member.type == tarfile.LNKTYPE:
            tree.same(parts, member.linkname)
        else:
            raise ArchiveRefused(f"'{_shown(member.name)}' is neither a file nor a folder nor a link")
    # A header that is none ends an archive for `tarfile`, without a word.
    forward.seek(max(archive.offset, forward.tell()))
    while data := forward.read(_CHUNK):
        if data.strip(b"\0"):
            raise ArchiveRefused("is damaged: what follows one of its files is no header")


def _unpack_zip(packed: BinaryIO, size: int, tree: _Tree) -> None:
    with zipfile.ZipFile(packed) as archive:
        total = 0
        for member in archive.infolist():
            parts, mode = tree.named(member.filename), member.external_attr >> 16
            kind = stat.S_IFMT(mode)
            total += member.file_size
            within(total, size)
            if member.is_dir():
                tree.folder(parts)
            elif kind in (0, stat.S_IFREG):
                with archive.open(member) as content:
                    tree.file(parts, member.file_size, bool(mode & 0o100), 0, content.read)
            else:
                raise ArchiveRefused(f"'{_shown(member.filename)}' is neither a file nor a folder")
