# SPDX-License-Identifier: Apache-2.0
"""Reads a TOML or JSON file into a strict type; whatever is wrong becomes one line: file, place, value, hint."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec

from cipherstone.model.errors import DataError, nearest
from cipherstone.model.text import UNREADABLE, unreadable_text

T = TypeVar("T")

_AT = re.compile(r" - at `(?P<place>.*)`\Z", re.DOTALL)
_FIELD = re.compile(r"field `(?P<name>[^`]*)`")
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>[0-9]+|\.\.\.)\]")


def read_text(path: Path, name: str) -> str:
    """The file's UTF-8 text. `name` is shown to people. Raises DataError."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror}", "is the checkout complete?") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: byte {error.start} is not UTF-8", "save the file as UTF-8") from None


def read_toml(path: Path, name: str, shape: type[T], given: Mapping[str, Any] = {}) -> T:
    """The TOML file as `shape` (a Struct that forbids unknown fields). `given`: fields that stand elsewhere, and must not stand in the file. Raises DataError."""
    try:
        raw = _parsed(read_text(path, name))
    # A number with too many digits and brackets that are nested too deeply raise errors of other kinds than the parser's.
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name}: not TOML: {one_line(str(error))}", "see https://toml.io") from None
    for field in given:
        if field in raw:
            raise DataError(f"{name}: top level: unknown key '{field}'", "it stands in another file")
    return _convert(raw | dict(given), name, shape)


@lru_cache(maxsize=256)
def _parsed(text: str) -> dict[str, Any]:
    """TOML, parsed once a process however often it is read: the parser takes longer than all that is made of its result, which nothing changes."""
    return tomllib.loads(text)


def read_json(path: Path, name: str, shape: type[T]) -> T:
    """The JSON file as `shape`. Raises DataError."""
    try:
        raw = msgspec.json.decode(read_text(path, name))
    except UNREADABLE as error:
        raise DataError(f"{name}: not JSON: {unreadable_text(error)}", "") from None
    return _convert(raw, name, shape)


MOST_OUTPUT_BYTES = 64 << 20


def decode_output(path: Path, name: str, shape: type[T], hint: str) -> T:
    """Reads JSON that a command of this program wrote and that may have been edited since. `name` begins the error message. Raises OSError, and DataError for a file that is too large, nested too deeply, or not of this shape."""
    with path.open("rb") as stream:
        content = stream.read(MOST_OUTPUT_BYTES + 1)
    if len(content) > MOST_OUTPUT_BYTES:
        raise DataError(f"{name}: larger than {MOST_OUTPUT_BYTES >> 20} MiB", hint)
    try:
        return msgspec.json.decode(content, type=shape)
    except UNREADABLE as error:
        raise DataError(f"{name}: {unreadable_text(error)}", hint) from None


def one_line(text: object, limit: int = 60) -> str:
    """`text` without line breaks, cut to `limit` characters."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= limit else flat[: limit - 3] + "..."


def shown(value: object) -> str:
    """A value as a message shows it: quoted, cut."""
    return f"'{one_line(value)}'"


def _convert(raw: object, name: str, shape: type[T]) -> T:
    try:
        return msgspec.convert(raw, shape)
    except msgspec.ValidationError as error:
        raise _explain(str(error), raw, name, shape) from None


def _explain(text: str, raw: object, name: str, shape: Any) -> DataError:
    at = _AT.search(text)
    reason = text[: at.start()] if at else text
    place = at["place"].removeprefix("key` in `") if at else "$"
    value, shape_here = _walk(raw, shape, place)
    where = place.removeprefix("$").lstrip(".").replace("`", "") or "top level"
    named = _FIELD.search(reason)
    if named and "unknown" in reason:
        return DataError(
            f"{name}: {where}: unknown key '{one_line(named['name'])}'", nearest(named["name"], _fields(shape_here))
        )
    if named and "missing" in reason:
        return DataError(f"{name}: {where}: key '{named['name']}' is missing", f"add `{named['name']} = ...`")
    reason = reason[:1].lower() + reason[1:].replace("`", "")
    return DataError(f"{name}: {where}: {one_line(reason, 120)}, but the value is {shown(value)}", "")


def _walk(raw: object, shape: Any, place: str) -> tuple[object, Any]:
    """Value and type at a place such as `$.algorithm[0].title`."""
    value, here = raw, shape
    for step in _STEP.finditer(place):
        here = _struct_or_container(here)
        if step["key"] is not None:
            value = value.get(step["key"]) if isinstance(value, dict) else None
            hints = {field.name: field.type for field in msgspec.structs.fields(here)} if _is_struct(here) else {}
            here = hints.get(step["key"], object)
            continue
        arguments = get_args(here)
        here = arguments[-1] if get_origin(here) is dict else (arguments[0] if arguments else object)
        if step["index"] != "..." and isinstance(value, list):
            value = value[int(step["index"])]
    return value, _struct_or_container(here)


def _struct_or_container(shape: Any) -> Any:
    """The member of a union that can be entered; the type itself if it is no union."""
    if get_origin(shape) in (Union, UnionType):
        for member in get_args(shape):
            if _is_struct(member) or get_args(member):
                return member
    return shape


def _is_struct(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, msgspec.Struct)


def _fields(shape: Any) -> list[str]:
    return [field.name for field in msgspec.structs.fields(shape)] if _is_struct(shape) else []
