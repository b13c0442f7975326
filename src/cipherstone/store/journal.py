# SPDX-License-Identifier: Apache-2.0
"""The journal: one record a line, durable when `append` returns. A line without its newline was never completed and does not count."""

from __future__ import annotations

import errno
import fcntl
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from cipherstone.model.errors import StoreError
from cipherstone.model.records import Record
from cipherstone.store.layout import check_regular, create_file, open_regular, resume_hint, store_errors
from cipherstone.store.lines import LineReader, encode_line

# Data and size are what a reader needs; fdatasync leaves out the times.
_sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
_BLOCK_BYTES = 1 << 16
_BEGINS = b'{"type":"'
_RESTORE = "the file was damaged or made by something else: restore it from a copy"
# A pass of 15 lanes takes 13 kB: no record of ours comes near.
MAX_LINE_BYTES = 64 << 20
# Real journals pack to a sixth or a third; some hundred times is a file that was made to fill memory.
_MAX_EXPANSION, _MAY_ALWAYS_UNPACK_BYTES = 100, 64 << 20


def completed_lines(path: Path) -> Iterator[bytes]:
    """The completed lines of a plain or gzip journal, without their newline.

    Raises OSError, EOFError, zlib.error; StoreError for what no journal of ours has: a line of more than 64 MiB, or a packed file that unpacks to a hundred times its size.
    """
    packed = path.suffix == ".gz"
    number = total = 0
    with open_regular(path) as file:
        most = max(_MAY_ALWAYS_UNPACK_BYTES, os.fstat(file.fileno()).st_size * _MAX_EXPANSION) if packed else None
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
        while line := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            total += len(line)
            if len(line) > MAX_LINE_BYTES:
                raise StoreError(f"journal: {path}: line {number}: longer than {MAX_LINE_BYTES >> 20} MiB", _RESTORE)
            if most is not None and total > most:
                raise StoreError(
                    f"journal: {path}: after line {number}: unpacks to more than {most >> 20} MiB", _RESTORE
                )
            if line.endswith(b"\n"):
                yield line[:-1]


def read_records(path: Path, damaged: Callable[[StoreError], None] | None = None) -> Iterator[Record]:
    """The records of a journal, in order. A damaged line (or a damaged end of a gzip file) raises StoreError, or is given to `damaged` and left out."""
    number, reader = 0, LineReader(path)
    try:
        for line in completed_lines(path):
            number += 1
            try:
                record = reader.record(line, number)
            except StoreError as error:
                if damaged is None:
                    raise
                damaged(error)
                continue
            yield record
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        broken = StoreError(
            f"journal: {path}: after line {number}: {reason}", "the file is cut off or damaged: restore it from a copy"
        )
        if damaged is None or isinstance(error, FileNotFoundError):
            raise broken from error
        damaged(broken)


def unfinished_tail_bytes(path: Path) -> int:
    """Length of what follows the last newline: a line that was being written when its writer died, 0 if there is none."""
    with open_regular(path) as stream:
        end = position = stream.seek(0, os.SEEK_END)
        while position > 0:
            start = max(0, position - _BLOCK_BYTES)
            stream.seek(start)
            newline = stream.read(position - start).rfind(b"\n")
            if newline >= 0:
                return end - (start + newline + 1)
            position = start
        return end


def _record_lines(path: Path) -> Iterator[bytes]:
    """The completed lines. Raises StoreError at the first that is too short for a record: a file of line ends alone has hundreds of millions."""
    for number, line in enumerate(completed_lines(path), start=1):
        if len(line) < len(_BEGINS):
            raise StoreError(f"journal: {path}: line {number}: {len(line)} bytes are no record", _RESTORE)
        yield line


def longest_line_bytes(path: Path) -> int:
    """Length of the longest completed line of a plain journal, newline included; 0 if there is none. Raises OSError, StoreError."""
    return max((len(line) + 1 for line in _record_lines(path)), default=0)


def shape(path: Path) -> tuple[int, frozenset[str] | None]:
    """`longest_line_bytes`, and the kinds of the records (`type`); None where a line does not begin with its kind, as all that we write do. Raises OSError, StoreError."""
    longest, kinds = 0, set()
    for line in _record_lines(path):
        longest = max(longest, len(line) + 1)
        kinds.add(line[len(_BEGINS) :].partition(b'"')[0] if line.startswith(_BEGINS) else b"")
    return longest, None if b"" in kinds else frozenset(kind.decode("utf-8", "replace") for kind in kinds)


