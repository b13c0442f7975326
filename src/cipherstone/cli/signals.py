# SPDX-License-Identifier: Apache-2.0
"""Signals that ask for an end: the first ends the command in good order, a second one at once. Workers and builds end either way."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from types import FrameType

from cipherstone.build.sandbox import end_builds
from cipherstone.worker.descendants import end_all
from cipherstone.worker.process import end_workers

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN_S = 0.01


class Ended:
    """`number`: the signal that interrupted the command, None as long as none did. `code`: the exit code of who ends by it."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._running: bool | None = None  # None: not yet
        self._seen = False

    @contextmanager
    def raising(self) -> Iterator[None]:
        """Within, the first signal raises KeyboardInterrupt. Before, a signal ends the program. After, the command is done and only cleans up, where nothing would catch an exception: the first signal is ignored."""
        self._running = True
        try:
            yield
        finally:
            self._running = False

    @property
    def code(self) -> int:
        """128 and the signal's number: 130 for an interruption, as shells have it."""
        return 128 + (self.number or signal.SIGINT)

    def _handle(self, number: int, _: FrameType | None) -> None:
        end_builds()  # they run in threads, which no exception reaches, and would be waited for
        if self._running is None:
            with suppress(OSError):
                os.write(2, b"interrupted\n")
            os._exit(128 + number)
        if self._seen:
            end_workers()
            end_all()
            with suppress(OSError):
                os.write(2, b"\ninterrupted again: ended at once; what a run had measured is kept\n")
            os._exit(128 + number)
        self._seen = True
        if self._running:
            self.number = number
            raise KeyboardInterrupt

    def _again(self, lost: sys.UnraisableHookArgs) -> None:
        """An exception where Python cannot raise one, in `__del__` for instance, is dropped, an interruption too: then the signal comes once more."""
        number = self.number
        if lost.exc_type is not KeyboardInterrupt or number is None:
            sys.__unraisablehook__(lost)
            return
        self.number, self._seen = None, False
        later = Timer(AGAIN_S, os.kill, (os.getpid(), number))
        later.daemon = True
        later.start()


@contextmanager
def ending_signals() -> Iterator[Ended]:
    """Within, SIGINT, SIGTERM and SIGHUP end the command as `Ended.raising` says. Those that the caller ignores (`nohup`, a job in the background) stay ignored."""
    ended, before = Ended(), {}
    for number in ENDING:
        handler = signal.getsignal(number)
        if handler is not None and handler != signal.SIG_IGN:
            with suppress(ValueError):  # not the main thread: whose program this is sees to signals itself
                before[number] = signal.signal(number, ended._handle)
    hook = sys.unraisablehook
    if before:
        sys.unraisablehook = ended._again
    try:
        yield ended
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
