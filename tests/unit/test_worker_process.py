# SPDX-License-Identifier: Apache-2.0
"""How the end of a worker is told: at once, with its status or signal and what it was asked."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from cipherstone.model.errors import WorkerError
from cipherstone.protocol.messages import Empty
from cipherstone.worker import WorkerProcess, environment, process
from cipherstone.worker.ended import reap


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("exit 3", "ended with status 3 during 'hello'"),
        ("read line; exit 0", "ended with status 0 during 'hello'"),
        ("kill -SEGV $$", "killed by SIGSEGV during 'hello'"),
        ("read line; kill -KILL $$", "killed by SIGKILL during 'hello'"),
        ("read line; kill -40 $$", "killed by signal 40 during 'hello'"),
        ("read line; exec sleep 99 >&-", "closed its output during 'hello'"),
    ],
)
def test_a_worker_that_ends_is_not_waited_for(tmp_path: Path, does: str, said: str) -> None:
    program = tmp_path / "worker"
    program.write_text(f"#!/bin/sh\necho 'last words' >&2\n{does}\n")
    program.chmod(0o755)
    with WorkerProcess([str(program)]) as worker:
        with pytest.raises(WorkerError) as caught:
            worker.hello()
        assert caught.value.message == said and caught.value.stderr == "last words"
        with pytest.raises(WorkerError) as again:  # and is not asked again
            worker.hello()
        assert again.value is caught.value


def test_a_worker_that_was_closed_is_asked_nothing(tmp_path: Path) -> None:
    """Its pipes are gone, and their numbers may be those of other files by now."""
    program = tmp_path / "worker"
    program.write_text('#!/bin/sh\nread line\necho \'{"seq":1,"ok":true}\'\n')
    program.chmod(0o755)
    worker = WorkerProcess([str(program)])
    pid = worker._process.pid
    assert worker.alive and pid in process._running
    worker.close()
    assert not worker.alive and pid not in process._running
    for _ in range(2):
        with pytest.raises(WorkerError, match="the worker was closed"):
            worker.hello()


def test_a_worker_ends_though_an_interruption_left_its_lock_taken(tmp_path: Path) -> None:
    """A signal's exception in the middle of `poll` leaves `Popen`'s lock so, and `Popen.wait` would wait for ever: a run that was interrupted hung, with a killed worker that nobody waited for."""
    program = tmp_path / "worker"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    worker = WorkerProcess([str(program)])
    pid = worker._process.pid
    worker._process._waitpid_lock.acquire()  # type: ignore[attr-defined]
    assert worker._process.poll() is None
    closing = Thread(target=worker.close, args=(0.0,), daemon=True)
    closing.start()
    closing.join(120)
    assert not closing.is_alive() and worker._process.returncode == -signal.SIGKILL
    assert pid not in process._running and not Path(f"/proc/{pid}").exists()


def test_a_child_whose_status_was_taken_is_not_waited_for() -> None:
    """The interrupted call had it."""
    child = subprocess.Popen(["sleep", "600"])
    child.kill()
    assert os.waitpid(child.pid, 0)[1] == signal.SIGKILL
    assert (reap(child), reap(child)) == (-signal.SIGKILL, -signal.SIGKILL)  # type: ignore[arg-type]
    other = subprocess.Popen(["sh", "-c", "exit 7"])
    assert reap(other) == other.wait() == 7  # type: ignore[arg-type]


def test_what_nobody_asked_for_is_read_while_much_is_sent(tmp_path: Path) -> None:
    """Both pipes would be full otherwise: the worker waits until somebody reads, and who sends until it reads. Its output stays open, for its end would be an answer too."""
    program = tmp_path / "worker"
    program.write_text("#!/bin/sh\nyes | head -c 3000000\ncat >/dev/null\n")
    program.chmod(0o755)
    with WorkerProcess([str(program)]) as worker, pytest.raises(WorkerError) as caught:
        worker.prepare(1, "sha-256/hash", "default", {"msg": f"hex:{'00' * 3_000_000}"})
    assert caught.value.message.startswith("protocol: not a reply"), caught.value


@pytest.mark.parametrize(
    ("does", "owes", "kills"),
    [
        ('read line; echo \'{"seq":1,"ok":true}\'; read line', False, [1.5]),  # it said bye
        ("read line; exit 0", False, [0.0]),
        ("exec sleep 600", True, [0.0]),
    ],
)
def test_only_who_said_bye_is_waited_for(tmp_path: Path, does: str, owes: bool, kills: list[float]) -> None:
    """Who still owes an answer is asked nothing more."""
    program = tmp_path / "worker"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    worker = WorkerProcess([str(program)])
    if owes:
        worker.ask_ahead("list", {}, Empty)
    seen: list[float] = []
    real = worker._kill

    def kill(graceful_s: float = 0.0) -> None:
        seen.append(graceful_s)
        real()

    worker._kill = kill  # type: ignore[method-assign]
    worker.close(1.5)
    assert seen == kills and not worker.alive and worker._seq == 1


@pytest.mark.parametrize(
    ("field", "ns", "said"),
    [
        ("setup_ns", 10**13, "claims 10000000000000 ns for a set-up that took"),
        ("setup_ns", 1, ""),
        ("setup_ns", "null", ""),
        ("teardown_ns", 10**13, "claims 10000000000000 ns for a teardown that took"),
        ("teardown_ns", 1, ""),
        ("teardown_ns", "null", ""),
    ],
)
def test_a_set_up_takes_no_longer_than_its_request(tmp_path: Path, field: str, ns: object, said: str) -> None:
    program = tmp_path / "worker"
    program.write_text(f'#!/bin/sh\nread line\necho \'{{"seq":1,"ok":true,"{field}":{ns}}}\'\nread line\n')
    program.chmod(0o755)
    with WorkerProcess([str(program)]) as worker:
        call = partial(worker.prepare, 0, "md5/hash", "default", {}) if field == "setup_ns" else partial(worker.close_case, 0)  # fmt: skip
        if said:
            with pytest.raises(WorkerError, match=said):
                call()
        else:
            call()
        assert worker.alive is not bool(said)


def test_who_sends_much_that_nobody_asked_for_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four times the longest line at most is kept what comes while something is sent."""
    monkeypatch.setattr(process, "MAX_LINE_BYTES", 100_000)
    program = tmp_path / "worker"
    program.write_text("#!/bin/sh\nyes\n")
    program.chmod(0o755)
    with WorkerProcess([str(program)]) as worker, pytest.raises(WorkerError) as caught:
        worker.prepare(1, "sha-256/hash", "default", {"msg": f"hex:{'00' * 3_000_000}"})
    found = re.fullmatch(r"protocol: sent (\d+) bytes without a request", caught.value.message)
    assert found and 400_000 < int(found[1]) <= 400_000 + (1 << 16)


