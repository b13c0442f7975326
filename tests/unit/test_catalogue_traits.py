# SPDX-License-Identifier: Apache-2.0
"""`licence:` and `upkeep:` in a filter: what they are written as, and that nothing is asked for by it."""

from __future__ import annotations

from datetime import date

import pytest
from scripts import ROOT

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.filter import FILTER_KEYS, parse_filter
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.traits import Traits, licences
from cipherstone.cli.selection import known_values, written
from cipherstone.model.errors import UsageError

CATALOGUE = load_catalogue(ROOT)
LIBRARIES = load_libraries(ROOT, CATALOGUE) | load_labs(ROOT, CATALOGUE)
INSTALLED = {"openssl": "3.0.19", "mbedtls": "2.28.3", "botan": "2.19.3", "bearssl": "0.6"}
TRAITS = Traits(
    LIBRARIES,
    lambda library, build: build.source.version if build.source else INSTALLED.get(library.id, ""),
    date(2026, 11, 1),
)


def of(text: str) -> str:
    return written(text, known_values(CATALOGUE, LIBRARIES), (), TRAITS)


def leaves(text: str, library: str, build: str = "distribution") -> bool:
    found = parse_filter(of(text), dict.fromkeys(FILTER_KEYS, ()))
    assert not any(found.asks("build", one.name) for one in LIBRARIES[library].builds), "nothing is to be built for it"
    return found.matches({"library": library, "build": build})


def test_licences_are_those_of_the_expression() -> None:
    assert licences("(Apache-2.0 OR ISC) AND MIT") == ("Apache-2.0", "ISC", "MIT")
    assert licences("GPL-2.0-or-later; from 5.8.2 on GPL-3.0-or-later") == ("GPL-2.0-or-later", "GPL-3.0-or-later")


def test_a_licence_is_written_as_its_libraries() -> None:
    assert of("licence:BSL-1.0") == "library:cryptopp"
    assert of("licence:BSL-1.0 op:sha-256/hash") == "library:cryptopp op:sha-256/hash"
    assert leaves("licence:MIT", "bearssl") and not leaves("licence:MIT", "nss")
    assert leaves("licence:/GPL/", "gnutls") and not leaves("-licence:/GPL/", "gnutls")
    assert leaves("-licence:/GPL/", "openssl")
    assert "modexp" not in of("licence:Apache-2.0")  # a laboratory is asked for by name


def test_upkeep_is_of_the_build() -> None:
    assert leaves("upkeep:ended", "openssl") and not leaves("upkeep:ended", "openssl", "4.0")
    assert not leaves("-upkeep:ended", "mbedtls") and leaves("-upkeep:ended", "mbedtls", "3.6.6")
    assert leaves("upkeep:unknown", "bearssl") and not leaves("upkeep:ended", "bearssl")
    assert leaves("-upkeep:ended licence:MIT", "bearssl")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("licence:MTI", ["unknown licence 'MTI'", "MIT"]),
        ("upkeep:dead", ["unknown upkeep 'dead'", "ended"]),
        ("licence:/Sleepycat/", ["nothing that can be measured is licence:Sleepycat"]),
        ("upkeep:>3", ["upkeep is none"]),
    ],
)
def test_a_slip_is_one_line(text: str, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        of(text)
    said = f"{caught.value.message} | {caught.value.hint}"
    assert "\n" not in said and all(word in said for word in words), said
