# SPDX-License-Identifier: Apache-2.0
"""Workers that leave processes behind, in sessions of their own: when a command has ended, however it did, none is alive."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, ROOT, CommandLine, alive_in, cost, interrupt_when, options, write_worker

from cipherstone.model.errors import WorkerError
from cipherstone.worker import WorkerProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process adopts others")


def daemon(verb: str, **more: Any) -> dict[str, Any]:
    return {"at": verb, "do": "daemon", "times": 1, **more}


LEAVES = {
    "hello": daemon("hello"),
    "prepare": daemon("prepare", bare=True),
    "run": daemon("run", after=9),
    "bye": daemon("bye"),
    "crash": daemon("run", then=int(signal.SIGSEGV)),
    "pipes": daemon("compute", pipes=True),
}


def workers(folder: Path) -> list[Path]:
    return [write_worker(folder, name, {HASH: cost(1000)}, faults=[fault]) for name, fault in LEAVES.items()]


def test_after_a_run_nothing_of_its_workers_is_alive(cli: CommandLine, tmp_path: Path) -> None:
    written = [write_worker(tmp_path, "good", {HASH: cost(1000)}), *workers(tmp_path)]
    done = cli.measure("--base", "good", "--op", HASH, "--passes", 6, *options(*written)).no_trace()
    assert done.out, done.err
    assert alive_in(tmp_path) == []


@pytest.mark.parametrize("words", [("list",), ("check",), ("run", "--on", "nowhere")], ids=lambda words: words[0])
def test_nor_after_another_command_or_an_error(cli: CommandLine, tmp_path: Path, words: tuple[str, ...]) -> None:
    written = workers(tmp_path)
    cli(*words, *options(*written), "--cache", cli.cache).no_trace()
    assert alive_in(tmp_path) == []


def test_nor_after_a_replay(new_cli: Any, tmp_path: Path) -> None:
    cli = new_cli("replay", root=ROOT)
    for path in workers(tmp_path)[:1]:
        done = cli("replay", path, "--no-attacks")
        # What a worker in Python prints when its pipe is closed is shown, and is its own.
        assert "conversation 01" in done.out and "Traceback" not in done.err
    assert alive_in(tmp_path) == []


@pytest.mark.parametrize("times", [1, 2])
def test_nor_after_an_interruption(cli: CommandLine, tmp_path: Path, times: int) -> None:
    written = [write_worker(tmp_path, "good", {HASH: cost(1000)}, sleep_s=0.05), *workers(tmp_path)]
    words = ("run", "--no-memory", "--max-time", "none", "--op", HASH, "--size", 16384, "--base", "good")
    process = cli.start(*words, *options(*written), "--cache", cli.cache)
    interrupt_when(process, lambda: bool(list(cli.runs.glob("*/manifest.json"))))
    if times > 1:
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    assert alive_in(tmp_path) == []


def test_what_a_crashed_worker_left_does_not_disturb_the_others(tmp_path: Path) -> None:
    """It is gone when the crash is told, not only at the end; a process that is not a worker's is let alone, and so is a worker that runs."""
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    running = WorkerProcess([str(write_worker(tmp_path / "a", "good", {HASH: cost(1000)}))])
    crashes = write_worker(tmp_path / "b", "bad", {HASH: cost(1000)}, faults=[daemon("list", then=int(signal.SIGKILL))])
    try:
        with WorkerProcess([str(crashes)]) as worker:
            worker.hello()
            with pytest.raises(WorkerError, match="killed by SIGKILL during 'list'"):
                worker.operations()
            assert alive_in(tmp_path / "b") == []
        assert running.hello().library == "good" and other.poll() is None
    finally:
        running.close()
        other.communicate()
