# SPDX-License-Identifier: Apache-2.0
"""Text of others (bundles, workers, file names) made fit to be shown: nothing in it moves a cursor, ends an escape sequence or turns a line around."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
# What `msgspec` raises for bytes that are not JSON of the expected type. Text that is not UTF-8, and text that is nested too deeply, raise errors of other kinds.
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

# C0 but tab and line feed, DEL, C1; line and paragraph separators; what overrides the direction of text; halves of a pair; what is no character.
_UNFIT = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff"
_CONTROL = re.compile(f"[{_UNFIT}]")
_NOT_IN_LINES = re.compile(f"[{_UNFIT}\\t\\n]+")
REPLACEMENT = "\ufffd"


def showable(text: str) -> str:
    """`text` with U+FFFD for every character that controls the one who shows it; tabs and line ends stay."""
    return _CONTROL.sub(REPLACEMENT, text)


def in_one_line(text: str) -> str:
    """`text` with one space for everything in it that would end a line, move a cursor or turn the line around."""
    return _NOT_IN_LINES.sub(" ", text)


def brief(text: str, longest: int = 200) -> str:
    """`text` as it is quoted in a message: of a longer one the beginning."""
    return text if len(text) <= longest else f"{text[:longest]}..."


def unreadable_text(error: BaseException) -> str:
    """What is wrong with bytes that cannot be read, for a message: a decoder quotes the value that it refuses, however long that is, and names its own calls where it gives up nesting."""
    return "nested too deeply" if isinstance(error, RecursionError) else brief(in_one_line(str(error)))


def shown(value: Any) -> Any:
    """Lists, tuples and dictionaries of whatever with every text, keys too, made showable."""
    if isinstance(value, str):
        return showable(value)
    if isinstance(value, dict):
        return {shown(key): shown(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(shown(one) for one in value)
    return value


def showable_struct(value: T) -> T:
    """A Struct with every text in it made showable: itself, if there is nothing to do."""
    plain = msgspec.to_builtins(value)
    clean = shown(plain)
    return value if clean == plain else msgspec.convert(clean, type(value), strict=False)
