# SPDX-License-Identifier: Apache-2.0
"""A run that is interrupted, killed or cut by its bound goes on where it was: nothing measured is lost, nothing counts twice."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from scripts import (
    HASH,
    CommandLine,
    Done,
    cells,
    cost,
    gone,
    interrupt_when,
    newest,
    passes,
    proofs,
    summary,
    write_worker,
)

from cipherstone.model.outcomes import CaseEnd, Outcome

SIZES = "16,64,256,1024"


def journal_lines(cli: CommandLine) -> list[bytes]:
    """Completed lines of the newest run's journal, finished or not."""
    found = sorted(cli.runs.glob("*/journal.jsonl"))
    return found[-1].read_bytes().split(b"\n")[:-1] if found else []


def passes_so_far(cli: CommandLine) -> int:
    return sum(b'"type":"pass"' in line for line in journal_lines(cli))


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """About half a second a pass of a case, beside somebody who takes 30 % of every fifth moment."""
    return write_worker(tmp_path, "alpha", {HASH: cost(1000)}, sleep_s=0.02, dirty=0.2, slowdown=0.3)


def started(cli: CommandLine, worker: Path) -> subprocess.Popen[str]:
    words = ["run", "--no-memory", "--max-time", "none", "--seed", "3", "--passes", "6", "--op", HASH, "--size", SIZES]
    return cli.start(*words, "--base", "alpha", "--worker", worker, "--cache", cli.cache, "--format", "json")


def quicker(worker: Path) -> None:
    """The same worker from now on without sleeping; its file, by which it is known, stays as it is."""
    script = json.loads((worker.parent / "behaviour.json").read_text())
    (worker.parent / "behaviour.json").write_text(json.dumps({**script, "sleep_s": 0}))


def resumed(cli: CommandLine, worker: Path) -> Done:
    quicker(worker)
    return cli.measure("--resume", "latest", "--worker", worker).no_trace()


