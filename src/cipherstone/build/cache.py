# SPDX-License-Identifier: Apache-2.0
"""The cache of built things: named by the content of all that goes in, made beside their place, and put there whole."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cipherstone.build.seals import (
    alone,
    check_private,
    close_to_others,
    difference,
    is_sealed,
    make_folder,
    seal_of,
    write_seal,
)
from cipherstone.model.errors import BuildError

_HINT = "choose another with --cache, or free some space"


def digest_of(files: Iterable[tuple[str, Path]], words: Sequence[str]) -> str:
    """24 hexadecimal digits for named files and words: two recipes share them only if they are the same. Raises OSError."""
    digest = hashlib.sha256()
    for name, path in files:
        data = path.read_bytes()
        digest.update(f"{name}:{len(data)}:".encode() + data)
    digest.update("\0".join(words).encode())
    return digest.hexdigest()[:24]


def file_digest(path: Path) -> str:
    """SHA-256 prefix of a file, as `Build.worker_hash` holds it. Raises OSError."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@contextmanager
def scratch_beside(folder: Path) -> Iterator[Path]:
    """A temporary folder inside `folder` (same file system, so that publishing is a rename). Raises BuildError."""
    try:
        make_folder(folder)
        path = Path(tempfile.mkdtemp(prefix=".build-", dir=folder))
    except OSError as error:
        raise BuildError(f"build cache: {folder}: {error.strerror}", _HINT) from None
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def publish(built: Path, target: Path) -> None:
    """Puts a file or folder in its place at once, with its seal. A folder that another process has put there meanwhile is as good: its name says what is in it. Raises BuildError."""
    try:
        with alone(target.parent):
            if built.is_dir() and target.is_dir():
                if is_sealed(target) and not difference(target):
                    return
                shutil.rmtree(target)  # without a seal: from before there were any, or half made
            seal_of(target).unlink(missing_ok=True)
            close_to_others(built)
            built.replace(target)
            write_seal(target)
    except OSError as error:
        raise BuildError(f"build cache: {target}: {error.strerror}", _HINT) from None


def kept(target: Path) -> bool:
    """Whether a file or folder is in the cache, as it was put there: asked before it is run, linked or unpacked. False if it is not there, or has no seal: then it is made anew.

    Raises BuildError if it is another now, or if others may write where it lies. What has not been touched since is not read again.
    """
    check_private(target.parent)
    if not os.path.lexists(target):
        return False
    try:
        with alone(target.parent):
            if not is_sealed(target):
                return False
            found = difference(target)
    except OSError as error:
        raise BuildError(f"build cache: {target}: {error.strerror}", _HINT) from None
    if found:
        raise BuildError(
            f"build cache: {target}: {found}",
            f"nothing of it was used; it is built anew after: rm -r {shlex.quote(str(target))}",
        )
    return True
