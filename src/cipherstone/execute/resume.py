# SPDX-License-Identifier: Apache-2.0
"""The plan of a resumed run, tied to the workers as they are now; or why it cannot be resumed."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.execute.survey import Found
from cipherstone.host.private import Private
from cipherstone.measure.plan import Plan
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import UsageError
from cipherstone.model.identity import changes
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import Manifest


def plan_again(manifest: Manifest, found: Sequence[Found], catalogue: Catalogue) -> Plan:
    """The manifest's plan, tied to the workers as they are now."""
    offers = {f"{f.id}@{f.build.build}": f for f in found if f.build is not None}
    before = {f"{build.library}@{build.build}": build for build in manifest.builds}
    lanes: dict[str, Lane] = {}
    capabilities: dict[tuple[str, str], Capability] = {}
    private = Private.here()
    for planned in manifest.plan:
        operation = Case.parse(planned.case).operation
        for name in planned.lanes:
            lane = lanes.setdefault(name, Lane.parse(name))
            here = offers.get(lane.build_id)
            measured = before.get(lane.build_id)
            if here is None or here.build is None or measured is None:
                raise _not_here(lane, found)
            if differing := changes(measured, private.build(here.build)):
                raise UsageError(
                    f"resume: {Lane.parse(lane.build_id).words} is not here as it was measured: {'; '.join(differing)}",
                    "start a new run",
                )
            known, offer = catalogue.known(operation), here.offer(catalogue)
            capability = offer.capability(known, lane.implementation) if known is not None else None
            if not isinstance(capability, Capability):
                raise UsageError(f"resume: {lane.id} no longer offers {operation}", "start a new run")
            capabilities[operation, name] = capability
    return Plan(manifest.plan, lanes, capabilities, ())


def _not_here(lane: Lane, found: Sequence[Found]) -> UsageError:
    """Why a build that a run measures cannot go on: it is there and does not start, it cannot be had, or another version is there."""
    other = next((f.build.version for f in found if f.build is not None and f.id == lane.library), "")
    if other:
        return UsageError(
            f"resume: {Lane.parse(lane.build_id).words} is not here as it was measured: now {other}", "start a new run"
        )
    # A worker made elsewhere that does not start cannot say what it is called.
    troubled = [f for f in found if f.build is None and (f.id == lane.library or f.library is None)]
    for one in sorted(troubled, key=lambda f: (f.id, f.variant) != (lane.library, lane.variant)):
        said = one.output.strip().splitlines()[-1:]
        problem = "; it says: ".join([one.problem, *said])
        return UsageError(
            f"resume: {Lane.parse(lane.build_id).words} cannot be measured now: {one.title}: {problem}",
            "mend that and resume again, or start a new run",
        )
    return UsageError(
        f"resume: {Lane.parse(lane.build_id).words} is not here as it was measured: now not installed",
        "name its executable with --worker, or start a new run",
    )
