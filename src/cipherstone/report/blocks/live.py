# SPDX-License-Identifier: Apache-2.0
"""What the page needs to rank anew when a library is hidden, a base or a size chosen: the paired ratios with their verdicts, as text ready to show.

The page forms no ratio and rounds no figure: it looks up the pair, and groups lanes by the rule of `stats/verdict.py`.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import CaseSummary
from cipherstone.model.units import format_size, percent_up
from cipherstone.report.blocks.grid import MARKS, MOST_FASTER, STATES, GridCell, RunView
from cipherstone.report.blocks.livepairs import COLUMNS, SELF, columns_of, figure
from cipherstone.report.words.numbers import (
    half_width,
    interval_text,
    rate_text,
    rate_words,
    ratio_beside_interval,
    ratio_text,
)
from cipherstone.report.words.properties import property_words
from cipherstone.report.words.sentences import short_deviation
from cipherstone.views.run.leaders import Standing, standing, standing_order

_LETTERS = {Verdict.SLOWER: "s", Verdict.FASTER: "f", Verdict.EQUAL: "e"}


def live_data(view: RunView, spoken: Collection[str]) -> str:
    """JSON: lanes, builds, and of each case its lanes in the order of the ranking's rule, what stands for each build, and all pairs.

    A pair is `ratio low high verdict`: cost of the row's lane over the column's, parted by spaces; then, in cases that are `spoken` of in sentences, the figure and its ends. Those have rates in words as well. `livepairs.columns_of` says how pairs are stored.
    """
    lanes = sorted({cell.lane for case in view.run.cases for cell in case.cells if not Lane.parse(cell.lane).twin})
    number = {lane: i for i, lane in enumerate(lanes)}
    pairs = [_pairs(view, case, case.case in spoken) for case in view.run.cases]
    data = {
        "lanes": [[lane, view.lane_title(lane), *_parts(lane)] for lane in lanes],
        "columns": view.columns,
        "most": MOST_FASTER,
        "cases": {case.case: _case(view, case, number, case.case in spoken) for case in view.run.cases},
        "pairs": {name: [of[name] for of in pairs] for name in COLUMNS},
        "known": {
            str(number[c.lane]): words
            for case in view.run.cases
            for c in case.cells
            if c.lane in number and (words := property_words(c.properties))
        },
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _parts(lane_id: str) -> tuple[str, str, str]:
    lane = Lane.parse(lane_id)
    return lane.library, lane.build_id, lane.implementation


def _case(view: RunView, case: CaseSummary, number: dict[str, int], spoken: bool) -> dict[str, Any]:
    found, order = standing(case), standing_order(case)
    ns = {c.lane: c.ns for c in case.cells if c.ns is not None}
    cells = {c.lane: c for c in case.cells}
    out: dict[str, Any] = {
        "op": case.operation,
        "size": "" if case.size_bytes is None else format_size(case.size_bytes),
        "title": view.case_title(case),
        "order": [number[lane] for lane in order],
        "rates": [rate_text(ns[lane], case.size_bytes) for lane in order],
        "builds": [_build(g, number) for g in view.grid_row(case)],
    }
    if not spoken:
        return out
    out |= {"within": percent_up(found.margin), "beyond": percent_up(found.pairs.threshold)}
    if deviating := {at: words for at, lane in enumerate(order) if (words := short_deviation(cells[lane]))}:
        out["deviates"] = deviating
    if not case.size_bytes:  # else they are the rates
        out["words"] = [rate_words(ns[lane], case.size_bytes) for lane in order]
    return out


def _pairs(view: RunView, case: CaseSummary, spoken: bool) -> dict[str, str]:
    found, order = standing(case), standing_order(case)
    return columns_of([[_pair(found, i, j, spoken, a > b) for b, j in enumerate(order)] for a, i in enumerate(order)])


def _pair(found: Standing, i: str, j: str, spoken: bool, later: bool) -> str:
    """`1.31 1.30 1.32 s`; `~1.3 - - u` without an interval; `1.004/1.00 1.002 1.006 s` where the ratio has fewer digits alone than beside its interval; "" without a common pass. Where it is `spoken` of, figures follow of a lane that is `later` in the order, or told slower: a sentence speaks of no other."""
    if i == j:
        return SELF
    ratio = found.estimate(i, j)
    if ratio is None:
        return ""
    letter = _LETTERS.get(found.verdict(i, j), "u")
    ends = "- -" if half_width(ratio) is None else interval_text(ratio).replace(" to ", " ")
    figures = (
        [figure(v) for v in (ratio.value, ratio.low, ratio.high) if v is not None]
        if spoken and (later or letter == "s")
        else ()
    )
    beside, alone = ratio_beside_interval(ratio), ratio_text(ratio)
    return " ".join((beside if beside == alone else f"{beside}/{alone}", ends, letter, *figures))


def _build(grid: GridCell, number: dict[str, int]) -> list[Any]:
    """[lane or -1, state, its word, tags]"""
    tags = [f"{outcome} {mark}" for outcome, (mark, _) in MARKS.items() if mark in grid.marks]
    lane = number.get(grid.cell.lane, -1) if grid.cell is not None else -1
    word = "" if grid.state == "value" else STATES[grid.state][0]
    return [
        lane,
        grid.state,
        word,
        grid.steadiness + tags,
        f"{grid.troubled} wrong or crashed" if grid.troubled else "",
    ]
