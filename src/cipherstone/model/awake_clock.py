# SPDX-License-Identifier: Apache-2.0
"""A clock that stands still while this process is stopped (SIGSTOP, Ctrl-Z): bounds of time and limits of workers are of time that could be used.

A suspended machine needs nothing of this: the monotonic clock does not count its sleep. How long a stop took is known from the last look at the clock before it, which is as old as the request in hand, so that a little too much may be left out, never too little.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_stopped_s = 0.0
_looked_s = time.monotonic()


def awake_s() -> float:
    """Seconds of the monotonic clock, without those in which this process was stopped under `noticing_stops`."""
    global _looked_s
    _looked_s = time.monotonic()
    return _looked_s - _stopped_s


def _continued(_number: int, _frame: object) -> None:
    global _looked_s, _stopped_s
    now = time.monotonic()
    _stopped_s += now - _looked_s
    _looked_s = now


@contextmanager
def noticing_stops() -> Iterator[None]:
    """Meanwhile stops are noticed, by the signal that ends them. Only the main thread of a process can; in others, and on systems without the signal, stops count as time."""
    number = getattr(signal, "SIGCONT", None)
    if number is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, _continued)
    try:
        yield
    finally:
        signal.signal(number, before)
