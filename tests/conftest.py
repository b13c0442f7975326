# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the orchestrator's tests: a checkout without libraries, a command line in a folder of its own."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "engine"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import costs
import kept
import scripts
from hypothesis import settings

# On a busy machine an example may take seconds: what is checked is the answer, never how long it takes.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# Tests that something from a system package serves: a library, a compiler, a browser, an emulator. The others run before anything is installed.
NEED_PACKAGES = (
    "browser/",
    "cli/",
    "contract/",
    "docs/test_console",
    "engine/test_engine_builds",
    "engine/test_engine_identity",
    "fault/test_setup",
    "fuzz/",
    "labs/",
    "sdk/",
    "unit/test_build_",
    "unit/test_export_benchfmt",
    "unit/test_measure_watch",
    "unit/test_sources",
)

FAST = "not slow"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", type=Path, help="measure what each test costs, and write it to FILE")


def pytest_configure(config: pytest.Config) -> None:
    # Thousands of tests and the modules that they load stay to the end: to look for garbage among them again and again was a third of what collecting them took.
    gc.set_threshold(200_000, 20, 100)
    os.environ.pop("COLUMNS", None)  # expected outputs are 80 columns wide, whatever the caller's terminal is
    in_worker = hasattr(config, "workerinput")
    target, fast = config.getoption("--costs"), config.option.markexpr == FAST
    if target is not None or fast:
        config.pluginmanager.register(costs.Costs(None if in_worker else target, fast and target is None))
    # A shell starts background jobs with SIGINT ignored, `nohup` with SIGHUP, and children inherit that: tests that interrupt a run would wait for nothing. What is handled here is no longer
    # ignored by whom they start, which costs nothing; a function between fork and exec would copy the memory map of this large process each time (25 ms).
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    config.addinivalue_line("markers", "packages: needs what a system package brings; `make test` installs before it")
    config.addinivalue_line("markers", "slow: takes long, by tests/costs.txt; `make check` leaves it out")
    config.addinivalue_line(
        "markers",
        "libraries: measures the installed libraries; skipped where one is missing, unless CS_REQUIRE_LIBRARIES=1",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make test` has two stages, `make check` runs the fast tests: a file without a test of the stage that runs is not read at all, by none of its processes."""
    stage = config.option.markexpr
    if stage not in ("packages", "not packages", FAST):
        return None
    file = collection_path.relative_to(Path(__file__).parent).as_posix()
    if collection_path.suffix != ".py":
        return (stage == FAST and costs.folder_all_slow(file)) or None
    if stage == FAST:
        return costs.all_slow(file) or None
    all_need = file.startswith(NEED_PACKAGES)
    if stage == "not packages":
        return all_need or None
    return None if all_need or b"mark.libraries" in collection_path.read_bytes() else True


def file_of(item: pytest.Item) -> str:
    """The file of a test, as in tests/costs.txt."""
    return costs.function_of(item.nodeid).partition("::")[0]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What was measured to take long is `slow`. The files with most to do begin first, and a file stays in one process: its fixtures are made once, whatever runs beside it."""
    known, none = costs.read(), costs.Cost(0.0, 0.0)
    for item in items:
        name = costs.function_of(item.nodeid)
        if name in known or costs.all_slow(name.partition("::")[0]):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("libraries") is not None or name.startswith(NEED_PACKAGES):
            item.add_marker(pytest.mark.packages)
    begins = {file: -costs.expected_s(file, costs.by_file().get(file, none).elapsed_s) for file in map(file_of, items)}
    items.sort(key=lambda item: begins[file_of(item)])


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a session, which its processes share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def bare_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout without libraries, made once a session."""
    shared = shared_folder(tmp_path_factory)
    with (shared / "checkout.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        target = shared / "checkout"
        if not target.is_dir():
            scripts.bare_root(shared / "checkout.part").rename(target)
    return target


@pytest.fixture(scope="session")
def worker_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tests' workers are built, once for all sessions (`kept`): the processes of a session share it, as the commands of a user do."""
    cache = shared_folder(tmp_path_factory) / "cache" / "cipherstone"
    kept.link_built(cache)
    return cache


@pytest.fixture(scope="session")
def new_cli(
    bare_root: Path, worker_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., scripts.CommandLine]:
    """new_cli(name) -> a command line of the bare checkout in a new folder."""

    def make(name: str = "home", root: Path = bare_root, **environment: str) -> scripts.CommandLine:
        home = tmp_path_factory.mktemp(name)
        # Nothing is built for the bare checkout, and what scripted probes teach about this machine must reach no other test, least of all one of real workers.
        cache = home / "cache" / "cipherstone" if root == bare_root else worker_cache
        return scripts.CommandLine(root, home, cache, environment)

    return make


@pytest.fixture
def cli(new_cli: Callable[..., scripts.CommandLine]) -> scripts.CommandLine:
    return new_cli()
