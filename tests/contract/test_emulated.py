# SPDX-License-Identifier: Apache-2.0
"""A worker of another machine is told from the machine's own, with a real emulator; so is a machine that is one, by a program that runs on it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TOY
from sdk_build import COMPILER, EMULATOR, link_with_sdk, need_cross_compiler

from cipherstone.execute.survey import _outside_worker
from cipherstone.host.emulation import emulated_machine

# What the system says runs for a program, and of the processor, as that program sees both.
SEEN = r"""
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    char text[4096];
    ssize_t length = readlink("/proc/thread-self/exe", text, sizeof text - 1);
    FILE *file = fopen("/proc/cpuinfo", "r");
    printf("%.*s\n", length > 0 ? (int)length : 0, text);
    while (file != NULL && fgets(text, sizeof text, file) != NULL)
        fputs(text, stdout);
    return 0;
}
"""


def as_worker(tmp_path: Path, *words: str) -> Path:
    """A file that is a worker by itself, as binfmt makes one of a program of another machine."""
    path = tmp_path / "cs-toy"
    path.write_text(f"#!/bin/sh\nexec {' '.join(words)}\n")
    path.chmod(0o755)
    return path


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signs of Linux")
def test_a_worker_of_another_machine_is_emulated_and_ours_is_not(tmp_path: Path) -> None:
    cross = link_with_sdk(need_cross_compiler(), TOY, tmp_path / "cross", "-static")
    found = _outside_worker(as_worker(tmp_path, EMULATOR, str(cross)), 2.0)
    assert found.build is not None and found.build.emulated.startswith("qemu-aarch64")
    own = link_with_sdk(COMPILER, TOY, tmp_path / "own")
    native = _outside_worker(own, 2.0)
    assert native.build is not None and native.build.emulated == ""


def test_a_program_sees_that_its_machine_is_emulated(tmp_path: Path) -> None:
    """Whichever processor the emulator shows it."""
    compiler = need_cross_compiler()
    (tmp_path / "seen.c").write_text(SEEN)
    subprocess.run([compiler, "-static", "-o", str(tmp_path / "seen"), str(tmp_path / "seen.c")], check=True)
    told = subprocess.run([EMULATOR, str(tmp_path / "seen")], check=True, capture_output=True, text=True).stdout
    program, _, cpuinfo = told.partition("\n")
    assert emulated_machine("aarch64", cpuinfo, program, "kvm-clock").startswith("qemu-aarch64")
