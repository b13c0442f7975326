# SPDX-License-Identifier: Apache-2.0
"""Links lead somewhere, pages are short, and nothing in them belongs to one machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import GENERATED, PAGES, ROOT, anchors, links, name, prose

MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:home|root|work|Users|tmp|var|mnt|opt)/\w")
LONGEST_PAGE = 600  # words


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links_resolve(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in links(text):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{name(page)}: {target}: no such file"
        assert there.is_relative_to(ROOT), f"{name(page)}: {target}: outside of the checkout"
        if anchor:
            assert there.suffix == ".md", f"{name(page)}: {target}: only pages have anchors"
            assert anchor in anchors(there.read_text(encoding="utf-8")), f"{name(page)}: {target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_path_of_a_machine(page: Path) -> None:
    found = MACHINE_PATH.search(page.read_text(encoding="utf-8"))
    assert found is None, f"{name(page)}: {found and found[0]}"


def written_pages() -> list[Path]:
    folders = tuple(ROOT / "docs" / folder for folder in ("guides", "concepts", "decisions"))
    return [
        page for page in PAGES if page.parent in folders and page.name != "README.md"
    ]  # an index grows with its folder


@pytest.mark.parametrize("page", written_pages(), ids=name)
def test_pages_are_short(page: Path) -> None:
    text = prose(page.read_text(encoding="utf-8"))
    words = sum(re.search("[A-Za-z]", word) is not None for word in text.split())
    assert words <= LONGEST_PAGE, f"{words} words"


def test_every_page_of_docs_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        targets = (t.partition("#")[0] for t in links(page.read_text(encoding="utf-8")) if ":" not in t)
        waiting += [there for t in targets if (there := (page.parent / t).resolve()).suffix == ".md" and there.exists()]
    missed = [name(page) for page in PAGES if page.is_relative_to(ROOT / "docs") and page not in reached]
    assert not missed


def test_the_checks_see_what_they_look_for() -> None:
    text = "# A `b` c\n[x](y.md#z) `[no](no.md)`\n```sh\n[no](no.md)\n```\n# A b c\n"
    assert links(text) == ["y.md#z"]
    assert anchors(text) == {"a-b-c", "a-b-c-1"}
    assert MACHINE_PATH.search("see /home/x") and not MACHINE_PATH.search("src/home/x")
    assert any(page.read_text(encoding="utf-8").startswith(GENERATED) for page in PAGES)
