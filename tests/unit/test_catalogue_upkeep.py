# SPDX-License-Identifier: Apache-2.0
"""Until when a branch is maintained: the day itself still counts, the longest branch speaks, a number is a whole one."""

from __future__ import annotations

from datetime import date

import pytest
from scripts import ROOT

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.upkeep import Upkeep, check_upkeep, upkeep_words
from cipherstone.model.errors import DataError

ENTRIES = (Upkeep("3", date(2030, 1, 1), "a"), Upkeep("3.0", date(2026, 9, 7), "b"), Upkeep("2", date(2020, 1, 1), "c"))


@pytest.mark.parametrize(
    ("version", "today", "ended"),
    [
        ("3.0.19", date(2026, 9, 7), ""),
        ("3.0.19", date(2026, 9, 8), "2026-09-07"),
        ("3.0", date(2026, 9, 8), "2026-09-07"),
        ("3.01", date(2026, 9, 8), ""),
        ("3.1.0", date(2031, 1, 1), "2030-01-01"),
        ("20.1", date(2026, 9, 8), ""),
        ("2.19.3", date(2026, 9, 8), "2020-01-01"),
        ("4.0", date(2040, 1, 1), ""),
        ("unknown", date(2040, 1, 1), ""),
    ],
)
def test_what_is_said_of_a_version(version: str, today: date, ended: str) -> None:
    said = upkeep_words(ENTRIES, version, today)
    assert (f"since {ended}" in said) if ended else said == ""


@pytest.mark.parametrize(
    "entry", [Upkeep("3.x", date(2030, 1, 1), "a"), Upkeep("3", date(2030, 1, 1), " "), ENTRIES[0]]
)
def test_an_entry_that_says_nothing_is_one_line(entry: Upkeep) -> None:
    with pytest.raises(DataError, match=r"upkeep\["):
        check_upkeep("x", (ENTRIES[0], entry))


def test_branches_that_have_ended_are_known() -> None:
    libraries = load_libraries(ROOT, load_catalogue(ROOT))
    for name, version in (("botan", "2.19.3"), ("mbedtls", "2.28.3")):
        assert "no longer maintained" in upkeep_words(libraries[name].upkeep, version, date(2026, 11, 1))
    assert upkeep_words(libraries["mbedtls"].upkeep, "3.6.5", date(2026, 11, 1)) == ""
