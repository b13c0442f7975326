# SPDX-License-Identifier: Apache-2.0
"""What a library.toml says of operations that are not there and of named implementations; and each file against the list of its own worker."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, skip_or_fail, source_cache

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.absences import Absence, Implementation, NotMeasured, absences, version_matches
from cipherstone.catalogue.algorithms import Catalogue, load_catalogue
from cipherstone.catalogue.libraries import Library, load_libraries
from cipherstone.execute.survey import Found, survey
from cipherstone.model.errors import DataError
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION
from cipherstone.report.words.properties import property_words

LIBRARIES = load_libraries(ROOT)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue(ROOT)


def read(catalogue: Catalogue, *entries: dict[str, object]) -> dict[tuple[str, str], str]:
    """(operation, versions) -> reason."""
    found = absences("libraries/x/library.toml", msgspec.convert(entries, tuple[NotMeasured, ...]), catalogue)
    return {(one.operation, one.versions): one.reason for one in found}


def test_families_and_patterns_without_what_is_there(catalogue: Catalogue) -> None:
    reasons = read(
        catalogue,
        {"families": ["mac", "dh"], "except": ["poly1305/*"], "reason": "no keys"},
        {"ops": ["ghash/mac"], "reason": "hidden"},
    )
    expected = {name for name, one in catalogue.operations.items() if one.family in ("mac", "dh")} - {"poly1305/mac"}
    assert {operation for operation, _ in reasons} == expected and len(expected) > 3
    assert reasons["ghash/mac", ""] == "hidden" and reasons["x25519/derive", ""] == "no keys"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"ops": ["*"]}, ["not_measured[0]", "whole catalogue", "except"]),
        ({"families": ["hash"], "ops": ["ghash/mac"]}, ["needs either ops or families"]),
        ({"families": ["hush"]}, ["families", "'hush'", "hash"]),
        ({"families": ["hash"], "except": ["*/mac"]}, ["except", "'*/mac'", "takes nothing away"]),
        ({"families": ["hash"], "except": ["*/mak"]}, ["except", "'*/mak'", "nothing of the catalogue"]),
        ({"ops": ["ghash/mac"], "versions": "3.5"}, ["versions", "'3.5'", "<3.5"]),
        ({"ops": ["ghash/mac"], "versions": "<=3.5"}, ["versions", "'<=3.5'"]),
    ],
)
def test_a_broken_entry_is_one_line(catalogue: Catalogue, entry: dict[str, object], words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        read(catalogue, {**entry, "reason": "because"})
    text = f"{caught.value.message} {caught.value.hint}"
    assert "\n" not in text and all(word in text for word in words), text


@pytest.mark.parametrize(
    ("condition", "version", "met"),
    [
        ("<3.5", "3.4.9", True),
        ("<3.5", "3.5", False),
        ("<3.5", "3.5.0", False),
        ("<3.5", "3.10", False),
        ("<3.5", "2.28.3", True),
        (">=3", "3.0.0", True),
        (">=3", "2.19.3", False),
        (">=1.10", "1.9.4", False),
        (">=1.10", "1.10.1-unknown", True),
        ("<3.5", "unknown", False),
    ],
)
def test_versions_are_compared_number_by_number(condition: str, version: str, met: bool) -> None:
    assert version_matches(condition, version) is met
    assert Absence("ghash/mac", "because", condition).holds(version) is met
    assert Absence("ghash/mac", "because", condition).holds(None) and Absence("ghash/mac", "because").holds(version)


def test_words_of_an_implementation() -> None:
    assert property_words(Implementation("des_tab", "no", tables=True).properties) == "not constant-time, tables"
    assert property_words(Implementation("x", "yes", hardware="AES-NI").properties) == "constant-time, AES-NI"
    assert property_words(Implementation("x").properties) == ""
    one = Implementation("aes_*", ops=("*/seal", "*/open"))
    assert one.covers("aes-128-gcm/seal", "aes_ct64") and not one.covers("aes-128-cbc/encrypt", "aes_ct64")
    assert not one.covers("aes-128-gcm/seal", "default")
    built = Implementation("default", builds=("*-small",))
    assert built.covers("md5/hash", "default", "2.0-small") and not built.covers("md5/hash", "default", "2.0")
    assert not built.covers("md5/hash", "default")


def test_the_first_entry_that_speaks_of_a_lane_is_taken() -> None:
    bearssl = LIBRARIES["bearssl"]
    tab, chosen = bearssl.about("3des-cbc/encrypt", "des_tab"), bearssl.about("3des-cbc/encrypt", "default")
    assert tab is not None and property_words(tab.properties) == "not constant-time, tables"
    assert chosen is not None and chosen.constant_time == "yes"
    assert bearssl.about("sha-256/hash", "default") is None
    known = {name: LIBRARIES["nettle"].about("modexp/private", "default", name) for name in ("3.10", "3.10-minigmp")}
    said = {name: one.constant_time for name, one in known.items() if one is not None}
    assert said == {"3.10": "yes", "3.10-minigmp": "no"}, "mini-gmp has no power that is silent"


@pytest.mark.libraries
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_file_agrees_with_what_its_worker_lists(library: str, worker_cache: Path, catalogue: Catalogue) -> None:
    """Nothing that the worker offers has a reason for its absence; what it does not offer has one; every lane with a name is spoken of, and nothing else is."""
    one = LIBRARIES[library]
    shipped = one.builds[0].source is None
    cache = worker_cache if shipped else source_cache(one)
    for found in survey(Workshop.find(ROOT, cache), {library: one}, builds=None if shipped else {one.builds[0].name}):
        if found.build is None:
            skip_or_fail(f"{library}: {found.problem}")
        _agree(one, found, catalogue)


def _agree(one: Library, found: Found, catalogue: Catalogue) -> None:
    assert found.build is not None
    offer = found.offer(catalogue)
    lanes = {*offer.capabilities, *offer.unavailable}
    offered = {operation for operation, _ in lanes}
    absent = {operation for operation in catalogue.operations if one.why_not(operation, found.build.version)}
    assert offered & absent == set(), "measured, and the file says that it is not"
    assert set(catalogue.operations) - offered - absent == set(), "neither measured nor given a reason"
    named = {lane for lane in lanes if lane[1] != DEFAULT_IMPLEMENTATION}
    assert {lane for lane in named if one.about(*lane) is None} == set(), "no entry of `implementation` speaks of these"
    # Lanes of other versions and builds are in the adapter's text alone.
    text = "".join(path.read_text(encoding="utf-8") for path in one.folder.glob("adapter*"))
    idle = [
        entry.impl
        for entry in one.implementations
        if not any(entry.covers(*lane) for lane in lanes) and f'"{entry.impl}"' not in text
    ]
    assert idle == [], "these entries of `implementation` speak of no lane"
