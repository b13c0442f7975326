# SPDX-License-Identifier: Apache-2.0
"""What a reader sees of a fixed run is what is committed: a change of a report is a diff. `make golden` writes the outputs anew."""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from fixed_run import AFTER, COMMANDS, outputs, write  # noqa: E402

from cipherstone.store.bundle import Bundle  # noqa: E402


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    with pytest.MonkeyPatch.context() as environment:
        for name in ("COLUMNS", "LINES", "NO_COLOR"):
            environment.setenv(name, "1")  # set anew by `outputs`, and put back afterwards
        return outputs(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_the_golden_one(name: str, printed: dict[str, str]) -> None:
    golden = (HERE / name).read_text(encoding="utf-8")
    changes = difflib.unified_diff(
        golden.splitlines(), printed[name].splitlines(), f"golden {name}", "now", lineterm=""
    )
    assert printed[name] == golden, "\n".join([*changes, "if that is meant: make golden, and look at the diff"])


def test_the_golden_run_has_something_of_everything(printed: dict[str, str]) -> None:
    """Else a change could pass unseen."""
    run = json.loads(printed["show.json"])
    cells = [cell for case in run["cases"] for cell in case["cells"]]
    assert {cell["outcome"] for cell in cells} >= {"ok", "wrong", "lax", "unsupported"}
    assert {case["end"] for case in run["cases"]} >= {"converged", "contended"}
    assert any(len(group) > 1 for case in run["cases"] for group in case["ranking"]), "no tie"
    assert run["fits"] and run["crossovers"] and any(cell.get("memory") for cell in cells)


def test_the_same_run_gives_the_same_bundle(tmp_path: Path) -> None:
    """Golden outputs of a run that differs from call to call would say nothing."""
    for name in ("one", "two"):
        write(tmp_path / name)
    first, second = (list(Bundle.open(tmp_path / name / AFTER).records()) for name in ("one", "two"))
    assert first == second and len(first) > 80
