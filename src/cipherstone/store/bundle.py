# SPDX-License-Identifier: Apache-2.0
"""Reads one bundle, finished or not. Reading never changes it."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from cipherstone.model.errors import StoreError
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import Manifest, Record
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import UNREADABLE, unreadable_text
from cipherstone.store.journal import read_records, unfinished_tail_bytes
from cipherstone.store.layout import (
    JOURNAL,
    JOURNAL_GZ,
    SUMMARY_GZ,
    SUMS,
    open_regular,
    read_manifest,
    resume_hint,
    store_errors,
)
from cipherstone.store.seal import check_sums, file_digest
from cipherstone.store.sealindex import SealIndex
from cipherstone.store.summary_check import unsound
from cipherstone.store.tables import ROWS_NAMES, TABLES, parquet_name

_ANEW = "it was edited or damaged: restore it from a copy; --no-verify forms it anew from the records"
MAX_SUMMARY_BYTES = 256 << 20  # of ten thousand cells it has some 30 MiB


class Bundle:
    """An opened bundle.

    `path`: its folder. `manifest`. `warnings`: what a reader of its figures should know, one sentence each.
    `skipped`: damaged lines that the last `records(tolerant=True)` left out.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self.warnings: list[str] = []
        self.skipped = 0
        self._verified = False

    @staticmethod
    def open(path: Path, verify: bool = True, index: SealIndex | None = None) -> Bundle:
        """The bundle in folder `path`, as it was sealed if it is finished. Raises StoreError with one line: not a bundle, manifest damaged, unknown format, journal missing, changed since it was sealed.

        `index`: spares the hashing of files that were verified before and have not been touched. `verify` False: the seal is not looked at.
        """
        bundle = Bundle(path, read_manifest(path))
        journal = bundle.journal
        if not os.path.lexists(journal):
            raise StoreError(f"bundle: {path}: {journal.name} is missing", "restore it from a copy")
        if bundle.finished and verify:
            bundle._check_seal(index)
            bundle._verified = True
        if not bundle.finished:
            run_id, status = bundle.manifest.run_id, bundle.manifest.status
            bundle.warnings.append(
                f"run {run_id} is not finished (status {status}): resume it with {resume_hint(path)}"
            )
            with store_errors("journal", journal, "restore it from a copy"):
                tail = unfinished_tail_bytes(journal)
            if tail:
                bundle.warnings.append(f"{journal.name}: the last line is not complete and is left out ({tail} bytes)")
        return bundle

    @property
    def finished(self) -> bool:
        """Whether the bundle is sealed: its tables are there and nothing changes any more."""
        return self.manifest.status == RunStatus.FINISHED

    @property
    def journal(self) -> Path:
        """The file that holds the records: packed once finished."""
        return self.path / (JOURNAL_GZ if self.finished else JOURNAL)

    @property
    def has_parquet(self) -> bool:
        """Whether a finished bundle has Parquet tables. One that was finished without DuckDB has rows in their place; rows beside Parquet are none of ours, and are not read."""
        there = {path.name for path in self.path.iterdir()}
        return not there.isdisjoint(map(parquet_name, TABLES)) or there.isdisjoint(ROWS_NAMES)

    def table(self, name: str) -> Path | None:
        """The Parquet file of a table, or None while the run is not finished, or where it was finished without DuckDB."""
        return self.path / parquet_name(name) if self.finished and self.has_parquet else None

    def summary(self) -> RunSummary | None:
        """The summary as it was when the run was finished; None while it is not, of a bundle without one (published figures), and where the seal was not looked at: what was changed since
        is then told by the records, of which a summary is formed anew. Raises StoreError for one that is damaged."""
        path = self.path / SUMMARY_GZ
        if not self._verified or not os.path.lexists(path):
            return None
        try:
            with store_errors("summary", path), open_regular(path) as packed, gzip.open(packed, "rb") as stream:
                content = stream.read(MAX_SUMMARY_BYTES + 1)
            if len(content) > MAX_SUMMARY_BYTES:
                raise StoreError(
                    f"summary: {path}: unpacks to more than {MAX_SUMMARY_BYTES >> 20} MiB", "restore it from a copy"
                )
            summary = msgspec.json.decode(content, type=RunSummary)
        except (EOFError, zlib.error, *UNREADABLE) as error:
            raise StoreError(f"summary: {path}: {unreadable_text(error)}", _ANEW) from None
        if problem := unsound(summary):
            raise StoreError(f"summary: {path}: {problem}", _ANEW)
        return summary

    def records(self, tolerant: bool = False) -> Iterator[Record]:
        """The records in order; a last line without its newline is left out.

        A damaged line raises StoreError naming it; with `tolerant` it is left out, counted in `skipped`, and named in `warnings`.
        """
        self.skipped = 0
        return read_records(self.journal, self._leave_out if tolerant else None)

    def verify(self) -> list[str]:
        """What differs from `SHA256SUMS`, one line per file; empty if nothing does. A run that is not finished has no seal, and says so."""
        if not self.finished:
            return [f"{SUMS}: the run is not finished (status {self.manifest.status}), so it has no seal"]
        return check_sums(self.path)

    def _check_seal(self, index: SealIndex | None) -> None:
        problems = check_sums(self.path, index.digest if index is not None else file_digest)
        if problems:
            more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
            raise StoreError(
                f"bundle: {self.path}: {problems[0]}{more}",
                "restore it from a copy, or read it as it is with --no-verify: its figures may be wrong",
            )

    def _leave_out(self, error: StoreError) -> None:
        self.skipped += 1
        warning = f"left out: {error.message}"
        if warning not in self.warnings:
            self.warnings.append(warning)
