# SPDX-License-Identifier: Apache-2.0
"""Which tests run a place of the sources, and what each costs: measured once for every file of tests, again when that file changes. `build/covering/`."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.mutants.planting import RUNTIME, Block, blocks_of, planted
from tools.mutants.slips import Slip

Question = Callable[[dict[str, Any]], dict[str, Any]]
# A question is about tests that cost so much together; the next one only comes if they notice nothing.
FIRST_S, GROWTH = 1.0, 4.0
FORM = 2  # of the files of the map
CHEAP_S = 0.02  # a fixture that costs less is not worth a word


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a test itself, and of the fixtures that it shares with others."""

    share_s: float
    shared_s: Mapping[str, float] = field(default_factory=dict)

    def beside(self, ready: Collection[str]) -> float:
        """What it costs where some fixtures are there already."""
        return self.share_s + sum(cost for name, cost in self.shared_s.items() if name not in ready)


class Covering:
    """The map from blocks to tests, kept by content of the test files."""

    def __init__(self, root: Path, store: Path) -> None:
        self._root, self._store = root, store
        self._files: dict[str, dict[str, Any]] = {}
        for path in store.glob("*.json"):
            file = json.loads(path.read_text(encoding="utf-8"))
            self._files[file["name"]] = file
        self._by_key: dict[str, dict[str, Cost]] = {}
        self._imported: dict[str, Cost] = {}

    def test_files(self) -> list[str]:
        """Files of tests that slips of Python are judged by: the order of `tests/mutants.toml`."""
        document = self._document()
        found = [str(path.relative_to(self._root)) for part in document["python"] for path in sorted(self._root.glob(part))]  # fmt: skip
        return list(dict.fromkeys(found))

    def _document(self) -> dict[str, Any]:
        return tomllib.loads((self._root / "tests" / "mutants.toml").read_text(encoding="utf-8"))

    def stale(self) -> list[str]:
        """Files of tests that were never measured as they are now."""
        known = {name: file["digest"] for name, file in self._files.items() if file.get("form") == FORM}
        return [name for name in self.test_files() if known.get(name) != _digest(self._root / name)]

    def measure(
        self, sources: list[str], copy: Path, question: Question, told: Callable[[str], None], names: Iterator[str]
    ) -> None:
        """Runs files in a copy, in which it plants reports. `question` asks a process in that copy. `names` may be shared with others who measure."""
        blocks: list[Block] = []
        for path in sources:
            text, more = planted(path, (copy / path).read_text(encoding="utf-8"), len(blocks))
            (copy / path).write_text(text, encoding="utf-8")
            blocks += more
        folder = copy / "hits"
        folder.mkdir()
        runtime = RUNTIME.read_text(encoding="utf-8").replace("@FOLDER@", str(folder))
        (copy / "src" / "cipherstone" / "_hits.py").write_text(runtime, encoding="utf-8")
        for name in names:
            answer = question({"files": [name], "usual_s": {}, "record": str(folder)})
            if not answer.get("rows"):
                raise RuntimeError(f"{name}: no test of it ran: {answer.get('failed', 'see log.txt in the copy')}")
            file = {"name": name, "form": FORM, "digest": _digest(self._root / name), **_tests(answer, blocks)}
            self._files[name] = file
            self._store.mkdir(parents=True, exist_ok=True)
            (self._store / f"{name.replace('/', '-')}.json").write_text(json.dumps(file), encoding="utf-8")
            told(f"{name}: {len(file['tests'])} tests")
        self._by_key.clear()

    def tests(self, slip: Slip) -> dict[str, Cost]:
        """Costs by test, first those of the unit tests that are named after the module, then the others, the cheapest first: those that run the block in which the slip is; where the block is new, its function; else, and for what runs on import, whoever runs anything of the file, and for that those that look at what was imported."""
        self._index()
        text = (self._root / slip.path).read_text(encoding="utf-8")
        around = [one for one in blocks_of(slip.path, text) if one.first <= slip.line <= one.last]
        found: dict[str, Cost] = {}
        if not around:
            found = self._starting(f"{slip.path}|") | self._imported
        else:
            block = min(around, key=lambda one: (one.last - one.first, -one.first))
            found = self._by_key.get(block.key) or self._starting(f"{slip.path}|{block.within}|")
            found = found or self._starting(f"{slip.path}|")
        own = f"_{Path(slip.path).stem}"

        def place(row: tuple[str, Cost]) -> tuple[bool, float, str]:
            file = row[0].partition("::")[0]
            return not (own in file and file.startswith("tests/unit/")), row[1].beside(()), row[0]

        return dict(sorted(found.items(), key=place))

    def _starting(self, head: str) -> dict[str, Cost]:
        found: dict[str, Cost] = {}
        for key, tests in self._by_key.items():
            if key.startswith(head):
                found |= tests
        return found

    def _index(self) -> None:
        if self._by_key:
            return
        known, imported = set(self.test_files()), self._document().get("imported", ())
        for name, file in self._files.items():
            if name in known:
                for test, row in file["tests"].items():
                    cost = Cost(row["cpu_s"], {one: file["fixtures"][one] for one in row["shared"]})
                    if name in imported:
                        self._imported[test] = cost
                    for number in row["blocks"]:
                        self._by_key.setdefault(file["keys"][number], {})[test] = cost


