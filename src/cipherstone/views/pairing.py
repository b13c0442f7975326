# SPDX-License-Identifier: Apache-2.0
"""Ratios between cells of a summary, paired by pass: lanes may each lack a pass of their own, and position says nothing then."""

from __future__ import annotations

from cipherstone.model.summary import CellSummary, Estimate
from cipherstone.stats.ratio import ratio_estimate


def paired_ratio(a: CellSummary, b: CellSummary) -> Estimate | None:
    """Cost of a over cost of b from the passes that both have; None if they have none in common or one has no figure. Both are cells of one case."""
    if a.ns is None or b.ns is None:
        return None
    mine, theirs = _by_pass(a), _by_pass(b)
    both = [(ours, theirs[index]) for index, ours in mine.items() if index in theirs]
    return ratio_estimate([x for x, _ in both], [y for _, y in both]) if both else None


def _by_pass(cell: CellSummary) -> dict[int, float]:
    """The values of a cell by pass; by position where a summary does not say which passes they are of."""
    passes = cell.passes or tuple(range(len(cell.pass_ns)))
    return dict(zip(passes, cell.pass_ns, strict=True))
