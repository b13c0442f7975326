# SPDX-License-Identifier: Apache-2.0
"""Pairs of implementations of one function on a published page, beside counts: who wins there, by how much, and whether fewer instructions say the same. Where they do not, what the two execute is laid beside it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from cipherstone.catalogue.publications import BYTES, CALLS, Platform, PublishedPage, PublishedRow
from cipherstone.model.counts import Count
from cipherstone.model.ids import Case, Lane
from cipherstone.views.implied import has_rate, is_of_page

NEAR = 1.2  # two ratios that are no further from each other are called near
# A multiple of the generator is what a multiple of a point is: a page that has both calls the first one a faster way to the second.
ONE_FUNCTION = {"multiply-base": "derive"}
Counted = Mapping[tuple[str, str, str], Count]  # by (target, case, implementation)


class Pair(msgspec.Struct, frozen=True):
    """Two rows of a page on one platform, the faster there first: `published` times as fast. `counted`: instructions of the slower over those of the faster; None where one of them has no count.

    `mixes`: shares of what each executes, in words.
    """

    faster: str
    slower: str
    published: float
    counted: float | None = None
    mixes: tuple[str, str] = ("", "")

    @property
    def agrees(self) -> bool:
        """Whether the one with fewer instructions is the faster one."""
        return self.counted is not None and (self.counted >= 1 or self.published == 1)

    @property
    def near(self) -> bool:
        """Whether both say about the same factor."""
        return self.counted is not None and 1 / NEAR <= self.counted / self.published <= NEAR


class PlatformPairs(msgspec.Struct, frozen=True):
    """The pairs of a platform beside the counts of a target. `spread`: standard deviation of the logarithm of one ratio over the other; None of fewer than two."""

    platform: Platform
    target: str
    pairs: tuple[Pair, ...]
    spread: float | None = None

    @property
    def counted(self) -> list[Pair]:
        """Those of which both have a count."""
        return [pair for pair in self.pairs if pair.counted is not None]

    @property
    def disagreeing(self) -> list[Pair]:
        """Those where fewer instructions are slower, what the page tells apart most first."""
        return sorted((pair for pair in self.counted if not pair.agrees), key=lambda pair: -pair.published)


def published_pairs(
    page: PublishedPage, counts: Iterable[Count], architectures: Mapping[str, str]
) -> Sequence[PlatformPairs]:
    """Each platform of the page that is of the architecture of a target; arguments as for `implied`."""
    known: dict[tuple[str, str, str], Count] = {}
    for one in counts:
        lane = Lane.parse(one.lane)
        if lane.library == page.library and one.instructions:
            known.setdefault((one.target, one.case, lane.implementation), one)
    return [
        _of_platform(page, number, target, known)
        for number, platform in enumerate(page.platform)
        for target, architecture in architectures.items()
        if architecture == platform.architecture
    ]


def _of_platform(page: PublishedPage, number: int, target: str, known: Counted) -> PlatformPairs:
    pairs = [
        _pair(one, other, number, target, known)
        for rows in _functions(page, number).values()
        for one, other in combinations(rows, 2)
    ]
    apart = [math.log(pair.counted / pair.published) for pair in pairs if pair.counted is not None]
    spread = statistics.stdev(apart) if len(apart) > 1 else None
    return PlatformPairs(page.platform[number], target, tuple(pairs), spread)


def _functions(page: PublishedPage, number: int) -> dict[Case, list[PublishedRow]]:
    """The rows with a rate on a platform, by what they compute."""
    found: dict[Case, list[PublishedRow]] = {}
    for table in page.table:
        unit = table.unit_of(number)
        for row in table.row:
            if (unit == CALLS or unit in BYTES) and is_of_page(page, row) and has_rate(row.values[number]):
                case = Case.parse(row.case)
                verb = ONE_FUNCTION.get(case.verb, case.verb)
                found.setdefault(msgspec.structs.replace(case, verb=verb), []).append(row)
    return found


def _pair(one: PublishedRow, other: PublishedRow, number: int, target: str, known: Counted) -> Pair:
    faster, slower = sorted((one, other), key=lambda row: -float(row.values[number]))
    published = float(faster.values[number]) / float(slower.values[number])
    a, b = (known.get((target, row.case, row.implementation)) for row in (faster, slower))
    if a is None or b is None or not a.instructions or not b.instructions:
        return Pair(faster.label, slower.label, published)
    return Pair(faster.label, slower.label, published, b.instructions / a.instructions, (_mix(a), _mix(b)))


def _mix(one: Count) -> str:
    """`31 % accesses to memory, 4 % branches, 12 % multiplications`."""
    share = {name: one.classes.get(name, 0) / (one.instructions or 1) for name in ("branch", "multiply")}
    memory = (one.classes.get("load", 0) + one.classes.get("store", 0)) / (one.instructions or 1)
    return f"{memory:.0%} accesses to memory, {share['branch']:.0%} branches, {share['multiply']:.0%} multiplications"
