# SPDX-License-Identifier: Apache-2.0
"""AES by instructions: proven by the published vectors on this processor and, under emulation, on Armv8; without the instructions it says so."""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from scripts import ROOT

from cipherstone.build.installed import find_installation
from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workers import C_STANDARD, WARNINGS, WorkerJob, build_worker
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import Library, load_library
from cipherstone.catalogue.vectors import Vector
from cipherstone.cli.check import vectors_of
from cipherstone.execute.check import check_everything
from cipherstone.execute.survey import Found, survey
from cipherstone.labs.instructions.emulated import CROSS, found_elsewhere
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import ProofRecord
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess

TOOLCHAIN = find_toolchain()
CATALOGUE = load_catalogue(ROOT)
LAB = "own-aes"
OPERATIONS = {f"aes-{bits}-cbc/{verb}" for bits in (128, 192, 256) for verb in ("encrypt", "decrypt")}
KNOWN = {"x86_64": "x86-64", "aarch64": "aarch64", "arm64": "aarch64"}
pytestmark = pytest.mark.skipif(platform.machine() not in KNOWN, reason=f"no code for {platform.machine()}")


def laboratory() -> Library:
    return load_library(ROOT / "labs" / LAB, CATALOGUE)


def workshop(cache: Path) -> Workshop:
    return Workshop(ROOT, cache, TOOLCHAIN, this_system())


@functools.cache
def vectors(algorithm: str) -> tuple[Vector, ...]:
    return vectors_of(ROOT, algorithm)


def proofs(found: Found) -> list[ProofRecord]:
    return list(check_everything([found], CATALOGUE, vectors))


def is_proven(records: list[ProofRecord]) -> None:
    """Both lanes of every operation, with a kept key and with a fresh one for every call."""
    assert {(r.operation.partition("/key")[0], r.lane.partition(":")[2]) for r in records} == {
        (operation, lane) for operation in OPERATIONS for lane in ("", "oneshot")
    }
    assert {f"{r.lane} {r.operation}": r.failures for r in records if r.outcome is not Outcome.OK} == {}
    assert all(r.accepted >= 10 and r.oracle >= 1 for r in records if "key=fresh" not in r.operation)


@pytest.fixture(scope="module")
def native(worker_cache: Path) -> Found:
    (found,) = survey(workshop(worker_cache), {LAB: laboratory()})
    assert found.status == "ready", found.problem
    return found


def test_it_is_proven_here(native: Found) -> None:
    if any(row.status != "ok" for row in native.listed if row.op != "harness/empty"):
        pytest.skip("this processor has no AES instructions")
    is_proven(proofs(native))


def test_it_is_proven_for_armv8(worker_cache: Path) -> None:
    cross = CROSS["aarch64"]
    if KNOWN[platform.machine()] != "aarch64" and not all(map(shutil.which, (cross.compiler, cross.emulator))):
        pytest.skip(f"no {cross.compiler} and {cross.emulator}")
    is_proven(proofs(found_elsewhere(workshop(worker_cache), "aarch64", laboratory())))


def test_a_processor_without_the_instructions_says_so(worker_cache: Path) -> None:
    """An emulated processor of 2006."""
    emulator = shutil.which("qemu-x86_64")
    if KNOWN[platform.machine()] != "x86-64" or emulator is None:
        pytest.skip("no qemu-x86_64, or another machine")
    library = laboratory()
    installation = find_installation(library, TOOLCHAIN, this_system(), library.builds[0])
    path = build_worker(WorkerJob(library, installation, TOOLCHAIN, ROOT, worker_cache, library.builds[0])).path
    with WorkerProcess((emulator, "-cpu", "Conroe", str(path)), patience=10.0) as process:
        process.hello()
        rows = [row for row in process.operations() if row.op in OPERATIONS]
        assert {(row.status, row.reason) for row in rows} == {("unavailable", "the processor has no AES instructions")}
        with pytest.raises(Refusal) as refusal:
            process.prepare(
                0, "aes-128-cbc/encrypt", "default", {"key": "gen:1:16", "iv": "gen:2:16", "msg": "gen:3:16"}
            )
        assert refusal.value.code == "unavailable"


@pytest.mark.parametrize("compiler", ["gcc", "clang", "aarch64-linux-gnu-gcc"])
def test_it_compiles_without_a_warning(compiler: str, tmp_path: Path) -> None:
    """On its own, as an adapter's files are compiled; where a compiler offers no such instructions, the rows say so."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    folder = ROOT / "labs" / LAB
    flags = [*C_STANDARD, *WARNINGS, "-Wpedantic", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Werror", "-O2"]
    for source in sorted(folder.glob("*.c")):
        command = [compiler, *flags, "-I", str(ROOT / "sdk/c/include"), '-DCS_PACKAGE_VERSION="1.0"', "-c", str(source)]
        done = subprocess.run([*command, "-o", str(tmp_path / "x.o")], capture_output=True, text=True, check=False)
        assert done.stderr == ""
