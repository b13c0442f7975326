# SPDX-License-Identifier: Apache-2.0
"""Names of the files of a bundle, the manifest on disk, and file operations that survive a crash at any moment."""

from __future__ import annotations

import errno
import os
import secrets
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from io import BufferedReader, BufferedWriter
from pathlib import Path

import msgspec

from cipherstone.model.errors import StoreError
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import BUNDLE_FORMAT, Manifest
from cipherstone.model.text import UNREADABLE, unreadable_text

MANIFEST = "manifest.json"
JOURNAL = "journal.jsonl"
JOURNAL_GZ = "journal.jsonl.gz"
SUMMARY_GZ = "summary.json.gz"
SUMS = "SHA256SUMS"
TEMPORARY = ".tmp"  # suffix of a file that is still being written; never part of a bundle

# What is longer is no bundle of ours: a manifest of thirty builds has some hundred kilobytes.
MAX_SMALL_FILE_BYTES = 16 << 20
# The sender of a folder chose where its links lead: to a file of the reader, perhaps.
LINK = "a symbolic link, and links in a run are not followed"
_OTHER_FOLDER = "choose a folder for results that can be written and has space"


class _Format(msgspec.Struct):
    format: int


def new_run_id(created: datetime) -> str:
    """`20260131-154502-3fa9`: second of `created`, then 16 random bits, so that machines that start together do not meet when their bundles do."""
    return f"{created:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def resume_hint(folder: Path) -> str:
    """The command that resumes the unfinished run in `folder`: an id alone is found in the default folder only."""
    return f"`cipherstone run --resume {shlex.quote(str(folder))}`"


@contextmanager
def store_errors(what: str, path: Path, hint: str = _OTHER_FOLDER) -> Iterator[None]:
    """Turns the system's refusals inside the block into one StoreError: `what: path: reason`."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{what}: {path}: {error.strerror or error}", hint) from error


def sync_folder(folder: Path) -> None:
    """Makes new names in `folder` durable. Systems that cannot open a folder (or sync it) keep their own order."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_file(path: Path) -> None:
    """Makes the content of `path` durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def create_file(path: Path) -> BufferedWriter:
    """A new file at `path`, to be written. What is there is removed before: a link, a pipe or the second name of another file is not written through. Raises OSError."""
    path.unlink(missing_ok=True)
    return path.open("xb")


def write_atomically(path: Path, content: bytes) -> None:
    """`path` holds either its old content or all of `content`, whatever happens. Raises OSError; leaves no temporary file behind then."""
    temporary = path.with_name(path.name + TEMPORARY)
    try:
        with create_file(temporary) as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def check_regular(path: Path) -> os.stat_result:
    """What is at `path`. Raises OSError if that is no regular file: a link may lead anywhere, a device or a pipe would be read without end, or wait for ever."""
    return _regular(path.lstat())


def open_regular(path: Path) -> BufferedReader:
    """A file of a run, to be read. Raises OSError as `check_regular`, also if the file was exchanged since that was asked."""
    check_regular(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        _regular(os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _regular(found: os.stat_result) -> os.stat_result:
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, LINK)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    return found


def read_small(path: Path) -> bytes:
    """The content of a manifest or a seal. Raises OSError, also for a file that is larger than any of them."""
    with open_regular(path) as stream:
        content = stream.read(MAX_SMALL_FILE_BYTES + 1)
    if len(content) > MAX_SMALL_FILE_BYTES:
        raise OSError(errno.EFBIG, f"larger than {MAX_SMALL_FILE_BYTES >> 20} MiB")
    return content


def encode_manifest(manifest: Manifest) -> bytes:
    """The manifest as people read it: indented by 2, one field a line, final newline."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of the bundle in `folder`. Raises StoreError: not a bundle, not JSON, a field missing, an unknown format or status."""
    path = folder / MANIFEST
    try:
        content = read_small(path)
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(
            f"bundle: {folder}: no {MANIFEST} here", "name the folder of a run, a run id, or `latest`"
        ) from None
    except OSError as error:
        hint = (
            "restore it from a copy"
            if error.errno in (errno.EFBIG, errno.EINVAL, errno.ELOOP)
            else "check the permissions of the folder"
        )
        raise StoreError(f"bundle: {path}: {error.strerror or error}", hint) from error
    try:
        found = msgspec.json.decode(content, type=_Format).format
        if found != BUNDLE_FORMAT:
            which = "a newer" if found > BUNDLE_FORMAT else "another"
            hint = f"it was written by {which} cipherstone: read it with that version, or upgrade this one"
            raise StoreError(f"bundle: {path}: format {found}, this cipherstone reads format {BUNDLE_FORMAT}", hint)
        manifest = msgspec.json.decode(content, type=Manifest)
        RunStatus(manifest.status)
    except (*UNREADABLE, ValueError) as error:
        # ValidationError is a ValueError too: the text says which field at which path, or where the JSON ends.
        hint = f"the file was edited or cut off: restore it from a copy; the measurements are in {JOURNAL}"
        raise StoreError(f"bundle: {path}: {unreadable_text(error)}", hint) from error
    return manifest
