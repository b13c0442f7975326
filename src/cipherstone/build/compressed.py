# SPDX-License-Identifier: Apache-2.0
"""A compressed file read forward once, within limits: of bytes, of how many come out of how few, of memory. The standard library alone, any Python that is promised."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol

MAX_BYTES = 2 << 30  # of all that an archive unpacks to
MAX_RATIO = 64  # unpacked bytes for each packed one
FREE_BYTES = 64 << 20  # so much is unpacked at any ratio
MAX_READ = 1 << 20  # asked for at once: what a header may claim that it is long
_MEMORY = 512 << 20  # of a decompressor
_CHUNK = 1 << 18


class ArchiveRefused(Exception):
    """What is wrong with an archive, in a few words."""


def within(total: int, packed: int) -> None:
    """Raises Refused if `total` bytes are too many, or too many out of `packed`."""
    if total > MAX_BYTES:
        raise ArchiveRefused(f"unpacks to more than {MAX_BYTES >> 20} MiB")
    if total > FREE_BYTES and total > packed * MAX_RATIO:
        raise ArchiveRefused(f"unpacks to more than {MAX_RATIO} times its {packed} bytes")


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    @property
    def needs_input(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """As the other two are asked."""

    def __init__(self) -> None:
        self._one = zlib.decompressobj(31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._one.eof

    @property
    def unused_data(self) -> bytes:
        return self._one.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        out = self._one.decompress(self._one.unconsumed_tail + data, max_length)
        # What did not fit is asked for with no more input, until less comes than could have.
        self.needs_input = not self._one.unconsumed_tail and len(out) < max_length
        return out


_KINDS: dict[bytes, Callable[[], _Decompressor]] = {
    b"\x1f\x8b": _Gzip,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _MEMORY),
    b"\x5d\0\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_ALONE, _MEMORY),
}


class Forward:
    """What `tarfile` reads: the unpacked bytes of `file`, in one direction. Raises Refused beyond a limit."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, max(1, size)
        self._at = 0
        self._rest = b""  # unpacked and not yet asked for
        start = file.read(8)
        self._packed = start
        self._new = next((made for magic, made in _KINDS.items() if start.startswith(magic)), None)
        self._one: _Decompressor | None = self._new() if self._new is not None else None

    def read(self, size: int = -1) -> bytes:
        """`size` bytes; fewer at the end. Not all of them, whatever that is."""
        if not 0 <= size <= MAX_READ:
            raise ArchiveRefused(f"a header in it claims {size} bytes")
        parts = []
        while size > 0:
            if not self._rest:
                self._rest = self._more()
                if not self._rest:
                    break
            part, self._rest = self._rest[:size], self._rest[size:]
            parts.append(part)
            size -= len(part)
            self._at += len(part)
        return b"".join(parts)

    def tell(self) -> int:
        """Bytes read or passed so far."""
        return self._at

    def seek(self, place: int) -> int:
        """Forward alone: what names an earlier place leads in a circle."""
        if place < self._at:
            raise ArchiveRefused("a header in it leads back")
        within(place, self._size)
        while self._at < place and self.read(min(_CHUNK, place - self._at)):
            pass
        return self._at

    def _more(self) -> bytes:
        data = self._unpacked()
        within(self._at + len(data), self._size)
        return data

    def _unpacked(self) -> bytes:
        """The next bytes; b"" at the end. Raises EOFError if there is none."""
        if self._new is None:
            data, self._packed = self._packed, b""
            return data or self._file.read(_CHUNK)
        while self._one is not None:
            if self._one.eof:
                self._next_stream(self._one)
                continue
            data, self._packed = self._packed, b""
            if self._one.needs_input and not data:
                data = self._file.read(_CHUNK)
                if not data:
                    raise EOFError("ends in the middle")
            if out := self._one.decompress(data, _CHUNK):
                return out
        return b""

    def _next_stream(self, ended: _Decompressor) -> None:
        """Several packed parts one after the other are one; zeros may fill up to the end."""
        rest = (ended.unused_data or self._file.read(_CHUNK)).lstrip(b"\0")
        while not rest and (more := self._file.read(_CHUNK)):
            rest = more.lstrip(b"\0")
        if not rest:
            self._one = None
            return
        self._packed = rest + (self._file.read(8) if len(rest) < 8 else b"")
        same = next((made for magic, made in _KINDS.items() if self._packed.startswith(magic)), None)
        if same is None or same is not self._new:
            raise ArchiveRefused("something else follows what is packed")
        self._one = same()
