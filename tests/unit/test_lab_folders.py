# SPDX-License-Identifier: Apache-2.0
"""A laboratory's data lead to its Python: `labs/NAME/README.md` names the package that exists, or says that there is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripts import ROOT

PYTHON = ROOT / "src" / "cipherstone" / "labs"
FOLDERS = sorted(path for path in (ROOT / "labs").iterdir() if path.is_dir())
NONE = "This folder has no Python"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_readme_of_data_names_the_python(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"The Python of this laboratory is in `src/cipherstone/labs/([\w-]+)`", text))
    has_python = (PYTHON / folder.name / "__init__.py").is_file()
    assert named == ({folder.name} if has_python else set())
    assert (NONE in text) is not has_python


def test_both_kinds_exist() -> None:
    with_python = {folder.name for folder in FOLDERS if (PYTHON / folder.name / "__init__.py").is_file()}
    assert with_python and {folder.name for folder in FOLDERS} - with_python
