# SPDX-License-Identifier: Apache-2.0
"""A footprint in a run: what the manifest holds beside the figures, and the footprint that a run shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from cipherstone.labs.footprint.elf import Sizes
from cipherstone.labs.footprint.ladder import PublishedLadder
from cipherstone.labs.footprint.results import Footprint, PeakMemory, Row, Timed, largest
from cipherstone.model.ids import Case, Lane
from cipherstone.model.instruments import FigureSummary
from cipherstone.model.summary import RunSummary
from cipherstone.views.instrument_details import details_read, plan_of

LAB, SPEED = "footprint", "footprint-speed"  # the instruments: of what is exact, and of time
TIME, INSTRUCTIONS = "cpu_ns", "instructions"
Figures = Mapping[tuple[str, str, str], FigureSummary]  # by case, lane and figure
_NO_WORD = re.compile(r"[^A-Za-z0-9.]+")


def word(text: str) -> str:
    """A text as a value of a case's id or as a version."""
    return _NO_WORD.sub("-", text.lower()).strip("-") or "0"


def case_of(library: str, program: str, **more: str) -> str:
    """`footprint/sha256/library=mbedtls,task=8192-bytes`. `more`: what else tells it, where it is not ""."""
    named = {"library": library, **more}
    return Case(LAB, program, None, tuple((name, word(text)) for name, text in named.items() if text)).id


def lane_of(library: str, version: str, step: str) -> str:
    """`mbedtls@3.6.5:small`; of the step `default` `mbedtls@3.6.5`."""
    return Lane(library, word(version), step).id


def place_of(row: Row) -> tuple[str, str]:
    """The case and the lane of a row's sizes."""
    return case_of(row.library, row.program, target=row.target), lane_of(row.library, row.version, row.step)


class Input(msgspec.Struct, frozen=True, omit_defaults=True):
    """An input of a row's program. `row`: the row's key; `task`: for people; `case`, `own`: where its count is; `lane`: whose time is its own, that of the step default where both are one file, "" for none; `why`: why a figure is missing."""

    row: tuple[str, str, str, str]
    task: str
    case: str
    own: str
    lane: str = ""
    why: str = ""


class Details(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the tables need beside the figures. `rows`: without figures, and with the largest symbols and objects alone: a manifest is small; the rest as in `Footprint`."""

    rows: tuple[Row, ...]
    tools: dict[str, str]
    published: tuple[PublishedLadder, ...]
    inputs: tuple[Input, ...]

    @staticmethod
    def of(found: Footprint, inputs: Sequence[Input]) -> Details:
        """Of a footprint whose inputs are known."""
        rows = (
            msgspec.structs.replace(
                row,
                symbols=dict(largest(row.symbols)),
                objects=dict(largest(row.objects)),
                sizes=None,
                memory=None,
                whole_bytes=None,
                removed=None,
                removed_sections=None,
            )
            for row in found.rows
        )
        return Details(tuple(rows), found.tools, found.published, tuple(inputs))


def exact_of(row: Row) -> dict[str, float]:
    """The exact figures of a proven row, by name; those that it has."""
    sizes, memory = row.sizes, row.memory
    found = {} if sizes is None else {f"{name}_bytes": getattr(sizes, name) for name in sizes.__struct_fields__}
    found |= {} if memory is None else {name: getattr(memory, name) for name in memory.__struct_fields__}
    found |= {"whole_bytes": row.whole_bytes, "removed_bytes": row.removed, "removed_sections": row.removed_sections}
    return {name: float(value) for name, value in found.items() if value is not None}


def footprint_of(run: RunSummary, whole: Footprint | None = None) -> Footprint | None:
    """The footprint that a run shows; None for a run without one. `whole`: the same with all symbols, where it is at hand."""
    plan = plan_of(run, LAB)
    if plan is None:
        return None
    with details_read(run, LAB):
        details = msgspec.convert(plan.details, Details)
        found = whole or Footprint(details.rows, details.tools, details.published)
        figures = {(one.case, one.lane, one.figure): one for one in run.figures}
        timed: dict[tuple[str, str, str, str], list[Timed]] = {}
        for one in details.inputs:
            timed.setdefault(one.row, []).append(_timed(one, figures))
        rows = (
            msgspec.structs.replace(_sized(row, figures), speed=tuple(timed.get(row.key, ()))) for row in found.rows
        )
        return msgspec.structs.replace(found, rows=tuple(rows))


def _sized(row: Row, figures: Figures) -> Row:
    """The row with the figures of the run."""
    case, lane = place_of(row)

    def of(name: str) -> int | None:
        return _whole(figures.get((case, lane, name)))

    sizes = [of(f"{name}_bytes") for name in Sizes.__struct_fields__]
    heap, stack = of("heap_bytes"), of("stack_bytes")
    return msgspec.structs.replace(
        row,
        sizes=None if None in sizes else Sizes(*(one or 0 for one in sizes)),
        memory=None if heap is None or stack is None else PeakMemory(heap, stack),
        whole_bytes=of("whole_bytes"),
        removed=of("removed_bytes"),
        removed_sections=of("removed_sections"),
    )


def _whole(one: FigureSummary | None) -> int | None:
    return None if one is None or one.value is None else round(one.value.value)


def _timed(one: Input, figures: Figures) -> Timed:
    """A file of which a turn failed has no time."""
    count = _whole(figures.get((one.case, one.own, INSTRUCTIONS)))
    figure = figures.get((one.case, one.lane, TIME))
    if figure is None:
        return Timed(one.task, None, None, count, one.why)
    ns = None if figure.note else figure.value
    base, is_own = figures.get((one.case, figure.base, TIME)), one.lane == one.own
    without = f"of its step default: {base.note}" if base is not None and base.note and is_own else ""
    over = figure.ratio if ns is not None and is_own and not without else None
    return Timed(one.task, ns, over, count, one.why or figure.note or without)
