# SPDX-License-Identifier: Apache-2.0
"""The answer of a run on one screen of a terminal: it fits, begins with the verdict, has rates and costs, and says what it leaves out."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import rich_run

from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.brief import LINES, render_brief
from cipherstone.report.words.numbers import rate_text, ratio_text
from cipherstone.report.words.sentences import answer


@pytest.fixture(scope="module")
def run() -> RunSummary:
    return rich_run.runs()[0]


def few(run: RunSummary) -> RunSummary:
    """Operations that each have a line of their own."""
    kept = {case.operation for case in RunView(run).headline[:6]}
    return msgspec.structs.replace(run, cases=tuple(case for case in run.cases if case.operation in kept))


def many(run: RunSummary) -> RunSummary:
    """The same figures under forty names of operations."""
    cases = tuple(
        msgspec.structs.replace(case, case=f"x{number}-{case.case}", operation=f"x{number}-{case.operation}", title=f"{case.title} {number}")
        for number in range(40)
        for case in run.cases[:1]
    )  # fmt: skip
    return msgspec.structs.replace(run, cases=cases)


def test_it_fits_and_the_verdict_comes_first(run: RunSummary) -> None:
    text = render_brief(run, 80, False)
    lines = text.splitlines()
    assert len(lines) <= LINES and max(map(len, lines)) <= 80
    first = lines.index("") + 1
    assert re.search(
        r"fastest (most often|in all|equally often)|No library is fastest", " ".join(lines[first : first + 2])
    )


def test_each_operation_has_the_fastest_its_rate_and_the_cost_of_the_next(run: RunSummary) -> None:
    """The figures of each line are those of the run."""
    run = few(run)
    view, lines = RunView(run), render_brief(run, 120, False).splitlines()
    seen = 0
    for case in view.headline:
        found = answer(view, case)
        rows = [line for line in lines if line.startswith(view.case_title(case)[:10]) and "  " in line]
        assert rows, case.case
        if not found.lanes:
            assert any("no figure" in row for row in rows)
            continue
        leader = next(cell.ns for cell in case.cells if cell.lane == found.lanes[0])
        costs = [cell.ratio for cell in view.grid_row(case) if cell.ratio is not None and not cell.best]
        assert leader is not None and any(
            found.winners[0] in row and rate_text(leader, case.size_bytes) in row for row in rows
        )
        if costs:
            least = min(costs, key=lambda ratio: ratio.value)
            assert any(ratio_text(least) in row for row in rows)
            seen += 1
    assert seen > 1


def test_many_operations_are_a_scoreboard_and_the_cards(run: RunSummary) -> None:
    lines = render_brief(many(run), 80, False, [("Which?", many(run).cases[3].case)]).splitlines()
    assert len(lines) <= LINES and any(line.startswith("library ") and "fastest" in line for line in lines)
    assert any("x3" in line or " 3," in line or " 3  " in line for line in lines), lines


def test_what_is_not_shown_is_counted(run: RunSummary) -> None:
    text = " ".join(render_brief(run, 120, False).split())
    more = len(run.cases) - len(RunView(run).headline)
    assert more and f"Not shown: {more} case" in text


def test_one_operation_has_its_own_sentence(run: RunSummary) -> None:
    case = next(case for case in RunView(run).headline if case.ranking)
    alone = msgspec.structs.replace(run, cases=(case,))
    found = answer(RunView(alone), case)
    text = " ".join(render_brief(alone, 120, False).split())
    assert f"fastest, {found.rate}; {found.sentence}" in text
