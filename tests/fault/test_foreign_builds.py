# SPDX-License-Identifier: Apache-2.0
"""What builds from source do besides building: they see nothing of the caller's, leave nothing running, reach no network, and a checkout's settings start nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherstone.build import sandbox
from cipherstone.build.sandbox import end_builds, walls
from cipherstone.build.seals import write_seal
from cipherstone.build.sources import lay_out_own, source_folder
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.upstream import prepare
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.builds import OwnBuild
from cipherstone.catalogue.libraries import load_library
from cipherstone.cli.user_library import commit_of
from cipherstone.model.errors import BuildError

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests/engine/twobuilds"
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the build names gcc")
Build = Callable[[str], Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Runs a script as the recipe of a library whose source is here; the library that it made."""

    def made(script: str) -> Path:
        folder = tmp_path / "libraries" / "twobuilds"
        shutil.copytree(TOY, folder, dirs_exist_ok=True)
        (folder / "upstream" / "build.sh").write_text(script + '\nmkdir -p "$PREFIX/lib" "$PREFIX/include"\ntouch "$PREFIX/lib/libnothing.a"\n')  # fmt: skip
        library = load_library(folder, load_catalogue(ROOT))
        one = next(build for build in library.builds if build.source)
        assert one.source is not None
        source = source_folder(one.source.archive, tmp_path / "cache")
        if not source.is_dir():
            source.mkdir(parents=True)
            write_seal(source)
        done = prepare(library, one, find_toolchain(), None, tmp_path / "cache", lambda _: None)
        return Path(done.libs[0])

    return made


def test_a_build_sees_nothing_of_the_callers(build: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment is a list; what makefiles and compilers would obey is not on it."""
    for name in ("SECRET_TOKEN", "MAKEFLAGS", "CFLAGS_EXTRA", "LD_PRELOAD", "CPATH", "GIT_DIR", "BASH_ENV", "ENV"):
        monkeypatch.setenv(name, f"/nonexistent/{name}")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_text("machine localhost password secret\n")
    made = build('mkdir -p "$PREFIX/lib"; env >"$PREFIX/lib/env"; cat ~/.netrc >"$PREFIX/lib/netrc" || :; : >"$TMPDIR/x"; : >"$HOME/y"')  # fmt: skip
    seen = dict(line.split("=", 1) for line in (made.parent / "env").read_text().splitlines())
    known = "CC CXX AR RANLIB NM CFLAGS CXXFLAGS JOBS PREFIX OPTIONS LC_ALL LANG SOURCE_DATE_EPOCH PATH HOME TMPDIR"
    own = {"PWD", "OLDPWD", "SHLVL", "_", "RUSTUP_HOME"}
    assert set(seen) - own <= set(known.split()), set(seen) - own - set(known.split())
    assert (made.parent / "netrc").read_text() == ""
    assert not Path(seen["HOME"]).exists() and not Path(seen["TMPDIR"]).exists()


MARK = "CS_TEST_OF_LEFTOVERS"


def running(mark: str) -> list[str]:
    """Programs of the machine that name `mark` in their words."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in words:
            found.append(words)
    return found


def gone(mark: str) -> bool:
    end = time.monotonic() + 600
    while running(mark) and time.monotonic() < end:
        time.sleep(0.05)
    return not running(mark)


@pytest.fixture(params=["as it is", "no walls"])
def any_walls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "no walls":
        monkeypatch.setattr(sandbox, "walls", lambda: sandbox.Walls.NONE)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_nothing_outlives_a_build(build: Build, tmp_path: Path, any_walls: None) -> None:
    """Not what left its session, nor what left its parent, whether the script succeeds or not."""
    mark = f"{MARK}_{os.getpid()}"
    script = f"setsid sh -c ': {mark}; trap \"\" TERM HUP; while :; do sleep 1; done' >/dev/null 2>&1 &\n"
    script += f"(setsid setsid sh -c ': {mark}; while :; do sleep 1; done' &) >/dev/null 2>&1\nsleep 0.3\n"
    build(script)
    assert gone(mark)
    with pytest.raises(BuildError, match="ended with status 7"):
        build(script + "exit 7\n")
    assert gone(mark)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_builds_end_when_the_program_does(build: Build, any_walls: None) -> None:
    mark = f"{MARK}_{os.getpid()}_end"
    said: list[str] = []

    def work() -> None:
        try:
            build(f"setsid sh -c ': {mark}; while :; do sleep 1; done' >/dev/null 2>&1 &\nsleep 600\n")
        except BuildError as error:
            said.append(error.message)

    thread = threading.Thread(target=work)
    thread.start()
    while not running(mark) and thread.is_alive():
        time.sleep(0.05)
    end_builds()
    thread.join(60)
    assert not thread.is_alive() and gone(mark) and said and "ended with status" in said[0]


def test_a_build_reaches_no_network(build: Build) -> None:
    """Where the system can cut it off; the script would hear a server of this machine."""
    if walls() is sandbox.Walls.NONE:
        pytest.skip("this system has no network namespaces for us")
    made = build('mkdir -p "$PREFIX/lib"; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d \' \' >"$PREFIX/lib/net"')
    assert (made.parent / "net").read_text().split() in ([], ["lo"])


def test_bubblewrap_makes_the_rest_read_only(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is installed: the build writes below its own folder alone, and the caller's home is not there."""
    if walls() is not sandbox.Walls.BUBBLEWRAP:
        pytest.skip("no bubblewrap that works")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".netrc").write_text("secret")
    monkeypatch.setenv("HOME", str(home))
    made = build(f'mkdir -p "$PREFIX/lib"; cat {home}/.netrc >"$PREFIX/lib/seen" || :; touch {tmp_path}/escaped || :')
    assert (made.parent / "seen").read_text() == "" and not (tmp_path / "escaped").exists()


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_a_checkout_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No filter, hook or helper, of the checkout's settings or the user's, when a commit is laid out."""
    tree, ran = tmp_path / "tree", tmp_path / "ran"
    tree.mkdir()
    git(tree, "init", "-q")
    (tree / "a.c").write_text("int a;\n")
    (tree / ".gitattributes").write_text("*.c filter=evil diff=evil\n")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "one")
    evil = f"sh -c 'touch {ran}; cat'"
    for key in ("filter.evil.smudge", "filter.evil.process", "core.fsmonitor", "gpg.program", "core.pager", "diff.evil.textconv", "tar.tar.command"):  # fmt: skip
        git(tree, "config", key, evil)
    git(tree, "config", "log.showSignature", "true")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f'[filter "evil"]\n\tsmudge = touch {ran}; cat\n\trequired = true\n')
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", evil)
    commit = commit_of("x", str(tree), "HEAD")
    laid = lay_out_own(OwnBuild(str(tree), commit), tmp_path / "out" / "tree")
    assert (laid / "a.c").read_text() == "int a;\n" and not ran.exists()


def test_the_supervisor_tells_how_it_ended(tmp_path: Path) -> None:
    """Status and signal, and a program that is not there."""
    for words, status in ((["sh", "-c", "exit 3"], {3}), (["sh", "-c", "sh -c 'kill -9 $$'; exit $?"], {128 + signal.SIGKILL}), (["/nonexistent/x"], {1, 127})):  # fmt: skip
        with (tmp_path / "log").open("wb") as log:
            assert sandbox.run_confined(words, sandbox.SandboxFolders(tmp_path, tmp_path), {}, log, 60) in status
