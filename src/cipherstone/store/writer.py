# SPDX-License-Identifier: Apache-2.0
"""Writes one bundle. Whenever the process dies, what is on disk is a journal that resumes or a finished bundle, never something between."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

import msgspec

from cipherstone.model.errors import StoreError
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import Manifest, Record
from cipherstone.model.summary import RunSummary
from cipherstone.store.journal import JournalFile, compress
from cipherstone.store.layout import (
    JOURNAL,
    JOURNAL_GZ,
    MANIFEST,
    SUMMARY_GZ,
    SUMS,
    TEMPORARY,
    create_file,
    encode_manifest,
    read_manifest,
    store_errors,
    sync_folder,
    write_atomically,
)
from cipherstone.store.parquet import Tables, write_tables
from cipherstone.store.seal import file_digest, format_sums
from cipherstone.store.tables import TABLES, parquet_name, rows_name


class BundleWriter:
    """An open bundle. Made by `create` or `resume`; a context manager that closes.

    `path`: its folder. `manifest`: as it is on disk. `warnings`: what `resume` had to drop, one sentence each.
    """

    def __init__(self, path: Path, manifest: Manifest, journal: JournalFile) -> None:
        self.path = path
        self.manifest = manifest
        self.warnings: list[str] = []
        self._journal = journal

    @staticmethod
    def create(root: Path, manifest: Manifest) -> BundleWriter:
        """Makes `root/<run_id>/` with manifest and empty journal, durable. If the id is taken, `-2`, `-3`, ... is added to it.

        Call it before measuring: a folder that cannot be written, or a full disk, gives StoreError here.
        """
        with store_errors("results folder", root):
            root.mkdir(parents=True, exist_ok=True)
        path, manifest = _claim_folder(root, manifest)
        journal: JournalFile | None = None
        try:
            # The manifest last: a folder that has one is a run, and a run has a journal.
            journal = JournalFile(path / JOURNAL, new=True)
            with store_errors("bundle", path):
                write_atomically(path / MANIFEST, encode_manifest(manifest))
        except BaseException:
            if journal is not None:
                journal.close()
            with suppress(OSError):
                for name in (MANIFEST, JOURNAL):
                    (path / name).unlink(missing_ok=True)
                path.rmdir()
            raise
        sync_folder(path)
        sync_folder(root)
        return BundleWriter(path, manifest, journal)

    @staticmethod
    def resume(path: Path) -> BundleWriter:
        """Resumes an unfinished bundle; its status is `running` again. A line that was cut off is dropped, with a warning.

        Raises StoreError: finished, damaged in the middle, or being written by another process.
        """
        manifest = read_manifest(path)
        if manifest.status == RunStatus.FINISHED:
            raise StoreError(f"bundle: {path}: the run is finished and sealed", "start a new run")
        if not os.path.lexists(path / JOURNAL):
            raise StoreError(f"bundle: {path}: {JOURNAL} is missing", "nothing was kept of this run: start a new one")
        journal = JournalFile(path / JOURNAL)
        writer = BundleWriter(path, manifest, journal)
        if journal.dropped_bytes:
            writer.warnings.append(
                f"{JOURNAL}: the last line was cut off and is dropped ({journal.dropped_bytes} bytes); "
                f"{journal.records} records are kept"
            )
        try:
            with store_errors("bundle", path):
                _remove_unsealed(path)
            writer.set_status(RunStatus.RUNNING, manifest.wall_s)
        except StoreError:
            writer.close()
            raise
        return writer

    def append(self, record: Record) -> None:
        """Adds a record; it is on the disk when this returns. Raises StoreError (disk full): nothing of the record stays, the rest is safe."""
        self._journal.append(record)

    def set_status(self, status: str, wall_s: float) -> None:
        """Replaces status and measuring time in the manifest. `finished` takes effect with `finish`: only a sealed bundle says so."""
        on_disk = self.manifest.status if status == RunStatus.FINISHED else RunStatus(status).value
        self.amend(status=on_disk, wall_s=wall_s)

    def amend(self, **changes: object) -> None:
        """Replaces fields of the manifest that are known only once a run has measured (reference, notes)."""
        manifest = msgspec.structs.replace(self.manifest, **changes)
        with self._errors(self.path / MANIFEST):
            write_atomically(self.path / MANIFEST, encode_manifest(manifest))
        self.manifest = manifest

    def finish(self, tables: Tables, summary: RunSummary | None = None) -> None:
        """Writes the tables (`TABLES` not from the journal: `{name: rows}`) and the summary that reports show (published figures have none), packs the journal, seals, and closes.

        The new manifest is the commit: before it the run resumes, after it the run is finished. Raises StoreError and stays open.
        """
        finished = msgspec.structs.replace(self.manifest, status=RunStatus.FINISHED.value)
        try:
            with self._errors(self.path):
                names = write_tables(self.path, self.path / JOURNAL, self.manifest.run_id, tables)
                compress(self.path / JOURNAL, self.path / (JOURNAL_GZ + TEMPORARY))
                if summary is not None:
                    told = msgspec.json.encode(msgspec.structs.replace(summary, manifest=finished))
                    with create_file(self.path / (SUMMARY_GZ + TEMPORARY)) as stream:
                        stream.write(gzip.compress(told, mtime=0))
                    names = [*names, SUMMARY_GZ]
                for name in (*names, JOURNAL_GZ):
                    (self.path / (name + TEMPORARY)).replace(self.path / name)
                digests = {name: file_digest(self.path / name) for name in (*names, JOURNAL_GZ)}
                content = encode_manifest(finished)
                digests[MANIFEST] = hashlib.sha256(content).hexdigest()
                write_atomically(self.path / SUMS, format_sums(digests))
                write_atomically(self.path / MANIFEST, content)
        except BaseException:
            # An interruption, too, leaves a run that resumes; unless the commit was made just before it.
            with suppress(OSError, StoreError):
                if read_manifest(self.path).status != RunStatus.FINISHED:
                    _remove_unsealed(self.path)
            raise
        self.manifest = finished
        self.close()
        with suppress(OSError):  # finished either way: readers take the packed journal
            (self.path / JOURNAL).unlink()

    @contextmanager
    def _errors(self, path: Path) -> Iterator[None]:
        """As `store_errors`, for a bundle that has a journal: what is safe is said after looking, also before anything is written."""
        self._journal.check_place()
        try:
            yield
        except StoreError:
            self._journal.check_place()
            raise
        except OSError as error:
            self._journal.check_place()
            raise StoreError(f"bundle: {path}: {error.strerror or error}", self._journal.what_is_safe()) from error

    def close(self) -> None:
        """Releases the bundle as it is. May be called twice."""
        self._journal.close()

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _claim_folder(root: Path, manifest: Manifest) -> tuple[Path, Manifest]:
    """Makes a folder that no other run has, and the manifest with the id that it got."""
    for number in itertools.count(1):
        run_id = manifest.run_id if number == 1 else f"{manifest.run_id}-{number}"
        with store_errors("bundle", root / run_id):
            try:
                (root / run_id).mkdir()
            except FileExistsError:
                continue
        return root / run_id, msgspec.structs.replace(manifest, run_id=run_id)
    raise AssertionError("count() does not end")


def _remove_unsealed(path: Path) -> None:
    """Removes what a `finish` that did not reach its commit left behind."""
    for name in (SUMS, SUMMARY_GZ, JOURNAL_GZ, *map(parquet_name, TABLES), *map(rows_name, TABLES)):
        (path / name).unlink(missing_ok=True)
    for temporary in path.glob("*" + TEMPORARY):
        if temporary.is_dir() and not temporary.is_symlink():  # where DuckDB puts what does not fit into memory
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink(missing_ok=True)
