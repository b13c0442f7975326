# SPDX-License-Identifier: Apache-2.0
"""Some mutants of stored runs, of every kind; `python tests/fault/bundle_mutants.py COUNT` tries as many as wanted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import bundle_mutants
from bundle_mutants import KINDS, Original
from scripts import CommandLine

SEED, EACH = 20260201, 3


@pytest.fixture(scope="module")
def original(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> Original:
    found = bundle_mutants.make_original(tmp_path_factory.mktemp("workers"), new_cli("mutants"))
    bundle_mutants.look(found, tmp_path_factory.mktemp("whole"))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_no_mutant_is_silent_and_none_is_a_trace(original: Original, tmp_path: Path, kind: str) -> None:
    for number in range(EACH):
        seen = bundle_mutants.try_one(original, tmp_path, number, SEED, [kind])
        assert not seen.findings, (seen.mutant, seen.findings)
