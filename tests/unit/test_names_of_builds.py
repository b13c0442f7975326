# SPDX-License-Identifier: Apache-2.0
"""A build has one printed spelling, and every place that takes a build reads it: the older one too."""

from __future__ import annotations

import pytest

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.libraries import Library, load_labs, load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.selection_words import typed
from cipherstone.cli.select_options import select
from cipherstone.cli.selection import build_names, chosen_libraries, known_values, parsed, with_builds
from cipherstone.cli.upgrade import _start
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import (
    Lane,
    base_lane,
    build_label,
    build_within,
    joined_build,
    read_build,
    read_label,
    variant_of,
)

CATALOGUE = catalogue_at(data_root())
LIBRARIES = load_libraries(data_root(), CATALOGUE) | load_labs(data_root(), CATALOGUE)
EVERY = [(library, build) for library in LIBRARIES.values() for build in library.builds]
COMPOSED = [
    ("openssl", "4.0+clang16+Os"),
    ("openssl", "~noavx512"),
    ("openssl", "4.0~noavx512"),
    ("openssl", "3.6+noasm"),
    ("bearssl", "0.6+Os+i386"),
    ("tls", "boringssl~noaccel"),
    ("modexp", "gcc-O3+clang16"),
]
KINDS = [*EVERY, *((LIBRARIES[name], composed(LIBRARIES[name], text)) for name, text in COMPOSED)]
of_every_kind = pytest.mark.parametrize(
    ("library", "build"), KINDS, ids=[build_label(library.id, build.variant) for library, build in KINDS]
)


@of_every_kind
def test_what_is_printed_is_read(library: Library, build: BuildSpec) -> None:
    label = build_label(library.id, build.variant)
    assert read_build(label) == (library.id, build.variant) and read_label(label) == label
    older = library.id + joined_build("", build.variant)
    assert read_build(older) == (library.id, build.variant) and read_label(older) == label
    assert build_within(library.id, label) == build_within(library.id, older) == build.name
    assert variant_of(joined_build("1.2.3", build.variant)) == build.variant


@of_every_kind
def test_options_and_words_take_what_is_printed(library: Library, build: BuildSpec) -> None:
    label = build_label(library.id, build.variant)
    for name in (label, build_label(library.id, build.name), library.id + joined_build("", build.variant)):
        libraries, asked = with_builds("--build", [name], LIBRARIES)
        assert asked == {build_label(library.id, build.name)}
        assert build.name in {one.name for one in libraries[library.id].builds}
    if not build.variant:
        return
    selections = (
        select(library=[label]),
        select(filter_=f"build:{label}"),
        select(named=[label]),
        select(filter_=label),
    )
    for found in selections:
        assert found.builds == (label,)
        libraries, asked = with_builds("--build", found.builds, LIBRARIES)
        known = known_values(CATALOGUE, libraries, (), build_names(libraries.values()))
        selection = parsed(found.filter, known)
        assert selection is not None and selection.written == f"library:{library.id} build:{build.name}"
        chosen = chosen_libraries(selection.written, CATALOGUE, libraries, (), asked)
        assert [(name, [b.name for b in one.builds]) for name, one in chosen.items()] == [(library.id, [build.name])]


@of_every_kind
def test_lanes_of_a_run_are_named_as_they_are_printed(library: Library, build: BuildSpec) -> None:
    other = Lane(library.id, joined_build("9.9", "" if build.variant else "other"))
    lane = Lane(library.id, joined_build("1.2.3", build.variant))
    part = Lane(library.id, lane.build, "fast")
    ids = [other.id, Lane(library.id, lane.build, twin=True).id, part.id, lane.id]
    for one in (lane, part):
        older = library.id + joined_build("", build.variant) + one.label.removeprefix(one.build_label)
        assert base_lane(one.label, ids) == base_lane(one.id, ids) == base_lane(older, ids) == one.id


def test_a_label_goes_before_an_id() -> None:
    """BearSSL's distribution and its source have one version."""
    ids = ["bearssl@0.6", "bearssl@0.6+0.6"]
    assert base_lane("bearssl@0.6", ids) == "bearssl@0.6+0.6" and base_lane("bearssl", ids) == "bearssl@0.6"
    assert base_lane("bearssl@0.6", ids[:1]) == "bearssl@0.6"


def test_an_upgrade_starts_from_any_spelling() -> None:
    openssl = LIBRARIES["openssl"]
    assert {_start(openssl, name) for name in ("4.0", "openssl@4.0", "openssl+4.0")} == {"4.0"}
    assert {_start(openssl, name) for name in ("openssl", "distribution", "openssl@distribution")} == {"distribution"}
    with pytest.raises(UsageError, match="no such build"):
        _start(openssl, "openssl@4.9")


def test_a_build_that_is_not_there_is_one_line() -> None:
    known = known_values(CATALOGUE, LIBRARIES, (), build_names(LIBRARIES.values()))
    with pytest.raises(UsageError, match=r"unknown build '4\.9' of openssl"):
        parsed("build:openssl@4.9", known)
    assert typed(["openssl@4.9"], known).builds == ("openssl@4.9",)
    negated = select(filter_="-build:openssl@4.0")
    assert negated.builds == ()  # what is left out is not built
