# SPDX-License-Identifier: Apache-2.0
"""The counter of instructions: `sdk/c/count`, a plugin for an emulator, compiled once and cached by its content; where it counts in a worker; what it wrote."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cipherstone.build.store import digest_of, publish, scratch_beside
from cipherstone.build.toolchain import OPTIMISATION, Toolchain, run_tool
from cipherstone.isa.mnemonics import class_of
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
CLASSES = ("load", "store", "branch", "multiply", "divide")


class Tally(msgspec.Struct, frozen=True):
    """What was executed between the two functions. `classes`: see `Count`. `watched`: whether any of it was code that was watched for."""

    instructions: int
    classes: Mapping[str, int]
    watched: bool = False

    def without(self, null: Tally) -> Tally:
        """Less what an empty call takes."""
        return Tally(
            self.instructions - null.instructions,
            {name: self.classes[name] - null.classes[name] for name in self.classes},
            self.watched,
        )


def counting_plugin(toolchain: Toolchain, root: Path, cache: Path) -> Path:
    """The plugin's path; for this machine, whatever is emulated. Raises BuildError."""
    source = root / "sdk/c/count/qemu_plugin.c"
    files = [(path.name, path) for path in sorted(source.parent.glob("*.[ch]"))]
    target = cache / "count" / digest_of(files, [toolchain.cc_version or ""]) / "counter.so"
    if target.is_file():
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


def plugin_words(
    plugin: Path, between: tuple[int, int], out: Path, watched: Sequence[tuple[int, int]] = (), lacks: str = ""
) -> tuple[str, ...]:
    """Arguments of the emulator. `watched`: (address, length) of code that a tally says of whether it was executed; `lacks`: see `Target`."""
    begin, end = between
    # A comma in a path would end it.
    program, file = (str(path).replace(",", ",,") for path in (plugin, out))
    watches = "".join(f",watch={at:x}+{length:x}" for at, length in watched)
    refused = f",lacks={lacks}" if lacks else ""
    return "-plugin", f"{program},begin={begin:x},end={end:x},out={file}{watches}{refused}"


def tallies(out: Path, isa: str, seen: int = 0) -> list[Tally]:
    """What the plugin wrote, a line for each call, behind the first `seen`. Raises BuildError for what it did not write so."""
    try:
        lines = out.read_text(encoding="ascii").splitlines()
        return [_tally(line, isa) for line in lines[seen:]]
    except (OSError, ValueError) as error:
        raise BuildError(f"counter of instructions: {out.name}: {error}") from None


def _tally(line: str, isa: str) -> Tally:
    loads, stores, watched, *words = line.split(" ")
    classes = dict.fromkeys(CLASSES, 0)
    classes["load"], classes["store"], instructions = int(loads), int(stores), 0
    for word in words:
        name, _, count = word.rpartition("=")
        instructions += int(count)
        kind = class_of(isa, name)
        if kind:
            classes[kind] += int(count)
    return Tally(instructions, classes, int(watched) > 0)
