# SPDX-License-Identifier: Apache-2.0
"""What a run measures: cases, and the lanes that compete in each. Also what it cannot measure, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from cipherstone.catalogue.algorithms import LAB_FAMILIES, MAX_SIZE_BYTES, Catalogue, Operation
from cipherstone.catalogue.conditions import conditions_of
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.suites import Suite
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import (
    DEFAULT_IMPLEMENTATION,
    DISTRIBUTION_BUILD,
    HARNESS_EMPTY,
    Case,
    Lane,
    base_lane,
    version_of,
)
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import OutcomeRecord, PlannedCase
from cipherstone.model.units import format_size
from cipherstone.operations.ring import has_keys
from cipherstone.protocol.messages import Listed

# `PlannedCase.rank`: what is measured first where the time is short. What the suite's first screen asks for, every operation's headline size, the ends of the size curves, the sizes between them.
CARD, HEADLINE, END, BETWEEN = range(4)


class Offer(msgspec.Struct, frozen=True, dict=True):
    """What one build offers: its lanes by operation, and what it lists as unavailable."""

    library: str
    build: str
    capabilities: Mapping[tuple[str, str], Capability]  # (operation, implementation)
    unavailable: Mapping[tuple[str, str], str]

    @staticmethod
    def from_listing(
        library: str,
        build: str,
        listed: Iterable[Listed],
        catalogue: Catalogue | None = None,
        told_apart: bool = True,
        able: Collection[str] = (),
    ) -> Offer:
        """From a worker's reply to `list`: what it calls `modexp/private` is one operation for each combination of parameters in the catalogue.

        `told_apart`: whether the worker knows parameters; one that does not would ignore them in silence, so it is not asked for operations that have any. `able`: the worker's capabilities, which decide what it can be asked for under conditions.
        """
        capabilities: dict[tuple[str, str], Capability] = {}
        unavailable: dict[tuple[str, str], str] = {}
        for row in listed:
            if row.op == HARNESS_EMPTY:
                continue
            known = catalogue.listed(row.op) if catalogue is not None else ()
            fitting = {o.id: o.ring for o in known if row.fits(dict(o.params))} if known else {row.op: 1}
            if not told_apart:
                fitting = {operation: ring for operation, ring in fitting.items() if operation == row.op}
            without = _without(row, catalogue, able) if catalogue is not None and row.status == "ok" else {}
            for operation, ring in fitting.items():
                key = (operation, row.impl)
                if key in capabilities or key in unavailable:
                    continue  # of rows with one name the first that fits is taken
                if row.status == "ok":
                    capabilities[key] = Capability(operation, row.impl, row.form, row.name, ring, without)
                else:
                    unavailable[key] = row.reason or "the library says it is unavailable here"
        return Offer(library, build, capabilities, unavailable)

    def capability(self, operation: Operation, implementation: str) -> Capability | str | None:
        """Of an operation, perhaps under conditions: the capability, or why not; None if it is not offered at all."""
        found = self.capabilities.get((operation.base_id, implementation))
        if found is None or operation.id == operation.base_id:
            return found
        asked = conditions_of(operation.params)
        for name in asked:
            if name in found.without:
                return f"{name}={asked[name]}: {found.without[name]}"
        if asked.get("key") == "fresh" and not has_keys(operation.headline, found.form):
            return "key=fresh: no further keys are known here"
        return msgspec.structs.replace(found, operation=operation.id, ring=operation.ring)

    def implementations(self, operation: str) -> list[str]:
        """Implementations of an operation, available or not, `default` first."""
        return list(self._implementations.get(operation, ()))

    @cached_property
    def _implementations(self) -> dict[str, list[str]]:
        found: dict[str, set[str]] = {}
        for operation, name in (*self.capabilities, *self.unavailable):
            found.setdefault(operation, set()).add(name)
        return {
            operation: sorted(names, key=lambda name: (name != DEFAULT_IMPLEMENTATION, name))
            for operation, names in found.items()
        }


def _without(row: Listed, catalogue: Catalogue, able: Collection[str]) -> dict[str, str]:
    """Conditions that a row cannot be called under, and why."""
    found: dict[str, str] = {}
    for name, condition in catalogue.conditions.items():
        if condition.capability and condition.capability not in able:
            found[name] = f"this worker has no '{condition.capability}'"
        elif name == "key" and row.rekey is None:
            found[name] = row.why_not(name) or "the adapter has no function that takes a new key into a context"
        elif why := row.why_not(name):
            found[name] = why
    return found


class Plan(msgspec.Struct, frozen=True):
    """`cases` in catalogue order; `capabilities` by (operation, lane id); `outcomes`: cells that are known not to be measurable."""

    cases: tuple[PlannedCase, ...]
    lanes: Mapping[str, Lane]
    capabilities: Mapping[tuple[str, str], Capability]
    outcomes: tuple[OutcomeRecord, ...] = ()


def plan_run(
    catalogue: Catalogue,
    libraries: Mapping[str, Library],
    offers: Sequence[Offer],
    suite: Suite,
    selection: Filter | None,
    base: str | None,
) -> Plan:
    """Crosses the suite (or the selection) with what the builds offer. Raises UsageError if nothing is left to measure."""
    cases: list[PlannedCase] = []
    lanes: dict[str, Lane] = {}
    capabilities: dict[tuple[str, str], Capability] = {}
    outcomes: list[OutcomeRecord] = []
    for operation in _operations(catalogue, suite, selection):
        for case in all_cases(operation, selection, suite):
            chosen: list[str] = []
            groups: dict[str, None] = {}
            for offer in offers:
                if _by_name(operation, suite, selection) and not _is_lab(libraries.get(offer.library)):
                    continue
                implementations = offer.implementations(operation.base_id) or [DEFAULT_IMPLEMENTATION]
                for implementation in implementations:
                    lane = Lane(offer.library, offer.build, implementation)
                    facts = catalogue.usual(operation) | cell_facts(operation, case, lane)
                    alone = len(implementations) == 1
                    if not _wanted(operation, case, facts, alone, suite, selection):
                        continue
                    key = (operation.base_id, implementation)
                    capability = offer.capability(operation, implementation)
                    if isinstance(capability, str):
                        outcomes.append(OutcomeRecord(case.id, lane.id, Outcome.UNSUPPORTED, capability))
                    elif capability is not None:
                        chosen.append(lane.id)
                        lanes[lane.id] = lane
                        capabilities[operation.id, lane.id] = capability
                        groups.update(dict.fromkeys(_sections(suite, case, facts, alone)))
                    elif key in offer.unavailable:
                        outcomes.append(OutcomeRecord(case.id, lane.id, Outcome.UNAVAILABLE, offer.unavailable[key]))
                    else:
                        library = libraries.get(offer.library)
                        if _is_lab(library) or not _of_its_kind(catalogue, offer, operation):
                            continue  # made for other operations: that it has not these is not a finding
                        reason = _why_not(library, operation.base_id, offer.build)
                        outcomes.append(OutcomeRecord(case.id, lane.id, Outcome.UNSUPPORTED, reason))
            if chosen:
                twin = _twin(chosen, lanes, base)
                lanes[twin.id] = twin
                capabilities[operation.id, twin.id] = capabilities[
                    operation.id, Lane(twin.library, twin.build, twin.implementation).id
                ]
                whole = bool(groups) and all(one.processes_only for one in suite.sections if one.id in groups)
                cases.append(
                    PlannedCase(
                        case.id, (*chosen, twin.id), tuple(groups), operation.distribution, processes_only=whole
                    )
                )
    if not cases:
        raise UsageError(
            "nothing to measure: no operation, size and lane of these libraries is selected",
            _size_hint(catalogue, selection) or "`cipherstone list` shows what there is",
        )
    planned = {case.case for case in cases}
    return Plan(
        _placed(cases, catalogue, suite),
        lanes,
        capabilities,
        tuple(record for record in outcomes if record.case in planned),
    )


def plan_cases(
    catalogue: Catalogue, suite: Suite, selection: Filter | None, labs: bool = False
) -> tuple[PlannedCase, ...]:
    """The cases that the suite or the selection means, of any library: for a run that times nothing. `labs`: laboratories take part. Raises UsageError for none."""
    of_lanes = OF_LANES - {"bytes"}
    found = []
    for operation in _operations(catalogue, suite, selection):
        if not labs and _by_name(operation, suite, selection):
            continue
        usual = catalogue.usual(operation)
        for case in all_cases(operation, selection, suite):
            facts = usual | cell_facts(operation, case, Lane("", ""))
            if selection is not None and not selection.may_match(facts, of_lanes):
                continue
            if case in suite.cases if _of_suite(suite, selection) else _sized(operation, case, suite, selection):
                found.append(PlannedCase(case.id, ()))
    if not found:
        raise UsageError(
            "nothing to count: no operation and size is selected",
            _size_hint(catalogue, selection) or "`cipherstone list` shows what there is",
        )
    return tuple(found)


def _placed(cases: Sequence[PlannedCase], catalogue: Catalogue, suite: Suite) -> tuple[PlannedCase, ...]:
    """The cases with their rank, where the only size that a section names counts as headline; of an operation's headline size with their place among those whose first calls and memory are measured: what the suite's first screen asks for comes first, if not for all is time."""
    headlines = {operation.headline.id for operation in catalogue.operations.values()}
    carded = {card.case.id for card in suite.cards}
    once = sorted((case.case for case in cases if case.case in headlines), key=lambda name: name not in carded)
    places = {name: place for place, name in enumerate(once, 1)}
    ends = _ends(case.case for case in cases)
    named = {
        case.id
        for one in suite.sections
        if not isinstance(one.sizes, str) and len(one.sizes) == 1
        for case in one.cases
    }

    def matters(name: str) -> int:
        if name in headlines | named:
            return CARD if name in carded else HEADLINE
        return END if name in ends else BETWEEN

    return tuple(msgspec.structs.replace(one, once=places.get(one.case, 0), rank=matters(one.case)) for one in cases)


def _ends(cases: Iterable[str]) -> set[str]:
    """Of each operation the cases with the smallest and the largest size: what a call costs, and what a byte."""
    by_operation: dict[str, list[Case]] = {}
    for case in map(Case.parse, cases):
        by_operation.setdefault(case.operation, []).append(case)
    ends: set[str] = set()
    for found in by_operation.values():
        found.sort(key=lambda case: case.size_bytes or 0)
        ends |= {found[0].id, found[-1].id}
    return ends


OF_LANES = frozenset({"library", "impl", "build", "bytes"})  # keys of a selection that narrows a suite


def _operations(catalogue: Catalogue, suite: Suite, selection: Filter | None) -> Iterator[Operation]:
    """The operations of the suite; of an open one with a selection every operation, under conditions those that the selection names, or the suite where only lanes and sizes are named."""
    if selection is not None and not _of_suite(suite, selection) and selection.keys - OF_LANES:
        yield from catalogue.asked(selection)
        return
    named = dict.fromkeys(case.operation for case in suite.cases)
    found = map(catalogue.known, named)
    more = {one.id: one for one in found if one is not None and one.id != one.base_id}
    for operation in catalogue.operations.values():
        if operation.id in named or not _of_suite(suite, selection):
            yield operation
        yield from (one for one in more.values() if one.base_id == operation.id)


def all_cases(operation: Operation, selection: Filter | None, suite: Suite | None = None) -> tuple[Case, ...]:
    """The operation's cases, and those of other sizes that the selection or the suite names, smallest first."""
    # The algorithm first: texts of ids are put together anew each time, for every operation and case of the suite.
    name, cases = operation.id, suite.cases if suite else ()
    named = [case.size_bytes for case in cases if case.algorithm == operation.algorithm and case.operation == name]
    asked = dict.fromkeys((*(selection.sizes if selection else ()), *(size for size in named if size is not None)))
    more = [size for size in asked if size not in operation.sizes]
    extra = [operation.case(size) for size in more if operation.takes(size)]
    return (
        tuple(sorted((*operation.cases, *extra), key=lambda case: case.size_bytes or 0)) if extra else operation.cases
    )


