# SPDX-License-Identifier: Apache-2.0
"""A part of a stored run: what a filter leaves of its summary."""

from __future__ import annotations

import msgspec

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.cli.selection import known_values, parsed
from cipherstone.measure.plan import cell_facts
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.summary import CaseSummary, RunSummary


def narrowed(summary: RunSummary, text: str, catalogue: Catalogue) -> RunSummary:
    """The cases of which the filter `text` leaves a cell, whole: rankings, ties and ratios stay those of the run. Raises UsageError if it leaves none."""
    libraries = sorted({Lane.parse(lane).library for case in summary.cases for lane in _lanes(case)})
    selection = parsed(text, known_values(catalogue, libraries), ("build",))
    if selection is None:
        return summary

    def left(case_id: str, operation_id: str, of: set[str]) -> bool:
        operation = catalogue.operations.get(operation_id)
        if operation is None:
            return False
        usual, case = catalogue.usual(operation), Case.parse(case_id)
        return any(selection.matches(usual | cell_facts(operation, case, Lane.parse(lane))) for lane in of)

    cases = tuple(c for c in summary.cases if left(c.case, c.operation, _lanes(c)))
    if not cases:
        raise UsageError(f"-f {text}: no case of the run {summary.manifest.run_id} matches", "see what it holds: cipherstone show")  # fmt: skip
    kept = {case.operation for case in cases}
    return msgspec.structs.replace(
        summary,
        cases=cases,
        fits=tuple(f for f in summary.fits if f.operation in kept),
        crossovers=tuple(x for x in summary.crossovers if x.operation in kept),
        roofline=tuple(r for r in summary.roofline if r.operation in kept),
    )


def _lanes(case: CaseSummary) -> set[str]:
    """Those that are timed, and those that are counted."""
    return {cell.lane for cell in case.cells} | {one.lane for one in case.counts}
