# SPDX-License-Identifier: Apache-2.0
"""Code bytes of named functions in an executable, from its symbol table.

Compilers split a function (`name.cold`, `name.part.0`) and clone it (`name.constprop.0`): such pieces count with their function. A function that was inlined everywhere has
no symbol; its code is in its callers, which a row names too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cipherstone.model.later import Later

if TYPE_CHECKING:
    from elftools.common import exceptions
    from elftools.elf import elffile, sections
else:
    exceptions = Later("elftools.common.exceptions")
    elffile, sections = Later("elftools.elf.elffile"), Later("elftools.elf.sections")


class CodeSize(msgspec.Struct, frozen=True):
    """`code_bytes` of the functions that have a symbol; `missing`: those that have none."""

    code_bytes: int
    missing: tuple[str, ...]


def code_size(executable: Path, functions: Collection[str]) -> CodeSize | None:
    """Code of `functions` in `executable`, each once; None if it has no symbols that can be read (stripped, no ELF file) or none of them is there."""
    sizes = _symbols(executable)
    found = {name: sizes[name] for name in dict.fromkeys(functions) if name in sizes}
    if not found:
        return None
    return CodeSize(sum(found.values()), tuple(name for name in dict.fromkeys(functions) if name not in found))


@cache
def _symbols(executable: Path) -> dict[str, int]:
    """Bytes by function, its split and cloned pieces included; empty if there is nothing to read."""
    try:
        with executable.open("rb") as file:
            table = elffile.ELFFile(file).get_section_by_name(".symtab")
            if not isinstance(table, sections.SymbolTableSection):
                return {}
            return joined(
                (symbol.name, symbol["st_size"])
                for symbol in table.iter_symbols()
                if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF"
            )
    except (OSError, exceptions.ELFError):
        return {}


def joined(symbols: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Bytes by function of (symbol, bytes): the pieces of a function are added to it."""
    sizes: dict[str, int] = {}
    for symbol, size in symbols:
        name = symbol.partition(".")[0] or symbol
        sizes[name] = sizes.get(name, 0) + size
    return sizes