def cell_facts(operation: Operation, case: Case, lane: Lane) -> dict[str, str]:
    """What a filter can ask of a cell; `bytes` is absent for operations without sizes, as are parameters that it has not."""
    facts = {
        "library": lane.library,
        "algorithm": operation.algorithm,
        "verb": operation.verb,
        "op": operation.base_id,
        "impl": lane.implementation,
        "family": operation.family,
        "build": lane.variant or DISTRIBUTION_BUILD,
        **dict(operation.params),
    }
    return facts if case.size_bytes is None else {**facts, "bytes": str(case.size_bytes)}


def _size_hint(catalogue: Catalogue, selection: Filter | None) -> str:
    """Why a size that was asked for is none, or ""."""
    for size in selection.sizes if selection else ():
        sized = [operation for operation in catalogue.operations.values() if operation.sizes]
        if not any(operation.takes(size) for operation in sized):
            return f"sizes are from 1 byte to {format_size(MAX_SIZE_BYTES)}"
        blocks = sorted({operation.block for operation in sized if size % operation.block})
        if blocks:
            return f"{size} bytes are no whole number of blocks of {' or '.join(map(str, blocks))} bytes, which some operations need"
    return ""


def _is_lab(library: Library | None) -> bool:
    return library is not None and library.lab


def _of_its_kind(catalogue: Catalogue, offer: Offer, operation: Operation) -> bool:
    """Whether a library is made for the operation's kind: big numbers of the laboratories, or all the rest. One that offers nothing known is asked for everything."""
    known = (catalogue.operations.get(op) for op, _ in (*offer.capabilities, *offer.unavailable))
    kinds = {other.family in LAB_FAMILIES for other in known if other is not None}
    return not kinds or (operation.family in LAB_FAMILIES) in kinds


