# SPDX-License-Identifier: Apache-2.0
"""Scores of a machine from rows made by hand: means by family and over all, who stands for a build, and what is slower than this core should be."""

from __future__ import annotations

import pytest

from cipherstone.model.records import KernelFigure, Spectrum
from cipherstone.model.roofline import RooflineRow, TierShare
from cipherstone.model.summary import Estimate
from cipherstone.views.machines import (
    geometric_mean,
    kernel_group,
    missing_features,
    scores,
    sequence_cycles,
    spectrum_rows,
)


def row(operation: str, share: float | None, lane: str = "openssl@3", family: str = "hash", low: float | None = None, place: int = 0, flag: str = "") -> RooflineRow:  # fmt: skip
    """A result that reaches this share of its one tier; `low`: the low end of its interval over its value."""
    tiers = () if share is None else (TierShare("best", "throughput", 1.0, share),)
    measured = None if share is None else Estimate(1 / share, None if low is None else low / share)
    return RooflineRow(operation, operation.upper(), family, operation, lane, "OpenSSL 3", "byte", measured, tiers, place=place, flag=flag)  # fmt: skip


def test_means_by_family_and_over_all() -> None:
    found = scores(
        [
            row("a", 0.5),
            row("b", 0.125),
            row("c", 0.9, family="aead"),
            row("a", 0.25, "nettle@3"),
            row("d", None),
            row("e", 0.01, flag="model wrong"),
        ]
    )
    assert found.by_family == {
        "hash": {"openssl@3": pytest.approx(0.25), "nettle@3": pytest.approx(0.25)},
        "aead": {"openssl@3": pytest.approx(0.9)},
    }
    assert found.overall == {
        "openssl@3": pytest.approx((0.5 * 0.125 * 0.9) ** (1 / 3)),
        "nettle@3": pytest.approx(0.25),
    }
    assert found.counts == {"openssl@3": 3, "nettle@3": 1} and [one.operation for one in found.flagged] == ["e"]


def test_the_lane_that_stands_first_stands_for_its_build() -> None:
    rows = [row("a", 0.3, "x@1:second", place=1), row("a", 0.5, "x@1", place=0), row("a", 0.7, "x@1:third", place=2)]
    assert scores(rows).overall == scores(rows[::-1]).overall == {"x@1": pytest.approx(0.5)}
    tied = [row("a", 0.3, "x@1"), row("a", 0.5, "x@1:other")]
    assert scores(tied).overall == {"x@1": pytest.approx(0.3)}  # the first of them
    assert scores([]).overall == scores([]).by_family == {}


@pytest.mark.parametrize(
    ("share", "low", "slow"),
    [
        (0.25, None, False),  # half of the median itself
        (0.2499, None, True),
        (0.2499, 0.9, False),  # at the favourable end of its interval it is not
        (0.2, 0.9, True),
        (0.2, 0.75, False),
    ],
)
def test_slower_than_this_core_should_be(share: float, low: float | None, slow: bool) -> None:
    """Below half of what the build reaches in the median of four results and more."""
    rest = [row("b", 0.5), row("c", 0.5), row("d", 0.5)]
    found = scores([row("a", share, low=low), *rest]).residuals
    assert [(one.row.operation, one.share, one.median) for one in found] == ([("a", share, 0.5)] if slow else [])
    assert scores([row("a", share, low=low), *rest[:2]]).residuals == ()


def test_the_worst_result_is_named_first() -> None:
    """Over the median of its own build."""
    shares = {"x@1": (0.1, 0.5, 0.5, 0.5, 0.5), "y@1": (0.05, 0.2, 0.2, 0.2), "z@1": (0.05, 0.06, 0.5, 0.5, 0.5, 0.5)}
    rows = [row(f"{lane}{n}", share, lane) for lane, mine in shares.items() for n, share in enumerate(mine)]
    assert [one.row.operation for one in scores(rows).residuals] == ["z@10", "z@11", "x@10", "y@10"]
    sentence = scores(rows).residuals[0].sentence
    assert sentence == "Z@10, OpenSSL 3: slower than this core should be: 5.0 % of best, where this library reaches 50 % in the median"  # fmt: skip


def test_an_instruction_has_one_row_and_a_sequence_its_own() -> None:
    figures = {
        "add/latency": 1.0, "aesenc/throughput": 0.5, "aesenc/latency": 4.0, "seq-aes/sequence": 8.0, "mul/latency": 3.0,
        "mulx/sequence": 2.0, "mul/throughput": 1.0,
    }  # fmt: skip
    spectrum = Spectrum("x86-64", tuple(KernelFigure(f"x86-64.{name}", value) for name, value in figures.items()), ghz=2.0)  # fmt: skip
    told = [(one.group, one.name, one.latency, one.throughput, one.sequence, one.per_second) for one in spectrum_rows(spectrum)]  # fmt: skip
    assert told == [
        ("scalar multiply", "mul", 3.0, 1.0, None, 2e9),
        ("scalar multiply", "mulx", None, None, 2.0, 1e9),
        ("AES round", "aesenc", 4.0, 0.5, None, 4e9),
        ("scalar integer", "add", 1.0, None, None, None),
        ("scalar integer", "seq-aes", None, None, 8.0, 2.5e8),
    ]
    bare = Spectrum("x86-64", spectrum.figures)
    assert {one.per_second for one in spectrum_rows(bare)} == {None}


def test_small_rules() -> None:
    assert [kernel_group(name) for name in ("sbb", "adds", "vsha512", "ldr", "str", "vpaddd", "eor")] == [
        "carry chain", "carry chain", "SHA round", "load and store", "load and store", "vector integer", "scalar integer",
    ]  # fmt: skip
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    with pytest.raises(ValueError):
        geometric_mean([])
    assert sequence_cycles({"a": 2.0}, 2.5) == {"a": 5.0} and sequence_cycles({"a": 2.0}, None) == {}
    assert missing_features("aarch64", ("aes", "pmull", "sha1", "sha2", "sha3", "sha512", "asimd")) == [("sve", "scalable vectors")]  # fmt: skip
    assert missing_features("riscv64", ()) == []
