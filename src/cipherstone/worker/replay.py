# SPDX-License-Identifier: Apache-2.0
"""The golden conversations of protocol/transcripts, held against a worker. The rules of matching: protocol/transcripts/README.md."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from cipherstone.model.errors import DataError
from cipherstone.model.text import UNREADABLE, unreadable_text
from cipherstone.worker.conversation import BrokenProtocol, Conversation

TOY = "toy"  # the library that most conversations are about
CONTEXT = 3  # requests shown before the one that was answered otherwise
SHOWN = 300  # characters of a line


class Exchange(msgspec.Struct):
    """Requests that go out together, and the replies that follow them."""

    sent: list[str] = []
    expected: list[dict[str, Any]] = []


class ReplayVerdict(msgspec.Struct, frozen=True):
    """What became of one conversation or one attack. `right`: None if it was not held, `said` says why; otherwise `said` has the first difference, in lines."""

    name: str
    right: bool | None
    said: str = ""


def transcripts(root: Path) -> list[Path]:
    """The golden conversations of a checkout, in order. DataError if there are none."""
    found = sorted((root / "protocol" / "transcripts").glob("*.txt"))
    if not found:
        raise DataError(
            f"transcripts: {root / 'protocol' / 'transcripts'}: no conversations", "is this a whole checkout?"
        )
    return found


def exchanges(path: Path) -> list[Exchange]:
    """The requests that go out together, each group with the replies that follow it. Raises DataError."""
    found: list[Exchange] = []
    for number, line in enumerate(_lines(path), 1):
        if line.startswith("> "):
            if not found or found[-1].expected:
                found.append(Exchange())
            found[-1].sent.append(line[2:])
        elif line.startswith("< ") and found:
            try:
                found[-1].expected.append(msgspec.json.decode(line[2:], type=dict[str, Any]))
            except UNREADABLE as error:
                raise DataError(f"{path.name}: line {number}: no reply: {unreadable_text(error)}") from None
        elif line and not line.startswith("#"):
            raise DataError(f"{path.name}: line {number}: neither sent, nor expected, nor a comment: {line[:80]!r}")
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name}: byte {error.start} is not ASCII") from None


def needs_toy(path: Path) -> bool:
    """Whether a conversation is about the toy library; the others are for every worker."""
    text = "\n".join(_lines(path))
    return "op=toy-" in text or '"library":"toy"' in text or '"op":"toy-' in text


def differences(expected: Any, actual: Any, where: str = "reply") -> list[str]:
    """What of `expected` is not in `actual`."""
    number = type(actual) in (int, float)
    kinds = {
        "<any>": True,
        "<int>": type(actual) is int,
        "<number>": number,
        "<string>": isinstance(actual, str),
        "<hex>": isinstance(actual, str) and re.fullmatch("([0-9a-f]{2})*", actual) is not None,
    }
    if isinstance(expected, str) and (due := re.fullmatch("<readings ([0-9]+)>", expected)):
        return _readings(int(due[1]), actual, where)
    if isinstance(expected, str) and expected in kinds:
        return [] if kinds[expected] else [f"{where}: {actual!r} is no {expected}"]
    if isinstance(expected, dict) and isinstance(actual, dict):
        found = [f"{where}.{key}: missing" for key in expected if key not in actual]
        for key in (key for key in expected if key in actual):
            found += differences(expected[key], actual[key], f"{where}.{key}")
        return found
    if isinstance(expected, list) and isinstance(actual, list):
        found = [] if len(expected) == len(actual) else [f"{where}: {len(actual)} entries, not {len(expected)}"]
        for i, (e, a) in enumerate(zip(expected, actual, strict=False)):
            found += differences(e, a, f"{where}[{i}]")
        return found
    same = type(expected) is type(actual) and expected == actual
    return [] if same else [f"{where}: {actual!r}, not {expected!r}"]


def _readings(due: int, actual: Any, where: str) -> list[str]:
    """What keeps `actual` from being `due` probe readings, or the null of a worker without probes."""
    if actual is None:
        return []
    if not isinstance(actual, list) or len(actual) != due:
        return [f"{where}: {actual!r} are not {due} readings"]
    return [
        f"{where}[{i}]: {one!r} is no reading"
        for i, one in enumerate(actual)
        if one is not None and not (type(one) in (int, float) and one > 0)
    ]


def replay(command: Sequence[str], path: Path) -> None:
    """Raises Broken where the worker does not keep to the conversation: the request with those before it, what was expected, what came."""
    with Conversation(command) as worker:
        before: list[str] = []
        for exchange in exchanges(path):
            worker.send("".join(line + "\n" for line in exchange.sent).encode("ascii"))
            for place, expected in enumerate(exchange.expected):
                shown = [*before, *exchange.sent[: place + 1]][-1 - CONTEXT :]
                try:
                    actual = worker.reply()
                except BrokenProtocol as broken:
                    raise BrokenProtocol(_story(shown, expected, str(broken))) from None
                wrong = differences(expected, actual)
                if wrong:
                    raise BrokenProtocol(_story(shown, expected, json.dumps(actual), wrong[0]))
            before += exchange.sent
        status, rest = worker.end()
        if (status, rest) != (0, b""):
            raise BrokenProtocol(
                f"at the end of its input it exits with {status} and has written {rest[:80]!r}; due: 0, nothing"
            )


def _story(sent: Sequence[str], expected: Any, came: str, difference: str = "") -> str:
    lines = [f"> {line[:SHOWN]}" for line in sent]
    lines += [f"expected: {json.dumps(expected)[:SHOWN]}", f"came:     {came[:SHOWN]}"]
    return "\n".join(lines + ([difference[:SHOWN]] if difference else []))


def replay_all(command: Sequence[str], paths: Sequence[Path], toy: bool) -> list[ReplayVerdict]:
    """Every conversation, each with a fresh process. `toy`: whether the worker holds the toy library."""
    found = []
    for path in paths:
        if needs_toy(path) and not toy:
            found.append(ReplayVerdict(path.stem, None, "about the toy library"))
            continue
        try:
            replay(command, path)
            found.append(ReplayVerdict(path.stem, True))
        except BrokenProtocol as broken:
            found.append(ReplayVerdict(path.stem, False, str(broken)))
    return found
