# SPDX-License-Identifier: Apache-2.0
"""Which builds a plain run takes: a system's library, and of one that no system ships the first source that is built."""

from __future__ import annotations

import msgspec
import pytest
from scripts import ROOT

from cipherstone.catalogue.algorithms import Catalogue, load_catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library, load_libraries
from cipherstone.cli.selection import chosen_libraries, with_builds


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue(ROOT)


@pytest.fixture(scope="module")
def shipped(catalogue: Catalogue) -> Library:
    return load_libraries(ROOT, catalogue)["openssl"]


def names(chosen: dict[str, Library]) -> list[str]:
    return [build.name for library in chosen.values() for build in library.builds]


def everything(library: Library, build: BuildSpec) -> bool:
    return True


def newest(library: Library, build: BuildSpec) -> bool:
    return build.variant == "4.0"


def test_a_library_that_a_system_ships_is_that(catalogue: Catalogue, shipped: Library) -> None:
    assert names(chosen_libraries("", catalogue, {"openssl": shipped}, built=everything)) == ["distribution"]


def test_of_one_that_no_system_ships_the_first_that_is_built(catalogue: Catalogue, shipped: Library) -> None:
    alone = msgspec.structs.replace(shipped, distribution=None, builds=shipped.builds[1:])
    assert names(chosen_libraries("", catalogue, {"openssl": alone}, built=everything)) == ["3.6"]
    assert names(chosen_libraries("", catalogue, {"openssl": alone}, built=newest)) == ["4.0"]
    assert names(chosen_libraries("", catalogue, {"openssl": alone})) == []


def test_sources_means_all_that_are_built(catalogue: Catalogue, shipped: Library) -> None:
    """As they are: variants of a source are asked for by name."""
    libraries, asked = with_builds("--build", ["sources"], {"openssl": shipped})
    assert names(chosen_libraries("", catalogue, libraries, (), asked, built=everything)) == [
        "distribution",
        "3.6",
        "4.0",
    ]
    assert names(chosen_libraries("", catalogue, libraries, (), asked, built=newest)) == ["distribution", "4.0"]


def test_a_build_asked_for_by_its_library_is_no_other_librarys(catalogue: Catalogue) -> None:
    known = load_libraries(ROOT, catalogue)
    two = {name: known[name] for name in ("openssl", "mbedtls")}
    libraries, asked = with_builds("--build", ["openssl+noasm"], two)
    assert names(chosen_libraries("", catalogue, libraries, (), asked)) == ["distribution", "noasm", "distribution"]
    libraries, asked = with_builds("--build", ["noasm"], two)
    assert names(chosen_libraries("", catalogue, libraries, (), asked)).count("noasm") == 2