def questions(tests: dict[str, Cost], most_s: float) -> list[dict[str, float]]:
    """The tests in portions, each dearer than the one before, with what each costs there; no more than `most_s` CPU seconds together, but one test at least.

    Every portion is a process of its own, which sets up what its tests share. Tests of one file stand together: a fixture of a module ends with the last of them.
    """
    found: list[dict[str, Cost]] = []
    ready: set[str] = set()
    room, inside, spent = FIRST_S, 0.0, 0.0
    for name, cost in tests.items():
        more = cost.beside(ready)
        if not found or inside + more > room:
            more, ready = cost.beside(()), set()
            if found and spent + more > most_s:
                break
            room = room * GROWTH if found else room
            found.append({})
            inside = 0.0
        elif spent + more > most_s:
            break
        found[-1][name] = cost
        ready |= cost.shared_s.keys()
        inside += more
        spent += more
    return [_by_file(portion) for portion in found]


def _by_file(portion: dict[str, Cost]) -> dict[str, float]:
    files: dict[str, dict[str, Cost]] = {}
    for name, cost in portion.items():
        files.setdefault(name.partition("::")[0], {})[name] = cost
    ready: set[str] = set()
    found = {}
    for file in files.values():
        for name, cost in file.items():
            found[name] = cost.beside(ready)
            ready |= cost.shared_s.keys()
    return found


class Stages:
    """Which tests judge a file of the SDK, all of them from cheap to dear: `tests/mutants.toml`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        document = tomllib.loads((root / "tests" / "mutants.toml").read_text(encoding="utf-8"))
        self._rules = [(rule["path"], rule["stages"]) for rule in document["file"]]

    def stages(self, path: str) -> list[tuple[str, ...]]:
        """Test files, cheap ones first; each once. Raises LookupError if no rule names the file."""
        for pattern, stages in self._rules:
            if fnmatch.fnmatchcase(path, pattern):
                return self._files(stages, Path(path).stem)
        raise LookupError(f"tests/mutants.toml: no rule for {path}")

    def _files(self, stages: list[list[str]], stem: str) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        seen: set[str] = set()
        for stage in stages:
            options = tuple(part for part in stage if part.startswith("-"))
            names = (
                str(file.relative_to(self._root))
                for part in stage
                if part not in options
                for file in sorted(self._root.glob(part.format(stem=stem)))
            )
            fresh = tuple(dict.fromkeys(name for name in names if name not in seen))
            if not options:  # which leave out some of the tests
                seen |= set(fresh)
            if fresh:
                found.append((*fresh, *options))
        return found


def _tests(answer: dict[str, Any], blocks: list[Block]) -> dict[str, Any]:
    """By test: what it costs, the fixtures that it shares, and the blocks that it runs, with those of its shared fixtures and of the kept answers that it took."""
    fixtures = {name: round(cost, 2) for name, cost in answer["fixtures"].items() if cost >= CHEAP_S}
    ran: dict[str, list[int]] = answer["ran"]
    once = {number for number, block in enumerate(blocks) if block.once}
    keys: dict[str, int] = {}
    found = {}
    for name, row in answer["rows"].items():
        if row["failed"] or "cpu_s" not in row or row.get("skipped"):
            continue
        numbers = set(ran.get(name, ()))
        for fixture in row["shared"]:
            numbers |= set(ran.get(fixture, ()))
        todo, done = sorted(numbers & once), set()
        while todo:
            number = todo.pop()
            if number not in done:
                done.add(number)
                more = set(ran.get(f"once-{number}", ()))
                todo += sorted((more & once) - done)
                numbers |= more
        found[name] = {
            "cpu_s": round(row["cpu_s"], 2),
            "shared": sorted(fixtures.keys() & set(row["shared"])),
            "blocks": sorted({keys.setdefault(blocks[one].key, len(keys)) for one in numbers}),
        }
    return {"keys": list(keys), "fixtures": fixtures, "tests": found}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
