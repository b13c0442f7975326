# SPDX-License-Identifier: Apache-2.0
"""Suites: named selections of what to measure, with the layout of their report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.algorithms import LAB_FAMILIES, Catalogue, Operation, catalogue_at, catalogue_of_checkout
from cipherstone.catalogue.document import read_toml, shown
from cipherstone.catalogue.filter import FILTER_KEYS, Filter, parse_filter
from cipherstone.model.errors import CipherstoneError, DataError, UsageError, nearest
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Case
from cipherstone.model.records import Settings

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")


class Section(msgspec.Struct, frozen=True):
    """A part of a suite: `cases`, and the lanes that compete in each.

    `lanes` is a filter over `FILTER_KEYS` and parameters. With `only_implementation`, the one implementation of a library that offers no `default` counts as its default. With `processes_only` its cases are timed as whole processes alone: one
    call takes so long that starting a process is nothing beside it.
    """

    id: str
    title: str
    question: str
    operations: tuple[str, ...]
    sizes: Literal["headline", "all"] | tuple[int, ...]
    cases: tuple[Case, ...]
    lanes: str
    only_implementation: bool = False
    processes_only: bool = False

    @property
    def filter(self) -> Filter:
        """`lanes`, parsed; any value of a key will do."""
        return lane_filter(self.lanes)

    def selects(self, facts: Mapping[str, str], alone: bool) -> bool:
        """Whether the lane belongs to this section. `alone`: its library has no other implementation of this operation."""
        if self.filter.matches(facts):
            return True
        return self.only_implementation and alone and self.filter.matches({**facts, "impl": DEFAULT_IMPLEMENTATION})


class Card(msgspec.Struct, frozen=True):
    """A question of the report's first screen and the case that answers it."""

    question: str
    case: Case


