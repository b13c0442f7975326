# SPDX-License-Identifier: Apache-2.0
"""Two runs or two lanes, side by side: the text of `cipherstone compare`, and its JSON."""

from __future__ import annotations

import msgspec

from cipherstone.model.outcomes import Verdict
from cipherstone.report.words.numbers import interval_text, ratio_text
from cipherstone.views.compare import ComparedRow, Comparison

_COLOURS = {Verdict.FASTER: "\x1b[32m", Verdict.SLOWER: "\x1b[31m", Verdict.WRONG: "\x1b[31m"}


def render_comparison(comparison: Comparison, width: int, colour: bool) -> str:
    """One line a case and lane: cost of B over cost of A, its interval, the verdict on B. `~` stands where the two cannot be told apart.

    Rows that neither side can run are counted, not listed.
    """
    lines = [f"A: {comparison.a}", f"B: {comparison.b}"]
    if comparison.anchor:
        lines.append(
            f"both divided by {comparison.anchor}, measured beside them: nanoseconds of two sessions are never compared"
        )
    lines += [f"warning: {warning}" for warning in comparison.warnings]
    if comparison.refused:
        return "\n".join([*lines, f"refused: {comparison.refused}"])
    shown = [row for row in comparison.rows if row.verdict is not Verdict.UNAVAILABLE]
    several = len({row.lane for row in shown}) > 1
    names = [f"  {row.lane}" if several else row.case for row in shown]
    room = min(max(map(len, names), default=0), width - 36)
    lines += ["", f"{'':<{room}}   {'B / A':>8}  {'interval':<17} B is"]
    case = ""
    for name, row in zip(names, shown, strict=True):
        if several and row.case != case:
            case = row.case
            lines.append(case)
        line = f"{_fitted(name, room):<{room}}   {_figures(row)} "
        lines.append((line + _word(row, colour, width - len(line))).rstrip())
    changes = [f"changed: {change}" for change in comparison.changes]
    return "\n".join([*lines, "", *changes, _counts(comparison)])


def comparison_json(comparison: Comparison) -> str:
    """The comparison as JSON: the fields of `Comparison` and its rows, with `worst_slowdown`."""
    data = {**msgspec.to_builtins(comparison), "worst_slowdown": comparison.worst_slowdown}
    return msgspec.json.format(msgspec.json.encode(data)).decode()


def _figures(row: ComparedRow) -> str:
    if row.ratio is None:
        return f"{'-':>8}  {'':<17}"
    return f"{ratio_text(row.ratio):>8}  {interval_text(row.ratio):<17}"


def _fitted(name: str, width: int) -> str:
    """Cut in the middle if it is too long: lanes differ at their ends."""
    if len(name) <= width:
        return name
    tail = (width - 1) * 2 // 3
    return f"{name[: width - 1 - tail]}…{name[-tail:]}"


def _word(row: ComparedRow, colour: bool, room: int) -> str:
    if row.ratio is None:
        text = f"{row.verdict}: {row.note}" if row.note else str(row.verdict)
        return text if len(text) <= room else text[: max(room - 1, len(str(row.verdict)))] + "…"
    word = f"~ {row.verdict}" if row.verdict in (Verdict.EQUAL, Verdict.UNDECIDED) else str(row.verdict)
    return f"{_COLOURS[row.verdict]}{word}\x1b[0m" if colour and row.verdict in _COLOURS else word


def _counts(comparison: Comparison) -> str:
    verdicts = [row.verdict for row in comparison.rows]
    return (
        ", ".join(f"{verdicts.count(kind)} {kind}" for kind in Verdict if kind in verdicts)
        or "nothing in common to compare"
    )
