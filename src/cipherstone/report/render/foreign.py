# SPDX-License-Identifier: Apache-2.0
"""Published figures on a terminal: one publication as a table that says whose it is, and machines beside each other by ratios."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane
from cipherstone.model.records import Manifest
from cipherstone.model.units import format_cycles, format_time, significant
from cipherstone.report.render.machine import CLASSIC_WARNING, wrapped
from cipherstone.report.render.screen_table import ScreenColumn, blocks, table_lines
from cipherstone.views.foreign import (
    ANCHOR,
    LIBRARY_OPERATIONS,
    RATIOS,
    ForeignCell,
    MachineFigures,
    lanes_by_case,
    libraries_of,
    sequence_names,
)

MISSING = "-"
_COLUMN = 10


def foreign_lines(manifest: Manifest, cells: Sequence[ForeignCell], width: int) -> list[str]:
    """The figures of one publication, as published, with what is known to be wrong with them. Nothing is ranked."""
    machine = manifest.machine
    lines = wrapped(f"FOREIGN: {manifest.foreign}", width)
    lines += wrapped(
        "Another program's figures: not measured, not proven and not repeated here. They have no interval, and are not ranked, here or beside measured ones.",
        width,
    )
    lines += wrapped(
        "machine: " + ", ".join(filter(None, (machine.cpu_model, machine.architecture, machine.system))), width
    )
    if manifest.spectrum is not None and manifest.spectrum.classic_us is not None:
        lines += wrapped(f"its reference test: {manifest.spectrum.classic_us:.0f} us", width)
    lines += _cells(cells, width)
    lines += _notes(manifest, cells, width)
    return lines


def _cells(cells: Sequence[ForeignCell], width: int) -> list[str]:
    """Cases as rows, builds as columns, in blocks that fit; named implementations as rows of their own."""
    rows: dict[tuple[str, str], dict[str, ForeignCell]] = {}
    builds: list[str] = []
    for case, lanes in lanes_by_case(cells).items():
        for lane_id, cell in lanes.items():
            lane = Lane.parse(lane_id)
            name = "" if lane.implementation == DEFAULT_IMPLEMENTATION else lane.implementation
            rows.setdefault((case, name), {})[lane.build_id] = cell
            if lane.build_id not in builds:
                builds.append(lane.build_id)
    plain = {case for case, name in rows if not name}
    label = min(max(len(_label(case, name, plain)) for case, name in rows) + 1, max(24, width - 2 * (_COLUMN + 1)))
    parts = blocks([label, *[_COLUMN] * len(builds)], width, first=label)
    what = "time of an instruction" if all(case.endswith("/sequence") for case, _ in rows) else "time of a call"
    lines: list[str] = []
    for numbers in parts:
        part = [builds[number - 1] for number in numbers]
        names = [build.partition("@") for build in part]
        columns = [
            ScreenColumn(words=True, least=label),
            *(ScreenColumn(name[:_COLUMN], least=_COLUMN) for name, _, _ in names),
        ]
        shown = [(what, *(version[:_COLUMN] for _, _, version in names))]
        shown += [
            (_label(case, name, plain), *(_time(mine.get(build)) for build in part))
            for (case, name), mine in rows.items()
            if any(build in mine for build in part)
        ]
        lines += ["", *table_lines(columns, shown, width, first=label)]
    return lines


def _label(case: str, implementation: str, plain: Collection[str]) -> str:
    """The case, or a named function of the library below the case's own row."""
    if implementation and case in plain:
        return f"  {implementation}"
    operation, _, size = case.partition("/bytes=")
    return f"{operation}, {size} B" if size else operation


def _time(cell: ForeignCell | None) -> str:
    if cell is None:
        return ""
    if cell.cycles is not None:
        return format_cycles(cell.cycles)
    if cell.ns is None:
        return MISSING
    return f"{cell.ns:.3f} ns" if cell.ns < 1 else format_time(cell.ns)


def _notes(manifest: Manifest, cells: Sequence[ForeignCell], width: int) -> list[str]:
    lines = ["", "What is known about these figures:"]
    for note in manifest.notes:
        lines += wrapped(f"- {note}", width, "", "  ")
    about: dict[str, list[str]] = {}
    for cell in cells:
        for text in (*cell.note.split("; "), cell.missing and f"{MISSING}: {cell.missing}"):
            if text:
                about.setdefault(text, []).append(f"{cell.case} of {Lane.parse(cell.lane).library}")
    for text, where in about.items():
        shown = ", ".join(where[:3]) + (f" and {len(where) - 3} more" if len(where) > 3 else "")
        lines += wrapped(f"- {text} ({shown})", width, "", "  ")
    return lines


