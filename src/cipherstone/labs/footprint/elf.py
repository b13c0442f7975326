# SPDX-License-Identifier: Apache-2.0
"""What an ELF file holds: bytes by what the system does with them, symbols by size, the libraries that it needs.

Sections are told apart by their flags, not by their names: code may be executed, read-only data neither executed nor written, data is written and in the file, bss is written and not in the file.
Tables for the loader and for unwinding are read-only data, or data if the loader writes to them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cipherstone.model.errors import DataError
from cipherstone.model.later import Later

if TYPE_CHECKING:
    from elftools.common import exceptions
    from elftools.elf import dynamic, elffile, sections
else:
    exceptions = Later("elftools.common.exceptions")
    elffile, sections = Later("elftools.elf.elffile"), Later("elftools.elf.sections")
    dynamic = Later("elftools.elf.dynamic")

_WRITE, _ALLOC, _EXECUTE = 1, 2, 4


class Sizes(msgspec.Struct, frozen=True):
    """Bytes. `file`: of the file as it is."""

    file: int
    text: int
    rodata: int
    data: int
    bss: int


class Executable(msgspec.Struct, frozen=True):
    """`symbols`: bytes by name, functions and objects; of several with one name their sum. `needed`: dynamic libraries."""

    sizes: Sizes
    symbols: dict[str, int]
    needed: tuple[str, ...]


def read_executable(path: Path) -> Executable:
    """What is in the file. Raises DataError for what is no ELF file."""
    try:
        with path.open("rb") as file:
            elf = elffile.ELFFile(file)
            return Executable(_sizes(elf, path.stat().st_size), _symbols(elf), _needed(elf))
    except (OSError, exceptions.ELFError) as error:
        raise DataError(
            f"{path}: is no program in ELF: {error}", "the laboratory of footprints reads ELF alone"
        ) from None


def _sizes(elf: elffile.ELFFile, whole: int) -> Sizes:
    found = {"text": 0, "rodata": 0, "data": 0, "bss": 0}
    for section in elf.iter_sections():
        flags, size = section["sh_flags"], section["sh_size"]
        if not flags & _ALLOC:
            continue
        if section["sh_type"] == "SHT_NOBITS":
            found["bss"] += size
        elif flags & _EXECUTE:
            found["text"] += size
        else:
            found["data" if flags & _WRITE else "rodata"] += size
    return Sizes(whole, **found)


def _symbols(elf: elffile.ELFFile) -> dict[str, int]:
    found: dict[str, int] = {}
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, sections.SymbolTableSection):
        return found
    seen: set[tuple[int, int]] = set()
    for symbol in table.iter_symbols():
        place = (symbol["st_value"], symbol["st_size"])
        # Two names of one function are one function.
        if symbol["st_info"]["type"] in ("STT_FUNC", "STT_OBJECT") and symbol["st_size"] and place not in seen:
            seen.add(place)
            found[symbol.name] = found.get(symbol.name, 0) + symbol["st_size"]
    return found


def _needed(elf: elffile.ELFFile) -> tuple[str, ...]:
    section = elf.get_section_by_name(".dynamic")
    if not isinstance(section, dynamic.DynamicSection):
        return ()
    return tuple(str(tag.needed) for tag in section.iter_tags() if tag.entry.d_tag == "DT_NEEDED")  # type: ignore[attr-defined]
