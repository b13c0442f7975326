# SPDX-License-Identifier: Apache-2.0
"""Counts of the modexp laboratory beside the published table: order, factors, memory, cycles of an instruction; what is counted beside it."""

from __future__ import annotations

import re

import pytest

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_tables import Published, load_published
from cipherstone.labs.modexp.counted import counted_rows, implied_by, rows_wanted
from cipherstone.model.counts import Count, Counting

BUILD, TARGET = "modexp@1.0+gcc-O3", "cortex-m4"


@pytest.fixture(scope="module")
def published() -> Published:
    return load_published(data_root(), "modexp-emcrypt")


def count(reduction: str, scan: str, window: int, instructions: int | None, masked: int = 0) -> Count:
    facts: dict[str, int | str] = {"reduction": reduction, "scan": scan, "window": window, "limb_bits": 32, "masked": masked, "arena_bytes": 1000 + window}  # fmt: skip
    name = f"{reduction}-32-{scan}{window or ''}{'.ct' if masked else ''}"
    outcome = Counting.COUNTED if instructions else Counting.CRASHED
    return Count(target=TARGET, case="modexp/private/bits=2048,crt=yes", lane=f"{BUILD}:{name}", outcome=outcome, instructions=instructions, facts=facts)  # fmt: skip


def test_rows_stand_beside_the_published_ones(published: Published) -> None:
    counts = [
        count("mont", "rm", 5, 40_000_000),
        count("umaal", "rm", 5, 14_000_000),
        count("mont", "fw", 5, 45_000_000, masked=1),
        count("basic", "fast", 0, 80_000_000),
        count("barrett", "fw", 4, None),
    ]
    rows = counted_rows(counts, TARGET, BUILD, published)
    assert [row.key for row in rows] == ["basic-fast", "mont-rm5", "mont-fw5", "umaal-rm5"]
    base, mont, masked, own = rows
    assert (base.gain, mont.gain, mont.memory_bytes) == (1.0, 2.0, 1005)
    assert mont.theirs is published.rows["mont-rm5"] and masked.theirs is None and own.theirs is None
    assert mont.cycles == pytest.approx(391.33e-3 * 180e6 / 40e6) and own.cycles is None
    assert not own.method.is_portable and mont.method.is_portable and own.method.title == "Montgomery UMAAL, 5b, RM"
    found = implied_by(rows, published, TARGET)
    assert [row.label for row in found.counted] == ["Basic, fast", "Montgomery, 5b, RM"] and found.mean and found.spread
    assert not counted_rows(counts, "cortex-m3", BUILD, published)
    assert not counted_rows(counts, TARGET, "modexp@1.0+gcc-O2", published)


def test_without_a_baseline_there_is_no_factor(published: Published) -> None:
    (row,) = counted_rows([count("mont", "fast", 0, 50)], TARGET, BUILD, published)
    assert row.gain is None and implied_by([row], published, TARGET).mean is None


def test_what_is_counted(published: Published) -> None:
    """All published rows and the ladder that is missing there, by the widest limbs of the target; nothing of other limbs."""
    match = re.search(r"impl:/(.*)/$", rows_wanted(32))
    assert match is not None
    for key in (*published.rows, "mont-ladder"):
        assert re.search(match[1], key.replace("-", "-32-")) and not re.search(match[1], key.replace("-", "-64-"))
    assert re.search(match[1], "umaal-32-fw5.ct") and not re.search(match[1], "cios-32-fw5")
    assert "mont-64" not in rows_wanted(32) and "(mont|umaal)-64-fw" in rows_wanted(64)
