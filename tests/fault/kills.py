# SPDX-License-Identifier: Apache-2.0
"""Runs that are hit by signals at random moments, by a seed, and resumed until they are finished: no figure is lost, and no line of a journal.

python tests/fault/kills.py COUNT [SEED]

hits COUNT times and prints a table. What a run is made of is scripted, so that every figure is known beforehand, whatever the machine does.
"""

from __future__ import annotations

import gzip
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engine"))

import msgspec
from scripts import HASH, MAC, CommandLine, bare_root, cost, gone, options, write_worker

from cipherstone.model.summary import RunSummary

KINDS = {
    "TERM": (signal.SIGTERM, 143),
    "INT": (signal.SIGINT, 130),
    "HUP": (signal.SIGHUP, 129),
    "KILL": (signal.SIGKILL, -signal.SIGKILL),
    "STOP": (signal.SIGSTOP, 0),
}
GUARD_S = 600  # ends what hangs
MOST_S = 6.0  # the longest time from one look at the run to its hit

Figures = dict[tuple[str, str], float]


def figures(out: str) -> Figures:
    """Cells that have one."""
    found = msgspec.json.decode(out, type=RunSummary, strict=False)
    return {(cell.case, cell.lane): cell.ns.value for case in found.cases for cell in case.cells if cell.ns}


class Victim:
    """One request, as it is without a disturbance, and as it is with some."""

    def __init__(self, cli: CommandLine, folder: Path) -> None:
        self.cli = cli
        self.folder = folder
        self.workers = [
            write_worker(folder, "alpha", {HASH: cost(1000, per_block=40), MAC: cost(900)}),
            write_worker(folder, "beta", {HASH: cost(1300, per_block=30)}),
        ]
        done = self.cli("run", *self.request())
        assert done.code == 0, done.err
        self.whole = figures(done.out)
        assert self.whole

    def request(self) -> tuple[object, ...]:
        words = (
            "--no-memory",
            "--max-time",
            "none",
            "--seed",
            7,
            "--passes",
            6,
            "--size",
            "16,1024",
            "--base",
            "alpha",
        )
        return (*words, "--filter", f"op:({HASH} OR {MAC})", *self.going_on())

    def going_on(self) -> tuple[object, ...]:
        return ("--cache", self.cli.cache, "--format", "json", *options(*self.workers))

    def hit(self, rng: random.Random, kinds: list[str]) -> tuple[list[str], list[str]]:
        """A run that is hit by each of `kinds` in turn and finished then: (those that hit while it ran, what was lost)."""
        before = set(self.cli.runs.iterdir())
        made: list[str] = []
        lost: list[str] = []
        lines: list[bytes] = []
        run: Path | None = None
        for kind in [*kinds, None]:
            words: tuple[object, ...] = ("--resume", run, *self.going_on()) if run else self.request()
            process = self.cli.start("run", *words)
            if kind is not None:
                number, code = KINDS[kind]
                time.sleep(rng.uniform(0.1, MOST_S))
                process.send_signal(number)
                if number == signal.SIGSTOP:
                    time.sleep(rng.uniform(0.05, 1.0))
                    process.send_signal(signal.SIGCONT)
            out, err = process.communicate(timeout=GUARD_S)
            if "KeyboardInterrupt" in err and "cipherstone/" not in err:
                continue  # the interpreter was still looking for its own modules
            if "Traceback" in err + out:
                lost.append(f"{kind}: a stack trace: {err[-400:]}")
            left = gone(self.folder)
            lost += [f"{kind}: alive: {one}" for one in left]
            (run,) = set(self.cli.runs.iterdir()) - before or {None}  # None: it was hit before it had a folder
            if run is not None and not (run / "manifest.json").exists():
                before.add(run)  # hit while the folder was made: not a run yet
                run = None
            if run is not None:
                lost += self.lines_lost(kind, lines, lines := written(run))
            if process.returncode == 0:
                made += [kind] if kind == "STOP" else []
                lost += self.figures_lost(kind, out)
                return made, lost
            if kind is None:
                return made, [*lost, f"not finished, exit code {process.returncode}: {err[-400:]}"]
            if process.returncode not in (code, -number):
                lost.append(f"{kind}: exit code {process.returncode}: {err[-400:]}")
            made.append(kind)
            if run is not None and (run / "SHA256SUMS").exists() and not (run / "journal.jsonl").exists():
                lost += self.figures_lost(kind, self.cli("show", run, "--format", "json").out)
                return made, lost  # hit when all was done
        raise AssertionError

    def lines_lost(self, kind: str | None, before: list[bytes], after: list[bytes]) -> list[str]:
        return [] if after[: len(before)] == before else [f"{kind}: {len(before)} lines were there, {len(after)} are"]

    def figures_lost(self, kind: str | None, out: str) -> list[str]:
        seen = figures(out)
        cells = sorted(self.whole.keys() | seen.keys())
        return [
            f"after {kind}: {cell}: {self.whole.get(cell)} became {seen.get(cell)}"
            for cell in cells
            if cell not in seen or cell not in self.whole or abs(seen[cell] / self.whole[cell] - 1) > 1e-9
        ]


def written(run: Path) -> list[bytes]:
    """Completed lines of the journal, packed or not."""
    plain, packed = run / "journal.jsonl", run / "journal.jsonl.gz"
    content = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes()) if packed.exists() else b""
    return content.split(b"\n")[:-1]


def main() -> None:
    # Of a job in the background a shell ignores both, and so would every run that is to be hit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    end_s = float(os.environ.get("KILLS_S", "inf"))
    table: dict[str, Counter[Any]] = {kind: Counter() for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "workers").mkdir()
        cli = CommandLine(bare_root(home / "root"), home / "home", home / "cache" / "cipherstone")
        victim = Victim(cli, home / "workers")
        end = time.monotonic() + end_s
        while sum(row["made"] for row in table.values()) < count and time.monotonic() < end:
            made, lost = victim.hit(rng, rng.choices(list(KINDS), k=rng.randrange(1, 5)))
            for kind in made:
                table[kind]["made"] += 1
            for one in lost:
                table[made[-1] if made else "KILL"]["lost"] += 1
                print(one, flush=True)
            print(" ".join(f"{kind} {row['made']}/{row['lost']}" for kind, row in table.items()), flush=True)
    for kind, row in table.items():
        print(f"{kind:5} made {row['made']:5}  lost {row['lost']:5}")


if __name__ == "__main__":
    main()
