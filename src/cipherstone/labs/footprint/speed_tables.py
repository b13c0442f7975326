# SPDX-License-Identifier: Apache-2.0
"""The speed lost at a step, as rows of text, for the terminal and for the page; what a publication lost beside it."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.labs.footprint.front import Spot, counts_over, memory_spots, speed_spots
from cipherstone.labs.footprint.ladder import PROGRAMS, PublishedLadder, PublishedSpeed
from cipherstone.labs.footprint.results import Footprint, Row, StepOutcome
from cipherstone.model.estimate import Estimate
from cipherstone.report.words.numbers import interval_text, ratio_text, time_text

NONE = "-"
HEAD = ("input", "time", "x", "interval", "instructions", "x counted")
FIGURES = (
    "time: CPU time of a call of main in that very file, from input to output, reading and writing taken off, the steps of a ladder in turn. "
    "x: over the step default, above 1 it is slower. instructions: of a call, counted under emulation, and no time; the emulated processor may have other instructions than this one; x counted: theirs over those of default."
)
FRONT = "Size against time, and against RAM (data, bss, heap and stack at their peak). On the front: no smaller file needs as little; where intervals touch, the larger file is left out."


def speed_rows(found: Footprint, rows: Sequence[Row]) -> list[tuple[str, ...]]:
    """(step, the columns of `speed_head`) for each input of each step."""
    told: list[tuple[str, ...]] = []
    kept = speed_head(rows)
    for row in rows:
        for one in row.speed:
            counted = counts_over(found, row, one)
            figures = {
                "input": one.task,
                "time": time_text(one.ns) if one.ns else NONE,
                "x": ratio_text(one.over) if one.over else NONE,
                "interval": interval_text(one.over) if one.over else NONE,
                "instructions": f"{one.instructions:,}" if one.instructions else NONE,
                "x counted": f"{counted:.2f}" if counted else NONE,
            }
            told.append((row.step, *(figures[name] for name in kept)))
    return told


def speed_head(rows: Sequence[Row]) -> tuple[str, ...]:
    """The columns of `HEAD` that have a figure: what draws what it computes with has no counts, a machine under emulation no times."""
    counted = any(one.instructions for row in rows for one in row.speed)
    timed = any(one.ns for row in rows for one in row.speed)
    return (HEAD[0], *(HEAD[1:4] if timed or not counted else ()), *(HEAD[4:] if counted else ()))


def speed_notes(rows: Sequence[Row]) -> list[str]:
    """Why a figure is missing; what is said of several alike, once."""
    said: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        for one in row.speed:
            if one.why:
                said.setdefault(one.why, {}).setdefault(row.step, []).append(one.task)
    return [
        "; ".join(f"{step}, {', '.join(tasks)}" for step, tasks in of.items()) + f": {why}" for why, of in said.items()
    ]


def front_lines(found: Footprint) -> list[tuple[str, str, str]]:
    """(program and machine, files on the front by time, those by RAM)."""
    told = []
    for target in found.targets:
        for program in PROGRAMS:
            speed, memory = speed_spots(found, target, program), memory_spots(found, target, program)
            if speed:
                name = f"{program} on {target}" if target else program
                told.append((name, _front(speed, timed=True), _front(memory, timed=False)))
    return told


def _front(spots: Sequence[Spot], timed: bool) -> str:
    return ", ".join(
        f"{one.row.library} {one.row.step} {one.bytes:,} B {time_text(one.cost) if timed else f'{one.cost.value:,.0f} B'}"
        for one in spots
        if one.front
    )


PUBLISHED_HEAD = ("timed in 2018", "reduced", "default", "x", "ours x")


def published_rows(found: Footprint, ladder: PublishedLadder) -> list[tuple[str, ...]]:
    """(row, as printed in the reduced configuration, in upstream's, how much slower, and ours at the step that is nearest)."""
    return [
        (one.title, *_printed(one), f"{one.default / one.reduced:.2f}", _ours(found, ladder, one))
        for one in ladder.speed
    ]  # fmt: skip


def _printed(one: PublishedSpeed) -> list[str]:
    rates = one.mb_s or ("", "")
    pairs = zip((one.reduced, one.default), rates, strict=True)
    return [f"{value:.10g}" + (f" ({rate} MB/s)" if rate else "") for value, rate in pairs]


def _ours(found: Footprint, ladder: PublishedLadder, one: PublishedSpeed) -> str:
    for target in found.targets:
        row = found.row((target, ladder.library, one.program, ladder.reduced))
        if row is None:
            continue
        if row.outcome is not StepOutcome.PROVEN:
            return str(row.outcome)  # its reason stands below the program's table
        seen = next((timed for timed in row.speed if timed.task == one.task), None)
        if seen is not None and seen.over is not None:
            return _ratio(seen.over)
        counted = counts_over(found, row, seen) if seen is not None else None
        if counted:
            return f"{counted:.2f} (counted on {target})" if target else f"{counted:.2f} (counted)"
    return NONE


def _ratio(over: Estimate) -> str:
    return f"{ratio_text(over)} ({interval_text(over)})"
