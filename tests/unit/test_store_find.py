# SPDX-License-Identifier: Apache-2.0
"""Run ids, and which bundle a word means."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import store_example as example

from cipherstone.model.errors import StoreError
from cipherstone.store import Bundle, BundleWriter, find_bundle, new_run_id


def make(root: Path, run_id: str, created: str = "2026-01-31T15:45:02+00:00") -> Path:
    with BundleWriter.create(root, example.manifest(run_id, created)) as writer:
        return writer.path


def test_ids_of_the_same_second_differ() -> None:
    moment = datetime(2026, 1, 31, 15, 45, 2, tzinfo=UTC)
    ids = [new_run_id(moment) for _ in range(8)]
    assert all(re.fullmatch(r"20260131-154502-[0-9a-f]{4}", text) for text in ids)
    assert len(set(ids)) > 1


def test_a_taken_id_gets_a_number(tmp_path: Path) -> None:
    paths = [make(tmp_path, "20260131-154502") for _ in range(3)]
    assert [path.name for path in paths] == ["20260131-154502", "20260131-154502-2", "20260131-154502-3"]
    assert [Bundle.open(path).manifest.run_id for path in paths] == [path.name for path in paths]


def test_path_id_prefix_and_latest(tmp_path: Path) -> None:
    # 10:00 in +02:00 is before 09:00 UTC; names are in another order than times
    oldest = make(tmp_path, "c-run", "2026-01-31T10:00:00+02:00")
    middle = make(tmp_path, "a-run", "2026-01-31T09:00:00Z")
    newest = make(tmp_path, "a-rest", "2026-02-01T00:00:00")
    undated = make(tmp_path, "zz", "yesterday")
    (tmp_path / "notes").mkdir()
    assert find_bundle(tmp_path, str(oldest)) == oldest
    assert find_bundle(tmp_path / "elsewhere", str(oldest)) == oldest
    assert find_bundle(tmp_path, "c-run") == oldest
    assert find_bundle(tmp_path, "c") == oldest
    assert find_bundle(tmp_path, "a-ru") == middle
    assert [find_bundle(tmp_path, f"latest~{n}") for n in range(4)] == [newest, middle, oldest, undated]
    assert find_bundle(tmp_path, "latest") == newest


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("a-r", "beginning of 2 runs: a-rest, a-run", "more of the id"),
        ("latest~2", "2 runs in", ""),
        ("a-rum", "not found", "did you mean 'a-run'?"),
        ("lates", "not found", "did you mean 'latest'?"),
        ("", "not found", "known: a-rest, a-run"),
    ],
)
def test_what_cannot_be_found_is_said(
    tmp_path: Path, text: str, said: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run_id in ("a-run", "a-rest"):
        make(tmp_path, run_id)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(StoreError) as error:
        find_bundle(tmp_path, text)
    assert said in error.value.message and hint in error.value.hint


def test_an_exact_id_wins_over_a_prefix(tmp_path: Path) -> None:
    first, _ = make(tmp_path, "run"), make(tmp_path, "run")
    assert find_bundle(tmp_path, "run") == first


def test_no_results_folder_yet(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no run in"):
        find_bundle(tmp_path / "results", "latest")


@pytest.mark.parametrize(
    "content", [b'{"run_id": "\xff"}', b'{"created": ' + b"[" * 100_000, b'{"x": ' + b"[" * 100_000]
)
def test_a_manifest_that_is_no_text_leaves_the_others(tmp_path: Path, content: bytes) -> None:
    good = make(tmp_path, "a-run")
    make(tmp_path, "b-run").joinpath("manifest.json").write_bytes(content)
    assert find_bundle(tmp_path, "latest") == good
