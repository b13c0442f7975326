# SPDX-License-Identifier: Apache-2.0
"""The default suite as a user starts it: share of time inside batches, wall time, and how soon a second call measures."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from bench.field import Field, scratch_folder
from bench.result import Result, tell
from cipherstone.model.errors import CipherstoneError, ExitCode
from cipherstone.model.records import MemoryRecord, NoiseRecord, PassRecord
from cipherstone.store.bundle import Bundle

ABOUT_S = 300
SHARE_TARGET = 0.5
QUIET = 0.05  # a machine with a larger share of disturbed batches is none: then the figure is shown and not judged
WALL_TARGET_S = 300.0
START_TARGET_S = 3.0
STARTS = 3
FIRST_LINE = "pass 1/"  # how the progress line begins when the first case is about to be measured


def run(field: Field, result: Result, fast: bool) -> None:
    """One real run in a process of its own, then the starts of three more that are stopped once they measure."""
    output = scratch_folder() / "runs"
    suite = ["--suite", "quick"] if fast else []
    with field.quiet():  # the runs below take the lock themselves; this only waits until it is free
        pass
    tell("  cipherstone run --report " + " ".join(suite))
    began = time.monotonic()
    child = _start(field, output, ["--report", *suite])
    error = _drain(child, 900.0)
    wall = time.monotonic() - began
    path = next((one for one in sorted(output.iterdir()) if one.is_dir()), None) if output.is_dir() else None
    # A library that computes something wrong is a finding of the run, not a failure of it.
    if child.returncode not in (ExitCode.OK, ExitCode.WRONG) or path is None:
        raise CipherstoneError(f"`cipherstone run` ended with status {child.returncode}: {error.strip()[-200:]}", "")
    _shares(result, path, wall, fast)
    tell("  starting again")
    starts = []
    for _ in range(STARTS):
        starts.append(_time_to_first_pass(field, scratch_folder() / "starts", suite))
    result.say(
        f"From the start of a second `cipherstone run` to its first case: {', '.join(f'{s:.2f}' for s in starts)} s."
    )
    worst = max(starts)
    result.check(
        f"a second call starts to measure within {START_TARGET_S:.0f} s",
        f"{worst:.2f} s (slowest of {STARTS})",
        worst <= START_TARGET_S,
    )
    result.data["starts_s"] = starts


def _shares(result: Result, path: Path, wall: float, fast: bool) -> None:
    bundle = Bundle.open(path)
    timed = passes = cases = 0.0
    memory = tried = valid = 0
    ends: list[float] = []
    for record in bundle.records():
        match record:
            case PassRecord():
                timed += record.timed_s
                cases += record.wall_s
                tried += 1
                valid += record.valid
            case NoiseRecord():
                passes += record.wall_s
                ends.append(record.start_s + record.wall_s)
            case MemoryRecord():
                memory += 1
    measuring = max(ends)
    summary = bundle.summary()
    if summary is None or summary.noise.disturbed_ratio is None:
        raise CipherstoneError("the run says nothing of its noise", "its workers have no probe, or it was interrupted")
    disturbed = summary.noise.disturbed_ratio
    used = timed * (1.0 - disturbed)
    plan = bundle.manifest.plan
    cells = sum(len(case.lanes) for case in plan)
    name = bundle.manifest.suite
    result.say(
        f"Suite {name}: {len(plan)} cases, {cells} cells, {valid} of {tried} passes valid, {memory} cells of memory."
    )
    result.table(
        ["seconds of", "s", "in batches %"],
        [
            ["timed batches that were used", f"{used:.1f}", ""],
            ["timed batches", f"{timed:.1f}", "100"],
            ["passes of cases (proof, calibration, rounds)", f"{cases:.1f}", f"{100 * timed / cases:.1f}"],
            ["passes over all cases (and process starts)", f"{passes:.1f}", f"{100 * timed / passes:.1f}"],
            ["measuring (and waits for a free machine)", f"{measuring:.1f}", f"{100 * timed / measuring:.1f}"],
            [
                "the run (and memory, first calls)",
                f"{bundle.manifest.wall_s:.1f}",
                f"{100 * timed / bundle.manifest.wall_s:.1f}",
            ],
            ["the whole command (and the report)", f"{wall:.1f}", f"{100 * timed / wall:.1f}"],
        ],
    )
    # Asked of measuring wall time: from the first pass to the end of the last, process starts, proofs and waits included.
    share = used / measuring
    result.check(
        f"at least {100 * SHARE_TARGET:.0f} % of measuring wall time in used batches, on a quiet machine",
        f"{100 * share:.1f} % ({name}; {100 * disturbed:.1f} % of batches disturbed)",
        share >= SHARE_TARGET or (None if disturbed > QUIET else False),
    )
    within = wall <= WALL_TARGET_S
    result.check(
        f"the default suite in at most {WALL_TARGET_S:.0f} s", f"{wall:.0f} s ({name})", None if fast else within
    )
    result.data = {
        "timed_s": timed,
        "used_s": used,
        "passes_s": passes,
        "measuring_s": measuring,
        "run_s": bundle.manifest.wall_s,
        "command_s": wall,
        "cells": cells,
    }


def _start(field: Field, output: Path, more: list[str]) -> subprocess.Popen[bytes]:
    words = [
        sys.executable,
        "-m",
        "cipherstone",
        "run",
        "--runs",
        str(output),
        "--cache",
        str(field.workshop.cache),
        *more,
    ]
    if field.cpu is not None:
        words += ["--cpu", str(field.cpu)]
    return subprocess.Popen(words, cwd=field.workshop.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _drain(child: subprocess.Popen[bytes], limit_s: float) -> str:
    """Waits; passes progress on. What it wrote to standard error."""
    assert child.stderr is not None
    text = ""
    timer = threading.Timer(limit_s, child.kill)  # a bound: a run that hangs must not hang the self-check
    timer.start()
    try:
        for line in child.stderr:
            text += line.decode(errors="replace")
            tell("    " + line.decode(errors="replace").rstrip())
        child.wait()
    finally:
        timer.cancel()
        if child.poll() is None:
            child.kill()
            child.wait()
    return text


def _time_to_first_pass(field: Field, output: Path, more: list[str]) -> float:
    """Seconds from process start to the progress line of the first case; the run is then ended as a system ends one: where this was started in the background, children ignore Ctrl-C."""
    began = time.monotonic()
    child = _start(field, output, more)
    assert child.stderr is not None
    seconds = float("nan")
    try:
        for line in child.stderr:
            if line.decode(errors="replace").startswith(FIRST_LINE):
                seconds = time.monotonic() - began
                break
        child.send_signal(signal.SIGTERM)
        child.wait(30)
    finally:
        if child.poll() is None:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
        child.stderr.close()
    if seconds != seconds:
        raise CipherstoneError("a second `cipherstone run` did not come to measure", "")
    return seconds