class JournalFile:
    """The journal while it grows. One writer at a time: the file is locked until `close` or the end of the process, however it ends."""

    def __init__(self, path: Path, new: bool = False) -> None:
        """Opens `path`, or creates it if it is `new`. An unfinished last line is cut off, once all others are known to be records. Raises StoreError: cannot be written, a link, the second name of another file, not a journal, or another process writes it."""
        self.path = path
        self._written = (0, 0)  # bytes and records, which change together
        self.dropped_bytes = 0
        with store_errors("journal", path):
            if not new:
                check_regular(path)
            how = os.O_CREAT | os.O_EXCL if new else os.O_NONBLOCK
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | how, 0o644)
        try:
            self._lock()
            if os.fstat(self._descriptor).st_nlink > 1:
                raise StoreError(
                    f"journal: {path}: has a second name elsewhere, which would change with it",
                    "resume a copy of the folder: cp -r",
                )
            reader = LineReader(path)
            number = 0
            for number, line in enumerate(completed_lines(path), start=1):
                reader.record(line, number)
            self._summed = reader.summed is not False
            with store_errors("journal", path):
                self.dropped_bytes = unfinished_tail_bytes(path)
                self._written = (os.fstat(self._descriptor).st_size - self.dropped_bytes, number)
                if self.dropped_bytes:
                    os.ftruncate(self._descriptor, self._end)
                    _sync(self._descriptor)
        except BaseException:
            self.close()
            raise

    @property
    def records(self) -> int:
        """How many there are."""
        return self._written[1]

    @property
    def _end(self) -> int:
        return self._written[0]

    def _lock(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                return  # a file system without locks: the lock of the machine still keeps two runs apart
            raise StoreError(
                f"journal: {self.path}: another process is writing this run", "wait until it ends"
            ) from error

    def append(self, record: Record) -> None:
        """Adds one line; it is on the disk when this returns. If it cannot be, nothing of it stays, and StoreError says what is safe; so it does where the file is no longer at its path (`check_place`)."""
        line = encode_line(record, self.records + 1, self._summed)
        try:
            rest = memoryview(line)
            while rest:
                written = os.write(self._descriptor, rest)
                if written == 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                rest = rest[written:]
            _sync(self._descriptor)
            self._written = (self._end + len(line), self.records + 1)
        except OSError as error:
            with suppress(OSError):  # if even this fails, the next resume cuts the line off
                os.ftruncate(self._descriptor, self._end)
                _sync(self._descriptor)
            self.check_place()
            raise StoreError(f"journal: {self.path}: {error.strerror}", self.what_is_safe()) from error
        except BaseException:
            # A signal, anywhere in it: a whole line stays and counts, since the next one's checksum has its number in it.
            if os.fstat(self._descriptor).st_size == self._end + len(line):
                self._written = (self._end + len(line), self.records + 1)
            else:
                os.ftruncate(self._descriptor, self._end)
            raise
        self.check_place()

    def check_place(self) -> None:
        """Raises StoreError if the path no longer leads to the file that is written: then records would be lost. It says what became of the records."""
        ours = os.fstat(self._descriptor)
        with suppress(OSError):
            found = self.path.stat()
            if (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino):
                return
        folder = self.path.parent
        if ours.st_nlink == 0:
            raise StoreError(
                f"bundle: {folder}: deleted while the run was writing it",
                f"its {self.records} records are gone with it: start a new run",
            )
        now = _place_of(self._descriptor)
        told = resume_hint(now.parent) if now is not None else "`cipherstone run --resume FOLDER` with its new name"
        raise StoreError(
            f"bundle: {folder}: renamed while the run was writing it",
            f"its {self.records} records are where it was moved to: {told}",
        )

    def what_is_safe(self) -> str:
        """A hint for who could not write more: what is kept, and how to go on."""
        return f"the {self.records} records written before are safe; make space, then {resume_hint(self.path.parent)}"

    def close(self) -> None:
        """Releases the file and its lock. May be called twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _place_of(descriptor: int) -> Path | None:
    """Where an open file lies now, None where the system does not tell."""
    try:
        return Path(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115 - the target may hold anything
    except OSError:
        return None


def compress(source: Path, target: Path) -> None:
    """Writes `source` gzipped to `target`, durably; the same bytes for the same content. Raises OSError."""
    with open_regular(source) as plain, create_file(target) as raw:
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
            while block := plain.read(1 << 20):
                packed.write(block)
        raw.flush()
        os.fsync(raw.fileno())
