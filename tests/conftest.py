# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the orchestrator's tests: a checkout without libraries, a command line in a folder of its own."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "engine"))

import scripts
from hypothesis import settings

# On a busy machine an example may take seconds: what is checked is the answer, never how long it takes.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with SIGINT ignored, and children inherit that: tests that interrupt a run would wait for nothing.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "markers",
        "libraries: measures the installed libraries; skipped where one is missing, unless CS_REQUIRE_LIBRARIES=1",
    )


@pytest.fixture(scope="session")
def bare_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout without libraries."""
    return scripts.bare_root(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def worker_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tests' workers are built, once a session."""
    return tmp_path_factory.mktemp("cache") / "cipherstone"


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
