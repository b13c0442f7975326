# SPDX-License-Identifier: Apache-2.0
"""Whole processes: what a program takes that starts, does one task and ends; beside it the empty process and the call inside of a process that runs already."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.model.ids import Lane
from cipherstone.model.summary import (
    CaseSummary,
    CellSummary,
    EmptyProcess,
    Estimate,
    ProcessLine,
    ProcessSummary,
    Spread,
)
from cipherstone.model.units import format_size, format_time, significant
from cipherstone.report.blocks.figure import Figure, lane_item
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, LabSection
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.words.numbers import interval_text, ratio_beside_interval, time_and_range, time_text

QUESTION = "What does one task cost as a program of its own?"
EMPTY = "An empty process: it starts, loads the library and ends"
_CPU, _MEMORY, _WALL = ((f"{what} mean", f"{what} sd", f"{what} median") for what in ("CPU", "memory", "wall"))
_PARTS = ("mean", "sd", "median", "median_low", "median_high", "q10", "q25", "q75", "q90")
_CLOCKS = ("cpu_ns", "wall_ns", "max_rss_kib")
_BEYOND = ("beyond_cpu_ns", "beyond_wall_ns", "beyond_rss_kib", "ratio")
CSV_HEAD = (
    "case", "lane", "linked", "samples", *(f"{clock}_{part}" for clock in _CLOCKS for part in _PARTS),
    *(f"{name}{end}" for name in _BEYOND for end in ("", "_low", "_high")), "in_process_ns",
)  # fmt: skip


def processes_section(view: RunView, footer: str) -> LabSection | None:
    """A table of the empty processes and one a case; None where no process was measured."""
    cases = process_cases(view)
    if not cases and not view.run.empty_processes:
        return None
    figures = [_figure("processes-empty", EMPTY, empty_table(view), _empty_csv(view), footer)]
    for case in cases:
        name = "processes-" + "".join(c if c.isalnum() else "-" for c in case.case)
        figures.append(_figure(name, view.case_title(case), process_table(view, case), _case_csv(view, case), footer))
    for operation, lines in process_operations(view):
        table = line_table(view, operation, lines)
        figures.append(_figure(table.name, line_title(view, operation), table, _line_csv(lines), footer))
    return LabSection("processes", "Processes", QUESTION, lead(view), figures)


def process_cases(view: RunView) -> list[CaseSummary]:
    """The cases of which some lane has whole processes, in the order of the run."""
    return [case for case in view.run.cases if any(cell.process is not None for cell in case.cells)]


def process_operations(view: RunView) -> list[tuple[str, list[ProcessLine]]]:
    """Operations whose whole processes have sizes enough for a line, with the lines of their lanes."""
    found: dict[str, list[ProcessLine]] = {}
    for line in view.run.process_lines:
        found.setdefault(line.operation, []).append(line)
    return list(found.items())


def line_title(view: RunView, operation: str) -> str:
    """`SHA-256: start-up and cost of a byte, 4 KiB to 64 MiB`."""
    sizes = next(line.sizes for line in view.run.process_lines if line.operation == operation)
    title = next((case.title for case in view.run.cases if case.operation == operation), operation)
    return f"{title}: start-up and cost of a byte, {format_size(sizes[0])} to {format_size(sizes[-1])} a process"


def line_table(view: RunView, operation: str, lines: Sequence[ProcessLine]) -> Table:
    """What starting costs a process, and what a byte costs, the cheapest byte first; beside it the byte inside of a process that runs already."""
    inside = {fit.lane: fit.per_byte_ns for fit in view.run.fits if fit.operation == operation}
    rows = []
    for line in sorted(lines, key=lambda one: one.per_byte.value):
        lane = Lane.parse(line.lane)
        name = Item(view.lane_title(line.lane), None, lane.library, variant=view.variant(lane.build_id))
        equal = line.start.value / line.per_byte.value if line.per_byte.value > 0 and line.start.value > 0 else None
        byte = inside.get(line.lane)
        rows.append(
            (
                name, item(time_and_range(line.start), line.start.value), _byte_item(line.per_byte), item(NO_FIGURE) if byte is None else _byte_item(byte),
                _size_item(equal),
                item(_kib(line.start_kib.value), line.start_kib.value), item(significant(line.bytes_per_byte.value, 3), line.bytes_per_byte.value),
                item(f"{line.rms_relative_error:.1%}", line.rms_relative_error), item(str(line.rounds), line.rounds),
            )
        )  # fmt: skip
    head = ("library", "start, CPU", "a byte, CPU", "a byte, inside", "bytes that cost as much as the start", "start, memory", "memory a byte", "off the line", "rounds")  # fmt: skip
    return Table("processes-line-" + "".join(c if c.isalnum() else "-" for c in operation), head, tuple(rows))


def _size_item(count: float | None) -> Item:
    return item(NO_FIGURE) if count is None else item(f"{significant(count / 1024, 3)} KiB", count)


def _byte_item(estimate: Estimate) -> Item:
    """ns a byte, with its interval."""
    ends = f" ({significant(estimate.low, 3)} to {significant(estimate.high, 3)})" if estimate.low is not None and estimate.high is not None else ""  # fmt: skip
    return item(f"{significant(estimate.value, 3)} ns{ends}", estimate.value)


def _line_csv(lines: Sequence[ProcessLine]) -> str:
    names = ("start_ns", "per_byte_ns", "start_kib", "bytes_per_byte")
    head = ("operation", "lane", *(f"{name}{end}" for name in names for end in ("", "_low", "_high")), "rms_relative_error", "rounds")  # fmt: skip
    rows = (
        (line.operation, line.lane, *(end for one in (line.start, line.per_byte, line.start_kib, line.bytes_per_byte) for end in (one.value, one.low, one.high)), line.rms_relative_error, line.rounds)
        for line in lines
    )  # fmt: skip
    return csv_text(head, rows)


def lead(view: RunView) -> str:
    """How it was measured, and what the columns are."""
    told = [cell.process.samples for case in view.run.cases for cell in case.cells if cell.process is not None]
    told += [one.process.samples for one in view.run.empty_processes]
    count = str(max(told)) if min(told) == max(told) else f"{min(told)} to {max(told)}"
    return (
        f"A fresh process for each of {count} samples, lanes in turns: it starts, loads its library, reads the message from a file, does the task once, writes the result, which is proven, and ends. CPU time is of user and "
        "system together; memory is the largest resident set. Beyond empty: what the task adds to an empty process of the same build, median of the differences of a round. "
        "Times the least: CPU time over that of the first lane, median of the quotients of a round, with its 95 % interval. Inside: a call in a process that has made it before. "
        "Where there are four sizes and more, a line through their medians parts what starting costs from what a byte costs; its interval is of one line a round."
    )


def process_table(view: RunView, case: CaseSummary) -> Table:
    """The lanes of a case, the least CPU time first."""
    found = [(cell.process.cpu.median.value, cell, cell.process) for cell in case.cells if cell.process is not None]
    rows = [(lane_item(view, case, cell), *_items(cell, one)) for _, cell, one in sorted(found, key=lambda row: row[0])]
    head = (
        "library", *_CPU, "times the least", *_MEMORY, "CPU 10 % to 90 %", "CPU beyond empty", "memory beyond empty",
        *_WALL, "wall 10 % to 90 %", "wall beyond empty", "inside",
    )  # fmt: skip
    return Table("processes-" + "".join(c if c.isalnum() else "-" for c in case.case), head, tuple(rows))


def empty_table(view: RunView) -> Table:
    """The empty process of each build, the least CPU time first."""
    rows = [
        (
            _build_item(view, one), *_time_items(one.process.cpu), *_memory_items(one.process.rss), _middle(one.process.cpu),
            *_time_items(one.process.wall), _middle(one.process.wall), item(one.linked or NO_FIGURE),
        )
        for one in sorted(view.run.empty_processes, key=lambda one: one.process.cpu.median.value)
    ]  # fmt: skip
    head = ("library", *_CPU, *_MEMORY, "CPU 10 % to 90 %", *_WALL, "wall 10 % to 90 %", "linked")
    return Table("processes-empty", head, tuple(rows), tail=1)


def _figure(name: str, question: str, table: Table, data: str, footer: str) -> Figure:
    return Figure(name, question, table, data, footer=footer, search=question)


def _build_item(view: RunView, one: EmptyProcess) -> Item:
    return Item(view.build_title(one.build), None, one.build.partition("@")[0], variant=view.variant(one.build))


def _items(cell: CellSummary, one: ProcessSummary) -> list[Item]:
    ratio = item("1") if one.ratio is None else item(f"{ratio_beside_interval(one.ratio)} ({interval_text(one.ratio)})", one.ratio.value)  # fmt: skip
    inside = item(NO_FIGURE) if cell.ns is None else item(time_text(cell.ns), cell.ns.value)
    return [
        *_time_items(one.cpu), ratio, *_memory_items(one.rss), _middle(one.cpu), _beyond(one.beyond_cpu), _memory_beyond(one.beyond_rss),
        *_time_items(one.wall), _middle(one.wall), _beyond(one.beyond_wall), inside,
    ]  # fmt: skip


def _time_items(spread: Spread) -> list[Item]:
    sd = item(NO_FIGURE) if spread.sd is None else item(format_time(spread.sd), spread.sd)
    median = spread.median.value
    return [item(format_time(spread.mean), spread.mean), sd, item(format_time(median), median)]


def _middle(spread: Spread) -> Item:
    return item(f"{format_time(spread.q10)} to {format_time(spread.q90)}", spread.q10)


def _memory_items(spread: Spread) -> list[Item]:
    sd = item(NO_FIGURE) if spread.sd is None else item(_kib(spread.sd), spread.sd)
    return [item(_kib(spread.mean), spread.mean), sd, item(_kib(spread.median.value), spread.median.value)]


def _kib(value: float) -> str:
    return f"{significant(value, 4 if abs(value) >= 1000 else 3)} KiB"


def _beyond(estimate: Estimate | None) -> Item:
    return item(NO_FIGURE) if estimate is None else item(time_and_range(estimate), estimate.value)


def _memory_beyond(estimate: Estimate | None) -> Item:
    return item(NO_FIGURE) if estimate is None else item(_kib(estimate.value), estimate.value)


def _case_csv(view: RunView, case: CaseSummary) -> str:
    linked = {one.build: one.linked for one in view.run.empty_processes}
    rows = (
        (case.case, cell.lane, linked.get(Lane.parse(cell.lane).build_id, ""), *_row(cell.process), cell.ns.value if cell.ns else None)
        for cell in case.cells
        if cell.process is not None
    )  # fmt: skip
    return csv_text(CSV_HEAD, rows)


def _empty_csv(view: RunView) -> str:
    return csv_text(CSV_HEAD, (("", one.build, one.linked, *_row(one.process), None) for one in view.run.empty_processes))  # fmt: skip


def _row(one: ProcessSummary) -> list[object]:
    found: list[object] = [one.samples]
    for spread in (one.cpu, one.wall, one.rss):
        found += [spread.mean, spread.sd, spread.median.value, spread.median.low, spread.median.high, spread.q10, spread.q25, spread.q75, spread.q90]  # fmt: skip
    for estimate in (one.beyond_cpu, one.beyond_wall, one.beyond_rss, one.ratio):
        found += [None] * 3 if estimate is None else [estimate.value, estimate.low, estimate.high]
    return found
