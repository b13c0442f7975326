# SPDX-License-Identifier: Apache-2.0
"""`cipherstone count --page`: counts beside a published page, as cycles per instruction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherstone.catalogue.published_pages import PublishedPage, load_page
from cipherstone.catalogue.suites import load_suite, suite_names
from cipherstone.cli.tables import show_table, show_text
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.published import NEAR, PlatformPairs
from cipherstone.model.units import counted as number
from cipherstone.report.blocks.pairs import pair_text
from cipherstone.report.render.screen_table import ScreenColumn
from cipherstone.views.implied_cycles import FAR, Implied, ImpliedRow

MODELLED_SAID = "modelled cycles: from Arm's table of the Cortex-M0+ (DDI 0484C), zero wait states, single-cycle multiplier; not a time"


def published_page(root: Path, name: str) -> PublishedPage:
    """The page that the suite `name` is made after, with rates of one build that is compiled from source. Raises UsageError."""
    names = suite_names(root)
    # The others are read only to say which there are: together they take longer than all that is asked before a count.
    page = load_page(root, load_suite(root, name)) if name in names else None
    if page is None or not page.build:
        known = [one for one in names if (page := load_page(root, load_suite(root, one))) and page.build]
        raise UsageError(
            f"--page: no suite '{name}' is made after a page with rates of one build", nearest(name, known)
        )
    return page


def show_implied(found: Sequence[Implied]) -> None:
    """A table for each platform of the page; rows far from the median are named."""
    if not found:
        show_text("no platform of the page is one of these targets: there are no cycles to lay beside the counts")
    for one in found:
        show_text(f"{one.platform.cpu}, {one.platform.compiler}, beside counts on {one.target}:")
        counted = one.counted
        has_model = any(row.modelled_cycles is not None for row in one.rows)
        rows = [
            (
                row.label,
                f"{row.printed} {row.unit}",
                f"{row.cycles:,.0f}",
                "-" if row.instructions is None else f"{row.instructions:,}",
                "-" if row.per_instruction is None else f"{row.per_instruction:.2f}",
                *(_modelled(row) if has_model else ()),
            )
            for row in one.rows
        ]
        columns = ["published row", "rate", "cycles", "instructions"]
        columns += ["each", "modelled", "each"] if has_model else ["cycles each"]
        show_table([ScreenColumn(columns[0], words=True), *map(ScreenColumn, columns[1:])], rows)
        show_text(f"{len(counted)} of {len(one.rows)} rows counted")
        show_spread(one)
        if has_model:
            show_modelled(one)


def _modelled(row: ImpliedRow) -> tuple[str, str]:
    over = row.per_modelled
    return ("-", "-") if over is None else (f"{row.modelled_cycles:,}", f"{over:.2f}")


def show_modelled(one: Implied) -> None:
    """What the model is, and whether it comes nearer to the page than the plain count."""
    show_text(f"{MODELLED_SAID}; each: published cycles over instructions, and over modelled cycles")
    mean, spread = one.modelled
    if mean is not None and spread is not None and one.spread is not None:
        show_text(
            f"published cycles over modelled ones: mean (geometric) {mean:.2f}, standard deviation of the logarithm {spread:.3f}; "
            f"over the plain count of instructions {one.spread:.3f}"
        )


def show_spread(one: Implied) -> None:
    """Median, mean and spread of the quotients, and the rows far from the median."""
    counted = one.counted
    if one.mean is not None and one.spread is not None and one.median is not None:
        least, most = (choose(row.per_instruction or 0.0 for row in counted) for choose in (min, max))
        near = [sum(1 / far <= (one.apart(row) or 0.0) <= far for row in counted) for far in (1.1, FAR)]
        show_text(
            f"cycles per instruction: median {one.median:.2f}, mean (geometric) {one.mean:.2f}, {least:.2f} to {most:.2f}, standard deviation of "
            f"the logarithm {one.spread:.3f}; {near[0]} rows within 10 % of the median, {near[1]} within 20 %"
        )
        for row in counted:
            if not 1 / FAR <= (apart := one.apart(row) or 0.0) <= FAR:
                show_text(f"far from the median: {row.label}, {apart:.2f} of it")


def show_pairs(found: Sequence[PlatformPairs]) -> None:
    """Of each platform how often the counts name the winner of the page, then the pairs where they do not."""
    for one in found:
        counted, apart = one.counted, one.disagreeing
        text = (
            f"{one.cpu}, {one.target}: {number(len(one.pairs), 'pair')} of implementations of one function, {len(counted)} of them counted: "
            f"the one with fewer instructions is the faster one on the page in {len(counted) - len(apart)}, and the factor is the same "
            f"within {NEAR - 1:.0%} in {sum(pair.near for pair in counted)}"
        )
        spread = (
            ""
            if one.spread is None
            else f"; standard deviation of the logarithm of one factor over the other {one.spread:.3f}"
        )
        show_text(text + spread)
        for pair in apart:
            show_text(f"  not so: {pair_text(pair)}")
    if len(found) > 1:
        pairs = [pair for one in found for pair in one.counted]
        show_text(f"all platforms: {sum(len(one.pairs) for one in found)} pairs, {len(pairs)} counted, the same winner in {sum(pair.agrees for pair in pairs)}")  # fmt: skip
