# SPDX-License-Identifier: Apache-2.0
"""Keeps a program that is not ours: a process of its own that starts it, waits for it, and ends all that came of it. Run as a script; the standard library alone.

Descendants that leave their session or lose their parent come to the supervisor (Linux: PR_SET_CHILD_SUBREAPER), so it finds them. It ends itself with what it keeps when its own parent is gone.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

_PDEATHSIG, _SUBREAPER = 1, 36  # prctl
_PATIENCE_S = 20.0  # to end what was killed: a process that the kernel holds may not be waited for longer
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class _Ended(Exception):
    """Told to end."""


def main(parent: int, words: list[str]) -> int:
    """The status of the program, 128 and the number of the signal that ended it, as shells have it; 127 if it does not start."""
    if sys.platform == "linux":
        system = ctypes.CDLL(None, use_errno=True)
        system.prctl(_SUBREAPER, 1, 0, 0, 0)
        system.prctl(_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    for number in _ENDING:
        signal.signal(number, _end)
    child = os.fork()
    if child == 0:
        _become(words)
    status = 128 + signal.SIGTERM
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        if os.getppid() != parent:
            raise _Ended
        while True:
            pid, code = os.wait()
            if pid == child:
                status = os.waitstatus_to_exitcode(code)
                break
    except _Ended:
        pass
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        _sweep(child)
    return status if status >= 0 else 128 - status


def _end(number: int, _: FrameType | None) -> None:
    raise _Ended


def _become(words: list[str]) -> None:
    try:
        os.setsid()
        for number in _ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        os.execvp(words[0], words)
    except OSError as error:
        os.write(2, f"{words[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _sweep(child: int) -> None:
    """Kills all descendants, again and again: each that dies may hand over others."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        for pid in _descendants():
            _kill(pid)
        try:
            os.killpg(child, signal.SIGKILL)  # where there is no /proc
        except (ProcessLookupError, PermissionError):
            pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _descendants() -> list[int]:
    children: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = place.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        children.setdefault(int(told[1]), []).append(int(place.parent.name))
    found, waiting = [], [os.getpid()]
    while waiting:
        new = children.get(waiting.pop(), [])
        found += new
        waiting += new
    return found


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
