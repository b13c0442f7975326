# SPDX-License-Identifier: Apache-2.0
"""What a screen may want to know while a run measures. Events are values; nothing is printed here."""

from __future__ import annotations

import msgspec


class Lead(msgspec.Struct, frozen=True):
    """The lanes, by id, that lead in a case so far: the one with the lowest median, then those that are not shown to be slower. `sure`: ratios have an interval; without one there is the median alone."""

    lanes: tuple[str, ...]
    sure: bool


class Progress(msgspec.Struct, frozen=True):
    """State before the next pass of a case.

    `passes_valid` and `passes_tried` count passes of cases over the whole run. `left_s`: estimated seconds to the end, None until a first pass over all cases told
    what one costs; before `min_passes` it is not known how wide the intervals will be, and `left_most_s`, the time to the bound, is the other end of what may come.
    """

    case: str
    pass_index: int
    min_passes: int
    case_number: int
    cases_open: int
    cases_done: int
    cases_all: int
    passes_valid: int
    passes_tried: int
    elapsed_s: float
    left_s: float | None
    left_most_s: float | None = None
    waiting_s: float = 0.0  # > 0: nothing undisturbed comes; the run has been looking for a free core this long
    disturbed: float | None = None  # share of probe readings so far that saw another program on the core
    lead: Lead | None = None  # of this case, by its passes so far; None before the first pass with figures