def _of_suite(suite: Suite, selection: Filter | None) -> bool:
    """Whether the suite says what is measured, of which a selection only takes away."""
    return selection is None or not suite.open


def _by_name(operation: Operation, suite: Suite, selection: Filter | None) -> bool:
    """Whether the operation takes part only in laboratories, since the selection does not ask for it."""
    if _of_suite(suite, selection):
        return False
    return _only_by_name(operation, selection) or _outside_suite(operation, suite, selection)


def _only_by_name(operation: Operation, selection: Filter | None) -> bool:
    """Whether a selection leaves this operation out because it does not speak of operations: `-l openssl` means what a plain run measures of it."""
    if selection is None or operation.family not in LAB_FAMILIES:
        return False
    return not selection.keys & {"algorithm", "verb", "op", "family"}


def _outside_suite(operation: Operation, suite: Suite, selection: Filter | None) -> bool:
    """Whether a selection that speaks of lanes and sizes alone leaves this operation out because the suite has it not: `--quick -l openssl` is the quick suite of OpenSSL."""
    if selection is None or selection.keys - OF_LANES:
        return False
    return all(operation.id not in section.operations for section in suite.sections)


def _sections(suite: Suite, case: Case, facts: Mapping[str, str], alone: bool) -> list[str]:
    """The suite's sections that show this cell."""
    return [section.id for section in suite.sections if case in section.cases and section.selects(facts, alone)]


