# SPDX-License-Identifier: Apache-2.0
"""Libraries whose library.toml cannot be read. Each is named in one line and left out, and every command continues with the others. A command that names such a library fails."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, ROOT, CommandLine, Done, bare_root, cost, options, write_worker

GOOD = "libsodium"
TEXT = (ROOT / "libraries" / GOOD / "library.toml").read_text(encoding="utf-8")
# Folder -> (library.toml, what its line says: where, the value seen, the hint).
BROKEN = {
    "badtext": ("id = \n", ("libraries/badtext/library.toml", "not TOML", "https://toml.io")),
    "badkey": (
        TEXT.replace('id = "libsodium"', 'id = "badkey"\nlisence = "MIT"'),
        ("libraries/badkey/library.toml", "'lisence'", "licence"),
    ),
    "badtype": (
        TEXT.replace('id = "libsodium"', 'id = "badtype"').replace('title = "', 'title = 7 # "', 1),
        ("libraries/badtype/library.toml", "title", "7"),
    ),
    "badfield": ('id = "badfield"\n', ("libraries/badfield/library.toml", "'title'", "missing")),
    "nofile": (None, ("libraries/nofile/library.toml", "cannot be read", "No such file")),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with one library that is right and one of each kind that is not."""
    root = bare_root(tmp_path_factory.mktemp("broken") / "checkout")
    shutil.copytree(ROOT / "libraries" / GOOD, root / "libraries" / GOOD)
    for name, (text, _) in BROKEN.items():
        folder = root / "libraries" / name
        folder.mkdir()
        (folder / "NOTES.md").write_text("none\n")
        if text is not None:
            (folder / "library.toml").write_text(text)
    (root / "roofline").symlink_to(ROOT / "roofline")
    shutil.copytree(ROOT / "labs", root / "labs")
    ladders = root / "labs" / "footprint"
    for path in list(ladders.glob("*/ladder.toml")):
        if path.parent.name != GOOD:
            shutil.rmtree(path.parent)
    shutil.copytree(ladders / GOOD, ladders / "badkey")
    (ladders / "badkey" / "ladder.toml").write_text('library = "badkey"\n')
    return root


@pytest.fixture
def broken(root: Path, new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("broken", root)


def _named(done: Done) -> None:
    """Each library that was left out has one line, and nothing is a stack trace."""
    lines = [line for line in done.err.splitlines() if line.startswith("warning: left out: ")]
    assert len(lines) == len(BROKEN), done.err
    for _, words in BROKEN.values():
        (line,) = (line for line in lines if words[0] in line)
        assert all(word in line for word in words), line
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["list", "--builds"], GOOD),
        (["list", "--operations"], HASH),
        (["list", "--why", "--op", HASH], "libsodium: "),
        (["list", "--libraries"], "libsodium"),
        (["run", "--dry-run", "--op", HASH], GOOD),
        (["plan", "--op", HASH, "-o", "-"], HASH),
        (["check", "-l", GOOD, "--op", HASH], GOOD),
        (["build", "--dry-run", GOOD], GOOD),
        (["upgrade", "--dry-run", GOOD], GOOD),
        (["footprint", "--shared", "-l", GOOD], GOOD),
    ],
    ids=str,
)
def test_every_command_goes_on_with_the_others(broken: CommandLine, words: list[str], says: str) -> None:
    done = broken(*words)
    assert done.code == 0, done.err
    assert says in done.out + done.err
    _named(done)


@pytest.mark.parametrize("words", [["lab", "modexp", "-f", "library:nosuch"], ["lab", "tls", "--build", "nosuch"], ["footprint", "-l", "nosuch"]], ids=str)  # fmt: skip
def test_a_laboratory_reads_the_others(broken: CommandLine, words: list[str]) -> None:
    done = broken(*words)
    assert done.code == 2 and "nosuch" in done.err.splitlines()[-2], done.err
    _named(done)


def test_setup_looks_at_the_others(broken: CommandLine) -> None:
    done = broken("setup", "--no-install", "--builds")
    assert done.code == 0, done.err
    _named(done)


def test_a_run_and_its_pages(broken: CommandLine, tmp_path: Path) -> None:
    worker = write_worker(tmp_path, "quick", {HASH: cost(100_000)})
    done = broken.measure("--op", HASH, "-f", "library:quick", "--base", "quick", *options(worker))
    assert done.code == 0, done.err
    _named(done)
    for command in ("show", "report", "export"):
        again = broken(command, "latest")
        assert again.code == 0, again.err
        assert "Traceback" not in again.err


@pytest.mark.parametrize(
    "words",
    [
        ["list", "-l", "badkey"],
        ["list", "badkey"],
        ["run", "--dry-run", "-l", f"{GOOD},badkey"],
        ["run", "--dry-run", "-f", "library:badkey"],
        ["run", "--dry-run", "--build", "badkey@4.0"],
        ["run", "--dry-run", "-l", "badkey=/usr"],
        ["plan", "badkey"],
        ["check", "-l", "badkey"],
        ["count", "--on", "aarch64", "-l", "badkey"],
        ["build", "badkey"],
        ["upgrade", "badkey"],
        ["badkey"],
    ],
    ids=str,
)
def test_a_command_that_names_one_fails(broken: CommandLine, words: list[str]) -> None:
    done = broken(*words)
    assert done.code == 2, done.err
    assert "error: " in done.err and "'badkey" in done.err
    assert "hint: libraries/badkey/library.toml: " in done.err, done.err


def test_a_shell_is_offered_the_others(broken: CommandLine) -> None:
    script = """import sys; from cipherstone.cli import complete; print(*complete.libraries(""), *complete.words("bad"), *complete.builds(""))"""
    done = subprocess.run([sys.executable, "-c", script], env=broken.env(), capture_output=True, text=True, check=True)
    assert GOOD in done.stdout.split() and "bad" not in done.stdout and not done.stderr


def test_what_list_prints_is_what_it_prints_without_them(broken: CommandLine) -> None:
    rows = json.loads(broken("list", "--op", HASH, "--format", "json").out)
    assert {row["library"] for row in rows} == {GOOD}
