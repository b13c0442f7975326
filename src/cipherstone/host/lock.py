# SPDX-License-Identifier: Apache-2.0
"""One measuring run at a time on a machine: two would measure each other. An advisory lock that dies with its holder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from cipherstone.model.errors import CipherstoneError


class MachineLock:
    """Context manager, also `acquire` and `release`; CipherstoneError names the holder if another run measures on this machine."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self) -> None:
        """Takes the lock, unless this object holds it already."""
        if self._file is not None:
            return
        try:
            descriptor = self._open()
        except OSError as error:
            raise CipherstoneError(
                f"run lock: {self._path}: {error.strerror}", "is the temporary folder writable?"
            ) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(descriptor, 64).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise CipherstoneError(
                f"another run is measuring on this machine: {holder or 'unknown process'}",
                "wait for it, or stop it: two at once would measure each other",
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()}".encode())
        self._file = descriptor

    def release(self) -> None:
        """Gives it back. May be called twice."""
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        """Opens or creates the file. World-writable on purpose, whatever the umask: the lock is between users, too."""
        try:
            # Without O_CREAT first: in a sticky folder the kernel may refuse to "create" what another user owns.
            return os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                os.fchmod(descriptor, 0o666)
            except PermissionError:
                pass  # another user was faster, and does the same
            return descriptor

    def __enter__(self) -> MachineLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
