# SPDX-License-Identifier: Apache-2.0
"""What each test costs, measured: which tests are fast, in what order the others are given out, and which belong to one process.

`make costs` writes `costs.txt`: CPU seconds (user and system, with the processes that a test started and waited for) of every test function that takes at least
`FAST_S`. What the file does not name is fast: a new test runs in `make check` until it is measured.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

FILE = Path(__file__).with_name("costs.txt")
FAST_S = 0.5
# Above this many seconds of waiting a test is no fast one either, however little it computes.
FAST_WAIT_S = 2.0
# Where a file's fixtures take long, whichever test comes first pays for them: such a file is slow as a whole. So are the folders where a compiler, a browser or a library works.
DEAR_FILE_S, DEAR_UNIT_FILE_S = 4.0, 15.0
DEAR = ("browser/", "labs/", "sdk/", "docs/test_console")
UNMEASURED_S = 60.0


def dear_as_a_whole(file: str, cpu_s: float) -> bool:
    """Whether all tests of a file are slow: its dear functions take `cpu_s` together."""
    return file.startswith(DEAR) or cpu_s >= (DEAR_UNIT_FILE_S if file.startswith("unit/") else DEAR_FILE_S)


def expected_s(file: str, elapsed_s: float) -> float:
    """Seconds of a file whose dear functions take `elapsed_s` together, waiting too, for the order in which files begin; a file that may be dear and was never measured is no last one."""
    return elapsed_s or (UNMEASURED_S if file.startswith(DEAR) else 0.0)


class Cost(NamedTuple):
    """Of a test function, or of all dear ones of a file: CPU seconds, and seconds that went by."""

    cpu_s: float
    elapsed_s: float

    def __add__(self, other: object) -> Cost:
        return Cost(self.cpu_s + other.cpu_s, self.elapsed_s + other.elapsed_s) if isinstance(other, Cost) else self


def read() -> dict[str, Cost]:
    """What is known, by `FILE::FUNCTION`."""
    rows = (line.split() for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return {name: Cost(float(cpu), float(elapsed)) for cpu, elapsed, name in rows}


def function_of(nodeid: str) -> str:
    """`FILE::FUNCTION` of a test, without parameters and class."""
    path, _, rest = nodeid.partition("::")
    return f"{path.removeprefix('tests/')}::{rest.partition('[')[0].partition('@')[0].rpartition('::')[2]}"


class Costs:
    """A pytest plugin: notes what each phase of a test took, sums up and writes. Under xdist the workers note and their controller writes."""

    def __init__(self, target: Path | None) -> None:
        """`target`: None in a worker, which reports only."""
        self._target = target
        self._cpu, self._wall = _cpu_s(), time.monotonic()
        self._spent: dict[str, list[float]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """After each phase: what went by since the one before, with what the fixtures took."""
        result = yield
        cpu, wall = _cpu_s(), time.monotonic()
        result.get_result().spent = [cpu - self._cpu, wall - self._wall]  # type: ignore[attr-defined]
        self._cpu, self._wall = cpu, wall

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds a phase to its test function."""
        sums = self._spent.setdefault(function_of(report.nodeid), [0.0, 0.0])
        for i, spent in enumerate(getattr(report, "spent", (0.0, 0.0))):
            sums[i] += spent

    def pytest_sessionfinish(self) -> None:
        """Writes the dear ones, the dearest first; functions that did not run now keep what was known of them."""
        if self._target is None:
            return
        kept = [] if not self._target.exists() else self._target.read_text(encoding="utf-8").splitlines()
        rows = {
            line.split()[2]: line for line in kept if line and line[0] != "#" and line.split()[2] not in self._spent
        }
        for name, (cpu, wall) in self._spent.items():
            if cpu >= FAST_S or wall - cpu >= FAST_WAIT_S:
                rows[name] = f"{cpu:.1f} {wall:.1f} {name}"
        lines = sorted(rows.values(), key=lambda line: (-float(line.split()[0]), line.split()[2]))
        head = "# CPU seconds, elapsed seconds, test function: written by `make costs`; what is not here is fast.\n"
        self._target.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def _cpu_s() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
