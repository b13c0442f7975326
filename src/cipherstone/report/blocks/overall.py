# SPDX-License-Identifier: Apache-2.0
"""The scoreboard: a line a build over all operations shown, sorted: wins, ties, mean cost over the operations that all have, worst case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.model.summary import CaseSummary, Estimate
from cipherstone.report.blocks.grid import GridCell, RunView
from cipherstone.report.blocks.tables import Item, Table, item
from cipherstone.report.words.numbers import ratio_text
from cipherstone.views.run.leaders import Overall, overall

HEAD = ("library", "fastest alone", "fastest with others", "mean cost", "operations", "worst case")


@dataclass(frozen=True)
class Score:
    """A build over the operations. `costs`: over the best, an operation each, in the order of the grid; `mean`: their geometric mean over the operations that all compared builds have, None for a build that is not compared."""

    build: str
    over: Overall
    costs: tuple[Estimate, ...]
    mean: float | None


@dataclass(frozen=True)
class Scoreboard:
    """`scores`: the most often fastest first. `operations`: rows of the grid; `compared`: how many builds have figures for at least half of them; `common`: how many rows all of these have; `named`: those where the fastest is an implementation that a caller asks for by its name."""

    scores: tuple[Score, ...]
    operations: int
    common: int
    compared: int
    named: int

    @property
    def order(self) -> list[str]:
        """Builds, the first of the scoreboard first."""
        return [score.build for score in self.scores]


def overall_rows(view: RunView) -> list[tuple[str, Overall]]:
    """(build, what it reached over the headline cases) for every column, by the lane that stands for it in the grid."""
    return [(build, _over(view, view.headline, build)) for build in view.columns]


def _over(view: RunView, cases: Sequence[CaseSummary], build: str) -> Overall:
    shown = [(case, view.grid_cell(case, build)) for case in cases]
    return overall((case, g.cell.lane) for case, g in shown if g.cell and g.state == "value")


def scoreboard(view: RunView) -> Scoreboard:
    """Sorted by wins, then ties, then mean cost, then name. A build with figures for less than half of the operations has no mean, so that it does not leave the others without one."""
    rows = [(case, {g.build: g for g in view.grid_row(case)}) for case in view.headline]
    compared = [b for b in view.columns if 2 * sum(row[b].ratio is not None for _, row in rows) >= max(1, len(rows))]
    common = [case for case, row in rows if all(row[build].ratio is not None for build in compared)]
    scores = [
        Score(
            build,
            sums,
            tuple(ratio for _, row in rows if (ratio := row[build].ratio) is not None),
            _over(view, common, build).mean if build in compared else None,
        )
        for build, sums in overall_rows(view)
    ]
    scores.sort(key=lambda score: _place(view, score))
    named = sum(bool(case.ranking) and not any(map(_best, row.values())) for case, row in rows)
    return Scoreboard(tuple(scores), len(rows), len(common), len(compared), named)


def _place(view: RunView, score: Score) -> tuple[int, int, float, str]:
    mean = float("inf") if score.mean is None else score.mean
    return -score.over.wins, -score.over.ties, mean, view.build_title(score.build).lower()


def _best(cell: GridCell) -> bool:
    return cell.best


def overall_table(view: RunView, board: Scoreboard) -> Table:
    """The table of the first screen."""
    lines = []
    for score in board.scores:
        sums = score.over
        worst = item("no figure")
        if sums.worst is not None:
            case, ratio = sums.worst
            worst = Item(f"{ratio_text(ratio)}, {view.case_title(view.cases[case])}", ratio.value)
        name = Item(view.build_title(score.build), None, score.build.partition("@")[0], "", score.build, view.variant(score.build))  # fmt: skip
        lines.append(
            (
                name,
                item(str(sums.wins), sums.wins),
                item(str(sums.ties), sums.ties),
                item("none") if score.mean is None else item(f"{score.mean:.2f}", score.mean),
                item(f"{sums.cases} of {board.operations}", sums.cases),
                worst,
            )
        )
    return Table("overall", HEAD, tuple(lines), 1, 1)
