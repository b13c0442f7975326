# SPDX-License-Identifier: Apache-2.0
"""What there is to say of a library beside its figures: lines of code, advisories."""

from __future__ import annotations

from collections.abc import Mapping

from cipherstone.model.records import Build, KnownAdvisory

NOT_COUNTED = "not counted"


def lines_text(lines: Mapping[str, int]) -> str:
    """`141 000 (C 112 000, assembly 29 000)`, rounded to three digits; `not counted`."""
    if not lines:
        return NOT_COUNTED
    parts = [f"{language} {_rounded(count)}" for language, count in lines.items()]
    return f"{_rounded(sum(lines.values()))} ({', '.join(parts)})"


def lines_short(lines: Mapping[str, int]) -> str:
    """The sum in thousands, `141 k`; a dash if they were not counted."""
    total = sum(lines.values())
    return "-" if not lines else f"{total / 1000:.0f} k" if total >= 9500 else f"{total / 1000:.1f} k"


def _rounded(count: int) -> str:
    digits = max(0, len(str(count)) - 3)
    return f"{round(count, -digits):,}".replace(",", " ")


def advisory_text(one: KnownAdvisory, packaged: bool) -> str:
    """One advisory as a sentence or two, with what the package's changelog says of it."""
    mended = (
        " The package's changelog names it as mended."
        if one.mended
        else " The package's changelog does not name it; a distribution may have mended it all the same."
        if packaged
        else ""
    )
    return f"{one.id} ({one.date}): {one.what.rstrip('.')} ({one.source}).{mended}"


def advisories_of(build: Build) -> list[str]:
    """Those that are known of upstream's version, a line each; what is not listed is not said to be safe."""
    packaged = any(one.package for one in build.objects if one.role in ("library", "archive"))
    return [advisory_text(one, packaged) for one in build.advisories]


def advisories_heading(build: Build) -> str:
    """What the list of `advisories_of` is."""
    return f"known advisories that touch what is measured here, as of {build.advisories_as_of}"
