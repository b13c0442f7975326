# SPDX-License-Identifier: Apache-2.0
"""Which code two runs or two lanes are of: comparisons of a thing with itself, and versions that say one thing where the code says another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cipherstone.model.identity import library_objects, object_changes, same_code
from cipherstone.model.ids import Lane, build_label
from cipherstone.model.records import Build, Manifest
from cipherstone.model.summary import RunSummary

TWO_BUILDS = "name each build by its path, which is verified: --library NAME+before=PREFIX --library NAME+after=PREFIX (PKG_CONFIG_PATH chooses only what pkg-config finds)"


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


def refusal_of(a: str, b: str, code: str) -> str:
    """One line for two names that are the same code."""
    return f"{a} and {b} are the same code ({code}): nothing to compare"


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