def test_a_program_that_ends_at_once_takes_its_workers_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has ended meanwhile is no reason to leave the others."""
    program = tmp_path / "worker"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    workers = [WorkerProcess([str(program)]) for _ in range(2)]
    monkeypatch.setattr(process, "_running", {(1 << 22) + 1, *(worker._process.pid for worker in workers)})
    process.end_workers()
    assert [worker._process.wait(60) for worker in workers] == [-9, -9]
    for worker in workers:
        worker.close()


def test_a_worker_whose_group_cannot_be_ended_is_ended_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(group: int, number: int) -> None:
        raise PermissionError

    program = tmp_path / "worker"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o755)
    worker = WorkerProcess([str(program)], patience=0.01)
    monkeypatch.setattr(process.os, "killpg", refused)
    with pytest.raises(WorkerError, match="no answer to 'hello' in time"):
        worker.hello()
    assert worker._process.returncode == -9 and not worker.alive


def test_one_that_complains_all_the_time_and_reads_nothing_has_its_time(tmp_path: Path) -> None:
    """What it says is drained; that it goes on saying it is no answer."""
    program = tmp_path / "worker"
    program.write_text("#!/bin/sh\nyes >&2\n")
    program.chmod(0o755)
    with WorkerProcess([str(program)], patience=0.01) as worker, pytest.raises(WorkerError) as caught:
        worker.prepare(1, "sha-256/hash", "default", {"msg": f"hex:{'00' * 3_000_000}"})
    assert caught.value.outcome == "timed-out"


@pytest.mark.parametrize(
    ("quiet", "wait_us", "fields"),
    [
        (None, 5.0, {}),
        (None, 0.0, {}),
        (2.0, 0.0, {}),
        (2.0, 0.6, {"quiet": 2000, "wait": 1}),
        (2.0006, 7.4, {"quiet": 2001, "wait": 7}),
        (0.0002, 1e6, {"quiet": 1, "wait": 1_000_000}),
    ],
)
def test_who_waits_says_for_what_and_how_long(quiet: float | None, wait_us: float, fields: dict[str, int]) -> None:
    """In thousandths of an addition a cycle, of which there is one at least, and whole microseconds."""
    assert process._waiting(quiet, wait_us) == fields


def test_a_pipe_has_room_for_a_mebibyte_where_the_system_gives_it() -> None:
    ends, others = os.pipe(), os.pipe()
    try:
        fcntl.fcntl(others[1], fcntl.F_SETPIPE_SZ, 1 << 20)
    except (OSError, AttributeError):
        pytest.skip("this system gives no such room")
    environment.widen(ends[1])
    assert fcntl.fcntl(ends[1], fcntl.F_GETPIPE_SZ) == 1 << 20
    for end in (*ends, *others):
        os.close(end)
    environment.widen(ends[1])  # where it is refused nothing is said


POOL = """import os, sys, threading, time
lasting = threading.Event()
threads = [threading.Thread(target=lasting.wait, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
threading.Thread(target=int).start()  # one that ends
while len(os.listdir('/proc/self/task')) > 4:  # the system sees it for a while longer than a join does
    time.sleep(0.001)
sys.stdin.readline()
print('{"seq":1,"ok":true,"case":0}', flush=True)
sys.stdin.readline()
"""


def test_every_thread_of_a_worker_is_moved_with_it(tmp_path: Path) -> None:
    """A library's pool of threads that stays behind would compute beside the one that is timed."""
    (tmp_path / "pool.py").write_text(POOL)
    with WorkerProcess([sys.executable, "-IS", str(tmp_path / "pool.py")]) as worker:
        worker.prepare(0, "sha-256/hash", "default", {"msg": "text:a"})
        threads = [int(task.name) for task in Path(f"/proc/{worker._process.pid}/task").iterdir()]
        assert len(threads) == 4
        cpus = os.sched_getaffinity(worker._process.pid)
        if len(cpus) == 1:
            pytest.skip("there is nowhere to move to")
        for cpu in sorted(cpus):
            assert worker.pin(cpu) and not worker.pin_error
            assert all(os.sched_getaffinity(thread) == {cpu} for thread in threads)
            assert not worker.pin(cpu)
