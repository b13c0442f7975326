# SPDX-License-Identifier: Apache-2.0
"""The hardware counter where there is none to be had: what the system is asked for, and what is made of its answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sdk_build import COMPILER, SDK, compile_c

# PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES: cycles of this thread in user mode, on whichever CPU, all of the time.
ASKED = "type=0 size=1 config=0 kernel=1 hv=1 pinned=1 disabled=0 call=1 pid=0 cpu=-1 group=-1 flags=0"
NAME = "perf-events cpu-cycles:u"


@pytest.fixture(scope="module")
def counters(tmp_path_factory: pytest.TempPathFactory) -> str:
    if not sys.platform.startswith("linux"):
        pytest.skip("perf events are Linux's")
    target, source = str(tmp_path_factory.mktemp("counters") / "counters"), Path(__file__).with_name("counters.c")
    compile_c(COMPILER, "-I", str(SDK / "include"), "-I", str(SDK / "src"), str(source), "-o", target)
    return target


@pytest.mark.parametrize(
    ("has", "told"),
    [
        (-1, f"none 1 {ASKED} not none 2"),
        (0, f"none 1 {ASKED} not none 1"),
        (4, f"none 1 {ASKED} not none 1"),
        (8, f"{NAME} 1 {ASKED} not none 1"),
        (16, f"{NAME} 1 {ASKED} read 78 none 1"),
        (24, f"{NAME} 1 {ASKED} read 78 {NAME} 1"),
    ],
)
def test_a_counter_is_opened_once_and_tells_whole_numbers(counters: str, has: int, told: str) -> None:
    """Opening reads it: one that says nothing is none. Where the system has none it is asked again."""
    done = subprocess.run([counters, str(has)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == told + "\n"
