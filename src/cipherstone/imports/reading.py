# SPDX-License-Identifier: Apache-2.0
"""Reads a report within bounds: it came from elsewhere, and a file of line ends alone would keep a parser busy for minutes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from cipherstone.model.errors import DataError

_LINE_END = re.compile(rb"\r\n|[\r\n]")
_HINT = "give the file as the program wrote it"


class Limits(NamedTuple):
    """What a program's reports do not come near. `line_bytes`: of one line; None for a document in JSON, which may be a single one."""

    all_bytes: int = 16 << 20
    lines: int = 200_000
    line_bytes: int | None = 8 << 10


TEXT = Limits()
DOCUMENT = Limits(all_bytes=64 << 20, lines=4_000_000, line_bytes=None)
# The data of one machine has a hundred megabytes and more; some lines hold a compiler's output.
SUPERCOP = Limits(all_bytes=256 << 20, lines=4_000_000, line_bytes=64 << 10)


def read_report(path: Path, limits: Limits) -> str:
    """The text of a report. Raises DataError with one line: too large, too many lines, a line too long, not UTF-8."""
    try:
        with path.open("rb") as stream:
            content = stream.read(limits.all_bytes + 1)
            size = max(path.stat().st_size, len(content))
    except OSError as error:
        raise DataError(f"{path.name}: cannot be read: {error.strerror}", "check its permissions") from None
    if size > limits.all_bytes:
        raise DataError(f"{path.name}: {size} bytes: too large to be read", f"at most {limits.all_bytes >> 20} MiB")
    if content.count(b"\n") > limits.lines or content.count(b"\r") > limits.lines:
        raise DataError(f"{path.name}: more than {limits.lines} lines", _HINT)
    if limits.line_bytes is not None:
        _check_lines(path.name, content, limits.line_bytes)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: byte {error.start} is not UTF-8", "save the file as UTF-8") from None


def _check_lines(name: str, content: bytes, most: int) -> None:
    begin, number = 0, 1
    for end in _LINE_END.finditer(content):
        if end.start() - begin > most:
            break
        begin, number = end.end(), number + 1
    else:
        if len(content) - begin <= most:
            return
    raise DataError(f"{name}: line {number}: longer than {most} bytes", _HINT)
