# SPDX-License-Identifier: Apache-2.0
"""A worker as raw lines: what is sent and what comes back, byte by byte. For judging a worker's keeping to the protocol; what measures uses `WorkerProcess`."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

from cipherstone.worker import descendants

REPLY_SECONDS = 30.0
# Nothing is inherited, as when it is measured (protocol/PROTOCOL.md section 6).
ENVIRONMENT = {"LC_ALL": "C", "CS_PAD": "x" * 100}
TAIL_BYTES = 500  # of standard error, shown where a worker ends


class BrokenProtocol(AssertionError):
    """A worker that does not keep to the protocol; the text says how, in one line or a few."""


class Silence(BrokenProtocol):
    """A worker that did not answer, or ended."""


class Conversation:
    """One worker process; `with` kills it at the end. `popen`: further arguments of Popen."""

    def __init__(self, command: Sequence[str], seconds: float = REPLY_SECONDS, **popen: Any) -> None:
        pipe = subprocess.PIPE
        popen = {"env": ENVIRONMENT, "start_new_session": True, **popen}
        with descendants.starting() as workers:
            self.process = subprocess.Popen(list(command), bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, **popen)
            workers.add(self.process.pid)
        self.seconds = seconds
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
        with self.process:  # whose end closes the pipes
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
            self.process.wait()
            descendants.ended(self.process.pid)
            self.drain.join(self.seconds)  # a child elsewhere may hold the pipe

    def _drain(self) -> None:
        assert self.process.stderr is not None
        while data := os.read(self.process.stderr.fileno(), 65536):
            self.errors += data

    def send(self, data: bytes) -> None:
        """Writes all of `data`; a worker that has said bye may not read it. Silence if it reads nothing for the time limit."""
        assert self.process.stdin is not None
        view = memoryview(data)
        descriptor = self.process.stdin.fileno()
        try:
            while view:
                if not select.select([], [descriptor], [], self.seconds)[1]:
                    raise Silence(f"it did not read what was sent within {self.seconds:g} s")
                # A pipe that is ready takes this much without blocking.
                view = view[os.write(descriptor, view[: select.PIPE_BUF]) :]
        except BrokenPipeError:
            pass

    def read_line(self, seconds: float | None = None) -> bytes:
        """The next reply without its newline."""
        assert self.process.stdout is not None
        limit = self.seconds if seconds is None else seconds
        deadline = time.monotonic() + limit
        parts = [self.pending]
        while b"\n" not in parts[-1]:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Silence(f"no reply within {limit:g} s")
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                status = self.process.wait()
                self.drain.join(self.seconds)  # what it said last is still on its way
                raise Silence(f"the worker ended: {status}, {bytes(self.errors[-TAIL_BYTES:])!r}")
            parts.append(data)
        line, _, self.pending = b"".join(parts).partition(b"\n")
        return line

    def reply(self) -> dict[str, Any]:
        """The next reply. Broken if it is none."""
        line = self.read_line()
        try:
            parsed = json.loads(line)
        except (ValueError, RecursionError):
            raise BrokenProtocol(f"not a JSON object: {line[:200]!r}") from None
        if not isinstance(parsed, dict) or type(parsed.get("seq")) is not int or type(parsed.get("ok")) is not bool:
            raise BrokenProtocol(f"no reply with 'seq' and 'ok': {line[:200]!r}")
        return parsed

    def ask(self, request: str) -> dict[str, Any]:
        """One request, and its reply."""
        self.send(request.encode("latin-1") + b"\n")
        return self.reply()

    def end(self) -> tuple[int, bytes]:
        """Closes the input. Returns the exit status and what was still written to standard output. Silence if it goes on."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        deadline = time.monotonic() + self.seconds
        rest = [self.pending]
        while select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                break
            rest.append(data)
        try:
            return self.process.wait(max(0.1, deadline - time.monotonic())), b"".join(rest)
        except subprocess.TimeoutExpired:
            raise Silence(f"it goes on {self.seconds:g} s after the end of its input") from None
