# SPDX-License-Identifier: Apache-2.0
"""The machines that programs are made for: this one, or another one under emulation, with its own compiler and its own C library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.targets import TARGETS, Target, chosen_targets, toolchain_for
from cipherstone.build.toolchain import program_version
from cipherstone.fleet.workshop import Workshop
from cipherstone.model.errors import BuildError, UsageError

HOSTED = tuple(name for name, target in TARGETS.items() if target.board is None)


class Machine(msgspec.Struct, frozen=True):
    """`id`: of the target, "" for this machine. `flags`: that its compiler needs; `strip`, `linker`: of its binutils; `emulator`: the words before a program, none where it runs as it is."""

    id: str = ""
    flags: tuple[str, ...] = ()
    strip: str = "strip"
    linker: str = "ld"
    emulator: tuple[str, ...] = ()

    def command(self, program: Path, environment: Mapping[str, str] | None = None) -> tuple[list[str], dict[str, str]]:
        """(words, environment) with which the program runs; an emulator hands the environment on and sees nothing of it."""
        given = dict(environment or {})
        if not self.emulator:
            return [str(program)], given
        handed = [word for name, text in given.items() for word in ("-E", f"{name}={text}")]
        return [*self.emulator, *handed, str(program)], {}


def machines(names: Sequence[str], workshop: Workshop) -> list[tuple[Machine, Workshop]]:
    """Those that are named, each with its workshop; this one if none is. Raises UsageError, and BuildError for one that is not here."""
    if not names:
        return [(Machine(), workshop)]
    for target in chosen_targets(names):
        if target.board is not None:
            raise UsageError(
                f"--on: '{target.id}' has no operating system, and the programs need one", f"known: {', '.join(HOSTED)}"
            )
    return [_machine(target, workshop) for target in chosen_targets(names)]


def _machine(target: Target, workshop: Workshop) -> tuple[Machine, Workshop]:
    own = msgspec.structs.replace(workshop, toolchain=toolchain_for(target, workshop.toolchain))
    if target.is_native:
        return Machine(target.id, target.native), own
    if program_version(target.emulator) is None:
        raise BuildError(f"{target.id}: no emulator '{target.emulator}'", target.said)
    root = Path("/usr") / target.prefix.rstrip("-")
    if not (root / "lib").is_dir():
        raise BuildError(f"{target.id}: no C library in {root}", target.said)
    emulator = (target.emulator, "-cpu", target.processor, "-L", str(root))
    return Machine(target.id, target.flags, f"{target.prefix}strip", f"{target.prefix}ld", emulator), own
