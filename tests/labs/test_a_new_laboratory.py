# SPDX-License-Identifier: Apache-2.0
"""The guide's laboratory, added to a copy of the program by one new folder: it has a command, its runs are measured, and what it derives is stored and exported."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, ROOT, CommandLine, bare_root, newest, options, write_worker

PAGE = (ROOT / "docs" / "guides" / "add-a-laboratory.md").read_text()


def test_a_folder_is_a_laboratory(tmp_path: Path, new_cli: Callable[..., CommandLine]) -> None:
    (room,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    root = bare_root(tmp_path / "checkout")
    before = {path.relative_to(root): path.read_bytes() for path in (root / "src").rglob("*.py")}
    folder = root / "src" / "cipherstone" / "labs" / "sizes"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "room.py").write_text(room)
    cli = new_cli("lab", root)
    assert re.search(r"^  sizes +Sizes: what a call", cli("lab", "--help").out, re.MULTILINE)
    # 640 ns a block of 64 bytes, padding included: 2 of them, then 17.
    worker = write_worker(tmp_path, "alpha", {HASH: {"default": {"ns": 200, "per_block": 640}}})
    done = cli("lab", "sizes", "--base", "alpha", *options(worker), "--cache", cli.cache).no_trace()
    assert done.code == 0, done.err
    assert newest(cli.runs).manifest.suite == "sizes"
    lines = cli("export", "latest", "--as", "json").no_trace().json()["lab"]["lines"]
    assert lines["alpha@1.0"] == {"byte_ns": pytest.approx(10), "call_ns": pytest.approx(840)}
    after = {path.relative_to(root): path.read_bytes() for path in (root / "src").rglob("*.py")}
    assert {str(path) for path in after.keys() - before.keys()} == {
        f"src/cipherstone/labs/sizes/{name}" for name in ("__init__.py", "room.py")
    }
    assert all(after[path] == text for path, text in before.items())
