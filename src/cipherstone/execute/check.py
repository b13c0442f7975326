# SPDX-License-Identifier: Apache-2.0
"""Proof without timing: every implementation of every operation against all its vectors and its timed inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from cipherstone.catalogue.algorithms import Catalogue, Operation
from cipherstone.catalogue.conditions import asked_for
from cipherstone.catalogue.filter import Filter
from cipherstone.execute.survey import Found
from cipherstone.measure.breadth import Asker, Questions, look
from cipherstone.measure.plan import cell_facts
from cipherstone.measure.pool import PassPool, Vectors, outcome_of
from cipherstone.measure.proof import NOT_FOR_THIS, Capability, Expectations, members, prove_case
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import ProofRecord
from cipherstone.protocol.messages import Refusal

Told = Callable[[str, str, Mapping[str, str]], None]


class RandomInputs(msgspec.Struct, frozen=True):
    """Random inputs of each operation, beyond its vectors: how many (0 or more), and the number of the one at a place, which names it."""

    count: int
    numbers: Callable[[int], int]


class Check(msgspec.Struct, frozen=True):
    """What a check asks. `selection`: which operations, None for all. `strict`: what is lax or strict is wrong. `depth`: None for vectors alone."""

    selection: Filter | None = None
    strict: bool = False
    depth: RandomInputs | None = None


EVERY_VECTOR = Check()


def check_everything(
    found: Sequence[Found],
    catalogue: Catalogue,
    vectors: Vectors,
    check: Check = EVERY_VECTOR,
    told: Told | None = None,
) -> Iterator[ProofRecord]:
    """One record for each (lane, operation) that the check selects. `told(operation, lane, verdicts)`: hears what each lane made of each vector."""
    selection = check.selection
    launches = {f"{f.id}@{f.build.build}": f.launch for f in found if f.build is not None and f.launch is not None}
    expectations = Expectations()
    with PassPool(launches, vectors, None, brief=False, pass_index=0, strict=check.strict) as pool:
        for one in found:
            if one.build is None:
                continue
            offer = one.offer(catalogue)
            for operation_id, implementation in sorted(offer.capabilities):
                base = catalogue.operations.get(operation_id)
                lane = Lane(one.id, one.build.build, implementation)
                for operation in () if base is None else asked_for(base, selection, catalogue.conditions):
                    capability = offer.capability(operation, implementation)
                    usual = catalogue.usual(operation)
                    if isinstance(capability, Capability) and (
                        selection is None
                        or any(selection.matches(usual | cell_facts(operation, case, lane)) for case in operation.cases)
                    ):
                        record = _check(pool, lane, capability, operation, expectations, told)
                        if check.depth is not None and check.depth.count and record.outcome.timed:
                            record = _in_depth(pool, lane, capability, record, check.depth)
                        yield record


def _in_depth(
    pool: PassPool,
    lane: Lane,
    capability: Capability,
    record: ProofRecord,
    depth: RandomInputs,
) -> ProofRecord:
    """A record with what random inputs showed."""
    questions = Questions(capability.operation, capability.form, depth.numbers)
    if not questions.any:
        return record
    looked = look(Asker(lane.id, capability, pool.worker(lane)), (questions.at(place) for place in range(depth.count)))
    outcome, failures = record.outcome, record.failures
    if looked.result.wrong:
        outcome = Outcome.WRONG
        failures += (
            f"{looked.result.wrong} of {looked.result.looked} random inputs: {'; '.join(looked.result.failures)}",
        )
    if looked.broken is not None:
        pool.discard(lane)
        # Who was wrong before it broke was wrong.
        outcome = outcome if looked.result.wrong else outcome_of(looked.broken)
        failures = (*failures, str(looked.broken))
    return msgspec.structs.replace(record, outcome=outcome, failures=failures, breadth=looked.result)


def _check(
    pool: PassPool,
    lane: Lane,
    capability: Capability,
    operation: Operation,
    expectations: Expectations,
    told: Told | None,
) -> ProofRecord:
    failures: list[str] = []
    try:
        record = pool.prove(lane, capability)
        assert record is not None  # every lane comes once
        if told is not None:
            told(capability.operation, lane.id, pool.verdicts(lane, capability))
        if not record.outcome.timed:
            return record
        confirmed = 0
        for case in operation.cases:
            try:
                worker = pool.worker(lane)
                count = members(case, capability, ()) if case.size_bytes in (None, operation.headline_size) else 1
                first, *more = (expectations.of(case, capability.form, member) for member in range(count))
                proven = prove_case(worker, 0, case, capability, first, more)
            except Refusal as refusal:
                if refusal.code in NOT_FOR_THIS:
                    continue
                failures.append(f"{case.id}: {refusal}")
                continue
            if isinstance(proven, str):
                failures.append(f"{case.id}: {proven}")
            else:
                confirmed += 1
        outcome = Outcome.WRONG if failures else record.outcome
        return msgspec.structs.replace(record, oracle=confirmed, outcome=outcome, failures=tuple(failures))
    except WorkerError as error:
        pool.discard(lane)
        outcome = Outcome.WRONG if failures else outcome_of(error)
        return ProofRecord(capability.operation, lane.id, 0, outcome, failures=(*failures, str(error)))
