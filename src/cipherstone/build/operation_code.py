# SPDX-License-Identifier: Apache-2.0
"""What one operation brings into a program: code and constants that a linker would take for its row of the adapter's table and for nothing else, by symbol.

Read from little-endian objects of a worker: a section brings what its relocations name, as in `ld --gc-sections`. On a board every function has a section of its own; elsewhere the adapter is compiled once more so (`apart`),
and of the library, which is that of the worker, a linker takes what it finds in one section whole. What every worker has, the SDK and what stands in for a system, is not counted, nor is the C library; texts and tables for unwinding are not either.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.model.text import UNREADABLE

FILE = "code.json"  # beside a worker
# Of an adapter that is read, not run. Hidden, so that POWER names each variable itself and not a table of all that the file uses.
_SECTIONED = ("-ffunction-sections", "-fdata-sections", "-fno-lto")
_HIDDEN = "#pragma GCC visibility push(hidden)\n"
MOST_NAMED = 2000  # symbols of one row; beyond that only files are named
_AR, _MEMBER = b"!<arch>\n", struct.Struct("16s12s6s6s8s10s2s")
_HEADERS = {1: "<16xHHIIIIIHHHHHH", 2: "<16xHHIQQQIHHHHHH"}  # by class: 32 and 64 bits
_SECTIONS = {1: struct.Struct("<10I"), 2: struct.Struct("<IIQQQQIIQQ")}
_SYMBOLS = {1: struct.Struct("<IIIBBH"), 2: struct.Struct("<IBBHQQ")}
_RELOCATIONS = {1: (struct.Struct("<II"), struct.Struct("<IIi"), 8), 2: (struct.Struct("<QQ"), struct.Struct("<QQq"), 32)}  # fmt: skip
_ELF, _LITTLE = b"\x7fELF", 1
_PROGBITS, _SYMTAB, _RELA, _NOBITS, _REL = 1, 2, 4, 8, 9
_ALLOC, _MERGE, _STRINGS = 2, 16, 32
_RESERVED, _LOCAL = 0xFF00, 0
_SIZED = frozenset({1, 2})  # kinds of symbols: data, functions
_ID = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9/-]*\Z")
_OF_ITS_OWN = re.compile(
    r"\.(?:text|rodata|data)(?:\.rel)?+(?:\.ro)?+(?:\.local)?+(?:\.(?:unlikely|hot|startup|exit))?+\.(?!cst\d+\Z)(?=.)"
)
_UNWINDING = (".eh_frame", ".gcc_except_table", ".ARM.ex")


class OneLinks(msgspec.Struct, frozen=True):
    """`rows`: by `ID IMPLEMENTATION`, bytes by section name. A row that is made at run time is not here."""

    rows: dict[str, dict[str, int]] = {}

    def of(self, listed: str, implementation: str) -> Mapping[str, int] | None:
        """What a row brings; None if it is not known."""
        return self.rows.get(f"{listed} {implementation}")


def apart(scratch: Path) -> tuple[str, ...]:
    """Further options of the compiler, so that each function of an adapter has a section. A header is written into `scratch`."""
    header = scratch / "hidden.h"
    header.write_text(_HIDDEN, encoding="ascii")
    return (*_SECTIONED, "-include", str(header))


_DECODER = msgspec.json.Decoder(OneLinks)  # here and not in the threads that read it (protocol.messages)


def links_of(worker: Path) -> OneLinks:
    """What is kept beside a worker; nothing where that is no worker for such a machine."""
    try:
        return _DECODER.decode((worker.parent / FILE).read_bytes())
    except (OSError, *UNREADABLE):
        return OneLinks()


class _Section(msgspec.Struct):
    name: str
    flags: int
    kind: int
    size: int
    content: bytes
    relocations: list[tuple[int, int, int]]  # offset, symbol, what is added to it


class _Symbol(msgspec.Struct, frozen=True):
    name: str
    value: int
    size: int
    place: int
    local: bool
    sized: bool


class _Object:
    """An object file: its sections and its symbols. `word`: bytes of an address."""

    def __init__(self, name: str, data: bytes) -> None:
        wide = data[4]
        self.name, self.word = name, 4 * wide
        head = struct.unpack_from(_HEADERS[wide], data)
        at, count, names = head[5], head[11], head[12]
        raw = [_SECTIONS[wide].unpack_from(data, at + _SECTIONS[wide].size * k) for k in range(count)]
        texts = data[raw[names][4] : raw[names][4] + raw[names][5]]
        self.sections = [
            _Section(_text(texts, one[0]), one[2], one[1], one[5], b"" if one[1] == _NOBITS else data[one[4] : one[4] + one[5]], [])
            for one in raw
        ]  # fmt: skip
        self.symbols: list[_Symbol] = []
        for number, one in enumerate(raw):
            if one[1] == _SYMTAB:
                self.symbols += self._read_symbols(wide, number, self.sections[one[6]].content)
            elif one[1] in (_REL, _RELA) and one[7] < count:
                self._read_relocations(wide, number, self.sections[one[7]], one[1] == _RELA)

    def _read_symbols(self, wide: int, number: int, strings: bytes) -> Iterator[_Symbol]:
        for one in _SYMBOLS[wide].iter_unpack(self.sections[number].content):
            name, value, size, info, _, place = one if wide == 1 else (one[0], one[4], one[5], one[1], one[2], one[3])
            yield _Symbol(_text(strings, name), value, size, place, info >> 4 == _LOCAL, info & 15 in _SIZED)

    def _read_relocations(self, wide: int, number: int, of: _Section, told: bool) -> None:
        """Where what is added is not told, it stands in the place itself."""
        short, long, shift = _RELOCATIONS[wide]
        for offset, info, *added in (long if told else short).iter_unpack(self.sections[number].content):
            inside = of.content[offset : offset + self.word]
            of.relocations.append((offset, info >> shift, added[0] if added else int.from_bytes(inside, "little")))


def _text(table: bytes, at: int) -> str:
    return table[at : table.index(b"\0", at)].decode("ascii", "replace")


def _objects(files: Iterable[Path]) -> Iterator[_Object]:
    """The objects of files, and of archives all members; what is none of a little-endian machine is left out."""
    for file in files:
        data = file.read_bytes()
        members = _members(data) if data.startswith(_AR) else [(file.name, data)]
        yield from (_Object(name, one) for name, one in members if _is_readable(one))


def _is_readable(data: bytes) -> bool:
    return data.startswith(_ELF) and data[4:5] in (b"\1", b"\2") and data[5] == _LITTLE


def _members(data: bytes) -> Iterator[tuple[str, bytes]]:
    at, names = len(_AR), b""
    while at + _MEMBER.size <= len(data):
        head = _MEMBER.unpack_from(data, at)
        size, name = int(head[5]), head[0].decode("ascii", "replace").rstrip()
        at += _MEMBER.size
        if name == "//":
            names = data[at : at + size]
        elif name[:1] == "/" and name[1:].isdigit():
            name = names[int(name[1:]) :].partition(b"\n")[0].decode("ascii", "replace")
        yield name.rstrip("/"), data[at : at + size]
        at += size + size % 2


Place = tuple[int, int]  # object, section


class _Graph:
    """Objects that name each other's sections."""

    def __init__(self, objects: Sequence[_Object]) -> None:
        self.objects = objects
        self.places: dict[str, Place] = {}
        self._needs: dict[Place, tuple[Place, ...]] = {}
        for number, one in enumerate(objects):
            for symbol in one.symbols:
                if not symbol.local and 0 < symbol.place < _RESERVED and symbol.name:
                    self.places.setdefault(symbol.name, (number, symbol.place))

    def named(self, number: int, symbol: int) -> Place | None:
        """(object, section) that a symbol of an object lies in; None for what is in none of the objects. Of what several objects have, such as a helper of the compiler's, the first is taken, as by a linker."""
        one = self.objects[number].symbols[symbol]
        if not one.local and one.name in self.places:
            return self.places[one.name]
        return (number, one.place) if 0 < one.place < _RESERVED else None

    def _needed(self, at: Place) -> tuple[Place, ...]:
        if at not in self._needs:
            relocations = self.objects[at[0]].sections[at[1]].relocations
            named = (self.named(at[0], symbol) for symbol in dict.fromkeys(symbol for _, symbol, _ in relocations))
            self._needs[at] = tuple(dict.fromkeys(to for to in named if to is not None))
        return self._needs[at]

    def reached(self, roots: Iterable[Place]) -> dict[str, int]:
        """Bytes by name of all sections that these need, themselves among them."""
        waiting, seen = list(roots), set[Place]()
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                waiting += self._needed(at)
        kept = [at for at in sorted(seen) if _is_kept(self.objects[at[0]].sections[at[1]])]
        found: dict[str, int] = {}
        for name, size in (part for at in kept for part in self._parts(at)):
            found[name] = found.get(name, 0) + size
        if len(found) > MOST_NAMED:
            found = {}
            for number, section in kept:
                name = self.objects[number].name
                found[name] = found.get(name, 0) + self.objects[number].sections[section].size
        return found

    def _parts(self, at: Place) -> Iterator[tuple[str, int]]:
        """(name, bytes) of what a section holds: itself where it has one thing, else its symbols and what lies between them, by the file's name."""
        one = self.objects[at[0]]
        section = one.sections[at[1]]
        if _OF_ITS_OWN.match(section.name):
            yield _OF_ITS_OWN.sub("", section.name), section.size
            return
        end = named = 0
        inside = sorted(
            (symbol for symbol in one.symbols if symbol.place == at[1]), key=lambda one: (one.value, one.name)
        )
        for symbol in inside:
            if symbol.sized and symbol.size and symbol.value >= end:  # of several names of one thing the first
                yield symbol.name, symbol.size
                end, named = symbol.value + symbol.size, named + symbol.size
        if section.size > named:
            yield f"{one.name} {section.name}", section.size - named


