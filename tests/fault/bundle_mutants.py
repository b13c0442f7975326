# SPDX-License-Identifier: Apache-2.0
"""Damaged runs, drawn from a seed, and every command that reads them: none may change a figure without a word, end in a stack trace, take 1 GiB or half a minute of processor time.

As a program (`make bundle-mutants`): python tests/fault/bundle_mutants.py [--count N] [--seed N] [--minutes N]
"""

from __future__ import annotations

import argparse
import collections
import gzip
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "engine")]

from scripts import HASH, MAC, PYTHON, CommandLine, bare_root, cost, heed_signals, interrupt_when, write_worker

MEMORY_KIB = 1 << 20
CPU_S = 30
CODES = (0, 1, 2, 3, 4)
EXTREMES: tuple[Any, ...] = (
    0, -1, 1, 0.5, 1e18, -1e18, 1e308, -1e308, 5e-324, 1 << 31, 1 << 53, (1 << 63) - 1, -(1 << 63), 1 << 64,
    None, True, "", "x" * 5000, "\x1b[2J", "../../x", "é\u202e", [], {}, [[]], [None], {"a": 1}, "NaN",
)  # fmt: skip


class Runs(NamedTuple):
    """What is damaged: two finished runs and an unfinished one, and the worker that goes on with it."""

    cli: CommandLine
    sealed: Path
    other: Path
    unfinished: Path
    worker: Path


class Mutant(NamedTuple):
    """A damaged copy. `kind`: how; `must_tell`: whether a changed output needs a word; `verify`: whether it is read as it is received."""

    kind: str
    what: str
    path: Path
    must_tell: bool
    verify: bool = True


def made(folder: Path) -> Runs:
    """The runs, by scripted workers."""
    root = bare_root(folder / "checkout")
    cli = CommandLine(root, folder / "home", folder / "home" / "cache" / "cipherstone")
    a = write_worker(folder, "alpha", {HASH: cost(1000), MAC: cost(900)})
    b = write_worker(folder, "beta", {HASH: cost(1300)})
    for _ in range(2):
        done = cli.measure("--base", "alpha", "--filter", f"op:({HASH} OR {MAC})", "--worker", a, "--worker", b)
        assert done.code == 0, done.err
    sealed, other = sorted(path for path in cli.runs.iterdir() if path.is_dir())[:2]
    slow = write_worker(folder / "slow", "alpha", {HASH: cost(1000)}, sleep_s=0.01)
    words = ("run", "--no-memory", "--max-time", "none", "--passes", 6, "--op", HASH, "--size", "16,64")
    process = cli.start(*words, "--base", "alpha", "--worker", slow, "--cache", cli.cache, preexec_fn=heed_signals)

    def begun() -> bool:
        return any(path.read_bytes().count(b'"type":"pass"') > 3 for path in cli.runs.glob("*/journal.jsonl"))

    interrupt_when(process, begun, signal.SIGINT)
    process.communicate(timeout=600)
    (journal,) = cli.runs.glob("*/journal.jsonl")
    return Runs(cli, sealed, other, journal.parent, slow)


# -- damage


def bytes_changed(rng: random.Random, content: bytes) -> bytes:
    """One to three bytes flipped, set, inserted, left out or repeated; or the end cut off."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 3))):
        place = rng.randrange(max(1, len(data)))
        match rng.randrange(6):
            case 0 if data:
                data[place] ^= 1 << rng.randrange(8)
            case 1 if data:
                data[place] = rng.randrange(256)
            case 2:
                data[place:place] = rng.randbytes(rng.randrange(1, 9))
            case 3:
                del data[place : place + rng.randrange(1, 65)]
            case 4:
                data[place:place] = data[place : place + rng.randrange(1, 513)]
            case _:
                del data[place:]
    return bytes(data)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a document."""
    if at:
        yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*at, key))


def edited(rng: random.Random, document: Any) -> tuple[Any, str]:
    """The document with one value that is another, left out, or twice there; and what was done."""
    way = rng.choice(list(places(document)))
    holder = document
    for step in way[:-1]:
        holder = holder[step]
    name = ".".join(map(str, way))[:80]
    if rng.random() < 0.1:
        del holder[way[-1]]
        return document, f"{name} left out"
    if rng.random() < 0.1 and isinstance(holder, list):
        holder.append(holder[way[-1]])
        return document, f"{name} twice"
    holder[way[-1]] = value = rng.choice(EXTREMES)
    return document, f"{name} = {value!r}"[:160]


