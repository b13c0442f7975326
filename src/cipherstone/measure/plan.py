# SPDX-License-Identifier: Apache-2.0
"""What a run measures: cases, and the lanes that compete in each. Also what it cannot measure, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.catalogue.algorithms import Catalogue, Operation
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.suites import Suite
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, HARNESS_EMPTY, Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import OutcomeRecord, PlannedCase
from cipherstone.protocol.messages import Listed


class Offer(msgspec.Struct, frozen=True):
    """What one build offers: its lanes by operation, and what it lists as unavailable."""

    library: str
    build: str
    capabilities: Mapping[tuple[str, str], Capability]  # (operation, implementation)
    unavailable: Mapping[tuple[str, str], str]

    @staticmethod
    def from_listing(library: str, build: str, listed: Iterable[Listed]) -> Offer:
        """From a worker's reply to `list`."""
        capabilities: dict[tuple[str, str], Capability] = {}
        unavailable: dict[tuple[str, str], str] = {}
        for row in listed:
            if row.op == HARNESS_EMPTY:
                continue
            key = (row.op, row.impl)
            if row.status == "ok":
                capabilities[key] = Capability(row.op, row.impl, row.form, row.name)
            else:
                unavailable[key] = row.reason or "the library says it is unavailable here"
        return Offer(library, build, capabilities, unavailable)

    def implementations(self, operation: str) -> list[str]:
        """Implementations of an operation, available or not, `default` first."""
        names = {impl for op, impl in (*self.capabilities, *self.unavailable) if op == operation}
        return sorted(names, key=lambda name: (name != DEFAULT_IMPLEMENTATION, name))


class Plan(msgspec.Struct, frozen=True):
    """`cases` in catalogue order; `capabilities` by (operation, lane id); `outcomes`: cells that are known not to be measurable."""

    cases: tuple[PlannedCase, ...]
    lanes: Mapping[str, Lane]
    capabilities: Mapping[tuple[str, str], Capability]
    outcomes: tuple[OutcomeRecord, ...]


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
    for operation in catalogue.operations.values():
        for case in operation.cases:
            chosen: list[str] = []
            groups: dict[str, None] = {}
            for offer in offers:
                implementations = offer.implementations(operation.id) or [DEFAULT_IMPLEMENTATION]
                for implementation in implementations:
                    lane = Lane(offer.library, offer.build, implementation)
                    sections = _sections(suite, catalogue, operation, case, lane, implementations)
                    if not _wanted(operation, case, lane, sections, suite, selection, catalogue, implementations):
                        continue
                    key = (operation.id, implementation)
                    capability = offer.capabilities.get(key)
                    if capability is not None:
                        chosen.append(lane.id)
                        lanes[lane.id] = lane
                        capabilities[operation.id, lane.id] = capability
                        groups.update(dict.fromkeys(sections))
                    elif key in offer.unavailable:
                        outcomes.append(OutcomeRecord(case.id, lane.id, Outcome.UNAVAILABLE, offer.unavailable[key]))
                    else:
                        reason = _why_not(libraries.get(offer.library), operation.id)
                        outcomes.append(OutcomeRecord(case.id, lane.id, Outcome.UNSUPPORTED, reason))
            if chosen:
                twin = _twin(chosen, lanes, base)
                lanes[twin.id] = twin
                capabilities[operation.id, twin.id] = capabilities[operation.id, Lane(twin.library, twin.build, twin.implementation).id]
                cases.append(PlannedCase(case.id, (*chosen, twin.id), tuple(groups)))
    if not cases:
        raise UsageError("nothing to measure: no operation, size and lane of these libraries is selected", "`cipherstone list` shows what there is")
    planned = {case.case for case in cases}
    return Plan(tuple(cases), lanes, capabilities, tuple(record for record in outcomes if record.case in planned))


def cell_facts(operation: Operation, case: Case, lane: Lane) -> dict[str, str]:
    """What a filter can ask of a cell."""
    return {
        "library": lane.library,
        "algorithm": operation.algorithm,
        "verb": operation.verb,
        "op": operation.id,
        "bytes": "" if case.size_bytes is None else str(case.size_bytes),
        "impl": lane.implementation,
        "family": operation.family,
    }


def _sections(
    suite: Suite, catalogue: Catalogue, operation: Operation, case: Case, lane: Lane, implementations: Sequence[str]
) -> list[str]:
    """The suite's sections that show this cell. An only implementation counts as the library's default, whatever its name."""
    facts = cell_facts(operation, case, lane)
    if len(implementations) == 1:
        facts["impl"] = DEFAULT_IMPLEMENTATION
    return [section.id for section in suite.sections if section.has_case(operation, case) and section.lane_filter.matches(facts)]


def _wanted(
    operation: Operation,
    case: Case,
    lane: Lane,
    sections: Sequence[str],
    suite: Suite,
    selection: Filter | None,
    catalogue: Catalogue,
    implementations: Sequence[str],
) -> bool:
    """A selection replaces the suite: everything that matches, at the suite's sizes and lanes where it names no size and no implementation."""
    if selection is None:
        return bool(sections)
    if not selection.matches(cell_facts(operation, case, lane)):
        return False
    if "impl" not in selection.keys and lane.implementation != DEFAULT_IMPLEMENTATION and len(implementations) > 1:
        own = any(section.lane_filter.matches(cell_facts(operation, case, lane)) for section in suite.sections)
        if not own:
            return False
    if "bytes" not in selection.keys:
        sizes = {c.size_bytes for c in operation.cases if any(section.has_case(operation, c) for section in suite.sections)}
        return case.size_bytes in (sizes or {operation.headline_size})
    return True


def _why_not(library: Library | None, operation: str) -> str:
    if library is not None:
        for gap in library.not_measured:
            if operation in gap.operations:
                return gap.reason
    return "the library does not offer it"


def _twin(chosen: Sequence[str], lanes: Mapping[str, Lane], base: str | None) -> Lane:
    """The A/A lane: a second process of the base library's lane, else of the first lane."""
    names = [lanes[lane_id] for lane_id in chosen]
    original = next((lane for lane in names if base is not None and base in (lane.library, lane.id, lane.label)), names[0])
    return Lane(original.library, original.build, original.implementation, twin=True)