def _is_kept(section: _Section) -> bool:
    """Code and constants; data that begins with a value lies in flash too."""
    text = section.flags & _MERGE and section.flags & _STRINGS
    return (
        bool(section.flags & _ALLOC)
        and section.kind == _PROGBITS
        and not text
        and section.size > 0
        and not section.name.startswith(_UNWINDING)
    )


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


def _rows(graph: _Graph, number: int, section: _Section) -> Iterator[tuple[str, list[Place]]]:
    """(`ID IMPLEMENTATION`, what the row names) of each row in a section: two texts in a row, of which the first is an operation's."""
    word = graph.objects[number].word
    texts = {offset: _string(graph, number, symbol, added) for offset, symbol, added in section.relocations}
    begins = [at for at in sorted(texts) if _ID.match(texts[at]) and texts.get(at + word)]
    for begin, end in zip(begins, (*begins[1:], section.size), strict=False):
        named = (
            graph.named(number, symbol)
            for offset, symbol, _ in section.relocations
            if begin <= offset < end and not texts[offset]
        )
        yield f"{texts[begin]} {texts[begin + word]}", [place for place in named if place is not None]


def _string(graph: _Graph, number: int, symbol: int, added: int) -> str:
    """The text that a word of a section points at; "" if it points at none."""
    one = graph.objects[number].symbols[symbol]
    if not 0 < one.place < _RESERVED:
        return ""
    there = graph.objects[number].sections[one.place]
    at = one.value + added
    if not (there.flags & _MERGE and there.flags & _STRINGS) or not 0 <= at < len(there.content):
        return ""
    return _text(there.content, at)
