# SPDX-License-Identifier: Apache-2.0
"""No line is wider than the terminal, from 40 columns up."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import rich_run

from cipherstone.model.summary import RunSummary
from cipherstone.report.render.brief import render_brief
from cipherstone.report.render.comparison import render_comparison
from cipherstone.report.render.terminal import render_terminal
from cipherstone.report.words.numbers import ratio_text
from cipherstone.views.compare import compare_lanes, compare_runs

WIDTHS = (40, 41, 47, 52, 59, 60, 66, 80, 120)


@pytest.fixture(scope="module")
def two() -> Iterator[tuple[RunSummary, RunSummary]]:
    yield rich_run.runs()


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider(two: tuple[RunSummary, RunSummary], width: int) -> None:
    before, after = two
    texts = [
        render_terminal(before, width, False),
        render_brief(before, width, False),
        render_comparison(compare_runs(before, after), width, False),
        render_comparison(compare_lanes(before, "nettle", "openssl"), width, False),
    ]
    for text in texts:
        assert len(text.splitlines()) >= 10
        assert [line for line in text.splitlines() if len(line) > width] == []


def test_figures_are_whole_at_forty_columns(two: tuple[RunSummary, RunSummary]) -> None:
    """What is cut is a name, never a figure: each ratio of the wide table stands in the narrow one."""
    comparison = compare_lanes(two[0], "nettle", "openssl")
    wide, narrow = (render_comparison(comparison, width, False) for width in (120, 40))
    ratios = [ratio_text(row.ratio) for row in comparison.rows if row.ratio is not None]
    assert len(ratios) > 3
    assert all(ratio in wide and ratio in narrow for ratio in ratios)
