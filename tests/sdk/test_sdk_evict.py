# SPDX-License-Identifier: Apache-2.0
"""What is emptied out of caches, and how much is walked through for it: segments that can be read and no others, also where the processor has one instruction for it only."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest
from sdk_build import COMPILER, SDK, compile_c

MIB = 1 << 20
# Twice the second cache, 4 MiB at least and 32 at most; 4 where the system does not know; none without memory.
WALKS = (*[4 * MIB] * 5, 4 * MIB + 2, 16 * MIB, *[32 * MIB] * 3, -1)


# Pages that the kernel has: all of them, twice; some; none; none, by a table that says nothing. Each time the table is closed again.
SURVEYS = ["1+36864 49152+12288c 0"] * 2 + [
    "4096+8192 36864+1 49152+4096c 57344+4096c 0",
    "0",
    "1+36864 49152+12288c 0",
]
# With the older instruction and the newer one every line that holds one of the bytes, and no other; x86 without either feature, with all others, with this one.
REACHED = ".xx..xxx...xx"
REACHES = f"0 {REACHED}0 0 1 {REACHED}" if platform.machine() in ("x86_64", "i686") else ""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="segments are listed on Linux")
def test_segments_that_can_be_read_are_emptied(tmp_path: Path) -> None:
    target, source = tmp_path / "evict", Path(__file__).with_name("evicts.c")
    compile_c(COMPILER, "-I", str(SDK / "include"), "-I", str(SDK / "src"), str(source), "-o", str(target))
    done = subprocess.run([str(target)], capture_output=True, text=True, timeout=60, check=True)
    walks = " ".join(map(str, WALKS))
    assert done.stdout.splitlines() == ["65536 in 1 65536 0 0 0", *SURVEYS, REACHES, "4096", walks]
