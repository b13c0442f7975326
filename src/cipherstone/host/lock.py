# SPDX-License-Identifier: Apache-2.0
"""One measuring run at a time on a machine: two would measure each other. Advisory locks that die with their holder, one of the user's own and one between users (docs/decisions/0053)."""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import pwd
import re
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from cipherstone.model.errors import CipherstoneError

FOLDER = "CIPHERSTONE_LOCKS"
_NAME = "cipherstone.lock"
# The same for every user and whatever TMPDIR says. The first that everybody may write is taken.
SHARED = (Path("/run/lock"), Path("/tmp"))
_HINT = "wait for it, or stop it: two at once would measure each other"
_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_REPLACED = 10  # times that the file may be replaced while it is taken


class _Unfit(Exception):
    """A place where no lock of ours can be: not there, not ours, not a file."""


class MachineBusy(CipherstoneError):
    """Another run measures on this machine now."""


class MachineLock:
    """Context manager, also `acquire` and `release`; CipherstoneError names the holder if another run measures on this machine.

    `folder`: the only place that is looked at (default: `CIPHERSTONE_LOCKS`, else the places of this machine). `remark`: what a reader should know once it is held, or empty.
    """

    def __init__(self, folder: Path | None = None, shared: Iterable[Path] = SHARED) -> None:
        named = os.environ.get(FOLDER)
        self._folder = folder or (Path(named) if named else None)
        self._shared = tuple(shared)
        self._held: list[int] = []
        self.remark = ""

    def acquire(self) -> None:
        """Takes the lock, unless this object holds it already."""
        if self._held:
            return
        try:
            if self._folder is not None:
                self._only(self._folder)
            else:
                self._both()
        except BaseException:
            self.release()
            raise

    def acquire_in_turn(self, told: Callable[[str], None], pause_s: float = 1.0) -> None:
        """Takes the lock, however long another run holds it. `told` gets a line for each holder; `pause_s`: between two looks."""
        said = ""
        while True:
            try:
                self.acquire()
            except MachineBusy as busy:
                if busy.message != said:
                    said = busy.message
                    told(f"waiting: {said}")
                time.sleep(pause_s)
            else:
                return

    def release(self) -> None:
        """Gives it back. May be called twice."""
        while self._held:
            os.close(self._held.pop())

    def _only(self, folder: Path) -> None:
        try:
            self._held.append(_taken(folder / _NAME, _open_shared))
        except _Unfit as error:
            raise CipherstoneError(f"run lock: {folder / _NAME}: {error}", f"is {FOLDER} a folder of yours?") from None

    def _both(self) -> None:
        """The user's own lock keeps a user's runs apart even where the shared one was spoiled; only that user can hold it."""
        unfit = []
        for folder in _own_folders(self._shared):
            try:
                self._held.append(_taken(folder / _NAME, _open_own))
                break
            except _Unfit as error:
                unfit.append(f"{folder}: {error}")
        common = next((folder for folder in self._shared if _for_everybody(folder)), None)
        try:
            if common is None:
                raise _Unfit("no folder that every user may write")
            self._held.append(_taken(common / _NAME, _open_shared))
        except _Unfit as error:
            place = f"{common / _NAME}: " if common is not None else ""
            self.remark = f"runs of other users are not seen: {place}{error}"
            unfit.append(f"{place}{error}")
        if not self._held:
            raise CipherstoneError(f"run lock: {unfit[0]}", f"name a folder of yours for it: {FOLDER}=FOLDER")

    def __enter__(self) -> MachineLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _own_folders(shared: Iterable[Path]) -> Iterable[Path]:
    """Folders that no other user can write: the session's, then one beside the shared lock, then the user's cache (which several machines may share)."""
    user = os.getuid()
    if session := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(session)
    for folder in shared:
        own = folder / f"cipherstone-{user}"
        with suppress(OSError):
            own.mkdir(0o700)
        yield own
    with suppress(OSError, RuntimeError):
        own = Path.home() / ".cache" / "cipherstone" / f"lock-{platform.node()}"
        with suppress(OSError):
            own.mkdir(0o700, parents=True)
        yield own


def _open_own(path: Path) -> int:
    folder = path.parent.lstat()
    if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.getuid() or folder.st_mode & 0o077:
        raise _Unfit("not a folder of this user alone")
    return os.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)


def _open_shared(path: Path) -> int:
    """Opens or creates the file, to be locked: it is never read or written, and every user may open it, whatever the umask."""
    with suppress(FileNotFoundError):
        # Without O_CREAT first: in a sticky folder the kernel may refuse to "create" what another user owns.
        return os.open(path, os.O_RDONLY | _FLAGS)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o444)
    except FileExistsError:  # another one was faster
        return os.open(path, os.O_RDONLY | _FLAGS)
    os.fchmod(descriptor, 0o444)
    return descriptor


def _for_everybody(folder: Path) -> bool:
    """Not whether this user may write there: root and others are to take the same one."""
    try:
        mode = folder.stat().st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) and bool(mode & stat.S_IWOTH)


def _taken(path: Path, opened: Callable[[Path], int]) -> int:
    """The open file, locked. Raises _Unfit, or CipherstoneError if it is held."""
    for _ in range(_REPLACED):
        try:
            descriptor = opened(path)
        except OSError as error:
            reason = "a symbolic link" if error.errno == errno.ELOOP else error.strerror or str(error)
            raise _Unfit(reason) from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _Unfit("not a regular file")
            _lock(descriptor)
            if _is_still(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
    raise _Unfit("replaced again and again")


def _lock(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            raise _Unfit(error.strerror) from None
        holder, user = _holder(descriptor)
        hint = _HINT
        if user != os.getuid():
            hint = f"wait for it: two at once would measure each other. To measure all the same: {FOLDER}=FOLDER, a folder of yours"
        raise MachineBusy(f"another run is measuring on this machine: {holder}", hint) from None


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether the locked file is the one that others find."""
    ours = os.fstat(descriptor)
    try:
        found = path.lstat()
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino)


def _holder(descriptor: int) -> tuple[str, int | None]:
    """Who holds the lock of an open file, by the kernel's word: what a file says of it anybody may have written. None: not shown."""
    found = os.fstat(descriptor)
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}"
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    held = [
        match.groups()
        for line in lines
        if (match := re.match(r"[0-9]+: FLOCK +\w+ +\w+ +([0-9]+) (\w+:\w+):([0-9]+) ", line))
    ]
    here = [(int(pid), where == device) for pid, where, inode in held if int(inode) == found.st_ino and int(pid) > 0]
    # Some file systems show another device to who asks for a file than to who asks for its lock.
    pids = [pid for pid, exact in here if exact] or [pid for pid, _ in here]
    if len(pids) != 1:
        return "a process that is not shown here", None
    try:
        # Not the owner of its folder: of a process that changed its user, that is root.
        status = Path(f"/proc/{pids[0]}/status").read_text(encoding="utf-8", errors="replace")
        user = int(status.partition("\nUid:")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return f"process {pids[0]}", None
    if user == os.getuid():
        return f"process {pids[0]}", user
    try:
        name = pwd.getpwuid(user).pw_name
    except KeyError:
        name = str(user)
    return f"process {pids[0]} of user {name}", user
