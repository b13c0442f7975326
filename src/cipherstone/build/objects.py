# SPDX-License-Identifier: Apache-2.0
"""Which file is which: content hashes of libraries, what a linker takes for `-lNAME`, what it said that it took."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from cipherstone.model.identity import SHOWN_DIGITS
from cipherstone.model.records import CodeObject
from cipherstone.protocol.messages import Mapped

MAX_BYTES = 1 << 30  # of a file that is hashed: no library is longer, and a worker may name anything
# What the languages bring along; every program is linked with it.
_RUNTIME = re.compile(
    r"(libc|libm|libmvec|libc_nonshared|libpthread|libpthread_nonshared|libdl|librt|libgcc|libgcc_eh|libgcc_s|libstdc\+\+|libc\+\+|libatomic|libSystem|ld-.*)[-.0-9]*"
    r"\.(a|so|dylib|tbd)[.0-9]*\Z"
)
_LINKED = re.compile(r"(?:-l\S+ )?\(?(?P<path>/.*?\.(?:a|so[.0-9]*|dylib|tbd))(?:\)|\(|\Z)")
SUFFIXES = (".so", ".dylib", ".tbd", ".a")


class LinkedFile(msgspec.Struct, frozen=True):
    """A file that a worker was linked with, the language's own left out. `sha256`: 64 hexadecimal digits."""

    path: str
    sha256: str

    @property
    def is_archive(self) -> bool:
        """Whether its code is in the executable."""
        return self.path.endswith(".a")


def content_hash(path: str | Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits; "" for what is no regular file, is too long or cannot be read. A file that has not changed since is not read again."""
    try:
        facts = Path(path).stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_BYTES:
            return ""
        # The time of the last change of the entry cannot be set back, unlike that of the contents.
        return _hash(str(path), facts.st_dev, facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)
    except OSError:
        return ""


@lru_cache(maxsize=4096)
def _hash(path: str, *_: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def identified(mapped: Iterable[Mapped]) -> tuple[CodeObject, ...]:
    """What a worker was mapped from, with the content of each file as it is now; without packages."""
    return tuple(CodeObject(one.path, one.role, content_hash(one.path), one.build_id) for one in mapped)


def link_inputs(words: Sequence[str], compiler: str, static: bool = False) -> list[Path]:
    """The files that the linker takes for these words (`-LDIR`, `-lNAME`, paths), links resolved, the language's own left out.

    A word that resolves to nothing is left out: the linker will say so, or finds it elsewhere.
    """
    folders = [*(word[2:] for word in words if word.startswith("-L") and len(word) > 2), *_search_folders(compiler)]
    suffixes = (".a",) if static else SUFFIXES
    found = []
    for word in words:
        if word.startswith("-l:"):
            candidates = [Path(folder, word[3:]) for folder in folders]
        elif word.startswith("-l"):
            candidates = [Path(folder, f"lib{word[2:]}{suffix}") for folder in folders for suffix in suffixes]
        else:
            candidates = [] if word.startswith("-") else [Path(word)]
        first = next((path for path in candidates if path.is_file()), None)
        if first is not None and not _RUNTIME.match(first.name):
            found.append(first.resolve())
    return list(dict.fromkeys(found))


@lru_cache(maxsize=16)
def _search_folders(compiler: str) -> tuple[str, ...]:
    try:
        done = subprocess.run([compiler, "-print-search-dirs"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    line = next((line for line in done.stdout.splitlines() if line.startswith("libraries:")), "")
    return tuple(line.partition("=")[2].split(os.pathsep)) if line else ()


def linked_files(trace: str, *own: Path) -> tuple[LinkedFile, ...]:
    """The libraries in what a linker says with `-t`, links resolved, each once; files below the folders `own` are left out."""
    found: dict[str, LinkedFile] = {}
    for line in trace.splitlines():
        match = _LINKED.match(line.strip())
        if match is None:
            continue
        named = Path(match["path"])
        path = named.resolve()
        if _RUNTIME.match(named.name) or _RUNTIME.match(path.name):
            continue
        if not any(path.is_relative_to(folder.resolve()) for folder in own):
            found.setdefault(str(path), LinkedFile(str(path), content_hash(path)))
    return tuple(found.values())


def archives_text(linked: Iterable[LinkedFile]) -> str:
    """`libbearssl.a 0123456789ab, ...`: with the beginning of their hashes, by name; "" if one cannot be read."""
    known = sorted((Path(one.path).name, one.sha256) for one in linked)
    return (
        ", ".join(f"{name} {sha256[:SHOWN_DIGITS]}" for name, sha256 in known) if all(one[1] for one in known) else ""
    )


def still_there(linked: Iterable[LinkedFile]) -> bool:
    """Whether every file is what it was when it was linked."""
    return all(content_hash(one.path) == one.sha256 for one in linked)