class Suite(msgspec.Struct, frozen=True):
    """A suite. `overrides`: fields of `Settings` that it sets. `builds`: what it measures beside the builds of a plain run; `labs`: laboratories that take part.

    `open`: a selection that names operations looks at the whole catalogue; inside of any other suite it only takes away.
    """

    name: str
    title: str
    description: str
    sections: tuple[Section, ...]
    cards: tuple[Card, ...]
    overrides: dict[str, int | float | bool]
    builds: tuple[str, ...] = ()
    labs: tuple[str, ...] = ()
    open: bool = False

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases of all sections in order, each once."""
        return tuple(dict.fromkeys(case for section in self.sections for case in section.cases))

    def apply(self, settings: Settings) -> Settings:
        """`settings` with what the suite sets."""
        return msgspec.convert(msgspec.to_builtins(settings) | self.overrides, Settings)


class _Settings(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    rounds: int | None = None
    batch_us: float | None = None
    batches_per_turn: int | None = None
    lead_us: float | None = None
    min_passes: int | None = None
    max_passes: int | None = None
    max_time_s: float | None = None
    target: float | None = None
    memory: bool | None = None
    processes: int | None = None


class _Section(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    title: str
    question: str
    operations: Literal["all"] | list[str]
    sizes: Literal["headline", "all"] | list[int]
    lanes: str
    only_implementation: bool = False
    processes_only: bool = False


class _Card(msgspec.Struct, forbid_unknown_fields=True):
    question: str
    case: str


class _SuiteFile(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    description: str
    section: list[_Section]
    card: list[_Card] = []
    builds: list[str] = []
    labs: list[str] = []
    open: bool = False
    settings: _Settings = msgspec.field(default_factory=_Settings)


def suite_names(root: Path) -> tuple[str, ...]:
    """Names of the suites under `root/suites`, in rising order."""
    return tuple(sorted(path.stem for path in (root / "suites").glob("*.toml")))


def load_suite(root: Path, name: str, catalogue: Catalogue | None = None) -> Suite:
    """`suites/NAME.toml`. Raises UsageError for a name that does not exist, DataError for a file that is malformed."""
    known = suite_names(root)
    if name not in known:
        raise UsageError(f"suite: {shown(name)} does not exist", nearest(name, known))
    operations = catalogue_at(root) if catalogue is None else catalogue
    file_name = f"suites/{name}.toml"
    document = read_toml(root / "suites" / f"{name}.toml", file_name, _SuiteFile)
    if not document.section:
        raise DataError(f"{file_name}: section: is empty", "a suite needs one section at least")
    sections: dict[str, Section] = {}
    for index, entry in enumerate(document.section):
        where = f"{file_name}: section[{index}]"
        if not _ID.match(entry.id) or entry.id in sections:
            raise DataError(
                f"{where}.id: {shown(entry.id)} is not an id, or stands twice", "lower-case letters, digits, - and _"
            )
        sections[entry.id] = _section(where, entry, operations)
    measured = {case for section in sections.values() for case in section.cases}
    cards = tuple(_card(f"{file_name}: card[{index}]", card, measured) for index, card in enumerate(document.card))
    return Suite(
        name,
        document.title,
        document.description,
        tuple(sections.values()),
        cards,
        _overrides(file_name, document.settings),
        _names(f"{file_name}: builds", document.builds),
        _labs(root, f"{file_name}: labs", document.labs),
        document.open,
    )


def _names(where: str, names: list[str]) -> tuple[str, ...]:
    for index, name in enumerate(names):
        if not name.strip() or name in names[:index]:
            raise DataError(
                f"{where}[{index}]: {shown(name)} is empty or stands twice", "see `cipherstone list --builds`"
            )
    return tuple(names)


def _labs(root: Path, where: str, names: list[str]) -> tuple[str, ...]:
    known = [path.parent.name for path in (root / "labs").glob("*/library.toml")]
    for index, name in enumerate(_names(where, names)):
        if name not in known:
            raise DataError(f"{where}[{index}]: {shown(name)} is not a folder in labs/", nearest(name, known))
    return tuple(names)


def _section(where: str, entry: _Section, catalogue: Catalogue) -> Section:
    # Distributions of slow calls need minutes: "all" leaves them to the suites that name them.
    everything = (o.id for o in catalogue.operations.values() if o.family not in LAB_FAMILIES and not o.distribution)
    ids = tuple(everything if entry.operations == "all" else entry.operations)
    if not ids:
        raise DataError(f"{where}.operations: is empty", 'name operations, or write "all"')
    cases: list[Case] = []
    for index, operation_id in enumerate(ids):
        operation = catalogue.known(operation_id)
        if operation is None:
            raise DataError(
                f"{where}.operations[{index}]: {shown(operation_id)} is not in the catalogue",
                nearest(operation_id, catalogue.operations),
            )
        if operation_id in ids[:index]:
            raise DataError(f"{where}.operations[{index}]: {shown(operation_id)} stands twice", "remove one of them")
        cases += _cases(f"{where}.sizes", operation, entry.sizes)
    try:
        lane_filter(entry.lanes)
    except CipherstoneError as error:
        raise DataError(f"{where}.lanes: {error.message}", error.hint) from None
    sizes = tuple(entry.sizes) if isinstance(entry.sizes, list) else entry.sizes
    return Section(
        entry.id,
        entry.title,
        entry.question,
        ids,
        sizes,
        tuple(cases),
        entry.lanes,
        entry.only_implementation,
        entry.processes_only,
    )


def _cases(where: str, operation: Operation, sizes: str | list[int]) -> tuple[Case, ...]:
    """A suite may name every size that the operation takes, also where its own curve has it not."""
    if sizes == "headline":
        return (operation.headline,)
    if isinstance(sizes, str) or not operation.sizes:
        return operation.cases
    for size in sizes:
        if not isinstance(size, int) or not operation.takes(size):
            hint = f"for example one of {list(operation.sizes)}"
            raise DataError(f"{where}: '{size}' is not a size of {operation.id}", hint)
    return tuple(operation.case(size) for size in sizes if isinstance(size, int))


def _card(where: str, card: _Card, measured: set[Case]) -> Card:
    try:
        case = Case.parse(card.case)
    except UsageError as error:
        raise DataError(f"{where}.case: {error.message}", error.hint) from None
    if case not in measured:
        raise DataError(
            f"{where}.case: {shown(card.case)} is not measured by this suite",
            nearest(card.case, (c.id for c in measured)),
        )
    if not card.question.strip():
        raise DataError(f"{where}.question: is empty", "ask what the card answers")
    return Card(card.question, case)


def _overrides(name: str, settings: _Settings) -> dict[str, int | float | bool]:
    overrides: dict[str, int | float | bool] = msgspec.to_builtins(settings)
    for field, value in overrides.items():
        if not isinstance(value, bool) and value <= 0:
            raise DataError(f"{name}: settings.{field}: '{value}' is not positive", "leave it out for the default")
    low, high = overrides.get("min_passes", 0), overrides.get("max_passes", Settings().max_passes)
    if low > high:
        raise DataError(f"{name}: settings.min_passes: '{low}' is more than max_passes, {high}", "")
    return overrides


def lane_filter(text: str) -> Filter:
    """A filter of lanes in names of the catalogue; any value of a key will do."""
    return parse_filter(text, dict.fromkeys((*FILTER_KEYS, *catalogue_of_checkout().params), ()))
