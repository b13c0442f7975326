# SPDX-License-Identifier: Apache-2.0
"""How the instrument's own costs grow with the number of cells: scripted workers answer at once, everything else is real."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import msgspec

from bench.field import Field
from bench.growth_run import Growth
from bench.result import Result, tell
from cipherstone.model.errors import CipherstoneError

ABOUT_S = 210
SIZES = (50, 500, 5000)
LONGEST_S = 1200  # of one size
LINEAR = 1.5


def run(field: Field, result: Result, fast: bool) -> None:
    """One process for each size."""
    with field.quiet():  # each run takes the lock itself; this only waits until it is free
        pass
    found = [_one(field, cells) for cells in (SIZES[:2] if fast else SIZES)]
    result.say(
        "Scripted workers: right answers from the oracle, invented times, so what is left is the instrument: processes, proofs, round trips, statistics, store, reports. Default "
        "settings, nine passes; sizes up to 16 KiB, more lanes a case as runs grow. The first column is mostly the start of the scripted workers (Python), 27 times. Memory: the orchestrator's largest resident set."
    )
    further = ["-"] + [
        f"{1e6 * (b.measure_s - a.measure_s) / (b.timed_requests - a.timed_requests):.0f}" for a, b in pairwise(found)
    ]
    rows = [
        ("cells (cases)", [f"{g.cells} ({g.cases})" for g in found]),
        ("measuring, s", [f"{g.measure_s:.1f}" for g in found]),
        ("  timed requests", [f"{g.timed_requests:,}" for g in found]),
        ("  us a request more than in the column before", further),
        ("memory after measuring, MiB", [f"{g.memory_mib:.0f}" for g in found]),
        ("bundle, KiB", [f"{g.bundle_bytes / 1024:,.0f}" for g in found]),
        ("  a cell, KiB", [f"{g.bundle_bytes / 1024 / g.cells:.1f}" for g in found]),
        ("reading and summing up the bundle, s", [f"{g.summarise_s:.2f}" for g in found]),
        ("terminal, s", [f"{g.terminal_s:.2f}" for g in found]),
        ("HTML, s", [f"{g.html_s:.2f}" for g in found]),
        ("HTML, KiB", [f"{g.html_bytes / 1024:,.0f}" for g in found]),
        ("memory after the report, MiB", [f"{g.memory_after_mib:.0f}" for g in found]),
    ]
    result.table(["", *("" for _ in found)], [[name, *values] for name, values in rows])
    first, last = found[-2], found[-1]
    times = last.cells / first.cells
    growth = {
        "measuring": last.measure_s / first.measure_s,
        "memory": last.memory_after_mib / first.memory_after_mib,
        "bundle": last.bundle_bytes / first.bundle_bytes,
        "summing up": last.summarise_s / first.summarise_s,
        "terminal": last.terminal_s / first.terminal_s,
        "HTML": last.html_s / first.html_s,
    }
    worst = max(growth, key=lambda name: growth[name])
    text = f"{times:.1f} times the cells: {worst} grows most, {growth[worst]:.1f} times"
    result.check(
        f"nothing grows more than {LINEAR} times as fast as the cells (no figure was set)",
        text,
        growth[worst] <= LINEAR * times,
    )
    result.data = {"sizes": [msgspec.to_builtins(g) for g in found], "growth": growth}


def _one(field: Field, cells: int) -> Growth:
    tell(f"  {cells} cells")
    with tempfile.TemporaryDirectory(prefix="cipherstone-growth-") as folder:
        words = [sys.executable, "-m", "bench.growth_run", str(cells), folder]
        try:
            done = subprocess.run(
                words, cwd=field.workshop.root, stdout=subprocess.PIPE, timeout=LONGEST_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise CipherstoneError(f"{cells} cells did not end within {LONGEST_S} s", "") from None
        if done.returncode != 0 or not Path(folder, "runs").is_dir():
            raise CipherstoneError(f"the run of {cells} cells ended with status {done.returncode}", "")
        return msgspec.json.decode(done.stdout, type=Growth)
