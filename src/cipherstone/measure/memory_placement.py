# SPDX-License-Identifier: Apache-2.0
"""Where the turns of a lane are taken: the same case prepared several times in one process, with other inputs at other addresses, each proven (decision 0046)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cipherstone.measure.proof import Capability, Expectations, prove_case
from cipherstone.measure.rounds import Contestant, LaneCrashed, LaneFailed, planned_turns
from cipherstone.measure.warm import places_of
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case
from cipherstone.model.records import Settings
from cipherstone.protocol.messages import Refusal


def spread_out(
    contestants: Sequence[Contestant],
    case: Case,
    capabilities: Mapping[tuple[str, str], Capability],
    expectations: Expectations,
    settings: Settings,
    pass_index: int,
) -> None:
    """Gives each lane the places that its turns of pass `pass_index` are taken at; a lane of few turns has others of them in the next. LaneFailed for a wrong result there, LaneCrashed."""
    free: dict[int, int] = {}
    for one in contestants:
        worker = id(one.proven.worker)
        free[worker] = max(free.get(worker, 0), one.proven.number + one.proven.ring)
    for one in contestants:
        capability = capabilities[case.operation, one.lane]
        count = places_of(case, capability.form, one.proven.ring, one.ns_per_call, one.alone)
        if count < 2:
            continue
        turns = planned_turns(one, settings)
        wanted = [(pass_index + turn) % count for turn in range(min(turns, count))]
        made = {0: one.proven}
        for member in (member for member in wanted if member):
            number = free[id(one.proven.worker)]
            free[id(one.proven.worker)] += 1
            expected = expectations.of(case, capability.form, member)
            try:
                proven = prove_case(one.proven.worker, number, case, capability, expected)
            except WorkerError as error:
                raise LaneCrashed(one.lane, error) from None
            except Refusal as refusal:
                raise LaneFailed(one.lane, f"refuses other inputs of the same shape: {refusal}") from None
            if isinstance(proven, str):
                raise LaneFailed(one.lane, proven)
            made[member] = proven
        one.places = tuple(made[member] for member in wanted)
