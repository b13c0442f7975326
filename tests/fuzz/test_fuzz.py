# SPDX-License-Identifier: Apache-2.0
"""A bounded part of the fuzzing, the same at each call; `make fuzz` is the whole. Every seed, and every input that was a finding once, is judged without any tool."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import campaign

INPUTS, SEED = 3000, 20261126
INPUTS_OF_C = 20_000


@pytest.fixture(scope="module")
def targets() -> Iterator[object]:
    with warnings.catch_warnings():
        import targets as found

        warnings.simplefilter("error")  # one of the standard library would be lines on a user's terminal
        found.enter()
        yield found
        found.leave()


@pytest.mark.parametrize("name", campaign.PYTHON_TARGETS)
def test_seeds_and_what_was_found_once(targets: object, name: str) -> None:
    for path in sorted((campaign.SEEDS / name).iterdir()):
        targets.judge(targets.TARGETS[name], path.read_bytes())  # type: ignore[attr-defined]


def test_every_target_has_seeds(targets: object) -> None:
    assert set(campaign.PYTHON_TARGETS) == set(targets.TARGETS)  # type: ignore[attr-defined]


def test_inputs_led_by_coverage(tmp_path: Path) -> None:
    if not campaign.atheris_is_there():
        pytest.skip("atheris has no wheel for this machine")
    found = campaign.python(list(campaign.PYTHON_TARGETS), INPUTS, SEED, 1, tmp_path)
    assert {name: result.findings for name, result in found.items() if result.findings} == {}
    assert {result.inputs for result in found.values()} == {INPUTS}


@pytest.mark.parametrize("name", campaign.C_TARGETS)
def test_parsers_in_c(name: str, tmp_path: Path) -> None:
    clang = campaign.compiler()
    if clang is None:
        pytest.skip("no clang with libFuzzer")
    result = campaign.in_c(name, INPUTS_OF_C, SEED, clang, tmp_path)
    assert result.findings == () and (result.inputs or 0) >= INPUTS_OF_C
