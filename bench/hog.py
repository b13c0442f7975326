# SPDX-License-Identifier: Apache-2.0
"""A bursty neighbour on every CPU, for as long as a `with` block lasts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType

from cipherstone.host.facts import allowed_cpus

BUSY_MS, IDLE_MS = 10, 65
LONGEST_S = 1800


class Hogs:
    """One process a CPU: about 10 ms busy, 65 ms idle. They end with the block, with this process (their input closes), or after half an hour."""

    def __init__(self, program: Path) -> None:
        self._program = program
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Hogs:
        for cpu in allowed_cpus() or [0]:
            words = [str(self._program), str(cpu), str(BUSY_MS), str(IDLE_MS), str(LONGEST_S)]
            self._running.append(subprocess.Popen(words, stdin=subprocess.PIPE))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for hog in self._running:
            hog.terminate()
            hog.wait()
            if hog.stdin is not None:
                hog.stdin.close()
