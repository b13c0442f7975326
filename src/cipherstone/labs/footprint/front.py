# SPDX-License-Identifier: Apache-2.0
"""Size against speed and against memory: which proven files nothing beats in both."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cipherstone.labs.footprint.results import Footprint, Row, Timed
from cipherstone.model.estimate import Estimate


class Spot(msgspec.Struct, frozen=True):
    """A proven file: its bytes, and what they buy (less is better). `front`: no smaller file has as little."""

    row: Row
    bytes: int
    cost: Estimate
    front: bool = False


def fronted(spots: Sequence[Spot]) -> list[Spot]:
    """The same by rising size, those on the front marked: each costs less than the one before it on the front, which is smaller; where intervals touch that is not decided."""
    found: list[Spot] = []
    last: Estimate | None = None
    for spot in sorted(spots, key=lambda one: (one.bytes, one.cost.value)):
        high = spot.cost.high if spot.cost.high is not None else spot.cost.value
        low = last.low if last is not None and last.low is not None else last.value if last is not None else None
        better = not spot.row.label and (low is None or high < low)
        if better:
            last = spot.cost
        found.append(msgspec.structs.replace(spot, front=better))
    return found


def speed_spots(found: Footprint, target: str, program: str) -> list[Spot]:
    """Of a program's first input, on one machine; clients of servers with other certificates have another."""
    timed = [(row, one.ns) for row in _of(found, target, program) if (one := _first(found, row)) is not None]
    return fronted([Spot(row, row.sizes.file, ns) for row, ns in timed if ns is not None and row.sizes is not None])


def memory_spots(found: Footprint, target: str, program: str) -> list[Spot]:
    """What a program takes of RAM at its peak."""
    known = [(row, row.ram_bytes) for row in _of(found, target, program)]
    return fronted([Spot(row, row.sizes.file, Estimate(ram)) for row, ram in known if ram and row.sizes is not None])


def count_spots(found: Footprint, target: str, program: str) -> list[Spot]:
    """Instructions of a program's first input, where they were counted."""
    known = _of(found, target, program)
    counted = [(row, one.instructions) for row in known if (one := _first(found, row)) is not None]
    return fronted([Spot(row, row.sizes.file, Estimate(one)) for row, one in counted if one and row.sizes is not None])


def first_task(found: Footprint, program: str) -> str:
    """The input that the first row of a program has first; "" if none was timed."""
    return next((row.speed[0].task for row in found.rows if row.program == program and row.speed), "")


def _first(found: Footprint, row: Row) -> Timed | None:
    task = first_task(found, row.program)
    return next((one for one in row.speed if one.task == task), None)


def _of(found: Footprint, target: str, program: str) -> list[Row]:
    return [row for row in found.rows if (row.target, row.program) == (target, program) and row.sizes is not None]


def counts_over(found: Footprint, row: Row, one: Timed) -> float | None:
    """Its instructions over those of the step `default`; None where both are one file."""
    first = found.row((row.target, row.library, row.program, "default"))
    if first is not None and row.image and row.image == first.image:
        return None
    theirs = None if first is None else next((t.instructions for t in first.speed if t.task == one.task), None)
    return one.instructions / theirs if one.instructions and theirs and row.step != "default" else None
