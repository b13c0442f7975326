# SPDX-License-Identifier: Apache-2.0
"""Every command under strace, held against the tables of SECURITY.md: what it wrote, what it ran, what it reached."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import scripts
from every_command import Desk, calls, every_command, rows
from scripts import HASH, ROOT, CommandLine, cost, skip_or_fail, write_worker
from traced import Touch, refusal, touches, traced

sys.path.insert(0, str(ROOT / "tests" / "engine"))
sys.path.insert(0, str(ROOT / "tests" / "fault"))
from test_engine_brought import repository
from test_setup_faults import add_library

SPEED = "+H:16:256\n+F:6:sha256:100000000.00:200000000.00\n"
ROWS = list(rows("command"))


@pytest.fixture(scope="module")
def desks(
    new_cli: Callable[..., CommandLine], worker_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Desk, Desk]:
    """A checkout with toys alone, and this one with the workers that were built before."""
    if why := refusal():
        skip_or_fail(why)
    folder = tmp_path_factory.mktemp("touched")
    root = scripts.bare_root(folder / "checkout")
    for name in ("ownhash", "twobuilds"):
        shutil.copytree(ROOT / "tests" / "engine" / name, root / "libraries" / name)
    add_library(root, "absent", header="no/such/header.h")
    tree, _ = repository(folder / "tree", slow_from=1, length=1)
    worker = write_worker(folder / "worker", "alpha", {HASH: cost(1000)})
    found = []
    for name, place in (("bare", root), ("whole", ROOT)):
        cli = new_cli(name, place)
        if place == root:
            cli.cache = cli.home / "cache" / "cipherstone"
        cli.cache.mkdir(parents=True, exist_ok=True)
        for part in ("user", "locks", "output"):
            (cli.home / part).mkdir()
        (cli.home / "speed.txt").write_text(SPEED)
        found.append(Desk(cli, worker, tree))
    return found[0], found[1]


def test_the_table_has_every_command() -> None:
    assert [name for name in every_command() if name not in ROWS] == []
    known = set(every_command())
    assert [row for row in ROWS if " ".join(w for w in row.split() if not w.startswith("--")) not in known] == []


def test_every_row_is_tried(desks: tuple[Desk, Desk]) -> None:
    assert list(calls(*desks)) == ROWS


@pytest.mark.parametrize("row", ROWS)
def test_a_command_touches_what_the_table_says(row: str, desks: tuple[Desk, Desk]) -> None:
    if row == "lab tls --network" and os.geteuid() != 0:
        pytest.skip("own networks are root's")
    for call in calls(*desks)[row]:
        call()


PLANTED = """import os, socket, subprocess, sys
os.chdir(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "..", "elsewhere"))
open("opened", "w").close()
os.mkdir("made")
os.rename("opened", "moved")
os.symlink("made", "link")
subprocess.run(["true"])
for family, where in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
    try:
        socket.socket(family, socket.SOCK_DGRAM).connect((where, 9))
    except OSError:
        pass
"""


def test_what_is_planted_is_seen(desks: tuple[Desk, Desk], tmp_path: Path) -> None:
    """By a program that does what no command may: in its own process, and as a worker that a command starts."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "planted"
    program.write_text(f"#!{sys.executable} -IS\n{PLANTED}")
    program.chmod(0o755)
    done = traced([sys.executable, "-IS", str(program)], tmp_path, dict(os.environ), tmp_path / "trace")
    seen = {(touch.kind, touch.what) for touch in done.touches}
    there = tmp_path / "elsewhere"
    assert done.code == 0, done.err
    assert {("write", str(there / name)) for name in ("opened", "made", "moved", "link")} <= seen
    assert {("socket", "INET"), ("socket", "INET6")} <= seen
    assert ("address", "192.0.2.1") in seen and any(kind == "run" and what.endswith("/true") for kind, what in seen)
    shutil.rmtree(there)
    there.mkdir()
    whole = replace(desks[1], worker=program)
    told = "\n".join(whole.outside("replay", whole("replay", program, "--no-attacks").touches))
    assert "socket INET by" in told and "socket INET6 by" in told and "192.0.2.1" in told
    assert f"write {there}/made" in told and "/true by" in told


