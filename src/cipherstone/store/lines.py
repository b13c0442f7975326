# SPDX-License-Identifier: Apache-2.0
"""Lines of a journal: a record in JSON, with the CRC-32 (as in zlib) of the record and of its place as last key, so that no changed, lost or exchanged line is taken for what was measured. A seal stands over a finished run; a run that is not finished has this alone.

A checksum finds accidents: who can write the file can write checksums too.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from cipherstone.model.errors import StoreError
from cipherstone.model.records import Record
from cipherstone.model.text import UNREADABLE, unreadable_text

_KEY, _END = b',"crc":"', b'"}'
_DIGITS = 8
_LENGTH = len(_KEY) + _DIGITS + len(_END)
_RESTORE = "the file was edited or damaged: restore it from a copy, or read it leaving such lines out"
_decoder: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)


def encode_line(record: Record, number: int, summed: bool = True) -> bytes:
    """Line `number` (from 1) of a journal, with its newline. `summed` False: as journals were before there were checksums."""
    if not summed:
        return msgspec.json.encode(record) + b"\n"
    body = msgspec.json.encode(record)[:-1]
    return body + _KEY + _checksum(body, number) + _END + b"\n"


def _checksum(body: bytes, number: int) -> bytes:
    return b"%08x" % zlib.crc32(b"%d" % number, zlib.crc32(body))


class LineReader:
    """Reads the lines of one journal, from the first. All have checksums or, from before there were any, none has."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.summed: bool | None = None  # None until the first line that is a record

    def record(self, line: bytes, number: int) -> Record:
        """The record of line `number` (from 1), without its newline. Raises StoreError naming file, line and what is wrong in it."""
        summed = line[-_LENGTH : -_LENGTH + len(_KEY)] == _KEY
        if self.summed is not None and summed != self.summed:
            raise self._wrong(number, "has no checksum, and earlier ones have" if self.summed else "has a checksum, and earlier ones have none")  # fmt: skip
        if summed and line[-_LENGTH + len(_KEY) :] != _checksum(line[:-_LENGTH], number) + _END:
            raise self._wrong(number, "is not what was written: its checksum differs")
        try:
            record = _decoder.decode(line)
        except UNREADABLE as error:
            raise self._wrong(number, unreadable_text(error)) from error
        self.summed = summed
        return record

    def _wrong(self, number: int, what: str) -> StoreError:
        return StoreError(f"journal: {self._path}: line {number}: {what}", _RESTORE)
