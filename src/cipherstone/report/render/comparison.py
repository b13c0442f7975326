# SPDX-License-Identifier: Apache-2.0
"""Two runs or two lanes, side by side: the text of `cipherstone compare`, and its JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import msgspec

from cipherstone.model.outcomes import Verdict
from cipherstone.model.units import counted
from cipherstone.report.blocks.counts import difference_parts
from cipherstone.report.render.screen_table import Cell, Layout, ScreenColumn, Styled, laid_out
from cipherstone.report.words.numbers import interval_text, ratio_text
from cipherstone.stats.verdictwords import beside_one, verdict_words
from cipherstone.views.comparison import ComparedRow, Comparison, Mean, Side

_STYLES = {Verdict.FASTER: "green", Verdict.SLOWER: "red", Verdict.WRONG: "red"}
MEANS_SHOWN = 12
WITH_SHARE = 76  # columns of a terminal that has room for a difference of counts as a share, too
NARROW = 60  # columns; a smaller screen has no place for gaps of two


def render_comparison(comparison: Comparison, width: int, colour: bool) -> str:
    """What is compared, then one line a case and lane: cost of B over cost of A, its interval, the verdict on B; then the answer. `~` stands where the interval holds 1 and nothing is decided.

    Rows that neither side can run are counted, not listed.
    """
    lines = _sides(comparison, width)
    if comparison.base:
        lines += _wrapped(
            f"both divided by {comparison.base}, measured beside them: nanoseconds of two sessions are never compared",
            width,
        )
    for warning in comparison.warnings:
        lines += _wrapped(f"warning: {warning}", width)
    if comparison.refused:
        refused = _wrapped(f"refused: {comparison.refused}", width)
        return "\n".join([*lines, *refused, *_instructions(comparison, width, colour)])
    if not comparison.rows and comparison.texts_compared:
        told = [texts_words(comparison), *(f"changed: {change}" for change in comparison.changes)]
        told_lines = ["", *(line for text in told for line in _wrapped(text, width))]
        return "\n".join([*lines, *told_lines, *_instructions(comparison, width, colour)])
    if not comparison.rows and (comparison.counts_compared or comparison.counts):
        return "\n".join([*lines, *_instructions(comparison, width, colour)])
    lines += ["", *_rows(comparison, width, colour), ""]
    for change in comparison.changes:
        lines += _wrapped(f"changed: {change}", width)
    lines += [*_means(comparison, width, colour), *_wrapped(counts_words(comparison), width)]
    return "\n".join([*lines, *_instructions(comparison, width, colour)])


def _instructions(comparison: Comparison, width: int, colour: bool) -> list[str]:
    """Counts that are other ones, exactly; nothing where nothing was counted on both sides."""
    lost = [line for text in comparison.counts_lost for line in _wrapped(f"warning: {text}", width)]
    if not comparison.counts_compared and not comparison.counts:
        return lost
    other = sum(one.before != one.now for one in comparison.counts)
    told = f"instructions of one call: {counted(comparison.counts_compared, 'count')} on both sides; different, or on one side only: {other or 'none'}"
    wide = width >= WITH_SHARE
    rows: list[Sequence[Cell]] = []
    last = ("", "")
    for one in comparison.counts:
        for depth, name in enumerate((one.case, one.lane)):
            if (one.case, one.lane)[: depth + 1] != last[: depth + 1]:
                rows.append((" " * 2 * depth + name, *[""] * (3 + wide)))
        last = (one.case, one.lane)
        style = "red" if one.worse else "green" if one.before != one.now else ""
        *parts, share = difference_parts(one)
        figures: list[Cell] = [*parts[:2], Styled(parts[2], style)]
        rows.append((f"    {one.target}", *figures, *([share] * wide)))
    columns = (
        ScreenColumn(words=True),
        ScreenColumn("A"),
        ScreenColumn("B"),
        ScreenColumn("B - A"),
        *([ScreenColumn("")] * wide),
    )
    table = laid_out(columns, rows, Layout(width, colour, gap=2)) if rows else []
    return ["", *_wrapped(told, width), *table, *lost]


def comparison_json(comparison: Comparison) -> str:
    """The comparison as JSON: the fields of `Comparison` and its rows, with `worst_slowdown` and `means`."""
    more = {"worst_slowdown": comparison.worst_slowdown, "means": [msgspec.to_builtins(m) for m in comparison.means]}
    return msgspec.json.format(msgspec.json.encode({**msgspec.to_builtins(comparison), **more})).decode()


def _sides(comparison: Comparison, width: int) -> list[str]:
    return [line for text in side_lines(comparison) for line in _wrapped(text, width)]


def side_lines(comparison: Comparison) -> list[str]:
    """A and B: run, versions, machine and trust of each; what they share is said once."""
    if len(comparison.sides) != 2:
        return [f"A: {comparison.a}", f"B: {comparison.b}"]
    a, b = comparison.sides
    if a.run_id == b.run_id:
        both = ((letter, lane, side) for letter, lane, side in (("A", comparison.a, a), ("B", comparison.b, b)))
        lanes = [f"{letter}: {lane} ({', '.join(side.builds)})" for letter, lane, side in both]
        return [*lanes, f"run {_run(a)}", _trust(a), a.machine]
    lines: list[str] = []
    for letter, side in (("A", a), ("B", b)):
        lines += [f"{letter}: {_run(side)}", f"   {_trust(side)}"]
        lines += [f"   {', '.join(side.builds)}"] if a.builds != b.builds else []
        lines += [f"   {side.machine}"] if a.machine != b.machine else []
    lines += [f"both: {', '.join(a.builds)}"] if a.builds == b.builds else []
    return lines + ([f"both on {a.machine}"] if a.machine == b.machine else [])


def _run(side: Side) -> str:
    return f"{side.name} ({side.run_id}, suite {side.suite})" if side.name else f"{side.run_id} (suite {side.suite})"


def _trust(side: Side) -> str:
    return f"{side.trust}: {side.trust_reason}"


def _rows(comparison: Comparison, width: int, colour: bool) -> list[str]:
    shown = [row for row in comparison.rows if row.verdict is not Verdict.UNAVAILABLE]
    several = len({row.lane for row in shown}) > 1
    rows: list[Sequence[Cell]] = []
    case = ""
    for row in shown:
        if several and row.case != case:
            case = row.case
            rows.append((case, "", "", ""))
        name = f"  {row.lane}" if several else row.case
        ratio, interval = ("-", "") if row.ratio is None else (ratio_text(row.ratio), interval_text(row.ratio))
        rows.append((name, ratio, interval, Styled(word_of(row), _STYLES.get(row.verdict, ""))))
    narrow = width < NARROW
    columns = (
        ScreenColumn(words=True),
        ScreenColumn("B / A", least=5 if narrow else 8),
        ScreenColumn("interval", words=True, least=12),
    )
    word = ScreenColumn("B is", words=True, least=8)
    lines = laid_out((*columns, word), rows, Layout(width, colour, gap=1 if narrow else 2, first=11 if narrow else 12))
    notes = dict.fromkeys(row.note for row in shown if row.ratio is None and row.note)
    return lines + [line for note in notes for line in _wrapped(f"- {note}", width)]


def word_of(row: ComparedRow) -> str:
    """The verdict on B in words, after `~` where the interval holds 1 and nothing is decided."""
    words = verdict_words(row.verdict, row.ratio, row.threshold)
    told = row.verdict not in (Verdict.EQUAL, Verdict.UNDECIDED) or beside_one(row.ratio)
    return words if told else f"~ {words}"


def _means(comparison: Comparison, width: int, colour: bool) -> list[str]:
    means = comparison.means
    if not means:
        return []
    overall, *lanes = means
    lines = _wrapped(
        f"geometric mean of B / A: {_mean(overall)} over {counted(overall.cases, 'ratio')}, each of the same weight",
        width,
    )
    if 1 < len(lanes) <= MEANS_SHOWN:
        rows = [(one.label, _mean(one), counted(one.cases, "case")) for one in lanes]
        lines += laid_out(
            (ScreenColumn(words=True), ScreenColumn(), ScreenColumn()), rows, Layout(width, colour, gap=2, indent=2)
        )
    return lines


def _mean(mean: Mean) -> str:
    return f"{mean.value:.3f}"


def texts_words(comparison: Comparison) -> str:
    """`60 outcomes are on both sides; 2 differ`."""
    other = len(comparison.changes)
    both = counted(comparison.texts_compared, "outcome is", "outcomes are")
    return f"{both} on both sides; {other or 'none'} {'differs' if other < 2 else 'differ'}"


def counts_words(comparison: Comparison) -> str:
    """`B is: 3 faster, 1 slower`."""
    said = [
        verdict_words(row.verdict, row.ratio, row.threshold)
        for kind in Verdict
        for row in comparison.rows
        if row.verdict is kind
    ]
    return (
        "B is: " + ", ".join(f"{said.count(words)} {words}" for words in dict.fromkeys(said))
        if said
        else "nothing in common to compare"
    )


def _wrapped(text: str, width: int) -> list[str]:
    first = text[: len(text) - len(text.lstrip())]
    lines = textwrap.wrap(
        text.strip(),
        width,
        initial_indent=first,
        subsequent_indent=first + "  ",
        break_on_hyphens=False,  # names of files and vectors stay in one piece, to be copied
        break_long_words=False,
    )
    return lines or [""]
