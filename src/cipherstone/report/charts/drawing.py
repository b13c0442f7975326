# SPDX-License-Identifier: Apache-2.0
"""Charts are drawn in a process of their own, one for all charts of a page. If it breaks, the page is written without the missing charts, and `problem` says why."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer

from cipherstone.report.charts import renderer
from cipherstone.report.charts.vega_lite import Spec

LONGEST_S = 300.0  # for one chart; a second is much


class Drawing:
    """The renderer while a page is made. `problem`: one line if it broke, else ""; `lost`: how many charts could not be drawn."""

    def __init__(self) -> None:
        self.problem = ""
        self.lost = 0
        self._process: subprocess.Popen[bytes] | None = None

    def svg(self, spec: Spec) -> str:
        """The SVG of a specification, "" where it cannot be drawn here. Raises ValueError for one that the renderer refuses."""
        reply = None if self.problem else self._reply(json.dumps(spec).encode() + b"\n")
        if isinstance(reply, dict):
            raise ValueError(reply["error"])
        if not isinstance(reply, str):
            self.lost += 1
            return ""
        return reply

    def _reply(self, line: bytes) -> object:
        try:
            if self._process is None:
                # Not beside its own folder's modules, which have common names.
                words = [sys.executable, "-P", renderer.__file__]
                pipe = subprocess.PIPE
                self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
            process = self._process
            assert process.stdin is not None and process.stdout is not None
            limit = Timer(LONGEST_S, process.kill)
            limit.start()
            try:
                process.stdin.write(line)
                process.stdin.flush()
                return json.loads(process.stdout.readline())
            finally:
                limit.cancel()
        except (OSError, ValueError, RuntimeError, MemoryError):  # no process, no thread, no reply
            status = self.close()
            how = f"ended with {status}" if status is not None else "cannot be started"
            self.problem = f"some charts are missing: their renderer {how}; it needs several GiB of address space (ulimit -v), and the tables have all figures"
            return None

    def close(self) -> int | None:
        """Ends the renderer; its status, None if it was never started."""
        process, self._process = self._process, None
        if process is None:
            return None
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            return process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


_current: list[Drawing] = []


@contextmanager
def drawing() -> Iterator[Drawing]:
    """Within it, one renderer draws all charts; a block inside another one uses the same renderer."""
    if _current:
        yield _current[-1]
        return
    one = Drawing()
    _current.append(one)
    try:
        yield one
    finally:
        _current.remove(one)
        one.close()
