# SPDX-License-Identifier: Apache-2.0
"""Talks to a worker, and replays the conversations of protocol/transcripts."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

REPLY_SECONDS = 30.0


class Silence(AssertionError):
    """A worker that did not answer, or ended."""


class Conversation:
    """One worker process; `with` kills it at the end."""

    def __init__(self, command: list[str], **popen: Any) -> None:
        environment = {**os.environ, "LC_ALL": "C", "CS_PAD": "x" * 100}
        pipe = subprocess.PIPE
        popen.setdefault("env", environment)
        self.process = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, **popen)
        self.pending = b""
        self.errors = bytearray()
        # Standard error is drained, so that a worker that prints a lot is never stopped by a full pipe.
        self.drain = threading.Thread(target=self._drain, daemon=True)
        self.drain.start()

    def __enter__(self) -> Conversation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self.drain.join()
        for end in (self.process.stdin, self.process.stdout, self.process.stderr):
            if end is not None:
                end.close()

    def _drain(self) -> None:
        assert self.process.stderr is not None
        while data := os.read(self.process.stderr.fileno(), 65536):
            self.errors += data

    def send(self, data: bytes) -> None:
        """Writes all of `data`; a worker that has said bye may not read it."""
        assert self.process.stdin is not None
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self.process.stdin.fileno(), view) :]
        except BrokenPipeError:
            pass

    def read_line(self, seconds: float = REPLY_SECONDS) -> bytes:
        """The next reply without its newline."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + seconds
        parts = [self.pending]
        while b"\n" not in parts[-1]:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Silence(f"no reply within {seconds} s")
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                raise Silence(f"the worker ended: {self.process.wait()}, {bytes(self.errors[-500:])!r}")
            parts.append(data)
        line, _, self.pending = b"".join(parts).partition(b"\n")
        return line

    def reply(self) -> dict[str, Any]:
        line = self.read_line()
        parsed = json.loads(line)
        assert isinstance(parsed, dict), line
        assert type(parsed["seq"]) is int and type(parsed["ok"]) is bool, line
        return parsed

    def ask(self, request: str) -> dict[str, Any]:
        self.send(request.encode("latin-1") + b"\n")
        return self.reply()

    def end(self) -> tuple[int, bytes]:
        """Closes the input. Returns the exit status and what was still written to standard output."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        rest = self.pending + self.process.stdout.read()
        return self.process.wait(timeout=REPLY_SECONDS), rest


def differences(expected: Any, actual: Any, where: str = "reply") -> list[str]:
    """What of `expected` is not in `actual`, by the rules of protocol/transcripts/README.md."""
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
        for key in expected.keys() & actual.keys():
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


@dataclass
class Exchange:
    sent: list[str] = field(default_factory=list)
    expected: list[dict[str, Any]] = field(default_factory=list)


def exchanges(path: Path) -> list[Exchange]:
    """The requests that go out together, each group with the replies that follow it."""
    found: list[Exchange] = []
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith("> "):
            if not found or found[-1].expected:
                found.append(Exchange())
            found[-1].sent.append(line[2:])
        elif line.startswith("< "):
            found[-1].expected.append(json.loads(line[2:]))
        elif line and not line.startswith("#"):
            raise ValueError(f"{path.name}: neither sent, nor expected, nor a comment: {line!r}")
    return found


def replay(command: list[str], path: Path) -> None:
    """Raises AssertionError where the worker does not keep to the conversation."""
    with Conversation(command) as worker:
        for exchange in exchanges(path):
            worker.send("".join(line + "\n" for line in exchange.sent).encode("ascii"))
            for expected in exchange.expected:
                actual = worker.reply()
                wrong = differences(expected, actual)
                assert not wrong, f"{path.name}: {exchange.sent}: {wrong}"
        assert worker.end() == (0, b""), path.name
