# SPDX-License-Identifier: Apache-2.0
"""Versions of one library, measured side by side in one run: what the newer ones do faster, slower, alike, and what they brought or dropped."""

from __future__ import annotations

import msgspec

from cipherstone.model.errors import UsageError
from cipherstone.model.identity import package_text
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary
from cipherstone.stats.verdict import SMALLEST_THRESHOLD, verdict
from cipherstone.views.compare import lane_ratio, no_ratio


class VersionStep(msgspec.Struct, frozen=True):
    """One case in another version. `ratio`: its time over the first version's, None where either has no figure (`note` says why); `verdict` on this version, at `threshold` (0.01: 1 %). `old_ns`, `new_ns`: the times of both, in nanoseconds."""

    case: str
    ratio: Estimate | None
    verdict: Verdict
    threshold: float = SMALLEST_THRESHOLD
    note: str = ""
    old_ns: float | None = None
    new_ns: float | None = None


class Version(msgspec.Struct, frozen=True):
    """One other version. `lane`: its build's default implementation. `package`: what holds its code, with its revision, "" if that is not known. `brought`: operations that the first version lacks, `dropped`: the other way round."""

    lane: str
    version: str
    steps: tuple[VersionStep, ...]
    brought: tuple[str, ...]
    dropped: tuple[str, ...]
    package: str = ""

    @property
    def by_regression(self) -> list[VersionStep]:
        """The steps that have a ratio, the largest first."""
        found = [(step.ratio.value, step) for step in self.steps if step.ratio is not None]
        return [step for _, step in sorted(found, key=lambda one: -one[0])]

    def of(self, *kinds: Verdict) -> list[VersionStep]:
        """The steps with such a verdict, the largest change first."""
        found = [one for one in self.steps if one.verdict in kinds and one.ratio is not None]
        return sorted(found, key=lambda one: -max(one.ratio.value, 1 / one.ratio.value) if one.ratio else 0.0)


class Upgrade(msgspec.Struct, frozen=True):
    """`first`: the lane that all are compared with, `first_package`: what holds its code; `cases`: id and its time there in nanoseconds, in the order of the run."""

    library: str
    run_id: str
    trust: str
    trust_reason: str
    machine: str
    first: str
    first_version: str
    cases: tuple[tuple[str, float | None], ...]
    versions: tuple[Version, ...]
    first_package: str = ""


def upgrade_of(run: RunSummary, library: str, first: str) -> Upgrade:
    """The versions of `library` in a run against the build `first` (`openssl`, `openssl@3.6`). Raises UsageError if it is not there, or alone."""
    builds = {
        Lane(one.library, one.build).build_label: (Lane(one.library, one.build).id, one.version, package_text(one))
        for one in run.manifest.builds
        if one.library == library
    }
    if first not in builds or len(builds) < 2:
        raise UsageError(
            f"upgrade: run {run.manifest.run_id} has {', '.join(builds) or 'nothing'} of {library}",
            "two versions are needed, the first among them",
        )
    base, version, package = builds.pop(first)
    cells = {case.case: {cell.lane: cell for cell in case.cells} for case in run.cases}
    return Upgrade(
        library,
        run.manifest.run_id,
        str(run.trust),
        run.trust_reason,
        run.manifest.machine.cpu_model,
        base,
        version,
        tuple((case, _ns(mine.get(base))) for case, mine in cells.items()),
        tuple(
            msgspec.structs.replace(_version(run, lane, told, base), package=of) for lane, told, of in builds.values()
        ),
        package,
    )


def _ns(cell: CellSummary | None) -> float | None:
    return cell.ns.value if cell is not None and cell.ns is not None else None


def _version(run: RunSummary, lane: str, version: str, base: str) -> Version:
    there: dict[str, set[str]] = {lane: set(), base: set()}
    steps = []
    for case in run.cases:
        cells = {cell.lane: cell for cell in case.cells}
        for name, found in there.items():
            if name in cells and cells[name].outcome.timed:
                found.add(case.operation)
        if lane in cells and base in cells:
            steps.append(_step(run, case, cells[lane], cells[base]))
    return Version(
        lane,
        version,
        tuple(steps),
        tuple(sorted(there[lane] - there[base])),
        tuple(sorted(there[base] - there[lane])),
    )


def _step(run: RunSummary, case: CaseSummary, new: CellSummary, old: CellSummary) -> VersionStep:
    ratio = lane_ratio(case, new.lane, old.lane)
    if ratio is None:
        found, note = no_ratio(new, old)
        return VersionStep(case.case, None, found, note=note, old_ns=_ns(old), new_ns=_ns(new))
    word = verdict(ratio, case.threshold, run.manifest.settings.target)
    return VersionStep(case.case, ratio, word, case.threshold, "", _ns(old), _ns(new))
