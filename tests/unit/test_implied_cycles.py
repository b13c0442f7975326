# SPDX-License-Identifier: Apache-2.0
"""Counts beside a published page: what is selected, cycles from rates and clocks, the median and what is far from it."""

from __future__ import annotations

import math

import msgspec
import pytest

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_pages import PageRow, Platform, PublishedPage, PublishedTable, load_page
from cipherstone.catalogue.suites import load_suite
from cipherstone.cli.countpage import published_page, show_pairs
from cipherstone.model.counts import Count, Counting
from cipherstone.model.errors import UsageError
from cipherstone.views.implied_cycles import FAR, Implied, ImpliedRow, clock_of, implied, spread_of, wanted
from cipherstone.views.published_pairs import published_pairs

ROOT = data_root()
SMALL = Platform("m0+", "ARM Cortex-M0+ (SAM D20), 48 MHz", "GCC 4.9.3", "armv6-m")
OTHER = Platform("big", "A processor, 3.10 GHz", "GCC 5", "x86_64")
PAGE = PublishedPage(
    "A page",
    "a page",
    "toy",
    "",
    (),
    (OTHER, SMALL),
    (
        PublishedTable(
            "Hashes",
            ("MB/s", "kB/s"),
            (
                PageRow("one", ("310.00", "480.00"), "md5/hash/bytes=8192", "default"),
                PageRow("none", ("10.00", "-"), "sha-256/hash/bytes=8192", "x86"),
                PageRow("words", ("5.00", "5.00"), "", "", "no case of ours"),
                PageRow("theirs", ("5.00", "5.00"), "md5/hash/bytes=64", "default", library="other"),
                PageRow("two", ("-", "240.00"), "sha-1/hash/bytes=8192", "default"),
            ),
        ),
        PublishedTable("Quotients", ("ratio",), (PageRow("four", over="one", under="two"),)),
        PublishedTable("Powers", ("call/s",), (PageRow("three", ("100", "4.8"), "p-256/derive", "m15"),)),
    ),
)


def count(case: str, implementation: str, instructions: int | None, target: str = "cortex-m0plus") -> Count:
    outcome = Counting.COUNTED if instructions else Counting.VARIES
    lane = f"toy@1:{implementation}" if implementation != "default" else "toy@1"
    return Count(target=target, case=case, lane=lane, outcome=outcome, instructions=instructions)


def test_what_the_page_has_rates_of_is_selected() -> None:
    assert wanted(PAGE).split(" OR ") == [
        "library:toy op:md5/hash bytes:8192 impl:default",
        "library:toy op:sha-256/hash bytes:8192 impl:x86",
        "library:toy op:sha-1/hash bytes:8192 impl:default",
        "library:toy op:p-256/derive impl:m15",
    ]


def test_cycles_from_rates() -> None:
    """48 MHz over 480 kB/s are 100 cycles a byte; a row that was not counted has no quotient."""
    counts = [
        count("md5/hash/bytes=8192", "default", 409_600),
        count("sha-1/hash/bytes=8192", "default", 1_638_400),
        count("p-256/derive", "m15", None),
        count("md5/hash/bytes=8192", "default", 7, "cortex-m4"),
    ]
    (one,) = implied(PAGE, counts, {"cortex-m0plus": "armv6-m", "cortex-m4": "cortex-m4"})
    assert (one.platform, one.target, [row.label for row in one.rows]) == (
        SMALL,
        "cortex-m0plus",
        ["one", "two", "three"],
    )
    assert [row.cycles for row in one.rows] == pytest.approx([819_200, 1_638_400, 10_000_000])
    assert [row.per_instruction for row in one.rows] == [pytest.approx(2.0), pytest.approx(1.0), None]
    assert len(one.counted) == 2 and one.mean == pytest.approx(math.sqrt(2))
    assert one.spread == pytest.approx(math.log(2) / math.sqrt(2))
    assert one.median == pytest.approx(1.5)
    assert one.apart(one.rows[0]) == pytest.approx(2 / 1.5) and one.apart(one.rows[2]) is None


def test_a_row_unlike_all_others_moves_nobody_else() -> None:
    """Of instructions that do a round of AES each takes many cycles: those rows stand out, and no other."""
    quotients = [0.28, 0.29, 0.30, 0.31, 0.30, 3.6, 3.2]
    rows = tuple(ImpliedRow(str(number), "", "", 1.0, 1, one) for number, one in enumerate(quotients))
    one = Implied(SMALL, "x86-64", rows, *spread_of(rows))
    far = [row.label for row in rows if not 1 / FAR <= (one.apart(row) or 0) <= FAR]
    assert one.mean and one.mean > 0.5 and one.median == 0.30 and far == ["5", "6"]


