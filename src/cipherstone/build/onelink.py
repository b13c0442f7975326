# SPDX-License-Identifier: Apache-2.0
"""What one operation brings into a program: code and constants that a linker would take for its row of the adapter's table and for nothing else, by section.

Read from the objects of a worker for a 32-bit machine without an operating system, which have a section for each function: a section brings what its relocations name, as in `ld --gc-sections`. What every worker has,
the SDK and what stands in for a system, is not counted, nor is the C library; texts are not either.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

FILE = "code.json"  # beside a worker
_AR, _MEMBER = b"!<arch>\n", struct.Struct("16s12s6s6s8s10s2s")
_HEADER, _SECTION, _SYMBOL, _RELOCATION = "<16xHHIIIIIHHHHHH", struct.Struct("<10I"), struct.Struct("<IIIBBH"), struct.Struct("<II")  # fmt: skip
_ELF32_LITTLE = b"\x7fELF\x01\x01"
_PROGBITS, _SYMTAB, _RELA, _NOBITS, _REL = 1, 2, 4, 8, 9
_WRITE, _ALLOC, _EXEC, _MERGE, _STRINGS = 1, 2, 4, 16, 32
_RESERVED, _LOCAL = 0xFF00, 0
_ID = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9/-]*\Z")
_WORD = 4


class OneLinks(msgspec.Struct, frozen=True):
    """`rows`: by `ID IMPLEMENTATION`, bytes by section name. A row that is made at run time is not here."""

    rows: dict[str, dict[str, int]] = {}

    def of(self, listed: str, implementation: str) -> Mapping[str, int] | None:
        """What a row brings; None if it is not known."""
        return self.rows.get(f"{listed} {implementation}")


_DECODER = msgspec.json.Decoder(OneLinks)  # here and not in the threads that read it (protocol.messages)


def links_of(worker: Path) -> OneLinks:
    """What is kept beside a worker; nothing where that is no worker for such a machine."""
    try:
        return _DECODER.decode((worker.parent / FILE).read_bytes())
    except (OSError, msgspec.DecodeError):
        return OneLinks()


class _Section(msgspec.Struct):
    name: str
    flags: int
    kind: int
    size: int
    content: bytes
    relocations: list[tuple[int, int]]  # offset, symbol


class _Object:
    """An object file: its sections, and its symbols as (name, value, section, is local)."""

    def __init__(self, data: bytes) -> None:
        head = struct.unpack_from(_HEADER, data)
        at, count, names = head[5], head[11], head[12]
        raw = [_SECTION.unpack_from(data, at + _SECTION.size * k) for k in range(count)]
        texts = data[raw[names][4] : raw[names][4] + raw[names][5]]
        self.sections = [
            _Section(_text(texts, one[0]), one[2], one[1], one[5], b"" if one[1] == _NOBITS else data[one[4] : one[4] + one[5]], [])
            for one in raw
        ]  # fmt: skip
        self.symbols: list[tuple[str, int, int, bool]] = []
        for number, one in enumerate(raw):
            if one[1] == _SYMTAB:
                strings = self.sections[one[6]].content
                for name, value, _, info, _, place in _SYMBOL.iter_unpack(self.sections[number].content):
                    self.symbols.append((_text(strings, name), value, place, info >> 4 == _LOCAL))
            elif one[1] in (_REL, _RELA) and one[7] < count:
                step = 8 if one[1] == _REL else 12
                content = self.sections[number].content
                self.sections[one[7]].relocations = [
                    (offset, info >> 8)
                    for offset, info in (_RELOCATION.unpack_from(content, k) for k in range(0, len(content), step))
                ]


def _text(table: bytes, at: int) -> str:
    return table[at : table.index(b"\0", at)].decode("ascii", "replace")


def _objects(files: Iterable[Path]) -> Iterator[_Object]:
    """The objects of files, and of archives all members; what is none of a 32-bit machine is left out."""
    for file in files:
        data = file.read_bytes()
        members = _members(data) if data.startswith(_AR) else [data]
        yield from (_Object(one) for one in members if one.startswith(_ELF32_LITTLE))


def _members(data: bytes) -> Iterator[bytes]:
    at = len(_AR)
    while at + _MEMBER.size <= len(data):
        size = int(_MEMBER.unpack_from(data, at)[5])
        at += _MEMBER.size
        yield data[at : at + size]
        at += size + size % 2


class _Graph:
    """Objects that name each other's sections."""

    def __init__(self, objects: Sequence[_Object]) -> None:
        self.objects = objects
        self.places: dict[str, tuple[int, int]] = {}
        for number, one in enumerate(objects):
            for name, _, place, local in one.symbols:
                if not local and 0 < place < _RESERVED and name:
                    self.places.setdefault(name, (number, place))

    def named(self, number: int, symbol: int) -> tuple[int, int] | None:
        """(object, section) that a symbol of an object lies in; None for what is in none of the objects."""
        name, _, place, _ = self.objects[number].symbols[symbol]
        return (number, place) if 0 < place < _RESERVED else self.places.get(name)

    def reached(self, roots: Iterable[tuple[int, int]]) -> dict[str, int]:
        """Bytes by name of all sections that these need, themselves among them."""
        waiting, seen = list(roots), set[tuple[int, int]]()
        found: dict[str, int] = {}
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            section = self.objects[at[0]].sections[at[1]]
            if _is_kept(section) and section.size:
                found[_short(section.name)] = found.get(_short(section.name), 0) + section.size
            waiting += [to for _, symbol in section.relocations if (to := self.named(at[0], symbol)) is not None]
        return found


