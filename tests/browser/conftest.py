# SPDX-License-Identifier: Apache-2.0
"""The system's Chromium, in which the tests of this folder open pages."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))

CHROMIUM = next((path for name in ("/usr/bin/chromium", "chromium", "chromium-browser") if (path := shutil.which(name))), None)  # fmt: skip
# A page that asks the network for anything fails its test, so the browser itself asks for nothing either.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Before fixtures, which render whole reports."""
    if CHROMIUM is None and not os.environ.get("CS_REQUIRE_BROWSER"):
        pytest.skip("no Chromium on this machine")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None, "CS_REQUIRE_BROWSER is set, but there is no Chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()