def machines_lines(machines: Sequence[MachineFigures], width: int) -> list[str]:
    """Processors beside each other, by ratios inside of each machine; then the instruction sequences per core."""
    lines: list[str] = []
    with_figures = [one for one in machines if one.classic_us is not None or one.ns]
    if with_figures:
        lines += _processors(with_figures, width)
        lines += _libraries(with_figures, width)
    cores = [one for one in machines if one.sequence_ns]
    if cores:
        lines += _sequences(cores, width)
    for one in machines:
        if not one.published and one.sequence_cycles:
            lines += ["", *_measured_sequences(one, width)]
    if any(one.published for one in machines):
        lines += [
            "",
            *wrapped(
                "(p) published by cryptobench, one run each; (e) emulated, which says nothing about a processor", width
            ),
        ]
        lines += wrapped(CLASSIC_WARNING, width)
    return lines


def _name(machine: MachineFigures, width: int) -> str:
    mark = " (e)" if machine.emulated else " (p)" if machine.published else ""
    own = machine.name if machine.published else f"here: {machine.name}"
    return own[: width - len(mark) - 1] + mark


def _table(
    title: str,
    machines: Sequence[MachineFigures],
    heads: Sequence[str],
    value: Callable[[MachineFigures, int], str],
    width: int,
) -> list[str]:
    columns = [max(8, len(head) + 2) for head in heads]
    while sum(columns) + 24 > width and len(columns) > 1:
        columns.pop()
    label = min(34, width - sum(columns))
    shown = [ScreenColumn(head, least=wide - 1) for head, wide in zip(heads, columns, strict=False)]
    rows = [(_name(one, label), *(value(one, k) for k in range(len(columns)))) for one in machines]
    return ["", *wrapped(title, width), *table_lines([ScreenColumn(words=True, least=label), *shown], rows, width)]


def _processors(machines: Sequence[MachineFigures], width: int) -> list[str]:
    def value(machine: MachineFigures, k: int) -> str:
        if k == 0:
            return f"{machine.classic_us:.0f}" if machine.classic_us is not None else MISSING
        _, operation, by = RATIOS[k - 1]
        return _ratio(machine.ratio(operation, by))

    heads = [
        "ref. us",
        *(
            title.removeprefix("RSA-").replace("2048-bit exp.", "exp 2048").replace("AES decrypt", "AES dec")
            for title, _, _ in RATIOS
        ),
    ]
    title = (
        f"Processors. ref. us: the classic reference test, a raw time that depends on the compiler. All else by {ANCHOR} on the same machine, in units of its own "
        "AES-128-CBC encryption of 1 MB: RSA sign and verify by size, a 2048-bit exponentiation without CRT, AES decryption."
    )
    return _table(title, machines, heads, value, width)[1:]


def _ratio(value: float | None) -> str:
    return MISSING if value is None else significant(value, 3)


def _libraries(machines: Sequence[MachineFigures], width: int) -> list[str]:
    names = libraries_of(machines)
    lines: list[str] = []
    for operation in LIBRARY_OPERATIONS:
        mine = [name for name in names if any(one.library_ratio(operation, name) is not None for one in machines)]
        if mine:
            lines += _table(
                f"{operation}: time in units of {ANCHOR} on the same machine",
                machines,
                mine,
                lambda machine, k, op=operation, libs=mine: _ratio(machine.library_ratio(op, libs[k])),  # type: ignore[misc]
                width,
            )
    return lines


def _sequences(cores: Sequence[MachineFigures], width: int) -> list[str]:
    names = sequence_names(cores)
    label, column = 22, 9
    room = max(1, (width - label) // column)
    lines: list[str] = []
    for begin in range(0, len(cores), room):
        part = cores[begin : begin + room]
        for title, of in (
            (
                "AArch64 sequences, ns per instruction as published: times of different clocks, not to be compared",
                False,
            ),
            ("the same in core cycles, by the clock that the reports state; up to 0.25 too low, see `show`", True),
        ):
            lines += ["", *wrapped(title, width)]
            heads = [ScreenColumn(words=True, least=label - 1)]
            heads += [ScreenColumn(_core(one)[: column - 1], least=column - 1) for one in part]
            values = [[(one.sequence_cycles if of else one.sequence_ns).get(name) for one in part] for name in names]
            rows = [
                (name.replace("-", " "), *(MISSING if one is None else f"{one:.3f}" for one in mine))
                for name, mine in zip(names, values, strict=True)
            ]
            lines += table_lines(heads, rows, width, first=label - 1)
    return lines


def _core(machine: MachineFigures) -> str:
    """A short name: `Neoverse N1 (Ampere Altra)` is `N1`."""
    name = machine.name.partition(" (")[0]
    return name.removeprefix("Neoverse ").replace("Cortex-", "").replace("Apple ", "")


def _measured_sequences(machine: MachineFigures, width: int) -> list[str]:
    lines = wrapped(f"here, {machine.isa}: core cycles per element, measured with instructions of its own set", width)
    rows = [(name, significant(value, 3)) for name, value in machine.sequence_cycles.items()]
    return lines + table_lines((ScreenColumn(words=True, least=29), ScreenColumn(least=8)), rows, width, indent=2)
