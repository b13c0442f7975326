# SPDX-License-Identifier: Apache-2.0
"""The catalogue of operations: `algorithms/NAME/algorithm.toml` of each algorithm, with what `algorithms/families.toml` says of its family."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import translate
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path

import msgspec

from cipherstone.catalogue.conditions import (
    Condition,
    asked_for,
    conditions_of,
    load_conditions,
    under,
    usual,
    without_conditions,
)
from cipherstone.catalogue.document import read_toml, shown
from cipherstone.catalogue.families import NAME as FAMILIES_FILE
from cipherstone.catalogue.families import (
    Family,
    TimedRegion,
    Unit,
    check_sizes,
    check_verb,
    check_verbs,
    load_families,
)
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.verbs import Verb, load_verbs
from cipherstone.model.errors import DataError, UsageError, nearest
from cipherstone.model.ids import Case, Params, parse_params

_ID = re.compile(r"[a-z0-9][a-z0-9.+_-]*\Z")
MAX_RING = 16  # the engine numbers the cases of up to 60 lanes of one worker
MAX_SIZE_BYTES = 64 << 20  # of a message: seal and open answer with as much, and lines of the protocol have an end


class Operation(msgspec.Struct, frozen=True, dict=True):
    """What can be measured, for every library alike.

    One for every combination of the values of its parameters. `timed` and `untimed` say what is inside and outside of the timed region; `unit` is the unit of work; `sizes` are lengths of `msg` in bytes (empty for
    operations without sizes), `headline_size` the one that stands for all; `keys` says how keys, nonces and outputs are encoded; `block`: `msg` is a
    multiple of this many bytes; `lengths`: bytes of inputs and outputs that have one length only (`sig`: the longest);
    `params`: every parameter but the size. `ring`: how many inputs take the calls in turn, for operations whose path depends on their inputs.
    `distribution`: calls differ by what they draw, so each is timed alone and all are reported as a distribution. `varied`: parameters that known answers have with any value. `lab`: the laboratory whose workers alone have it, or "". `called`: the algorithm's title.
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
    lengths: dict[str, int] = {}
    params: Params = ()
    ring: int = 1
    distribution: bool = False
    varied: tuple[str, ...] = ()
    lab: str = ""
    called: str = ""

    @cached_property
    def listed(self) -> str:
        """`ALGORITHM/VERB`, as workers call it."""
        return f"{self.algorithm}/{self.verb}"

    @cached_property
    def id(self) -> str:
        """`ALGORITHM/VERB[/NAME=VALUE...]`."""
        return self.headline.operation

    @cached_property
    def base_id(self) -> str:
        """The id without conditions."""
        return Case(self.algorithm, self.verb, None, without_conditions(self.params)).operation

    @property
    def headline(self) -> Case:
        """The case that stands for the operation."""
        return self.case(self.headline_size)

    @property
    def cases(self) -> tuple[Case, ...]:
        """Every size, or the one case without a size."""
        return tuple(self.case(size) for size in self.sizes) or (self.headline,)

    def case(self, size_bytes: int | None) -> Case:
        """The case of this size; any size will do that is a whole number of blocks."""
        return Case(self.algorithm, self.verb, size_bytes, self.params)

    def answers(self, params: Mapping[str, str]) -> bool:
        """Whether a known answer with `params` is one of this operation: they have its names, and its values but for those of `varied`."""
        mine = dict(without_conditions(self.params))
        return mine.keys() == params.keys() and all(
            mine[name] == params[name] for name in mine if name not in self.varied
        )

    def takes(self, size_bytes: int) -> bool:
        """Whether there is a case of this size."""
        return bool(self.sizes) and 0 < size_bytes <= MAX_SIZE_BYTES and size_bytes % self.block == 0


