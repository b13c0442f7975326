# SPDX-License-Identifier: Apache-2.0
"""The whole program on an AArch64 Debian under emulation: its own script installs it, that system's compiler builds workers, and a run is proven, interrupted, resumed and reported. There must be no figure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import scripts
from aarch64_debian import Debian, debian_with
from scripts import ROOT

from cipherstone.host.emulation import elf_machine
from cipherstone.model.records import ProofRecord
from cipherstone.store.bundle import Bundle

AARCH64 = 183  # by ELF
LIBRARIES = ("libsodium", "nettle")
OPERATIONS = ("sha-256/hash", "sha-512/hash", "hmac-sha-256/mac", "chacha20-poly1305/seal", "chacha20-poly1305/open", "x25519/derive", "ed25519/sign", "ed25519/verify")  # fmt: skip
CELL = ("-l", ",".join(LIBRARIES), "--base", "nettle", "--op", "sha-256/hash", "-s", "1024")
PROGRAM = "/home/source/.venv/bin/cipherstone"
# The program keeps the shell's process id, which PRoot does not change.
SHELL = ("/usr/bin/dash", "-c", 'echo $$ >/home/pid.part && mv pid.part pid && exec "$@"', "run")


@dataclass(frozen=True)
class Resumed:
    """The finished run at `path`. `interrupted`, `status` and `code`: the lines of its journal, its status and the exit code when it was interrupted."""

    path: Path
    interrupted: list[str]
    status: str
    code: int


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Debian:
    """The program is installed from a copy of this checkout, as `make` installs it."""
    lock = ROOT / "requirements.lock"
    found = debian_with(lock, tmp_path_factory.mktemp("aarch64") / "home")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in tracked.decode().rstrip("\0").split("\0"):
        if not name.startswith(("tests/", "docs/")) and (ROOT / name).is_file():
            target = found.home / "source" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    script = "cd /home/source && sh tools/environment.sh .venv requirements.lock"
    found("/usr/bin/dash", "-c", script)
    return found


@pytest.fixture(scope="module")
def resumed(debian: Debian) -> Resumed:
    """The signal comes as soon as the journal has a pass."""
    words = ("run", *CELL, "--passes", "2", "--max-time", "none", "--no-memory", "--allow-emulated", "--patience", "10")
    process = debian.start(*SHELL, PROGRAM, *words)
    runs = debian.home / "runs"
    while not any('"type":"pass"' in path.read_text() for path in runs.glob("*/journal.jsonl")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.kill(int((debian.home / "pid").read_text()), signal.SIGTERM)
    process.communicate()
    (path,) = runs.iterdir()
    lines = (path / "journal.jsonl").read_text().splitlines()
    status = json.loads((path / "manifest.json").read_text())["status"]
    # A run without a figure ends with 1.
    debian(PROGRAM, "run", "--resume", f"runs/{path.name}", "--patience", "10", code=1)
    return Resumed(path, lines, status, process.returncode)


def test_it_is_installed_and_builds_its_workers(debian: Debian) -> None:
    out, _ = debian(PROGRAM, "--version")
    assert out.startswith("cipherstone ")
    out, err = debian(PROGRAM, "list", "-l", ",".join(LIBRARIES))
    assert "Nettle: 3." in out and "libsodium: 1." in out, out
    for name in LIBRARIES:
        (worker,) = (debian.home / "cache/cipherstone/workers").glob(f"{name}-*/cs-{name}")
        assert elf_machine(worker) == AARCH64, err


def test_every_answer_is_right(debian: Debian) -> None:
    chosen = ("-l", ",".join(LIBRARIES), "--op", ",".join(OPERATIONS), "--patience", "10")
    rows = json.loads(debian(PROGRAM, "check", *chosen, "--format", "json")[0])
    assert {row["outcome"] for row in rows} == {"ok"}
    proven = {(row["lane"].partition("@")[0], row["operation"]) for row in rows}
    assert proven == {(library, operation) for library in LIBRARIES for operation in OPERATIONS}


def test_no_run_begins_without_leave(debian: Debian) -> None:
    before = {path.name for path in debian.home.glob("runs/*")}
    _, err = debian(PROGRAM, "run", *CELL, code=2)
    assert "this machine is emulated by" in err and "--allow-emulated" in err
    assert {path.name for path in debian.home.glob("runs/*")} == before


def test_a_run_is_interrupted_and_resumed(resumed: Resumed) -> None:
    assert resumed.code == 128 + signal.SIGTERM and resumed.status == "interrupted"
    bundle = Bundle.open(resumed.path)
    assert bundle.manifest.status == "finished"
    assert len(scripts.passes(bundle)) >= 2
    assert {proof.outcome.value for proof in scripts.records(bundle, ProofRecord)} == {"ok"}
    written = list(bundle.records())
    done = [json.loads(line) for line in resumed.interrupted]
    measured = {(one["case"], one["index"]) for one in done if one["type"] == "pass"}
    assert (
        measured and measured <= {(one.case, one.index) for one in scripts.passes(bundle)} and len(written) > len(done)
    )


def test_its_tables_have_no_figure_and_are_the_same_on_this_machine(debian: Debian, resumed: Resumed) -> None:
    there = json.loads(debian(PROGRAM, "show", f"runs/{resumed.path.name}", "--format", "json")[0])
    assert there["manifest"]["machine"]["architecture"] == "aarch64"
    assert there["trust"] == "emulated" and there["manifest"]["machine"]["emulated"]
    cells = [cell for case in there["cases"] for cell in case["cells"]]
    assert {cell["lane"].partition("@")[0] for cell in cells} == set(LIBRARIES)
    assert all("ns" not in cell and cell["refused"] for cell in cells)
    command = scripts.CommandLine(ROOT, debian.home, debian.home / "cache" / "cipherstone")
    assert json.loads(command("show", resumed.path, "--format", "json").no_trace().out) == there


def test_its_report_is_written(debian: Debian, resumed: Resumed) -> None:
    debian(PROGRAM, "report", f"runs/{resumed.path.name}", "-o", "report.html")
    page = (debian.home / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page and page.rstrip().endswith("</html>")
    assert '"trust emulated"' in page
