# SPDX-License-Identifier: Apache-2.0
"""Figures that cannot be, end to end: a worker that remembers its results by their input, and a machine that is emulated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from scripts import HASH, cells, cost, options, summary, write_worker

# A program: the command line on a machine that says it is emulated.
EMULATED = """import msgspec

from cipherstone.cli.main import main
from cipherstone.execute import run

facts = run.machine_facts
run.machine_facts = lambda: msgspec.structs.replace(facts(), emulated="qemu-aarch64")
main()
"""


def test_a_worker_that_remembers_is_refused_and_not_ranked(new_cli: Any, tmp_path: Path) -> None:
    """25 ns for 16 KiB are 655 GB/s: 164 bytes a cycle. The one beside it keeps its figure; the command ends as for a wrong result."""
    cli = new_cli("remembers")
    workers = [write_worker(tmp_path, "good", {HASH: cost(10_000)}), write_worker(tmp_path, "knows", {HASH: cost(25)})]
    done = cli.measure("--base", "good", "--op", HASH, "--size", "16384", *options(*workers), timeout_s=300).no_trace()
    found = summary(done)
    refused = cells(found)["knows@1.0"]
    assert refused.ns is None and "times as fast as the bound of reading 128 bytes a cycle" in refused.refused
    assert found.cases[0].ranking == (("good@1.0",),) and cells(found)["good@1.0"].ns is not None
    assert done.code == 4 and any("knows@1.0" in warning for warning in found.warnings)


def test_an_emulated_machine_is_not_timed_unless_asked_and_then_has_no_figure(new_cli: Any, tmp_path: Path) -> None:
    cli = new_cli("emulated")
    (cli.home / "emulated.py").write_text(EMULATED)
    cli = replace(cli, module="emulated")
    worker = write_worker(tmp_path, "good", {HASH: cost(10_000)})
    words = ("--base", "good", "--op", HASH, *options(worker))
    refused = cli.measure(*words).no_trace()
    assert refused.code == 2 and not list(cli.runs.glob("2*"))
    assert "this machine is emulated by qemu-aarch64: times would be the emulator's" in refused.err
    done = cli.measure(*words, "--allow-emulated", timeout_s=300).no_trace()
    found = summary(done)
    assert found.trust == "emulated" and found.manifest.machine.emulated == "qemu-aarch64"
    told = [cell for case in found.cases for cell in case.cells]
    assert told and all(cell.ns is None and cell.refused.startswith("emulated: by qemu-aarch64") for cell in told)
    assert done.code == 1 and found.manifest.settings.allow_emulated
