# SPDX-License-Identifier: Apache-2.0
"""A comparison as Markdown, for an issue or a review: what is compared, a table of ratios, the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cipherstone.model.outcomes import Verdict
from cipherstone.model.units import counted
from cipherstone.report.blocks.counts import difference_text
from cipherstone.report.blocks.tables import markdown_table, markdown_text
from cipherstone.report.render.comparison import counts_words, side_lines, texts_words, word_of
from cipherstone.report.words.numbers import interval_text, ratio_text
from cipherstone.views.comparison import ComparedRow, Comparison


def comparison_markdown(comparison: Comparison) -> str:
    """The text, with a final newline. Rows that neither side can run are counted, not listed."""
    return "\n\n".join(part for part in _parts(comparison) if part) + "\n"


def _parts(comparison: Comparison) -> Iterator[str]:
    yield "  \n".join(markdown_text(line) for line in side_lines(comparison))
    if comparison.base:
        yield markdown_text(f"Both are divided by {comparison.base}, measured beside them.")
    yield "\n".join(f"- warning: {markdown_text(text)}" for text in comparison.warnings)
    if comparison.refused:
        yield f"**Refused:** {markdown_text(comparison.refused)}"
        return
    shown = [row for row in comparison.rows if row.verdict is not Verdict.UNAVAILABLE]
    yield _table(shown)
    if comparison.texts_compared and not comparison.rows:
        yield markdown_text(texts_words(comparison))
    yield "\n".join(
        f"- {markdown_text(note)}"
        for note in dict.fromkeys(row.note for row in shown if row.ratio is None and row.note)
    )
    yield "\n".join(f"- changed: {markdown_text(text)}" for text in comparison.changes)
    if comparison.means:
        mean = comparison.means[0]
        yield f"Geometric mean of B / A: **{mean.value:.3f}** over {counted(mean.cases, 'ratio')}, each of the same weight."
    if comparison.rows:
        yield markdown_text(counts_words(comparison))
    other = [difference_text(one) for one in comparison.counts if one.before != one.now]
    yield "\n".join(f"- {markdown_text(text)}" for text in (*other, *comparison.counts_lost))


def _table(rows: Sequence[ComparedRow]) -> str:
    if not rows:
        return ""
    several = len({row.lane for row in rows}) > 1
    heads = ["case", *(["lane"] if several else []), "B is", "B / A", "interval"]
    lines = []
    for row in rows:
        ratio, interval = ("-", "") if row.ratio is None else (ratio_text(row.ratio), interval_text(row.ratio))
        lines.append((row.case, *([row.lane] if several else []), word_of(row), ratio, interval))
    return markdown_table(heads, lines, words=len(heads) - 2)