class Catalogue(msgspec.Struct, frozen=True, dict=True):
    """`operations` by `ALGORITHM/VERB` in catalogue order; `sizes`: bytes -> where the size comes from; `verbs` and `conditions` by name."""

    operations: dict[str, Operation]
    sizes: dict[int, str]
    verbs: dict[str, Verb] = {}
    conditions: dict[str, Condition] = {}

    @property
    def lengths(self) -> dict[str, dict[str, int]]:
        """Stated lengths in bytes, by algorithm and name; algorithms that state none are left out."""
        return {operation.algorithm: operation.lengths for operation in self.operations.values() if operation.lengths}

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Algorithm ids in catalogue order, each once."""
        return tuple(dict.fromkeys(operation.algorithm for operation in self.operations.values()))

    def listed(self, name: str) -> tuple[Operation, ...]:
        """Every operation that workers call `name` (`ALGORITHM/VERB`): one for each combination of parameters."""
        return self._by_listed.get(name, ())

    @cached_property
    def _by_listed(self) -> dict[str, tuple[Operation, ...]]:
        found: dict[str, list[Operation]] = {}
        for operation in self.operations.values():
            found.setdefault(operation.listed, []).append(operation)
        return {name: tuple(operations) for name, operations in found.items()}

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Ids of the operations that a pattern (`*`, `?`, `[...]`) covers. Many libraries lack the same: each pattern is tried once."""
        if pattern not in self._matching:
            matches = re.compile(translate(pattern)).match
            self._matching[pattern] = tuple(name for name in self.operations if matches(name))
        return self._matching[pattern]

    @cached_property
    def _matching(self) -> dict[str, tuple[str, ...]]:
        return {}

    @property
    def params(self) -> dict[str, tuple[str, ...]]:
        """Names of parameters, with the values that operations have, in catalogue order; sizes are not among them."""
        found: dict[str, dict[str, None]] = {}
        for operation in self.operations.values():
            for name, value in operation.params:
                found.setdefault(name, {})[value] = None
        return {name: tuple(values) for name, values in found.items()}

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """Parameters and conditions by name, with their values: the keys of a filter beside those that every case has."""
        return self.params | {name: (one.usual, *one.values) for name, one in self.conditions.items()}

    def asked(self, selection: Filter | None) -> Iterator[Operation]:
        """Every operation, and those under conditions that the selection names."""
        for operation in self.operations.values():
            yield from asked_for(operation, selection, self.conditions)

    def known(self, operation_id: str) -> Operation | None:
        """The operation of this id, also under conditions; None for one that there is not."""
        if operation_id in self.operations:
            return self.operations[operation_id]
        try:
            case = Case.parse(operation_id)
        except UsageError:
            return None
        base = self.operations.get(Case(case.algorithm, case.verb, None, without_conditions(case.params)).operation)
        found = None if base is None else under(base, conditions_of(case.params), self.conditions)
        return found if found is not None and found.id == operation_id else None

    def usual(self, operation: Operation) -> dict[str, str]:
        """The conditions that hold for the operation without a word."""
        return usual(operation, self.conditions)

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


class _Operation(msgspec.Struct, forbid_unknown_fields=True):
    verb: str
    title: str
    params: dict[str, list[str | int]] = {}
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
    lengths: dict[str, int] = {}
    varied: tuple[str, ...] = ()
    lab: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    family: str
    algorithm: list[_Algorithm]
    verbs: dict[str, TimedRegion] = {}


@lru_cache(maxsize=2)
def _of_checkout(root: Path) -> Catalogue:
    return load_catalogue(root)


def catalogue_of_checkout() -> Catalogue:
    """The catalogue of the checkout that holds this package, read once a process."""
    return _of_checkout(data_root())


def catalogue_at(root: Path) -> Catalogue:
    """`load_catalogue`, but read once a process where `root` is the checkout that holds this package."""
    return catalogue_of_checkout() if root == data_root() else load_catalogue(root)


def output_room(case: Case, inputs: Mapping[str, bytes]) -> int | None:
    """Most bytes of output that `case` can have with these inputs, as the catalogue states it; None for an operation that it does not have."""
    catalogue = catalogue_of_checkout()
    operation = catalogue.known(case.operation)
    return None if operation is None else catalogue.verbs[case.verb].output_bytes(inputs, operation.lengths)


# An algorithm is a folder in `algorithms/`, called by its id: this file says what it is.
ALGORITHM_FILE = "algorithm.toml"
# Families of the laboratories: an application does not choose by them, so they are measured and listed where they are asked for.
LAB_FAMILIES = frozenset({"bignum", "tls"})


