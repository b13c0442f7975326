# SPDX-License-Identifier: Apache-2.0
"""Which builds have columns in the grid, and in which order: the scoreboard's, without those that have next to nothing here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cipherstone.report.blocks.grid import GridCell, RunView

MOST_THIN = 0.1  # share of the operations up to which a build has next to nothing
# States that a reader must see, however few figures stand beside them.
_TROUBLE = frozenset(("wrong", "crashed", "timed-out"))


@dataclass(frozen=True)
class Thin:
    """A build without a column. `figures`: of how many operations it has a figure."""

    build: str
    figures: int


def thin_builds(view: RunView) -> list[Thin]:
    """Builds with a figure for at most a tenth of the operations. One that is fastest in an operation, or has a wrong result or a crash, is none of them; neither are all builds of a run."""
    found = []
    rows = [view.grid_row(case) for case in view.headline]
    for number, build in enumerate(view.columns):
        cells = [row[number] for row in rows]
        figures = sum(cell.state == "value" for cell in cells)
        if figures <= MOST_THIN * len(rows) and not any(map(_must_stand, cells)):
            found.append(Thin(build, figures))
    return found if len(found) < len(view.columns) else []


def _must_stand(cell: GridCell) -> bool:
    return cell.best or cell.state in _TROUBLE or cell.troubled > 0 or bool(cell.faster)


def in_order(cells: Sequence[GridCell], order: Sequence[str]) -> list[GridCell]:
    """The cells of a row in the order of the builds."""
    place = {build: number for number, build in enumerate(order)}
    return sorted(cells, key=lambda cell: place[cell.build])
