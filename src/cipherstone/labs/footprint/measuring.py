# SPDX-License-Identifier: Apache-2.0
"""Takes libraries down their ladders: build, prove, and only then measure."""

from __future__ import annotations

import itertools
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone.build.cache import file_digest
from cipherstone.build.sources import Announce
from cipherstone.build.toolchain import program_version
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.labs.footprint.elf import read_executable
from cipherstone.labs.footprint.ladder import Ladder, Step, load_published
from cipherstone.labs.footprint.linkmap import read_map
from cipherstone.labs.footprint.machine import TargetMachine
from cipherstone.labs.footprint.memory import measured_memory
from cipherstone.labs.footprint.program import Built, built, problem_of
from cipherstone.labs.footprint.proof import Proof, proven
from cipherstone.labs.footprint.questions import questions
from cipherstone.labs.footprint.request import Asked
from cipherstone.labs.footprint.results import Footprint, Row, StepOutcome, largest
from cipherstone.labs.footprint.speed import Runner
from cipherstone.labs.footprint.timing import Ready
from cipherstone.model.errors import BuildError, DataError

OBJECTS = 30  # of a row: a page shows ten


def footprint(
    places: Sequence[tuple[TargetMachine, Workshop]],
    catalogue: Catalogue,
    asked: Sequence[Asked],
    announce: Announce,
    done: Callable[[Row], None] = lambda row: None,
) -> tuple[Footprint, list[Ready]]:
    """All that is asked for, on every machine, and what of it is proven and to be timed."""
    rows: list[Row] = []
    ready: list[Ready] = []
    for place, (ladder, program, steps, speed) in itertools.product(places, asked):
        runners: list[Runner] = []
        for step in ladder.steps_of(program):
            if step.name in steps:
                row, made = _row(Here(*place, catalogue, announce), ladder, program, step)
                rows.append(row)
                done(row)
                if made is not None and row.sizes is not None:
                    runners.append(Runner(step.name, made.program, step.tls))
        if speed and runners:
            ready.append(Ready(*place, ladder, program, tuple(runners)))
    known = load_published(places[0][1].root)
    ids = dict.fromkeys(one.ladder.published for one in asked)
    beside = tuple(known[name] for name in ids if name in known)
    others = tuple(one for one in known.values() if one not in beside)
    tools = {machine.id: _tools(machine, workshop) for machine, workshop in places}
    return Footprint(tuple(rows), tools, (*beside, *others)), ready


def _tools(machine: TargetMachine, workshop: Workshop) -> str:
    """What the programs of a machine were made with."""
    words = (workshop.toolchain.cc_version, program_version(machine.linker), machine.id or platform.machine())
    return "; ".join(word for word in words if word)


class Here(NamedTuple):
    """What steps are built, proven and measured with, on one machine."""

    machine: TargetMachine
    workshop: Workshop
    catalogue: Catalogue
    announce: Announce


def _row(here: Here, ladder: Ladder, program: str, step: Step) -> tuple[Row, Built | None]:
    machine, workshop, catalogue, announce = here
    before = ladder.before(program, step, machine.board is not None)
    row = Row(
        library=ladder.library,
        version=ladder.source.version,
        program=program,
        step=step.name,
        title=step.title,
        outcome=StepOutcome.UNBUILT,
        target=machine.id,
        before=before.name if before else "",
        flags=" ".join((*step.flags, *machine.flags, *(f"-D{define}" for define in step.defines))),
        link=" ".join(step.link),
        options=" ".join(step.options),
    )
    if machine.board is not None and step.hosted:
        return msgspec.structs.replace(row, outcome=StepOutcome.ABSENT, why=step.hosted), None
    if problem := problem_of(ladder, step, machine, workshop):
        return msgspec.structs.replace(row, why=problem), None
    try:
        made = built(ladder, step, program, machine, workshop, announce)
    except BuildError as error:
        of_build = f"{ladder.as_library.id}+{step.name}: "  # the row says already which it is
        return msgspec.structs.replace(row, why=error.message.removeprefix(of_build)), None
    asked = questions(program, ladder.ecdsa, workshop.root, catalogue)
    proof = proven(machine.command(made.program)[0], program, step.tls, asked)
    if proof.problem:
        return msgspec.structs.replace(row, outcome=StepOutcome.WRONG, why=proof.problem), None
    row = _measured(row, made, proof, machine, any("--gc-sections" in word for word in step.link))
    memory = measured_memory(made.program, program, step.tls, asked, machine, workshop)
    return msgspec.structs.replace(row, memory=memory), made


def _measured(row: Row, made: Built, proof: Proof, machine: TargetMachine, collects: bool) -> Row:
    try:
        stripped, whole = read_executable(made.program), read_executable(made.whole)
    except DataError as error:
        return msgspec.structs.replace(row, outcome=StepOutcome.UNBUILT, why=error.message)
    sizes = stripped.sizes
    if machine.board is not None:  # what is written into flash is no file in ELF
        sizes = msgspec.structs.replace(sizes, file=sizes.text + sizes.rodata + sizes.data)
    told = read_map(made.map.read_text(encoding="utf-8", errors="replace"))
    return msgspec.structs.replace(
        row,
        outcome=StepOutcome.PROVEN,
        proven=proof.proven,
        agreed=proof.agreed,
        label=proof.label,
        sizes=sizes,
        whole_bytes=whole.sizes.file,
        archives={path.name: _length(path) for path in made.archives},
        symbols=whole.symbols,
        objects=dict(largest(told.objects, OBJECTS)),
        removed=told.removed if collects else None,
        removed_sections=told.removed_sections if collects else None,
        needed=stripped.needed,
        image=file_digest(made.program),
    )


def _length(path: Path) -> int:
    return path.stat().st_size
