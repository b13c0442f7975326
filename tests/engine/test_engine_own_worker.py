# SPDX-License-Identifier: Apache-2.0
"""A worker in a language without an SDK is a folder under `libraries/`: listed, proven and measured like every other, and known by the content of what runs."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, ROOT, CommandLine, bare_root, cells, newest, opened, summary, write_worker

from cipherstone.build.language_workers import build_language_worker
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_library
from cipherstone.model.errors import BuildError, DataError

PAGE = (ROOT / "docs" / "guides" / "add-a-worker-language.md").read_text()
# What the guide says, word by word.
TOML, BUILDING = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[:2]
# A build without a compiler: the "program" is the script itself, made executable.
BUILT = '[worker]\nbuild = ["sh", "build.sh", "$PREFIX/bin"]\ntools = ["sed"]\nrun = ["bin/worker"]\n'
SCRIPT = 'mkdir -p "$1"\nsed "1s|.*|#!$(command -v python3)|" worker.py >"$1/worker"\nchmod +x "$1/worker"\n'


def add(root: Path, toml: str = TOML, **files: str) -> Path:
    """The guide's example as a folder of `root`."""
    folder = root / "libraries" / "hashlib"
    folder.mkdir(parents=True)
    (folder / "library.toml").write_text(toml)
    shutil.copy(ROOT / "docs" / "guides" / "hashlib_worker.py", folder / "worker.py")
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


@pytest.fixture
def here(tmp_path: Path, new_cli: Callable[..., CommandLine]) -> CommandLine:
    root = bare_root(tmp_path / "checkout")
    add(root)
    # The first `python3` of the path is the interpreter of these tests.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    return opened(new_cli("own", root, PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin"))


def test_a_folder_is_listed_checked_and_measured(here: CommandLine, tmp_path: Path) -> None:
    cache = ("--cache", tmp_path / "cache")
    listed = here("list", "--format", "json", *cache).no_trace()
    assert listed.code == 0, listed.err
    rows = {row["operation"]: row for row in listed.json() if row["library"] == "hashlib"}
    assert rows[HASH]["state"] == "ok" and rows["sha-512/hash"]["state"] == "unsupported"
    builds = here("list", "--builds", "--format", "json", *cache).no_trace().json()
    assert [(one["name"], one["state"], one["compiler"]) for one in builds] == [
        ("hashlib", "ready", "python3 worker.py")
    ]
    checked = here("check", *cache).no_trace()
    assert checked.code == 0 and "1 of 1" in checked.out + checked.err, checked.out + checked.err

    other = write_worker(tmp_path, "beta", {HASH: {"default": {"ns": 1500}}})
    done = here.measure("--op", HASH, "--worker", other, "--base", "hashlib", *cache).no_trace()
    assert done.code == 0, done.err
    lanes = cells(summary(done))
    version = ".".join(map(str, sys.version_info[:3]))
    assert set(lanes) == {f"hashlib@{version}", f"hashlib@{version}#2", "beta@1.0"}, done.err
    assert lanes[f"hashlib@{version}"].ns.value > 0
    build = next(one for one in newest(here.runs).manifest.builds if one.library == "hashlib")
    assert build.title == "Python's hashlib" and build.licence == "PSF-2.0"
    assert build.package.startswith("sources in libraries/hashlib, Python 3.")
    assert len(build.worker_hash) == 16 and str(tmp_path) not in build.package


def test_what_runs_is_its_identity(tmp_path: Path) -> None:
    """Another line of the script is another worker, and so is another interpreter; a note beside it is not, nor what the interpreter keeps for itself."""
    folder, cache = add(tmp_path), tmp_path / "cache"

    def digest() -> tuple[str, bool]:
        made = build_language_worker(load_library(folder, load_catalogue(ROOT)), cache)
        (Path(made.command[1]).parent / "__pycache__").mkdir(exist_ok=True)
        (Path(made.command[1]).parent / "__pycache__" / "x.pyc").write_text(str(made.fresh))
        return made.digest, made.fresh

    first = digest()
    (folder / "NOTES.md").write_text("which interface, and why")
    assert first[1] and digest() == (first[0], False)
    source = (folder / "worker.py").read_text()
    (folder / "worker.py").write_text(source + "\n")
    assert digest()[0] != first[0] and digest()[1] is False
    (folder / "worker.py").write_text(source)
    assert digest() == (first[0], False)
    program = tmp_path / "bin" / "python3"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(program.parent), prepend=":")
        other = digest()
    assert other[0] != first[0] and other[1]


