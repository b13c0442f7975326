# SPDX-License-Identifier: Apache-2.0
"""Random cells in which every family, every library and every length of call is."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.measure.plan import Plan
from cipherstone.model.ids import Case, base_lane

LANES = 4  # of one case: a figure of a lane alone says nothing of turns that others took before it


class Candidate(msgspec.Struct, frozen=True, order=True):
    """A cell that could be in the sample. `ns`: of a call, None where it is not known yet."""

    case: str
    lane: str
    family: str
    library: str
    ns: float | None = None

    @property
    def decade(self) -> str:
        """The power of ten of a call in ns; "" where that is not known."""
        return "" if self.ns is None or self.ns <= 0 else str(math.floor(math.log10(self.ns)))

    @property
    def traits(self) -> tuple[str, ...]:
        """What a sample is to have of all kinds."""
        named = (f"family {self.family}", f"library {self.library}")
        return (*named, f"decade {self.decade}") if self.decade else named


def candidates_of(plan: Plan, catalogue: Catalogue, base: str | None) -> tuple[list[Candidate], dict[str, str]]:
    """(every cell of a plan but the A/A lanes', the base lane of each case that has one)."""
    found: list[Candidate] = []
    bases: dict[str, str] = {}
    for planned in plan.cases:
        operation = catalogue.known(Case.parse(planned.case).operation)
        lanes = [plan.lanes[name] for name in planned.lanes if not plan.lanes[name].twin]
        family = operation.family if operation is not None else ""
        found += [Candidate(planned.case, lane.id, family, lane.library) for lane in lanes]
        if (named := base_lane(base, planned.lanes)) is not None:
            bases[planned.case] = named
    return found, bases


def draw(
    candidates: Iterable[Candidate], count: int, seed: int, bases: Mapping[str, str] | None = None
) -> list[Candidate]:
    """`count` of them, or all if there are fewer, in order. `bases`: the base lane of a case, which comes with any other lane of it.

    Case by case: the one that brings most of what is rare so far, ties by lot; of it the base and others, again by what is rare; further lanes where there are not cases enough. The same seed draws the same of the same candidates, in whatever order they come.
    """
    candidates = tuple(candidates)
    lot = random.Random(seed)
    left: dict[str, list[Candidate]] = {}
    for one in sorted(candidates):
        left.setdefault(one.case, []).append(one)
    cases = list(left)
    lot.shuffle(cases)
    for case in cases:
        lot.shuffle(left[case])
    seen: dict[str, int] = {}
    chosen: list[Candidate] = []

    def rarity(one: Candidate) -> float:
        return sum(1 / (1 + seen.get(trait, 0)) ** 2 for trait in one.traits)

    while cases and len(chosen) < count:
        case = max(cases, key=lambda name: max(map(rarity, left[name])))
        cases.remove(case)
        base = (bases or {}).get(case)
        lanes = [one for one in left[case] if one.lane == base]
        others = [one for one in left[case] if one.lane != base]
        while others and len(lanes) < LANES:
            lanes.append(max(others, key=rarity))
            others.remove(lanes[-1])
            for trait in lanes[-1].traits:
                seen[trait] = seen.get(trait, 0) + 1
        chosen += lanes[: count - len(chosen)]
    taken = {*chosen}
    rest = [one for one in sorted(candidates) if one not in taken]
    lot.shuffle(rest)
    return sorted([*chosen, *rest[: count - len(chosen)]])


def lacking(candidates: Iterable[Candidate], chosen: Sequence[Candidate]) -> list[str]:
    """Traits of candidates that none of the chosen has."""
    have = {trait for one in chosen for trait in one.traits}
    return sorted({trait for one in candidates for trait in one.traits} - have)
