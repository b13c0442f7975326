# SPDX-License-Identifier: Apache-2.0
"""Which files of finished bundles were found as they were sealed: a large one is hashed once, not at every look."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from cipherstone.model.text import UNREADABLE
from cipherstone.store.layout import check_regular, read_small, write_atomically
from cipherstone.store.seal import file_digest

MOST_FILES = 20_000
# A file that was written just now may be written again within one tick of its clock, and look the same.
_SETTLED_NS = 2_000_000_000


class _Seen(msgspec.Struct, array_like=True, frozen=True):
    size_bytes: int
    modified_ns: int
    changed_ns: int
    inode: int
    sha256: str


class SealIndex:
    """SHA-256 of files by path, as long as size, times and inode are those at which it was computed. Kept in one file; a damaged or missing one is empty.

    It answers what was on the disk when it was read: `Bundle.verify` without an index reads everything anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._changed = False
        self._seen: dict[str, _Seen] = {}
        with suppress(OSError, *UNREADABLE):
            self._seen = msgspec.json.decode(read_small(path), type=dict[str, _Seen])

    def digest(self, path: Path) -> str:
        """SHA-256 of a file in hex, computed only if it may have changed since it was last. Raises OSError, also for what is no regular file."""
        now = check_regular(path)
        name = str(path.resolve())
        known = self._seen.get(name)
        here = (now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)
        if known is not None and (known.size_bytes, known.modified_ns, known.changed_ns, known.inode) == here:
            return known.sha256
        digest = file_digest(path)
        if time.time_ns() - max(now.st_mtime_ns, now.st_ctime_ns) > _SETTLED_NS:
            self._seen.pop(name, None)
            self._seen[name] = _Seen(*here, digest)
            self._changed = True
        return digest

    def save(self) -> None:
        """Writes what was learnt; where that is refused, the next look hashes again."""
        if not self._changed:
            return
        kept = dict(list(self._seen.items())[-MOST_FILES:])
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            write_atomically(self._path.with_name(f"{self._path.name}.{os.getpid()}"), msgspec.json.encode(kept))
            self._path.with_name(f"{self._path.name}.{os.getpid()}").replace(self._path)
        self._changed = False
