# SPDX-License-Identifier: Apache-2.0
"""The README's table of what each library has, against the catalogue and every library.toml."""

from __future__ import annotations

import re

from cipherstone.catalogue.algorithms import LAB_FAMILIES, load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root

ROOT = data_root()
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_number_of_the_table_is_the_catalogues() -> None:
    catalogue = load_catalogue(ROOT)
    families: dict[str, list[str]] = {}
    for operation in catalogue.operations.values():
        if operation.family not in LAB_FAMILIES:
            families.setdefault(operation.family, []).append(operation.base_id)
    told = {
        cells[0].replace("\\", ""): [int(cell or 0) for cell in cells[1:-1]]
        for line in README.splitlines()
        if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == len(families) + 3
        and re.fullmatch(r"\d+", cells[1])
    }
    due = {"*of*": [len(one) for one in families.values()]}
    for library in load_libraries(ROOT, catalogue).values():
        due[library.title] = [sum(name not in library.not_measured for name in one) for one in families.values()]
    assert told == {title: [sum(counts), *counts] for title, counts in due.items()}
    assert f"today, {sum(due['*of*'])} operations" in README
