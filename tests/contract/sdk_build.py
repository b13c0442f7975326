# SPDX-License-Identifier: Apache-2.0
"""Compiles programs with the C SDK for the tests of this folder and of tests/sdk."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SDK = ROOT / "sdk" / "c"
COMPILER = os.environ.get("CC", "cc")
CROSS_COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
FLAGS = "-std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror".split()


def compile_c(compiler: str, *arguments: str) -> None:
    """Warnings are errors; a failure shows the compiler's own message."""
    result = subprocess.run([compiler, *FLAGS, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def link_with_sdk(compiler: str, source: Path, target: Path, *flags: str) -> Path:
    """One executable of `source` and the SDK; it may include the SDK's private header."""
    sources = [str(path) for path in sorted((SDK / "src").glob("*.c"))]
    includes = ["-I", str(SDK / "include"), "-I", str(SDK / "src")]
    compile_c(compiler, *flags, *includes, *sources, str(source), "-o", str(target), "-lpthread", "-ldl")
    return target


def need_cross_compiler() -> str:
    """The AArch64 compiler. Without it or the emulator the test is skipped; CS_REQUIRE_AARCH64=1 makes that a failure."""
    missing = [tool for tool in (CROSS_COMPILER, EMULATOR) if shutil.which(tool) is None]
    if missing:
        reason = f"not installed: {', '.join(missing)}"
        if os.environ.get("CS_REQUIRE_AARCH64") == "1":
            pytest.fail(f"CS_REQUIRE_AARCH64=1 and {reason}")
        pytest.skip(reason)
    return CROSS_COMPILER
