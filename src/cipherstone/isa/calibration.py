# SPDX-License-Identifier: Apache-2.0
"""The two calibrating chains together: whether times can be read as core cycles."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import msgspec

AGREEMENT = 0.01  # of the two chains, per instruction


class Calibration(msgspec.Struct, frozen=True, omit_defaults=True):
    """The two chains over a run. `agreement`: median over cases, per instruction; `cases`: how many told; `apart`: how many are more than 1 % off.

    `ghz`: core clock by the first chain, median over cases. `refused`: why there are no cycles at all, or "".
    """

    agreement: float | None = None
    cases: int = 0
    apart: int = 0
    ghz: float | None = None
    refused: str = ""


def calibrate(agreements: Sequence[float], clocks: Sequence[float]) -> Calibration:
    """What the chains of several cases say together. Refused if their median is more than 1 % apart, or if no case tells."""
    if not agreements:
        return Calibration(refused="no cycles: the calibrating chains were not measured")
    middle = statistics.median(agreements)
    apart = sum(disagree(value) for value in agreements)
    refused = ""
    if disagree(middle):
        refused = f"no cycles: a rotation takes {middle:.3f} of an addition, not 1 within {AGREEMENT:.0%}"
    return Calibration(middle, len(agreements), apart, statistics.median(clocks) if clocks else None, refused)


def disagree(agreement: float) -> bool:
    """Whether the two chains are more than 1 % apart."""
    return not abs(agreement - 1.0) <= AGREEMENT
