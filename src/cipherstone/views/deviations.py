# SPDX-License-Identifier: Apache-2.0
"""Deviations in a proof that are new for a version, and known ones that are gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.catalogue.deviations import Deviating
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import ProofRecord

JUDGED = (Outcome.OK, Outcome.LAX, Outcome.STRICT, Outcome.WRONG)  # the vectors had their say


class Surprise(msgspec.Struct, frozen=True):
    """An operation of a build that differs from the known deviations of its version. `seen`: None if each lane is right."""

    build: str
    operation: str
    seen: Deviating | None
    known: Deviating | None


def surprises(
    results: Sequence[ProofRecord],
    known: Mapping[str, Mapping[str, Deviating]],
    offered: Mapping[tuple[str, str], int],
) -> list[Surprise]:
    """Of the builds in `known` (by id: operation -> how it deviates), in the order of the results.

    An operation is as known if its outcome is, and its classes of vectors are among the known ones: a lane may have fewer. A known deviation is gone only if all lanes were
    asked; `offered`: how many lanes a build has of an operation, by (build, operation).
    """
    found: dict[tuple[str, str], list[ProofRecord]] = {}
    for one in results:
        build = Lane.parse(one.lane).build_id
        if build in known and one.outcome in JUDGED:
            found.setdefault((build, one.operation), []).append(one)
    told = []
    for (build, operation), lanes in found.items():
        seen, due = _seen(lanes), known[build].get(operation)
        as_known = (
            seen is None
            if due is None
            else seen is not None and seen.outcome == due.outcome and seen.kinds <= due.kinds
        )
        asked_all = len({one.lane for one in lanes}) >= offered.get((build, operation), 0)
        if not as_known and (seen is not None or asked_all):
            told.append(Surprise(build, operation, seen, due))
    return told


def _seen(lanes: Iterable[ProofRecord]) -> Deviating | None:
    """Of all lanes of an operation together: the outcome of the last that is not right."""
    deviating = [one for one in lanes if one.outcome is not Outcome.OK]
    if not deviating:
        return None
    kinds = frozenset(kind.kind for one in deviating for kind in one.deviations)
    return Deviating(deviating[-1].outcome.value, kinds)
