# SPDX-License-Identifier: Apache-2.0
"""A footprint in a run: what the manifest holds beside the figures, and the footprint that a run shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.labs.footprint.ladder import PublishedLadder
from cipherstone.labs.footprint.results import Footprint, Row, Timed, largest
from cipherstone.model.instruments import FigureSummary
from cipherstone.model.summary import RunSummary

LAB, INSTRUMENT, TIME = "footprint", "footprint-speed", "cpu_ns"


class Input(msgspec.Struct, frozen=True, omit_defaults=True):
    """An input of a row's program. `row`: the row's key; `task`: for people; `case`, `lane`: of the figure that is its time, which is that of the step default where both are one file; `lane` "" for none. `instructions`: of a call, counted; `why`: why a figure is missing."""

    row: tuple[str, str, str, str]
    task: str
    case: str
    lane: str = ""
    instructions: int | None = None
    why: str = ""


class Details(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the tables need beside the figures. `rows`: without their times, and with the largest symbols and objects alone: a manifest is small; the rest as in `Footprint`."""

    rows: tuple[Row, ...]
    tools: dict[str, str]
    published: tuple[PublishedLadder, ...]
    inputs: tuple[Input, ...]

    @staticmethod
    def of(found: Footprint, inputs: Sequence[Input]) -> Details:
        """Of a footprint whose inputs are known."""
        rows = (
            msgspec.structs.replace(row, symbols=dict(largest(row.symbols)), objects=dict(largest(row.objects)))
            for row in found.rows
        )
        return Details(tuple(rows), found.tools, found.published, tuple(inputs))


def footprint_of(run: RunSummary, whole: Footprint | None = None) -> Footprint | None:
    """The footprint that a run shows; None for a run without one. `whole`: the same with all symbols, where it is at hand."""
    plan = next((one for one in run.manifest.instruments if one.name == INSTRUMENT), None)
    if plan is None:
        return None
    details = msgspec.convert(plan.details, Details)
    found = whole or Footprint(details.rows, details.tools, details.published)
    figures = {(one.case, one.lane): one for one in run.figures if (one.instrument, one.figure) == (INSTRUMENT, TIME)}
    timed: dict[tuple[str, str, str, str], list[Timed]] = {}
    for one in details.inputs:
        timed.setdefault(one.row, []).append(_timed(one, figures))
    return msgspec.structs.replace(found, rows=tuple(_with(found.rows, timed)))


def _with(rows: Iterable[Row], timed: Mapping[tuple[str, str, str, str], Sequence[Timed]]) -> Iterable[Row]:
    return (msgspec.structs.replace(row, speed=tuple(timed.get(row.key, ()))) for row in rows)


def _timed(one: Input, figures: Mapping[tuple[str, str], FigureSummary]) -> Timed:
    """A file of which a turn failed has no time."""
    figure = figures.get((one.case, one.lane))
    ns = figure.value if figure is not None and not figure.note else None
    is_own = one.lane.endswith(f":{one.row[3]}")  # else the time is that of the step default
    base = figures.get((one.case, figure.base)) if figure is not None else None
    without = f"of its step default: {base.note}" if base is not None and base.note and is_own else ""
    over = figure.ratio if figure is not None and ns is not None and is_own and not without else None
    return Timed(
        one.task, ns, over, one.instructions, one.why or (figure.note if figure is not None else "") or without
    )
