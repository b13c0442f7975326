# SPDX-License-Identifier: Apache-2.0
"""What a run is given from outside is used, or it is said why not: workers by their path, and a lock that sees only some of the machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, cells, cost, interrupt_when, newest, options, summary, write_worker


@pytest.mark.parametrize("command", ["run", "check", "list"])
def test_one_that_the_selection_leaves_out_is_told(cli: CommandLine, tmp_path: Path, command: str) -> None:
    """A note where another one is measured; where none is left, an error, and nothing is begun."""
    mine, alpha = (write_worker(tmp_path, name, {HASH: cost(1000, per_block=20)}) for name in ("mine", "alpha"))
    base = ("--base", "alpha", "--op", HASH, "--passes", 1, "--no-memory", "--all") if command == "run" else ()
    said = f"--worker {mine}: it calls itself 'mine', which is not among what is selected"
    words = (command, "-l", "alpha", *base, "--cache", cli.cache)
    both = cli(*words, *options(alpha, mine)).no_trace()
    assert f"note: {said}" in both.err.splitlines() and both.code in (0, 1), both.err
    assert "alpha" in both.out and "mine" not in both.out
    before = [*cli.runs.glob("2*")]
    alone = cli(*words, *options(mine)).no_trace()
    assert alone.code == 2 and not alone.out and [*cli.runs.glob("2*")] == before
    assert alone.err.splitlines()[-1].startswith("hint: ")


def test_the_hint_works(cli: CommandLine, tmp_path: Path) -> None:
    workers = [write_worker(tmp_path, name, {HASH: cost(1000)}) for name in ("alpha", "mine")]
    done = cli.measure("-l", "alpha,mine", "--base", "alpha", "--op", HASH, *options(*workers)).no_trace()
    assert done.code == 0 and {"alpha@1.0", "mine@1.0"} <= set(cells(summary(done)))


def test_two_of_one_name_are_told_apart_by_no_filter(cli: CommandLine, tmp_path: Path) -> None:
    workers = [write_worker(tmp_path / place, "alpha", {HASH: cost(1000)}) for place in ("a", "b")]
    done = cli.measure("--base", "alpha", "--op", HASH, *options(*workers)).no_trace()
    assert done.code == 2 and "it calls itself 'alpha', which is measured already" in done.err
    assert "`library` in its answer to `hello`" in done.err and "--filter" not in done.err


# A program: the command line on a machine whose lock between users cannot be used.
SPOILT = """from cipherstone.cli.main import main
from cipherstone.host.lock import MachineLock

acquire = MachineLock.acquire


def spoilt(lock):
    acquire(lock)
    lock.remark = "runs of other users are not seen: /run/lock: spoilt"


MachineLock.acquire = spoilt
main()
"""


@pytest.mark.parametrize("both", [False, True])
def test_a_resumed_run_says_what_its_lock_does_not_see(cli: CommandLine, tmp_path: Path, both: bool) -> None:
    (cli.home / "spoilt.py").write_text(SPOILT)
    spoilt = replace(cli, module="spoilt")
    worker = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, sleep_s=0.05)
    words = ("run", "--no-memory", "--max-time", "none", "--passes", 6, "--op", HASH, "--size", 16384)
    begins = spoilt if both else cli
    process = begins.start(*words, "--base", "alpha", "--worker", worker, "--cache", cli.cache)
    interrupt_when(process, lambda: bool([*cli.runs.glob("*/manifest.json")]))
    process.communicate(timeout=300)
    run = newest(cli.runs).path
    done = spoilt("run", "--resume", run, "--worker", worker, "--cache", cli.cache).no_trace()
    assert done.code in (0, 1), done.err
    assert sum("runs of other users are not seen" in note for note in newest(cli.runs).manifest.notes) == 1
