# SPDX-License-Identifier: Apache-2.0
"""The machines that programs are made for: this one, or another one under emulation, with its own compiler and its own C library; boards without a system with what stands in for one (`labs/footprint/board`)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.targets import NATIVE_CXX, TARGETS, Board, Target, chosen_targets, toolchain_for
from cipherstone.build.toolchain import Toolchain, has_cxx_library, program_version
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import BuildError, UsageError
from cipherstone.operations.certificates import NOW

# Whether sections stand apart is a step's choice.
_STEPS = ("-ffunction-sections", "-fdata-sections")


class TargetMachine(msgspec.Struct, frozen=True):
    """`id`: of the target, "" for this machine. `flags`: that its compiler needs; `strip`, `linker`: of its binutils; `emulator`: the words before a program, none where it runs as it is; `target`, `board`: of one without a system."""

    id: str = ""
    flags: tuple[str, ...] = ()
    strip: str = "strip"
    linker: str = "ld"
    emulator: tuple[str, ...] = ()
    target: Target | None = None

    @property
    def board(self) -> Board | None:
        """None where there is an operating system."""
        return self.target.board if self.target is not None else None

    def command(self, program: Path, environment: Mapping[str, str] | None = None) -> tuple[list[str], dict[str, str]]:
        """(words, environment) with which the program runs; an emulator hands the environment on and sees nothing of it."""
        given = dict(environment or {})
        if self.target is not None:
            words = self.target.words(self.target.emulator, str(program))
            carry = data_root() / "labs" / "footprint" / "carry.py"
            return [sys.executable, "-I", "-S", str(carry), str(NOW), *words, "--"], given
        if not self.emulator:
            return [str(program)], given
        handed = [word for name, text in given.items() for word in ("-E", f"{name}={text}")]
        return [*self.emulator, *handed, str(program)], {}


def machines(names: Sequence[str], workshop: Workshop) -> list[tuple[TargetMachine, Workshop]]:
    """Those that are named, each with its workshop; this one if none is. Raises UsageError, and BuildError for one that is not here."""
    if not names:
        return [(TargetMachine(), workshop)]
    return [_machine(target, workshop) for target in chosen_targets(names)]


def cxx_problem(machine: TargetMachine, toolchain: Toolchain) -> str:
    """One line if there is no compiler of C++ with its library for a machine, with what to install; "" if there is."""
    target = TARGETS.get(machine.id)
    package = target.cxx_package if target is not None else NATIVE_CXX
    if toolchain.cxx_version is None:
        return f"no compiler '{toolchain.cxx}', which its build needs (on Debian: apt-get install {package})"
    if not has_cxx_library(toolchain.cxx, machine.flags):
        return f"'{toolchain.cxx}' has no library of C++, which its build needs (on Debian: apt-get install {package})"
    return ""


def _machine(target: Target, workshop: Workshop) -> tuple[TargetMachine, Workshop]:
    if target.is_masked and (target.lacks or target.is_native):
        raise UsageError(
            f"--on: '{target.id}': its programs would run on a processor that has what it lacks",
            f"`cipherstone count` counts on it; here --on {target.plain} is the same",
        )
    own = msgspec.structs.replace(workshop, toolchain=toolchain_for(target, workshop.toolchain))
    if target.is_native:
        return TargetMachine(target.id, target.native), own
    if program_version(target.emulator) is None:
        raise BuildError(f"{target.id}: no emulator '{target.emulator}'", target.said)
    if target.board is not None:
        flags = tuple(word for word in target.flags if word not in _STEPS)
        return TargetMachine(target.id, flags, f"{target.prefix}strip", f"{target.prefix}ld", target=target), own
    root = Path("/usr") / target.prefix.rstrip("-")
    if not (root / "lib").is_dir():
        raise BuildError(f"{target.id}: no C library in {root}", target.said)
    emulator = (target.emulator, "-cpu", target.processor, "-L", str(root))
    return TargetMachine(target.id, target.flags, f"{target.prefix}strip", f"{target.prefix}ld", emulator), own
