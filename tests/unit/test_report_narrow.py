# SPDX-License-Identifier: Apache-2.0
"""A filter limits a report; what all operations say of a build is counted by the ranking."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.filtering import narrowed
from cipherstone.model.errors import UsageError
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.overall import overall_rows

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))
import sample_summary as sample


def test_a_filter_leaves_whole_cases() -> None:
    run, catalogue = sample.sample_run(), load_catalogue(data_root())
    some = narrowed(run, "family:aead", catalogue)
    assert {case.family for case in some.cases} == {"aead"}
    assert some.cases == tuple(case for case in run.cases if case.family == "aead")
    assert {x.operation for x in some.crossovers} <= {case.operation for case in some.cases}
    with pytest.raises(UsageError, match="no case of the run"):
        narrowed(run, "op:sha-1/hash", catalogue)


def test_wins_ties_mean_and_worst_are_those_of_the_ranking() -> None:
    view = RunView(sample.sample_run())
    for build, sums in overall_rows(view):
        cells = [(case, view.grid_cell(case, build)) for case in view.headline]
        assert sums.wins + sums.ties == sum(g.best for _, g in cells), build
        ratios = [g.ratio.value for _, g in cells if g.state == "value" and g.ratio is not None]
        assert sums.cases == len(ratios)
        assert sums.mean == pytest.approx(math.prod(ratios) ** (1 / len(ratios)))
        assert sums.worst is not None and sums.worst[1].value == max(ratios)
