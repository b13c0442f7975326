# SPDX-License-Identifier: Apache-2.0
"""A part of a stored run: what a filter leaves of its summary."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.cli import environment as env
from cipherstone.cli.selection import known_values, parsed
from cipherstone.cli.stored import catalogue
from cipherstone.measure.plan import cell_facts
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.model.units import counted

PartOption = Annotated[
    str | None,
    typer.Option(
        "--filter",
        "-f",
        metavar="FILTER",
        help="Only the cases that match, e.g. 'gcm 16kb' or family:aead; ranks and ratios stay those of the run.",
        show_default=False,
    ),
]


def part_of(summary: RunSummary, text: str | None) -> RunSummary:
    """What `--filter` leaves of a stored run; all of it where there is no filter. Raises UsageError if it leaves nothing."""
    if text is None:
        return summary
    part = narrowed(summary, text, catalogue())
    env.say(f"note: -f {text}: {len(part.cases)} of {counted(len(summary.cases), 'case')}")
    return part


def narrowed(summary: RunSummary, text: str, catalogue: Catalogue) -> RunSummary:
    """The cases of which the filter `text` leaves a cell, whole: rankings, ties and ratios stay those of the run. Raises UsageError if it leaves none."""
    libraries = sorted({Lane.parse(lane).library for case in summary.cases for lane in _lanes(case)})
    selection = parsed(text, known_values(catalogue, libraries), ("build",))
    if selection is None:
        return summary

    def left(case_id: str, operation_id: str, of: set[str]) -> bool:
        operation = catalogue.known(operation_id)
        if operation is None:
            return False
        usual, case = catalogue.usual(operation), Case.parse(case_id)
        return any(selection.matches(usual | cell_facts(operation, case, Lane.parse(lane))) for lane in of)

    cases = tuple(c for c in summary.cases if left(c.case, c.operation, _lanes(c)))
    if not cases:
        raise UsageError(f"-f {text}: no case of the run {summary.manifest.run_id} matches", "see what it holds: cipherstone show")  # fmt: skip
    kept = {case.operation for case in cases}
    algorithms = {Case.parse(operation).algorithm for operation in kept}
    return msgspec.structs.replace(
        summary,
        cases=cases,
        fits=tuple(f for f in summary.fits if f.operation in kept),
        wire_sizes=tuple(one for one in summary.wire_sizes if one.algorithm in algorithms),
        crossovers=tuple(x for x in summary.crossovers if x.operation in kept),
        roofline=tuple(r for r in summary.roofline if r.operation in kept),
    )


def _lanes(case: CaseSummary) -> set[str]:
    """Those that are timed, and those that are counted."""
    return {cell.lane for cell in case.cells} | {one.lane for one in case.counts}
