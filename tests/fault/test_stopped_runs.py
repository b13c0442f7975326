# SPDX-License-Identifier: Apache-2.0
"""What a run's bound counts is its measuring: neither the description of the machine, nor time in which it was stopped, nor what lies between an interruption and the resumption."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, Done, cost, interrupt_when, newest, write_worker

from cipherstone.model.records import PassRecord

BOUND_S = 600
STOPPED_S = 10


@pytest.fixture
def worker(tmp_path: Path) -> Path:
    return write_worker(tmp_path, "alpha", {HASH: cost(1000)}, sleep_s=0.01)


def words(cli: CommandLine, worker: Path) -> tuple[object, ...]:
    return (
        *("run", "--no-memory", "--max-time", f"{BOUND_S}s", "--passes", 6, "--op", HASH, "--size", 16),
        *("--base", "alpha", "--worker", worker, "--cache", cli.cache, "--format", "json"),
    )


def begun(cli: CommandLine) -> bool:
    return any(b'"type":"pass"' in path.read_bytes() for path in cli.runs.glob("*/journal.jsonl"))


def figures(done: Done) -> list[object]:
    return [cell["ns"] for case in done.json()["cases"] for cell in case["cells"] if cell.get("ns")]


def test_an_interruption_costs_no_more_of_the_bound_than_a_kill(cli: CommandLine, worker: Path) -> None:
    process = cli.start(*words(cli, worker))
    interrupt_when(process, lambda: begun(cli), signal.SIGINT)
    process.communicate(timeout=300)
    run = newest(cli.runs)
    assert run.manifest.status == "interrupted"
    # As on a slow machine, whose description takes longer than the bound.
    manifest = run.path / "manifest.json"
    text = manifest.read_text()
    assert f'"wall_s":{run.manifest.wall_s}' in text.replace(" ", "")
    manifest.write_text(re.sub(r'"wall_s":\s*[0-9.e+-]+', f'"wall_s": {BOUND_S * 10}.0', text))
    done = cli("run", "--resume", run.path, "--format", "json", "--worker", worker)
    assert done.code == 0, done.err
    assert figures(done)


def test_time_in_which_a_run_was_stopped_is_not_counted(cli: CommandLine, worker: Path) -> None:
    began = time.monotonic()
    process = cli.start(*words(cli, worker))
    interrupt_when(process, lambda: begun(cli), signal.SIGSTOP)
    time.sleep(STOPPED_S)
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=300)
    took_s = time.monotonic() - began
    done = Done(process.returncode, out, err).no_trace()
    assert done.code == 0, done.err
    assert figures(done)
    passes = [record for record in newest(cli.runs).records() if isinstance(record, PassRecord)]
    assert len(passes) == 6
    # Both clocks run at any load; between them lie the stop and the start of the program.
    assert max(one.start_s + one.wall_s for one in passes) < took_s - STOPPED_S
