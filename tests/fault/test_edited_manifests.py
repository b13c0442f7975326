# SPDX-License-Identifier: Apache-2.0
"""A manifest that was edited before it is resumed: what no run can be asked is one line, and nothing is begun."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from scripts import HASH, CommandLine, cost, interrupt_when, newest, write_worker

SETTINGS: list[dict[str, Any]] = [
    {"cpu": -1},
    {"cpu": 1 << 62},
    {"cpu": 60_000},
    {"target": -1.0},
    {"batch_us": 1e308},
    {"batch_us": -5.0},
    {"rounds": 1 << 62},
    {"batches_per_turn": -1},
    {"min_passes": 1 << 40},
    {"longest_pass": 1e300},
    {"jitter": 2.0},
    {"clean_threshold": 97.0},
    {"processes": 1 << 50},
    {"max_time_s": -1.0},
    {"breadth_share": 1e9},
    {"wait_us": 1e300},
]


@pytest.fixture(scope="module")
def unfinished(new_cli: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Path]:
    """A run of one case that was interrupted, and its worker."""
    cli: CommandLine = new_cli("edited")
    worker = write_worker(tmp_path_factory.mktemp("edited"), "alpha", {HASH: cost(1000)}, sleep_s=0.01)
    words = ("run", "--no-memory", "--max-time", "none", "--passes", 6, "--op", HASH, "--size", 16)
    process = cli.start(*words, "--base", "alpha", "--worker", worker, "--cache", cli.cache)
    interrupt_when(process, lambda: bool([*cli.runs.glob("*/manifest.json")]), signal.SIGINT)
    process.communicate(timeout=300)
    return cli, worker


def refused(unfinished: tuple[CommandLine, Path], edited: dict[str, Any]) -> str:
    """What resuming says of this manifest, which is put back afterwards."""
    cli, worker = unfinished
    run = newest(cli.runs).path
    manifest = run / "manifest.json"
    before = manifest.read_bytes()
    try:
        manifest.write_bytes(msgspec.json.encode(edited))
        done = cli("run", "--resume", run, "--worker", worker, "--cache", cli.cache, timeout_s=120).no_trace()
    finally:
        manifest.write_bytes(before)
    assert done.code in (1, 2) and done.err.count("error: ") == 1, done.err
    return str(done.err)


@pytest.mark.parametrize("changed", SETTINGS, ids=str)
def test_settings_that_no_run_has(unfinished: tuple[CommandLine, Path], changed: dict[str, Any]) -> None:
    manifest = msgspec.json.decode((newest(unfinished[0].runs).path / "manifest.json").read_bytes())
    manifest["settings"] |= changed
    said = refused(unfinished, manifest)
    (name,) = changed
    assert name in said or "this process may use" in said


def test_messages_that_no_memory_holds(unfinished: tuple[CommandLine, Path]) -> None:
    manifest = msgspec.json.decode((newest(unfinished[0].runs).path / "manifest.json").read_bytes())
    for planned in manifest["plan"]:
        planned["case"] = planned["case"].replace("bytes=16", "bytes=99999999999")
    said = refused(unfinished, manifest)
    assert "bytes=99999999999: messages of 93.1 GiB" in said and "do not fit the memory of this machine" in said
