# SPDX-License-Identifier: Apache-2.0
"""The page of `cipherstone upgrade`: versions of one library side by side, then the answer in words; and its JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import msgspec

from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.units import counted, format_size, format_time
from cipherstone.report.blocks.tables import markdown_table, markdown_text
from cipherstone.report.render.screen_table import Cell, Layout, ScreenColumn, Styled, laid_out
from cipherstone.report.words.numbers import interval_text, ratio_text
from cipherstone.stats.verdict import LARGEST_EQUAL, SMALLEST_THRESHOLD
from cipherstone.stats.verdictwords import margin_text
from cipherstone.views.upgrade import Upgrade, Version

NAMED = 6  # cases named in a sentence
_STYLES = {Verdict.FASTER: "green", Verdict.SLOWER: "red"}
_SAID = {Verdict.FASTER: "faster", Verdict.SLOWER: "slower", Verdict.EQUAL: "alike"}
WIDE = 76  # columns of a terminal that has room for intervals
MARKDOWN_LINE = 10_000
LEGEND = "change: time now over time before, paired by pass. alike: within 1 %, or within what a second process of the same build shows. not settled: the interval holds both."


def render_upgrade(upgrade: Upgrade, width: int, colour: bool) -> str:
    """What is compared, with its packages; for each other version the answer in words, then a row a case: time before, time now, the change with its interval, the verdict; the largest slowdown first."""
    lines = _wrapped(f"{upgrade.library} in run {upgrade.run_id}", width)
    for name, package in _packages(upgrade):
        lines += _wrapped(f"  {name}: {package}", width)
    lines += _wrapped(f"{upgrade.machine}; {upgrade.trust}: {upgrade.trust_reason}", width)
    for version in upgrade.versions:
        lines += ["", *_answer(upgrade, version, width), "", *_table(upgrade, version, width, colour)]
    lines += ["", *_wrapped(LEGEND, width)]
    return "\n".join(lines)


def upgrade_markdown(upgrade: Upgrade) -> str:
    """The same as Markdown, with a final newline."""
    parts = [f"## {markdown_text(upgrade.library)}: what an upgrade changes"]
    parts.append("\n".join(f"- {markdown_text(version)}: {markdown_text(package)}" for version, package in _packages(upgrade)))  # fmt: skip
    parts.append(markdown_text(f"{upgrade.machine}; {upgrade.trust}: {upgrade.trust_reason}; run {upgrade.run_id}"))
    for version in upgrade.versions:
        head, *details = _answer(upgrade, version, MARKDOWN_LINE)
        parts.append("\n".join([f"**{markdown_text(head)}**", "", *(f"- {markdown_text(line.strip())}" for line in details)]))  # fmt: skip
        rows = [(name, word, old, new, ratio, interval) for name, old, new, ratio, interval, word, _ in _rows(version)]
        names = (f"{upgrade.first_version}", _head(upgrade, version))
        parts.append(markdown_table(("case", f"{names[1]} is", *names, "change", "interval"), rows, words=2))
    return "\n\n".join([*parts, markdown_text(LEGEND)]) + "\n"


def _packages(upgrade: Upgrade) -> list[tuple[str, str]]:
    """Each version with what holds its code."""
    found = [(upgrade.first_version, upgrade.first_package)]
    found += [(_head(upgrade, version), version.package) for version in upgrade.versions]
    return [(version, package or "package not known") for version, package in found]


def upgrade_json(upgrade: Upgrade) -> str:
    """The fields of `Upgrade`."""
    return msgspec.json.format(msgspec.json.encode(upgrade)).decode()


def _rows(version: Version) -> list[tuple[str, str, str, str, str, str, Verdict]]:
    """(case, time before, time now, change, its interval, verdict in words, verdict), the largest slowdown first."""
    return [
        (
            _name(step.case),
            "-" if step.old_ns is None else format_time(step.old_ns, 3),
            "-" if step.new_ns is None else format_time(step.new_ns, 3),
            ratio_text(step.ratio),
            interval_text(step.ratio),
            _SAID.get(step.verdict, "not settled"),
            step.verdict,
        )
        for step in version.by_regression
        if step.ratio is not None
    ]


def _table(upgrade: Upgrade, version: Version, width: int, colour: bool) -> list[str]:
    narrow = width < WIDE
    columns = [
        ScreenColumn("case", words=True),
        ScreenColumn(upgrade.first_version),
        ScreenColumn(_head(upgrade, version)),
    ]
    columns += [
        ScreenColumn("change"),
        *([] if narrow else [ScreenColumn("interval", words=True)]),
        ScreenColumn("is", words=True),
    ]
    lines: list[Sequence[Cell]] = [
        (
            name,
            old,
            new,
            Styled(ratio, style := _STYLES.get(verdict, "")),
            *([] if narrow else [interval]),
            Styled(word, style),
        )
        for name, old, new, ratio, interval, word, verdict in _rows(version)
    ]
    return laid_out(columns, lines, Layout(width, colour, gap=1 if narrow else 2))


def _head(upgrade: Upgrade, version: Version) -> str:
    """The version; the build where two have the same."""
    same = (
        sum(one.version == version.version for one in upgrade.versions) > 1 or version.version == upgrade.first_version
    )
    return Lane.parse(version.lane).variant if same else version.version


def _name(case: str) -> str:
    parsed = Case.parse(case)
    return parsed.operation if parsed.size_bytes is None else f"{parsed.operation} {format_size(parsed.size_bytes)}"


def _answer(upgrade: Upgrade, version: Version, width: int) -> list[str]:
    """How many cases are faster, slower, alike; which operations are new or gone; why some have no figure."""
    lines: list[str] = []
    faster, slower = version.of(Verdict.FASTER), version.of(Verdict.SLOWER)
    alike = version.of(Verdict.EQUAL)
    within = margin_text(min(max((step.threshold for step in alike), default=SMALLEST_THRESHOLD), LARGEST_EQUAL))
    open_ = len(version.of(Verdict.UNDECIDED, Verdict.UNRESOLVED))
    blank = [step for step in version.steps if step.ratio is None]
    head = f"{upgrade.first_version} -> {_head(upgrade, version)}: "
    counts = f"{counted(len(faster), 'case')} faster, {len(slower)} slower, {len(alike)} within {within}"
    counts += f", {open_} not settled" if open_ else ""
    lines += _wrapped(head + counts + (f", {len(blank)} without figure" if blank else ""), width)
    for step in blank[:NAMED]:
        lines += _wrapped(f"  no figure: {_name(step.case)}, {step.note}", width)
    for word, names in (("new", version.brought), ("gone", version.dropped)):
        if names:
            more = f", and {len(names) - NAMED} more" if len(names) > NAMED else ""
            lines += _wrapped(f"  {word}: {', '.join(names[:NAMED])}{more}", width)
    return lines


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
