# SPDX-License-Identifier: Apache-2.0
"""Vectors that a lane does not meet although its results are right: what makes it `lax` or `strict`, and how that is said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from cipherstone.model.declared import column
from cipherstone.model.outcomes import Outcome


class Deviation(msgspec.Struct, frozen=True, omit_defaults=True):
    """Vectors of one class (`vectors/CLASSES.toml`) that a lane does not meet, and that leave it `lax` or `strict`.

    `kind`: id of the class. `does`: `accepts ...` or `refuses ...`; `means`: what that means for a user of the library, `harmless`: why users will not see it (`means_words`); `standard`: what the standard demands, with the clause.
    `vectors`: ids of those that showed it, at least one.
    """

    outcome: Outcome
    kind: str
    does: str
    means: str
    standard: str
    vectors: tuple[str, ...]
    harmless: str = ""


def _kinds(deviations: Iterable[Deviation]) -> list[str]:
    return [one.kind for one in deviations]


def _vectors(deviations: Iterable[Deviation]) -> list[str]:
    return [vector for one in deviations for vector in one.vectors]


# A field of deviations, with its two columns.
Deviations = Annotated[
    tuple[Deviation, ...],
    column("", "classes (`vectors/CLASSES.toml`) that make it `lax` or `strict`; else empty", "deviations", "[d.kind FOR d IN deviations]", of=_kinds, type="VARCHAR[]"),
    column("", "the vectors of these classes that were not met", "deviation_vectors", "flatten([d.vectors FOR d IN deviations])", of=_vectors, type="VARCHAR[]"),
]  # fmt: skip


def means_words(one: Deviation, genuine: int, forged: int) -> str:
    """What a deviation means for a user of the library. That it is harmless is said only where random inputs confirm it: `genuine` of them were not refused, `forged` not accepted (a wrong answer would have made the lane `wrong`)."""
    if not genuine:
        return f"{one.means} Random inputs, which would tell whether users meet it, were not asked."
    seen = f"Confirmed: none of {genuine:,} random genuine inputs was refused"
    seen += f", none of {forged:,} forged ones accepted." if forged else "."
    return " ".join(filter(None, (one.harmless, one.means, seen)))


def outcome_with(deviations: Iterable[Deviation]) -> Outcome:
    """`ok` without any, else `lax` if one is, else `strict`."""
    outcomes = {one.outcome for one in deviations}
    return next((one for one in (Outcome.LAX, Outcome.STRICT) if one in outcomes), Outcome.OK)


def joined(deviations: Iterable[Deviation]) -> tuple[Deviation, ...]:
    """What several proofs tell together: one a class, lax before strict, every vector once."""
    found: dict[str, Deviation] = {}
    for one in deviations:
        known = found.get(one.kind)
        vectors = one.vectors if known is None else tuple(dict.fromkeys((*known.vectors, *one.vectors)))
        found[one.kind] = msgspec.structs.replace(one, vectors=vectors)
    return tuple(sorted(found.values(), key=lambda one: (one.outcome is not Outcome.LAX, one.kind)))


def vector_words(vectors: Sequence[str]) -> str:
    """`verify-63`, `verify-63 and 4 more`."""
    more = len(vectors) - 1
    return vectors[0] + (f" and {more} more" if more else "")


def deviation_words(deviations: Iterable[Deviation]) -> str:
    """`accepts signatures in BER that is not DER (verify-der-8 and 2 more)`, parted by semicolons; "" for none."""
    return "; ".join(f"{one.does} ({vector_words(one.vectors)})" for one in deviations)
