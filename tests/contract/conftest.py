# SPDX-License-Identifier: Apache-2.0
"""The toy workers: C, C for AArch64 under emulation, Python. CS_REQUIRE_AARCH64=1 makes a missing emulator a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SDK = ROOT / "sdk" / "c"
FLAGS = "-std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror".split()
CROSS_COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"


def build(compiler: str, target: Path, *extra: str) -> Path:
    """Compiles the SDK and the toy library into `target`; warnings are errors."""
    sources = [str(path) for path in sorted((SDK / "src").glob("*.c"))]
    toy = str(SDK / "tests" / "toy_adapter.c")
    command = [compiler, *FLAGS, *extra, "-I", str(SDK / "include"), *sources, toy, "-o", str(target), "-lpthread"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return target


@pytest.fixture(scope="session")
def c_toy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return [str(build(os.environ.get("CC", "cc"), tmp_path_factory.mktemp("toy") / "cs-toy"))]


@pytest.fixture(scope="session")
def sanitized_toy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The C toy worker with the address and undefined-behaviour sanitizers, where the compiler has them."""
    compiler, flag = os.environ.get("CC", "cc"), "-fsanitize=address,undefined"
    folder = tmp_path_factory.mktemp("sanitized")
    (folder / "try.c").write_text("int main(void) { return 0; }\n")
    trial = [compiler, flag, str(folder / "try.c"), "-o", str(folder / "try")]
    if subprocess.run(trial, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{compiler} has no {flag}")
    return [str(build(compiler, folder / "cs-toy", flag, "-fno-sanitize-recover=all"))]


@pytest.fixture(scope="session")
def python_toy() -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("toy_worker.py"))]


@pytest.fixture(scope="session")
def aarch64_toy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    missing = [tool for tool in (CROSS_COMPILER, EMULATOR) if shutil.which(tool) is None]
    if missing:
        reason = f"not installed: {', '.join(missing)}"
        if os.environ.get("CS_REQUIRE_AARCH64") == "1":
            pytest.fail(f"CS_REQUIRE_AARCH64=1 and {reason}")
        pytest.skip(reason)
    return [EMULATOR, str(build(CROSS_COMPILER, tmp_path_factory.mktemp("toy64") / "cs-toy", "-static"))]


@pytest.fixture(params=["c", "sanitized", "python", "aarch64"])
def worker(request: pytest.FixtureRequest) -> list[str]:
    """The command of each toy worker in turn."""
    command: list[str] = request.getfixturevalue(f"{request.param}_toy")
    return command


@pytest.fixture(scope="session")
def requests() -> list[bytes]:
    """Every request of the transcripts, but `bye`."""
    lines: list[bytes] = []
    for path in sorted((ROOT / "protocol" / "transcripts").glob("*.txt")):
        lines += [line[2:] for line in path.read_bytes().splitlines() if line.startswith(b"> ")]
    return [line for line in lines if b"bye" not in line]
