# SPDX-License-Identifier: Apache-2.0
"""Pairs of implementations of one function on a published page, beside counts: how often the count names the winner and the factor, each pair where it does not, and all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cipherstone.model.published import NEAR, PlatformPairs, PublishedPair
from cipherstone.model.units import counted
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, LabSection
from cipherstone.report.blocks.tables import Item, Table, csv_text, item

QUESTION = "Do fewer instructions win on the published page?"
HOW_OFTEN = "How often does a count name the winner, and by how much?"
WITHIN = f"within {NEAR - 1:.0%}".replace("%", " %")
SAME, OTHER, UNCOUNTED = "same winner", "the other wins", "no count"
CSV_HEAD = ("platform", "target", "build", "faster", "slower", "published", "counted", "same_winner", "near", "faster_executes", "slower_executes")  # fmt: skip


def pairs_section(view: RunView, footer: str) -> LabSection | None:
    """The tally with what disagrees, then a table of all pairs a platform, folded; None where no pair was counted."""
    found = view.run.pairs
    if not found:
        return None
    tally = tally_table(found)
    told = disagreement_lines(found)
    figures = [
        Figure(tally.name, HOW_OFTEN, tally, pairs_csv(found), footer=footer, remarks=told, search=HOW_OFTEN),
        *(_figure(one, footer) for one in found),
    ]
    return LabSection("pairs", "Pairs", QUESTION, lead(found), figures)


def lead(found: Sequence[PlatformPairs]) -> str:
    """What is held against what, and what came of it over all platforms."""
    pairs = [pair for one in found for pair in one.counted]
    whole = sum(len(one.pairs) for one in found)
    return (
        "Two implementations of one function that the published page has rates of are a pair: a count is worth something there if the one with fewer instructions is the faster one. "
        f"Of {counted(whole, 'pair')} {'all' if len(pairs) == whole else len(pairs)} were counted: the same winner in {_agreeing(pairs)}, by the same factor {WITHIN} in {_near(pairs)}. "
        "The factor is that of two rates on the page, which it states as accurate to 3 %, and that of two counts. spread: standard deviation of the logarithm of one over the other."
    )


def tally_table(found: Sequence[PlatformPairs]) -> Table:
    """A line a platform, and one of all where there are several."""
    head = ("platform", "pairs", "counted", SAME, WITHIN, "spread", "counted on", "build")
    rows = [
        (
            item(one.id),
            *_numbers(len(one.pairs), one.counted),
            item(NO_FIGURE if one.spread is None else f"{one.spread:.2f}", one.spread),
            item(one.target),
            item(one.build),
        )
        for one in found
    ]
    if len(found) > 1:
        every = [pair for one in found for pair in one.counted]
        whole = sum(len(one.pairs) for one in found)
        rows.append((item("all"), *_numbers(whole, every), item(""), item(""), item("")))
    return Table("pairs-tally", head, tuple(rows), tail=2)


def _numbers(whole: int, pairs: Sequence[PublishedPair]) -> Iterable[Item]:
    figures = (whole, len(pairs), _agreeing(pairs), _near(pairs))
    return (item(str(number), number) for number in figures)


def _agreeing(pairs: Iterable[PublishedPair]) -> int:
    return sum(pair.agrees for pair in pairs)


def _near(pairs: Iterable[PublishedPair]) -> int:
    return sum(pair.near for pair in pairs)


def disagreement_lines(found: Sequence[PlatformPairs]) -> list[str]:
    """A sentence for each pair of which the page has another winner."""
    return [f"Not so on {one.id}: {pair_text(pair)}." for one in found for pair in one.disagreeing]


def pair_text(pair: PublishedPair) -> str:
    """`A is 1.20 times as fast as B on the page, and takes 1.050 times its instructions (what A executes, against what B does)`."""
    mixes = f" ({pair.mixes[0]}, against {pair.mixes[1]})" if pair.mixes is not None else ""
    return f"{pair.faster} is {pair.published:.2f} times as fast as {pair.slower} on the page, and takes {1 / (pair.counted or 1):.3f} times its instructions{mixes}"


def pairs_table(one: PlatformPairs) -> Table:
    """Every pair of a platform in the order of the page."""
    rows = tuple(
        (
            item(_names(pair)),
            item(f"{pair.published:.2f}x", pair.published),
            item(NO_FIGURE if pair.counted is None else f"{pair.counted:.2f}x", pair.counted),
            item(verdict(pair)),
        )
        for pair in one.pairs
    )
    head = ("faster over slower", "by rate", "by count", "the count says")
    return Table(f"pairs-{_plain(one)}", head, rows, tail=1)


def _names(pair: PublishedPair) -> str:
    """`GHASH: ctmul32 over ctmul`, of two rows that are called `GHASH, ...`."""
    (what, comma, faster), (other, _, slower) = (name.partition(", ") for name in (pair.faster, pair.slower))
    return f"{what}: {faster} over {slower}" if comma and what == other else f"{pair.faster} over {pair.slower}"


def verdict(pair: PublishedPair) -> str:
    """What a count says of a pair, in a word or three."""
    if pair.counted is None:
        return UNCOUNTED
    return (WITHIN if pair.near else SAME) if pair.agrees else OTHER


def _figure(one: PlatformPairs, footer: str) -> Figure:
    question = every_title(one)
    return Figure(f"pairs-{_plain(one)}", question, pairs_table(one), pairs_csv([one]), footer=footer, folded=True, search=question)  # fmt: skip


def every_title(one: PlatformPairs) -> str:
    """Above the list of all."""
    return f"All {counted(len(one.pairs), 'pair')} of {one.id}: {one.cpu}, beside counts on {one.target}"


def pairs_csv(found: Iterable[PlatformPairs]) -> str:
    """A row a pair."""
    rows = (
        (one.id, one.target, one.build, pair.faster, pair.slower, f"{pair.published:.5g}", None if pair.counted is None else f"{pair.counted:.5g}",
         *((None, None) if pair.counted is None else (pair.agrees, pair.near)), *(pair.mixes or (None, None)))
        for one in found
        for pair in one.pairs
    )  # fmt: skip
    return csv_text(CSV_HEAD, rows)


def _plain(one: PlatformPairs) -> str:
    return "".join(c if c.isalnum() else "-" for c in f"{one.id}-{one.target}")
