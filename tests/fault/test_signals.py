# SPDX-License-Identifier: Apache-2.0
"""Interruptions, terminations and lost terminals at every stage: one line, the exit code of shells, no worker left, nothing measured lost."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, Done, cost, gone, heed_signals, interrupt_when, newest, write_worker

HANGS_S = 3600  # a turn: longer than any limit of these tests
EARLY_S = 0.02, 0.1  # into the start of a command, which takes longer
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


def words(cli: CommandLine, worker: Path, *more: object) -> tuple[object, ...]:
    return (
        *("run", "--no-memory", "--max-time", "none", "--passes", 6, "--op", HASH, "--size", "16,64,256,1024"),
        *("--base", "alpha", "--worker", worker, "--cache", cli.cache, "--format", "json", *more),
    )


def measuring(cli: CommandLine) -> bool:
    return any(b'"type":"pass"' in path.read_bytes() for path in cli.runs.glob("*/journal.jsonl"))


def in_a_turn(worker: Path) -> bool:
    """Whether a worker with a log was asked for a turn of a pass, in which it sleeps."""
    log = worker.parent / "requests.log"
    return log.is_file() and any(" run " in line and " probe=1" in line for line in log.read_text().splitlines())


def ended(process: subprocess.Popen[str]) -> Done:
    out, err = process.communicate(timeout=300)
    return Done(process.returncode, out or "", err).no_trace()


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    return write_worker(tmp_path, "alpha", {HASH: cost(1000)}, sleep_s=0.02)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_run_in_good_order_and_its_workers(cli: CommandLine, slow: Path, number: int) -> None:
    process = cli.start(*words(cli, slow))
    interrupt_when(process, lambda: measuring(cli), number)
    done = ended(process)
    assert done.code == SIGNALS[number] and "interrupted: what was measured is kept" in done.err
    assert gone(slow.parent) == []
    assert newest(cli.runs).manifest.status == "interrupted" and done.json()["manifest"]["status"] == "interrupted"


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_a_worker_that_hangs(cli: CommandLine, tmp_path: Path, number: int) -> None:
    """It answers nothing and does not notice that its input has ended: no orderly word reaches it."""
    worker = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, sleep_s=HANGS_S, log=True)
    process = cli.start(*words(cli, worker, "--patience", 1000))
    interrupt_when(process, lambda: in_a_turn(worker), number)
    assert ended(process).code == SIGNALS[number]
    assert gone(worker.parent) == []


def test_a_second_signal_ends_everything_at_once(cli: CommandLine, tmp_path: Path) -> None:
    """The first ends the run in good order, which takes a moment; that the second comes within it is tried with several delays, and again where each came too late, or so early that both were one."""
    delays_s = (0.01, 0.02, 0.05, 0.1, 0.2)
    for attempt in range(6):
        seen = [_signalled_twice(cli, tmp_path / f"{attempt}-{delay_s}", delay_s) for delay_s in delays_s]
        if any(seen):
            return
    raise AssertionError("no second signal came before the end")


def _signalled_twice(cli: CommandLine, folder: Path, delay_s: float) -> bool:
    """Whether the second signal came before the end; what must hold in any case is checked."""
    folder.mkdir()
    worker = write_worker(folder, "alpha", {HASH: cost(1000)}, sleep_s=HANGS_S, log=True)
    process = cli.start(*words(cli, worker, "--patience", 1000))
    interrupt_when(process, lambda: in_a_turn(worker), signal.SIGINT)
    time.sleep(delay_s)
    process.send_signal(signal.SIGINT)
    done = ended(process)
    # In its very last moment the interpreter itself ends by the signal, which shells show as 130 too.
    assert done.code in (130, -signal.SIGINT) and gone(worker.parent) == []
    return "ended at once" in done.err


def test_a_hangup_that_the_caller_ignores_is_ignored(cli: CommandLine, slow: Path) -> None:
    """As under nohup."""
    process = cli.start(*words(cli, slow, "--seed", 3), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    interrupt_when(process, lambda: measuring(cli), signal.SIGHUP)
    assert ended(process).code == 0 and newest(cli.runs).finished


@pytest.mark.parametrize("after_s", [*EARLY_S, 0.2, 0.35, 0.6, 0.9, 1.3])
def test_an_interrupt_during_the_start_is_one_line(cli: CommandLine, after_s: float) -> None:
    """While modules are loaded; the interpreter's own start, before any line of ours, is left out by waiting for the process to have its program. What is sent early comes in time, or this machine slept over it: then once more."""
    early = after_s in EARLY_S
    codes = []
    while not codes or (early and 130 not in codes and len(codes) < 50):
        codes.append(_interrupted_after(cli, after_s))
    assert 130 in codes or not early


