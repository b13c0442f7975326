# SPDX-License-Identifier: Apache-2.0
"""What a vector's failure means: `vectors/CLASSES.toml`. From the flags that a vector carries to `wrong`, `lax` or `strict`, with the sentences that say so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.document import read_toml, shown
from cipherstone.model.errors import DataError, nearest
from cipherstone.model.outcomes import Outcome

NAME = "vectors/CLASSES.toml"
MORE = "CLASSES-*.toml"  # beside it: classes of schemes that it has no room for, asked after its own
ANY_SCHEME = "*"
Expectation = Literal["ok", "rejected", "ok-or-rejected", "bad-key", "implicit"]


class FailureClass(msgspec.Struct, frozen=True):
    """What it means if a vector of this class is not met.

    `outcome`: `wrong`, `lax` (accepting it lets no forgery through: another form of a genuine signature, a child that repeats its parent) or `strict` (refusing it refuses a rare valid input). `does`: a
    predicate, `accepts ...`; `means`: what that means for a user of the library, `harmless`: why users will not see it, where random inputs confirm that; `standard`: what the standard demands, with the clause. `scheme`: words of an algorithm's
    id before the first `-`, several with spaces between them, or `*`; `expect`: of the vectors it is for, None for all. `vectors`: the ids that alone it is for, where a flag says too little; empty for all.
    """

    id: str
    outcome: Outcome
    scheme: str
    flags: tuple[str, ...]
    does: str
    means: str
    standard: str
    expect: Expectation | None = None
    vectors: tuple[str, ...] = ()
    harmless: str = ""

    def covers(self, scheme: str, flag: str, expect: Expectation, vector: str) -> bool:
        """Whether the vector of `scheme` with this id, flag and expectation belongs here."""
        named = not self.vectors or vector in self.vectors
        return named and flag in self.flags and self.speaks_of(scheme) and self.expect in (None, expect)

    def speaks_of(self, scheme: str) -> bool:
        """Whether it is for vectors of `scheme`."""
        return scheme in self.scheme.split() or self.scheme == ANY_SCHEME


ORDINARY = FailureClass(
    "ordinary",
    Outcome.WRONG,
    ANY_SCHEME,
    (),
    "misses a known answer",
    "The function computes something else than its standard says.",
    "The standard of the operation.",
)


class _Class(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    outcome: Literal["wrong", "lax", "strict"]
    scheme: str
    flags: list[str]
    does: str
    means: str
    standard: str
    expect: Expectation | None = None
    vectors: list[str] | None = None
    harmless: str = ""


class _ClassFile(msgspec.Struct, forbid_unknown_fields=True):
    class_: list[_Class] = msgspec.field(name="class")


# What a deviation can be of: accepting a negative, refusing a positive. Anything else is a wrong result.
_TOLERABLE: dict[str, Expectation] = {"lax": "rejected", "strict": "ok"}


def load_classes(root: Path) -> tuple[FailureClass, ...]:
    """The classes in the order of the file (and of those beside it, by name), which is the order in which they are asked. Raises DataError: one line, the first thing that is wrong."""
    names = [NAME, *(f"vectors/{path.name}" for path in sorted((root / "vectors").glob(MORE)))]
    found: dict[str, FailureClass] = {}
    for name in names:
        _add_classes(name, read_toml(root / name, name, _ClassFile).class_, found)
    return tuple(found.values())


def _add_classes(name: str, entries: Sequence[_Class], found: dict[str, FailureClass]) -> None:
    for index, entry in enumerate(entries):
        where = f"{name}: class[{index}]"
        if entry.id in found:
            raise DataError(f"{where}.id: {shown(entry.id)} stands twice", "ids are unique")
        for field in ("id", "scheme", "does", "means", "standard"):
            if not getattr(entry, field).strip():
                raise DataError(f"{where}.{field}: is empty", "every class says what it means, and by which clause")
        if entry.vectors is not None and not entry.vectors:
            raise DataError(f"{where}.vectors: is empty", "name the vectors that the class is for, or leave it out")
        due = _TOLERABLE.get(entry.outcome)
        if due is not None and entry.expect != due:
            raise DataError(
                f"{where}.expect: {shown(entry.expect or 'all')}, but what is {entry.outcome} has '{due}'",
                "lax accepts a negative, strict refuses a positive",
            )
        found[entry.id] = FailureClass(
            entry.id,
            Outcome(entry.outcome),
            entry.scheme,
            tuple(entry.flags),
            entry.does,
            entry.means,
            entry.standard,
            entry.expect,
            tuple(entry.vectors or ()),
            entry.harmless,
        )


def scheme_of(algorithm: str) -> str:
    """What classes call the scheme of an algorithm: the word before the first `-`."""
    return algorithm.partition("-")[0]


def class_of(
    classes: Sequence[FailureClass],
    algorithm: str,
    flags: Sequence[str],
    expect: Expectation,
    where: str,
    vector: str = "",
) -> FailureClass:
    """The first class that names a flag of the vector, whose id is `vector`; `ORDINARY` for a vector without flags. Raises DataError for a flag that no class names: `where` is its place."""
    scheme = scheme_of(algorithm)
    for flag in flags:
        if not any(one.covers(scheme, flag, expect, vector) for one in classes):
            known = {known for one in classes if one.speaks_of(scheme) for known in one.flags}
            raise DataError(
                f"{where}.flags: {shown(flag)} of a vector that must be {expect} is in no class of {scheme}",
                f"say in {NAME} what its failure means; {nearest(flag, known)}",
            )
    return next((one for one in classes if any(one.covers(scheme, flag, expect, vector) for flag in flags)), ORDINARY)
