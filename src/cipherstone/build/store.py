# SPDX-License-Identifier: Apache-2.0
"""The cache of built things: named by the content of all that goes in, made beside their place, and put there whole."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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
        folder.mkdir(parents=True, exist_ok=True)
        path = Path(tempfile.mkdtemp(prefix=".build-", dir=folder))
    except OSError as error:
        raise BuildError(f"build cache: {folder}: {error.strerror}", _HINT) from None
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def publish(built: Path, target: Path) -> None:
    """Puts a file or folder in its place at once. A folder that somebody else has put there meanwhile is as good: its name says what is in it."""
    try:
        built.replace(target)
    except OSError as error:
        if built.is_dir() and target.is_dir():
            return
        raise BuildError(f"build cache: {target}: {error.strerror}", _HINT) from None
