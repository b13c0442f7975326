# SPDX-License-Identifier: Apache-2.0
"""Kept answers of tests: another input is computed anew, a failure is not kept, a damaged file is no answer, and who is killed leaves none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import kept
import pytest
from scripts import ROOT

HOUR = 3600.0


class Counted:
    """A computation that counts how often it was made."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kept, "WANTED", True)
        self.folder, self.times = folder / "answers", 0

    def compute(self) -> list[int]:
        self.times += 1
        return [self.times]

    def __call__(self, *inputs: kept.Input, files: Iterable[Path] = (), right: bool = True) -> list[int]:
        with kept.answered("sum", inputs, list[int], self.compute, lambda: files, self.folder) as answer:
            assert right
        return answer


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(tmp_path, monkeypatch)


def test_the_same_inputs_are_computed_once(counted: Counted, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a")
    assert [counted("a", b"b", tmp_path / "file") for _ in range(3)] == [[1]] * 3


def test_what_takes_no_time_takes_no_place(counted: Counted) -> None:
    for due, least_s in ((1, 60.0), (2, 60.0), (3, 0.0), (3, 60.0)):
        with kept.answered("sum", ("a",), list[int], counted.compute, folder=counted.folder, least_s=least_s) as answer:
            assert answer == [due]


def test_another_input_is_computed_anew(counted: Counted, tmp_path: Path) -> None:
    folder = tmp_path / "tree" / "deep"
    folder.mkdir(parents=True)
    (folder / "one").write_text("a")
    asked: list[tuple[kept.Input, ...]] = [("a", "b"), ("ab",), ("b", "a"), (b"\0",), (tmp_path / "tree",)]
    assert [counted(*words) for words in asked] == [[1], [2], [3], [4], [5]]
    (folder / "one").write_text("b")
    assert counted(tmp_path / "tree") == [6]
    (folder / "one").rename(folder / "two")
    assert counted(tmp_path / "tree") == [7] == counted(tmp_path / "tree")
    assert counted(folder / "two") == [8]


def test_a_file_that_an_answer_was_read_from_counts(counted: Counted, tmp_path: Path) -> None:
    header = tmp_path / "header.h"
    header.write_text("1")
    assert counted("x", files=[header]) == [1] == counted("x")
    header.write_text("2")
    assert counted("x", files=[header]) == [2] == counted("x")
    header.unlink()
    assert counted("x", files=[header]) == [3], "gone: nothing to hold an answer against"
    assert counted("x") == [4]


def test_a_failure_is_not_kept(counted: Counted) -> None:
    for number in (1, 2):
        with pytest.raises(AssertionError):
            counted("x", right=False)
        assert counted.times == number
    assert counted("x") == [3]
    with pytest.raises(AssertionError):  # what fails later, whyever, is asked anew
        counted("x", right=False)
    assert counted("x") == [4]


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "elsewhere", "kind"])
def test_a_damaged_answer_is_computed_anew(counted: Counted, damage: str) -> None:
    assert counted("x") == [1]
    (path,) = counted.folder.iterdir()
    whole = path.read_bytes()
    other = kept.Kept("sum", ("x",), str, counted.folder)
    if damage == "kind":
        other.keep("no numbers")
    else:
        middle = len(whole) // 2
        changed = bytes([whole[middle] ^ 1])
        path.write_bytes(
            {
                "empty": b"",
                "cut": whole[:-3],
                "changed": whole[:middle] + changed + whole[middle + 1 :],
                "elsewhere": b"x" * 99,
            }[damage]
        )
    assert counted("x") == [2] == counted("x")


def test_who_is_killed_leaves_no_answer(counted: Counted, tmp_path: Path) -> None:
    """In the midst of computing, and of writing: a part of a file is never taken for one."""
    script = (
        "import sys, time\nfrom pathlib import Path\nsys.path[:0] = [sys.argv[2], sys.argv[3]]\nimport kept\n"
        "def halt(*_):\n    print('here', flush=True)\n    time.sleep(600)\n"
        "if sys.argv[4] == 'writing':\n    kept.Path.replace = halt\n"
        "compute = halt if sys.argv[4] == 'computing' else lambda: [7]\n"
        "with kept.answered('sum', ('x',), list[int], compute, folder=Path(sys.argv[1])):\n    pass\n"
    )
    environment = {**os.environ, "CS_KEEP": "yes"}
    for moment in ("computing", "writing"):
        words = [str(counted.folder), str(ROOT / "tests"), str(ROOT / "src"), moment]
        process = subprocess.Popen([sys.executable, "-c", script, *words], stdout=subprocess.PIPE, env=environment)
        assert process.stdout is not None and process.stdout.readline() == b"here\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    left = list(counted.folder.iterdir())
    assert len(left) == 1 and left[0].name.startswith(".part-")
    assert counted("x") == [1]
    kept.tidy(counted.folder, time.time() + 2 * HOUR)
    assert [path.name.startswith("sum-") for path in counted.folder.iterdir()] == [True]


def test_what_is_old_or_too_much_goes(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        counted(str(number))
        at = time.time() - (5 - number) * HOUR
        os.utime(max(counted.folder.iterdir(), key=lambda path: path.stat().st_mtime), (at, at))
    monkeypatch.setattr(kept, "MOST", 3)
    kept.tidy(counted.folder)
    assert [counted(str(number)) for number in (2, 3, 4)] == [[3], [4], [5]]
    kept.tidy(counted.folder, time.time() + (kept.DAYS + 1) * 24 * HOUR)
    assert list(counted.folder.iterdir()) == []


def test_it_can_be_switched_off(counted: Counted, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert counted("x") == [1]
    monkeypatch.setattr(kept, "WANTED", False)
    assert counted("x") == [2] and len(list(counted.folder.iterdir())) == 1
    kept.link_built(tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_a_cache_shares_what_is_built_and_nothing_that_was_learnt(tmp_path: Path) -> None:
    for _ in range(2):
        kept.share_built(tmp_path / "mine", tmp_path / "source")
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {*kept.BUILT}
    (tmp_path / "mine" / "workers" / "new").mkdir()
    assert (tmp_path / "source" / "workers" / "new").is_dir()


def test_headers_are_what_the_compiler_read(tmp_path: Path) -> None:
    listed = tmp_path / "x.d"
    listed.write_text(f"x.o: {tmp_path}/x.c \\\n {tmp_path}/../{tmp_path.name}/a.h \\\n {tmp_path}/a.h\n")
    assert kept.headers(listed) == [tmp_path / "a.h", tmp_path / "x.c"]
