# SPDX-License-Identifier: Apache-2.0
"""The README is short, and its numbers are the catalogue's."""

from __future__ import annotations

from cipherstone.catalogue.algorithms import LAB_FAMILIES, load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root

ROOT = data_root()
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES = 100


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES


def test_how_many_libraries_and_operations_there_are() -> None:
    catalogue = load_catalogue(ROOT)
    operations = {one.base_id for one in catalogue.operations.values() if one.family not in LAB_FAMILIES}
    libraries = load_libraries(ROOT, catalogue)
    assert f"\n{len(libraries)} libraries as the system ships them" in README
    assert f"today, {len(operations)} operations" in README