def _is_kept(section: _Section) -> bool:
    """Code and constants; data that begins with a value lies in flash too."""
    text = section.flags & _MERGE and section.flags & _STRINGS
    return bool(section.flags & _ALLOC) and section.kind == _PROGBITS and not text


def _short(name: str) -> str:
    """`br_aes_big_ctr_run` of `.text.br_aes_big_ctr_run`."""
    return re.sub(r"\A\.(text|rodata|data)(\.rel\.ro)?(\.local)?\.(?=.)", "", name)


def one_links(adapter: Sequence[Path], libraries: Sequence[Path]) -> OneLinks:
    """Of each row in the tables of the adapter's objects. `libraries`: archives that it is linked with."""
    own = list(_objects(adapter))
    graph = _Graph([*own, *_objects(libraries)])
    found: dict[str, dict[str, int] | None] = {}
    for number, one in enumerate(own):
        for section in one.sections:
            for key, roots in _rows(graph, number, section):
                brought = graph.reached(roots)
                # Rows for different parameters that bring different code have no one figure.
                found[key] = brought if found.get(key, brought) == brought else None
    return OneLinks({key: brought for key, brought in found.items() if brought is not None})


def _rows(graph: _Graph, number: int, section: _Section) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """(`ID IMPLEMENTATION`, what the row names) of each row in a section: two texts in a row, of which the first is an operation's."""
    texts = {offset: _string(graph, number, section, offset, symbol) for offset, symbol in section.relocations}
    begins = [at for at in sorted(texts) if _ID.match(texts[at]) and texts.get(at + _WORD)]
    for begin, end in zip(begins, (*begins[1:], section.size), strict=False):
        named = (
            graph.named(number, symbol)
            for offset, symbol in section.relocations
            if begin <= offset < end and not texts[offset]
        )
        yield f"{texts[begin]} {texts[begin + _WORD]}", [place for place in named if place is not None]


def _string(graph: _Graph, number: int, section: _Section, offset: int, symbol: int) -> str:
    """The text that a word of a section points at; "" if it points at none."""
    _, value, place, _ = graph.objects[number].symbols[symbol]
    if not 0 < place < _RESERVED or offset + _WORD > len(section.content):
        return ""
    there = graph.objects[number].sections[place]
    at = value + int.from_bytes(section.content[offset : offset + _WORD], "little")
    if not (there.flags & _MERGE and there.flags & _STRINGS) or at >= len(there.content):
        return ""
    return _text(there.content, at)
