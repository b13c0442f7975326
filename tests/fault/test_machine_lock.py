# SPDX-License-Identifier: Apache-2.0
"""The lock of the machine where somebody else was before: links, pipes, files and folders of others neither lose a byte nor stop anybody for good."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, newest, write_worker

from cipherstone.host import lock as module
from cipherstone.host.lock import MachineLock
from cipherstone.model.errors import CipherstoneError

NOBODY = 65534
HOLDER = """
import os, sys, time
from pathlib import Path
from cipherstone.host.lock import MachineLock
os.setuid(int(sys.argv[2]))
with MachineLock(shared=[Path(sys.argv[1])]): print('held', flush=True); time.sleep(3600)
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shared folder of a machine of its own, in which no session and no variable names another place."""
    for name in ("CIPHERSTONE_LOCKS", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shared = tmp_path / "lock"
    shared.mkdir()
    shared.chmod(0o1777)
    for folder in (tmp_path, *tmp_path.parents[:3]):  # other users come this far
        folder.chmod(folder.stat().st_mode | 0o011)
    return shared


@contextmanager
def another(machine: Path, user: int | None = None, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds the lock of the machine, perhaps another user's."""
    env = {"PATH": os.environ["PATH"], "HOME": str(machine.parent / "home"), **environment}
    env["PYTHONPATH"] = ":".join(sys.path)
    # That user need not be able to start this Python.
    command = [sys.executable, "-c", HOLDER, str(machine), str(os.getuid() if user is None else user)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=env, cwd="/")
    try:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def held(machine: Path) -> MachineLock:
    with MachineLock(shared=[machine]) as lock:
        return lock


@pytest.mark.parametrize("environment", ["TMPDIR", "XDG_RUNTIME_DIR", "HOME"])
def test_whatever_the_environment_says_one_run_at_a_time(machine: Path, environment: str) -> None:
    elsewhere = machine.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    with another(machine, **{environment: str(elsewhere)}) as holder, pytest.raises(CipherstoneError) as caught:
        held(machine)
    assert caught.value.message == f"another run is measuring on this machine: process {holder.pid}"
    assert "or stop it" in caught.value.hint
    assert held(machine).remark == ""


@pytest.mark.parametrize("kind", ["link", "dangling", "circle", "pipe", "folder"])
def test_what_lies_in_the_place_of_the_shared_lock_is_left_alone(machine: Path, kind: str) -> None:
    victim, place = machine.parent / "victim", machine / "cipherstone.lock"
    victim.write_text("precious")
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to({"link": victim, "dangling": machine.parent / "nothing", "circle": place}[kind])
    lock = held(machine)
    assert "runs of other users are not seen: " in lock.remark and str(place) in lock.remark
    assert victim.read_text() == "precious" and not (machine.parent / "nothing").exists()
    with another(machine), pytest.raises(CipherstoneError, match="another run is measuring"):
        held(machine)  # one's own runs are kept apart all the same


def test_a_run_says_that_it_does_not_see_others_and_keeps_it(cli: CommandLine, machine: Path, tmp_path: Path) -> None:
    (machine / "cipherstone.lock").symlink_to(tmp_path / "nothing")
    (cli.home / "spoilt.py").write_text(
        "import sys\nfrom pathlib import Path\nfrom cipherstone.cli.main import main\n"
        "from cipherstone.host.lock import MachineLock\n"
        f"MachineLock.__init__.__defaults__ = (None, (Path({str(machine)!r}),))\nmain()\n"
    )
    spoilt = replace(cli, module="spoilt", environment={"CIPHERSTONE_LOCKS": ""})
    done = spoilt.measure("--base", "alpha", "--op", HASH, "--worker", write_worker(tmp_path, "alpha"))
    assert done.code == 0 and "warning: runs of other users are not seen: " in done.err
    assert any("runs of other users are not seen" in note for note in newest(cli.runs).manifest.notes)


def test_nothing_is_ever_written_into_the_shared_lock(machine: Path) -> None:
    victim = machine.parent / "victim"
    victim.write_text("precious")
    (machine / "cipherstone.lock").hardlink_to(victim)
    held(machine)
    assert victim.read_text() == "precious"


def test_what_lies_in_the_place_of_the_own_folder_is_not_taken(machine: Path) -> None:
    """A link to a folder of somebody else, or one that others may write; the next place serves."""
    own, other = machine / f"cipherstone-{os.getuid()}", machine.parent / "other"
    other.mkdir(mode=0o700)
    own.symlink_to(other)
    held(machine)
    own.unlink()
    own.mkdir()
    own.chmod(0o777)
    held(machine)
    assert list(other.iterdir()) == list(own.iterdir()) == []
    assert len(list((machine.parent / "home" / ".cache" / "cipherstone").iterdir())) == 1


def test_a_machine_without_any_place_is_told_what_helps(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/dev/null")
    with pytest.raises(CipherstoneError, match="run lock: ") as caught:
        MachineLock(shared=[machine / "nothing"]).acquire()
    assert "CIPHERSTONE_LOCKS=" in caught.value.hint
    monkeypatch.setenv("CIPHERSTONE_LOCKS", str(machine.parent))
    MachineLock(shared=[machine / "nothing"]).acquire()


def test_a_lock_that_is_removed_while_it_is_taken_is_made_anew(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, real, left = machine / "cipherstone.lock", module._open_shared, [3]

    def replaced(path: Path) -> int:
        descriptor = real(path)
        if left[0]:
            left[0] -= 1
            place.unlink()
        return descriptor

    monkeypatch.setattr(module, "_open_shared", replaced)
    with MachineLock(shared=[machine]) as lock:
        assert place.exists() and lock.remark == ""
    left[0] = 1000
    assert "replaced again and again" in held(machine).remark


@pytest.mark.skipif(os.getuid() != 0, reason="to be another user needs root")
def test_another_user_is_named_and_can_be_passed_over(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with another(machine, NOBODY) as holder:
        with pytest.raises(CipherstoneError, match=rf"process {holder.pid} of user nobody$") as caught:
            held(machine)
        assert "CIPHERSTONE_LOCKS=" in caught.value.hint and "stop it" not in caught.value.hint
        own = machine.parent / "own"
        own.mkdir(mode=0o700)
        monkeypatch.setenv("CIPHERSTONE_LOCKS", str(own))
        held(machine)
        monkeypatch.delenv("CIPHERSTONE_LOCKS")
    held(machine)
    with MachineLock(shared=[machine]), pytest.raises(AssertionError), another(machine, NOBODY):
        pass
    with another(machine, NOBODY):  # what root's run left behind stops no other user
        pass


@pytest.mark.skipif(os.getuid() != 0, reason="to be another user needs root")
def test_a_file_of_another_user_that_nobody_may_read(machine: Path) -> None:
    (machine / "cipherstone.lock").touch(mode=0)
    (machine / f"cipherstone-{NOBODY}").mkdir()  # root's, in the place of the other user's own
    home = machine.parent / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    with another(machine, NOBODY):
        assert list((home / ".cache" / "cipherstone").iterdir())