def _wanted(
    operation: Operation, case: Case, facts: Mapping[str, str], alone: bool, suite: Suite, selection: Filter | None
) -> bool:
    """A selection takes away from the suite. It replaces an open one: what matches it, at the suite's sizes if it names no size, on the suite's lanes if it names no implementation."""
    if selection is not None and not selection.matches(facts):
        return False
    if selection is None or _of_suite(suite, selection):
        return bool(_sections(suite, case, facts, alone))
    if "impl" not in selection.keys and not alone and facts["impl"] != DEFAULT_IMPLEMENTATION:
        in_suite = any(
            operation.base_id in section.operations and section.selects(facts, alone) for section in suite.sections
        )
        if not in_suite:
            return False
    return _sized(operation, case, suite, selection)


def _sized(operation: Operation, case: Case, suite: Suite, selection: Filter | None) -> bool:
    """Whether a selection means this size: one that it names, else those of the suite, else the headline one."""
    if selection is not None and "bytes" in selection.keys:
        return True
    sizes = {c.size_bytes for c in suite.cases if c.operation == operation.base_id}
    return case.size_bytes in (sizes or {operation.headline_size})


def _why_not(library: Library | None, operation: str, build: str) -> str:
    said = library.why_not(operation, version_of(build)) if library is not None else ""
    return said or "the library does not offer it"


def _twin(chosen: Sequence[str], lanes: Mapping[str, Lane], base: str | None) -> Lane:
    """The A/A lane: a second process of the base library's lane, else of the first lane."""
    meant = base_lane(base, chosen)
    names = [lanes[lane_id] for lane_id in chosen]
    original = lanes[meant] if meant else next((lane for lane in names if lane.library == base), names[0])
    return Lane(original.library, original.build, original.implementation, twin=True)
