# SPDX-License-Identifier: Apache-2.0
"""The catalogue of operations: `algorithms/*.toml`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.document import read_toml, shown
from cipherstone.model.errors import DataError, nearest
from cipherstone.model.ids import VERBS, Case

Unit = Literal["byte", "call"]
_ID = re.compile(r"[a-z0-9][a-z0-9.+_-]*\Z")


class Operation(msgspec.Struct, frozen=True):
    """What can be measured, for every library alike.

    `timed` and `untimed` say what is inside and outside of the timed region; `unit` is the unit of work; `sizes` are lengths of `msg` in bytes (empty for
    operations without sizes), `headline_size` the one that stands for all; `keys` says how keys, nonces and outputs are encoded; `block`: `msg` is a
    multiple of this many bytes.
    """

    algorithm: str
    verb: str
    title: str
    family: str
    standard: str
    timed: str
    untimed: str
    unit: Unit
    sizes: tuple[int, ...]
    headline_size: int | None
    keys: str
    block: int = 1

    @property
    def id(self) -> str:
        """`ALGORITHM/VERB`."""
        return f"{self.algorithm}/{self.verb}"

    @property
    def headline(self) -> Case:
        """The case that stands for the operation."""
        return Case(self.algorithm, self.verb, self.headline_size)

    @property
    def cases(self) -> tuple[Case, ...]:
        """Every size, or the one case without a size."""
        return tuple(Case(self.algorithm, self.verb, size) for size in self.sizes) or (self.headline,)


class Catalogue(msgspec.Struct, frozen=True):
    """`operations` by `ALGORITHM/VERB` in catalogue order; `sizes`: bytes -> where the size comes from."""

    operations: dict[str, Operation]
    sizes: dict[int, str]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Algorithm ids in catalogue order, each once."""
        return tuple(dict.fromkeys(operation.algorithm for operation in self.operations.values()))

    def operation(self, operation_id: str) -> Operation:
        """The operation `ALGORITHM/VERB`. Raises DataError with the nearest id."""
        found = self.operations.get(operation_id)
        if found is None:
            raise DataError(
                f"operation: {shown(operation_id)} is not in the catalogue", nearest(operation_id, self.operations)
            )
        return found


class _Size(msgspec.Struct, forbid_unknown_fields=True):
    bytes: int
    origin: str


class _SizesFile(msgspec.Struct, forbid_unknown_fields=True):
    size: list[_Size]


class _Verb(msgspec.Struct, forbid_unknown_fields=True):
    timed: str
    untimed: str
    unit: Unit
    sizes: tuple[int, ...] = ()
    headline_size: int | None = None


class _Operation(msgspec.Struct, forbid_unknown_fields=True):
    verb: str
    title: str
    timed: str | None = None
    untimed: str | None = None
    sizes: tuple[int, ...] | None = None
    headline_size: int | None = None


