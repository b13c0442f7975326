# SPDX-License-Identifier: Apache-2.0
"""A finished bundle with bytes changed at random: every command says so in one line, or gives what it gave before; below the seal, no trace."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripts import HASH, MAC, CommandLine, Done, cost, write_worker

SEED = 20260131
MUTANTS = 24
SQL = "select * exclude (run) from cells"


@pytest.fixture(scope="module")
def sealed(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Path]:
    cli, folder = new_cli("mutated"), tmp_path_factory.mktemp("workers")
    a = write_worker(folder, "alpha", {HASH: cost(1000), MAC: cost(900)})
    b = write_worker(folder, "beta", {HASH: cost(1300)})
    done = cli.measure("--base", "alpha", "--filter", f"op:({HASH} OR {MAC})", "--worker", a, "--worker", b)
    assert done.code == 0, done.err
    (path,) = [path for path in cli.runs.iterdir() if path.is_dir()]
    return cli, path


def mutated(rng: random.Random, content: bytes) -> bytes:
    """One to three bytes changed, flipped, inserted, left out or repeated; now and then the end cut off."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        place = rng.randrange(max(1, len(data)))
        match rng.randrange(7):
            case 0:
                data[place] = rng.randrange(256)
            case 1 | 2:
                data[place] ^= 1 << rng.randrange(8)
            case 3:
                data[place:place] = bytes(rng.choices(b'0123456789-.eE"{}[],:\x00\xff', k=rng.randrange(1, 5)))
            case 4:
                del data[place : place + rng.randrange(1, 9)]
            case 5:
                data[place:place] = data[place : place + rng.randrange(1, 65)]
            case _:
                if rng.random() < 0.3:
                    del data[place:]
                else:
                    data[place] = ord(rng.choice("0123456789"))
    return bytes(data)


def mutants(path: Path, count: int, seed: int, names: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """(file, its content) of `count` bundles that differ from the one at `path` in one file."""
    rng = random.Random(seed)
    for number in range(count):
        name = names[number % len(names)]
        before = (path / name).read_bytes()
        after = mutated(rng, before)
        if after != before:
            yield name, after


def commands(path: Path, page: Path) -> list[tuple[object, ...]]:
    return [
        ("show", path, "--format", "json"),
        ("show", path, "--sql", SQL),
        ("export", path),
        ("compare", "alpha", "beta", "--run", path),
        ("report", path, "-o", page),
    ]


def failed_in_one_line(done: Done) -> bool:
    lines = done.err.splitlines()
    return done.code in (1, 2) and done.out == "" and len(lines) <= 3 and any("error:" in line for line in lines)


def files_of(path: Path) -> tuple[str, ...]:
    return tuple(sorted(file.name for file in path.iterdir()))


def test_a_mutated_bundle_changes_no_number_and_leaves_no_trace(
    sealed: tuple[CommandLine, Path], tmp_path: Path
) -> None:
    cli, path = sealed
    copy, page = Path(shutil.copytree(path, tmp_path / path.name)), tmp_path / "page.html"
    whole = {words: cli.inside(*words).no_trace() for words in commands(copy, page)}
    assert all(done.code == 0 for done in whole.values())
    for name, content in mutants(path, MUTANTS, SEED, files_of(path)):
        (copy / name).write_bytes(content)
        page.unlink(missing_ok=True)
        for words in commands(copy, page)[:: 1 if name == "manifest.json" else 2]:
            done = cli.inside(*words).no_trace()
            assert failed_in_one_line(done) or done.out == whole[words].out, (name, words, done.err)
        (copy / name).write_bytes((path / name).read_bytes())


@pytest.mark.parametrize("name", ["journal.jsonl.gz", "manifest.json", "cells.parquet", "samples.parquet"])
def test_a_mutated_bundle_read_without_its_seal_leaves_no_trace(
    sealed: tuple[CommandLine, Path], tmp_path: Path, name: str
) -> None:
    """With --no-verify numbers may change, as the hint says; the packed journal has a checksum of its own."""
    import gzip

    cli, path = sealed
    copy, page = Path(shutil.copytree(path, tmp_path / path.name)), tmp_path / "page.html"
    rng = random.Random(SEED)
    before = (path / name).read_bytes()
    for _ in range(6):
        packed = name.endswith(".gz")  # inside: what gzip's own checksum would not let through
        content = mutated(rng, gzip.decompress(before) if packed else before)
        (copy / name).write_bytes(gzip.compress(content) if packed else content)
        words = commands(copy, page)
        for one in [words[1]] if name.endswith(".parquet") else [words[0], words[-1]]:
            done = cli.inside(*one, "--no-verify").no_trace()
            assert done.code == 0 or failed_in_one_line(done), (one, done.err)
