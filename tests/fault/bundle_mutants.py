# SPDX-License-Identifier: Apache-2.0
"""Stored runs that were damaged or edited, by a seed, and what the commands that read them make of them.

No mutant may pass in silence: what a seal or a checksum covers is refused in one line, or gives what it gave before. An edit that was sealed anew is refused or shown, by all commands alike, with
numbers that a table can hold. Nothing is a stack trace, takes a gibibyte or hangs; exit codes are those that are documented.

    python tests/fault/bundle_mutants.py COUNT [SEED]

tries COUNT mutants and prints a table.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engine"))

from mutant_kinds import KINDS
from scripts import HASH, MAC, CommandLine, Done, bare_root, cost, interrupt_when, options, write_worker

CODES = (0, 1, 2, 3, 4)  # documented, without those of signals
GUARD_S = 600  # ends what hangs; a busy machine needs a part of it
MOST_BYTES = 1 << 30
BATCH = 20


@dataclass
class Original:
    """Two runs of the same workers: one finished and sealed, one that was interrupted. `shown`: what each command says of each undamaged run."""

    cli: CommandLine
    workers: list[Path]
    finished: Path
    unfinished: Path
    shown: dict[tuple[str, str], Done] = field(default_factory=dict)


@dataclass
class Mutant:
    """A damaged copy at `path`. `what`: what was done, to tell it; `open_to`: how its output may differ: `not` at all, in `figures` (a sealed edit), or as a run that is `shorter`."""

    kind: str
    path: Path
    what: str
    open_to: str


@dataclass
class Seen:
    """How one mutant fared: `refused` and `shown`, and what is wrong with that."""

    mutant: str
    refused: bool
    findings: list[str]


def make_original(folder: Path, cli: CommandLine) -> Original:
    """The runs, made by scripted workers; some seconds."""
    more: dict[str, Any] = {"facts": {HASH: {"default": {"mul": 12}}}, "memory": {"heap_peak_bytes": 700}}
    alpha = write_worker(folder, "alpha", {HASH: cost(1000, per_block=40), MAC: cost(900)}, **more)
    beta = write_worker(folder, "beta", {HASH: cost(1300, per_block=30)}, noise=0.01)
    words = ("run", "--max-time", "none", "--seed", 7, "--passes", 6, "--filter", f"op:({HASH} OR {MAC})")
    words += ("--size", "16,1024", "--base", "alpha", "--cache", cli.cache, *options(alpha, beta))  # type: ignore[assignment]
    done = cli(*words)
    assert done.code == 0, done.err
    (finished,) = [path for path in cli.runs.iterdir() if path.is_dir()]

    def measured() -> bool:
        journals = [path.read_bytes() for path in cli.runs.glob("*/journal.jsonl")]
        return any(content.count(b'"type":"pass"') >= 12 for content in journals)

    process = cli.start(*words)
    interrupt_when(process, measured, signal.SIGKILL)
    process.communicate(timeout=GUARD_S)
    (unfinished,) = [path for path in cli.runs.iterdir() if path.is_dir() and path != finished]
    return Original(cli, [alpha, beta], finished, unfinished)


def look(original: Original, folder: Path) -> None:
    """What each command says of the undamaged runs, in this process."""
    for run in ("finished", "unfinished"):
        source: Path = getattr(original, run)
        copy = Path(shutil.copytree(source, folder / "whole" / source.name))
        for name, words_of in READS.items():
            original.shown[run, name] = original.cli.inside(*words_of(copy)).no_trace()
            assert original.shown[run, name].code == 0, original.shown[run, name].err
    shutil.rmtree(folder / "whole")


READS: dict[str, Callable[[Path], tuple[object, ...]]] = {
    "show": lambda path: ("show", path, "--format", "json"),
    "text": lambda path: ("show", path),
    "report": lambda path: ("report", path, "-o", path.parent / "page.html"),
    "export": lambda path: ("export", path, "--as", "csv"),
    "compare": lambda path: ("compare", "alpha", "beta", "--run", path, "--format", "json"),
}


# -- what the commands make of them


def make_mutant(original: Original, home: Path, number: int, seed: int, kinds: list[str]) -> Mutant:
    rng = random.Random(f"{seed} {number}")
    kind = kinds[number % len(kinds)]
    change, run, open_to = KINDS[kind]
    source: Path = getattr(original, run)
    path = Path(shutil.copytree(source, home / source.name))
    return Mutant(kind, path, change(rng, path), open_to)


def refused_in_a_line(done: Done) -> bool:
    errors = [line for line in done.err.splitlines() if "error:" in line]
    return done.code in (1, 2) and len(errors) == 1 and len(errors[0]) < 3000


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from numbers(inner)


def judge(original: Original, mutant: Mutant) -> Seen:
    """Runs the commands in this process."""
    run = KINDS[mutant.kind][1]
    page = mutant.path.parent / "page.html"
    findings: list[str] = []
    done: dict[str, Done] = {}
    for name, words in READS.items():
        page.unlink(missing_ok=True)
        try:
            one = done[name] = original.cli.inside(*words(mutant.path))
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            last = traceback.extract_tb(error.__traceback__)[-1]
            findings.append(
                f"{name}: {type(error).__name__}: {str(error)[:100]} ({Path(last.filename).name}:{last.lineno})"
            )
            continue
        if "Traceback" in one.err + one.out or one.code not in CODES:
            findings.append(f"{name}: exit code {one.code}, {one.err[-300:]}")
        if one.code and not refused_in_a_line(one):
            findings.append(f"{name}: refused, not in one line: {one.err[:200]!r}")
        if "\x1b" in one.err + (one.out if name == "text" else ""):
            findings.append(f"{name}: a control character reaches the terminal")
        same = one.out == original.shown[run, name].out
        if one.code == 0 and mutant.open_to == "not" and not harmless(mutant) and not said(original, run, name, one):
            findings.append(f"{name}: silent, the output is {'the same' if same else 'another'}")
    refused = {name for name, one in done.items() if one.code}
    if refused & {"show", "text", "report", "export"} and not refused >= {"show", "text", "report", "export"}:
        findings.append(f"refused by some only: {sorted(refused)}")
    findings += consistent(done)
    if run == "unfinished":
        findings += resumed(original, mutant, "show" in refused)
    return Seen(f"{mutant.kind}: {mutant.what}", "show" in refused, findings)


def harmless(mutant: Mutant) -> bool:
    """The seal itself holds no figure: a change that leaves all its lines true says nothing else."""
    return mutant.what.startswith("SHA256SUMS: ")


def said(original: Original, run: str, name: str, done: Done) -> bool:
    """A warning that the undamaged run does not have."""
    return len(done.err.splitlines()) > len(original.shown[run, name].err.splitlines())


def consistent(done: dict[str, Done]) -> list[str]:
    """Numbers that are numbers, and the same ones in JSON and CSV."""
    findings = []
    try:
        found = json.loads(done["show"].out) if "show" in done and done["show"].code == 0 else {}
        if not all(math.isfinite(one) and abs(one) <= 1 << 63 for one in numbers(found)):
            findings.append("show: a number that is none, or that no table holds")
        told = {
            (case["case"], cell["lane"]): cell.get("ns", {}).get("value")
            for case in found.get("cases", ())
            for cell in case["cells"]
        }
        if "export" in done and done["export"].code == 0 and found:
            rows = list(csv.DictReader(io.StringIO(done["export"].out)))
            exported = {
                (row["case"], row["lane"]): float(row["value"])
                for row in rows
                if row["metric"] == "time" and row["value"]
            }
            if exported != {cell: float(ns) for cell, ns in told.items() if ns is not None}:
                findings.append("export: other figures than in show")
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        findings.append(f"what was shown cannot be read: {type(error).__name__}: {str(error)[:100]}")
    return findings


def resumed(original: Original, mutant: Mutant, refused: bool) -> list[str]:
    """What going on with it gives: refused where reading it is; what is only shorter has the figures of the whole run in the end."""
    cli = original.cli
    words = ("run", "--resume", mutant.path, "--cache", cli.cache, "--format", "json")
    done = cli(*words, *options(*original.workers), timeout_s=GUARD_S)
    if "Traceback" in done.err + done.out or done.code not in CODES:
        return [f"resume: exit code {done.code}, {done.err[-300:]}"]
    if refused and done.code == 0 and mutant.open_to == "not":
        return ["resume: goes on with what cannot be read"]
    if done.code and not refused_in_a_line(done):
        return [f"resume: refused, not in one line: {done.err[-300:]!r}"]
    if mutant.open_to != "shorter":
        return []
    if done.code:
        return [f"resume: refused what is only shorter: {done.err[-300:]!r}"]
    ends = json.loads(original.shown["finished", "show"].out), json.loads(done.out)
    cells = [
        {(case["case"], cell["lane"]) for case in end["cases"] for cell in case["cells"] if cell.get("ns")}
        for end in ends
    ]
    return [] if cells[0] == cells[1] else [f"resume: other cells have figures: {sorted(cells[0] ^ cells[1])}"]


def try_one(original: Original, home: Path, number: int, seed: int, kinds: list[str]) -> Seen:
    """Mutant `number`, in this process."""
    folder = Path(tempfile.mkdtemp(dir=home))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen = judge(original, make_mutant(original, folder, number, seed, kinds))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    if grown << 10 >= MOST_BYTES:
        seen.findings.append(f"took {grown >> 10} MiB")
    shutil.rmtree(folder)
    return seen


def try_many(original: Original, home: Path, some: range, seed: int, kinds: list[str]) -> Iterator[tuple[int, Seen]]:
    """These mutants, in one new process; what it does not come back from is a finding. The process that forks runs no command itself: their thread pools do not live through a fork."""
    answers = home / "answers.jsonl"
    answers.write_text("")
    process = os.fork()
    if process == 0:
        try:
            signal.alarm(GUARD_S)
            look(original, home)
            for number in some:
                signal.alarm(GUARD_S)
                seen = try_one(original, home, number, seed, kinds)
                with answers.open("a") as file:
                    file.write(json.dumps([number, seen.mutant, seen.refused, seen.findings]) + "\n")
        except BaseException:  # noqa: BLE001 - the child must not go on as the parent
            traceback.print_exc()
        finally:
            os._exit(0)
    _, status, usage = os.wait4(process, 0)
    number = some.start - 1
    for line in answers.read_text().splitlines():
        number, *rest = json.loads(line)
        yield number, Seen(*rest)
    if number + 1 < some.stop:
        yield number + 1, Seen("the one after", False, [f"its process ended with status {status}"])
    if usage.ru_maxrss << 10 >= MOST_BYTES:
        yield some.start, Seen("one of these and those after it", False, [f"took {usage.ru_maxrss >> 10} MiB"])


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    kinds = [kind for kind in KINDS if not sys.argv[3:] or kind in sys.argv[3:]]
    table: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        root = bare_root(home / "root")
        cli = CommandLine(root, home / "home", home / "cache" / "cipherstone")
        (home / "workers").mkdir()
        original = make_original(home / "workers", cli)
        end = time.monotonic() + float(os.environ.get("MUTANTS_S", "inf"))  # no new batch after so many seconds
        for start in range(0, count, BATCH):
            if time.monotonic() > end:
                break
            for number, seen in try_many(original, home, range(start, min(count, start + BATCH)), seed, kinds):
                row = table[kinds[number % len(kinds)]]
                row.update(["tried", "refused" if seen.refused else "shown", *(["findings"] if seen.findings else [])])
                for finding in seen.findings:
                    print(f"{number} {seen.mutant} | {finding}", flush=True)
    heads = ("tried", "refused", "shown", "findings")
    table["all"] = sum(table.values(), Counter())
    print(f"{'kind':28}", *(f"{head:>9}" for head in heads))
    for kind, row in table.items():
        print(f"{kind:28}", *(f"{row[head]:9}" for head in heads))


if __name__ == "__main__":
    main()
