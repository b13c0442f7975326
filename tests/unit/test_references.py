# SPDX-License-Identifier: Apache-2.0
"""Published figures of other people: one folder a page, each with the same `reference.toml`, and values in a form that the README names. And what is said about broken ones."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import pytest

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_pages import TABLES, PublishedPage
from cipherstone.catalogue.references import ABOUT, FOLDER, files_of, load_reference, pages_with, read_values
from cipherstone.catalogue.suites import suite_names
from cipherstone.model.errors import DataError

ROOT = data_root()
PAGES = sorted(path for path in (ROOT / FOLDER).iterdir() if path.is_dir())
KINDS = set(re.findall(r"^\| `([a-z]+\.toml)` \|", (ROOT / FOLDER / "README.md").read_text(), re.MULTILINE))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_a_page_says_what_it_is_and_has_values_of_known_kinds(page: Path) -> None:
    about = load_reference(ROOT, page.name)
    assert about.note and all(note.strip() for note in about.note)
    files = {path.name for path in page.iterdir()}
    assert files - {ABOUT} <= KINDS and len(files) > 1


def test_every_kind_is_there_and_a_page_with_tables_has_a_suite() -> None:
    assert {path.name for page in PAGES for path in page.iterdir()} == {*KINDS, ABOUT}
    assert set(pages_with(ROOT, TABLES)) <= set(suite_names(ROOT))
    assert pages_with(ROOT, "no-such.toml") == ()


def test_published_figures_lie_in_one_folder() -> None:
    """The folders that they were spread over are gone."""
    assert [path for folder in ("suites", "labs", "libraries") for path in (ROOT / folder).glob("**/published*")] == []


@pytest.mark.parametrize("page", pages_with(ROOT, TABLES))
def test_what_a_tool_writes_begins_as_the_file_does(page: str) -> None:
    """The text that it is made of is no part of the repository."""
    tool = runpy.run_path(str(ROOT / "tools" / f"published_{page.replace('-', '_')}.py"))
    assert tool["TARGET"] == ROOT / FOLDER / page / TABLES
    assert tool["TARGET"].read_text(encoding="utf-8").startswith(tool["HEAD"])


def test_title_source_and_note_come_from_the_reference(copy: Path) -> None:
    page, about = read_values(copy, "survey", TABLES, PublishedPage), load_reference(copy, "survey")
    assert (page.title, page.source, page.note) == (about.title, about.source, about.note)
    assert all(path.is_file() for path in files_of(copy, "survey", TABLES))


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        (ABOUT, 'date = "spring 2021"\n', "", "references/survey/reference.toml: top level: key 'date' is missing"),
        (ABOUT, '"spring 2021"', '" "', "references/survey/reference.toml: date: is empty"),
        (ABOUT, "title =", "titel =", "references/survey/reference.toml: top level: unknown key 'titel'"),
        (TABLES, "library =", 'note = []\nlibrary =', "references/survey/tables.toml: top level: unknown key 'note'"),
        (TABLES, "library =", 'date = "x"\nlibrary =', "references/survey/tables.toml: top level: unknown key 'date'"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(copy: Path, file: str, old: str, new: str, says: str) -> None:
    path = copy / FOLDER / "survey" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        read_values(copy, "survey", TABLES, PublishedPage)
    assert caught.value.message.startswith(says) and "\n" not in caught.value.message


def test_values_without_a_reference_are_refused(copy: Path) -> None:
    (copy / FOLDER / "survey" / ABOUT).unlink()
    with pytest.raises(DataError, match=r"references/survey/reference\.toml: cannot be read"):
        read_values(copy, "survey", TABLES, PublishedPage)
