# SPDX-License-Identifier: Apache-2.0
"""What a footprint is: a row a step of a library's program, with sizes if the file was proven; budgets on them, and what changed between two of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from cipherstone.catalogue.document import decode_output
from cipherstone.labs.footprint.elf import Sizes
from cipherstone.labs.footprint.ladder import PublishedLadder
from cipherstone.model.errors import UsageError
from cipherstone.model.estimate import Estimate
from cipherstone.views.samecode import OnBothSides

LARGEST = 10


class StepOutcome(StrEnum):
    """What became of a step."""

    PROVEN = "proven"
    WRONG = "wrong"  # the very file did not do what it is for: no size
    UNBUILT = "unbuilt"
    ABSENT = "absent"  # no step of this machine


class PeakMemory(msgspec.Struct, frozen=True):
    """Bytes at the peak of one proven run. `stack_bytes`: below the entry of main."""

    heap_bytes: int
    stack_bytes: int


class Timed(msgspec.Struct, frozen=True):
    """One input of a program. `ns`: CPU time of a call; `over`: over that of the step `default`, timed in turn with it, None where both are one file; `instructions`: of a call, counted under emulation; `why`: why one of them is missing."""

    task: str
    ns: Estimate | None = None
    over: Estimate | None = None
    instructions: int | None = None
    why: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A step. `sizes`: of the stripped file, None unless it was proven; `whole_bytes`: of the file with its symbols; `label`: what it leaves to who uses it; `target`: the machine, "" for this one; `before`: the step that it is compared with.

    `archives`: bytes of the library's, by name; `image`: SHA-256 prefix of the stripped file; `symbols`: bytes by name, all of them; `objects`: those that brought most, by `archive(member)`; `removed`: bytes that nothing uses, which the linker
    left out, and `removed_sections` how many sections; None where it was not asked to. `speed`: of each input, empty if it was not asked for.
    """

    library: str
    version: str
    program: str
    step: str
    title: str
    outcome: StepOutcome
    why: str = ""
    label: str = ""
    proven: tuple[str, ...] = ()
    agreed: str = ""
    target: str = ""
    before: str = ""
    sizes: Sizes | None = None
    whole_bytes: int | None = None
    archives: dict[str, int] = {}
    symbols: dict[str, int] = {}
    objects: dict[str, int] = {}
    removed: int | None = None
    removed_sections: int | None = None
    needed: tuple[str, ...] = ()
    memory: PeakMemory | None = None
    speed: tuple[Timed, ...] = ()
    flags: str = ""
    link: str = ""
    options: str = ""
    image: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What is the same row in another footprint."""
        return self.target, self.library, self.program, self.step

    @property
    def ram_bytes(self) -> int | None:
        """What it takes of RAM at its peak: data, bss, heap and stack."""
        if self.sizes is None or self.memory is None:
            return None
        return self.sizes.data + self.sizes.bss + self.memory.heap_bytes + self.memory.stack_bytes

    @property
    def name(self) -> str:
        """For people."""
        return " ".join(word for word in self.key if word)


class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """A shared library as it is installed; `problem`: why there is none. `needed`: those that it needs."""

    library: str
    name: str = ""
    version: str = ""
    sizes: Sizes | None = None
    stripped_bytes: int | None = None
    needed: tuple[str, ...] = ()
    problem: str = ""


class Footprint(msgspec.Struct, frozen=True):
    """All rows, what they were made with by target, the published ladders that stand beside them, and shared libraries."""

    rows: tuple[Row, ...]
    tools: dict[str, str] = {}
    published: tuple[PublishedLadder, ...] = ()
    shared: tuple[Shared, ...] = ()

    def row(self, key: tuple[str, str, str, str]) -> Row | None:
        """The row with this key."""
        return next((one for one in self.rows if one.key == key), None)

    def delta(self, row: Row) -> int | None:
        """Bytes of the file more than the step before; None where one of them has no size."""
        earlier = self.row((row.target, row.library, row.program, row.before)) if row.before else None
        if earlier is None or earlier.sizes is None or row.sizes is None:
            return None
        return row.sizes.file - earlier.sizes.file

    @property
    def targets(self) -> tuple[str, ...]:
        """The machines, in the order in which they were measured."""
        return tuple(dict.fromkeys(row.target for row in self.rows))

    def smallest(self, target: str) -> dict[tuple[str, str], Row]:
        """By (program, library) the smallest proven row of a machine that leaves nothing to who uses it."""
        found: dict[tuple[str, str], Row] = {}
        for row in self.rows:
            if row.sizes is None or row.label or row.target != target:
                continue
            best = found.get((row.program, row.library))
            if best is None or best.sizes is None or row.sizes.file < best.sizes.file:
                found[row.program, row.library] = row
        return found


def largest(sizes: Mapping[str, int], most: int = LARGEST) -> list[tuple[str, int]]:
    """The `most` largest, the largest first; of the same size by name."""
    return sorted(sizes.items(), key=lambda one: (-one[1], one[0]))[:most]


# Budgets

_BYTES = re.compile(r"(?P<number>[0-9]+(\.[0-9]+)?) ?(?P<unit>B|KiB|MiB|kB|KB|MB)?\Z")
_FACTOR = {None: 1, "B": 1, "KiB": 1024, "MiB": 1024**2, "kB": 1000, "KB": 1000, "MB": 1000**2}
BUDGETS = ("size", "text", "rodata", "data", "bss", "heap", "stack")


def bytes_of(option: str, text: str) -> int:
    """Bytes of a budget, such as 130KiB or 129440. Raises UsageError."""
    match = _BYTES.match(text.strip())
    if match is None:
        raise UsageError(f"{option}: '{text}' is no number of bytes", "such as 130KiB, 129440 or 1.5MiB")
    return int(float(match["number"]) * _FACTOR[match["unit"]])


def figure(row: Row, what: str) -> int | None:
    """What a budget is for; None where the row has none."""
    if what in ("heap", "stack"):
        return None if row.memory is None else getattr(row.memory, f"{what}_bytes")
    return None if row.sizes is None else getattr(row.sizes, "file" if what == "size" else what)


def over(rows: Iterable[Row], budgets: Mapping[str, int]) -> list[str]:
    """One line for each figure past its budget, and for each row that has no figure to hold against one."""
    found = []
    for row in rows:
        if row.outcome is StepOutcome.ABSENT:
            continue
        for what, most in budgets.items():
            seen = figure(row, what)
            if seen is None:
                found.append(f"{row.name}: {what}: no figure, at most {most:,} bytes: {row.why or 'not measured'}")
            elif seen > most:
                found.append(f"{row.name}: {what}: {seen:,} bytes, {seen - most:,} more than {most:,}")
    return found


# Two of them


class Change(msgspec.Struct, frozen=True):
    """A symbol, or (`symbol` "") a figure of the whole file. None: it is not there."""

    row: str
    what: str
    before: int | None
    now: int | None

    @property
    def bytes(self) -> int:
        """How many more."""
        return (self.now or 0) - (self.before or 0)


class RowChange(msgspec.Struct, frozen=True):
    """What changed in one row. `figures`: of the file; `symbols`: the largest change first."""

    row: str
    figures: tuple[Change, ...]
    symbols: tuple[Change, ...]


def changes(before: Footprint, now: Footprint) -> list[RowChange]:
    """Of every row that both have, and that is not the same in both."""
    found = []
    for row in now.rows:
        old = before.row(row.key)
        if old is None:
            continue
        figures = tuple(
            Change(row.name, what, figure(old, what), figure(row, what))
            for what in BUDGETS
            if figure(old, what) != figure(row, what)
        )
        names = {*old.symbols, *row.symbols}
        moved = [Change(row.name, name, old.symbols.get(name), row.symbols.get(name)) for name in names]
        symbols = sorted((one for one in moved if one.bytes), key=lambda one: (-abs(one.bytes), one.what))
        if figures or symbols:
            versions = "" if old.version == row.version else f": {old.version} and {row.version}"
            found.append(RowChange(row.name + versions, figures, tuple(symbols)))
    return found


def shared_images(before: Footprint, now: Footprint) -> OnBothSides:
    """Rows that both have with a size, and which of them are the same file."""
    both = [(old, row) for row in now.rows if (old := before.row(row.key)) is not None and old.sizes and row.sizes]
    same = tuple(f"{row.name}: image {row.image}" for old, row in both if row.image and row.image == old.image)
    return OnBothSides(same, len(both) - len(same))


def alone(before: Footprint, now: Footprint) -> tuple[list[str], list[str]]:
    """(rows that only the first has, rows that only the second has)."""
    first, second = {one.key for one in before.rows}, {one.key for one in now.rows}
    return (
        [one.name for one in before.rows if one.key not in second],
        [one.name for one in now.rows if one.key not in first],
    )


def read_footprint(path: Path) -> Footprint:
    """What `--json` wrote. Raises UsageError, DataError."""
    try:
        return decode_output(path, f"{path}: is not what `footprint --json` writes", Footprint, "write it anew")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", "write one with `cipherstone footprint --json FILE`") from None
