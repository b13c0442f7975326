# SPDX-License-Identifier: Apache-2.0
"""Where the threads of another process run (Linux: `sched_setaffinity` and /proc)."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def pin_process(pid: int, cpu: int) -> bool:
    """Pins a process to a CPU, and every thread that it has started. True if it was elsewhere. Raises OSError where the system refuses, AttributeError where it has no such call.

    A thread that stays behind computes beside the others, on a CPU that is not watched: two threads of a pool then do in half of the time what takes all of the CPU time.
    """
    moved = _moved(pid, cpu)
    if moved:
        threads = Path(f"/proc/{pid}/task")
        for thread in threads.iterdir() if threads.is_dir() else ():
            with suppress(ProcessLookupError):  # it has ended since
                _moved(int(thread.name), cpu)
    return moved


def _moved(thread: int, cpu: int) -> bool:
    if os.sched_getaffinity(thread) == {cpu}:
        return False
    os.sched_setaffinity(thread, {cpu})
    return True
