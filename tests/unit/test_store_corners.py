# SPDX-License-Identifier: Apache-2.0
"""What a store does where the system is another one than usual: no locks, no room, no way to tell where a file is."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path

import pytest
import store_example as example

from cipherstone.model.errors import StoreError
from cipherstone.model.records import NoiseRecord
from cipherstone.store import Bundle, BundleWriter, bundle, journal, writer
from cipherstone.store.journal import JournalFile
from cipherstone.store.layout import SUMMARY_GZ
from cipherstone.store.seal import sealed_names
from cipherstone.store.summary_tables import result_tables

RECORD = NoiseRecord(0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("number", "refused"),
    [(errno.EWOULDBLOCK, True), (errno.EACCES, True), (errno.ENOLCK, False), (errno.EINVAL, False)],
)
def test_a_file_system_without_locks_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, refused: bool
) -> None:
    def lock(*_: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(journal.fcntl, "flock", lock)
    if refused:
        with pytest.raises(StoreError, match="another process is writing this run"):
            JournalFile(tmp_path / "journal.jsonl", new=True)
        return
    file = JournalFile(tmp_path / "journal.jsonl", new=True)
    file.append(RECORD)
    file.close()
    assert list(journal.read_records(tmp_path / "journal.jsonl")) == [RECORD]


def test_a_disk_that_takes_nothing_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it says so by a length of zero; and a line that is taken piece by piece is whole."""
    real, pieces = os.write, [5, 1, 10_000]
    file = JournalFile(tmp_path / "journal.jsonl", new=True)
    monkeypatch.setattr(journal.os, "write", lambda to, data: real(to, bytes(data)[: pieces.pop(0)]) if pieces else 0)
    file.append(RECORD)
    with pytest.raises(StoreError, match="No space left") as caught:
        file.append(RECORD)
    assert "the 1 records written before are safe" in caught.value.hint
    file.close()
    assert list(journal.read_records(tmp_path / "journal.jsonl")) == [RECORD]


def test_a_system_that_does_not_tell_where_a_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert journal._place_of(-1) is None
    file = JournalFile(tmp_path / "journal.jsonl", new=True)
    (tmp_path / "journal.jsonl").rename(tmp_path / "elsewhere.jsonl")
    with pytest.raises(StoreError, match="renamed while the run was writing it") as caught:
        file.check_place()
    assert str(tmp_path) in caught.value.hint
    monkeypatch.setattr(journal, "_place_of", lambda _: None)
    with pytest.raises(StoreError) as caught:
        file.check_place()
    assert "--resume FOLDER" in caught.value.hint
    file.close()


def test_a_run_that_is_ended_while_its_folder_is_made_is_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has a manifest has a journal: a run that was killed between the two could not be resumed."""
    steps: list[tuple[bool, bool]] = []

    def ended(path: Path, content: bytes) -> None:
        steps.append((path.exists(), path.with_name("journal.jsonl").exists()))
        raise KeyboardInterrupt

    monkeypatch.setattr(writer, "write_atomically", ended)
    with pytest.raises(KeyboardInterrupt):
        BundleWriter.create(tmp_path, example.manifest())
    assert steps == [(False, True)] and list(tmp_path.iterdir()) == []


def test_a_run_that_cannot_go_on_is_free_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has its lock any more."""
    with BundleWriter.create(tmp_path, example.manifest()) as first:
        first.append(RECORD)

    def fails(_: Path) -> None:
        raise StoreError("bundle: no", "later")

    with monkeypatch.context() as patched:
        patched.setattr(writer, "_remove_unsealed", fails)
        with pytest.raises(StoreError, match="bundle: no"):
            BundleWriter.resume(first.path)
    with BundleWriter.resume(first.path) as again:
        again.append(RECORD)
        assert again.warnings == []


def test_without_a_seal_nothing_is_sealed(tmp_path: Path) -> None:
    assert sealed_names(tmp_path) == frozenset()


def test_a_summary_has_its_length_and_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a finished bundle; without its seal it is not believed."""
    with BundleWriter.create(tmp_path, example.manifest()) as made:
        for record in example.records(passes=1):
            made.append(record)
        made.finish(result_tables(example.summary()), example.summary())
    path = made.path / SUMMARY_GZ
    opened = Bundle.open(made.path)
    told = opened.summary()
    assert told is not None and told.cases == example.summary().cases
    length = len(gzip.decompress(path.read_bytes()))
    monkeypatch.setattr(bundle, "MAX_SUMMARY_BYTES", length)
    assert opened.summary() is not None
    monkeypatch.setattr(bundle, "MAX_SUMMARY_BYTES", length - 1)
    with pytest.raises(StoreError, match="unpacks to more than"):
        opened.summary()
    monkeypatch.setattr(bundle, "MAX_SUMMARY_BYTES", length)
    for damage in (b"", b"no gzip", path.read_bytes()[:-9], gzip.compress(b"{"), gzip.compress(b"[" * 5000)):
        path.write_bytes(damage)
        with pytest.raises(StoreError, match="summary: "):
            opened.summary()
    path.unlink()
    assert opened.summary() is None
