# SPDX-License-Identifier: Apache-2.0
"""The counter of instructions: `sdk/c/count`, a plugin for an emulator, compiled once and cached by its content; where it counts in a worker; what it wrote."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.toolchain import OPTIMISATION, Toolchain, run_tool
from cipherstone.isa.mnemonics import class_of
from cipherstone.isa.modelled import Model
from cipherstone.model.errors import BuildError
from cipherstone.model.later import Later

if TYPE_CHECKING:
    from elftools.common import exceptions
    from elftools.elf import elffile, sections
else:
    exceptions = Later("elftools.common.exceptions")
    elffile, sections = Later("elftools.elf.elffile"), Later("elftools.elf.sections")

# A symbol: where its name is, its value and its size; thousands of them are read.
_SYMBOLS = {False: struct.Struct("<III4x"), True: struct.Struct("<I4xQQ")}
BEGIN, END = "cs_count_begin", "cs_count_end"
PAINTER = "paint"  # sdk/c/src/memory.c
CLASSES = ("load", "store", "branch", "multiply", "divide")


class Tally(msgspec.Struct, frozen=True):
    """What was executed between the two functions. `classes`: see `Count`. `watched`: whether any of it was code that was watched for. `cycles`: by a model that was asked for. `unstored`: of a stack that was painted before, bytes from its lowest on that nothing was stored to, where that was asked for."""

    instructions: int
    classes: Mapping[str, int]
    watched: bool = False
    cycles: int | None = None
    unstored: int | None = None

    def without(self, null: Tally) -> Tally:
        """Less what an empty call takes."""
        return Tally(
            self.instructions - null.instructions,
            {name: self.classes[name] - null.classes[name] for name in self.classes},
            self.watched,
            None if self.cycles is None or null.cycles is None else self.cycles - null.cycles,
            self.unstored,
        )


def counting_plugin(toolchain: Toolchain, root: Path, cache: Path) -> Path:
    """The plugin's path; for this machine, whatever is emulated. Raises BuildError."""
    source = root / "sdk/c/count/qemu_plugin.c"
    read = [(path.name, path) for path in sorted(source.parent.glob("*.[ch]"))]
    target = cache / "count" / digest_of(read, [toolchain.cc_version or ""]) / "counter.so"
    if kept(target):
        return target
    with scratch_beside(target.parent) as scratch:
        output = scratch / target.name
        words = [toolchain.cc, "-std=c11", *OPTIMISATION, "-shared", "-fPIC", str(source), "-o", str(output)]
        run_tool(words, "counter of instructions: compiling")
        publish(output, target)
    return target


def markers(executable: Path) -> tuple[int, int]:
    """Addresses of the two functions that are counted between. Raises BuildError if the worker has them not: it is made by another SDK, or stripped."""
    found = _functions(executable, (BEGIN, END))
    if len(found) != 2:
        raise BuildError(f"{executable.name}: has no {BEGIN} and {END}: only workers of the C SDK are counted")
    return found[BEGIN][0], found[END][0]


def stretches(executable: Path, names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """(address, length) of the functions called so, of those that a program has. Raises BuildError if it cannot be read."""
    return tuple(sorted(set(_functions(executable, names).values())))


def _functions(executable: Path, names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Address and length, 1 at least, by name."""
    found: dict[str, tuple[int, int]] = {}
    try:
        with executable.open("rb") as file:
            read = elffile.ELFFile(file)
            table = read.get_section_by_name(".symtab")
            thumb = read["e_machine"] == "EM_ARM"
            if isinstance(table, sections.SymbolTableSection):
                texts, symbols = table.stringtable.data(), table.data()
                places = {
                    one.start(): name for name in names for one in re.finditer(re.escape(name.encode()) + b"\0", texts)
                }
                for at, value, size in _SYMBOLS[read.elfclass == 64].iter_unpack(symbols):
                    if at in places and value:
                        # Of a function in T32 the lowest bit of the address says so, and is no part of it.
                        found[places[at]] = value & ~1 if thumb else value, max(1, size)
    except (OSError, exceptions.ELFError) as error:
        raise BuildError(f"{executable}: cannot be read: {error}") from None
    return found


class Watching(msgspec.Struct, frozen=True):
    """What the plugin reports beside counts. `watched`: (address, length in bytes) of code that a tally says of whether it was executed. `painter`: of the function that paints a stack, whose lowest store is reported. `taken`: whether branches that are taken are counted, for a model, on ARMv6-M. The last two take time. `lacks`: see `Target`."""

    watched: tuple[tuple[int, int], ...] = ()
    painter: tuple[int, int] | None = None
    taken: bool = False
    lacks: str = ""


COUNTS_ALONE = Watching()


def plugin_words(
    plugin: Path, between: tuple[int, int], out: Path, watching: Watching = COUNTS_ALONE
) -> tuple[str, ...]:
    """Arguments of the emulator: the plugin counts between two addresses and writes to `out`."""
    begin, end = between
    # A comma in a path would end it.
    program, file = (str(path).replace(",", ",,") for path in (plugin, out))
    watches = "".join(f",watch={at:x}+{length:x}" for at, length in watching.watched)
    painter = watching.painter
    asked = "" if painter is None else f",paint={painter[0]:x}+{painter[1]:x}"
    asked += ",branches=taken" if watching.taken else ""
    asked += f",lacks={watching.lacks}" if watching.lacks else ""
    return "-plugin", f"{program},begin={begin:x},end={end:x},out={file}{watches}{asked}"


def tallies(out: Path, isa: str, seen: int = 0, model: Model | None = None) -> list[Tally]:
    """What the plugin wrote, a line for each call, behind the first `seen`. `model`: of the cycles, where it got `taken`. Raises BuildError for what it did not write so."""
    try:
        lines = out.read_text(encoding="ascii").splitlines()
        return [_tally(line, isa, model) for line in lines[seen:]]
    except (OSError, ValueError) as error:
        raise BuildError(f"counter of instructions: {out.name}: {error}") from None


def _tally(line: str, isa: str, model: Model | None) -> Tally:
    loads, stores, watched, *words = line.split(" ")
    classes = dict.fromkeys(CLASSES, 0)
    classes["load"], classes["store"] = int(loads), int(stores)
    executed: dict[str, int] = {}
    asked: dict[str, int] = {}  # a dot before its name
    for word in words:
        name, _, count = word.rpartition("=")
        (asked if name.startswith(".") else executed)[name] = int(count)
    for name, number in executed.items():
        kind = class_of(isa, name)
        if kind:
            classes[kind] += number
    cycles = None if model is None else model(executed, classes["load"] + classes["store"], asked.get(".taken", 0))
    return Tally(sum(executed.values()), classes, int(watched) > 0, cycles, asked.get(".unstored"))
