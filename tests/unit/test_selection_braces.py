# SPDX-License-Identifier: Apache-2.0
"""Words of options: commas and repeated options are one list, braces stand for every combination."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.selection import MOST_WORDS, with_builds, words
from cipherstone.model.errors import UsageError

ASKED = "bearssl@0.6+{gcc12,clang14}+{O2,O3,Os}{,+lto}"


@pytest.mark.parametrize(
    ("given_words", "found"),
    [
        (["a,b", "c"], ["a", "b", "c"]),
        (["x+{a,b},y"], ["x+a", "x+b", "y"]),
        (["x{,+lto}"], ["x", "x+lto"]),
        (["{a,b}{1,2}"], ["a1", "a2", "b1", "b2"]),
        (["/ct{2}/", "x{one}"], ["/ct{2}/", "xone"]),
        ([",", "{,}"], []),
        (None, []),
    ],
)
def test_words_and_braces(given_words: list[str] | None, found: list[str]) -> None:
    assert words(given_words) == found


@pytest.mark.parametrize("text", ["x+{a,b", "x}a", "x{a{b}}"])
def test_braces_that_do_not_close_are_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="braces do not close"):
        words([text])


def test_a_matrix_has_an_end() -> None:
    assert len(words(["{1,2,3,4}{1,2,3,4}{1,2,3,4}"])) == MOST_WORDS
    with pytest.raises(UsageError, match="65 combinations, 64 at most"):
        words([f"{{{','.join('ab'[n % 2] * (n + 1) for n in range(65))}}}"])


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@given(st.lists(st.lists(st.sampled_from(["a", "b+", "", "c@"]), min_size=2, max_size=3), min_size=1, max_size=3))
def test_a_shell_spreads_them_alike(choices: list[list[str]]) -> None:
    text = "w" + "-".join(f"{{{','.join(one)}}}" for one in choices)
    said = subprocess.run(["bash", "-c", f"printf '%s\\n' {text}"], capture_output=True, text=True, check=True)
    assert words([text]) == said.stdout.split("\n")[:-1]


def test_every_combination_is_a_build() -> None:
    libraries, asked = with_builds("--build", words([ASKED]), load_libraries(data_root()))
    assert len(asked) == 12 and "bearssl@0.6+clang14+Os+lto" in asked
    made = {build.name: build for build in libraries["bearssl"].builds}
    assert made["0.6+clang14+Os+lto"].cc == "clang-14" and "-flto" in made["0.6+clang14+Os+lto"].flags
