# SPDX-License-Identifier: Apache-2.0
"""Published tables of instructions beside what this machine's kernels cost: the same instruction where the set is the same, else the one that plays its part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cipherstone.catalogue.published_pages import InstructionTable, PublishedInstruction
from cipherstone.model.published import InstructionLine, InstructionTables
from cipherstone.model.records import Spectrum

NO_SPECTRUM = "the run measured no instructions"
NOT_SEEN = "never seen undisturbed in this run"
NO_CLOCK = "the core clock is not known"
WHOLE = "us"  # of a whole function


def beside_instructions(tables: Sequence[InstructionTable], spectrum: Spectrum | None) -> tuple[InstructionTables, ...]:
    """`tables` with this machine's figures from `spectrum`; each row that has none says why."""
    return tuple(
        InstructionTables(table.title, table.unit, table.cores, _rows(table, spectrum), table.note) for table in tables
    )


def _rows(table: InstructionTable, spectrum: Spectrum | None) -> tuple[InstructionLine, ...]:
    cycles = {figure.kernel: figure.cycles for figure in spectrum.figures} if spectrum is not None else {}
    return tuple(_row(table, row, spectrum, cycles) for row in table.row)


def _row(
    table: InstructionTable, row: PublishedInstruction, spectrum: Spectrum | None, cycles: Mapping[str, float]
) -> InstructionLine:
    if spectrum is None:
        return InstructionLine(row.label, row.values, why=NO_SPECTRUM)
    kernel = row.here.get(spectrum.isa, "")
    found = cycles.get(kernel)
    if found is not None:
        found /= row.each.get(spectrum.isa, 1.0)
    if not kernel:
        return InstructionLine(row.label, row.values, why=row.why)
    if found is None:
        why = spectrum.refused or (
            "the processor has no such instruction" if kernel in spectrum.unavailable else NOT_SEEN
        )
        return InstructionLine(row.label, row.values, kernel, why=why)
    if table.unit == WHOLE:
        first = cycles.get(table.row[0].here.get(spectrum.isa, ""))
        if first is None:
            return InstructionLine(row.label, row.values, kernel, cycles=found, why=f"{table.row[0].label}: {NOT_SEEN}")
        return InstructionLine(row.label, row.values, kernel, found / first, found)
    if table.unit == "ns" and spectrum.ghz is None:
        return InstructionLine(row.label, row.values, kernel, cycles=found, why=NO_CLOCK)
    ours = found / spectrum.ghz if table.unit == "ns" and spectrum.ghz is not None else found
    return InstructionLine(row.label, row.values, kernel, ours, found)


def printed(value: str) -> float | None:
    """The number of a printed cost: `4(3)` is 4; None where none was published."""
    head = value.partition("(")[0]
    return float(head) if head[:1].isdigit() else None