def reseal(path: Path) -> None:
    sums = path / "SHA256SUMS"
    names = [line.split("  ", 1)[1] for line in sums.read_text().splitlines()]
    kept = [name for name in names if (path / name).is_file()]
    sums.write_text("".join(f"{hashlib.sha256((path / name).read_bytes()).hexdigest()}  {name}\n" for name in kept))


def _bytes(rng: random.Random, path: Path, runs: Runs) -> str:
    file = rng.choice(sorted(path.iterdir()))
    file.write_bytes(bytes_changed(rng, file.read_bytes()))
    return file.name


def _swapped(rng: random.Random, path: Path, runs: Runs) -> str:
    files = sorted(path.iterdir())
    one = rng.choice(files)
    if rng.random() < 0.5:
        one.write_bytes((runs.other / one.name).read_bytes())
        return f"{one.name} of another run"
    other = rng.choice([file for file in files if file != one])
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    return f"{one.name} and {other.name} exchanged"


def _linked(rng: random.Random, path: Path, runs: Runs) -> str:
    file = rng.choice(sorted(path.iterdir()))
    file.unlink()
    target = rng.choice((runs.sealed / file.name, Path("/dev/zero"), Path("/etc/passwd"), path / "nowhere", path))
    file.symlink_to(target)
    return f"{file.name} -> {target.name}"


def _edited(rng: random.Random, path: Path, runs: Runs) -> str:
    """One value of the manifest, the journal or the summary; sealed again, as whoever sends a run can do."""
    name = rng.choice(("manifest.json", "manifest.json", "journal.jsonl.gz", "journal.jsonl.gz", "summary.json.gz"))
    file = path / name
    content = gzip.decompress(file.read_bytes()) if name.endswith(".gz") else file.read_bytes()
    if "journal" in name:
        lines = [json.loads(line) for line in content.splitlines()]
        for line in lines:  # whose checksums are left out: a journal may be without
            line.pop("crc", None)
        at = rng.randrange(len(lines))
        lines[at], what = edited(rng, lines[at])
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        what = f"line {at + 1}: {what}"
    else:
        document, what = edited(rng, json.loads(content))
        content = json.dumps(document).encode()
    file.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    reseal(path)
    return f"{name}: {what}"


def _journal(rng: random.Random, path: Path, runs: Runs) -> str:
    file = path / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    match rng.randrange(4):
        case 0:
            a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
            what = f"lines {a + 1} and {b + 1} exchanged"
        case 1:
            at = rng.randrange(len(lines))
            lines.insert(at, rng.choice(lines))
            what = f"a line again at {at + 1}"
        case 2:
            at = rng.randrange(len(lines) - 1)
            del lines[at]
            what = f"without line {at + 1}"
        case _:
            lines, what = [bytes_changed(rng, b"".join(lines))], "bytes"
    file.write_bytes(b"".join(lines))
    return f"journal.jsonl: {what}"


def _settings(rng: random.Random, path: Path, runs: Runs) -> str:
    file = path / "manifest.json"
    document, what = edited(rng, json.loads(file.read_bytes()))
    file.write_text(json.dumps(document))
    return f"manifest.json: {what}"


# name -> (which run, how, whether a changed output needs a word, whether it is verified, share of the mutants)
KINDS: dict[str, tuple[str, Callable[[random.Random, Path, Runs], str], bool, bool, int]] = {
    "sealed, bytes": ("sealed", _bytes, True, True, 4),
    "sealed, files exchanged": ("sealed", _swapped, True, True, 2),
    "sealed, links": ("sealed", _linked, True, True, 1),
    "resealed, edited": ("sealed", _edited, False, True, 7),
    "not verified, bytes": ("sealed", _bytes, False, False, 2),
    "unfinished, journal": ("unfinished", _journal, True, True, 3),
    "unfinished, manifest": ("unfinished", _settings, False, True, 2),
    "unfinished, links": ("unfinished", _linked, True, True, 1),
}


def mutant(number: int, seed: int, runs: Runs, folder: Path) -> Mutant:
    """Damaged copy `number` of a seed; the same at every call."""
    rng = random.Random(f"{seed} {number}")
    kind = rng.choices(list(KINDS), [one[4] for one in KINDS.values()])[0]
    of, how, must_tell, verify, _ = KINDS[kind]
    source = runs.sealed if of == "sealed" else runs.unfinished
    path = Path(shutil.copytree(source, folder / source.name))
    return Mutant(kind, how(rng, path, runs), path, must_tell, verify)


# -- reading


