# SPDX-License-Identifier: Apache-2.0
"""What a footprint is asked for: steps of a program of a ladder, as they are named, or as they stand beside a published page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cipherstone.labs.footprint.ladder import TLS_CLIENT, Ladder, PublishedLadder
from cipherstone.model.errors import UsageError, nearest

REFERENCE = "default"


class Asked(NamedTuple):
    """Steps of one program. `timed`: they are timed as well, in turn."""

    ladder: Ladder
    program: str
    steps: tuple[str, ...]
    timed: bool = False


def asked_by_name(
    ladders: Sequence[Ladder], programs: Sequence[str], steps: Sequence[str], timed: bool = False
) -> list[Asked]:
    """Every step that is named of every program of every ladder."""
    return [
        Asked(ladder, program, tuple(step.name for step in ladder.steps_of(program) if step.name in steps), timed)
        for ladder in ladders
        for program in programs
    ]


def of_page(name: str, published: Mapping[str, PublishedLadder]) -> list[PublishedLadder]:
    """The ladders of the page that the suite `name` is made after. Raises UsageError."""
    found = [one for one in published.values() if one.suite == name]
    if not found:
        known = {one.suite for one in published.values()}
        raise UsageError(f"--page: no suite '{name}' is made after a page with ladders", nearest(name, known))
    return found


def asked_by_page(page: Sequence[PublishedLadder], ladders: Mapping[str, Ladder], timed: bool = False) -> list[Asked]:
    """What stands beside the ladders of a page: of the client the steps that do what was published, and those that answer what the page left open; `timed`: the programs of the rows that it timed as well, at both configurations."""
    found = []
    for one in page:
        ladder = ladders[one.library]
        beside = {*(step.ours for step in one.step), *one.further}
        found.append(Asked(ladder, TLS_CLIENT, _in_order(ladder, TLS_CLIENT, beside)))
        for program in dict.fromkeys(row.program for row in one.speed) if timed else ():
            found.append(Asked(ladder, program, _in_order(ladder, program, {REFERENCE, one.reduced}), timed=True))
    return found


def narrowed(
    asked: Sequence[Asked], libraries: Sequence[str], programs: Sequence[str], steps: Sequence[str]
) -> list[Asked]:
    """Of these what is named as well."""
    return [
        one._replace(steps=tuple(step for step in one.steps if step in steps))
        for one in asked
        if one.ladder.library in libraries and one.program in programs
    ]


def _in_order(ladder: Ladder, program: str, names: set[str]) -> tuple[str, ...]:
    return tuple(step.name for step in ladder.steps_of(program) if step.name in names)
