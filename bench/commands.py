# SPDX-License-Identifier: Apache-2.0
"""How long commands take that measure nothing: against the start of Python, turn by turn, so that what else the machine does meets all of them alike."""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.field import Field
from bench.result import Result, tell
from cipherstone.model.errors import CipherstoneError
from cipherstone.stats.interval import sign_interval

ABOUT_S = 240
ROUNDS, FAST_ROUNDS = 25, 6
CELLS, FAST_CELLS = 800, 50
LONGEST_S = 600
PYTHON = "python -c pass"
# Command line -> seconds that it may take, where a figure was set.
COMMANDS = {"--help": 0.1, "list": 0.5, "runs": None, "show latest": 0.5, "report latest -o FILE": 2.0}


def run(field: Field, result: Result, fast: bool) -> None:
    """Rounds of all commands in random order, of a run of scripted workers."""
    rounds, cells = (FAST_ROUNDS, FAST_CELLS) if fast else (ROUNDS, CELLS)
    with tempfile.TemporaryDirectory(prefix="cipherstone-commands-") as folder:
        tell(f"  a run of {cells} cells")
        _answered([sys.executable, "-m", "bench.growth_run", str(cells), folder], field.workshop.root)
        words = {
            name: [sys.executable, "-m", "cipherstone", *name.replace("FILE", f"{folder}/report.html").split()]
            for name in COMMANDS
        }
        words[PYTHON] = [sys.executable, "-c", "pass"]
        with field.quiet():
            seconds = timed(words, rounds, Path(folder), field.workshop.root / "src")
    rows = []
    for name, values in seconds.items():
        middle, between = statistics.median(values), sign_interval(values)
        more = statistics.median(ours - bare for ours, bare in zip(values, seconds[PYTHON], strict=True))
        interval = f"{between[0]:.3f} to {between[1]:.3f}" if between is not None else "-"
        rows.append([name, f"{middle:.3f}", interval, f"{more:.3f}" if name != PYTHON else "-"])
        most = COMMANDS.get(name)
        if most is not None:
            result.check(f"`{name}` within {most:g} s", f"{middle:.2f} s (median of {rounds})", middle <= most)
        result.data[f"{name}_s"] = values
    result.say(
        f"Wall time in seconds of a process, {rounds} rounds in random order; the run that is shown has {cells} cells. Interval: of the median, 95 %. The last column: above the start of Python in the same round."
    )
    result.table(["command", "median", "interval", "above"], rows)


def timed(words: dict[str, list[str]], rounds: int, home: Path, source: Path) -> dict[str, list[float]]:
    """Wall seconds of each command by name, one for each round, after one round that is not counted. Raises CipherstoneError for a command that fails."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    seconds: dict[str, list[float]] = {name: [] for name in words}
    order = list(words)
    for number in range(rounds + 1):
        random.shuffle(order)
        for name in order:
            began = time.perf_counter()
            _answered(words[name], home, environment)
            if number:
                seconds[name].append(time.perf_counter() - began)
    return seconds


def _answered(words: list[str], home: Path, environment: dict[str, str] | None = None) -> None:
    """Runs a program to its end. Raises CipherstoneError if it fails or does not end."""
    try:
        done = subprocess.run(
            words, cwd=home, env=environment, capture_output=True, text=True, timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise CipherstoneError(f"{' '.join(words[1:4])}: did not end within {LONGEST_S} s") from None
    if done.returncode != 0:
        raise CipherstoneError(f"{' '.join(words[1:4])}: ended with {done.returncode}: {done.stderr.strip()[-200:]}")
