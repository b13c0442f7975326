# SPDX-License-Identifier: Apache-2.0
"""The map that GNU ld writes (`-Map`): which object brought how many bytes, and what was left out because nothing uses it."""

from __future__ import annotations

import re
from pathlib import PurePath

import msgspec

# " .text.name" and its address and length on one line, or, where the name is long, on the next.
_PIECE = re.compile(
    r"^ (?P<section>\.?[A-Za-z_][^\s(*]*)?\s*\n?\s+0x(?P<at>[0-9a-f]+)\s+0x(?P<size>[0-9a-f]+) (?P<file>\S.*)$",
    re.MULTILINE,
)
_DISCARDED, _MEMORY, _PLACED = "Discarded input sections", "Memory Configuration", "Linker script and memory map"
_UNLOADED = (".debug", ".comment", ".note", ".gnu.lto", ".group", ".symtab", ".strtab", ".shstrtab", ".gnu.build")


class LinkMap(msgspec.Struct, frozen=True):
    """`objects`: bytes that are loaded, by `archive(member)` or file; `removed`: bytes of sections that are in no program; `removed_sections`: how many."""

    objects: dict[str, int]
    removed: int
    removed_sections: int


def read_map(text: str) -> LinkMap:
    """The map; empty parts where it has none."""
    _, _, rest = text.partition(_DISCARDED)
    gone, _, placed = rest.partition(_MEMORY) if rest else ("", "", text)
    placed = placed.partition(_PLACED)[2] or placed
    objects: dict[str, int] = {}
    for section, size, file in _pieces(placed):
        if size and not section.startswith(_UNLOADED):
            objects[_short(file)] = objects.get(_short(file), 0) + size
    left_out = [size for section, size, _ in _pieces(gone) if size and not section.startswith(_UNLOADED)]
    return LinkMap(objects, sum(left_out), len(left_out))


def _pieces(text: str) -> list[tuple[str, int, str]]:
    return [(match["section"] or "", int(match["size"], 16), match["file"]) for match in _PIECE.finditer(text)]


def _short(file: str) -> str:
    """Without the folders; what the compiler made while it linked has names of chance."""
    archive, bracket, member = file.partition("(")
    name = PurePath(archive).name
    if ".ltrans" in name:
        return "optimised while linked"
    return f"{name}({member}" if bracket else name
