# SPDX-License-Identifier: Apache-2.0
"""What is emptied out of caches, and how much is walked through for it: segments that can be read and no others, also where the processor has one instruction for it only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sdk_build import COMPILER, SDK, compile_c

MIB = 1 << 20
# Twice the second cache, 4 MiB at least and 32 at most; 4 where the system does not know; none without memory.
WALKS = (*[4 * MIB] * 5, 4 * MIB + 2, 16 * MIB, *[32 * MIB] * 3, -1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="segments are listed on Linux")
def test_segments_that_can_be_read_are_emptied(tmp_path: Path) -> None:
    target, source = tmp_path / "evict", Path(__file__).with_name("evicts.c")
    compile_c(COMPILER, "-I", str(SDK / "include"), "-I", str(SDK / "src"), str(source), "-o", str(target))
    done = subprocess.run([str(target)], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["65536 in 1 65536 0 0 0", "emptied", " ".join(map(str, WALKS))]