def test_a_command_builds_it(tmp_path: Path, here: CommandLine) -> None:
    folder = here.root / "libraries" / "hashlib"
    text = TOML.partition("[worker]")[0].replace('["worker.py"]', '["worker.py", "build.sh"]') + BUILT
    (folder / "library.toml").write_text(text)
    (folder / "build.sh").write_text(SCRIPT)
    checked = here("check", "--cache", tmp_path / "cache").no_trace()
    assert checked.code == 0 and "1 of 1" in checked.out + checked.err, checked.out + checked.err
    assert "built the worker of Python's hashlib" in checked.err
    again = here("check", "--cache", tmp_path / "cache").no_trace()
    assert again.code == 0 and "built the worker" not in again.err
    (folder / "build.sh").write_text("echo 'error: no such crate' >&2; exit 7\n")
    failed = here("check", "--cache", tmp_path / "cache").no_trace()
    assert (
        failed.code == 1 and "hashlib: building its worker: sh ended with status 7: error: no such crate" in failed.err
    ), failed.err
    assert not list((tmp_path / "cache" / "workers").glob(".build-*"))


def test_what_is_missing_is_said(here: CommandLine, tmp_path: Path) -> None:
    folder = here.root / "libraries" / "hashlib"
    (folder / "library.toml").write_text(TOML.replace('"python3"', '"no-such-python"'))
    done = here("check", "--cache", tmp_path / "cache").no_trace()
    assert done.code == 1 and "no no-such-python, which its worker needs" in done.err, done.err
    (folder / "library.toml").write_text(TOML)
    source = (folder / "worker.py").read_text()
    (folder / "worker.py").write_text(source.replace('"library": "hashlib"', '"library": "other"'))
    done = here("check", "--cache", tmp_path / "cache").no_trace()
    assert done.code == 1 and "its worker calls itself 'other', its folder 'hashlib'" in done.err, done.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[worker]\n", "[other]\n", "other"),
        ('run = ["python3", "worker.py"]', "run = []", "worker.run: is empty"),
        ('run = ["python3"', 'run = ["/usr/bin/python3"', "worker.run: '/usr/bin/python3' is not a program"),
        ('run = ["python3"', 'run = ["../python3"', "worker.run: '../python3' is not a program"),
        ('language = "python"', 'language = "Python 3"', "language: 'Python 3' is not a name"),
        ("[worker]\n", '[[build]]\nvariant = "O2"\nwhy = "x"\n\n[worker]\n', "[[build]] beside [worker]"),
        ("[worker]\n", '[worker]\nbuild = ["sh", "a\\u0007b"]\n', "worker.build: "),
        ('[worker]\nrun = ["python3", "worker.py"]\n', "", "language: 'python' has no SDK"),
    ],
)
def test_a_toml_that_is_wrong_is_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TOML
    folder = add(tmp_path, TOML.replace(old, new))
    with pytest.raises(DataError) as caught:
        load_library(folder, load_catalogue(ROOT))
    assert said in caught.value.message and "\n" not in caught.value.message


def test_a_worker_that_is_not_there_after_its_build(tmp_path: Path) -> None:
    folder = add(tmp_path, TOML.partition("[worker]")[0] + '[worker]\nbuild = ["true"]\nrun = ["bin/worker"]\n')
    with pytest.raises(BuildError, match="'bin/worker' is neither a program nor one of its files"):
        build_language_worker(load_library(folder, load_catalogue(ROOT)), tmp_path / "cache")


def test_the_guide_says_how_to_build_one(tmp_path: Path) -> None:
    folder = add(tmp_path, TOML.partition("[worker]")[0] + BUILDING)
    worker = load_library(folder, load_catalogue(ROOT)).worker
    assert worker is not None and "$PREFIX/worker" in worker.build and worker.run == ("worker",)
    assert worker.packages.debian
