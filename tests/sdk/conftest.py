# SPDX-License-Identifier: Apache-2.0
"""Builds the test programs of this folder with the SDK."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "contract"))

from sdk_build import COMPILER, EMULATOR, SDK, compile_c, link_with_sdk, need_cross_compiler  # noqa: E402

Program = Callable[..., list[str]]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """program(source, *flags, machine="native") -> the command that runs it; each combination is built once."""
    folder = tmp_path_factory.mktemp("programs")
    made: dict[tuple[str, ...], list[str]] = {}

    def build(source: str, *flags: str, machine: str = "native") -> list[str]:
        key = (machine, source, *flags)
        if key not in made:
            target = folder / f"program{len(made)}"
            if machine == "aarch64":
                link_with_sdk(need_cross_compiler(), HERE / source, target, "-static", *flags)
                made[key] = [EMULATOR, str(target)]
            else:
                link_with_sdk(COMPILER, HERE / source, target, *flags)
                made[key] = [str(target)]
        return made[key]

    return build


@pytest.fixture(scope="session")
def odd(program: Program) -> list[str]:
    return program("odd_worker.c")


@pytest.fixture(scope="session")
def heap_preload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """libcsheap.so, which needs glibc: counts heap and random bytes."""
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("the heap counter needs glibc")
    target = tmp_path_factory.mktemp("preload") / "libcsheap.so"
    sources = [str(path) for path in sorted((SDK / "preload").glob("*.c"))]
    compile_c(COMPILER, "-shared", "-fPIC", *sources, "-o", str(target), "-ldl")
    return target
