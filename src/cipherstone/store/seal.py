# SPDX-License-Identifier: Apache-2.0
"""The seal of a finished bundle: `SHA256SUMS`, in the format that `sha256sum -c SHA256SUMS` checks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from cipherstone.store.layout import JOURNAL_GZ, MANIFEST, SUMS, open_regular, read_small
from cipherstone.store.tables import ADDED_LATER, ROWS_NAMES, TABLES, parquet_name

_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._-]+)\Z")


def file_digest(path: Path) -> str:
    """SHA-256 of a regular file in hex. Raises OSError, also for what would never end (a device, a pipe), and for a link."""
    with open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def format_sums(digests: Mapping[str, str]) -> bytes:
    """`{file name: hex digest}` as the lines of SHA256SUMS, sorted by name."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def sealed_names(folder: Path) -> frozenset[str]:
    """Names of the files that the seal of `folder` speaks of; none without a readable seal."""
    try:
        lines = read_small(folder / SUMS).decode("utf-8", "replace").splitlines()
    except OSError:
        return frozenset()
    return frozenset(match[2] for match in map(_LINE.match, lines) if match is not None)


def check_sums(folder: Path, digest_of: Callable[[Path], str] = file_digest) -> list[str]:
    """What differs from the seal, one line per file; empty if the bundle is as it was sealed. Files that the seal does not name are not looked at; those that every bundle has, it must name.

    `digest_of`: SHA-256 of a file in hex.
    """
    try:
        lines = read_small(folder / SUMS).decode("utf-8", "replace").splitlines()
    except OSError as error:
        return [f"{SUMS}: {error.strerror or error}"]
    problems: list[str] = []
    named: set[str] = set()
    for number, line in enumerate(lines, start=1):
        match = _LINE.match(line)
        if match is None:
            problems.append(f"{SUMS}: line {number} is not `DIGEST  NAME`")
            continue
        digest, name = match.groups()
        named.add(name)
        try:
            if digest_of(folder / name) != digest:
                problems.append(f"{name}: changed since the run was sealed")
        except FileNotFoundError:
            problems.append(f"{name}: missing")
        except OSError as error:
            problems.append(f"{name}: {error.strerror or error}")
    # A run that was finished without DuckDB has rows in the place of Parquet.
    tables = ROWS_NAMES if named & ROWS_NAMES else [parquet_name(table) for table in TABLES if table not in ADDED_LATER]
    due = (MANIFEST, JOURNAL_GZ, *sorted(tables))
    return problems + [f"{SUMS}: does not name {name}" for name in due if name not in named]
