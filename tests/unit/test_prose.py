# SPDX-License-Identifier: Apache-2.0
"""The check of words notices what `docs/style.md` does not allow, and nothing in the repository has it (`make lint`)."""

from __future__ import annotations

import pytest
from scripts import ROOT
from tools.prose import found


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Somebody else was on the core", ["Somebody"]),
        ("which is told, and hangs on the heap", ["is told", "hangs on"]),
        ("7 were due; it goes on with 8", ["were due", "goes on with"]),
        ("lanes that cannot be told apart", []),
        ("if told is Told.ABOVE", []),
        ("a resumed run reports what it expected", []),
    ],
)
def test_words_that_are_not_allowed(line: str, words: list[str]) -> None:
    assert [words for _, words, _ in found(f"first line\n{line}\n")] == words
    assert all(number == 2 for number, _, _ in found(f"first line\n{line}\n"))


def test_the_style_page_shows_what_is_not_allowed() -> None:
    assert len(list(found((ROOT / "docs/style.md").read_text(encoding="utf-8")))) >= 20