class _Algorithm(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    title: str
    standard: str
    keys: str
    operations: list[_Operation]
    block: int = 1


class _FamilyFile(msgspec.Struct, forbid_unknown_fields=True):
    family: str
    verbs: dict[str, _Verb]
    algorithm: list[_Algorithm]


FAMILIES = ("hash", "mac", "cipher", "aead", "dh", "sig", "bignum")
# Families of the laboratories: an application does not choose by them, so they are measured and listed where they are asked for.
LAB_FAMILIES = frozenset({"bignum"})


def load_catalogue(root: Path) -> Catalogue:
    """Reads and checks `algorithms/` under `root`. Raises DataError: one line, the first thing that is wrong."""
    folder = root / "algorithms"
    if not folder.is_dir():
        raise DataError(f"algorithms: {folder} is not a folder", "is the checkout complete?")
    sizes = _load_sizes(folder / "sizes.toml")
    operations: dict[str, Operation] = {}
    owner: dict[str, str] = {}
    for path in sorted(folder.glob("*.toml"), key=_family_order):
        if path.name != "sizes.toml":
            _add_family(path, sizes, operations, owner)
    if not operations:
        raise DataError(f"algorithms: no operation in {folder}", "is the checkout complete?")
    return Catalogue(operations, sizes)


def _family_order(path: Path) -> tuple[int, str]:
    """Hashes first, signatures and then the laboratories' families last; families unknown here after them, by name."""
    return (FAMILIES.index(path.stem) if path.stem in FAMILIES else len(FAMILIES), path.stem)


def _load_sizes(path: Path) -> dict[int, str]:
    name = f"algorithms/{path.name}"
    sizes: dict[int, str] = {}
    for index, size in enumerate(read_toml(path, name, _SizesFile).size):
        where = f"{name}: size[{index}]"
        if size.bytes < 1:
            raise DataError(f"{where}.bytes: '{size.bytes}' is not positive", "a size is a length in bytes")
        if size.bytes in sizes:
            raise DataError(f"{where}.bytes: '{size.bytes}' stands twice", "remove one of them")
        if not size.origin.strip():
            raise DataError(f"{where}.origin: is empty", "say where the size comes from")
        sizes[size.bytes] = size.origin
    return sizes


def _add_family(path: Path, sizes: dict[int, str], operations: dict[str, Operation], owner: dict[str, str]) -> None:
    name = f"algorithms/{path.name}"
    document = read_toml(path, name, _FamilyFile)
    if document.family != path.stem:
        raise DataError(
            f"{name}: family: {shown(document.family)} is not the file's name", f'write `family = "{path.stem}"`'
        )
    for verb in document.verbs:
        _check_verb(f"{name}: verbs", verb, VERBS)
    for a, algorithm in enumerate(document.algorithm):
        where = f"{name}: algorithm[{a}]"
        if not _ID.match(algorithm.id):
            raise DataError(
                f"{where}.id: {shown(algorithm.id)} is not an id",
                "lower-case letters, digits, and . + _ - after the first",
            )
        if algorithm.id in owner:
            raise DataError(
                f"{where}.id: {shown(algorithm.id)} stands already in {owner[algorithm.id]}", "ids are unique"
            )
        if algorithm.block < 1:
            raise DataError(f"{where}.block: '{algorithm.block}' is not positive", "leave it out if any length will do")
        owner[algorithm.id] = name
        for o, entry in enumerate(algorithm.operations):
            operation = _operation(f"{where}.operations[{o}]", document, algorithm, entry, sizes)
            if operation.id in operations:
                raise DataError(f"{where}.operations[{o}].verb: {shown(entry.verb)} stands twice", "one entry a verb")
            operations[operation.id] = operation


def _check_verb(where: str, verb: str, known: frozenset[str]) -> None:
    if verb not in known:
        raise DataError(f"{where}: {shown(verb)} is not a verb that is known here", nearest(verb, known))


def _operation(
    where: str, document: _FamilyFile, algorithm: _Algorithm, entry: _Operation, sizes: dict[int, str]
) -> Operation:
    _check_verb(f"{where}.verb", entry.verb, VERBS)
    _check_verb(f"{where}.verb", entry.verb, frozenset(document.verbs))
    default = document.verbs[entry.verb]
    operation = Operation(
        algorithm=algorithm.id,
        verb=entry.verb,
        title=entry.title,
        family=document.family,
        standard=algorithm.standard,
        timed=default.timed if entry.timed is None else entry.timed,
        untimed=default.untimed if entry.untimed is None else entry.untimed,
        unit=default.unit,
        sizes=default.sizes if entry.sizes is None else entry.sizes,
        headline_size=default.headline_size if entry.headline_size is None else entry.headline_size,
        keys=algorithm.keys,
        block=algorithm.block,
    )
    _check_texts(where, operation)
    _check_sizes(where, operation, sizes)
    return operation


def _check_texts(where: str, operation: Operation) -> None:
    for field in ("title", "standard", "timed", "untimed", "keys"):
        if not getattr(operation, field).strip():
            raise DataError(f"{where}.{field}: is empty", "a reader must learn it from the catalogue")


def _check_sizes(where: str, operation: Operation, sizes: dict[int, str]) -> None:
    for size in operation.sizes:
        if size not in sizes:
            known = ", ".join(map(str, sorted(sizes)))
            raise DataError(f"{where}.sizes: '{size}' is not in algorithms/sizes.toml", f"known: {known}")
        if size % operation.block:
            raise DataError(
                f"{where}.sizes: '{size}' is no multiple of the block of {operation.block} bytes",
                "give this operation sizes of its own",
            )
    if list(operation.sizes) != sorted(set(operation.sizes)):
        raise DataError(
            f"{where}.sizes: '{list(operation.sizes)}' is not in rising order", "each size once, smallest first"
        )
    if operation.unit == "byte" and not operation.sizes:
        raise DataError(f"{where}.sizes: is empty, but the unit of work is a byte", 'give sizes, or `unit = "call"`')
    if operation.unit == "call" and operation.sizes:
        raise DataError(
            f"{where}.sizes: '{list(operation.sizes)}', but the unit of work is a call",
            'give no sizes, or `unit = "byte"`',
        )
    if operation.sizes and operation.headline_size not in operation.sizes:
        raise DataError(
            f"{where}.headline_size: '{operation.headline_size}' is not one of its sizes",
            f"one of {list(operation.sizes)}",
        )
    if not operation.sizes and operation.headline_size is not None:
        raise DataError(f"{where}.headline_size: '{operation.headline_size}', but it has no sizes", "remove it")
