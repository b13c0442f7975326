# SPDX-License-Identifier: Apache-2.0
"""The page of `cipherstone upgrade`: versions of one library side by side, then the answer in words; and its JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import msgspec

from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.units import counted, format_size, format_time
from cipherstone.report.render.screen_table import Cell, Column, Layout, Styled, laid_out
from cipherstone.report.words.numbers import ratio_text
from cipherstone.stats.verdict import LARGEST_EQUAL, SMALLEST_THRESHOLD
from cipherstone.stats.verdictwords import margin_text
from cipherstone.views.upgrade import Step, Upgrade, Version

NAMED = 6  # cases named in a sentence
_STYLES = {Verdict.FASTER: "green", Verdict.SLOWER: "red"}
_SIGNS = {Verdict.FASTER: "faster", Verdict.SLOWER: "slower", Verdict.EQUAL: "~"}


def render_upgrade(upgrade: Upgrade, width: int, colour: bool) -> str:
    """One row a case: the first version's time, then each other version's share of it; then what is faster, slower, alike, new and gone."""
    names = [one.version for one in upgrade.versions]
    lines = _wrapped(
        f"{upgrade.library} {upgrade.first_version} and {', '.join(names)}, side by side in run {upgrade.run_id}", width
    )
    lines += _wrapped(f"{upgrade.machine}; {upgrade.trust}: {upgrade.trust_reason}", width)
    lines += _wrapped(
        f"0.50: half the time of {upgrade.first_version}; ~: within 1 %, or what its A/A lane shows; ?: not settled",
        width,
    )
    return "\n".join([*lines, "", *_table(upgrade, width, colour), "", *_answers(upgrade, width)])


def upgrade_json(upgrade: Upgrade) -> str:
    """The fields of `Upgrade`."""
    return msgspec.json.format(msgspec.json.encode(upgrade)).decode()


def _table(upgrade: Upgrade, width: int, colour: bool) -> list[str]:
    columns = [Column("case", words=True), Column(upgrade.first_version)]
    steps: list[dict[str, Step]] = []
    for version in upgrade.versions:
        columns += [Column(_head(upgrade, version), least=6), Column(words=True, least=6)]
        steps.append({step.case: step for step in version.steps})
    rows: list[Sequence[Cell]] = []
    for case, ns in upgrade.cases:
        row: list[Cell] = [_name(case), "-" if ns is None else format_time(ns, 3)]
        for of in steps:
            step = of.get(case)
            if step is None or step.ratio is None:
                row += ["-", ""]
            else:
                style = _STYLES.get(step.verdict, "")
                row += [Styled(ratio_text(step.ratio), style), Styled(_SIGNS.get(step.verdict, "?"), style)]
        rows.append(row)
    return laid_out(tuple(columns), rows, Layout(width, colour, gap=2))


def _head(upgrade: Upgrade, version: Version) -> str:
    """The version; the build where two have the same."""
    same = (
        sum(one.version == version.version for one in upgrade.versions) > 1 or version.version == upgrade.first_version
    )
    return Lane.parse(version.lane).variant if same else version.version


def _name(case: str) -> str:
    parsed = Case.parse(case)
    return parsed.operation if parsed.size_bytes is None else f"{parsed.operation} {format_size(parsed.size_bytes)}"


def _answers(upgrade: Upgrade, width: int) -> list[str]:
    lines: list[str] = []
    for version in upgrade.versions:
        faster, slower = version.of(Verdict.FASTER), version.of(Verdict.SLOWER)
        alike = version.of(Verdict.EQUAL)
        within = margin_text(min(max((step.threshold for step in alike), default=SMALLEST_THRESHOLD), LARGEST_EQUAL))
        open_ = len(version.of(Verdict.UNDECIDED, Verdict.UNRESOLVED))
        blank = [step for step in version.steps if step.ratio is None]
        head = f"{upgrade.first_version} -> {_head(upgrade, version)}: "
        counts = f"{counted(len(faster), 'case')} faster, {len(slower)} slower, {len(alike)} within {within}"
        counts += f", {open_} not settled" if open_ else ""
        lines += _wrapped(head + counts + (f", {len(blank)} without figure" if blank else ""), width)
        for word, found in (("slower", slower), ("faster", faster)):
            if found:
                more = f", and {len(found) - NAMED} more" if len(found) > NAMED else ""
                lines += _wrapped(f"  {word}: {', '.join(map(_said, found[:NAMED]))}{more}", width)
        for step in blank[:NAMED]:
            lines += _wrapped(f"  no figure: {_name(step.case)}, {step.note}", width)
        for word, names in (("new", version.brought), ("gone", version.dropped)):
            if names:
                more = f", and {len(names) - NAMED} more" if len(names) > NAMED else ""
                lines += _wrapped(f"  {word}: {', '.join(names[:NAMED])}{more}", width)
    return lines


def _said(step: Step) -> str:
    return f"{_name(step.case)} ({ratio_text(step.ratio) if step.ratio else '-'})"


def _wrapped(text: str, width: int) -> list[str]:
    indent = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_on_hyphens=False,
        break_long_words=False,
    )
