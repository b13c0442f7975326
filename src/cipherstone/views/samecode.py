# SPDX-License-Identifier: Apache-2.0
"""Which code two runs, lanes, counts or images are of: comparisons of a thing with itself, and versions that say one thing where the code says another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cipherstone.model.counts import Count, CountedTarget
from cipherstone.model.identity import library_objects, object_changes, same_code, same_counted
from cipherstone.model.ids import Lane, build_label
from cipherstone.model.records import Build, Manifest
from cipherstone.model.summary import RunSummary

TWO_BUILDS = "name each build by its path, which is verified: --library NAME@before=PREFIX --library NAME@after=PREFIX (PKG_CONFIG_PATH chooses only what pkg-config finds)"

FORCED = "--force compares them all the same, for a job that runs whether or not something changed"
NAMED = 3  # of many pairs of the same code


def build_of(manifest: Manifest, lane: str) -> Build | None:
    """The build of a lane id."""
    wanted = Lane.parse(lane).build_id
    return next((one for one in manifest.builds if Lane(one.library, one.build).build_id == wanted), None)


def same_lanes(a: Manifest, lane_a: str, b: Manifest, lane_b: str) -> str:
    """What both lanes run, if that is the same implementation in the same code; else ""."""
    x, y = build_of(a, lane_a), build_of(b, lane_b)
    if x is None or y is None or Lane.parse(lane_a).implementation != Lane.parse(lane_b).implementation:
        return ""
    return same_code(x, y)


def refusal_of(a: str, b: str, code: str, forced: bool = False) -> str:
    """One line for two names that are the same code; `forced`: compared for all that."""
    return no_comparison(f"{a} and {b} are the same code ({code})", forced)


def no_comparison(told: str, forced: bool = False) -> str:
    """The same of what is known already."""
    return f"{told}: {'what follows is what no difference looks like' if forced else 'nothing to compare'}"


def several_text(found: Sequence[str]) -> str:
    """What is the same code, a few of many."""
    more = [f"and {len(found) - NAMED} more"] if len(found) > NAMED else []
    return "; ".join((*found[:NAMED], *more))


@dataclass(frozen=True)
class OnBothSides:
    """What both sides have. `same`: a line for each thing that is the same code in both, `bearssl on aarch64: libbearssl.a 0123456789ab`; `other`: how many are not, or not known to be."""

    same: tuple[str, ...]
    other: int

    @property
    def refused(self) -> str:
        """What all of it is, if all is the same code; else ""."""
        return several_text(self.same) if self.same and not self.other else ""


Counted = tuple[Iterable[CountedTarget], Iterable[Count]]


def shared_counts(before: Counted, now: Counted) -> OnBothSides:
    """Builds on machines of which both sides have a count of some case, matched as `differences` matches them."""
    builds, cells = [], []
    for told, counts in (before, now):
        builds.append({(one.target, one.label): one for one in told if not one.problem})
        cells.append({one.key: (one.target, Lane.parse(one.lane).build_label) for one in counts if one.instructions})
    same, other = [], 0
    for target, label in dict.fromkeys(cells[1][key] for key in cells[1] if key in cells[0]):
        old, new = builds[0].get((target, label)), builds[1].get((target, label))
        code = same_counted(old, new) if old is not None and new is not None else ""
        same += [f"{label} on {target}: {code}"] if code else []
        other += not code
    return OnBothSides(tuple(same), other)


def same_counted_lanes(told: Iterable[CountedTarget], target: str, lane_a: str, lane_b: str) -> str:
    """What both lanes of a run are that were counted on `target`, if that is the same implementation in the same code; else ""."""
    a, b = Lane.parse(lane_a), Lane.parse(lane_b)
    by_build = {one.build: one for one in told if one.target == target}
    x, y = by_build.get(a.build_id), by_build.get(b.build_id)
    return same_counted(x, y) if x is not None and y is not None and a.implementation == b.implementation else ""


def counted_doubles(told: Sequence[CountedTarget]) -> Iterable[tuple[CountedTarget, CountedTarget, str]]:
    """Pairs of builds of one library that are the same code on one machine, with what it is."""
    for number, one in enumerate(told):
        for other in told[:number]:
            if one.build.partition("@")[0] == other.build.partition("@")[0] and (code := same_counted(other, one)):
                yield other, one, code


def doubles(builds: Sequence[Build]) -> Iterable[tuple[Build, Build, str]]:
    """Pairs of builds of one library that are the same code, with what it is."""
    for number, one in enumerate(builds):
        for other in builds[:number]:
            if one.library == other.library and (code := same_code(other, one)):
                yield other, one, code


def builds_of(run: RunSummary) -> dict[str, Build]:
    """Builds by `LIBRARY@BUILD`."""
    return {f"{build.library}@{build.build}": build for build in run.manifest.builds}


def code_changes(a: RunSummary, b: RunSummary) -> list[str]:
    """One line for each library whose version says one thing and whose code another: changed under one version, or the same under two; and for a changed environment.

    Builds are matched by library and variant. A worker that cannot tell what it was mapped from says nothing.
    """
    found = []
    others = {(build.library, Lane(build.library, build.build).variant): build for build in b.manifest.builds}
    for old in a.manifest.builds:
        variant = Lane(old.library, old.build).variant
        new = others.get((old.library, variant))
        name = build_label(old.library, variant)
        if new is None:
            continue
        differing = list(object_changes(library_objects(old), library_objects(new)))
        if old.version == new.version and differing:
            found.append(f"{name}: version {old.version} in both runs, but not the same code: {'; '.join(differing)}")
        if old.version != new.version and library_objects(old) and not differing:
            found.append(f"{name}: versions {old.version} and {new.version}, but the same library code in both runs")
        if old.environment != new.environment:
            found.append(f"{name}: its environment was {_settings(old)}, is {_settings(new)}")
    return found


def _settings(build: Build) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(build.environment.items())) or "not recorded"