def whole(cli: CommandLine, done: Done, before: list[bytes]) -> None:
    """The finished run has what was there before, byte by byte, and six passes of each case, none twice."""
    assert done.code == 0, done.err
    bundle = newest(cli.runs)
    assert bundle.finished and bundle.verify() == []
    import gzip

    lines = gzip.decompress(bundle.journal.read_bytes()).split(b"\n")[:-1]
    assert lines[: len(before)] == before
    counted = Counter(one.case for one in passes(bundle))
    assert counted == dict.fromkeys([f"{HASH}/bytes={size}" for size in SIZES.split(",")], 6)
    assert len({(one.case, one.index, one.start_s) for one in passes(bundle)}) == 24
    starts = [one.start_s for one in passes(bundle)]
    assert starts == sorted(starts)  # time goes on where it was
    for one in passes(bundle):  # old and new ones have a reading before each turn, and one after each batch
        assert one.valid and one.cpus
        assert all(len(s.chain_ns) == len(s.tput_ns) == len(s.ns) // s.per_turn * (s.per_turn + 1) for s in one.lanes)
    noise = summary(done).noise
    assert (noise.passes_valid, noise.passes_tried) == (24, 24)
    assert noise.disturbed_ratio is not None and 0.2 < noise.disturbed_ratio < 0.5
    for case in summary(done).cases:
        assert case.end is CaseEnd.CONVERGED and case.passes_tried == 6
        assert all(
            cell.passes_used == 6 and cell.ns.value == pytest.approx(1000)
            for cell in cells(summary(done), case.case).values()
        )  # type: ignore[union-attr]
    proven = {(row.lane, row.pass_index) for row in proofs(bundle) if row.outcome is Outcome.OK}
    assert {(samples.lane, one.index) for one in passes(bundle) for samples in one.lanes} <= proven


def test_an_interrupted_run_says_how_to_go_on_and_does(cli: CommandLine, slow: Path) -> None:
    process = started(cli, slow)
    interrupt_when(process, lambda: passes_so_far(cli) >= 5)
    out, err = process.communicate(timeout=600)
    cut = Done(process.returncode, out, err).no_trace()
    assert cut.code == 130
    assert "interrupted: what was measured is kept" in err and f"--worker {slow}" in err and "--resume runs/20" in err
    assert gone(slow.parent) == []
    found = summary(cut)
    assert found.manifest.status == "interrupted" and {one.end for one in found.cases} >= {CaseEnd.INTERRUPTED}
    # What there is can be looked at.
    shown = cli("show", "--format", "json")
    assert shown.code == 0 and summary(shown).cases == found.cases
    assert "not finished" in shown.err
    before = journal_lines(cli)
    done = resumed(cli, slow)
    whole(cli, done, before)
    wall = summary(done).manifest.wall_s
    assert wall > found.manifest.wall_s > 0


def test_kill_9_loses_nothing_that_was_acknowledged(cli: CommandLine, slow: Path) -> None:
    process = started(cli, slow)
    interrupt_when(process, lambda: passes_so_far(cli) >= 6, signal.SIGKILL)
    process.communicate(timeout=600)
    assert gone(slow.parent) == []  # the workers noticed
    before = journal_lines(cli)
    assert passes_so_far(cli) >= 6
    shown = cli("show").no_trace()
    assert shown.code == 0 and "status running" in shown.err
    whole(cli, resumed(cli, slow), before)


def test_interrupted_and_killed_again_and_again(cli: CommandLine, slow: Path) -> None:
    process = started(cli, slow)
    for number, (enough, kind) in enumerate(((2, signal.SIGKILL), (4, signal.SIGINT), (7, signal.SIGKILL))):
        if number:
            process = cli.start("run", "--resume", "latest", "--worker", slow, "--cache", cli.cache)
        interrupt_when(process, lambda enough=enough: passes_so_far(cli) >= enough, kind)  # type: ignore[misc]
        process.communicate(timeout=600)
    before = journal_lines(cli)
    whole(cli, resumed(cli, slow), before)


def test_a_half_written_line_is_cut_and_said(cli: CommandLine, slow: Path) -> None:
    process = started(cli, slow)
    interrupt_when(process, lambda: passes_so_far(cli) >= 2, signal.SIGKILL)
    process.communicate(timeout=600)
    before = journal_lines(cli)
    (journal,) = cli.runs.glob("*/journal.jsonl")
    whole_lines = b"\n".join(before) + b"\n"
    journal.write_bytes(whole_lines + b'{"type":"pass","case":"sha-256/ha')
    done = resumed(cli, slow)
    assert "warning" in done.err
    whole(cli, done, before)


def test_another_build_is_not_the_same_lane(cli: CommandLine, slow: Path) -> None:
    """The executable changed since: going on would mix two builds in one lane."""
    process = started(cli, slow)
    interrupt_when(process, lambda: passes_so_far(cli) >= 1)
    process.communicate(timeout=600)
    before = journal_lines(cli)
    slow.write_text(slow.read_text() + "\n# changed\n")
    quicker(slow)
    done = cli.measure("--resume", "latest", "--worker", slow).no_trace()
    assert done.code == 2
    assert "alpha 1.0 is not here as it was measured" in done.err and "hint: start a new run" in done.err
    without = cli.measure("--resume", "latest").no_trace()
    assert without.code == 2 and "not installed" in without.err
    assert journal_lines(cli) == before


def test_a_run_of_another_method_is_not_gone_on_with(cli: CommandLine, slow: Path) -> None:
    """Its passes were measured in another way: mixed, they would say nothing."""
    process = started(cli, slow)
    interrupt_when(process, lambda: passes_so_far(cli) >= 1)
    process.communicate(timeout=600)
    before = journal_lines(cli)
    (manifest,) = cli.runs.glob("*/manifest.json")
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "method": "cbm-1"}))
    done = resumed(cli, slow)
    assert done.code == 2 and "was measured by method cbm-1, this is cbm-5" in done.err
    assert "hint: start a new run" in done.err and journal_lines(cli) == before


def test_a_finished_run_cannot_be_resumed(cli: CommandLine, tmp_path: Path) -> None:
    worker = write_worker(tmp_path, "alpha")
    cli.measure("--base", "alpha", "--op", HASH, "--worker", worker)
    done = cli.measure("--resume", "latest", "--worker", worker).no_trace()
    assert done.code == 1 and "finished" in done.err


def test_a_run_without_anything_to_resume(cli: CommandLine) -> None:
    done = cli.measure("--resume", "latest").no_trace()
    assert done.code == 1 and "no run in runs" in done.err and "hint: make one with" in done.err


def test_a_worker_that_does_not_start_is_told_when_a_run_goes_on(cli: CommandLine, slow: Path) -> None:
    """It is there, at the same place: that it were not installed would send the reader the wrong way."""
    process = started(cli, slow)
    interrupt_when(process, lambda: passes_so_far(cli) >= 1)
    process.communicate(timeout=600)
    before = journal_lines(cli)
    whole_file = slow.read_text()
    slow.write_text("#!/bin/sh\necho no such interpreter here >&2\nexit 3\n")
    done = cli.measure("--resume", "latest", "--worker", slow).no_trace()
    assert done.code == 2 and "not installed" not in done.err
    (line,) = [text for text in done.err.splitlines() if "error:" in text]
    assert "resume: alpha 1.0 cannot be measured now: cs-alpha: the worker does not start: " in line
    assert "ended with status 3" in line and "no such interpreter here" in line
    assert "hint: mend that and resume again" in done.err and journal_lines(cli) == before
    slow.write_text(whole_file)
    whole(cli, resumed(cli, slow), before)
