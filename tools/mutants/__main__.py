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

from tools.mutants.c_slips import c_slips
from tools.mutants.judge import Bench, Covering, Verdict
from tools.mutants.python_slips import python_slips
from tools.mutants.slips import Slip

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("stats", "measure", "views", "store", "protocol", "worker", "catalogue", "operations", "isa")
EQUIVALENT = ROOT / "tests" / "equivalent.toml"
JOURNAL = ROOT / "build" / "mutants.jsonl"


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
    """The journal: what was judged stays judged, unless the file changed, or a survivor's tests did."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._tests = _digest(sorted((ROOT / "tests").rglob("*.py")))
        self._known: dict[str, dict[str, str]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self._known[row["id"]] = row

    def get(self, slip: Slip) -> Verdict | None:
        """What is known of a slip as the files are now."""
        row = self._known.get(slip.id)
        if row is None or row["source"] != _digest([ROOT / slip.path]):
            return None
        if row["state"] == "survived" and row["tests"] != self._tests:
            return None
        return Verdict(row["state"], row["by"], 0.0)

    def put(self, slip: Slip, verdict: Verdict) -> None:
        """Keeps it; a run that is killed has lost nothing."""
        row = {"id": slip.id, "slip": str(slip), "state": verdict.state, "by": verdict.by}
        row |= {"source": _digest([ROOT / slip.path]), "tests": self._tests}
        with self._lock:
            self._known[slip.id] = row
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def judge_all(chosen: list[Slip], jobs: int, most_stages: int | None = None) -> dict[str, Verdict]:
    """A verdict for each, told as it comes. `most_stages`: who survives so many is not asked further, and not written down as a survivor."""
    judged, covering, lock = Judged(JOURNAL), Covering(ROOT), Lock()
    found: dict[str, Verdict] = {}
    known_equivalents = equivalents()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        benches = [Bench(ROOT, Path(folder) / str(number)) for number in range(jobs)]

        def one(slip: Slip) -> None:
            verdict = judged.get(slip)
            if verdict is None:
                with lock:
                    bench = benches.pop()
                try:
                    verdict = bench.judge(slip, covering.stages(slip.path)[:most_stages])
                finally:
                    with lock:
                        benches.append(bench)
                if most_stages is None or verdict.state != "survived":
                    judged.put(slip, verdict)
            with lock:
                found[slip.id] = verdict
                what = "equivalent" if verdict.state == "survived" and slip.id in known_equivalents else verdict.state
                by = f" by {verdict.by}" if verdict.by else ""
                print(f"{len(found)}/{len(chosen)} {what}: {slip.id} {slip}{by} ({verdict.seconds:.0f} s)", flush=True)

        for done in [pool.submit(one, slip) for slip in chosen]:
            done.result()
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
    parser.add_argument("--stages", type=int, help="only the first stages of tests: quick, and survivors may be noticed by later ones")  # fmt: skip
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
    sys.exit(1 if tell(chosen, judge_all(chosen, options.jobs, options.stages)) else 0)


if __name__ == "__main__":
    main()
