# SPDX-License-Identifier: Apache-2.0
"""Names of runs: which one a word means among several, and what is said of the one that was taken. Manifests alone, as they lie in a folder of runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherstone.model.errors import StoreError, UsageError
from cipherstone.store.find import bundle_folders, checked_name, find_bundle, remarks_on

Head = dict[str, object]


def runs(root: Path, heads: dict[str, Head]) -> None:
    for name, head in heads.items():
        (root / name).mkdir(parents=True)
        (root / name / "manifest.json").write_text(json.dumps(head))


def head(created: str, *cases: str, status: str = "finished", machine: str = "aa", method: str = "m1", **more: str) -> Head:  # fmt: skip
    planned = [{"case": case, "lanes": []} for case in cases or ("md5/hash",)]
    return {"created": created, "status": status, "method": method, "machine": {"fingerprint": machine}, "plan": planned, **more}  # fmt: skip


def test_the_newest_of_one_name_is_meant(tmp_path: Path) -> None:
    """By its time, and by its id where that is the same; a name is no beginning of an id."""
    runs(
        tmp_path,
        {
            "c": head("2026-01-03T00:00:00Z", name="before"),
            "a": head("2026-01-05T00:00:00+09:00", name="before"),
            "b": head("2026-01-04T15:00:00Z", name="before"),
            "d": head("2026-01-09T00:00:00Z", name="beforehand"),
        },
    )
    assert find_bundle(tmp_path, "before").name == "b"
    assert remarks_on(tmp_path, "before", tmp_path / "b") == ["3 runs are called before: b is the newest"]
    assert remarks_on(tmp_path, "beforehand", tmp_path / "d") == remarks_on(tmp_path, "b", tmp_path / "b") == []
    with pytest.raises(StoreError) as caught:
        find_bundle(tmp_path, "beforehan")
    assert caught.value.hint == "did you mean 'beforehand'?"


def test_what_is_a_folder_but_no_run_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs(tmp_path / "runs", {"a": head("2026-01-01")})
    (tmp_path / "notes").mkdir()
    (tmp_path / "runs" / "stray").mkdir()
    (tmp_path / "runs" / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    assert [folder.name for folder in bundle_folders(tmp_path / "runs")] == ["a"]
    assert bundle_folders(tmp_path / "nothing") == bundle_folders(tmp_path / "runs" / "file") == []
    with pytest.raises(StoreError) as caught:
        find_bundle(tmp_path / "runs", "notes")
    assert "no manifest.json there" in caught.value.message and "a run id, or `latest`" in caught.value.hint


def test_a_beginning_of_many_names_five(tmp_path: Path) -> None:
    runs(tmp_path, {f"r{number}": head("2026-01-01") for number in range(5)})
    for more, shown in ((0, "5 runs: r0, r1, r2, r3, r4"), (1, "6 runs: r0, r1, r2, r3, r4, ...")):
        if more:
            runs(tmp_path, {"r5": head("2026-01-01")})
        with pytest.raises(StoreError) as caught:
            find_bundle(tmp_path, "r")
        assert caught.value.message.endswith(shown)


@pytest.mark.parametrize(
    ("text", "there"), [("latest", "no run in"), ("latest~0", "no run in"), ("latest~7", "no run in")]
)
def test_without_runs_there_is_no_latest(tmp_path: Path, text: str, there: str) -> None:
    with pytest.raises(StoreError) as caught:
        find_bundle(tmp_path, text)
    assert there in caught.value.message and caught.value.hint == "make one with `cipherstone run`"
    runs(tmp_path, {"a": head("2026-01-01")})
    assert find_bundle(tmp_path, "latest~0").name == "a"
    with pytest.raises(StoreError) as caught:
        find_bundle(tmp_path, "latest~1")
    assert "1 runs in" in caught.value.message and caught.value.hint == ""


def test_a_time_without_a_zone_is_universal(tmp_path: Path) -> None:
    runs(tmp_path, {"a": head("2026-01-01T12:00:00"), "b": head("2026-01-01T13:00:00+02:00"), "c": {"created": 3}})
    assert [find_bundle(tmp_path, f"latest~{back}").name for back in range(3)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("one", "said"),
    [
        ({}, []),
        ({"machine": "bb"}, ["was measured on another machine than the latest"]),
        ({"method": "m2"}, ["was measured by another method than the latest"]),
        ({"status": "interrupted"}, ["was interrupted"]),
        ({"status": "running"}, ["is not finished, or was killed"]),
        ({"status": ""}, []),
        ({"status": "running", "foreign": "cryptobench"}, ["holds figures of another program"]),
    ],
)
def test_what_an_earlier_run_has_to_do_with_the_latest(tmp_path: Path, one: dict[str, str], said: list[str]) -> None:
    runs(tmp_path, {"old": head("2026-01-01", **one), "new": head("2026-01-02")})
    assert remarks_on(tmp_path, "latest~1", tmp_path / "old") == said
    by_id = [text for text in said if "latest" not in text and "another program" not in text]
    assert remarks_on(tmp_path, "old", tmp_path / "old") == by_id


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        (("a/hash", "b/hash"), []),
        (("a/hash",), ["shares 1 of 2 operations and sizes with the latest"]),
        (("a/hash", "b/hash", "c/hash"), ["shares 2 of 3 operations and sizes with the latest"]),
        (("c/hash",), ["shares no operation and size with the latest"]),
    ],
)
def test_what_an_earlier_run_shares_with_the_latest(tmp_path: Path, cases: tuple[str, ...], said: list[str]) -> None:
    runs(tmp_path, {"old": head("2026-01-01", *cases), "new": head("2026-01-02", "a/hash", "b/hash")})
    assert remarks_on(tmp_path, "latest~1", tmp_path / "old") == said
    assert remarks_on(tmp_path, "latest", tmp_path / "new") == remarks_on(tmp_path, "latest~0", tmp_path / "new") == []


@pytest.mark.parametrize("text", ["a", "Before.2_x-y", "a" * 64, "la", "lates"])
def test_names_that_a_run_may_have(text: str) -> None:
    assert checked_name(text, ("openssl",)) == text


@pytest.mark.parametrize("text", ["", "1a", "_a", "a b", "a" * 65, "latest", "latest~1", "latestx", "a/b", "a\n"])
def test_names_that_could_mean_something_else(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_name(text)
    assert "no name of a run" in caught.value.message
    with pytest.raises(UsageError, match="is the name of a library"):
        checked_name("openssl", ("nettle", "openssl"))