def load_catalogue(root: Path) -> Catalogue:
    """Reads and checks `algorithms/` under `root`. Raises DataError: one line, the first thing that is wrong."""
    folder = root / "algorithms"
    if not folder.is_dir():
        raise DataError(f"algorithms: {folder} is not a folder", "is the checkout complete?")
    sizes = _load_sizes(folder / "sizes.toml")
    verbs = load_verbs(root)
    operations: dict[str, Operation] = {}
    for name, document in _documents(folder, load_families(root, sizes, verbs)):
        _add(name, document, sizes, verbs, operations)
    if not operations:
        raise DataError(f"algorithms: no operation in {folder}", "is the checkout complete?")
    conditions = load_conditions(root, verbs)
    for operation in operations.values():
        for name, _ in operation.params:
            if name in conditions:
                raise DataError(f"{operation.id}: '{name}' is a condition", "a parameter needs a name of its own")
    return Catalogue(operations, sizes, verbs, conditions)


def _documents(folder: Path, families: Mapping[str, Family]) -> list[tuple[str, _File]]:
    """What each algorithm's file says, with the verbs of its family, and the name that is shown to people; in catalogue order."""
    found: dict[str, tuple[str, _File]] = {}
    for path in sorted(folder.glob(f"*/{ALGORITHM_FILE}")):
        name = f"algorithms/{path.parent.name}/{ALGORITHM_FILE}"
        document = read_toml(path, name, _File)
        if [algorithm.id for algorithm in document.algorithm] != [path.parent.name]:
            raise DataError(
                f"{name}: algorithm: is not {shown(path.parent.name)} alone",
                f'one [[algorithm]] with `id = "{path.parent.name}"`, after its folder',
            )
        family = families.get(document.family, Family(document.family))
        verbs = family.verbs | document.verbs
        found[path.parent.name] = (name, msgspec.structs.replace(document, verbs=verbs))
    for index, family in enumerate(families.values()):
        mine = [algorithm for algorithm, (_, document) in found.items() if document.family == family.id]
        for algorithm in family.first:
            if algorithm not in mine:
                raise DataError(
                    f"{FAMILIES_FILE}: family[{index}].first: {shown(algorithm)} is not an algorithm of {family.id}",
                    nearest(algorithm, mine),
                )
    return [found[algorithm] for algorithm in _in_order(found, families)]


def _in_order(found: Mapping[str, tuple[str, _File]], families: Mapping[str, Family]) -> list[str]:
    """By family, those of `families` first; in a family its first ones, then the others by name."""
    order = list(families)

    def place(algorithm: str) -> tuple[int, str, int, str]:
        family = found[algorithm][1].family
        first = families[family].first if family in families else ()
        return (
            order.index(family) if family in families else len(order),
            family,
            first.index(algorithm) if algorithm in first else len(first),
            algorithm,
        )

    return sorted(found, key=place)


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


def _add(
    name: str, document: _File, sizes: dict[int, str], verbs: dict[str, Verb], operations: dict[str, Operation]
) -> None:
    check_verbs(f"{name}: verbs", document.verbs, sizes, verbs)
    for a, algorithm in enumerate(document.algorithm):
        where = f"{name}: algorithm[{a}]"
        if not _ID.match(algorithm.id):
            raise DataError(
                f"{where}.id: {shown(algorithm.id)} is not an id",
                "lower-case letters, digits, and . + _ - after the first",
            )
        if algorithm.block < 1:
            raise DataError(f"{where}.block: '{algorithm.block}' is not positive", "leave it out if any length will do")
        for o, entry in enumerate(algorithm.operations):
            place = f"{where}.operations[{o}]"
            for params in _combinations(f"{place}.params", entry.params):
                operation = _operation(place, document, algorithm, entry, sizes, params)
                _check_lengths(f"{where}.lengths", operation, verbs[operation.verb])
                if operation.id in operations:
                    raise DataError(
                        f"{place}: {operation.id} stands twice", "one entry a verb, or entries of other parameters"
                    )
                operations[operation.id] = operation
        _check_varied(where, algorithm)


def _check_varied(where: str, algorithm: _Algorithm) -> None:
    """Every name is a parameter of an entry at least."""
    named = {name for entry in algorithm.operations for name in entry.params}
    for name in algorithm.varied:
        if name not in named:
            raise DataError(f"{where}: varied: {shown(name)} is not a parameter", nearest(name, named))


