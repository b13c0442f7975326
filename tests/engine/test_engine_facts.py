# SPDX-License-Identifier: Apache-2.0
"""What workers tell of a cell is asked once, after the timing, stored beside it, and shown in every export; a worker that breaks over it keeps its figures."""

from __future__ import annotations

import json
from pathlib import Path

from scripts import HASH, MAC, CommandLine, cells, cost, newest, records, starts, summary, write_worker

from cipherstone.model.records import FactsRecord, MemoryRecord, PassRecord
from cipherstone.store.database import open_duckdb
from cipherstone.worker import WorkerProcess

SIZES = ("--size", "16,64")
TOLD = {"mul": 12, "table_bytes": 4096, "leak": "exponent bits by branch"}


def ask(cli: CommandLine, *workers: Path, memory: bool = False, base: str = "alpha") -> object:
    words = [word for worker in workers for word in ("--worker", str(worker))]
    kind = [] if memory else ["--no-memory"]
    return cli.measure("--op", HASH, *SIZES, "--passes", "6", "--base", base, "--impl", "all", *kind, *words)


def test_facts_are_stored_for_every_timed_cell_and_size(cli: CommandLine, tmp_path: Path) -> None:
    costs = {HASH: {"default": {"ns": 1000}, "small": {"ns": 1500}}}
    alpha = write_worker(tmp_path, "alpha", costs, facts={HASH: {"small": TOLD}})
    beta = write_worker(tmp_path, "beta", {HASH: cost(1100)})
    done = ask(cli, alpha, beta, memory=True)
    assert done.code == 0, done.err  # type: ignore[attr-defined]
    bundle = newest(cli.runs)
    told = records(bundle, FactsRecord)
    assert [(one.case, one.lane, one.facts) for one in told] == [
        (f"{HASH}/bytes={size}", "alpha@1.0:small", TOLD) for size in (16, 64)
    ]
    # After the timing and before the memory figures.
    kinds = [type(record) for record in bundle.records()]
    assert kinds.index(FactsRecord) > max(i for i, kind in enumerate(kinds) if kind is PassRecord)
    assert MemoryRecord not in kinds or kinds.index(FactsRecord) < kinds.index(MemoryRecord)
    found = cells(summary(done), f"{HASH}/bytes=16")  # type: ignore[arg-type]
    assert found["alpha@1.0:small"].facts == TOLD and found["alpha@1.0"].facts == {}
    with open_duckdb([bundle.path]) as connection:
        rows = connection.execute("SELECT key, number, text FROM facts WHERE bytes = 64 ORDER BY key").fetchall()
    assert rows == [("leak", None, "exponent bits by branch"), ("mul", 12, None), ("table_bytes", 4096, None)]
    assert "exponent bits by branch" in cli("export", "--as", "csv").out


def test_no_process_is_started_for_a_worker_without_facts(cli: CommandLine, tmp_path: Path) -> None:
    silent = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    told = write_worker(tmp_path, "beta", {HASH: cost(1000)}, facts={HASH: {"default": TOLD}, MAC: {"default": TOLD}})
    assert ask(cli, silent, told).code == 0  # type: ignore[attr-defined]
    # A process a pass of each, another a pass of the base library for its A/A lane, and its scout; and one for the facts of both cells.
    passes = {record.index for record in records(newest(cli.runs), PassRecord)}
    assert starts(told) - starts(silent) == 1 - len(passes) - 1


def test_a_worker_that_breaks_over_its_facts_keeps_its_figures(cli: CommandLine, tmp_path: Path) -> None:
    """A worker that broke is started again for the cell behind; `times` counts within a process, so it breaks over that one too."""
    beta = write_worker(tmp_path, "beta", {HASH: cost(1000)})
    workers: dict[str, Path] = {}
    for fault in ("segv", "garbage", "refused", "hangup", "wrongfacts"):
        faults = [{"at": "facts", "do": {"hangup": "exit", "wrongfacts": "missing"}.get(fault, fault), "times": 1}]
        told = {HASH: {"default": TOLD}}
        workers[fault] = write_worker(tmp_path, fault, {HASH: cost(1000)}, facts=told, faults=faults)
    done = ask(cli, beta, *workers.values(), base="beta")
    assert done.code == 0, done.err  # type: ignore[attr-defined]
    for size in (16, 64):
        found = cells(summary(done), f"{HASH}/bytes={size}")  # type: ignore[arg-type]
        assert len(found) == 7 and all(one.ns is not None for one in found.values())
    told_of = [(one.lane, one.case) for one in records(newest(cli.runs), FactsRecord)]
    assert told_of == [("refused@1.0", f"{HASH}/bytes=64")]
    passes = {record.index for record in records(newest(cli.runs), PassRecord)}
    for fault, worker in workers.items():
        assert starts(worker) == 1 + len(passes) + (1 if fault == "refused" else 2), fault


def test_a_resumed_run_asks_only_for_what_it_does_not_have(cli: CommandLine, tmp_path: Path) -> None:
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, facts={HASH: {"default": TOLD}}, log=True)
    assert ask(cli, alpha).code == 0  # type: ignore[attr-defined]
    bundle = newest(cli.runs)
    # As it would be had the run been killed behind the first of its two facts.
    reopened = _unsealed(bundle.path)
    log = alpha.parent / "requests.log"
    log.write_text("")
    done = cli.measure("--resume", "latest", "--no-memory", "--worker", alpha)
    assert done.code == 0, done.err
    assert reopened and log.read_text().count(" facts ") == 1
    told = records(newest(cli.runs), FactsRecord)
    assert [one.case for one in told] == [f"{HASH}/bytes={size}" for size in (16, 64)]


def _unsealed(path: Path) -> bool:
    """Takes a finished bundle back to the moment before its last record."""
    import gzip

    lines = gzip.decompress((path / "journal.jsonl.gz").read_bytes()).splitlines(keepends=True)
    last = max(index for index, line in enumerate(lines) if b'"type":"facts"' in line)
    (path / "journal.jsonl").write_bytes(b"".join(lines[:last]))
    for file in (*path.glob("*.parquet"), path / "journal.jsonl.gz", path / "SHA256SUMS"):
        file.unlink()
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps({**manifest, "status": "interrupted"}))
    return True


def test_an_older_worker_has_no_facts(tmp_path: Path) -> None:
    """It answers `unknown-verb`; that is no error."""
    program = (
        "import sys, json\n"
        "for line in sys.stdin:\n"
        "    seq, verb = line.split()[:2]\n"
        "    reply = {'ok': True} if verb in ('prepare', 'bye') else {'ok': False, 'error': 'unknown-verb', 'detail': ''}\n"
        "    print(json.dumps({'seq': int(seq), **reply}), flush=True)\n"
        "    if verb == 'bye': break\n"
    )
    script = tmp_path / "old.py"
    script.write_text(program)
    import sys

    with WorkerProcess([sys.executable, str(script)]) as worker:
        worker.prepare(0, HASH, "default", {"msg": "hex:"})
        assert worker.facts(0) == {}
