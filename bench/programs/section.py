# SPDX-License-Identifier: Apache-2.0
"""Agreement with the speed programs that libraries bring: ours, theirs, ours again, of one build, on one CPU."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

from bench.field import Field, scratch_folder
from bench.programs.known import NOT_HERE, PROGRAMS
from bench.programs.program import Place, Program, Row
from bench.result import Result, tell
from cipherstone.build.sources import fetch_source
from cipherstone.build.toolchain import run_tool
from cipherstone.build.upstream import is_built, prefix_of
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Case, build_label
from cipherstone.model.units import counted

ABOUT_S = 420
NEAR = 0.02
TARGET = "each row within 2 %, or what makes it differ is known"
ROUGHLY = 0.1  # how far a figure may be off that was put right by a share of the core, which is the whole run's and not that of one row
REPEATS = 3
LOOK_S = 0.25  # before and after each run of a program
MOST_SECONDS = 300  # of a run of a program; the longest known (keys of BearSSL's) takes 30 alone on a core


class Printed(NamedTuple):
    """What a run of a program printed, its share of the core (CPU time over elapsed time), and how many times as long as when undisturbed a fixed loop took on that core right before and after (`bench/c/meter.c`)."""

    text: str
    share: float
    beside: float


class Ours(NamedTuple):
    """Our figure of a row: ns per call as published, and of a typical batch."""

    ns: float
    typical_ns: float


def run(field: Field, result: Result, fast: bool) -> None:
    """Each program that can be had, in the order of `PROGRAMS`."""
    rows: list[tuple[str, str]] = []
    for program in PROGRAMS:
        tell(f"  {program.title}")
        try:
            rows += _one(field, result, program, fast)
        except CipherstoneError as error:
            result.say(f"{program.title}: {error.message}" + (f" ({error.hint})" if error.hint else ""))
    for line in NOT_HERE:
        result.say(line)
    result.say(
        "Theirs are means over a second of whatever happened in it; ours is the 10 % quantile of short batches that nobody disturbed, and `loop` how much "
        "longer than undisturbed a fixed loop took on the same core right before and after theirs. On a machine that others use too, theirs therefore read high by about as much."
    )
    open_rows = [name for name, why in rows if not why]
    measured = f"{counted(len(rows), 'row')}; not explained: {', '.join(open_rows) or 'none'}"
    result.check(TARGET, measured if rows else "no program could be run", not open_rows if rows else None)


def _one(field: Field, result: Result, program: Program, fast: bool) -> list[tuple[str, str]]:
    """Measures one program and tells its table; its rows, each with the reason why it is off, `near` where it is not, "" where there is none. Raises CipherstoneError where it cannot be had."""
    with field.using(program.library, program.build):
        executable, meter = _executable(field, program), field.program("meter")
        rows = [row for row in program.rows if row.implementation in field.offers(_operation(row), program.library)]
        before = _ours(field, program.library, rows, fast)
        printed = [_all_runs(field, executable, program, meter) for _ in range(1 if fast else REPEATS)]
        after = _ours(field, program.library, rows, fast)
    result.say()
    result.say(f"{program.title}, of {build_label(program.library, program.build)}: {program.about}.")
    table, found = [], []
    for row in rows:
        name = _name(row)
        if row not in before or row not in after:
            found.append((f"{program.library} {name}", "no figure of ours: the machine was contended"))
            continue
        theirs, share, beside = min((row.ns(one.text), one.share, one.beside) for one in printed)
        first, second = before[row], after[row]
        ours = (first.ns + second.ns) / 2
        moved, off = abs(second.ns / first.ns - 1), theirs / ours - 1
        typical = max(first.typical_ns / first.ns, second.typical_ns / second.ns)
        table.append(
            [name, f"{first.ns:,.0f}", f"{theirs:,.0f}", f"{second.ns:,.0f}", f"{1 + off:.3f}", f"{beside:.3f}"]
        )
        met = Met(moved, typical, 1.0 if program.by_cpu_time else share, beside)
        found.append((f"{program.library} {name}", _why(row, off, met)))
        result.data[f"{program.title}: {row.case}:{row.implementation}"] = {
            "before_ns": first.ns,
            "program_ns": theirs,
            "program_share": share,
            "after_ns": second.ns,
            "typical_over_ours": typical,
            "loop_beside": beside,
        }
    if table:
        result.table(["ns a call", "ours", "theirs", "ours", "ratio", "loop"], table)
    for name, why in found:
        if why != "near":
            result.say(f"- {name}: {why or 'not explained'}")
    return found


class Met(NamedTuple):
    """What the machine did while a row was measured. `moved`: our figure after it over that before it, less 1; `typical`: a typical batch of ours over our figure; `share` and `beside` as in `Printed`."""

    moved: float = 0.0
    typical: float = 1.0
    share: float = 1.0
    beside: float = 1.0


def _why(row: Row, off: float, met: Met) -> str:
    """Why a row is off by more than 2 %: what differs in the call, or what the machine did meanwhile; "" for no reason known, `near` if it is not off."""
    if abs(off) <= NEAR:
        return "near"
    reasons = [row.differs] if row.differs else []
    if met.share < 1 - NEAR and abs((1 + off) * met.share - 1) <= ROUGHLY:
        reasons.append(f"the program had {met.share:.0%} of the core: {(1 + off) * met.share:.2f} by its share")
    if abs(off) <= met.moved:
        reasons.append(f"our own figure moved by {100 * met.moved:.1f} % meanwhile")
    elif 0 < off <= met.typical - 1 + NEAR:
        reasons.append(f"as far as our own typical batch is from our figure ({100 * (met.typical - 1):.1f} %)")
    elif 0 < off <= met.beside - 1 + NEAR:
        reasons.append(f"others used the core: a fixed loop took {100 * (met.beside - 1):.1f} % longer there")
    return "; ".join(reasons)


def _name(row: Row) -> str:
    """The row in a table, without parameters other than the size: no program has two rows that differ in them alone."""
    case = Case.parse(row.case)
    words = (f"{case.algorithm}/{case.verb}", str(case.size_bytes or ""), row.implementation)
    return " ".join(word for word in words if word not in ("", DEFAULT_IMPLEMENTATION))


def _operation(row: Row) -> str:
    return row.case.partition("/bytes=")[0]


def _ours(field: Field, library: str, rows: Sequence[Row], fast: bool) -> Mapping[Row, Ours]:
    """By row, from one run of all of them; those that gave no figure are absent."""
    passes = 6 if fast else 9
    settings = field.settings(base=library, min_passes=passes, max_passes=2 * passes, max_time_s=10.0 * len(rows))
    plan = [(row.case, [field.lane(library, row.implementation)]) for row in rows]
    measured, found = field.run(plan, settings), {}
    for row in rows:
        cell = measured.case(row.case).cells[0]
        if cell.ns is not None and cell.typical_ns is not None:
            found[row] = Ours(cell.ns.value, cell.typical_ns)
    return found


def _executable(field: Field, program: Program) -> Path:
    """The program, compiled if it has to be. Raises CipherstoneError: not installed, or the build whose source it is compiled from is not here."""
    if program.make is None:
        path = shutil.which(program.installed)
        if path is None:
            raise CipherstoneError(f"no program `{program.installed}` here", "of the distribution's package")
        return Path(path)
    build = _spec(field, program)
    assert build.source is not None
    workshop = field.workshop
    fetched = fetch_source(build.name, build.source.archive, workshop.cache, tell)
    folder = scratch_folder() / f"{program.library}-program"
    folder.mkdir()
    prefix = prefix_of(field.libraries[program.library], build, workshop.toolchain, workshop.cache)
    words = program.make(Place(fetched / build.source.archive.folder, prefix, folder))
    target = folder / "program"
    run_tool([workshop.toolchain.cc, "-O2", "-w", "-o", str(target), *words], f"self-check: compiling {program.title}")
    return target


def _spec(field: Field, program: Program) -> BuildSpec:
    """The build, if upstream's source was built for it already: nothing is built for a self-check."""
    library, workshop = field.libraries[program.library], field.workshop
    found = next((one for one in library.builds if one.name == program.build), None)
    if found is None or not is_built(library, found, workshop.toolchain, workshop.cache):
        label = build_label(program.library, program.build)
        raise CipherstoneError(f"{label} is not built here", f"`cipherstone build {label}`")
    return found


