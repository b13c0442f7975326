# SPDX-License-Identifier: Apache-2.0
"""What a run measures: cases, lanes, the lane that is measured against itself, and what is said of cells that cannot be measured."""

from __future__ import annotations

import pytest

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.filter import FILTER_KEYS, parse_filter
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import load_suite
from cipherstone.measure.plan import BETWEEN, CARD, END, HEADLINE, Offer, Plan, _placed, cell_facts, plan_run
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import PlannedCase
from cipherstone.protocol.messages import Listed

ROOT = data_root()
CATALOGUE = load_catalogue(ROOT)
LIBRARIES = load_libraries(ROOT, CATALOGUE) | load_labs(ROOT, CATALOGUE)
HASH, SEAL, ENCRYPT = "sha-256/hash", "aes-128-gcm/seal", "aes-128-cbc/encrypt"
POWER = "modexp/public/bits=2048"


def offer(library: str, *rows: tuple[str, str] | Listed, version: str = "1.0") -> Offer:
    listed = [row if isinstance(row, Listed) else Listed(row[0], row[1], "ok") for row in rows]
    return Offer.from_listing(library, version, listed, CATALOGUE)


ALPHA = offer("alpha", (HASH, "default"), (HASH, "small"), (SEAL, "default"), (ENCRYPT, "default"))
BETA = offer("beta", (HASH, "default"))


def plan(*offers: Offer, text: str = "", suite: str = "default", base: str | None = None) -> Plan:
    known = {**dict.fromkeys(FILTER_KEYS, ()), **dict.fromkeys(CATALOGUE.keys, ())}
    selection = parse_filter(text, known) if text else None
    return plan_run(CATALOGUE, LIBRARIES, offers, load_suite(ROOT, suite, CATALOGUE), selection, base)


def lanes_of(made: Plan, case: str) -> tuple[str, ...]:
    return next(one.lanes for one in made.cases if one.case == case)


def test_a_case_has_the_lanes_of_all_and_the_base_again() -> None:
    made = plan(ALPHA, BETA, text=f"op:{HASH} bytes:64", base="beta")
    (case,) = made.cases
    assert case.lanes == ("alpha@1.0", "beta@1.0", "beta@1.0#2")
    twin = made.lanes["beta@1.0#2"]
    assert twin.twin and not made.lanes["beta@1.0"].twin
    assert made.capabilities[HASH, "beta@1.0#2"] is made.capabilities[HASH, "beta@1.0"]


@pytest.mark.parametrize("base", [None, "gamma"])
def test_without_its_base_the_first_lane_is_measured_twice(base: str | None) -> None:
    assert lanes_of(plan(ALPHA, BETA, text=f"op:{HASH} bytes:64", base=base), f"{HASH}/bytes=64")[-1] == "alpha@1.0#2"


def test_an_implementation_is_measured_where_it_is_named() -> None:
    case = f"{HASH}/bytes=64"
    assert lanes_of(plan(ALPHA, text=f"op:{HASH} bytes:64"), case) == ("alpha@1.0", "alpha@1.0#2")
    assert lanes_of(plan(ALPHA, text=f"op:{HASH} bytes:64 impl:small"), case) == (
        "alpha@1.0:small",
        "alpha@1.0:small#2",
    )
    only = offer("gamma", (HASH, "small"))
    assert lanes_of(plan(only, text=f"op:{HASH} bytes:64"), case)[0] == "gamma@1.0:small"


def test_sizes_are_those_of_the_suite_unless_some_are_named() -> None:
    assert [one.case for one in plan(BETA, text=f"op:{HASH}").cases] == [
        case.id for case in CATALOGUE.operations[HASH].cases
    ]
    quick = [one.case for one in plan(BETA, text=f"op:{HASH}", suite="quick").cases]
    assert quick == [f"{HASH}/bytes=16384"]
    assert [one.case for one in plan(BETA, text=f"op:{HASH} bytes:(100 OR 64)").cases] == [
        f"{HASH}/bytes=64",
        f"{HASH}/bytes=100",
    ]
    # An operation that the suite has not is measured at its headline size.
    other = offer("gamma", ("md5/hash", "default"))
    assert "md5/hash" not in {case.operation for case in load_suite(ROOT, "quick", CATALOGUE).cases}
    assert [one.case for one in plan(other, text="op:md5/hash", suite="quick").cases] == ["md5/hash/bytes=16384"]