def commands(found: Mutant, runs: Runs, page: Path) -> list[tuple[object, ...]]:
    words: list[tuple[object, ...]] = [
        ("show", found.path, "--format", "json"),
        ("report", found.path, "-o", page),
        ("export", found.path),
        ("compare", runs.other, found.path, "--force"),
    ]
    if found.kind.startswith("unfinished"):
        words[3] = ("run", "--resume", found.path, "--worker", runs.worker, "--format", "json", "--cache", runs.cli.cache)  # fmt: skip
    return words if found.verify else [(*word, "--no-verify") for word in words]


class Ended(NamedTuple):
    """How a command ended. `status`: as `os.wait4` tells it."""

    status: int
    out: str
    err: str
    memory_kib: int


def read(cli: CommandLine, words: tuple[object, ...], folder: Path) -> Ended:
    """One command in a process forked from this one, which has everything loaded; its processor time is limited, its memory measured."""
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
            for number, name in ((1, "out"), (2, "err")):
                os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            os.environ.clear()
            os.environ.update(cli.env())
            os.chdir(cli.home)
            os.execve(PYTHON, cli.command(*words), cli.env()) if words[0] == "run" else _inside(words)
        finally:
            os._exit(99)
    _, status, used = os.wait4(child, 0)
    out, err = ((folder / name).read_text(errors="replace") for name in ("out", "err"))
    return Ended(status, out, err, used.ru_maxrss)


def _inside(words: tuple[object, ...]) -> None:
    from cipherstone.cli.main import main

    sys.argv = ["cipherstone", *map(str, words)]
    sys.stdout, sys.stderr = (os.fdopen(number, "w") for number in (1, 2))
    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 - a finding, whatever it is
        import traceback

        traceback.print_exc()
        code = 98
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(str(code or 0)))


def wrong_with(found: Mutant, ended: Ended, whole: str) -> str:
    """What may not be, in a few words; "" if nothing."""
    if not os.WIFEXITED(ended.status):
        return f"ended by signal {os.WTERMSIG(ended.status)}"
    code = os.WEXITSTATUS(ended.status)
    if "Traceback" in ended.err + ended.out or code not in CODES:
        return f"code {code}: " + " | ".join(ended.err.strip().splitlines()[-3:])[-300:]
    if ended.memory_kib > MEMORY_KIB:
        return f"{ended.memory_kib >> 10} MiB"
    if code in (1, 2) and "error:" not in ended.err and not ended.out:
        return f"code {code} without an error: {ended.err[-200:]}"
    if found.must_tell and code == 0 and ended.out != whole and not ended.err.strip():
        return "another output without a word"
    if "\x1b" in ended.out + ended.err:
        return "a control character"
    return ""


def campaign(count: int, seed: int, runs: Runs, folder: Path, every: int = 1, first: int = 0) -> Iterator[tuple[Mutant, tuple[object, ...], str]]:  # fmt: skip
    """Every mutant with each of its commands (or one of `every`), and what was wrong. Resuming, which takes seconds, is asked of one in four."""
    whole: dict[tuple[str, int], str] = {}
    for number in range(first, first + count):
        room = folder / "room"
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir()
        found = mutant(number, seed, runs, room)
        for place, words in enumerate(commands(found, runs, room / "page.html")):
            if (number + place) % every or (words[0] == "run" and number % 4):
                continue
            key = (KINDS[found.kind][0], place)
            if found.must_tell and key not in whole and words[0] != "run":
                good = room / f"good{place}"
                good.mkdir()
                source = runs.sealed if key[0] == "sealed" else runs.unfinished
                copy = Path(shutil.copytree(source, good / source.name))
                one = commands(found._replace(path=copy), runs, room / "page.html")[place]
                whole[key] = read(runs.cli, one, folder).out.replace(str(copy), str(found.path))
            yield found, words, wrong_with(found, read(runs.cli, words, folder), whole.get(key, ""))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runs = made(Path(name))
        tally: collections.Counter[str] = collections.Counter()
        wrong: collections.Counter[str] = collections.Counter()
        before, end = None, time.monotonic() + 60 * asked.minutes
        for found, words, said in campaign(asked.count, asked.seed, runs, Path(name), asked.every, asked.first):
            tally[found.kind] += before != found.path.name + found.what
            before = found.path.name + found.what
            if said:
                wrong[found.kind] += 1
                print(f"{found.kind}: {found.what}: {words[0]}: {said}", flush=True)
            if time.monotonic() > end:
                break
        for kind in KINDS:
            print(f"{kind:<26} {tally[kind]:>6} mutants {wrong[kind]:>4} findings")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
