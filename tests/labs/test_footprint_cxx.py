# SPDX-License-Identifier: Apache-2.0
"""Ladders of libraries in C++: a compiler of it that is missing, or has no library, is one line before anything is fetched."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, CommandLine

from cipherstone.build.systems import this_system
from cipherstone.build.targets import TARGETS
from cipherstone.build.toolchain import find_toolchain, has_cxx_library
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.labs.footprint.ladder import load_ladders
from cipherstone.labs.footprint.machine import TargetMachine, cxx_problem
from cipherstone.labs.footprint.program import problem_of

TOOLCHAIN = find_toolchain()
WITHOUT = msgspec.structs.replace(TOOLCHAIN, cxx="lacking-g++", cxx_version=None)
LADDERS = load_ladders(ROOT, load_libraries(ROOT))
OF_CXX = ("aws-lc", "boringssl", "botan", "nss", "s2n")


@pytest.mark.parametrize("library", LADDERS)
def test_a_missing_compiler_of_cxx_is_told_beforehand(library: str, tmp_path: Path) -> None:
    ladder, workshop = LADDERS[library], Workshop(ROOT, tmp_path, WITHOUT, this_system())
    told = problem_of(ladder, ladder.steps[0], TargetMachine(), workshop)
    expected = "no compiler 'lacking-g++', which its build needs (on Debian: apt-get install g++)"
    assert (told == expected) == (library in OF_CXX) and "lacking" not in told.replace(expected, "")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("target", "package"),
    [
        ("cortex-m0plus", "libstdc++-arm-none-eabi-newlib"),
        ("armv7a", "g++-arm-linux-gnueabihf"),
        ("riscv64", "g++-riscv64-linux-gnu"),
    ],
)
def test_on_another_machine_its_own_package_is_named(target: str, package: str) -> None:
    if TARGETS[target].is_native:
        pytest.skip("this machine is one of that kind")
    assert cxx_problem(TargetMachine(target), WITHOUT).endswith(f"(on Debian: apt-get install {package})")


@pytest.mark.skipif(TOOLCHAIN.cxx_version is None, reason="no compiler of C++")
def test_a_compiler_without_its_library_is_told(tmp_path: Path) -> None:
    """As Debian's for a Cortex-M is, whose library is a package of its own."""
    bare = tmp_path / "bare-g++"
    bare.write_text(f'#!/bin/sh\nexec {shutil.which(TOOLCHAIN.cxx)} -nostdinc++ "$@"\n')
    bare.chmod(0o755)
    assert has_cxx_library(TOOLCHAIN.cxx) and not has_cxx_library(str(bare))
    told = cxx_problem(TargetMachine(), msgspec.structs.replace(TOOLCHAIN, cxx=str(bare)))
    assert told == f"'{bare}' has no library of C++, which its build needs (on Debian: apt-get install g++)"


def test_the_command_ends_with_that_line(new_cli: Callable[..., CommandLine], tmp_path: Path) -> None:
    command = new_cli("footprint", ROOT, CXX="lacking-g++")
    words = ("-l", "aws-lc", "-p", "sha256", "--step", "smallest", "--cache", tmp_path / "cache")
    done = command("footprint", *words).no_trace()
    assert done.code == 1
    assert "aws-lc sha256 smallest: unbuilt: no compiler 'lacking-g++', which its build needs" in done.err
