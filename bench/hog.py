# SPDX-License-Identifier: Apache-2.0
"""Neighbours of all kinds, for as long as a `with` block lasts."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from cipherstone.host.facts import allowed_cpus

LONGEST_S = 1800


class Habit(NamedTuple):
    """What a neighbour does: about `busy_ms` of work, about `idle_ms` of sleep (0: none), each drawn from a tenth to nearly twice that; `copy_mib`: its work is copying so much memory, 0: multiplying and adding."""

    busy_ms: float
    idle_ms: float
    copy_mib: int = 0


BURSTS = Habit(220, 220)  # half of the time, in bursts of 22 to 420 ms


class Hogs:
    """One process on each of `cpus` (all that are allowed, if not said). They end with the block, with this process (their input closes), or after half an hour."""

    def __init__(self, program: Path, habit: Habit = BURSTS, cpus: Sequence[int] | None = None) -> None:
        self._program = program
        self._habit = habit
        self._cpus = list(cpus) if cpus is not None else allowed_cpus() or [0]
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Hogs:
        busy, idle, mib = self._habit
        for cpu in self._cpus:
            words = [
                str(self._program),
                str(cpu),
                f"{busy:g}",
                f"{idle:g}",
                str(LONGEST_S),
                *([str(mib)] if mib else []),
            ]
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
        self._running.clear()
