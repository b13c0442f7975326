# SPDX-License-Identifier: Apache-2.0
"""Builds the programs of a step: upstream's source by its own build system, then one program linked with it, both kept under a name made of all that goes in."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.sources import Announce
from cipherstone.build.targets import Board
from cipherstone.build.toolchain import Toolchain, run_tool
from cipherstone.build.upstream import build_problem, prefix_of, prepare
from cipherstone.build.workshop import Workshop
from cipherstone.labs.footprint.ladder import Ladder, Step, program_file
from cipherstone.labs.footprint.machine import TargetMachine, cxx_problem
from cipherstone.model.errors import BuildError

PROGRAM, WHOLE, MAP = "program", "program.whole", "program.map"
BOARD = "labs/footprint/board"
_STANDARD = ("-std=c11", "-D_GNU_SOURCE", "-g0")
_STANDARD_CXX = ("-std=c++20", *_STANDARD[1:])
_OF_A_SYSTEM = ("-lpthread", "-ldl")  # a board's C library has neither


class Built(msgspec.Struct, frozen=True):
    """A program of a step. `program`: stripped, which is what is proven and measured; `whole`: the same with its symbols; `map`: what the linker told; `archives`: of the library."""

    program: Path
    whole: Path
    map: Path
    archives: tuple[Path, ...]


def problem_of(ladder: Ladder, step: Step, machine: TargetMachine, workshop: Workshop) -> str:
    """One line if a step cannot be built here, "" if it can."""
    if shutil.which(machine.strip) is None:
        return f"no program '{machine.strip}', which belongs to the compiler's binutils"
    if workshop.toolchain.cc_version is None:
        return f"no compiler '{workshop.toolchain.cc}'"
    if ladder.source.cxx and (problem := cxx_problem(machine, workshop.toolchain)):
        return problem
    return build_problem(ladder.as_library, ladder.build_of(step, machine.flags), workshop.toolchain, workshop.cache)


def is_cxx(source: Path) -> bool:
    """Whether a program is written in C++."""
    return source.suffix == ".cpp"


def built(
    ladder: Ladder, step: Step, program: str, machine: TargetMachine, workshop: Workshop, announce: Announce
) -> Built:
    """The program, from the cache if nothing that goes into it has changed. Raises BuildError."""
    library, build = ladder.as_library, ladder.build_of(step, machine.flags)
    source = program_file(ladder.folder, program)
    standard = _STANDARD_CXX if is_cxx(source) else _STANDARD
    flags = (*standard, *build.flags, *(f"-D{define}" for define in step.defines))
    below = below_of(machine.board, workshop.root) if machine.board is not None else None
    installed = prepare(library, build, workshop.toolchain, workshop.system, workshop.cache, announce)
    if installed.problem:
        raise BuildError(f"{ladder.library} {step.name}: {installed.problem}")
    prefix = prefix_of(library, build, workshop.toolchain, workshop.cache)
    archives = tuple(Path(word) for word in installed.libs if word.endswith(".a"))
    libs = [word for word in installed.libs if below is None or word not in _OF_A_SYSTEM]
    linked = (*step.link, *(below.link if below is not None else ()))
    words = [*flags, "one object", *linked, "", *libs]  # no place of the checkout
    headers = [path for folder in (ladder.folder, ladder.folder.parent) for path in sorted(folder.glob("*.h"))]
    key = digest_of(
        [(path.name, path) for path in (source, *headers, *(below.files if below is not None else ()))],
        [
            *words,
            prefix.name,
            (workshop.toolchain.cxx_version if is_cxx(source) else workshop.toolchain.cc_version) or "",
        ],
    )
    target = workshop.cache / "footprint" / f"{ladder.library}-{step.name}-{program}-{key}"
    if not kept(target):
        includes = [word for folder in installed.includes for word in ("-isystem", folder)]
        compiled = [*flags, *(below.includes if below is not None else ()), *includes]
        unit = Unit(source, tuple(compiled), (*libs, *linked))
        link(f"{ladder.library} {step.name} {program}", target, unit, machine, workshop.toolchain, below)
    return Built(target / PROGRAM, target / WHOLE, target / MAP, archives)


class Below(msgspec.Struct, frozen=True):
    """What stands in for a system below a program on a board. `source`: compiled alike for every step."""

    source: Path
    files: tuple[Path, ...]
    includes: tuple[str, ...]
    link: tuple[str, ...]
    script: Path


def below_of(board: Board, root: Path) -> Below:
    """Of a board."""
    folder, shared = root / BOARD, root / "sdk/c/bare"
    files = (*sorted(path for path in folder.rglob("*") if path.is_file()), shared / "semihosting.h")
    return Below(
        folder / "board.c",
        files,
        ("-DFOOTPRINT_BOARD", "-isystem", str(folder / "include"), "-I", str(folder), "-I", str(shared)),
        ("-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs", *board.link_words),
        folder / "image.ld",
    )


class Unit(msgspec.Struct, frozen=True):
    """A program before it is made: its source, and the words for the compiler and behind the program for the linker."""

    source: Path
    compiled: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()


def link(
    name: str, target: Path, unit: Unit, machine: TargetMachine, toolchain: Toolchain, below: Below | None = None
) -> None:
    """Compiles and links a program by the compiler of its language, keeps it with and without its symbols, and the linker's map. Raises BuildError."""
    with scratch_beside(target.parent) as scratch:
        made = scratch / "made"
        made.mkdir()
        tell = f"-Wl,-Map={made / MAP}"
        one = scratch / f"{unit.source.stem}.o"  # a name that the map tells, the same in every build
        compiler = toolchain.cxx if is_cxx(unit.source) else toolchain.cc
        run_tool([compiler, *unit.compiled, "-c", str(unit.source), "-o", str(one)], name)
        units = [str(one)]
        if below is not None:
            units.append(str(scratch / "board.o"))
            words = [*_STANDARD, "-Os", "-ffunction-sections", "-fdata-sections", *machine.flags, *below.includes]
            run_tool([toolchain.cc, *words, "-c", str(below.source), "-o", units[-1]], name)
            units += ["-T", str(below.script)]
        run_tool([compiler, *unit.compiled, *units, "-o", str(made / WHOLE), tell, *unit.linked], name)
        run_tool([machine.strip, "--strip-all", "-o", str(made / PROGRAM), str(made / WHOLE)], name)
        publish(made, target)
