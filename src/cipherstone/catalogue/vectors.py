# SPDX-License-Identifier: Apache-2.0
"""Known answers: `vectors.json` in the folder of each algorithm. Where they come from stands in `vectors/SOURCES.toml`, and with each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.algorithms import Catalogue, Operation, catalogue_at
from cipherstone.catalogue.document import read_json, shown
from cipherstone.catalogue.failures import ORDINARY, Expectation, FailureClass, class_of, load_classes, scheme_of
from cipherstone.catalogue.verbs import Verb
from cipherstone.model.errors import DataError, nearest


class Vector(msgspec.Struct, frozen=True):
    """One known answer.

    `output`: what must come out; None for `verify`, for what must be rejected, and for what is random (any signature that verifies, any key pair that stands the round trip). `expect`: `ok`,
    `rejected`, or `ok-or-rejected` where standards leave it to the library (X25519 with a point of low order: zeros or a rejection); `bad-key` for a key that must be refused as such;
    `implicit` for a forgery that must give the `output`, and no word of it. `form`: encoding of
    an ECDSA signature, else None. `brief`: belongs to the few that stand for all. `source`: package and file; `note`: what the vector tries; `params`: of the operation that it is for; those that its algorithm lets vary may have any value.
    `flags`: what its source calls it; `failure`: what it means if it is not met, by these flags.
    """

    id: str
    verb: str
    inputs: dict[str, bytes]
    output: bytes | None
    expect: Expectation
    form: Literal["der", "p1363"] | None
    brief: bool
    source: str
    note: str = ""
    flags: tuple[str, ...] = ()
    failure: FailureClass = ORDINARY
    params: dict[str, str] = {}


class VectorSet(msgspec.Struct, frozen=True):
    """The known answers of one algorithm."""

    algorithm: str
    vectors: tuple[Vector, ...]

    def of(self, verb: str, form: str | None = None, brief: bool = False) -> tuple[Vector, ...]:
        """Those of one verb that suit a worker whose signature encoding is `form`; with `brief`, only the few that stand for all."""
        return tuple(v for v in self.vectors if v.verb == verb and v.form in (None, form) and (v.brief or not brief))


class _Vector(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    verb: str
    inputs: dict[str, str]
    source: str
    output: str | None = None
    expect: Expectation = "ok"
    form: Literal["der", "p1363"] | None = None
    brief: bool = False
    note: str = ""
    flags: list[str] = []
    params: dict[str, str] = {}


class _VectorFile(msgspec.Struct, forbid_unknown_fields=True):
    algorithm: str
    vectors: list[_Vector]


def load_vectors(root: Path, algorithm: str, catalogue: Catalogue | None = None) -> VectorSet:
    """`algorithms/ALGORITHM/vectors.json` under `root`. Raises DataError: one line, the first thing that is wrong."""
    known = catalogue_at(root) if catalogue is None else catalogue
    if algorithm not in known.algorithms:
        raise DataError(
            f"vectors: {shown(algorithm)} is not an algorithm of the catalogue", nearest(algorithm, known.algorithms)
        )
    name = f"algorithms/{algorithm}/vectors.json"
    document = read_json(root / name, name, _VectorFile)
    if document.algorithm != algorithm:
        raise DataError(f"{name}: algorithm: {shown(document.algorithm)} is not {algorithm}", "write the folder's name")
    scheme = scheme_of(algorithm)
    classes = [one for one in load_classes(root) if one.speaks_of(scheme)]  # asked for each vector
    operations = [operation for operation in known.operations.values() if operation.algorithm == algorithm]
    vectors: dict[str, Vector] = {}
    for index, entry in enumerate(document.vectors):
        where = f"{name}: vectors[{index}]"
        if entry.id in vectors:
            raise DataError(f"{where}.id: {shown(entry.id)} stands twice", "ids are unique in a file")
        vector = _vector(where, operations, entry, known.verbs)
        failure = class_of(classes, algorithm, vector.flags, vector.expect, where, entry.id)
        vectors[entry.id] = msgspec.structs.replace(vector, failure=failure)
    return VectorSet(algorithm, tuple(vectors.values()))


def _vector(where: str, operations: Sequence[Operation], entry: _Vector, known: Mapping[str, Verb]) -> Vector:
    """`operations`: of the algorithm that the vector is for."""
    algorithm, verbs = operations[0].algorithm, [operation.verb for operation in operations]
    if entry.verb not in verbs:
        raise DataError(f"{where}.verb: {shown(entry.verb)} is not a verb of {algorithm}", nearest(entry.verb, verbs))
    if not any(operation.verb == entry.verb and operation.answers(entry.params) for operation in operations):
        raise DataError(
            f"{where}.params: {entry.params} is not an operation of {algorithm}", "see `cipherstone list --operations`"
        )
    verb = known[entry.verb]
    for given in entry.inputs:
        if given not in verb.inputs:
            raise DataError(
                f"{where}.inputs: {shown(given)} is not an input of {entry.verb}", nearest(given, verb.inputs)
            )
    for missing in sorted(set(verb.needed_with(operations[0].lengths)) - set(entry.inputs)):
        raise DataError(f"{where}.inputs: '{missing}' is missing", f"{entry.verb} takes {', '.join(verb.inputs)}")
    none = entry.expect in ("rejected", "bad-key")
    needs = {"bad-key": {"bad-key"}, "implicit": {"implicit"}}.get(entry.expect, {"not-authentic", "bad-key"})
    if entry.expect != "ok" and not needs & verb.rejects:
        does = "rejects nothing" if not verb.rejects else "does not reject so"
        raise DataError(f"{where}.expect: '{entry.expect}', but {entry.verb} {does}", 'write "ok"')
    due = not none and verb.proof == "known-answer"
    if due and entry.output is None:
        raise DataError(f"{where}.output: is missing", f"{entry.verb} has an output")
    if entry.output is not None and (none or not verb.outputs):
        raise DataError(f"{where}.output: {shown(entry.output)}, but there is none to expect", "remove it")
    if not entry.id.strip() or not entry.source.strip():
        raise DataError(f"{where}: id or source is empty", "a known answer must say where it comes from")
    inputs = {key: _hex(f"{where}.inputs.{key}", text) for key, text in entry.inputs.items()}
    output = None if entry.output is None else _hex(f"{where}.output", entry.output)
    return Vector(
        entry.id,
        entry.verb,
        inputs,
        output,
        entry.expect,
        entry.form,
        entry.brief,
        entry.source,
        entry.note,
        tuple(entry.flags),
        params=entry.params,
    )


def _hex(where: str, text: str) -> bytes:
    try:
        data = bytes.fromhex(text)
    except ValueError:
        data = b""
    if data.hex() != text:  # spaces and capitals too
        raise DataError(f"{where}: {shown(text)} is not hexadecimal", "lower-case digits, two a byte")
    return data
