# SPDX-License-Identifier: Apache-2.0
"""What workers leave behind. A child that went into a session of its own is in no group that is killed with its worker; it would use a core for the rest of the run, and outlive it.

On Linux this process adopts what lost its parent (PR_SET_CHILD_SUBREAPER). After a worker its strays are found by the environment that it was started with, and when a command ends, whatever is left of its
descendants is killed. Elsewhere, and after `kill -9` of this process, the groups of the workers are all that ends.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import NamedTuple

_SUBREAPER = 36  # prctl
_MARK = b"CS_PAD="  # every worker has it, and what it starts has its environment unless it takes another one
_EVERY_S = (
    1.0  # between two looks after workers that ended in good order: a look reads what every process of the machine is
)
_PATIENCE_S = 5.0  # for what was killed to be gone; who forks as fast as it is killed is given up then


class _Process(NamedTuple):
    parent: int
    session: int


class _Here:
    """Of this process. `before`: children that it had before the first worker (a shell's job, if the shell became this program); None: it has adopted nothing."""

    def __init__(self) -> None:
        self.starting = Lock()
        self.workers: set[int] = set()
        self.before: frozenset[int] | None = None
        self.looked_s = 0.0


_here = _Here()


@contextmanager
def starting() -> Iterator[set[int]]:
    """Around the start of a worker: its number goes into the set that is given, before anybody looks for strays, and leaves it by `ended`."""
    with _here.starting:
        if _here.before is None:
            me = os.getpid()
            _here.before = frozenset(pid for pid, one in _processes().items() if one.parent == me)
            if sys.platform == "linux":
                with suppress(OSError, AttributeError):
                    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
        yield _here.workers


def ended(worker: int, in_order: bool = False) -> None:
    """Kills what an ended worker left behind. `in_order`: it ended when asked to, so that one look a second suffices."""
    with _here.starting:
        _here.workers.discard(worker)
        if in_order and time.monotonic() - _here.looked_s < _EVERY_S:
            return
        _kill_all(marked=True)
        _here.looked_s = time.monotonic()


def end_all() -> None:
    """Kills all that workers of this process started and that is still there, marked or not: at the end of a command, when nothing else that it started is. Takes no lock, since a handler of signals calls it too."""
    if _here.before is not None:
        _kill_all(marked=False)


def _kill_all(marked: bool) -> None:
    end = time.monotonic() + _PATIENCE_S
    while strays := _strays(marked):
        for pid in strays:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for (
            pid
        ) in strays:  # those that are this process's children by now; the others go to it when their parents are gone
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > end:
            return
        time.sleep(0.001)


def _strays(marked: bool) -> list[int]:
    """Adopted processes and their descendants: children of this process in other sessions than its own, which are neither workers that run nor older than the first worker."""
    known, me, own = _processes(), os.getpid(), os.getsid(0)
    children: dict[int, list[int]] = {}
    for pid, one in known.items():
        children.setdefault(one.parent, []).append(pid)
    waiting = [
        pid
        for pid in children.get(me, ())
        if known[pid].session != own
        and pid not in _here.workers
        and pid not in (_here.before or ())
        and (not marked or _is_marked(pid))
    ]
    found = []
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], ())
    return found


def _is_marked(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as stream:  # noqa: PTH123 - some hundred of them
            environment = stream.read(1 << 20)
    except OSError:
        return False
    return environment.startswith(_MARK) or b"\0" + _MARK in environment


def _processes() -> dict[int, _Process]:
    """All that /proc shows; nothing where there is none."""
    found = {}
    with suppress(OSError):
        for name in os.listdir("/proc"):  # noqa: PTH208
            if name.isdecimal():
                with suppress(OSError, IndexError, ValueError):
                    told = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()
                    found[int(name)] = _Process(int(told[1]), int(told[3]))
    return found