@pytest.mark.parametrize(
    ("row", "touch", "wrong"),
    [
        ("show", Touch("write", "CACHE/seals.json", ("python",)), False),
        ("show", Touch("write", "RUNS/x", ("python",)), True),
        ("run", Touch("write", "RUNS/x", ("python",)), False),
        ("run", Touch("write", "RUNS-too/x", ("python",)), True),
        ("run", Touch("write", "USER/.netrc", ("python", "cs-openssl")), True),
        ("show", Touch("run", "/usr/bin/gcc", ("python", "gcc")), True),
        ("run", Touch("run", "/usr/bin/gcc", ("python", "gcc")), False),
        ("run", Touch("run", "/usr/lib/cc1", ("python", "gcc", "cc1")), False),
        ("run", Touch("run", "/usr/bin/sh", ("python", "cs-openssl", "sh")), True),
        ("run", Touch("socket", "INET", ("python", "cs-openssl")), True),
        ("run", Touch("socket", "INET", ("python", "cargo")), False),
        ("show", Touch("socket", "INET", ("python", "cargo")), True),
        ("lab tls --sockets", Touch("address", "127.0.0.1", ("python", "cs-tls")), False),
        ("lab tls --sockets", Touch("address", "192.0.2.1", ("python", "cs-tls")), True),
        ("lab tls", Touch("socket", "INET6", ("python", "cs-tls")), True),
    ],
)
def test_the_table_is_a_wall(row: str, touch: Touch, wrong: bool, cli: CommandLine) -> None:
    cli.cache.mkdir(parents=True)
    what = touch.what
    for word, place in (("CACHE", cli.cache), ("RUNS", cli.runs), ("USER", cli.home / "user")):
        what = what.replace(word, str(place))
    touch = replace(touch, what=what)
    assert bool(Desk(cli, Path("/w/worker")).outside(row, [touch])) == wrong


def test_a_trace_of_processes_side_by_side_is_read(tmp_path: Path) -> None:
    """Calls that others interrupt, children that appear before their parent knows them, folders that are changed, quoted brackets."""
    (tmp_path / "trace").write_text(
        '10 execve("/usr/bin/python", ["python", "a, \\"b)"], 0x1 /* 3 vars */) = 0\n'
        "10 clone3({flags=CLONE_VFORK}, 88 <unfinished ...>\n"
        '11 chdir("sub") = 0\n'
        '11 execve("/bin/sh", ["sh"], 0x1) = 0\n'
        "10 <... clone3 resumed> => {parent_tid=[0]}, 88) = 5 /* 11 in strace's PID NS */\n"
        '11 mkdir("x) = 0", 0777 <unfinished ...>\n'
        '10 openat(AT_FDCWD</w>, "seen", O_RDONLY) = 3</w/seen>\n'
        "11 <... mkdir resumed>) = 0\n"
        '11 openat(4</over/there>, "y", O_RDWR|O_CREAT, 0666) = 5</over/there/y>\n'
        '11 unlink("gone") = -1 ENOENT (No such file or directory)\n'
        '11 mkdir("/no", 0777) = -1 EACCES (Permission denied)\n'
        '11 connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0\n'
        "11 +++ exited with 0 +++\n"
    )
    shell = ("python", "sh")
    assert touches(tmp_path / "trace", Path("/w")) == [
        Touch("run", "/usr/bin/python", ("python",)),
        Touch("run", "/bin/sh", shell),
        Touch("write", "/w/sub/x) = 0", shell),
        Touch("write", "/over/there/y", shell),
        Touch("write", "/no", shell),
    ]


def test_children_of_parents_that_start_them_at_the_same_time_are_told_apart(tmp_path: Path) -> None:
    """The end of a call tells whose child it made, also where the child ran before it; a number may be used again."""
    (tmp_path / "trace").write_text(
        '10 execve("/usr/bin/python", ["python"], 0x1) = 0\n'
        "10 clone(child_stack=NULL, flags=SIGCHLD) = 11\n"
        "10 clone(child_stack=NULL, flags=SIGCHLD) = 12\n"
        '11 execve("/usr/bin/unshare", ["unshare"], 0x1) = 0\n'
        '12 execve("/usr/bin/git", ["git"], 0x1) = 0\n'
        "11 vfork( <unfinished ...>\n"
        "12 vfork( <unfinished ...>\n"
        '13 execve("/bin/one", ["one"], 0x1) = 0\n'
        '14 execve("/bin/two", ["two"], 0x1) = 0\n'
        "12 <... vfork resumed>) = 14\n"
        "11 <... vfork resumed>) = 13\n"
        "12 vfork() = 13\n"
        '13 execve("/bin/three", ["three"], 0x1) = 0\n'
    )
    assert [str(touch) for touch in touches(tmp_path / "trace", Path("/w"))][1:] == [
        "run /usr/bin/unshare by python > unshare",
        "run /usr/bin/git by python > git",
        "run /bin/one by python > unshare > one",
        "run /bin/two by python > git > two",
        "run /bin/three by python > git > three",
    ]
