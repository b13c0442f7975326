# SPDX-License-Identifier: Apache-2.0
"""The runs of a folder at a glance: `cipherstone runs`, and which of them `latest` is."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cipherstone.cli.runs import age_text, state_words
from cipherstone.store.find import find_bundle, remarks_on
from cipherstone.store.listing import ListedRun, listed_runs


def make(root: Path, folder_name: str, created: str, trust: str = "", **more: Any) -> Path:
    folder = root / folder_name
    folder.mkdir(parents=True)
    head = {"created": created, "status": "finished", "suite": "quick", "plan": [{"case": "md5/hash"}], **more}
    (folder / "manifest.json").write_text(json.dumps(head))
    if trust:
        (folder / "summary.json.gz").write_bytes(gzip.compress(json.dumps({"trust": trust}).encode()))
    return folder


def test_newest_first_with_what_each_is(tmp_path: Path) -> None:
    builds = [{"library": "openssl", "build": "3.0"}, {"library": "openssl", "build": "4.0"}, {"library": "nettle", "build": "3"}]  # fmt: skip
    make(tmp_path, "a", "2026-01-01T00:00:00+00:00", "publishable", name="before", builds=builds)
    make(tmp_path, "b", "2026-01-02T00:00:00+00:00", status="interrupted")
    make(tmp_path, "c", "2026-01-03T00:00:00+00:00", foreign="openssl speed", plan=[])
    found = listed_runs(tmp_path)
    assert [run.id for run in found] == ["c", "b", "a"]
    assert found[2] == ListedRun(
        id="a",
        name="before",
        created="2026-01-01T00:00:00+00:00",
        status="finished",
        suite="quick",
        libraries=("openssl", "nettle"),
        cases=1,
        trust="publishable",
    )
    assert [state_words(run) for run in found] == ["imported", "interrupted", "publishable"]


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000, b'{"plan": 3}'])
def test_a_damaged_run_has_its_line(tmp_path: Path, content: bytes) -> None:
    make(tmp_path, "good", "2026-01-01T00:00:00+00:00")
    make(tmp_path, "bad", "2026-01-02T00:00:00+00:00").joinpath("manifest.json").write_bytes(content)
    good, bad = listed_runs(tmp_path)
    assert good.id == "good" and good.problem == "" and bad.problem and state_words(bad) == "unreadable"


def test_a_damaged_summary_has_its_line(tmp_path: Path) -> None:
    folder = make(tmp_path, "a", "2026-01-01T00:00:00+00:00", "publishable")
    packed = (folder / "summary.json.gz").read_bytes()
    (folder / "summary.json.gz").write_bytes(packed[:-9])
    assert [state_words(run) for run in listed_runs(tmp_path)] == ["unreadable"]


def test_control_characters_of_others_are_not_shown(tmp_path: Path) -> None:
    make(tmp_path, "a", "2026-01-01T00:00:00+00:00", name="x\x1b[2J", suite="\u202eevil")
    run = listed_runs(tmp_path)[0]
    assert "\x1b" not in run.name and "\u202e" not in run.suite


def test_the_latest_is_the_newest_that_is_finished(tmp_path: Path) -> None:
    done = make(tmp_path, "done", "2026-01-01T00:00:00+00:00")
    torn = make(tmp_path, "torn", "2026-01-02T00:00:00+00:00", status="interrupted")
    assert find_bundle(tmp_path, "latest") == done and find_bundle(tmp_path, "latest", to_resume=True) == torn
    assert remarks_on(tmp_path, "latest", done) == ["the newest that is finished; torn is not finished"]
    make(tmp_path, "page", "2026-01-03T00:00:00+00:00", foreign="openssl speed")
    assert find_bundle(tmp_path, "latest") == done
    assert remarks_on(tmp_path, "latest", done) == ["the newest that is finished; page holds figures of another program"]  # fmt: skip


def test_where_none_is_finished_it_is_the_newest(tmp_path: Path) -> None:
    make(tmp_path, "old", "2026-01-01T00:00:00+00:00", status="interrupted")
    new = make(tmp_path, "new", "2026-01-02T00:00:00+00:00", status="interrupted")
    assert find_bundle(tmp_path, "latest") == new and remarks_on(tmp_path, "latest", new) == ["was interrupted"]


@pytest.mark.parametrize(
    ("created", "expected"),
    [
        ("2026-01-31T11:59:30+00:00", "30 s"),
        ("2026-01-31T11:00:01+00:00", "59 min"),
        ("2026-01-31T09:00:00+00:00", "3 h"),
        ("2026-01-01T12:00:00", "30 d"),
        ("2026-02-01T00:00:00+00:00", "0 s"),
        ("yesterday", ""),
    ],
)
def test_ages(created: str, expected: str) -> None:
    assert age_text(created, datetime(2026, 1, 31, 12, tzinfo=UTC)) == expected
