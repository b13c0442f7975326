# SPDX-License-Identifier: Apache-2.0
"""Refuses imported figures that no machine can produce: the report was edited or damaged."""

from __future__ import annotations

from cipherstone.imports.figures import ImportedFigure, Publication
from cipherstone.model.errors import DataError, UsageError
from cipherstone.model.ids import Case

# A call that the compiler removed takes at most a cycle. Instructions overlap, and a publication subtracts its overhead, which may leave a thousandth of a nanosecond.
LEAST_CALL_NS = 0.01
LEAST_INSTRUCTION_NS = 0.001
LEAST_CYCLES = 1.0
# Reading the data is part of the work: 128 bytes a cycle are the most that a core reads of its nearest cache, at 10 GHz.
MOST_BYTES_A_CYCLE = 128
MOST_BYTES_A_NS = 1280
# Eleven days for one call, three years for all calls of a figure; a millisecond for one instruction.
MOST_NS = 1e15
MOST_INSTRUCTION_NS = 1e6
MOST_CYCLES = 1e15
MOST_TOTAL = 1e17
MOST_BYTES = 1 << 40
MOST_GHZ = 20.0
MOST_NAME = 300
DAMAGED = "the report was edited or damaged: give it as the program wrote it"


def refuse_impossible(publication: Publication, entry: str = "line") -> None:
    """Raises DataError for the first figure that no machine can produce. `entry`: the unit that `Figure.line` counts: line or entry."""
    name = publication.name
    for figure in publication.figures:
        if problem := _impossible(figure):
            raise DataError(f"{name}: {entry} {figure.line}: {figure.case[:80]}: {problem}", DAMAGED)
    if publication.ghz is not None and not 0 < publication.ghz <= MOST_GHZ:
        raise DataError(f"{name}: a frequency of {publication.ghz:.3g} GHz is higher than any machine has", DAMAGED)
    if publication.reference_us is not None and not 0 < publication.reference_us * 1e3 <= MOST_TOTAL:
        raise DataError(
            f"{name}: a reference test of {publication.reference_us:.3g} us is longer than any real one", DAMAGED
        )


def _impossible(figure: ImportedFigure) -> str:
    """Why a figure cannot be, or ""."""
    if len(figure.case) > MOST_NAME:
        return f"a name of {len(figure.case)} characters"
    try:
        case = Case.parse(figure.case)
    except UsageError:  # a size of twenty digits
        return "a size that no machine can process"
    size = case.size_bytes or 0
    if size > MOST_BYTES:
        return "a size that no machine can process"
    of = f"a call with {size} bytes" if size else "a call"
    problem = ""
    if figure.ns is not None and case.verb == "sequence":
        problem = _outside(figure.ns, LEAST_INSTRUCTION_NS, MOST_INSTRUCTION_NS, "ns an instruction")
    elif figure.ns is not None:
        problem = _outside(figure.ns, max(LEAST_CALL_NS, size / MOST_BYTES_A_NS), MOST_NS, f"ns {of}")
    if not problem and figure.cycles is not None:
        least = max(LEAST_CYCLES, size / MOST_BYTES_A_CYCLE)
        problem = _outside(figure.cycles, least, MOST_CYCLES, f"cycles {of}")
    if not problem and figure.iterations is not None and not 0 < figure.iterations <= MOST_TOTAL:
        problem = f"{figure.iterations} calls are more than a program can make"
    return problem


def _outside(value: float, least: float, most: float, unit: str) -> str:
    if least <= value <= most:
        return ""
    return f"{value:.3g} {unit}: " + ("faster than any machine" if value < least else "longer than any measurement")
