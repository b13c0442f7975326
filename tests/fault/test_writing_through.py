# SPDX-License-Identifier: Apache-2.0
"""Where a report or an export is written: what is no regular file is written through, never replaced by one."""

from __future__ import annotations

import os
import pty
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, cost, write_worker


@pytest.fixture(scope="module")
def cli(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A command line with one finished run."""
    made = new_cli("written")
    worker = write_worker(tmp_path_factory.mktemp("workers"), "alpha", {HASH: cost(1000)})
    assert made.measure("--base", "alpha", "--op", HASH, "--worker", worker).code == 0
    return made


VERBS = [("export",), ("export", "--as", "json"), ("report",), ("report", "--markdown")]


@pytest.mark.parametrize("words", VERBS)
def test_a_device_is_written_through_and_stays_a_device(
    cli: CommandLine, tmp_path: Path, words: tuple[str, ...]
) -> None:
    null = tmp_path / "null"
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        null.write_text("")
    except OSError:
        pytest.skip("making a device needs root")
    before = null.stat()
    assert cli.inside(*words, "-o", null).no_trace().code == 0
    assert stat.S_ISCHR(null.stat().st_mode) and null.stat().st_ino == before.st_ino
    assert list(tmp_path.iterdir()) == [null]


def test_a_terminal_is_written_through(cli: CommandLine) -> None:
    master, slave = pty.openpty()
    done = cli.inside("export", "-o", os.ttyname(slave))
    said = os.read(master, 1 << 16)
    os.close(master)
    os.close(slave)
    assert done.no_trace().code == 0 and said.decode().startswith(cli.inside("export").out[:40])


@pytest.mark.parametrize("words", VERBS)
def test_a_pipe_is_written_through_and_stays_a_pipe(cli: CommandLine, tmp_path: Path, words: tuple[str, ...]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert cli.inside(*words, "-o", pipe).no_trace().code == 0
    reader.join(600)
    assert stat.S_ISFIFO(pipe.stat().st_mode) and read and "alpha" in read[0]


@pytest.mark.parametrize("words", VERBS)
def test_a_symlink_stays_and_its_file_is_replaced(cli: CommandLine, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "real").mkdir()
    kept, link = tmp_path / "real" / "kept", tmp_path / "link"
    kept.write_text("before")
    kept.chmod(0o640)
    link.symlink_to(Path("real") / "kept")
    assert cli.inside(*words, "-o", link).no_trace().code == 0
    assert link.is_symlink() and "alpha" in kept.read_text() and not kept.is_symlink()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640  # who could not read it before cannot now
    assert sorted(tmp_path.iterdir()) == [link, tmp_path / "real"] and list(kept.parent.iterdir()) == [kept]


def test_a_symlink_to_a_device_and_one_to_nothing_yet(cli: CommandLine, tmp_path: Path) -> None:
    null, fresh = tmp_path / "null", tmp_path / "fresh"
    null.symlink_to(os.devnull)
    fresh.symlink_to(tmp_path / "later")
    for link in (null, fresh):
        assert cli.inside("export", "-o", link).no_trace().code == 0
        assert link.is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode) and "alpha" in (tmp_path / "later").read_text()


def test_links_in_a_circle_and_a_folder_are_told_in_one_line(cli: CommandLine, tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    for place in (circle, tmp_path):
        done = cli.inside("export", "-o", place).no_trace()
        assert done.code == 1 and done.err.startswith(f"cipherstone: error: cannot write {place}: ")
        assert len(done.err.splitlines()) == 2
    assert circle.is_symlink() and list(tmp_path.iterdir()) == [circle]


def test_the_names_of_standard_output_append_to_it(cli: CommandLine, tmp_path: Path) -> None:
    """As in `cipherstone export --to /dev/stdout >> log`: what the log had stays."""
    log = tmp_path / "log"
    log.write_text("first line\n")
    for name in ("/dev/stdout", "/proc/self/fd/1", "-"):
        with log.open("a") as stream:
            done = subprocess.run(
                cli.command("export", "-o", name), cwd=cli.home, env=cli.env(), stdout=stream, check=False
            )
        assert done.returncode == 0
    text = log.read_text()
    header = cli.inside("export").out.partition("\n")[0]
    assert text.startswith("first line\n") and text.count(header) == 3


def test_a_full_device_is_told(cli: CommandLine) -> None:
    done = cli.inside("export", "-o", "/dev/full").no_trace()
    assert done.code == 1 and "cannot write /dev/full: No space left on device" in done.err
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