def test_what_speaks_of_lanes_alone_is_the_suite_of_them() -> None:
    made = plan(ALPHA, BETA, text="library:alpha", suite="quick")
    quick = {case.id for case in load_suite(ROOT, "quick", CATALOGUE).cases}
    assert {one.case for one in made.cases} <= quick and made.cases
    assert {lane for one in made.cases for lane in one.lanes} == {"alpha@1.0", "alpha@1.0#2"}
    assert all(one.groups for one in made.cases)


@pytest.mark.parametrize("text", ["", "library:alpha"])
def test_a_suite_has_sizes_of_its_own_and_conditions(text: str) -> None:
    """Also where a selection speaks of lanes alone."""
    row = Listed(ENCRYPT, "default", "ok", rekey="function")
    made = plan(Offer.from_listing("alpha", "1.0", [row], CATALOGUE, able=("rekey",)), text=text, suite="cryptobench")
    cases = [f"{ENCRYPT}/bytes=1000000", f"{ENCRYPT}/bytes=1000000,key=fresh"]
    assert sorted(one.case for one in made.cases) == cases


def test_a_cell_that_is_not_there_says_why() -> None:
    refused = Listed(SEAL, "default", "unavailable", reason="no AES here")
    made = plan(ALPHA, BETA, offer("gamma", refused, (HASH, "default")), text=f"op:{SEAL} bytes:64")
    assert [(one.lane, one.outcome, one.detail) for one in made.outcomes] == [
        ("beta@1.0", Outcome.UNSUPPORTED, "the library does not offer it"),
        ("gamma@1.0", Outcome.UNAVAILABLE, "no AES here"),
    ]
    assert lanes_of(made, f"{SEAL}/bytes=64") == ("alpha@1.0", "alpha@1.0#2")


def test_outcomes_are_those_of_cases_that_are_measured() -> None:
    """Nobody has it: there is no case, and nothing to say of its cells."""
    made = plan(ALPHA, BETA, text="family:(hash OR aead) bytes:64")
    assert {one.case for one in made.outcomes} <= {one.case for one in made.cases}
    assert {one.case for one in made.cases} == {f"{HASH}/bytes=64", f"{SEAL}/bytes=64"}


def test_a_library_of_big_numbers_is_not_asked_for_hashes() -> None:
    """And the other way round: that it has not these is no finding."""
    numbers = offer("gmp", Listed("modexp/public", "default", "ok"))
    made = plan(ALPHA, numbers, text=f"op:{HASH} bytes:64 OR op:{POWER}")
    assert {one.case: one.lanes for one in made.cases} == {
        f"{HASH}/bytes=64": ("alpha@1.0", "alpha@1.0#2"),
        POWER: ("gmp@1.0", "gmp@1.0#2"),
    }
    assert made.outcomes == ()
    # A worker that offers nothing that is known is asked for everything.
    unknown = Offer("delta", "1.0", {}, {})
    made = plan(ALPHA, unknown, text=f"op:{HASH} bytes:64")
    assert [(one.lane, one.outcome) for one in made.outcomes] == [("delta@1.0", Outcome.UNSUPPORTED)]


