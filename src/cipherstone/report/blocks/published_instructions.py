# SPDX-License-Identifier: Apache-2.0
"""A publication's tables of instructions, with what this machine's own cost beside them."""

from __future__ import annotations

from collections.abc import Iterable

from cipherstone.model.published import Beside, InstructionLine, InstructionTables
from cipherstone.model.units import significant
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.room_page import NO_FIGURE
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.views.published_instructions import WHOLE, printed

HERE = (
    "here: kernels of the laboratory of instructions, in core cycles by calibrating chains; where the instruction set is another one, what plays the same part, by name. "
    "Cores and clocks differ: read a column by itself"
)
_DIGITS = 3


def instruction_table(table: InstructionTables) -> Table:
    """Rows as published, a column a core, and ours with the kernel's name."""
    whole = table.unit == WHOLE
    unit = "of the first row" if whole else table.unit
    cores = [head for core in table.cores for head in ([f"{core}, us", "of the first row"] if whole else [core])]
    first = table.rows[0].values
    rows = tuple(
        (item(row.label), *(_ours(row, table)), *(it for n, _ in enumerate(row.values) for it in _values(row, n, first[n], whole)))
        for row in table.rows
    )  # fmt: skip
    head = (
        "instruction",
        f"here, {unit}",
        *(() if table.unit == "cycles" else ("here, cycles",)),
        *cores,
        "kernel here",
    )
    rows = tuple((*row, item(_kernel(line))) for row, line in zip(rows, table.rows, strict=True))
    return Table("published-" + "".join(c if c.isalnum() else "-" for c in table.title.lower()), head, rows, tail=1)


def instruction_figures(found: Beside, footer: str) -> list[Figure]:
    """One a table."""
    figures = []
    for number, table in enumerate(found.instructions):
        shown = instruction_table(table)
        data = csv_text(("instruction", "core", "unit", "value"), _csv(table))
        figures.append(
            Figure(
                shown.name,
                f"{table.title}: here and as published",
                shown,
                data,
                footer=footer,
                notes=[HERE] * (number == 0),
                remarks=instruction_remarks(table),
                search=table.title,
            )
        )
    return figures


def instruction_remarks(table: InstructionTables) -> list[str]:
    """Why rows have no figure here, and what is known of the table."""
    whys: dict[str, list[str]] = {}
    for row in table.rows:
        if row.why:
            whys.setdefault(row.why, []).append(row.label)
    return [*(f"{'; '.join(labels)}: {why}." for why, labels in whys.items()), *table.notes]


def _kernel(row: InstructionLine) -> str:
    return row.kernel.partition(".")[2].replace("/", ", ") if row.kernel else NO_FIGURE


def _ours(row: InstructionLine, table: InstructionTables) -> list[Item]:
    ours = [item(NO_FIGURE) if row.ours is None else item(significant(row.ours, _DIGITS), row.ours)]
    if table.unit == "cycles":
        return ours
    return [*ours, item(NO_FIGURE) if row.cycles is None else item(significant(row.cycles, _DIGITS), row.cycles)]


def _values(row: InstructionLine, number: int, first: str, whole: bool) -> list[Item]:
    value = printed(row.values[number])
    shown = [item(NO_FIGURE) if value is None else item(row.values[number], value)]
    if not whole:
        return shown
    whole_one = printed(first)
    share = value / whole_one if value is not None and whole_one else None
    return [*shown, item(NO_FIGURE) if share is None else item(significant(share, _DIGITS), share)]


def _csv(table: InstructionTables) -> Iterable[tuple[object, ...]]:
    for row in table.rows:
        yield (
            row.label,
            f"here: {row.kernel}" if row.kernel else "here",
            table.unit if table.unit != WHOLE else "ratio",
            row.ours,
        )
        for core, value in zip(table.cores, row.values, strict=True):
            yield row.label, core, table.unit, value
