# SPDX-License-Identifier: Apache-2.0
"""Runs that count as well, with real compilers and emulators: the same numbers as `count`, in report, export, tables and comparison; interrupted, gone on with, damaged, without a target."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from counted import need
from scripts import OPEN_GATE, ROOT, CommandLine, interrupt_when, newest, unsummed

from cipherstone.model.counts import Count, CountedTarget
from cipherstone.store.database import open_duckdb

LAB, CASE = "own-aes", "aes-128-cbc/encrypt"
TARGET = "x86-64"


@pytest.fixture
def cli(new_cli: Callable[..., CommandLine]) -> CommandLine:
    """Of this checkout."""
    need(TARGET)
    return new_cli(root=ROOT)


def run(cli: CommandLine, *words: object) -> tuple[object, ...]:
    return ("run", "-l", LAB, "--size", 16384, "--on", TARGET, "--cache", cli.cache, *words)


def counts(path: Path) -> dict[tuple[str, str], int]:
    """(case, lane) -> instructions, of a journal that may not be finished."""
    found = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if record["type"] == "count":
            assert (record["case"], record["lane"]) not in found, "counted twice"
            found[record["case"], record["lane"]] = record["instructions"]
    return found


def stored(cli: CommandLine) -> list[Count]:
    return [record for record in newest(cli.runs).records() if isinstance(record, Count)]


def test_a_run_of_counts_alone(cli: CommandLine) -> None:
    """What `count` counts, to the last digit; in every form; compared exactly."""
    done = cli(*run(cli, "--no-time", "--name", "before", "--report")).no_trace()
    assert done.code == 0, done.err
    assert "nothing timed" in done.err and f"instructions of these on {TARGET}" in done.err
    assert "best " in done.out and CASE.split("/")[0] not in done.err.split("plan:")[0]
    direct = json.loads(cli("count", "--on", TARGET, "-l", LAB, "--format", "json", "--cache", cli.cache).out)
    here = {(one.case, one.lane): one.instructions for one in stored(cli)}
    assert here == {(one["case"], one["lane"]): one["instructions"] for one in direct["counts"]} and len(here) == 12
    bundle = newest(cli.runs)
    assert bundle.finished and not bundle.manifest.builds and bundle.verify() == []
    with open_duckdb([bundle.path]) as connection:
        rows = connection.execute("SELECT case_id, lane, instructions FROM counts").fetchall()
        assert {(case, lane): number for case, lane, number in rows} == here
        ((target, emulator),) = connection.execute("SELECT target, emulator FROM targets").fetchall()
        assert target == TARGET and "7.2" in emulator
    (page,) = cli.runs.glob("*.html")
    assert 'id="counts"' in page.read_text()
    exported = cli("export", "--as", "csv").no_trace()
    assert exported.out.count(f",{TARGET}\n") >= 12 * 6

    assert cli(*run(cli, "--no-time", "-f", CASE, "--name", "after")).code == 0
    same = cli("compare", "before", "after", "--fail-above", "1%").no_trace()
    assert same.code == 1 and "nothing to compare" in same.out
    forced = cli("compare", "before", "after", "--fail-above", "1%", "--force").no_trace()
    assert forced.code == 0 and "2 counts on both sides; different" in forced.out


def test_a_run_that_times_and_counts(new_cli: Callable[..., CommandLine]) -> None:
    """The same cases; what is timed is as without counts."""
    need(TARGET)
    cli = new_cli(root=ROOT)
    (cli.home / "open_gate.py").write_text(OPEN_GATE)
    cli.module = "open_gate"
    done = cli(*run(cli, "-f", CASE, "--passes", 6, "--no-memory", "--max-time", "30m")).no_trace()
    assert "then instructions of these on x86-64" in done.err
    summary = newest(cli.runs).summary()
    assert summary is not None
    (case,) = summary.cases
    # Whether they have figures is the machine's business; that they were timed is ours.
    figures = [cell.ns is not None for cell in case.cells]
    assert done.code == (0 if any(figures) else 1) and bool(case.ranking) == any(figures), done.err
    assert all(cell.passes_used + bool(cell.refused) > 0 for cell in case.cells)
    assert len(case.counts) == 2 and all(one.instructions for one in case.counts)
    assert summary.trust != "counted"


def test_an_interrupted_run_counts_what_is_missing(cli: CommandLine) -> None:
    """In good order; nothing twice, and the same numbers as if nothing had happened."""
    whole = cli("count", "--on", TARGET, "-l", LAB, "--format", "json", "--cache", cli.cache)
    due = {(one["case"], one["lane"]): one["instructions"] for one in json.loads(whole.out)["counts"]}

    def under_way() -> bool:
        return any(path.read_bytes().count(b'"type":"count"') >= 2 for path in cli.runs.glob("*/journal.jsonl"))

    process = cli.start(*run(cli, "--no-time"))
    interrupt_when(process, under_way)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130 and "interrupted: what was measured is kept" in err, err
    assert "Traceback" not in out + err
    (journal,) = cli.runs.glob("*/journal.jsonl")
    before = counts(journal)
    assert 2 <= len(before) < len(due) and before.items() <= due.items()
    changed = shutil.copytree(journal.parent, cli.home / "changed") / journal.name
    changed.write_text(re.sub(r'"worker_hash":"\w+"', '"worker_hash":"00ff"', unsummed(changed.read_text())))
    other = cli("run", "--resume", changed.parent, "--cache", cli.cache).no_trace()
    assert other.code == 1 and "made of other things than in the part of the run before" in other.err

    again = cli("run", "--resume", "latest", "--cache", cli.cache).no_trace()
    assert again.code == 0, again.err
    found = stored(cli)
    assert len(found) == len(due) and {(one.case, one.lane): one.instructions for one in found} == due
    assert [(one.case, one.lane) for one in found][: len(before)] == list(before)
    targets = [record for record in newest(cli.runs).records() if isinstance(record, CountedTarget)]
    assert len(targets) == 1


def test_a_damaged_count_is_named(cli: CommandLine) -> None:
    """In a sealed run by its checksum, in one that is not finished by file and line."""
    assert cli(*run(cli, "--no-time", "-f", CASE)).code == 0
    path = newest(cli.runs).path
    table = path / "counts.parquet"
    kept = table.read_bytes()
    table.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    done = cli("show").no_trace()
    assert done.code == 1 and "counts.parquet: changed since the run was sealed" in done.err
    table.write_bytes(kept)
    text = "".join(record for record in unpacked(path) if record)
    for name in ("journal.jsonl.gz", "SHA256SUMS", "summary.json.gz"):
        (path / name).unlink(missing_ok=True)
    manifest = (path / "manifest.json").read_text().replace('"finished"', '"interrupted"')
    (path / "manifest.json").write_text(manifest)
    (path / "journal.jsonl").write_text(re.sub(r'"instructions":\d+', '"instructions":"many"', unsummed(text), count=1))
    damaged = cli("show").no_trace()
    assert damaged.code == 1 and "journal.jsonl: line " in damaged.err and "instructions" in damaged.err


def unpacked(path: Path) -> list[str]:
    import gzip

    return gzip.decompress((path / "journal.jsonl.gz").read_bytes()).decode().splitlines(keepends=True)


def test_a_target_that_is_not_there_costs_nothing_else(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says so, the others are counted and kept, the command ends with 1; a name that is none stops before anything is done."""
    (tmp_path / "bin").mkdir()
    for name, text in (("qemu-aarch64", "qemu-aarch64 version 10.0.2"), ("aarch64-linux-gnu-gcc", "gcc 12.2.0")):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\necho '{text}'\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    done = cli(*run(cli, "--on", "aarch64", "--no-time", "-f", CASE)).no_trace()
    assert done.code == 1 and done.err.count("10.0.2") == 1 and "not counted on aarch64" in done.err
    assert len(stored(cli)) == 2 and newest(cli.runs).finished
    assert "not counted on aarch64" in cli("show").out
    runs = len(list(cli.runs.iterdir()))
    none = cli("run", "--on", "aarch46", "--no-time").no_trace()
    assert none.code == 2 and "there is no target 'aarch46'" in none.err
    nothing = cli("run", "--no-time").no_trace()
    assert nothing.code == 2 and "--on TARGETS" in nothing.err
    both = cli("run", "--no-time", "--on", TARGET, "--processes", 3).no_trace()
    assert both.code == 2 and "--processes are timed" in both.err
    assert len(list(cli.runs.iterdir())) == runs