def test_too_few_rows_have_no_mean() -> None:
    (one,) = implied(PAGE, [count("p-256/derive", "m15", 1000)], {"cortex-m0plus": "armv6-m"})
    assert (one.mean, one.median, one.spread, one.apart(one.rows[2])) == (None, None, None, None)
    assert implied(PAGE, [], {"riscv64": "riscv64"}) == []


def test_a_clock_that_is_stated() -> None:
    assert (clock_of(SMALL), clock_of(OTHER)) == (48e6, 3.1e9)
    assert clock_of(Platform("x", "a processor", "", "")) is None


def test_the_page_of_bearssl_has_59_rates_of_a_cortex_m0plus() -> None:
    page = load_page(ROOT, load_suite(ROOT, "bearssl"))
    assert page is not None
    (one,) = implied(page, [], {"cortex-m0plus": "armv6-m"})
    assert len(one.rows) == 59 and not one.counted


@pytest.mark.parametrize("name", ["quick", "bearsll"])
def test_a_suite_without_a_page_is_refused(name: str) -> None:
    assert published_page(ROOT, "bearssl").library == "bearssl"
    with pytest.raises(UsageError, match="--page"):
        published_page(ROOT, name)


# -- pairs -----------------------------------------------------------------------------------------------------------------------


def mixed(case: str, implementation: str, instructions: int, loads: int = 0) -> Count:
    made = count(case, implementation, instructions)
    return msgspec.structs.replace(made, classes={"load": loads, "store": 0, "branch": 10, "multiply": 5, "divide": 0})


PAIRED = msgspec.structs.replace(
    PAGE,
    table=(
        PublishedTable(
            "Curves",
            ("call/s", "call/s"),
            (
                PageRow("slow", ("10", "2.0"), "p-256/derive", "m15"),
                PageRow("fast", ("20", "5.0"), "p-256/derive", "m31"),
                PageRow("generator", ("40", "-"), "p-256/multiply-base", "m31"),
                PageRow("other curve", ("10", "9.0"), "p-384/derive", "m31"),
            ),
        ),
        PublishedTable("Quotients", ("ratio",), (PageRow("four", over="slow", under="fast"),)),
    ),
)
ON = {"cortex-m0plus": "armv6-m"}


def test_pairs_are_of_one_function() -> None:
    """A multiple of the generator is one of the ways to a multiple; another curve is another function; without a count there is no ratio."""
    (found,) = published_pairs(PAIRED, [mixed("p-256/derive", "m15", 100)], {"x86-64": "x86_64"})
    assert [(one.faster, one.slower, one.published) for one in found.pairs] == [
        ("fast", "slow", 2.0),
        ("generator", "slow", 4.0),
        ("generator", "fast", 2.0),
    ]
    assert found.counted == [] and found.disagreeing == [] and found.spread is None


def test_who_wins_and_by_how_much() -> None:
    counts = [mixed("p-256/derive", "m15", 1000), mixed("p-256/derive", "m31", 420)]
    (found,) = published_pairs(PAIRED, counts, ON)
    (pair,) = found.counted
    assert pair.published == 2.5 and pair.counted == pytest.approx(1000 / 420)
    assert pair.agrees and pair.near and found.disagreeing == []
    far = [mixed("p-256/derive", "m15", 1000), mixed("p-256/derive", "m31", 800)]
    (pair,) = published_pairs(PAIRED, far, ON)[0].counted
    assert pair.agrees and not pair.near


def test_a_disagreement_shows_what_both_execute(capsys: pytest.CaptureFixture[str]) -> None:
    counts = [mixed("p-256/derive", "m15", 1000, loads=500), mixed("p-256/derive", "m31", 1250, loads=100)]
    found = published_pairs(PAIRED, counts, ON)
    (pair,) = found[0].disagreeing
    assert pair.counted == 0.8 and not pair.near
    assert pair.mixes[1] == "50% accesses to memory, 1% branches, 0% multiplications"
    show_pairs(found)
    told = " ".join(capsys.readouterr().out.split())
    assert "1 pair of implementations of one function, 1 of them counted" in told
    assert "fast is 2.50 times as fast as slow on the page, and takes 1.250 times its instructions (8% accesses" in told


def test_the_page_has_391_pairs() -> None:
    page = load_page(ROOT, load_suite(ROOT, "bearssl"))
    assert page is not None
    machines = {"x86-64": "x86_64", "i386": "i386", "ppc64le": "ppc64le", "cortex-m0plus": "armv6-m"}
    assert [len(one.pairs) for one in published_pairs(page, [], machines)] == [109, 100, 109, 73]
