# SPDX-License-Identifier: Apache-2.0
"""The toy workers: C, C with sanitizers, C with nothing but POSIX, C for AArch64 under emulation, Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sdk_build import COMPILER, EMULATOR, ROOT, SDK, link_with_sdk, need_cross_compiler

TOY = SDK / "tests" / "toy_adapter.c"


@pytest.fixture(scope="session")
def c_toy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return [str(link_with_sdk(COMPILER, TOY, tmp_path_factory.mktemp("toy") / "cs-toy"))]


@pytest.fixture(scope="session")
def sanitized_toy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The C toy worker with the address and undefined-behaviour sanitizers, where the compiler has them."""
    flag = "-fsanitize=address,undefined"
    folder = tmp_path_factory.mktemp("sanitized")
    (folder / "try.c").write_text("int main(void) { return 0; }\n")
    trial = [COMPILER, flag, str(folder / "try.c"), "-o", str(folder / "try")]
    if subprocess.run(trial, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{COMPILER} has no {flag}")
    return [str(link_with_sdk(COMPILER, TOY, folder / "cs-toy", flag, "-fno-sanitize-recover=all"))]


@pytest.fixture(scope="session")
def posix_toy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The C toy worker as on a system that has none of the extensions: every fallback of the SDK."""
    return [str(link_with_sdk(COMPILER, TOY, tmp_path_factory.mktemp("posix") / "cs-toy", "-DCS_POSIX_ONLY"))]


@pytest.fixture(scope="session")
def python_toy() -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("toy_worker.py"))]


@pytest.fixture(scope="session")
def aarch64_toy(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    target = tmp_path_factory.mktemp("toy64") / "cs-toy"
    return [EMULATOR, str(link_with_sdk(need_cross_compiler(), TOY, target, "-static"))]


@pytest.fixture(params=["c", "sanitized", "posix", "python", "aarch64"])
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
