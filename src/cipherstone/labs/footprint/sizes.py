# SPDX-License-Identifier: Apache-2.0
"""The instrument of what is exact: sizes and memory of every step of a ladder, and the instructions of its inputs where they were counted. Nothing is timed; a turn gives what was read from the very file that was proven."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from cipherstone.host.private import Private
from cipherstone.labs.footprint.results import Footprint, StepOutcome
from cipherstone.labs.footprint.stored import INSTRUCTIONS, LAB, Details, Input, exact_of, place_of
from cipherstone.measure.pool import Launch
from cipherstone.measure.turns import Turn, TurnFailed
from cipherstone.model.instruments import FigureKind, InstrumentCase, InstrumentLane, InstrumentPlan

NOT_TIMED = "exact figures need none"


def _bytes(name: str, meaning: str, compared: bool = True) -> FigureKind:
    return FigureKind(f"{name}_bytes", "bytes", meaning, compared, exact=True)


FIGURES = (
    _bytes("file", "the stripped file; on a board flash: text, rodata and data"),
    _bytes("text", "code"),
    _bytes("rodata", "read-only data"),
    _bytes("data", "data"),
    _bytes("bss", "zeroed data"),
    _bytes("heap", "heap at the peak of one proven run"),
    _bytes("stack", "stack below the entry of main at the peak of one proven run"),
    _bytes("whole", "the file with its symbols", False),
    _bytes("removed", "unused, left out by the linker", False),
    FigureKind("removed_sections", "count", "sections that the linker left out", exact=True),
    FigureKind(INSTRUCTIONS, "count", "instructions of a call of main, counted twice under emulation", True, True),
)


class InputCount(NamedTuple):
    """Instructions of an input of a row, None where there are none; `title`: of its case."""

    input: Input
    title: str
    instructions: int | None


class LadderSizes:
    """The instrument. `found`: the footprint, measured; `counts`: of its inputs. The manifest holds what the tables need of both."""

    scouts: Sequence[Launch] = ()

    def __init__(self, found: Footprint, counts: Sequence[InputCount] = ()) -> None:
        self.found = found
        self._values: dict[tuple[str, str], Mapping[str, float] | str] = {}
        titles: dict[str, str] = {}
        lanes: dict[str, InstrumentLane] = {}
        private = Private.here()  # a failed build names folders, and a bundle is mailed
        stored = [msgspec.structs.replace(row, why=private.text(row.why)) for row in found.rows]
        for row in stored:
            if row.outcome is StepOutcome.ABSENT:
                continue
            case, lane = place_of(row)
            titles[case] = f"{row.library} {row.version}{f' on {row.target}' if row.target else ''}: {row.program}"
            lanes[lane] = InstrumentLane(lane, f"{row.library} {row.version} {row.step}")
            self._values[case, lane] = exact_of(row) or f"{row.outcome}: {row.why}"
        for one in counts:
            if one.instructions is not None:
                titles[one.input.case] = one.title
                self._values[one.input.case, one.input.own] = {INSTRUCTIONS: float(one.instructions)}
        self.plan = InstrumentPlan(
            LAB,
            "Sizes and memory of the steps of a ladder",
            FIGURES,
            tuple(lanes.values()),
            tuple(self._case(case, title) for case, title in titles.items()),
            1,
            details=msgspec.to_builtins(
                Details.of(msgspec.structs.replace(found, rows=tuple(stored)), [one.input for one in counts])
            ),
        )

    def _case(self, case: str, title: str) -> InstrumentCase:
        lanes = [lane for of, lane in self._values if of == case]
        base = next((lane for lane in lanes if ":" not in lane), "")
        return InstrumentCase(case, title, tuple(lanes), base, NOT_TIMED)

    @contextmanager
    def opened(self, case: InstrumentCase, pass_index: int) -> Iterator[Turn]:
        """Nothing is open: a turn gives what is known of a file."""

        def turn(lane: str) -> Mapping[str, float]:
            known = self._values[case.id, lane]
            if isinstance(known, str):
                raise TurnFailed(known)
            return known

        yield turn
