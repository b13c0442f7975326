# SPDX-License-Identifier: Apache-2.0
"""Every number that the views make of a run in which everything happens is the one that is committed. `make golden` writes them anew; the diff is what moved."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from rich_run import GOLDEN, HAPPENINGS, outputs

from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict


def test_every_number_is_the_golden_one() -> None:
    golden, now = (dict(json.loads(text)) for text in (GOLDEN.read_text(encoding="utf-8"), outputs()))
    assert list(now) == list(golden)
    moved = [f"{key}:\n  golden {golden[key]}\n  now    {now[key]}" for key in golden if now[key] != golden[key]]
    assert not moved, "\n".join([*moved, "if that is meant: make golden, and look at the diff"])


def test_the_rich_run_has_something_of_everything() -> None:
    """Else a number could move unseen."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    cells = [one for key, one in golden.items() if isinstance(one, dict) and "outcome" in one]
    cases = [one for key, one in golden.items() if isinstance(one, dict) and "family" in one]
    assert {cell["outcome"] for cell in cells} == {*Outcome}
    assert {case.get("end") for case in cases} == {*CaseEnd, None}
    assert {flag for cell in cells for flag in cell.get("flags", ())} == {"bimodal", "drift", "slow-op"}
    assert {row["verdict"] for case in cases for row in [*case.get("to_best", ()), *case.get("to_base", ())]} == {
        *Verdict
    }
    assert any(cell.get("fast_passes") for cell in cells) and any(cell.get("long_passes") for cell in cells)
    assert any(cell.get("distribution") for cell in cells) and any(cell.get("cycles") for cell in cells)
    assert any(cell.get("process") for cell in cells) and any(cell.get("first") for cell in cells)
    assert {case["case"] for case in cases} == {*HAPPENINGS} and golden["fits"] and golden["crossovers"]
    assert golden["compared runs"]["rows"] and golden["compared runs"]["warnings"]
