# SPDX-License-Identifier: Apache-2.0
"""Assembly that is measured is what is committed: a change of it is a diff. `make golden` writes it anew."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from golden_texts import kernels  # noqa: E402

from cipherstone.isa.table import ISAS, Isa  # noqa: E402


def need_golden(name: str, now: str) -> None:
    golden = (HERE / name).read_text(encoding="utf-8")
    changes = difflib.unified_diff(golden.splitlines(), now.splitlines(), f"golden {name}", "now", lineterm="")
    assert now == golden, "\n".join([*changes, "if that is meant: make golden, and look at the diff"])


@pytest.mark.parametrize("isa", ISAS)
def test_the_assembly_is_the_golden_one(isa: Isa, tmp_path: Path) -> None:
    need_golden(f"kernels-{isa}.txt", kernels(isa, tmp_path))
