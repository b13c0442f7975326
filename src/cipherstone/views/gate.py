# SPDX-License-Identifier: Apache-2.0
"""A comparison held against a limit: which rows are slower by more, which are within it, and which cannot be decided."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherstone.model.summary import CaseSummary, Estimate, NoiseSummary
from cipherstone.stats.gate import LimitFinding, judged, resolution
from cipherstone.stats.ratio import half_width

if TYPE_CHECKING:
    from cipherstone.views.comparison import ComparedRow


def case_resolution(case: CaseSummary, noise: NoiseSummary) -> float:
    """The least slowdown that this run tells in this case, as a fraction: by its A/A lane, else by the medians of the run's others."""
    own = case.aa.ratio if case.aa is not None else None
    if own is not None and math.isfinite(half_width(own)):
        return resolution(own)
    offset, width = noise.aa_offset_median, noise.aa_halfwidth_median
    if offset is None or width is None:
        return resolution(own)
    value = 1.0 + offset
    return resolution(Estimate(value, value / (1.0 + width), value * (1.0 + width)))


def both(a: float, b: float) -> float:
    """The resolution of a figure that two runs give together, whose offsets may add up."""
    return (1.0 + a) * (1.0 + b) - 1.0


def visible(row: ComparedRow) -> float | None:
    """The smallest limit that a row could be within were nothing slower, as a fraction: what the run can tell, or half its interval; None without an interval."""
    if row.ratio is None or not math.isfinite(half_width(row.ratio)):
        return None
    return max(row.resolution, math.expm1(half_width(row.ratio)))


@dataclass(frozen=True)
class Gated:
    """Rows of a comparison against a limit. `above`: slower by more, the worst first; `untold`: neither above nor within, those that lost their figure last; `within`: how many are. `least`: the smallest limit that some row could be within, None where no row has an interval."""

    above: tuple[ComparedRow, ...]
    untold: tuple[ComparedRow, ...]
    within: int
    least: float | None

    def too_fine(self, limit: float) -> bool:
        """Whether the limit is below what any row could see, so that nothing could pass."""
        return self.least is not None and limit < self.least


def gated(rows: Iterable[ComparedRow], limit: float) -> Gated:
    """`limit`: 0.05 for slower by 5 %. A row without a figure counts as untold where it had one before; one that no side can run counts for nothing."""
    with_ratio, lost = [], []
    for row in rows:
        if row.ratio is not None:
            with_ratio.append((judged(row.ratio, limit, row.resolution), row))
        elif row.lost:
            lost.append(row)
    above = sorted(
        (row for told, row in with_ratio if told is LimitFinding.ABOVE),
        key=lambda row: -(row.ratio.value if row.ratio else 0),
    )
    untold = [row for told, row in with_ratio if told is LimitFinding.UNTOLD]
    seen = [least for _, row in with_ratio if (least := visible(row)) is not None]
    within = sum(told is LimitFinding.WITHIN for told, _ in with_ratio)
    return Gated(tuple(above), (*untold, *lost), within, min(seen, default=None))
