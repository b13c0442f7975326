# SPDX-License-Identifier: Apache-2.0
"""What a library's own speed program is, and how its figures are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Case

# Nanoseconds of one call over `bytes` bytes, from the figure that a program prints.
UNITS: Mapping[str, Callable[[float, int], float]] = {
    "MB/s": lambda figure, size: size * 1e3 / figure,
    "MiB/s": lambda figure, size: size * 1e9 / (figure * 2**20),
    "KiB/s": lambda figure, size: size * 1e9 / (figure * 2**10),
    "kB/s": lambda figure, size: size * 1e6 / figure,
    "ns/B": lambda figure, size: figure * size,
    "call/s": lambda figure, size: 1e9 / figure,
    "us": lambda figure, size: figure * 1e3,
}


class Row(NamedTuple):
    """An operation that a program measures. `line`: regular expression whose group is the figure, in `unit`; `differs`: what its call has that ours has not, or the other way round; "" for the same call."""

    case: str
    line: str
    unit: str
    differs: str = ""
    implementation: str = DEFAULT_IMPLEMENTATION

    def ns(self, output: str) -> float:
        """ns per call of our size. CipherstoneError where the program printed no such line, or a rate of nothing."""
        found = re.search(self.line, output, re.MULTILINE)
        if found is None or not float(found[1]) > 0:
            raise CipherstoneError(
                f"{self.case}: the program printed nothing like {self.line}", "did its format change?"
            )
        return UNITS[self.unit](float(found[1]), Case.parse(self.case).size_bytes or 0)


class Place(NamedTuple):
    """Where a program is made: upstream's source, the built library (`include/`, `lib/`), an empty folder."""

    source: Path
    prefix: Path
    folder: Path


class Program(NamedTuple):
    """A program of `library`, whose build `build` it measures.

    `commands`: the arguments of each run. `about`: what is known of how it measures. `installed`: its name on the path; else `make`: what the compiler is given beside the name of the program.
    `by_cpu_time`: its clock stands while another process has the core.
    """

    title: str
    library: str
    build: str
    commands: Sequence[Sequence[str]]
    rows: Sequence[Row]
    about: str
    installed: str = ""
    make: Callable[[Place], Sequence[str]] | None = None
    by_cpu_time: bool = False
