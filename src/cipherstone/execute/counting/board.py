# SPDX-License-Identifier: Apache-2.0
"""A machine without an operating system: its worker begins anew for every cell, with all memory as it was at first, so that no cell sees another and no emulator has to be started for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cipherstone.protocol.messages import Empty
from cipherstone.worker import WorkerProcess

ENDING_S = 0.2  # a machine that begins anew does not end by itself


class BoardEmulator:
    """An emulator of a worker, started by `start` when first used; one that broke is replaced."""

    def __init__(self, start: Callable[[], WorkerProcess]) -> None:
        self._start = start
        self._worker: WorkerProcess | None = None

    @contextmanager
    def anew(self) -> Iterator[WorkerProcess]:
        """The worker as it begins. Raises WorkerError, Refusal, and what is raised inside, and is then another emulator the next time."""
        if self._worker is None:
            self._worker = self._start()
        try:
            self._worker.hello()
            yield self._worker
            self._worker.ask("bye", {}, Empty)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends it."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close(ENDING_S)