def _combinations(where: str, params: dict[str, list[str | int]]) -> list[Params]:
    """Every combination of the values, in the order in which they are written; one without parameters for none."""
    for name, values in params.items():
        try:
            checked = parse_params(",".join(f"{name}={value}" for value in values[:1]))
            for value in values[1:]:
                parse_params(f"{name}={value}")
        except UsageError as error:
            raise DataError(f"{where}.{name}: {error.message}", error.hint) from None
        if not checked or name == "bytes" or len(set(values)) < len(values):
            raise DataError(
                f"{where}.{name}: {shown(str(values))} is empty, has a value twice, or is the size",
                "sizes have their own key; a parameter needs a value at least, each once",
            )
    named = [[(name, str(value)) for value in values] for name, values in params.items()]
    return [tuple(one) for one in product(*named)]


def _operation(
    where: str,
    document: _File,
    algorithm: _Algorithm,
    entry: _Operation,
    sizes: dict[int, str],
    params: Params,
) -> Operation:
    check_verb(f"{where}.verb", entry.verb, document.verbs)
    default = document.verbs[entry.verb]
    operation = Operation(
        algorithm=algorithm.id,
        verb=entry.verb,
        title=_filled(f"{where}.title", entry.title, params),
        family=document.family,
        standard=algorithm.standard,
        timed=(default.timed if entry.timed is None else entry.timed) + _in_turn(default),
        untimed=default.untimed if entry.untimed is None else entry.untimed,
        unit=default.unit,
        sizes=default.sizes if entry.sizes is None else entry.sizes,
        headline_size=default.headline_size if entry.headline_size is None else entry.headline_size,
        keys=algorithm.keys,
        block=algorithm.block,
        lengths=algorithm.lengths,
        params=params,
        ring=default.ring,
        distribution=default.distribution,
        varied=algorithm.varied,
        lab=algorithm.lab,
        called=algorithm.title,
    )
    if not 1 <= operation.ring <= MAX_RING or (operation.ring > 1 and operation.sizes):
        raise DataError(
            f"{where}.ring: '{operation.ring}' is not from 1 to {MAX_RING}, or the operation has sizes",
            "a ring is for operations whose path depends on their inputs",
        )
    _check_texts(where, operation)
    _check_sizes(where, operation, sizes)
    return operation


def _in_turn(verb: TimedRegion) -> str:
    """What a reader must know of a ring, and of single calls."""
    turns = f"; {verb.ring} inputs take the calls in turn" if verb.ring > 1 else ""
    return turns + ("; each call alone" if verb.distribution else "")


def _filled(where: str, title: str, params: Params) -> str:
    """`{bits}-bit modular squaring` with the values of the parameters."""
    try:
        return title.format(**dict(params))
    except (KeyError, IndexError, ValueError) as error:
        raise DataError(
            f"{where}: {shown(title)}: {error} is not a parameter", "names in braces are parameters"
        ) from None


def _check_lengths(where: str, operation: Operation, verb: Verb) -> None:
    for name, size in operation.lengths.items():
        if size < 1:
            raise DataError(f"{where}.{name}: '{size}' is not positive", "a length in bytes")
    for term in verb.room:
        if isinstance(term, str) and term not in (*verb.inputs, *operation.lengths):
            raise DataError(
                f"{where}: '{term}' is missing, and the output of {operation.id} has as many bytes",
                f"lengths = {{ {term} = ... }}",
            )


def _check_texts(where: str, operation: Operation) -> None:
    for field in ("title", "standard", "timed", "untimed", "keys"):
        if not getattr(operation, field).strip():
            raise DataError(f"{where}.{field}: is empty", "a reader must learn it from the catalogue")


def _check_sizes(where: str, operation: Operation, sizes: dict[int, str]) -> None:
    check_sizes(where, operation.unit, operation.sizes, operation.headline_size, sizes)
    for size in operation.sizes:
        if size % operation.block:
            raise DataError(
                f"{where}.sizes: '{size}' is no multiple of the block of {operation.block} bytes",
                "give this operation sizes of its own",
            )
