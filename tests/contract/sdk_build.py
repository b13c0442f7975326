# SPDX-License-Identifier: Apache-2.0
"""Compiles programs with the C SDK for the tests of this folder and of tests/sdk."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SDK = ROOT / "sdk" / "c"
COMPILER = os.environ.get("CC", "cc")
INCLUDES = ("-I", str(SDK / "include"), "-I", str(SDK / "src"))
OBJECTS = ROOT / "build" / "test-objects"
CROSS_COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
FLAGS = "-std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror".split()


def compile_c(compiler: str, *arguments: str) -> None:
    """Warnings are errors; a failure shows the compiler's own message."""
    result = subprocess.run([compiler, *FLAGS, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def link_with_sdk(compiler: str, source: Path, target: Path, *flags: str) -> Path:
    """One executable of `source` and the SDK; it may include the SDK's private header. What is compiled of the SDK is kept by content, for every test that has the same flags."""
    objects = [str(sdk_object(compiler, path, flags)) for path in sorted((SDK / "src").glob("*.c"))]
    compile_c(compiler, *flags, *INCLUDES, *objects, str(source), "-o", str(target), "-lpthread", "-ldl")
    return target


def sdk_object(compiler: str, source: Path, flags: tuple[str, ...]) -> Path:
    """A source of the SDK as it is compiled with these flags; those of the linker change nothing of it."""
    own = [flag for flag in flags if flag != "-static" and not flag.startswith(("-Wl,", "-l", "-L"))]
    tool = Path(shutil.which(compiler) or compiler).resolve()
    headers = sorted((*(SDK / "include").rglob("*.h"), *(SDK / "src").glob("*.h")))
    key = hashlib.sha256(repr((str(tool), tool.stat().st_mtime_ns, FLAGS, own)).encode())
    for path in (source, *headers):
        key.update(path.name.encode() + b"\0" + path.read_bytes())
    found = OBJECTS / f"{source.stem}-{key.hexdigest()[:24]}.o"
    if not found.exists():
        OBJECTS.mkdir(parents=True, exist_ok=True)
        fresh = OBJECTS / f"{found.name}.{os.getpid()}"
        compile_c(compiler, *own, *INCLUDES, "-c", str(source), "-o", str(fresh))
        fresh.replace(found)
    return found


def need_cross_compiler() -> str:
    """The AArch64 compiler. Without it or the emulator the test is skipped; CS_REQUIRE_AARCH64=1 makes that a failure."""
    missing = [tool for tool in (CROSS_COMPILER, EMULATOR) if shutil.which(tool) is None]
    if missing:
        reason = f"not installed: {', '.join(missing)}"
        if os.environ.get("CS_REQUIRE_AARCH64") == "1":
            pytest.fail(f"CS_REQUIRE_AARCH64=1 and {reason}")
        pytest.skip(reason)
    return CROSS_COMPILER
