# SPDX-License-Identifier: Apache-2.0
"""The counter of the heap that is linked in: exact to the byte that was asked for, through any order of growing and freeing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cipherstone.build.heap_counting import twin_words
from cipherstone.build.toolchain import find_toolchain
from cipherstone.catalogue.paths import data_root


@pytest.mark.parametrize("hosted", [True, False])
def test_what_is_live_is_what_was_asked_for_and_not_freed(tmp_path: Path, hosted: bool) -> None:
    toolchain, source = find_toolchain(), Path(__file__).with_name("heap_wrap_check.c")
    words = twin_words(toolchain, data_root(), tmp_path, (), hosted)
    program = tmp_path / "check"
    subprocess.run([toolchain.cc, "-std=c11", "-O1", "-static", source, *words, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 1\n")