def _interrupted_after(cli: CommandLine, after_s: float) -> int:
    """The exit code of a listing that is interrupted `after_s` after its first line of ours ran; what it says is checked."""
    ready, tell = os.pipe()
    mark = cli.home / "mark"
    mark.mkdir(exist_ok=True)
    (mark / "started.py").write_text(
        "import os\nimport cipherstone.__main__ as entry\nhear = entry._hear\n"
        f"entry._hear = lambda: (hear(), os.write({tell}, b'x'))\nentry.main()\n"
    )
    process = subprocess.Popen(
        ["env", f"PYTHONPATH={cli.root / 'src'}:{mark}", *cli.command()[:1], "-m", "started", "list", "--operations"],
        cwd=cli.home,
        env=cli.env(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[tell],
        preexec_fn=heed_signals,
    )
    os.close(tell)
    assert os.read(ready, 1) == b"x"
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    done = ended(process)
    # Kept open till here: the signal is installed a second time later, and told again.
    os.close(ready)
    # In its very last moment the interpreter itself ends by the signal.
    assert (done.code, done.err) in ((130, "interrupted\n"), (0, ""), (-signal.SIGINT, ""))
    return done.code


def test_an_interrupt_while_sealing_is_one_line_and_the_run_resumes(cli: CommandLine, tmp_path: Path) -> None:
    worker = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    seen = 0
    for attempt in range(30):
        if attempt >= 3 and seen:
            break
        done = _interrupted_while_sealing(cli, worker)
        if done.code == 0:
            continue
        seen += 1
        assert done.code == 130 and done.out == ""
        (line,) = [text for text in done.err.splitlines() if "interrupted" in text]
        if newest(cli.runs).finished:
            assert "the run is finished and sealed" in line
            continue
        assert "everything was measured and is kept; finish the run with: cipherstone run --resume runs/" in line
        assert newest(cli.runs).manifest.status == "interrupted"
        assert not list(newest(cli.runs).path.glob("*.tmp"))
        again = cli.measure("--resume", "latest", "--worker", worker)
        assert again.code == 0 and newest(cli.runs).verify() == [], again.err
    assert seen, "the run was always quicker than the signal"


def _interrupted_while_sealing(cli: CommandLine, worker: Path) -> Done:
    before = set(cli.runs.glob("*")) if cli.runs.is_dir() else set()
    process = cli.start(*words(cli, worker))
    end = time.monotonic() + 600
    while process.poll() is None and time.monotonic() < end:
        if any(path not in before and list(path.glob("*.parquet.tmp")) for path in cli.runs.glob("*")):
            process.send_signal(signal.SIGINT)
            break
        time.sleep(0.001)  # sealing takes a hundred times as long
    return ended(process)


@pytest.fixture(scope="module")
def measured(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    cli, folder = new_cli("queried"), tmp_path_factory.mktemp("workers")
    worker = write_worker(folder, "alpha", {HASH: cost(1000)})
    assert cli.measure("--base", "alpha", "--op", HASH, "--worker", worker).code == 0
    return cli


def _cpu_s_of_threads(process: int) -> float:
    """CPU seconds of all threads but the first: of the query, once it is being computed."""
    ticks = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        if task.name != str(process):
            with contextlib.suppress(OSError):  # one that has ended
                ticks += sum(map(int, (task / "stat").read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("number", SIGNALS)
def test_an_interrupt_during_a_query_is_one_line(measured: CommandLine, number: int) -> None:
    endless = "select sum(sqrt(a.range * b.range)) from range(3000000) a, range(3000000) b"
    process = measured.start("show", "--sql", endless)
    end = time.monotonic() + 600
    while _cpu_s_of_threads(process.pid) < 0.4:
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(number)
    done = ended(process)
    assert (done.code, done.out, done.err) == (SIGNALS[number], "", "interrupted\n")
