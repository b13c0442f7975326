# SPDX-License-Identifier: Apache-2.0
"""A machine on a terminal: its spectrum, what it lacks, results against its roofline, scores, the classic score. Pure text; no line longer than asked."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from cipherstone.model.ids import Case
from cipherstone.model.records import Machine, Spectrum
from cipherstone.model.roofline import RooflineRow, TierShare
from cipherstone.model.units import counted, format_size, significant
from cipherstone.report.render.screen_table import ScreenColumn, table_lines
from cipherstone.views.machines import GROUPS, Scores, missing_features, spectrum_rows
from cipherstone.views.roofline import percent

LEAST_WIDTH = 40
_WHO = 16
_INDENT = "  "
CLASSIC_WARNING = (
    "The reference loop is compiled, so this score measures the compiler as well: published reports give one i7-5775R 3519 us on macOS and 5251 us in a Linux "
    "guest, one Apple M1 2893 and 5308 us. A library that is as fast on both gets two scores. Use the spectrum to compare machines."
)


def wrapped(text: str, width: int, first: str = "", later: str | None = None) -> list[str]:
    """`text` in lines of at most `width`."""
    after = first if later is None else later
    return textwrap.wrap(text, max(LEAST_WIDTH, width), initial_indent=first, subsequent_indent=after) or [
        first.rstrip()
    ]


def spectrum_lines(spectrum: Spectrum, machine: Machine, width: int) -> list[str]:
    """The vector, group by group: cycles by latency and throughput, and how many a second at the clock that was seen."""
    lines = wrapped(f"{machine.cpu_model}, {machine.architecture}, {machine.system}", width)
    if spectrum.refused:
        lines += wrapped(f"no cycles: {spectrum.refused}", width)
        return [*lines, *_lacks(spectrum, machine, width)]
    clock = f"{significant(spectrum.ghz, 3)} GHz" if spectrum.ghz else "not known"
    agreement = f"; calibrating chains agree to {abs(spectrum.agreement - 1):.2%}" if spectrum.agreement else ""
    lines += wrapped(f"core clock {clock}{agreement}; cycles per instruction, per element of a sequence", width)
    rows = spectrum_rows(spectrum)
    name_width = max([len(row.name) for row in rows] + [20])
    for title, _ in GROUPS:
        mine = [row for row in rows if row.group == title]
        if not mine:
            continue
        cells = []
        for row in mine:
            cost = row.throughput if row.throughput is not None else row.sequence
            mark = "(sequence)" if row.sequence is not None and row.throughput is None else ""
            rate = _per_second(row.per_second) if row.per_second else ""
            cells.append((_INDENT + row.name, _cycles(row.latency), _cycles(cost), rate, mark))
        columns = (
            ScreenColumn(title, words=True, least=name_width + 2),
            ScreenColumn("latency", least=9),
            ScreenColumn("throughput", least=11),
            ScreenColumn("a second", least=11),
            ScreenColumn(words=True),
        )
        lines += ["", *table_lines(columns, cells, width)]
    return [*lines, "", *_lacks(spectrum, machine, width)]


def _lacks(spectrum: Spectrum, machine: Machine, width: int) -> list[str]:
    lacking = missing_features(spectrum.isa, machine.cpu_features) if machine.cpu_features else []
    text = ", ".join(f"{name} ({use})" for name, use in lacking) or "nothing that a model asks for"
    lines = wrapped(f"this CPU lacks: {text}", width, "", _INDENT)
    if spectrum.unavailable:
        lines += wrapped(f"not measured here: {', '.join(spectrum.unavailable)}", width, "", _INDENT)
    return lines


def _cycles(value: float | None) -> str:
    return "" if value is None else significant(value, 3)


def _per_second(value: float) -> str:
    return f"{significant(value / 1e9, 3)} G" if value >= 1e9 else f"{significant(value / 1e6, 3)} M"


def roofline_lines(rows: Sequence[RooflineRow], width: int) -> list[str]:
    """A block for each operation: bounds in the heading, below each library its share of every tier; then one sentence a library."""
    lines: list[str] = []
    for operation in dict.fromkeys(row.operation for row in rows):
        mine = [row for row in rows if row.operation == operation]
        figures = [row for row in mine if row.measured is not None and row.tiers]
        lines += ["", *_block(figures, width)] if figures else ["", f"{mine[0].title}:"]
        reasons: dict[str, list[str]] = {}
        for row in mine:
            if row.reason:
                reasons.setdefault(row.reason, []).append(row.who)
        for reason, who in reasons.items():
            lines += wrapped(f"{', '.join(who)}: {reason}", width, _INDENT, "    ")
    return lines[1:] if lines else lines


def _block(rows: Sequence[RooflineRow], width: int) -> list[str]:
    tiers = _tiers_that_fit(rows, width)
    size = Case.parse(rows[0].case).size_bytes
    at = f", {format_size(size)}" if size else ""
    columns = [max(8, len(tier.tier) + 1) for tier in tiers]
    names = max(_WHO, min(30, width - 12 - sum(columns) - len(columns)))
    unit = f"cycles/{rows[0].per}"
    lines = [f"{rows[0].title}{at}"[:width]]
    heads = [ScreenColumn(words=True, least=names - 1), ScreenColumn(unit, least=11)]
    heads += [ScreenColumn(tier.tier, least=wide) for tier, wide in zip(tiers, columns, strict=True)]
    cells = [(_INDENT + "bound", "", *(_amount(tier.bound) for tier in tiers))]
    for row in sorted(rows, key=lambda one: one.place):
        shares = {tier.tier: tier for tier in row.tiers}
        value = row.measured.value if row.measured else None
        shown = (_share(shares.get(tier.tier), row.fits) for tier in tiers)
        cells.append((_INDENT + row.who, _amount(value), *shown))
    lines += table_lines(heads, cells, width)
    best = min(rows, key=lambda one: one.place)
    lines += wrapped(best.sentence + ".", width, _INDENT, "    ")
    if best.why:
        lines += wrapped(best.why[:1].upper() + best.why[1:] + ".", width, _INDENT, "    ")
    wrong = [row.who for row in rows if row.flag and row is not best]
    if wrong:
        lines += wrapped(f"No model is right for {', '.join(wrong)}: see the shares.", width, _INDENT, "    ")
    return lines


def _tiers_that_fit(rows: Sequence[RooflineRow], width: int) -> list[TierShare]:
    """The tiers of the operation, weakest first; the weakest are left out where the terminal is too narrow."""
    tiers = list(rows[0].tiers)
    while len(tiers) > 1 and _WHO + 12 + sum(max(9, len(tier.tier) + 2) for tier in tiers) > width:
        del tiers[0]
    return tiers


def _amount(value: float | None) -> str:
    if value is None:
        return "-"
    if value >= 1e6:
        return f"{significant(value / 1e6, 3)} M"
    return f"{significant(value / 1e3, 3)} k" if value >= 1e4 else significant(value, 3)


def _share(tier: TierShare | None, fits: str) -> str:
    """`91 %`, marked at the weakest tier that allows it; in parentheses above 100 %: that tier is not what runs."""
    if tier is None or tier.share is None:
        return "-"
    text = percent(tier.share)
    return f"{text}*" if tier.tier == fits else f"({text})" if tier.share > 1 else text


LEGEND = (
    "* the weakest tier that allows this result; (in parentheses): faster than that tier allows, so another one runs"
)


def score_lines(scores: Scores, width: int) -> list[str]:
    """Geometric means by family and library, then results that are slower than this core should be."""
    if not scores.overall:
        return wrapped("no result has a bound here, so there are no scores", width)
    lines = wrapped("Share of what this core should reach (its best tier), geometric means over operations", width)
    builds = sorted(scores.overall, key=lambda build: -scores.overall[build])
    families = list(scores.by_family)
    column = max([len(family) for family in families] + [7]) + 2
    while len(families) > 1 and 24 + 2 * column + column * len(families) > width:
        families.pop()
    heads = [
        ScreenColumn(words=True, least=23),
        *(ScreenColumn(name, least=column - 1) for name in [*families, "all", "results"]),
    ]
    rows = []
    for build in builds:
        values = [scores.by_family[family].get(build) for family in families] + [scores.overall[build]]
        cells = (percent(value) if value is not None else "-" for value in values)
        rows.append((_INDENT + build, *cells, str(scores.counts[build])))
    lines += table_lines(heads, rows, width, first=23)
    for residual in scores.residuals:
        lines += wrapped(residual.sentence, width, _INDENT, "    ")
    if not scores.residuals:
        lines += wrapped("No result is below half of its library's median share.", width, _INDENT)
    if scores.flagged:
        lines += wrapped(
            f"{counted(len(scores.flagged), 'result is', 'results are')} left out: no model is right there (named above).",
            width,
            _INDENT,
        )
    return lines


def classic_lines(times: Iterable[tuple[str, str, float, float, float]], width: int) -> list[str]:
    """`times`: (compiler, flags, median us, 10 %, 90 % quantile), the one that scores refer to first."""
    rows = list(times)
    lines = ["Classic reference test (CPU time of one iteration)"]
    columns = (ScreenColumn(words=True), *(ScreenColumn(head, least=8) for head in ("us", "10 %", "90 %")))
    cells = [
        (f"{_INDENT}{compiler} {flags}", *(f"{t:.0f}" for t in (us, low, high)))
        for compiler, flags, us, low, high in rows
    ]
    lines += table_lines(columns, cells, width, first=30)
    fast, slow = min(row[2] for row in rows), max(row[2] for row in rows)
    lines += wrapped(
        f"score of an operation that takes t us: 1000 t / {rows[0][2]:.0f}; less is better", width, _INDENT
    )
    lines += wrapped(f"one machine, one source: {slow / fast:.2f} times between the builds above.", width, _INDENT)
    return [*lines, *wrapped(CLASSIC_WARNING, width, _INDENT)]
