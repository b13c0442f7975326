# SPDX-License-Identifier: Apache-2.0
"""Running what others wrote: builds of libraries get a list of settings and a home that is empty, no network where the system can cut it off, and leave nothing behind that runs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import IO

import msgspec

from cipherstone.build import supervisor
from cipherstone.catalogue.paths import data_root
from cipherstone.worker.ended import reap

_ENDED_S = 30.0  # until a supervisor has ended what it started
_TRIAL_S = 20
_running: set[subprocess.Popen[bytes]] = set()
_starting = threading.Lock()  # held until what was started is among those that run


class Walls(Enum):
    """What stands around a build, the best first."""

    BUBBLEWRAP = "bubblewrap"
    NAMESPACES = "namespaces"
    USER_NAMESPACES = "user namespaces"
    NETWORK = "a namespace for the network"
    NONE = "none"


_SPACES = ("--net", "--pid", "--fork", "--kill-child", "--mount-proc")
# The words before a command; not values of the enumeration, where some 3.11 make another object of an empty tuple.
_WORDS: dict[Walls, tuple[str, ...]] = {
    Walls.BUBBLEWRAP: ("bwrap", "--die-with-parent", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
    Walls.NAMESPACES: ("unshare", *_SPACES),
    Walls.USER_NAMESPACES: ("unshare", "--map-current-user", *_SPACES),
    Walls.NETWORK: ("unshare", "--map-root-user", "--net"),
}  # fmt: skip


@lru_cache(maxsize=1)
def walls() -> Walls:
    """The best of them that works here: the first that lets a program run."""
    for kind, before in _WORDS.items():
        if shutil.which(before[0]) is None:
            continue
        with suppress(OSError, subprocess.TimeoutExpired):
            words = [*before, "true"]
            if subprocess.run(words, capture_output=True, timeout=_TRIAL_S, check=False).returncode == 0:
                return kind
    return Walls.NONE


def clean_environment(scratch: Path) -> dict[str, str]:
    """What every foreign program gets: where programs are, an empty home and an empty folder for temporary files, both below `scratch`. Nothing else of the caller's."""
    home, temporary = scratch / "home", scratch / "tmp"
    for folder in (home, temporary):
        folder.mkdir(mode=0o700, exist_ok=True)
    known = {"PATH": _path(), "HOME": str(home), "TMPDIR": str(temporary), "LANG": "C", "LC_ALL": "C"}
    # Where rustup keeps compilers: its `cargo` and `rustc` find none without. What signs in is elsewhere.
    rust = os.environ.get("RUSTUP_HOME") or str(_home() / ".rustup")
    return {**known, **({"RUSTUP_HOME": rust} if Path(rust).is_dir() else {})}


class SandboxFolders(msgspec.Struct, frozen=True):
    """Where a foreign program runs. `folder`: its current folder, in `scratch`; `scratch`: the folder that it may write to, which holds its home too; `readable`: folders that it needs besides the system's."""

    folder: Path
    scratch: Path
    readable: tuple[Path, ...] = ()


def run_confined(
    command: Sequence[str], place: SandboxFolders, settings: Mapping[str, str], output: IO[bytes], timeout_s: float
) -> int:
    """Runs a foreign program; its status. `settings`: environment variables beside those of `clean_environment`. All that it started has ended when this returns. Raises subprocess.TimeoutExpired."""
    environment = {**clean_environment(place.scratch), **settings}
    words = [sys.executable, "-I", "-S", supervisor.__file__, str(os.getpid())]
    words += [*_walled(place), *command]
    with _starting:
        process = subprocess.Popen(
            words,
            cwd=place.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        _running.add(process)
    try:
        return process.wait(timeout_s)
    finally:
        _running.discard(process)
        if process.returncode is None:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Tells a supervisor to end, and sees that it did."""
    end = time.monotonic() + _ENDED_S
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGTERM)
    while _runs(process.pid) and time.monotonic() < end:
        time.sleep(0.01)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    reap(process)


def end_builds() -> None:
    """Ends every foreign program that runs, with all that it started: for a program that must end."""
    # One that starts this moment is waited for, unless it is this very thread that starts it.
    held = _starting.acquire(timeout=1)
    ending = tuple(_running)
    if held:
        _starting.release()
    for process in ending:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
    # The threads that wait for them may be behind the one that is in here: each is looked at, not waited for.
    end = time.monotonic() + 2
    while time.monotonic() < end and any(_runs(process.pid) for process in ending):
        time.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def _walled(place: SandboxFolders) -> list[str]:
    kind = walls()
    words = list(_WORDS.get(kind, ()))
    if kind is Walls.BUBBLEWRAP:
        home = _home()
        words += ["--tmpfs", str(home)] if home != Path("/") else []
        words += [word for folder in _below(home, place.readable) for word in ("--ro-bind", str(folder), str(folder))]
        words += ["--bind", str(place.scratch), str(place.scratch), "--chdir", str(place.folder)]
    return words


def _below(home: Path, readable: Sequence[Path]) -> Iterator[Path]:
    """What a build needs of a home: programs that are on the path with the folder around them, this program, Rust's compilers."""
    wanted = [
        *(place.resolve() for place in readable),
        data_root(),
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(supervisor.__file__).parent,
    ]
    wanted.append(Path(os.environ.get("RUSTUP_HOME") or home / ".rustup"))
    for place in map(Path, _path().split(os.pathsep)):
        wanted.append(place.parent if place.parent != home else place)
    for place in dict.fromkeys(wanted):
        if place.is_relative_to(home) and place != home and place.is_dir():
            yield place


def _path() -> str:
    """The caller's PATH, less what depends on the folder one is in."""
    words = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(word for word in words if word.startswith("/"))


def _home() -> Path:
    with suppress(RuntimeError):
        return Path.home()
    return Path("/")
