# SPDX-License-Identifier: Apache-2.0
"""A line a build over all operations shown: wins, ties, mean cost, worst case."""

from __future__ import annotations

from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.tables import Item, Table, item
from cipherstone.report.words.numbers import ratio_text
from cipherstone.views.run.leaders import Overall, overall

CAVEAT = (
    "The mean weighs every operation alike, which no program does, and covers only those that a library has a figure for: compare means of equal counts. "
    "It has no interval, because operations are no sample of anything."
)


def overall_rows(view: RunView) -> list[tuple[str, Overall]]:
    """(build, what it reached over the headline cases) for every column, by the lane that stands for it in the grid."""
    found = []
    for column in view.columns:
        shown = [(case, view.grid_cell(case, column)) for case in view.headline]
        found.append((column, overall((case, g.cell.lane) for case, g in shown if g.cell and g.state == "value")))
    return found


def overall_table(view: RunView) -> Table:
    """The table of the first screen."""
    of = len(view.headline)
    lines = []
    for build, sums in overall_rows(view):
        worst = item("no figure")
        if sums.worst is not None:
            case, ratio = sums.worst
            worst = Item(f"{ratio_text(ratio)}, {view.case_title(view.cases[case])}", ratio.value)
        lines.append(
            (
                Item(view.build_title(build), None, build.partition("@")[0], "", build),
                item(str(sums.wins), sums.wins),
                item(str(sums.ties), sums.ties),
                item("no figure") if sums.mean is None else item(f"{sums.mean:.2f}", sums.mean),
                item(f"{sums.cases} of {of}", sums.cases),
                worst,
            )
        )
    head = ("library", "fastest alone", "fastest with others", "mean cost", "operations", "worst case")
    return Table("overall", head, tuple(lines), 1, 1)
