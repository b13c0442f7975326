# SPDX-License-Identifier: Apache-2.0
"""Answers that are kept: what a dear test computed from inputs that are all still the same is not computed again on this machine, as a build system does it.

An answer is found by the hash of every input that is known beforehand, and holds only while the files that it was read from besides (headers, modules) are as they were. What a test
asserts, it asserts of the kept answer each time; one that fails is forgotten. Only what the same inputs must give again may be kept: no measurement, nothing that waits for a clock.
CS_KEEP=no computes everything. Workers that the tests built are kept too, by what they are made of, as the program itself keeps its own.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from cipherstone.build.objects import content_hash
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.environment import cache_folder
from cipherstone.host.facts import cpu_features

T = TypeVar("T")
Input = str | bytes | Path
WANTED = os.environ.get("CS_KEEP", "yes").lower() not in ("no", "0", "false", "off")
FOLDER = cache_folder() / "tests"
MOST = 2000  # answers
WORTH_S = 0.05  # of processor time: what tests keep of which there are hundreds
DAYS = 30  # how long an answer stays that nobody asked for, and a worker after it was built
# Parts of the cache of built things that are named by all that goes into them. What is learnt of a machine is in none of them.
BUILT = ("workers", "sdk", "preload", "launch")
_UNFINISHED = ".part-"


class _Entry(msgspec.Struct, frozen=True):
    """What stands in a file: the answer, and the content of each file that it was read from."""

    files: dict[str, str]
    answer: msgspec.Raw


class Kept(Generic[T]):
    """The answer of one computation. `inputs`: words, bytes, files and folders, in an order that matters; `kind`: its type."""

    def __init__(self, name: str, inputs: Iterable[Input], kind: type[T], folder: Path | None = None) -> None:
        self._folder = FOLDER / "answers" if folder is None else folder
        self._path = self._folder / f"{name}-{key(inputs)}"
        self._kind = kind

    def read(self) -> T | None:
        """The kept answer; None if there is none, a file that it was read from is another now, or it is damaged."""
        if not WANTED:
            return None
        try:
            packed = self._path.read_bytes()
            body = zlib.decompress(packed[32:])
            if hashlib.sha256(body).digest() != packed[:32]:
                return None
            entry = msgspec.json.decode(body, type=_Entry)
            if any(content_hash(path) != due for path, due in entry.files.items()):
                return None
            found = msgspec.json.decode(entry.answer, type=self._kind)
            os.utime(self._path)
        except (OSError, zlib.error, msgspec.MsgspecError):
            return None
        return found

    def keep(self, answer: T, files: Iterable[Path] = ()) -> None:
        """Keeps an answer that a test has found right. `files`: what it was read from, beside the inputs; one that is gone by now is no file to hold it against, and nothing is kept."""
        if not WANTED:
            return
        known = {str(path): content_hash(path) for path in files}
        if not all(known.values()):
            return
        body = msgspec.json.encode(_Entry(known, msgspec.Raw(msgspec.json.encode(answer))))
        with suppress(OSError):  # a full disk costs time, no test
            self._folder.mkdir(parents=True, exist_ok=True)
            tidy(self._folder)
            handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(body).digest() + zlib.compress(body))
            Path(name).replace(self._path)

    def forget(self) -> None:
        """The next one who asks computes."""
        self._path.unlink(missing_ok=True)


@contextmanager
def answered(
    name: str,
    inputs: Iterable[Input],
    kind: type[T],
    compute: Callable[[], T],
    files: Callable[[], Iterable[Path]] = tuple,
    folder: Path | None = None,
    least_s: float = 0.0,
) -> Iterator[T]:
    """The answer, kept or computed. It is kept once the block was left without an exception. `files`: asked after computing, what was read beside the inputs. `least_s`: seconds of processor time below which it is not worth a place."""
    place = Kept(name, inputs, kind, folder)
    found, began = place.read(), time.process_time()
    answer, fresh = (compute(), True) if found is None else (found, False)
    fresh = fresh and time.process_time() - began >= least_s
    try:
        yield answer
    except BaseException:
        place.forget()
        raise
    if fresh:
        place.keep(answer, files())


def key(inputs: Iterable[Input]) -> str:
    """24 hexadecimal digits for all inputs, and for what every answer depends on: processor, Python and its packages, this module."""
    digest = hashlib.sha256()
    for one in (*_HERE, *inputs):
        for part in _parts(one):
            digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:24]


def _parts(one: Input) -> Iterator[bytes]:
    """What counts of an input: of a file its name and content, of a folder all files below it, by their paths in it."""
    if isinstance(one, bytes):
        yield one
    elif isinstance(one, str):
        yield one.encode()
    elif one.is_dir():
        for path in sorted(path for path in one.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            yield path.relative_to(one).as_posix().encode()
            yield content_hash(path).encode()
    else:
        yield one.name.encode()
        yield content_hash(one).encode()


_HERE: tuple[Input, ...] = (
    platform.machine(),
    " ".join(sorted(cpu_features())),
    sys.version,
    " ".join(platform.libc_ver()),
    *sorted(f"{one.name} {one.version}" for one in metadata.distributions()),
    Path(__file__),
)


@cache
def judge() -> str:
    """A digest of all that the oracle's answers and the timed inputs are made of: the packages on and below its level (docs/concepts/architecture.md, which the tests hold the imports to) and the data."""
    root = data_root()
    below = ("model", "catalogue", "stats", "protocol", "isa", "host", "worker", "store", "operations")
    return key(
        (*(root / "src/cipherstone" / name for name in below), *(root / name for name in ("algorithms", "vectors")))
    )


def loaded(program: Path) -> list[Path]:
    """The shared objects that a program is started with."""
    said = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    return sorted(Path(word) for word in said.split() if word.startswith("/"))


def headers(*listed: Path) -> list[Path]:
    """The files in what a compiler wrote by `-MD`: the sources and every header that they include."""
    words = " ".join(path.read_text().replace("\\\n", " ").partition(":")[2] for path in listed).split()
    return sorted({Path(word).resolve() for word in words})


def link_built(cache: Path) -> None:
    """Lets a cache of built things have those of earlier sessions, and keep its own for later ones."""
    if WANTED:
        share_built(cache, FOLDER / "built")
        for name in BUILT:
            tidy(FOLDER / "built" / name)


def share_built(cache: Path, source: Path) -> None:
    """Lets a cache of built things have those of another."""
    cache.mkdir(parents=True, exist_ok=True)
    for name in BUILT:
        (source / name).mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # another process of the session was first
            (cache / name).symlink_to(source / name, target_is_directory=True)


def tidy(folder: Path, now: float | None = None) -> None:
    """Removes what is too old, the oldest beyond `MOST`, and what somebody who was killed left unfinished an hour ago."""
    end = time.time() if now is None else now
    found: list[tuple[float, Path]] = []
    for path in folder.iterdir():
        with suppress(OSError):  # somebody else tidies as well
            found.append((path.stat().st_mtime, path))
    found.sort(key=lambda one: -one[0])
    for number, (at, path) in enumerate(found):
        unfinished = path.name.startswith(_UNFINISHED) and end - at > 3600
        if unfinished or number >= MOST or end - at > DAYS * 86_400:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
