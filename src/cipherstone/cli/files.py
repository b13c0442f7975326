# SPDX-License-Identifier: Apache-2.0
"""Writes results into files: a regular file whole or not at all, anything else (a device, a pipe, what a link leads to) through what is there."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cipherstone.model.errors import StoreError
from cipherstone.store.layout import check_regular

# Opening these anew would write over what standard output has already.
_STANDARD_OUTPUT = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})


def write_result(text: str, target: Path | None) -> None:
    """To standard output (None, `-` or its names under /dev), or to a file. Raises StoreError; then a regular file is as it was."""
    if target is None or str(target) in _STANDARD_OUTPUT:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    with _told(target):
        place, mode, whole = _place(target)
        if whole:
            _replace(text, place, mode)
        else:
            _write_through(text, place)


def write_beside(text: str, target: Path) -> None:
    """To a file that the user did not name: its place follows from that of a run, whose folder may come from anywhere. Only a regular file is replaced. Raises StoreError."""
    try:
        check_regular(target)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StoreError(
            f"cannot write {target}: {error.strerror}", "remove it, or choose another file with -o"
        ) from None
    write_result(text, target)


def require_place(*targets: Path | None) -> None:
    """Before work that takes long: that a file can be made where its result goes; None is passed over. Raises StoreError."""
    for target in targets:
        if target is None or str(target) in _STANDARD_OUTPUT:
            continue
        with _told(target):
            place, _, whole = _place(target)
            if whole:
                with tempfile.NamedTemporaryFile(prefix=".cipherstone-", dir=place.parent):
                    pass


@contextmanager
def _told(target: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = getattr(error, "strerror", None) or str(error)
        raise StoreError(f"cannot write {target}: {reason}", "choose another file") from None


def _place(target: Path) -> tuple[Path, int | None, bool]:
    """Where a result goes in the end, the mode of what is there, and whether a new file takes its place."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:  # which says nothing to who asked for a file in it
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
    place = target.resolve() if target.is_symlink() else target
    mode = _mode(place)
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return place, mode, (mode is None or stat.S_ISREG(mode)) and not place.is_relative_to("/proc")


def _mode(place: Path) -> int | None:
    """What is there, None if nothing is."""
    try:
        return place.stat().st_mode
    except FileNotFoundError:
        return None


def _replace(text: str, place: Path, mode: int | None) -> None:
    """A new file takes the place of the old one in one step, with its permissions."""
    descriptor, name = tempfile.mkstemp(prefix=".cipherstone-", dir=place.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        # mkstemp makes files for the owner only; a report is for everybody who may read the folder.
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask if mode is None else mode & 0o777)
        Path(name).replace(place)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _write_through(text: str, place: Path) -> None:
    """Into what is there, without truncating or replacing it: O_TRUNC means nothing to a device, and O_CREAT must not make one."""
    descriptor = os.open(place, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(text)
