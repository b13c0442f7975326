# SPDX-License-Identifier: Apache-2.0
"""What `make check` and `make costs` know of a test's cost: which file is left out, what is charged to a test, what the summary names."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import costs
import pytest


class Lines:
    """Keeps the lines of a terminal summary."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, text: str) -> None:
        self.lines.append(text)


def phase(plugin: costs.Costs, nodeid: str) -> None:
    """One phase of a test ends, as pytest announces it."""
    report: Any = SimpleNamespace(nodeid=nodeid)
    wrapper = plugin.pytest_runtest_makereport()
    next(wrapper)
    with pytest.raises(StopIteration):
        wrapper.send(SimpleNamespace(get_result=lambda: report))
    plugin.pytest_runtest_logreport(report)


def ran(monkeypatch: pytest.MonkeyPatch, target: Path | None, names_slow: bool) -> costs.Costs:
    """A session with 8 s of collection, a test of 3 s and one of 0.1 s."""
    readings = iter([0.0, 8.0, 11.0, 11.1])
    # Undone at once: the session that runs this test may measure its tests, too.
    with monkeypatch.context() as patch:
        patch.setattr(costs, "_cpu_s", lambda: next(readings))
        plugin = costs.Costs(target, names_slow)
        plugin.pytest_collection_finish()
        phase(plugin, "tests/unit/test_x.py::test_long[1]")
        phase(plugin, "tests/unit/test_x.py::test_short")
    return plugin


def summary(plugin: costs.Costs) -> list[str]:
    seen: Any = Lines()
    plugin.pytest_terminal_summary(seen)
    return seen.lines


def test_collection_is_charged_to_no_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = tmp_path / "costs.txt"
    ran(monkeypatch, target, False).pytest_sessionfinish()
    assert [line.split()[::2] for line in target.read_text().splitlines()[1:]] == [["3.0", "unit/test_x.py::test_long"]]


def test_the_summary_names_slow_tests_and_the_command_that_records_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert summary(ran(monkeypatch, None, True)) == [
        "slow and not in tests/costs.txt: 3.0 s of processor time, unit/test_x.py::test_long",
        'hint: make costs PYTEST="tests/unit/test_x.py"',
    ]
    assert summary(ran(monkeypatch, None, False)) == []


def test_a_file_is_left_out_by_its_folder_or_by_the_sum_of_its_slow_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = {"cli/a.py": 4.0, "cli/b.py": 3.9, "unit/c.py": 14.9, "unit/d.py": 15.0}
    monkeypatch.setattr(costs, "by_file", lambda: {name: costs.Cost(cpu, cpu) for name, cpu in sums.items()})
    assert [name for name in sums if costs.all_slow(name)] == ["cli/a.py", "unit/d.py"]
    assert costs.all_slow("labs/e.py") and not costs.all_slow("unit/e.py")
    assert [name for name in ("labs", "unit", "docs", "lab") if costs.folder_all_slow(name)] == ["labs"]
