# SPDX-License-Identifier: Apache-2.0
"""A few runs that are killed at any moment and gone on with; `make kills` is a thousand."""

from __future__ import annotations

from pathlib import Path

from kills import bench, campaign
from scripts import CommandLine, gone

KILLS, SEED = 12, 20261126


def test_a_killed_run_has_every_figure_in_the_end(cli: CommandLine, tmp_path: Path) -> None:
    found = list(campaign(bench(tmp_path, cli), KILLS, SEED))
    assert [(one.signals, one.wrong) for one in found if one.wrong] == []
    assert gone(tmp_path) == []
