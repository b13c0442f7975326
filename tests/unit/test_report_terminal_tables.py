# SPDX-License-Identifier: Apache-2.0
"""Tables of a terminal that is too narrow for all builds beside each other: a line for each build, nothing lost, nothing that a library has not."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import msgspec
import pytest

from cipherstone.model.outcomes import Outcome
from cipherstone.model.summary import CaseSummary, CellSummary
from cipherstone.report.blocks.grid import GridCell, RunView
from cipherstone.report.render.pen import Pen
from cipherstone.report.render.terminal_tables import SHORT, TWO_SPEEDS, _head, comparison, label
from cipherstone.report.words.numbers import ratio_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))
import sample_full as sample


@cache
def view() -> RunView:
    """Seven libraries in nine builds; one of them has no MAC."""
    run = sample.with_builds(sample.full_run())
    return RunView(msgspec.structs.replace(run, cases=tuple(map(_without_mac, run.cases))))


def _without_mac(case: CaseSummary) -> CaseSummary:
    if not case.operation.endswith("/mac"):
        return case
    cells = (
        CellSummary(case.case, cell.lane, Outcome.UNSUPPORTED, "it has none") if lacks(cell.lane) else cell
        for cell in case.cells
    )
    return msgspec.structs.replace(case, cells=tuple(cells))


def lacks(lane: str) -> bool:
    return lane.startswith("mbedtls@")


def families(width: int) -> dict[str, list[str]]:
    """Lines below each heading."""
    headings = {name for name, _ in view().families(view().headline)}
    found: dict[str, list[str]] = {}
    current = ""
    for line in comparison(view(), Pen(width, colour=False))[2:]:
        name = line.partition(",")[0]
        if name in headings:
            current = name
            found[current] = []
        elif current:
            found[current].append(line)
    return found


@pytest.mark.parametrize("width", [60, 80])
def test_every_cell_stands_in_the_line_of_its_build(width: int) -> None:
    """What the library offers, in the order of the operations; over several tables where these do not fit."""
    drawn = families(width)
    heads = {column: _head(view(), column) for column in view().columns}
    assert len(view().columns) > 7
    for name, members in view().families(view().headline):
        lines = [line.split() for line in drawn[name] if line and not line.startswith(" ")]
        for column in view().columns:
            due = [view().grid_cell(case, column) for case in members]
            offered = [cell for cell in due if cell.state != "unsupported"]
            found = [word for head, *words in lines if head == heads[column] for word in words]
            found = [word for word in found if word != SHORT["unsupported"][0]]
            assert len(found) == len(offered), (name, column)
            for word, cell in zip(found, offered, strict=True):
                assert word == shown(cell)


def shown(cell: GridCell) -> str:
    if cell.state != "value":
        return SHORT[cell.state][0] + cell.marks
    assert cell.ratio is not None
    return f"{'=' * cell.tied}{ratio_text(cell.ratio)}{TWO_SPEEDS * cell.two_speeds}{cell.marks}"


@pytest.mark.parametrize("width", [60, 80, 100])
def test_lines_fit_and_a_library_without_any_of_a_family_has_no_line(width: int) -> None:
    absent = []
    for name, lines in families(width).items():
        assert max(map(len, lines)) <= width
        rows = [line for line in lines if line and not line.startswith(" ")]
        assert not [row for row in rows if set(row.split()[1:]) == {SHORT["unsupported"][0]}], name
        absent += [line for line in lines if line.startswith("nothing of these")]
    assert absent == ["nothing of these: mbedtls"]


def test_heads_are_the_names_of_the_operations() -> None:
    """Read downwards, column by column; a word that is longer than a line of a head stands whole."""
    for name, members in view().families(view().headline):
        shared = len({case.size_bytes for case in members}) == 1
        expected = [re.sub(r"[\s]", "", label(case, not shared)) for case in members]
        letters = "".join(sorted("".join(expected)))
        heads = [line.strip() for line in families(80)[name] if line.startswith(" ")]
        found = "".join(sorted(re.sub(r"\s", "", "".join(heads))))
        assert found == letters, (name, heads)
