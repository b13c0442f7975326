# SPDX-License-Identifier: Apache-2.0
"""What each test costs, measured: which tests are fast, in what order the others are given out, and which belong to one process.

`make costs` writes `costs.txt`: CPU seconds (user and system, with the processes that a test started and waited for) of every test function that takes at least
`FAST_S`. What the file does not name is fast: a new test runs in `make check` until it is measured.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

FILE = Path(__file__).with_name("costs.txt")
FAST_S = 0.5
# Above this many seconds of waiting a test is no fast one either, however little it computes.
FAST_WAIT_S = 2.0
# Where a file's fixtures take long, whichever test comes first pays for them: such a file is slow as a whole. So are the folders where a compiler, a browser or a library works.
SLOW_FILE_S, SLOW_UNIT_FILE_S = 4.0, 15.0
SLOW_FOLDERS = ("browser/", "labs/", "sdk/", "docs/test_console")
UNMEASURED_S = 60.0
# `make check` names a test from here up that `costs.txt` does not name. Processor time varies with what else runs on the machine: one just above the limit is not named in one call and left out of the next.
REPORTED_S = 2 * FAST_S


def dear_as_a_whole(file: str, cpu_s: float) -> bool:
    """Whether all tests of a file are slow: its dear functions take `cpu_s` together."""
    return file.startswith(SLOW_FOLDERS) or cpu_s >= (SLOW_UNIT_FILE_S if file.startswith("unit/") else SLOW_FILE_S)


def expected_s(file: str, elapsed_s: float) -> float:
    """Seconds of a file whose dear functions take `elapsed_s` together, waiting too, for the order in which files begin; a file that may be dear and was never measured is no last one."""
    return elapsed_s or (UNMEASURED_S if file.startswith(SLOW_FOLDERS) else 0.0)


class Cost(NamedTuple):
    """Of a test function, or of all dear ones of a file: CPU seconds, and seconds that went by."""

    cpu_s: float
    elapsed_s: float

    def __add__(self, other: object) -> Cost:
        return Cost(self.cpu_s + other.cpu_s, self.elapsed_s + other.elapsed_s) if isinstance(other, Cost) else self


@cache
def read() -> dict[str, Cost]:
    """What is known, by `FILE::FUNCTION`."""
    rows = (line.split() for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return {name: Cost(float(cpu), float(elapsed)) for cpu, elapsed, name in rows}


@cache
def by_file() -> dict[str, Cost]:
    """What the slow functions of each file take together."""
    none = Cost(0.0, 0.0)
    sums: dict[str, Cost] = {}
    for name, cost in read().items():
        file = name.partition("::")[0]
        sums[file] = sums.get(file, none) + cost
    return sums


def all_slow(file: str) -> bool:
    """Whether a file has slow tests only."""
    return dear_as_a_whole(file, by_file().get(file, Cost(0.0, 0.0)).cpu_s)


def folder_all_slow(folder: str) -> bool:
    """Whether a folder of tests, by its path below `tests`, has slow files only."""
    return f"{folder}/" in SLOW_FOLDERS


def function_of(nodeid: str) -> str:
    """`FILE::FUNCTION` of a test, without parameters and class."""
    path, _, rest = nodeid.partition("::")
    return f"{path.removeprefix('tests/')}::{rest.partition('[')[0].partition('@')[0].rpartition('::')[2]}"


class Costs:
    """A pytest plugin: notes what each phase of a test took, sums up, and writes or reports. Under xdist the workers note; their controller writes and reports."""

    def __init__(self, target: Path | None, names_slow: bool) -> None:
        """`target`: the file that is written at the end, if any. `names_slow`: whether the summary names the slow functions that no file names yet."""
        self._target, self._names_slow = target, names_slow
        self._cpu, self._wall = _cpu_s(), time.monotonic()
        self._spent: dict[str, list[float]] = {}

    def pytest_collection_finish(self) -> None:
        """What was spent before the first test, on imports and collection, is no test's."""
        self._cpu, self._wall = _cpu_s(), time.monotonic()

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

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Names what belongs in `costs.txt` and is not there: otherwise `make check` becomes slower with every new test."""
        if not self._names_slow:
            return
        slow = sorted((-cpu, name) for name, (cpu, _) in self._spent.items() if cpu >= REPORTED_S)
        for cpu, name in slow:
            terminalreporter.line(f"slow and not in tests/costs.txt: {-cpu:.1f} s of processor time, {name}")
        if slow:
            files = " ".join(sorted({f"tests/{name.partition('::')[0]}" for _, name in slow}))
            terminalreporter.line(f'hint: make costs PYTEST="{files}"')

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
