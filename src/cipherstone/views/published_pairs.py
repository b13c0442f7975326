# SPDX-License-Identifier: Apache-2.0
"""Pairs of implementations of one function on a published page, beside counts: who wins there, by how much, and whether fewer instructions say the same. Where they do not, what the two execute is laid beside it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from cipherstone.catalogue.published_pages import BYTES, CALLS, PageRow, PublishedPage
from cipherstone.model.counts import Count
from cipherstone.model.ids import Case, Lane
from cipherstone.model.published import PlatformPairs, PublishedPair
from cipherstone.views.implied_cycles import counts_of_page, has_rate, is_of_page

# A multiple of the generator is what a multiple of a point is: a page that has both calls the first one a faster way to the second.
ONE_FUNCTION = {"multiply-base": "derive"}
Counted = Mapping[tuple[str, str, str], Count]  # by (target, case, implementation)


def published_pairs(
    page: PublishedPage, counts: Iterable[Count], architectures: Mapping[str, str]
) -> Sequence[PlatformPairs]:
    """Each platform of the page that is of the architecture of a target; arguments as for `implied`."""
    known = counts_of_page(page, counts)
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
    platform = page.platform[number]
    build = next((Lane.parse(one.lane).build_label for (name, *_), one in known.items() if name == target), "")
    return PlatformPairs(platform.id, platform.cpu, target, tuple(pairs), build, spread)


def _functions(page: PublishedPage, number: int) -> dict[Case, list[PageRow]]:
    """The rows with a rate on a platform, by what they compute."""
    found: dict[Case, list[PageRow]] = {}
    for table in page.table:
        unit = table.unit_of(number)
        for row in table.row:
            if (unit == CALLS or unit in BYTES) and is_of_page(page, row) and has_rate(row.values[number]):
                case = Case.parse(row.case)
                verb = ONE_FUNCTION.get(case.verb, case.verb)
                found.setdefault(msgspec.structs.replace(case, verb=verb), []).append(row)
    return found


def _pair(one: PageRow, other: PageRow, number: int, target: str, known: Counted) -> PublishedPair:
    faster, slower = sorted((one, other), key=lambda row: -float(row.values[number]))
    published = float(faster.values[number]) / float(slower.values[number])
    a, b = (known.get((target, row.case, row.implementation)) for row in (faster, slower))
    if a is None or b is None or not a.instructions or not b.instructions:
        return PublishedPair(faster.label, slower.label, published)
    pair = PublishedPair(faster.label, slower.label, published, b.instructions / a.instructions)
    return pair if pair.agrees else msgspec.structs.replace(pair, mixes=(_mix(a), _mix(b)))


def _mix(one: Count) -> str:
    """`31 % accesses to memory, 4 % branches, 12 % multiplications`."""
    share = {name: one.classes.get(name, 0) / (one.instructions or 1) for name in ("branch", "multiply")}
    memory = (one.classes.get("load", 0) + one.classes.get("store", 0)) / (one.instructions or 1)
    return f"{memory:.0%} accesses to memory, {share['branch']:.0%} branches, {share['multiply']:.0%} multiplications"
