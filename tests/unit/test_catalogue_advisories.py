# SPDX-License-Identifier: Apache-2.0
"""Advisories: whom they speak of, what is wrong with an entry in one line, what a package's changelog says, and how all that is told."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT

from cipherstone.build.packages import named_in_changelog
from cipherstone.catalogue.advisories import Advisory, check_advisories, known_advisories
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.model.errors import DataError
from cipherstone.report.words.library import advisory_text

CATALOGUE = load_catalogue(ROOT)
LIBRARIES = load_libraries(ROOT, CATALOGUE)
AS_OF = date(2025, 12, 31)
ONE = Advisory("CVE-2024-0001", date(2024, 5, 1), "It leaks.", ("ecdsa-*/sign",), "a page", fixed_in=("3.8.4",))


@pytest.mark.parametrize(
    ("change", "has", "has_not"),
    [
        ({}, ["3.8.3", "3.7.9", "1", "3.8"], ["3.8.4", "3.8.13", "4.0", "unknown", ""]),
        ({"min": "3.6.10"}, ["3.6.10", "3.7"], ["3.6.9", "3.8.4"]),
        ({"fixed_in": ("3.0.16", "3.2.4", "3.4.1")}, ["3.0.15", "3.1.9", "3.2.3", "3.3.7", "3.4.0", "2.9"], ["3.0.16", "3.0.19", "3.2.4", "3.4.1", "3.5"]),
        ({"fixed_in": ("2.28.2", "3.3.0")}, ["2.28.1", "3.2.9", "3.0"], ["2.28.2", "2.28.10", "3.3", "3.3.0", "3.6.5"]),
        ({"fixed_in": (), "max": "3.87.1"}, ["3.87.1", "3.87"], ["3.87.2", "3.100"]),
        ({"fixed_in": (), "max": "1.0"}, ["1.0.0", "1", "1.0-rc1"], ["1.0.1"]),
        ({"fixed_in": (), "min": "3.8", "max": "3.8"}, ["3.8", "3.8.0"], ["3.7.9", "3.8.1"]),
    ],
)  # fmt: skip
def test_which_versions_have_it(change: dict[str, object], has: list[str], has_not: list[str]) -> None:
    one = msgspec.structs.replace(ONE, **change)
    check_advisories("x", (one,), AS_OF, CATALOGUE)
    assert [v for v in (*has, *has_not) if one.affects(v)] == has


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": "the bad one"}, ["advisory[0].id", "'the bad one'"]),
        ({"what": " "}, ["advisory[0].what", "empty"]),
        ({"source": ""}, ["advisory[0].source", "empty"]),
        ({"source": "https" + "://somewhere"}, ["advisory[0].source", "address"]),
        ({"date": date(2026, 1, 1)}, ["advisory[0].date", "2026-01-01", "2025-12-31"]),
        ({"ops": ()}, ["advisory[0].ops", "empty"]),
        ({"ops": ("ecdsa-p256-sha256/sing",)}, ["advisory[0].ops", "ecdsa-p256-sha256/sign"]),
        ({"fixed_in": ("3.x",)}, ["advisory[0].fixed_in", "'3.x'"]),
        ({"min": "v3"}, ["advisory[0].min", "'v3'"]),
        ({"fixed_in": ()}, ["advisory[0]", "neither max nor fixed_in"]),
        ({"min": "3.9"}, ["advisory[0].min", "'3.9'", "after"]),
    ],
)
def test_a_broken_entry_is_one_line(change: dict[str, object], words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        check_advisories("libraries/x/library.toml", (msgspec.structs.replace(ONE, **change),), AS_OF, CATALOGUE)
    said = f"{caught.value.message} | {caught.value.hint}"
    assert said.startswith("libraries/x/library.toml: ") and "\n" not in said and len(said) < 300
    assert all(word in said for word in words), said


def test_a_list_has_a_day_and_names_each_once() -> None:
    with pytest.raises(DataError, match="advisories_as_of: is missing"):
        check_advisories("x", (ONE,), None, CATALOGUE)
    with pytest.raises(DataError, match="advisories_as_of: stands there without"):
        check_advisories("x", (), AS_OF, CATALOGUE)
    with pytest.raises(DataError, match=r"advisory\[1\]\.id: 'CVE-2024-0001'.* twice"):
        check_advisories("x", (ONE, ONE), AS_OF, CATALOGUE)


def test_the_newest_first_and_of_this_version_alone() -> None:
    newer = msgspec.structs.replace(ONE, id="CVE-2025-0002", date=date(2025, 1, 1), fixed_in=("3.9",))
    assert [one.id for one in known_advisories((ONE, newer), "3.8.3")] == ["CVE-2025-0002", "CVE-2024-0001"]
    assert [one.id for one in known_advisories((ONE, newer), "3.8.4")] == ["CVE-2025-0002"]
    assert known_advisories((ONE, newer), "3.9") == ()


@pytest.mark.parametrize(
    ("library", "version", "ids"),
    [
        ("gnutls", "3.7.9", {"CVE-2024-28834"}),
        ("gnutls", "3.8.13", set()),
        ("mbedtls", "3.6.3", {"CVE-2025-54764"}),
        ("mbedtls", "3.6.6", set()),
        ("openssl", "3.0.4", {"CVE-2022-2274", "CVE-2024-13176"}),
        ("openssl", "3.0.19", set()),
        ("openssl", "4.0.3", set()),
        ("botan", "3.13.0", set()),
    ],
)
def test_what_is_listed_of_a_version(library: str, version: str, ids: set[str]) -> None:
    assert {one.id for one in known_advisories(LIBRARIES[library].advisories, version)} == ids


def test_a_changelog_names_what_it_mends(tmp_path: Path) -> None:
    (tmp_path / "libx").mkdir()
    with gzip.open(tmp_path / "libx" / "changelog.Debian.gz", "wt") as file:
        file.write("x (1-2)\n  * CVE-2024-00011, CVE-2024-0002.\n")
    (tmp_path / "liby").mkdir()
    (tmp_path / "liby" / "changelog.Debian.gz").write_bytes(b"no archive")
    ids = ["CVE-2024-0001", "CVE-2024-0002"]
    assert named_in_changelog("libx", ids, tmp_path) == {"CVE-2024-0002"}
    assert named_in_changelog("liby", ids, tmp_path) == named_in_changelog("libz", ids, tmp_path) == set()


def test_a_package_that_does_not_name_it_is_not_accused() -> None:
    (known,) = known_advisories((ONE,), "3.7.9")
    mended = msgspec.structs.replace(known, mended=True)
    assert advisory_text(known, packaged=False) == "CVE-2024-0001 (2024-05-01): It leaks (a page)."
    assert "may have mended it" in advisory_text(known, packaged=True)
    assert advisory_text(mended, packaged=True).endswith("The package's changelog names it as mended.")
