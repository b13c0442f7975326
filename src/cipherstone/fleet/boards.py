# SPDX-License-Identifier: Apache-2.0
"""Counting on a machine without an operating system: its worker begins anew for every cell, with all memory as it was at first, so that no cell sees another and no emulator has to be started for each."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from cipherstone.build.counter import Tally, tallies
from cipherstone.model.errors import WorkerError
from cipherstone.protocol.messages import Empty
from cipherstone.worker import WorkerProcess

ENDING_S = 0.2  # a machine that begins anew does not end by itself


class _Machine:
    """An emulator that runs, and where its plugin writes."""

    def __init__(self, start: Callable[[Path], WorkerProcess]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="cipherstone-")
        self.out = Path(self._folder.name) / "calls"
        self.seen = 0
        try:
            self.worker = start(self.out)
        except BaseException:
            self._folder.cleanup()
            raise

    def close(self) -> None:
        self.worker.close(ENDING_S)
        self._folder.cleanup()


class Boards:
    """Emulators of one worker, by number, started when first used. `start`: one with a plugin that writes into a file."""

    def __init__(self, start: Callable[[Path], WorkerProcess], isa: str) -> None:
        self._start, self._isa = start, isa
        self._machines: dict[int, _Machine] = {}

    def count(
        self, number: int, ready: Callable[[WorkerProcess], None], call: Callable[[WorkerProcess], None]
    ) -> tuple[Tally, int | None]:
        """(what a call executed, its stack), of the second call since the machine began. Raises WorkerError, Refusal, and what `call` does."""
        if number not in self._machines:
            self._machines[number] = _Machine(self._start)
        machine = self._machines[number]
        try:
            worker = machine.worker
            worker.hello()
            ready(worker)
            stack = worker.memory(0).stack_bytes
            call(worker)
            lines = tallies(machine.out, self._isa) if machine.out.is_file() else []
            if len(lines) != machine.seen + 1:
                raise WorkerError("crashed", f"the emulator counted {len(lines) - machine.seen} calls, 1 was made")
            machine.seen = len(lines)
            worker.ask("bye", {}, Empty)
        except BaseException:
            self._machines.pop(number).close()
            raise
        return lines[-1], stack

    def close(self) -> None:
        """Ends them."""
        while self._machines:
            self._machines.popitem()[1].close()
