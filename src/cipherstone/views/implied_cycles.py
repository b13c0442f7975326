# SPDX-License-Identifier: Apache-2.0
"""A published page beside counts: the cycles that a published rate means at the processor's stated clock, over the instructions counted for the same call. How even that quotient is says what a count is worth; a row far from the others says that its code was another one."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.catalogue.published_pages import BYTES, CALLS, SCALES, PageRow, Platform, PublishedPage
from cipherstone.model.counts import Count
from cipherstone.model.ids import Case, Lane, read_label

_CLOCK = re.compile(r"(?P<number>[0-9]+(\.[0-9]+)?) (?P<unit>[MG])Hz")
FAR = 1.2  # a row so far from the median is named


class ImpliedRow(msgspec.Struct, frozen=True):
    """A row of the page on one platform. `instructions` and `per_instruction`: None where nothing was counted; `modelled_cycles`: where there is no model, or none was asked for."""

    label: str
    printed: str
    unit: str
    cycles: float
    instructions: int | None = None
    per_instruction: float | None = None
    modelled_cycles: int | None = None

    @property
    def per_modelled(self) -> float | None:
        """The page's cycles over the modelled ones."""
        return self.cycles / self.modelled_cycles if self.modelled_cycles else None


class Implied(msgspec.Struct, frozen=True):
    """A platform of the page beside the counts of a target. `mean`: geometric; `spread`: standard deviation of the logarithms. None of fewer than two rows."""

    platform: Platform
    target: str
    rows: tuple[ImpliedRow, ...]
    mean: float | None = None
    spread: float | None = None

    @property
    def counted(self) -> list[ImpliedRow]:
        """Rows with a quotient."""
        return [row for row in self.rows if row.per_instruction is not None]

    @property
    def modelled(self) -> tuple[float | None, float | None]:
        """(mean, spread) of the page's cycles over the modelled ones."""
        return _spread(row.per_modelled for row in self.rows)

    @property
    def median(self) -> float | None:
        """Of the quotients: rows of instructions unlike all others, as those for AES, move a mean and not the median. None of fewer than two rows."""
        found = [row.per_instruction for row in self.rows if row.per_instruction is not None]
        return statistics.median(found) if len(found) > 1 else None

    def apart(self, row: ImpliedRow) -> float | None:
        """How far a row is from the median: 1.0 is on it."""
        median = self.median
        return row.per_instruction / median if row.per_instruction is not None and median else None


def clock_of(platform: Platform) -> float | None:
    """Cycles a second that the page states; None if it does not."""
    match = _CLOCK.search(platform.cpu)
    return float(match["number"]) * (1e9 if match["unit"] == "G" else 1e6) if match is not None else None


def wanted(page: PublishedPage) -> str:
    """The filter that selects what the page has rates of, and nothing else."""
    rows = [
        row for table in page.table for row in table.row if is_of_page(page, row) and any(map(has_rate, row.values))
    ]
    terms = dict.fromkeys(_term(page, Case.parse(row.case), row.implementation) for row in rows)
    return " OR ".join(terms)


def is_of_page(page: PublishedPage, row: PageRow) -> bool:
    """Whether a row is of the page's own library, and of a case that is known."""
    return bool(row.case) and row.library in ("", page.library)


def has_rate(value: str) -> bool:
    """Whether a figure was published."""
    return value != "-"


def _term(page: PublishedPage, case: Case, implementation: str) -> str:
    size = [f"bytes:{case.size_bytes}"] if case.size_bytes is not None else []
    params = [f"{name}:{value}" for name, value in case.params]
    return " ".join([f"library:{page.library}", f"op:{case.listed}", *size, *params, f"impl:{implementation}"])


def implied(page: PublishedPage, counts: Iterable[Count], architectures: Mapping[str, str]) -> Sequence[Implied]:
    """Each platform of the page that is of the architecture of a target. `architectures`: of the targets that were counted on, by name."""
    known = counts_of_page(page, counts)
    found = []
    for number, platform in enumerate(page.platform):
        clock = clock_of(platform)
        for target, architecture in architectures.items():
            if clock is not None and architecture == platform.architecture:
                found.append(_platform(page, number, clock, target, known))
    return found


def counts_of_page(page: PublishedPage, counts: Iterable[Count]) -> dict[tuple[str, str, str], Count]:
    """By (target, case, implementation) the counts of the page's library: on each target those of one build, the page's own where it was counted, else the first; what is of two builds is not held against each other."""
    found: dict[str, dict[str, list[Count]]] = {}
    for one in counts:
        lane = Lane.parse(one.lane)
        if lane.library == page.library and one.instructions:
            found.setdefault(one.target, {}).setdefault(lane.build_label, []).append(one)
    chosen = [
        one for builds in found.values() for one in builds.get(read_label(page.build)) or next(iter(builds.values()))
    ]
    return {(one.target, one.case, Lane.parse(one.lane).implementation): one for one in chosen}


def _platform(
    page: PublishedPage, number: int, clock: float, target: str, counts: Mapping[tuple[str, str, str], Count]
) -> Implied:
    rows = []
    for table in page.table:
        unit = table.unit_of(number)
        if unit != CALLS and unit not in BYTES:
            continue
        for row in table.row:
            if not (is_of_page(page, row) and has_rate(row.values[number])):
                continue
            case = Case.parse(row.case)
            cycles = clock / (float(row.values[number]) * SCALES[unit])
            if unit in BYTES:
                cycles *= case.size_bytes or 0
            count = counts.get((target, case.id, row.implementation))
            instructions = count.instructions if count is not None else None
            quotient = cycles / instructions if instructions else None
            modelled = count.modelled_cycles if count is not None else None
            rows.append(ImpliedRow(row.label, row.values[number], unit, cycles, instructions, quotient, modelled))
    return Implied(page.platform[number], target, tuple(rows), *spread_of(rows))


def spread_of(rows: Iterable[ImpliedRow]) -> tuple[float | None, float | None]:
    """(geometric mean, standard deviation of the logarithms) of the quotients; None of fewer than two."""
    return _spread(row.per_instruction for row in rows)


def _spread(quotients: Iterable[float | None]) -> tuple[float | None, float | None]:
    logs = [math.log(one) for one in quotients if one is not None]
    if len(logs) < 2:
        return None, None
    return math.exp(statistics.mean(logs)), statistics.stdev(logs)
