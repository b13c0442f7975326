# SPDX-License-Identifier: Apache-2.0
"""A selection inside a suite only takes away: what it leaves is of the suite, a library keeps all of its cells, and the plan says what is gone."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.filter import Filter, parse_filter
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_pages import load_page
from cipherstone.catalogue.suites import Suite, load_suite, suite_names
from cipherstone.cli.plan_lines import published_line, taken_away
from cipherstone.cli.selection import build_names, known_values, with_builds
from cipherstone.measure.plan import Offer, plan_cases, plan_run
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case, Lane, build_label

ROOT = data_root()
CATALOGUE = load_catalogue(ROOT)
LIBRARIES = load_libraries(ROOT, CATALOGUE) | load_labs(ROOT, CATALOGUE)
CLOSED = tuple(name for name in suite_names(ROOT) if not load_suite(ROOT, name, CATALOGUE).open)
KNOWN = known_values(CATALOGUE, LIBRARIES, (), build_names(LIBRARIES.values()))
SOME = ("openssl", "bearssl", "tls", "own-aes")
Cells = frozenset[tuple[str, str]]


@cache
def suite_of(name: str) -> Suite:
    return load_suite(ROOT, name, CATALOGUE)


@cache
def offers(name: str) -> tuple[Offer, ...]:
    """Every build of every library offers what the suite measures, under each name that its published page has for an implementation."""
    suite = suite_of(name)
    page = load_page(ROOT, suite)
    implementations = {"default"}
    if page is not None:
        implementations |= {row.implementation for table in page.table for row in table.row if row.implementation}
    operations = [operation for section in suite.sections for operation in section.operations]
    libraries, asked = with_builds("", suite.builds, LIBRARIES)
    known = [one for one in map(CATALOGUE.known, operations) if one is not None]
    capabilities = {(one.base_id, name): Capability(one.base_id, name) for one in known for name in implementations}
    return tuple(
        Offer(library.id, f"1.0{build.variant and '+'}{build.variant}", capabilities, {})
        for library in libraries.values()
        for build in library.builds
        if build.default or {build.name, build_label(library.id, build.name)} & asked
    )


def planned(name: str, selection: Filter | None, libraries: Collection[str] = tuple(LIBRARIES)) -> Cells:
    """Case and lane of every cell of these libraries, without A/A lanes."""
    asked = [one for one in offers(name) if one.library in libraries]
    plan = plan_run(CATALOGUE, LIBRARIES, asked, suite_of(name), selection, None)
    return frozenset((one.case, lane) for one in plan.cases for lane in one.lanes if not Lane.parse(lane).twin)


@cache
def whole(name: str) -> Cells:
    return planned(name, None)


def test_the_suites_that_a_selection_may_leave_are_those_that_are_a_start() -> None:
    assert {*suite_names(ROOT)} - {*CLOSED} == {"default", "quick", "full", "upgrade"}


@pytest.mark.parametrize("name", CLOSED)
def test_a_suite_narrowed_to_a_library_keeps_its_cells(name: str) -> None:
    """Of published pages these are its rows: arithmetic as well, which is measured by name alone outside of a suite."""
    for library in LIBRARIES:
        mine = {cell for cell in whole(name) if Lane.parse(cell[1]).library == library}
        if mine:
            assert planned(name, parse_filter(f"library:{library}", KNOWN), (library, "openssl")) == mine, library


@pytest.mark.parametrize(("name", "library"), [("cryptobench", "openssl"), ("bearssl", "bearssl")])
def test_the_library_of_a_page_keeps_its_rows(name: str, library: str) -> None:
    page = load_page(ROOT, suite_of(name))
    assert page is not None
    rows = {
        row.case
        for table in page.table
        for row in table.row
        if row.case and (row.library or table.library or page.library).partition("+")[0] == library
    }
    left = {case for case, _ in planned(name, parse_filter(f"library:{library}", KNOWN), (library, "nettle"))}
    assert rows <= left and any("modexp" in case for case in rows)


TERMS = st.sampled_from(
    [
        *(f"library:{name}" for name in LIBRARIES),
        *(f"build:{name}" for name in ("distribution", "openssl", "boringssl", "noasm")),
        *(f"family:{name}" for name in KNOWN["family"]),
        *(f"verb:{name}" for name in KNOWN["verb"]),
        *("aes", "gcm", "rsa", "bits:2048", "crt:yes", "key:fresh", "bytes:64", "bytes:>=4KiB", "1000000"),
        *("impl:default", "impl:/./", "version:1.2", "group:x25519"),
    ]
)
SELECTIONS = st.recursive(
    TERMS,
    lambda inner: st.one_of(
        inner.map(lambda one: f"-({one})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} OR {two[1]})"),
        st.tuples(inner, inner).map(" ".join),
    ),
    max_leaves=4,
)


@settings(max_examples=40)
@given(st.sampled_from(CLOSED), SELECTIONS)
def test_a_selection_only_takes_away(name: str, text: str) -> None:
    selection = parse_filter(text, KNOWN)
    try:
        left = planned(name, selection, SOME)
    except UsageError:
        return  # nothing is left
    assert left <= whole(name)
    cases = plan_cases(CATALOGUE, suite_of(name), selection, labs=True)
    assert {case for case, _ in left} <= {one.case for one in cases} <= {case.id for case in suite_of(name).cases}


def test_the_plan_says_what_is_taken_away() -> None:
    suite = suite_of("cryptobench")
    left = plan_cases(CATALOGUE, suite, parse_filter("aes", KNOWN), labs=True)
    assert all(Case.parse(one.case).algorithm.startswith("aes-") for one in left)
    assert taken_away(suite, left) == (
        "of the 43 cases of the suite 35 are left out: 6 of RSA, 2048 bits, 6 of RSA, 2048 bits, with rekeying, "
        "8 of RSA, 4096 bits, 4 of Parsing of keys, 11 of 2048-bit modular arithmetic"
    )
    assert taken_away(suite, plan_cases(CATALOGUE, suite, None)) == ""
    assert taken_away(suite_of("quick"), left) == ""


def test_the_plan_says_which_rows_of_the_page_lack_a_build() -> None:
    page = load_page(ROOT, suite_of("tls-blog"))
    assert page is not None
    every = plan_run(CATALOGUE, LIBRARIES, offers("tls-blog"), suite_of("tls-blog"), None, None)
    assert published_line(page, every) == ""
    without = [one for one in offers("tls-blog") if "boringssl" not in one.build]
    told = published_line(page, plan_run(CATALOGUE, LIBRARIES, without, suite_of("tls-blog"), None, None))
    assert told == (
        "of 23 rows of the published page 23 lack a figure of tls@boringssl, tls@boringssl~noaccel "
        "(a run with it: --build tls@boringssl,tls@boringssl~noaccel)"
    )