def test_big_numbers_are_measured_where_they_are_named() -> None:
    both = offer("alpha", (HASH, "default"), Listed("modexp/public", "default", "ok"))
    for text in ("library:alpha", "bytes:16384"):
        found = {one.case for one in plan(both, text=text).cases}
        assert f"{HASH}/bytes=16384" in found and POWER not in found
    for text in ("family:bignum bits:2048", f"op:{POWER}", "verb:public bits:2048"):
        assert [one.case for one in plan(both, text=text).cases] == [POWER], text


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("bytes:99999999999", "sizes are from 1 byte to 64 MiB"),
        (f"op:{ENCRYPT} bytes:100", "100 bytes are no whole number of blocks of 8 or 16 bytes, which some operations need"),
        (f"op:{ENCRYPT} bytes:104", "104 bytes are no whole number of blocks of 16 bytes, which some operations need"),
        ("op:md5/hash", "`cipherstone list` shows what there is"),
        ("op:md5/hash bytes:64", "`cipherstone list` shows what there is"),
    ],
)  # fmt: skip
def test_nothing_to_measure_says_what_may_be_wrong(text: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        plan(ALPHA, text=text)
    assert caught.value.hint == hint and "nothing to measure" in caught.value.message


def test_of_rows_with_one_name_the_first_that_fits_is_taken() -> None:
    rows = (
        Listed(HASH, "default", "ok", name="first"),
        Listed(HASH, "default", "ok", name="second"),
        Listed(SEAL, "default", "unavailable", reason="first"),
        Listed(SEAL, "default", "ok"),
        Listed("harness/empty", "sdk", "ok"),
        Listed("toy/hash", "default", "unavailable"),
    )
    found = offer("alpha", *rows)
    assert {key: one.library_name for key, one in found.capabilities.items()} == {(HASH, "default"): "first"}
    assert found.unavailable == {
        (SEAL, "default"): "first",
        ("toy/hash", "default"): "the library says it is unavailable here",
    }
    assert offer("alpha", (HASH, "zebra"), (HASH, "default"), (HASH, "ant")).implementations(HASH) == [
        "default",
        "ant",
        "zebra",
    ]


def test_why_a_row_cannot_be_called_under_a_condition() -> None:
    """In its own words; a worker that says nothing lacks the capability, or the function that takes a key."""
    able = ("params", "rekey", "offset", "cold", "in-place")

    def without(row: Listed, able: tuple[str, ...] = able) -> dict[str, str]:
        found = Offer.from_listing("alpha", "1.0", [row], CATALOGUE, able=able)
        return dict(found.capabilities[SEAL, "default"].without)

    says = "key: it has one key for ever; place: "
    assert without(Listed(SEAL, "default", "ok", cannot=says)) == {
        "key": "it has one key for ever",
        "place": "the interface does not allow it",
    }
    lacks = "the adapter has no function that takes a new key into a context"
    assert without(Listed(SEAL, "default", "ok")) == {"key": lacks}
    assert without(Listed(SEAL, "default", "ok", rekey="function")) == {}
    assert set(without(Listed(SEAL, "default", "ok", rekey="function"), ())) == {
        name for name, condition in CATALOGUE.conditions.items() if condition.capability
    }


def test_the_build_of_the_distribution_is_asked_for_by_a_name_of_its_own() -> None:
    operation = CATALOGUE.operations[HASH]
    for lane, name in (("alpha@1.0", "distribution"), ("alpha@1.0+O3", "O3"), ("alpha@1.0:small", "distribution")):
        assert cell_facts(operation, operation.headline, Lane.parse(lane))["build"] == name


def test_what_is_measured_once_begins_with_the_first_screen() -> None:
    """If there is not time for all of them."""
    made = sorted((one for one in plan(ALPHA, BETA).cases if one.once), key=lambda one: one.once)
    ranks = [one.rank for one in made]
    assert ranks == sorted(ranks) and set(ranks) == {CARD, HEADLINE}
    assert [one.once for one in made] == list(range(1, len(made) + 1))
    assert [one.case for one in made] != sorted(one.case for one in made)


def test_what_the_first_screen_asks_for_comes_before_headlines_and_these_before_curves() -> None:
    ranks = {one.case: one.rank for one in plan(ALPHA, BETA).cases}
    sizes = sorted(int(name.rpartition("=")[2]) for name in ranks if name.startswith(f"{HASH}/"))
    assert len(sizes) > 3 and 16384 not in (sizes[0], sizes[-1])
    of_hash = {size: ranks[f"{HASH}/bytes={size}"] for size in sizes}
    assert of_hash == dict.fromkeys(sizes, BETWEEN) | {sizes[0]: END, sizes[-1]: END, 16384: CARD}
    assert ranks[f"{ENCRYPT}/bytes=16384"] == HEADLINE  # no card asks for it


def test_the_only_size_that_a_section_names_comes_as_early_as_headlines() -> None:
    """Where the time is short, the dear operations of the suite would else leave it none."""
    suite = load_suite(data_root(), "survey")
    asked = PlannedCase(f"{HASH}/bytes=4096", ("alpha@1.0",))
    assert asked.case in {case.id for case in suite.cases}
    assert [one.rank for one in _placed([asked], CATALOGUE, suite)] == [CARD]  # and its first screen asks for it
    assert [one.rank for one in _placed([asked], CATALOGUE, load_suite(data_root(), "default"))] == [END]


def test_what_takes_longer_than_a_process_is_timed_as_processes_alone() -> None:
    """The suite says of which sections; a case that another section has too is timed in both ways."""
    parameters, keys = "dsa-2048-sha256/paramgen", "dsa-2048-sha256/keygen"
    able = offer("alpha", (parameters, "default"), (keys, "default"), (HASH, "default"))
    alone = {one.case: one.processes_only for one in plan(able, suite="survey").cases}
    assert alone == {parameters: True, keys: False, f"{HASH}/bytes=4096": False}
    assert not any(one.processes_only for one in plan(able, suite="full").cases)
