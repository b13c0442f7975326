# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.mutants`: a seeded sample of slips, each judged once; begun again it goes on where it was."""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import random
import sys
import tempfile
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

from tools.mutants.c_slips import c_slips
from tools.mutants.covering import Covering, Stages, questions
from tools.mutants.judge import Bench, Verdict
from tools.mutants.python_slips import python_slips
from tools.mutants.slips import Slip

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("stats", "measure", "views", "store", "protocol", "worker", "catalogue", "operations", "isa")
EQUIVALENT = ROOT / "tests" / "equivalent.toml"
JOURNAL = ROOT / "build" / "mutants.jsonl"
COVERING = ROOT / "build" / "covering"
# CPU seconds of tests that a slip of Python may cost, as they are without it: the cheapest of those that run its place.
MOST_S = 150.0
TESTS = ("*.py", "*.c", "*.toml", "*.jsonl")


def every_slip() -> list[Slip]:
    """Of the packages that figures go through, and of the SDK."""
    found: list[Slip] = []
    for package in PACKAGES:
        for path in sorted((ROOT / "src" / "cipherstone" / package).rglob("*.py")):
            found += python_slips(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "sdk" / "c" / "src").glob("*.c")):
        found += c_slips(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
    return found


def equivalents() -> dict[str, str]:
    """Slips that change nothing that anyone could see, by id, and why. Each line of the file stands beside the slip's text, for the reader."""
    return {row["id"]: row["why"] for row in tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["slip"]}


class Judged:
    """The journal: what was judged stays judged, unless the file changed, or a survivor's tests did, or more of them are to be asked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._tests = _digest(sorted({one for kind in TESTS for one in (ROOT / "tests").rglob(kind)} - {EQUIVALENT}))
        self._known: dict[str, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self._known[row["id"]] = row

    def get(self, slip: Slip, most_s: float) -> Verdict | None:
        """What is known of a slip as the files are now, with so many seconds of tests."""
        row = self._known.get(slip.id)
        if row is None or row["source"] != _digest([ROOT / slip.path]):
            return None
        if row["state"] == "survived" and (row["tests"] != self._tests or row["most_s"] < most_s):
            return None
        return Verdict(row["state"], row["by"], 0.0)

    def put(self, slip: Slip, verdict: Verdict, most_s: float) -> None:
        """Keeps it; a run that is killed has lost nothing."""
        row = {"id": slip.id, "slip": str(slip), "state": verdict.state, "by": verdict.by}
        row |= {"source": _digest([ROOT / slip.path]), "tests": self._tests, "most_s": most_s}
        with self._lock:
            self._known[slip.id] = row
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def covered(folder: Path, jobs: int) -> Covering:
    """The map from places to tests, with what is missing of it measured."""
    covering = Covering(ROOT, COVERING)
    if stale := covering.stale():
        print(f"which tests run what: {len(stale)} files of tests to measure", flush=True)
        sources = sorted({slip.path for slip in every_slip() if slip.path.endswith(".py")})
        names = iter(stale)

        def measure(number: int) -> None:
            bench = Bench(ROOT, folder / f"covering{number}")
            covering.measure(sources, bench.target, bench.question, lambda line: print(line, flush=True), names)
            bench.close()

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(measure, range(jobs)))
    return covering


def asked(slip: Slip, covering: Covering, stages: Stages, most_s: float) -> list[tuple[list[str], dict[str, float]]]:
    """What to ask about a slip, in portions: files of tests, and which of their tests."""
    if not slip.path.endswith(".py"):
        return [(list(stage), {}) for stage in stages.stages(slip.path)]
    portions = questions(covering.tests(slip), most_s)
    return [(list(dict.fromkeys(name.partition("::")[0] for name in portion)), portion) for portion in portions]


def judge_all(chosen: list[Slip], jobs: int, most_s: float) -> dict[str, Verdict]:
    """A verdict for each, told as it comes."""
    judged, stages, lock = Judged(JOURNAL), Stages(ROOT), Lock()
    found: dict[str, Verdict] = {}
    known_equivalents = equivalents()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        new = [slip for slip in chosen if judged.get(slip, most_s) is None]
        # Only what is still to be judged, and only of Python, is asked of those that run its place.
        covering = (
            covered(Path(folder), jobs) if any(slip.path.endswith(".py") for slip in new) else Covering(ROOT, COVERING)
        )
        benches = [Bench(ROOT, Path(folder) / str(number)) for number in range(jobs)]

        def one(slip: Slip) -> None:
            verdict = judged.get(slip, most_s)
            if verdict is None:
                with lock:
                    bench = benches.pop()
                    portions = asked(slip, covering, stages, most_s)
                try:
                    verdict = bench.judge(slip, portions)
                finally:
                    with lock:
                        benches.append(bench)
                judged.put(slip, verdict, most_s)
            with lock:
                found[slip.id] = verdict
                what = "equivalent" if verdict.state == "survived" and slip.id in known_equivalents else verdict.state
                by = f" by {verdict.by}" if verdict.by else ""
                print(f"{len(found)}/{len(chosen)} {what}: {slip.id} {slip}{by} ({verdict.seconds:.0f} s)", flush=True)

        # In the order of the sample: of a run that is ended, too, what was judged is a sample.
        for done in [pool.submit(one, slip) for slip in chosen]:
            done.result()
        for bench in benches:
            bench.close()
    return found


def asked_of(chosen: list[Slip], files: list[str]) -> dict[str, Verdict]:
    """A verdict of some files of tests."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = Bench(ROOT, Path(folder))
        for slip in chosen:
            found[slip.id] = bench.judge(slip, [(files, {})])
            print(f"{found[slip.id].state}: {slip.id} {slip} by {found[slip.id].by}", flush=True)
        bench.close()
    return found


def tell(chosen: list[Slip], found: dict[str, Verdict]) -> int:
    """The share that was noticed, and every survivor with its place; how many have neither a test nor a reason."""
    excused = equivalents()
    counts: dict[str, Counter[str]] = {}
    left = []
    for slip in chosen:
        state = found[slip.id].state
        if state == "survived" and slip.id in excused:
            state = "equivalent"
        elif state == "survived":
            left.append(slip)
        counts.setdefault(_part(slip.path), Counter())[state] += 1
    total: Counter[str] = sum(counts.values(), Counter())
    print()
    for name, count in [*sorted(counts.items()), ("all", total)]:
        judged = count["noticed"] + count["survived"]
        share = f"{100 * count['noticed'] / judged:.0f} %" if judged else "-"
        more = ", ".join(f"{n} {state}" for state, n in count.items() if state in ("equivalent", "invalid"))
        print(f"{name}: {count['noticed']} of {judged} noticed, {share}{f'; {more} left out' if more else ''}")
    for slip in left:
        print(f"survived: {slip.id} {slip}")
    return len(left)


def _part(path: str) -> str:
    return "sdk" if path.startswith("sdk/") else path.split("/")[2]


def main() -> None:
    """Reads the options, judges and tells."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="slips in the sample")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--only", default="*", help="of files that match this pattern, e.g. '*/measure/*'")
    parser.add_argument("--id", action="append", default=[], help="these slips, whatever the sample")
    parser.add_argument("--most", type=float, default=MOST_S, metavar="S", help="CPU seconds of tests that a slip may cost")  # fmt: skip
    parser.add_argument("--by", action="append", default=[], metavar="FILE", help="ask these files of tests, whole, and write nothing down: does a new test notice?")  # fmt: skip
    parser.add_argument("--list", action="store_true", help="print the sample, judge nothing")
    options = parser.parse_args()
    slips = [slip for slip in every_slip() if fnmatch.fnmatchcase(slip.path, options.only)]
    if options.id:
        chosen = [slip for slip in slips if slip.id in options.id]
    else:
        chosen = random.Random(options.seed).sample(slips, min(options.count, len(slips)))
    if options.list:
        for slip in chosen:
            print(f"{slip.id} {slip}")
        return
    found = asked_of(chosen, options.by) if options.by else judge_all(chosen, options.jobs, options.most)
    sys.exit(1 if tell(chosen, found) else 0)


if __name__ == "__main__":
    main()
