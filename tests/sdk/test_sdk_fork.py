# SPDX-License-Identifier: Apache-2.0
"""What the SDK says of a generator after a fork: 0 (accepted) if the child repeats its parent, 1 (rejected) if not, 2 for what went wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from sdk_build import COMPILER, SDK, compile_c


@pytest.fixture(scope="session")
def fork_program(tmp_path_factory: pytest.TempPathFactory) -> str:
    target = str(tmp_path_factory.mktemp("fork") / "fork")
    sources = [str(SDK / "src" / "fork.c"), str(Path(__file__).with_name("fork.c"))]
    compile_c(COMPILER, "-I", str(SDK / "include"), "-I", str(SDK / "src"), *sources, "-o", target)
    return target


@pytest.mark.parametrize(
    ("generator", "status", "told"),
    [
        ("repeats", 0, ""),
        ("differs", 1, ""),
        ("parent", 1, ""),
        ("child", 2, ""),
        ("dies", 2, "the child of the fork ended before it answered"),
        ("long", 2, "too many bytes for a question about a fork"),
    ],
)
def test_a_child_that_repeats_its_parent_is_found(fork_program: str, generator: str, status: int, told: str) -> None:
    done = subprocess.run([fork_program, generator], capture_output=True, text=True, timeout=600, check=True)
    assert (int(done.stdout), done.stderr.strip()) == (status, told)
