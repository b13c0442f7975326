# SPDX-License-Identifier: Apache-2.0
"""Where libraries disagree: known answers and forgeries that one accepts and another rejects, right or wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from cipherstone.catalogue.failures import Expectation
from cipherstone.catalogue.vectors import Vector
from cipherstone.model.ids import Lane

Verdicts = Mapping[str, str]  # vector id -> what a lane made of it


class Disagreement(msgspec.Struct, frozen=True):
    """Vectors of one operation about which lanes disagree in the same way.

    `expect`: the right result (`ok`, `rejected`, `ok-or-rejected`, `bad-key`, `implicit`); `notes`: what the vectors try, as their source says; `kind`: the class of failure that they belong to.
    `sides`: verdict (`accepts`, `rejects`, `answers otherwise`, `fails`) -> lanes; the side that is right comes first.
    """

    operation: str
    vectors: tuple[str, ...]
    expect: Expectation
    kind: str
    notes: tuple[str, ...]
    sides: dict[str, tuple[str, ...]]


def disagreements(
    verdicts: Mapping[str, Mapping[str, Verdicts]], vectors: Mapping[str, Sequence[Vector]]
) -> list[Disagreement]:
    """By operation, lane and vector -> what differs, in the order of operations and of their vectors. `vectors`: of each algorithm. A vector that only one lane was asked is no disagreement."""
    found: list[Disagreement] = []
    for operation, lanes in verdicts.items():
        groups: dict[tuple[object, ...], list[Vector]] = {}
        sides_of: dict[tuple[object, ...], dict[str, tuple[str, ...]]] = {}
        algorithm, verb = operation.split("/")[:2]
        for vector in vectors[algorithm]:
            if vector.verb != verb:
                continue
            sides = _sides(vector, lanes)
            if len(sides) > 1:
                key = (vector.expect, vector.failure.id, tuple(sides.items()))
                groups.setdefault(key, []).append(vector)
                sides_of[key] = sides
        found += [_disagreement(operation, group, sides_of[key]) for key, group in groups.items()]
    return found


def _disagreement(operation: str, group: Sequence[Vector], sides: dict[str, tuple[str, ...]]) -> Disagreement:
    return Disagreement(
        operation=operation,
        vectors=tuple(vector.id for vector in group),
        expect=group[0].expect,
        kind=group[0].failure.id,
        notes=tuple(dict.fromkeys(vector.note for vector in group if vector.note)),
        sides=sides,
    )


def _sides(vector: Vector, lanes: Mapping[str, Verdicts]) -> dict[str, tuple[str, ...]]:
    sides: dict[str, list[str]] = {}
    for lane, said in lanes.items():
        if vector.id in said:
            sides.setdefault(said[vector.id], []).append(lane)
    due = "rejects" if vector.expect in ("rejected", "bad-key") else "accepts"
    return {verdict: tuple(sides[verdict]) for verdict in sorted(sides, key=lambda one: (one != due, one))}


def short_names(lanes: Sequence[str], everywhere: Sequence[str]) -> list[str]:
    """Lanes for people: a build by its own name where all of its implementations of `everywhere` are among `lanes`."""
    chosen, names = set(lanes), []
    for lane in lanes:
        build = Lane.parse(lane).build_id
        whole = all(other in chosen for other in everywhere if Lane.parse(other).build_id == build)
        names.append(build if whole else lane)
    return list(dict.fromkeys(names))
