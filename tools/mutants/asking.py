# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.mutants.asking`, in a copy of the checkout: a process that has imported what tests need and is not under test, and forks one for each question."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

WARM = "duckdb hypothesis jinja2 msgspec numpy rich.console rich.table typer vl_convert Crypto.PublicKey.ECC cryptography.hazmat.primitives.asymmetric.ec"
# A test of a slip may loop: it fails after so many times what it takes without, and this much more, in CPU seconds of the process.
PATIENCE, PATIENCE_S = 5.0, 20.0


class Chosen:
    """A pytest plugin: these tests in this order, and the first that fails. `usual_s`: CPU seconds by the tests' names; empty: all tests of the files."""

    def __init__(self, usual_s: dict[str, float]) -> None:
        self._usual_s = usual_s
        self.failed: str | None = None

    def pytest_configure(self) -> None:
        """An example that fails is enough: nobody reads the smallest one. The same examples each time."""
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("slips", deadline=None, derandomize=True, database=None, phases=phases)
        settings.load_profile("slips")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """In the order of the question."""
        if self._usual_s:
            place = {name: i for i, name in enumerate(self._usual_s)}
            config.hook.pytest_deselected(items=[one for one in items if one.nodeid not in place])
            items[:] = sorted((one for one in items if one.nodeid in place), key=lambda one: place[one.nodeid])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Ends what loops."""
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, PATIENCE * self._usual_s.get(item.nodeid, 20.0) + PATIENCE_S)
        yield
        signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes the first failure."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be read is a failure, too."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid


class Recorder:
    """A pytest plugin: which blocks each test runs, and what it costs, in a copy whose blocks report themselves."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, str] = {}
        self._inner_s: list[float] = [0.0]  # of fixtures within what runs: a test, or a fixture that asks for others
        self.rows: dict[str, dict[str, Any]] = {}
        self.fixtures: dict[str, float] = {}

    def _enter(self, name: str) -> None:
        context = self._names.setdefault(name, f"c{os.getpid()}-{len(self._names)}")
        hits = importlib.import_module("cipherstone._hits")
        hits.enter(context)
        (self._folder / "now").write_text(context, encoding="utf-8")

    def _leave(self) -> None:
        hits = importlib.import_module("cipherstone._hits")
        hits.leave()
        (self._folder / "now").write_text(hits._stack[-1] if hits._stack else "nobody", encoding="utf-8")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """A test with its own fixtures."""
        cpu = _cpu_s()
        self._inner_s = [0.0]
        self._enter(item.nodeid)
        yield
        self._leave()
        definitions = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
        shared = [_fixture(one[-1]) for one in definitions.values() if one and one[-1].scope != "function"]
        row = self.rows.setdefault(item.nodeid, {"failed": False})
        row |= {"cpu_s": max(0.0, _cpu_s() - cpu - self._inner_s[0]), "shared": shared}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """A fixture that tests share belongs to all of them, and so does its cost: whoever runs first pays it."""
        if fixturedef.scope == "function":
            yield
            return
        name, cpu = _fixture(fixturedef), _cpu_s()
        self._inner_s.append(0.0)
        self._enter(name)
        yield
        self._leave()
        spent = _cpu_s() - cpu
        own = spent - self._inner_s.pop()
        self._inner_s[-1] += spent
        self.fixtures[name] = max(own, self.fixtures.get(name, 0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Whether it can be asked at all."""
        row = self.rows.setdefault(report.nodeid, {"failed": False})
        row["failed"] |= report.failed
        row["skipped"] = row.get("skipped", False) or report.skipped

    def told(self) -> dict[str, Any]:
        """Rows by test, and what ran in each context."""
        ran = {}
        for name, context in self._names.items():
            file = self._folder / context
            ran[name] = sorted({int(line) for line in file.read_text().split()}) if file.exists() else []
            file.unlink(missing_ok=True)
        for file in self._folder.glob("once-*"):
            ran[file.name] = sorted({int(line) for line in file.read_text().split()})
        return {"rows": self.rows, "ran": ran, "fixtures": self.fixtures}


def _fixture(definition: Any) -> str:
    return f"fixture {definition.baseid}::{definition.argname}"


def _too_long(number: int, frame: object) -> None:
    raise TimeoutError("this test takes many times as long as without the slip")


def _cpu_s() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def ask(question: dict[str, Any]) -> dict[str, Any]:
    """Runs pytest in this process. `files`; `usual_s`: tests in order, empty for all; `record`: a folder, or null."""
    usual_s: dict[str, float] = question["usual_s"]
    chosen = Chosen(usual_s)
    plugins: list[object] = [chosen]
    arguments = ["-q", "--tb=line", "--no-header", "-p", "no:cacheprovider", *question["files"]]
    if question["record"] is None:
        arguments.insert(0, "-x")
        code = pytest.main(arguments, plugins=plugins)
        none = code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        return {"failed": None if none else chosen.failed or f"exit {code}"}
    recorder = Recorder(Path(question["record"]))
    pytest.main(arguments, plugins=[*plugins, recorder])
    return recorder.told()


def serve() -> None:
    """One question a line, one answer a line. Whoever asks ends a child that takes too long: its process group is the number that comes first."""
    for name in WARM.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        question = json.loads(line)
        target = Path(question["answer"])
        child = os.fork()
        if child == 0:
            os.setsid()
            answers.close()
            log = os.open(question["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            target.write_text(json.dumps(ask(question)), encoding="utf-8")
            sys.stdout.flush()
            os._exit(0)
        print(child, file=answers, flush=True)
        os.waitpid(child, 0)
        print("done", file=answers, flush=True)


if __name__ == "__main__":
    serve()
