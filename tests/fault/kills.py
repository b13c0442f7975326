# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed at moments drawn from a seed, by any signal, and gone on with until they are finished: they must have every figure that an undisturbed run has, and lose no record.

As a program (`make kills`): python tests/fault/kills.py [--count N] [--seed N] [--minutes N]
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "engine")]

from scripts import HASH, CommandLine, Done, bare_root, cost, gone, heed_signals, options, timed_by_script, write_worker

# By which a command ends; STOP is followed by CONT, and it goes on.
SIGNALS = ("TERM", "INT", "HUP", "KILL", "STOP")
STOPPED_S = 0.2
COSTS = {"alpha": 1000, "beta": 1300}
SIZES = "16,64"
PASSES = 6
# By the clock of the workers' scripts, whatever the machine does: more than all passes take.
BOUND = "600s"
MOST_KILLS = 12  # of one run; then it is left to end


class Killed(NamedTuple):
    """What became of one run. `wrong`: what may not be, "" if nothing."""

    signals: tuple[str, ...]
    wrong: str


def commands(cli: CommandLine, workers: list[Path]) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """That which begins the run, and that which goes on."""
    more = ("--format", "json", "--cache", cli.cache, *options(*workers))
    begin = ("run", "--no-memory", "--seed", 3, "--passes", PASSES, "--max-time", BOUND, "--op", HASH, "--size", SIZES)
    return (*begin, "--base", "alpha", *more), ("run", "--resume", "latest", *more)


def records_of(run: Path) -> list[bytes]:
    """The completed lines of its journal, packed or not."""
    plain, packed = run / "journal.jsonl", run / "journal.jsonl.gz"
    try:
        content = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    except FileNotFoundError:  # packed just now
        content = gzip.decompress(packed.read_bytes())
    return content.split(b"\n")[:-1]


def figures(done: Done) -> dict[tuple[str, str], float]:
    """ns by case and lane."""
    return {
        (case["case"], cell["lane"]): cell["ns"]["value"]
        for case in done.json()["cases"]
        for cell in case["cells"]
        if cell.get("ns")
    }


def problem(done: Done, run: Path, before: list[bytes], due: dict[tuple[str, str], float]) -> str:
    """Of a run that ended by itself."""
    if done.code != 0:
        return f"code {done.code}: {done.err[-300:]}"
    found, lines = figures(done), records_of(run)
    if found.keys() != due.keys():
        return f"without {sorted(due.keys() - found.keys())}, beyond {sorted(found.keys() - due.keys())}"
    off = {key: value for key, value in found.items() if abs(value / due[key] - 1) > 1e-6}
    if off:
        return f"other figures: {off}"
    if lines[: len(before)] != before:
        return "a record was lost"
    rows = [json.loads(line) for line in lines]
    passes = collections.Counter((row["case"], row["index"]) for row in rows if row["type"] == "pass")
    twice = [key for key, count in passes.items() if count > 1]
    return f"passes twice: {twice}" if twice and not any(row.get("again") for row in rows) else ""


def killed(cli: CommandLine, workers: list[Path], rng: random.Random, typical_s: float, due: dict[tuple[str, str], float]) -> Killed:  # fmt: skip
    """One run, from its beginning to its end."""
    old = set(cli.runs.glob("*")) if cli.runs.is_dir() else set()
    begin, go_on = commands(cli, workers)
    signals: list[str] = []
    before: list[bytes] = []
    while True:
        runs = [path for path in cli.runs.glob("*") if path not in old and (path / "manifest.json").exists()]
        run = runs[0] if runs else None
        process = cli.start(*(go_on if run is not None else begin), preexec_fn=heed_signals)
        if len(signals) < MOST_KILLS and rng.random() < 0.9:
            name = rng.choice(SIGNALS)
            time.sleep(rng.random() * typical_s)
            if process.poll() is None:
                signals.append(name)
                process.send_signal(getattr(signal, f"SIG{name}"))
                if name == "STOP":
                    time.sleep(STOPPED_S)
                    process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=1800)
        done = Done(process.returncode, out, err)
        runs = [path for path in cli.runs.glob("*") if path not in old and (path / "manifest.json").exists()]
        if "Traceback" in err:
            return Killed(tuple(signals), f"a trace: {err[-600:]}")
        if len(runs) > 1:
            return Killed(tuple(signals), f"{len(runs)} runs in the place of one")
        if runs:
            now = records_of(runs[0])
            if now[: len(before)] != before:
                return Killed(
                    tuple(signals), f"after {signals[-1:]}: {len(before)} records before, {len(now)} now, not the same"
                )
            before = now
            if "finished" in json.loads((runs[0] / "manifest.json").read_text())["status"]:
                if done.code != 0:  # it was sealed, and ended by the signal: what it holds is shown
                    done = cli("show", runs[0], "--format", "json")
                return Killed(tuple(signals), problem(done, runs[0], before, due))
        if done.code == 0:
            return Killed(tuple(signals), "it ended well, and is not finished")
        if not signals or (done.code not in (129, 130, 143, -1, -2, -9, -15)):
            return Killed(tuple(signals), f"code {done.code}: {err[-400:]}")


class Bench(NamedTuple):
    """Where runs are killed, and what an undisturbed one has."""

    cli: CommandLine
    workers: list[Path]
    typical_s: float
    due: dict[tuple[str, str], float]


def bench(folder: Path, cli: CommandLine | None = None) -> Bench:
    if cli is None:
        root = bare_root(folder / "checkout")
        cli = CommandLine(root, folder / "home", folder / "home" / "cache" / "cipherstone")
    cli = timed_by_script(cli)
    workers = [write_worker(folder, name, {HASH: cost(ns)}, takes_s=0.1) for name, ns in COSTS.items()]
    began = time.monotonic()
    done = cli(*commands(cli, workers)[0])
    assert done.code == 0, done.err
    due = figures(done)
    assert len(due) >= len(COSTS) * len(SIZES.split(","))
    return Bench(cli, workers, time.monotonic() - began, due)


def campaign(at: Bench, count: int, seed: int) -> Iterator[Killed]:
    """Runs until so many signals were sent. When they come depends on the machine; which they are, on the seed."""
    rng, sent = random.Random(seed), 0
    while sent < count:
        one = killed(at.cli, at.workers, rng, at.typical_s, at.due)
        sent += len(one.signals)
        yield one


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        at = bench(Path(name))
        end = time.monotonic() + 60 * asked.minutes
        sent: collections.Counter[str] = collections.Counter()
        runs = wrong = 0
        for one in campaign(at, asked.count, asked.seed):
            runs += 1
            sent.update(one.signals)
            if one.wrong:
                wrong += 1
                print(f"{' '.join(one.signals)}: {one.wrong}", flush=True)
            if time.monotonic() > end:
                break
        left = gone(Path(name), 60)
        print(f"{sum(sent.values())} signals ({dict(sent)}) in {runs} runs: {wrong} findings; processes left: {left}")
    sys.exit(bool(wrong or left))


if __name__ == "__main__":
    main()