def _all_runs(field: Field, executable: Path, program: Program, meter: Path) -> Printed:
    """What all commands of a program print, the least share of the core that one of them had, and the most that others took of it."""
    runs = [_output(field, executable, words, meter) for words in program.commands]
    text = "".join(one.text for one in runs)
    return Printed(text, min(one.share for one in runs), max(one.beside for one in runs))


def _output(field: Field, executable: Path, words: Sequence[str], meter: Path) -> Printed:
    """What the program prints, run on the measuring CPU between two looks at what others take of it. Raises CipherstoneError if it ends with an error or takes too long."""
    look = [str(meter), str(LOOK_S)]
    with field.quiet():
        first, _ = _run(field, look)
        text, share = _run(field, [str(executable), *words])
        second, _ = _run(field, look)
    return Printed(text, share, (float(first) + float(second)) / 2)


def _run(field: Field, command: Sequence[str]) -> tuple[str, float]:
    """What a command prints on the measuring CPU, and its share of it. Raises CipherstoneError if it ends with an error or takes too long."""
    told = f"`{' '.join([Path(command[0]).name, *command[1:]])}`"
    before, began = getrusage(RUSAGE_CHILDREN), time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if field.cpu is not None:
        os.sched_setaffinity(child.pid, {field.cpu})
    try:
        output, _ = child.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        raise CipherstoneError(f"{told} took over {MOST_SECONDS} s", "") from None
    finally:
        child.kill()
        child.wait()
    if child.returncode:
        raise CipherstoneError(f"{told} ended with {child.returncode}", "")
    after = getrusage(RUSAGE_CHILDREN)
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return output, min(1.0, used_s / (time.monotonic() - began))
