# SPDX-License-Identifier: Apache-2.0
"""The C SDK compiled by `zig cc` for machines that are not here: a worker for AArch64 with musl is held against all transcripts under the emulator, and one for macOS links.

Zig is optional (`make zig`): skipped without it, unless CS_REQUIRE_ZIG=1.
"""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TOY
from sdk_build import EMULATOR, link_with_sdk, need_cross_compiler

from cipherstone.catalogue.paths import data_root
from cipherstone.worker.replay import transcripts

# Mach-O (mach-o/loader.h, mach/machine.h): 64-bit magic, ARM64, an executable.
MACH_O, CPU_ARM64, MH_EXECUTE = 0xFEEDFACF, 0x0100000C, 2


@pytest.fixture(scope="module")
def zig() -> str:
    """The command, of the environment that the tests run in."""
    if importlib.util.find_spec("ziglang") is None:
        reason = "zig is not installed: make zig"
        if os.environ.get("CS_REQUIRE_ZIG") == "1":
            pytest.fail(f"CS_REQUIRE_ZIG=1 and {reason}")
        pytest.skip(reason)
    return str(Path(sys.executable).with_name("cipherstone-zig-cc"))


def test_a_worker_with_musl_for_aarch64_is_held_against_all(zig: str, tmp_path: Path) -> None:
    need_cross_compiler()
    built = link_with_sdk(zig, TOY, tmp_path / "toy", "-target", "aarch64-linux-musl", "-static")
    worker = tmp_path / "cs-toy"
    worker.write_text(f'#!/bin/sh\nexec {EMULATOR} {built} "$@"\n')
    worker.chmod(0o755)
    command = [sys.executable, "-m", "cipherstone", "replay", str(worker), "--no-attacks", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)
    assert [row["name"] for row in rows if row["right"]] == [path.stem for path in transcripts(data_root())]


def test_a_worker_links_for_macos(zig: str, tmp_path: Path) -> None:
    built = link_with_sdk(zig, TOY, tmp_path / "cs-toy", "-target", "aarch64-macos")
    magic, cpu, _, kind = struct.unpack("<4I", built.read_bytes()[:16])
    assert (magic, cpu, kind) == (MACH_O, CPU_ARM64, MH_EXECUTE)
