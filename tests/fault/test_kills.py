# SPDX-License-Identifier: Apache-2.0
"""Some hits of each kind; `python tests/fault/kills.py COUNT` makes as many as wanted."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from kills import Victim
from scripts import CommandLine


@pytest.fixture(scope="module")
def victim(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> Victim:
    return Victim(new_cli("kills"), tmp_path_factory.mktemp("workers"))


@pytest.mark.parametrize("kinds", [["KILL", "INT", "KILL"], ["TERM", "STOP", "HUP"]], ids=" ".join)
def test_no_figure_and_no_line_is_lost(victim: Victim, kinds: list[str]) -> None:
    _, lost = victim.hit(random.Random(f"{kinds}"), kinds)
    assert lost == []
