# SPDX-License-Identifier: Apache-2.0
"""The seal and the index of what was verified: when a file is hashed, and when its digest is believed. The clock of the index is this file's."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
import store_example as example

from cipherstone.model.errors import StoreError
from cipherstone.model.outcomes import RunStatus
from cipherstone.store import Bundle, BundleWriter
from cipherstone.store import sealindex as module
from cipherstone.store.seal import check_sums, file_digest, format_sums, sealed_names
from cipherstone.store.sealindex import SealIndex
from cipherstone.store.summary_tables import result_tables

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of files that were hashed."""
    found: list[str] = []

    def digest(path: Path) -> str:
        found.append(path.name)
        return file_digest(path)

    monkeypatch.setattr(module, "file_digest", digest)
    return found


def later(monkeypatch: pytest.MonkeyPatch, path: Path, ns: int) -> None:
    """So long after the last change of `path`."""
    facts = path.stat()
    monkeypatch.setattr(time, "time_ns", lambda: max(facts.st_mtime_ns, facts.st_ctime_ns) + ns)


def test_a_file_that_has_settled_is_hashed_once(
    tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two seconds after its last change, and not at two seconds."""
    path = tmp_path / "a"
    path.write_bytes(b"")
    index = SealIndex(tmp_path / "below" / "it" / "index.json")
    for ns, count in ((2_000_000_000, 1), (2_000_000_000, 2), (2_000_000_001, 3), (2_000_000_001, 3)):
        later(monkeypatch, path, ns)
        assert index.digest(path) == EMPTY and len(hashed) == count
    index.save()
    again = SealIndex(tmp_path / "below" / "it" / "index.json")
    assert again.digest(path) == EMPTY and len(hashed) == 3
    assert [name.name for name in (tmp_path / "below" / "it").iterdir()] == ["index.json"]


@pytest.mark.parametrize("field", range(4))
def test_what_differs_in_any_way_is_hashed_again(
    tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch, field: int
) -> None:
    """Size, either time, or the file behind the name."""
    path, store = tmp_path / "a", tmp_path / "index.json"
    path.write_bytes(b"")
    later(monkeypatch, path, 3_000_000_000)
    index = SealIndex(store)
    index.digest(path)
    index.save()
    kept = json.loads(store.read_text())
    kept[str(path)][field] += 1
    store.write_text(json.dumps(kept))
    assert SealIndex(store).digest(path) == EMPTY and len(hashed) == 2


def test_an_index_that_learnt_nothing_is_not_written(
    tmp_path: Path, hashed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, store = tmp_path / "a", tmp_path / "index.json"
    path.write_bytes(b"")
    SealIndex(store).save()
    assert not store.exists()
    later(monkeypatch, path, 3_000_000_000)
    index = SealIndex(store)
    index.digest(path)
    index.save()
    store.unlink()
    index.save()
    assert not store.exists()
    monkeypatch.setattr(module, "MOST_FILES", 2)
    for name in "bcd":
        (tmp_path / name).write_bytes(b"")
        later(monkeypatch, tmp_path / name, 3_000_000_000)
        index.digest(tmp_path / name)
    index.save()
    assert [Path(name).name for name in json.loads(store.read_text())] == ["c", "d"]  # the last ones


@pytest.mark.parametrize("damage", [b"", b"[]", b"\xff", b'{"a": 1}', b"[" * 100_000])
def test_a_damaged_index_is_empty(tmp_path: Path, hashed: list[str], damage: bytes) -> None:
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "index.json").write_bytes(damage)
    assert SealIndex(tmp_path / "index.json").digest(tmp_path / "a") == EMPTY and hashed == ["a"]


def test_what_the_seal_says(tmp_path: Path) -> None:
    due = [line.rpartition(" ")[2] for line in check_sums(tmp_path)]
    assert due == ["directory"]  # No such file or directory
    sums = format_sums({"b": "0" * 64, "a": EMPTY, "gone": EMPTY})
    assert sums.decode().splitlines() == [f"{EMPTY}  a", f"{'0' * 64}  b", f"{EMPTY}  gone"]
    (tmp_path / "SHA256SUMS").write_bytes(sums + b"nonsense\n")
    for name in "ab":
        (tmp_path / name).write_bytes(b"")
    assert sealed_names(tmp_path) == {"a", "b", "gone"}
    found = check_sums(tmp_path)
    assert found[:3] == [
        "b: changed since the run was sealed",
        "gone: missing",
        "SHA256SUMS: line 4 is not `DIGEST  NAME`",
    ]
    assert found[3:] and all(line.startswith("SHA256SUMS: does not name ") for line in found[3:])
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "SHA256SUMS").write_bytes(format_sums({"pipe": EMPTY}))
    assert check_sums(tmp_path)[0].startswith("pipe: ")


def test_a_summary_is_of_a_bundle_that_was_verified(tmp_path: Path) -> None:
    """Published figures have none; a run that goes on has none yet."""
    told = example.summary()

    def written(run_id: str, finish: bool = True, with_summary: bool = True) -> Path:
        with BundleWriter.create(tmp_path, example.manifest(run_id)) as writer:
            writer.set_status(RunStatus.FINISHED if finish else RunStatus.INTERRUPTED, 12.5)
            if finish:
                writer.finish(result_tables(told), told if with_summary else None)
            return writer.path

    whole = written("a")
    found = Bundle.open(whole).summary()
    assert found is not None and found.cases == told.cases and found.manifest.status == "finished"
    assert Bundle.open(whole, verify=False).summary() is None
    assert Bundle.open(written("b", with_summary=False)).summary() is None
    going_on = Bundle.open(written("c", finish=False))
    assert going_on.summary() is None and going_on.table("cells") is None and not going_on.finished
    assert going_on.verify() == ["SHA256SUMS: the run is not finished (status interrupted), so it has no seal"]
    assert Bundle.open(whole).verify() == [] and Bundle.open(whole).table("cells") == whole / "cells.parquet"
    (whole / "cells.parquet").write_bytes(b"")
    (whole / "ratios.parquet").write_bytes(b"")
    with pytest.raises(StoreError) as caught:
        Bundle.open(whole)
    assert "cells.parquet: changed since the run was sealed, and 1 more" in caught.value.message
    assert len(Bundle.open(whole, verify=False).verify()) == 2
