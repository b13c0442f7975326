# SPDX-License-Identifier: Apache-2.0
"""The folder of a run is deleted or renamed while the run writes it: said at the next record, and nothing is called safe that is not."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, cost, gone, interrupt_when, write_worker

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

import store_example as example

from cipherstone.model.errors import StoreError
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import NoiseRecord
from cipherstone.store import Bundle, BundleWriter

RECORD = NoiseRecord(0, 0.0, 0.0)
# Each of them writes: none may say that something is safe which is gone.
WRITES: dict[str, Callable[[BundleWriter], None]] = {
    "append": lambda writer: writer.append(RECORD),
    "amend": lambda writer: writer.amend(ipc_reference=4.0),
    "set_status": lambda writer: writer.set_status(RunStatus.INTERRUPTED, 1.0),
    "finish": lambda writer: writer.finish({}),
}


def records_at(write: str) -> str:
    """A record that was measured is written before its place is looked at."""
    return "4 records" if write == "append" else "3 records"


def begun(root: Path) -> BundleWriter:
    writer = BundleWriter.create(root, example.manifest())
    for _ in range(3):
        writer.append(RECORD)
    return writer


@pytest.mark.parametrize("write", WRITES)
def test_a_deleted_folder_is_noticed_and_nothing_is_called_safe(tmp_path: Path, write: str) -> None:
    with begun(tmp_path / "runs") as writer:
        shutil.rmtree(writer.path)
        with pytest.raises(StoreError) as error:
            WRITES[write](writer)
    said = f"{error.value.message} {error.value.hint}"
    assert "deleted while the run was writing it" in said and records_at(write) in said and str(writer.path) in said
    assert "safe" not in said and "resume" not in said and "\n" not in said
    assert not writer.path.exists()


@pytest.mark.parametrize("write", WRITES)
def test_a_renamed_folder_is_noticed_and_its_new_name_is_told(tmp_path: Path, write: str) -> None:
    moved = tmp_path / "else where"
    with begun(tmp_path / "runs") as writer:
        writer.path.rename(moved)
        with pytest.raises(StoreError) as error:
            WRITES[write](writer)
    assert "renamed while the run was writing it" in error.value.message
    assert records_at(write) in error.value.hint and f"--resume '{moved}'" in error.value.hint
    assert not writer.path.exists()
    with BundleWriter.resume(moved) as again:  # what the hint says is so
        again.append(RECORD)
    assert len(list(Bundle.open(moved).records())) == 4 + (write == "append")


def test_a_folder_that_another_one_has_taken_the_place_of(tmp_path: Path) -> None:
    with begun(tmp_path / "runs") as writer:
        writer.path.rename(tmp_path / "before")
        shutil.copytree(tmp_path / "before", writer.path)
        with pytest.raises(StoreError, match="renamed while the run was writing it"):
            writer.append(RECORD)
    assert len(list(Bundle.open(writer.path).records())) == 3


def test_a_run_whose_folder_goes_ends_at_the_next_record(cli: CommandLine, tmp_path: Path) -> None:
    worker = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, sleep_s=0.02)
    words = ["run", "--no-memory", "--max-time", "none", "--op", HASH, "--size", "16,64,256,1024", "--base", "alpha"]
    process = cli.start(*words, "--worker", worker, "--cache", cli.cache)

    def measures() -> bool:
        return any(b'"type":"pass"' in path.read_bytes() for path in cli.runs.glob("*/journal.jsonl"))

    interrupt_when(process, measures, 0)
    shutil.rmtree(cli.runs)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 1 and out == "" and "Traceback" not in err
    (line,) = [text for text in err.splitlines() if "error:" in text]
    assert "deleted while the run was writing it" in line
    assert "safe" not in err and gone(tmp_path) == [] and not cli.runs.exists()


def test_the_resume_hint_names_the_folder(tmp_path: Path) -> None:
    with begun(tmp_path / "my runs") as writer:
        pass
    (warning,) = Bundle.open(writer.path).warnings
    assert f"`cipherstone run --resume '{writer.path}'`" in warning


def test_a_hint_of_a_full_disk_names_the_folder(tmp_path: Path) -> None:
    writer = begun(tmp_path / "runs")
    with writer, pytest.raises(StoreError) as error:
        (writer.path / "manifest.json.tmp").mkdir()  # whatever keeps the manifest from being written
        writer.set_status(RunStatus.INTERRUPTED, 1.0)
    assert "3 records" in error.value.hint and f"--resume {writer.path}" in error.value.hint
    assert json.loads((writer.path / "manifest.json").read_text())["status"] == "running"
