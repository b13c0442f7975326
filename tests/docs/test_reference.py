# SPDX-License-Identifier: Apache-2.0
"""The generated pages are fresh, complete, and the same wherever they are written."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from pages import ROOT, fences

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.suites import suite_names
from cipherstone.model.errors import DataError
from cipherstone.model.records import Settings

FOLDER = ROOT / "docs" / "reference"
NAMES = ("cipherstone.1", "cli.md", "operations.md", "libraries.md", "suites.md", "vectors.md")


def check(**environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "reference.py"), "--check"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **environment}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_pages_are_fresh() -> None:
    done = check()
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def test_pages_do_not_depend_on_the_terminal_or_on_what_is_installed() -> None:
    done = check(COLUMNS="200", FORCE_COLOR="1", TERM="xterm-256color", PATH="/nonexistent", LC_ALL="C")
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


@pytest.fixture
def reference() -> Iterator[Any]:
    """The program that writes the pages, as a module."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        yield importlib.import_module("reference")
    finally:
        sys.path.pop(0)


def test_a_library_that_names_no_absence_is_not_counted_as_having_all(reference: Any) -> None:
    catalogue = load_catalogue(ROOT)
    one = load_libraries(ROOT, catalogue)["libsodium"]
    everyday = reference.everyday_operations(catalogue)
    reference.need_absences(one, everyday)
    silent = msgspec.structs.replace(one, absent=tuple(a for a in one.absent if a.operation not in everyday))
    with pytest.raises(DataError, match=r"libsodium.*not_measured: names none of"):
        reference.need_absences(silent, everyday)


def test_the_numbers_of_the_readme_are_written(reference: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ((path, text),) = reference.readme_file().items()
    assert text == path.read_text(encoding="utf-8")
    one = load_libraries(ROOT)["libsodium"]
    monkeypatch.setattr(reference, "load_libraries", lambda root, catalogue: {"libsodium": one})
    assert "\n1 libraries as the system ships them" in reference.readme_file()[path]


def test_a_stale_page_is_told(reference: Any) -> None:
    page = FOLDER / "suites.md"
    assert reference.stale_pages() == []
    fresh = reference.PAGES["suites.md"]
    reference.PAGES["suites.md"] = lambda: fresh() + "more\n"
    try:
        assert reference.stale_pages() == ["suites.md"]
    finally:
        reference.PAGES["suites.md"] = fresh
    assert page.read_text(encoding="utf-8") == fresh()


def test_nothing_of_the_catalogue_is_missing() -> None:
    catalogue = load_catalogue(ROOT)
    text = {name: (FOLDER / name).read_text(encoding="utf-8") for name in NAMES}
    for operation in catalogue.operations:
        assert f"`{operation}`" in text["operations.md"], operation
        assert f"`{operation}`" in text["vectors.md"], operation
    for library in load_libraries(ROOT, catalogue):
        assert f"\n## {library}\n" in text["libraries.md"], library
    for suite in suite_names(ROOT):
        assert f"\n## {suite}\n" in text["suites.md"], suite


@pytest.mark.parametrize("name", NAMES)
def test_help_fits_eighty_columns(name: str) -> None:
    blocks = list(fences((FOLDER / name).read_text(encoding="utf-8")))
    assert all(len(line) <= 80 for block in blocks for line in block.lines)
    assert "\x1b" not in (FOLDER / name).read_text(encoding="utf-8")


def test_the_settings_of_the_method_page_are_those_of_the_program() -> None:
    page = (ROOT / "docs" / "concepts" / "method.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z_]+)` \| ([0-9.]+) \|", page, re.MULTILINE)
    assert len(rows) >= 10
    for name, value in rows:
        assert float(value) == getattr(Settings(), name), name
