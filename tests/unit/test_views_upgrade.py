# SPDX-License-Identifier: Apache-2.0
"""Versions of one library side by side: what both have is compared, what only one has was brought or dropped."""

from __future__ import annotations

import pytest
from test_views_passes import manifest, pass_record

from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.model.records import OutcomeRecord, Record
from cipherstone.model.summary import RunSummary
from cipherstone.report.render.upgrade import render_upgrade, upgrade_markdown
from cipherstone.views.run.summarise import summarise
from cipherstone.views.upgrade import Upgrade, upgrade_of

OLD, NEW, OTHER = "openssl@3.0.19", "openssl@3.6.3+3.6", "nettle@3.8"
FASTER, SAME, ONLY_OLD, ONLY_NEW, BROKEN = "sha-256/hash/bytes=64", "md5/hash/bytes=64", "sha-1/hash/bytes=64", "blake2b-512/hash/bytes=64", "sha-512/hash/bytes=64"  # fmt: skip
COSTS = {
    FASTER: {OLD: 1000.0, NEW: 500.0, OTHER: 800.0},
    SAME: {OLD: 1000.0, NEW: 1000.0},
    ONLY_OLD: {OLD: 1000.0, OTHER: 900.0},
    ONLY_NEW: {NEW: 1000.0, OTHER: 900.0},
    BROKEN: {OLD: 1000.0, NEW: 1000.0},
}


def run() -> RunSummary:
    records: list[Record] = [pass_record(case, p, lanes) for case, lanes in COSTS.items() for p in range(9)]
    records.append(OutcomeRecord(BROKEN, NEW, Outcome.CRASHED, "signal 11"))
    return summarise(manifest({case: tuple(lanes) for case, lanes in COSTS.items()}), records)


def upgrade() -> Upgrade:
    return upgrade_of(run(), "openssl", "openssl")


def test_what_both_have_is_compared_and_what_one_has_is_named() -> None:
    found = upgrade()
    assert (found.first, [one.lane for one in found.versions]) == (OLD, [NEW])
    (version,) = found.versions
    steps = {step.case: (None if step.ratio is None else step.ratio.value, step.verdict) for step in version.steps}
    assert steps == {
        FASTER: (pytest.approx(0.5), Verdict.FASTER),
        SAME: (pytest.approx(1.0), Verdict.EQUAL),
        BROKEN: (None, Verdict.UNAVAILABLE),
    }
    assert [step.note for step in version.steps if step.ratio is None] == [f"{Lane.parse(NEW).words}: signal 11"]
    assert version.brought == ("blake2b-512/hash",)
    assert version.dropped == ("sha-1/hash", "sha-512/hash")
    assert dict(found.cases) == {FASTER: 1000.0, SAME: 1000.0, ONLY_OLD: 1000.0, ONLY_NEW: None, BROKEN: 1000.0}


def test_the_largest_change_comes_first() -> None:
    (version,) = upgrade().versions
    assert [one.case for one in version.of(Verdict.FASTER, Verdict.EQUAL)] == [FASTER, SAME]
    assert version.of(Verdict.UNAVAILABLE) == []


@pytest.mark.parametrize(("library", "first"), [("openssl", "openssl@4.0"), ("nettle", "nettle"), ("botan", "botan")])
def test_two_versions_are_needed(library: str, first: str) -> None:
    with pytest.raises(UsageError, match=f"of {library}"):
        upgrade_of(run(), library, first)


def test_the_page_has_both_times_the_change_and_its_interval() -> None:
    text = render_upgrade(upgrade(), 80, False)
    (line,) = (line for line in text.splitlines() if line.startswith("sha-256/hash 64 B"))
    assert line.split() == [
        "sha-256/hash",
        "64",
        "B",
        "1.00",
        "\u00b5s",
        "500",
        "ns",
        "0.50",
        "0.500",
        "to",
        "0.500",
        "faster",
    ]
    assert "3.0.19 -> 3.6.3+3.6: 1 case faster, 0 slower, 1 within 1 %, 1 without figure" in text
    assert "alike: within 1 %" in text and "not settled" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert all(len(line) <= 40 for line in render_upgrade(upgrade(), 40, False).splitlines())


def test_the_largest_slowdown_is_the_first_row() -> None:
    (version,) = upgrade().versions
    assert [step.case for step in version.by_regression] == [SAME, FASTER]


def test_the_page_as_markdown() -> None:
    lines = upgrade_markdown(upgrade()).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert table[0] == "| case | 3.6.3+3.6 is | 3.0.19 | 3.6.3+3.6 | change | interval |"
    assert [row.split(" | ")[0] for row in table[2:]] == ["| md5/hash 64 B", "| sha-256/hash 64 B"]
    assert "**3.0.19 -\\> 3.6.3+3.6: 1 case faster, 0 slower, 1 within 1 %, 1 without figure**" in lines
