# SPDX-License-Identifier: Apache-2.0
"""What a laboratory adds to a report: a question, the cards of its first screen, and sections of figures that come before everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane
from cipherstone.model.summary import Estimate
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.tables import Item, item
from cipherstone.report.words.numbers import (
    bytes_text,
    half_width,
    interval_text,
    ratio_beside_interval,
    ratio_text,
    stack_text,
    time_text,
)

NO_FIGURE = "\u2013"


@dataclass(frozen=True)
class LabCard:
    """An answer of the first screen. `anchor`: where the figures behind it stand; `library`: whose marker it carries, or ""."""

    question: str
    winner: str
    rate: str
    by: str
    what: str
    anchor: str
    library: str = ""


@dataclass(frozen=True)
class LabSection:
    """A part of the page. `short`: its name in the list of sections. `data`: CSV of all its figures, out of which the page takes rows; then its anchor is `ANCHOR-data`."""

    anchor: str
    short: str
    title: str
    lead: str
    figures: Sequence[Figure]
    data: str = ""


@dataclass(frozen=True)
class LabPage:
    """`question`: the page's heading. `competition`: whether the run's lanes compete, so that rankings say something beside these sections."""

    question: str
    cards: Sequence[LabCard] = field(default_factory=tuple)
    sections: Sequence[LabSection] = field(default_factory=tuple)
    competition: bool = True


def time_item(ns: Estimate | None, why_not: str = "") -> Item:
    """A time per call, sorted by nanoseconds."""
    return item(time_text(ns), ns.value) if ns is not None else item(why_not or NO_FIGURE)


def ratio_item(ratio: Estimate | float | None) -> Item:
    """`1.72x`; an estimate is rounded to what its interval supports."""
    if ratio is None:
        return item(NO_FIGURE)
    if isinstance(ratio, Estimate):
        return item(f"{ratio_text(ratio)}x", ratio.value)
    return item(f"{ratio:.2f}x" if ratio < 100 else f"{ratio:.0f}x", ratio)


def ratio_items(ratio: Estimate | None) -> tuple[Item, Item]:
    """A ratio, and the ends of its interval in a cell of their own."""
    if ratio is None:
        return item(NO_FIGURE), item(NO_FIGURE)
    ends = NO_FIGURE if ratio.low is None else interval_text(ratio)
    return item(ratio_beside_interval(ratio), ratio.value), item(ends)


def bytes_item(count: int | None, exact: bool = False) -> Item:
    """Bytes, in KiB where large unless `exact`."""
    if count is None:
        return item(NO_FIGURE)
    return item(str(count) if exact else bytes_text(count), count)


def stack_item(count: int | None) -> Item:
    """Stack of a call as measured, with the limit where it is less."""
    return item(NO_FIGURE) if count is None else item(stack_text(count), count)


def count_item(count: int | None) -> Item:
    """A plain count with thousands parted."""
    return item(NO_FIGURE) if count is None else item(f"{count:,}", count)


def times_words(ratio: Estimate, other: str) -> str:
    """`1.31 times as fast as Nettle (1.30 to 1.32)`. `ratio`: cost of the other over this one."""
    text = f"{ratio_beside_interval(ratio)} times as fast as {other}"
    return text if half_width(ratio) is None else f"{text} ({interval_text(ratio)})"


def bits_words(windows: Sequence[int]) -> str:
    """`5`, `5 or 6`, `4 to 6`, `3, 5 or 7`."""
    known = sorted(windows)
    if len(known) > 2 and known[-1] - known[0] == len(known) - 1:
        return f"{known[0]} to {known[-1]}"
    return (
        " or ".join([", ".join(map(str, known[:-1])), str(known[-1])]) if len(known) > 1 else "".join(map(str, known))
    )


def lane_words(view: RunView, lane_id: str) -> str:
    """A library's lane as everywhere; a row of a laboratory by its own name, with the build: `mont-64-rm5 (gcc-O3)`."""
    lane = Lane.parse(lane_id)
    if lane.library != view.run.manifest.suite or lane.implementation == DEFAULT_IMPLEMENTATION:
        return view.lane_title(lane_id)
    return f"{lane.implementation} ({lane.build.partition('+')[2] or lane.build})"
