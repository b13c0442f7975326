# SPDX-License-Identifier: Apache-2.0
"""A published page beside a run: figures of two machines are compared by how far each row parts from what all rows did."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

from msgspec.structs import replace

from cipherstone.catalogue.published_pages import (
    BYTES,
    NONE,
    PROCESS_MEMORY,
    PROCESS_TIME,
    SCALES,
    PageRow,
    PublishedPage,
    PublishedTable,
    Unit,
)
from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import Lane, read_label
from cipherstone.model.published import (
    CALLS_OF,
    OWN_NUMBER,
    BarGroup,
    Beside,
    PublishedBars,
    PublishedCell,
    PublishedFacts,
    PublishedLine,
    PublishedPlatform,
    PublishedTables,
)
from cipherstone.model.summary import CaseSummary, CellSummary, RunSummary
from cipherstone.model.units import significant
from cipherstone.views.published_instructions import beside_instructions

NOT_IN_RUN = "not in this run"
NO_PROCESSES = "the run measured no whole processes of it"
SECOND_NS = 1e9
MICROSECONDS, RATIO = "us", "ratio"
SURE = 2.0  # standard errors of two means that are no chance
APART = math.log(1.25)  # what a compiler and a core of another year may well do; more asks for a reason


def beside(page: PublishedPage, run: RunSummary) -> Beside:
    """`page` with this run's figures of the same libraries: the build that a row names, else the one that stands first in the run."""
    cases = {case.case: case for case in run.cases}
    lines: dict[str, PublishedLine] = {}
    tables = []
    for table in page.table:
        rows = tuple(_row(page, table, row, cases, lines) for row in table.row)
        lines.update((row.label, row) for row in rows)
        units = table.units if len(table.units) > 1 else table.units * len(page.platform)
        tables.append(PublishedTables(table.title, table.unit, units, rows))
    factors = [_factor(tables, number) for number in range(len(page.platform))]
    platforms = tuple(
        PublishedPlatform(
            one.id,
            one.cpu,
            one.compiler,
            median(found) if found else None,
            len(found),
            one.reference_us,
            one.versions,
            one.build,
        )
        for one, found in zip(page.platform, factors, strict=True)
    )
    spectrum = run.manifest.spectrum
    return Beside(
        title=page.title,
        source=page.source,
        conditions=page.conditions,
        notes=page.note,
        platforms=platforms,
        tables=tuple(_parted(table, platforms) for table in tables),
        nearest=_nearest(page, platforms, run.manifest.machine.architecture),
        reference_us=spectrum.classic_us if spectrum is not None else None,
        instructions=beside_instructions(page.instructions, spectrum),
        bars=tuple(
            PublishedBars(one.title, tuple(BarGroup(group.label, group.rows) for group in one.group), one.note)
            for one in page.figure
        ),
        facts=tuple(
            PublishedFacts(
                one.title, one.columns, tuple((row.label, *row.values) for row in one.row), one.where, one.note
            )
            for one in page.facts
        ),
    )


def _nearest(page: PublishedPage, platforms: Sequence[PublishedPlatform], architecture: str) -> int:
    """Of the platforms of this instruction set, the one whose median is closest to 1; the first of the page where there is none of it."""
    alike = [number for number, one in enumerate(page.platform) if one.architecture == architecture]
    return min(alike, key=lambda number: abs(math.log(platforms[number].factor or math.inf)), default=0)


def score(us: float, reference_us: float) -> float:
    """cryptobench's: a thousand times a call's time over that of its reference test; less is better."""
    return 1000 * us / reference_us


def furthest(found: Beside) -> list[tuple[str, PublishedLine, PublishedCell]]:
    """(title of the table, row, cell of the nearest platform) of rows that part from the others by more than a quarter, and by more than their means may by chance, the furthest first."""
    numbers = likest(found)
    apart = [
        (abs(math.log(cell.apart)), table.title, row, cell)
        for table in found.tables
        for row in table.rows
        for cell in (row.cells[number] for number in numbers)
        if cell.apart is not None and abs(math.log(cell.apart)) > max(APART, SURE * (cell.noise or 0.0))
    ]
    return [(title, row, cell) for _, title, row, cell in sorted(apart, key=lambda one: -one[0])]


def likest(found: Beside) -> list[int]:
    """The numbers of the platform that is likest to this machine: more than one where a page tells several figures of one machine."""
    cpu = found.platforms[found.nearest].cpu
    return [number for number, one in enumerate(found.platforms) if one.cpu == cpu]


def _row(
    page: PublishedPage,
    table: PublishedTable,
    row: PageRow,
    cases: Mapping[str, CaseSummary],
    lines: Mapping[str, PublishedLine],
) -> PublishedLine:
    """A row beside this run; `lines`: those of the tables before it."""
    if table.unit == RATIO:
        return _quotient(row, lines)
    return _in_turn(row, lines) if row.parts else _line(page, table, row, cases)


def _in_turn(row: PageRow, lines: Mapping[str, PublishedLine]) -> PublishedLine:
    """Calls of several rows one after the other, as a rate: of the printed figures and of ours."""
    parts = [lines[label] for label in row.parts]
    mine = _rate_of_all([one.ours for one in parts])
    cells = []
    for number in range(len(parts[0].cells)):
        here = [one.cells[number] for one in parts]
        theirs = _share(1.0, [one.published for one in here])
        beside = _rate_of_all([one.ours for one in here])
        ours = beside or mine
        known = ours is not None and theirs is not None and all(one.ratio is not None for one in here)
        ratio = ours.value / theirs if known and ours is not None and theirs is not None else None
        cells.append(PublishedCell(significant(theirs, 4) if theirs is not None else NONE, theirs, ratio, ours=beside))
    why = "" if mine is not None else next((one.why for one in parts if one.why), "")
    return PublishedLine(row.label, tuple(cells), mine, parts[0].lane, why=why, note=row.note)


def _rate_of_all(rates: Sequence[Estimate | None]) -> Estimate | None:
    """How many times a second one call of each fits, with an interval as if all errors pulled the same way; None where one is not known."""
    value = _share(1.0, [_value(one) for one in rates])
    if value is None:
        return None
    low, high = (_share(1.0, [getattr(one, end) for one in rates]) for end in ("low", "high"))
    return Estimate(value, low, high)


def _line(page: PublishedPage, table: PublishedTable, row: PageRow, cases: Mapping[str, CaseSummary]) -> PublishedLine:
    case = cases.get(row.case)
    values = [table.value(row, number) for number in range(len(row.values))]
    empty = PublishedLine(
        row.label,
        tuple(
            PublishedCell(printed, value, deviation=deviation)
            for printed, value, deviation in zip(row.values, values, row.deviations or [""] * len(values), strict=True)
        ),
        why=row.why,
        operation=row.operation,
        column=row.column,
        note=row.note,
        incomparable=row.incomparable,
    )
    if row.why:
        return empty
    library = row.library or table.library or page.library
    preferred = page.build if library == page.library else ""
    cell = _cell(library, row.implementation, case.cells, preferred) if case is not None else None
    if case is None or cell is None:
        return replace(empty, case=row.case, why=NOT_IN_RUN)
    if table.unit in (PROCESS_TIME, PROCESS_MEMORY):
        return _whole(table.unit, page.samples, row, cell, empty)
    ns, lacks = _with_parts(cell.ns, row, cases)
    alone = ns is None and cell.ns is not None and bool(lacks)
    if alone:  # the row stands with its own calls, and has no ratio
        ns = cell.ns
    ours = _ours(table.unit, ns, case.size_bytes or 1) if ns is not None else None
    cells = tuple(
        _held(table.unit, one, ours) if not platform.build else _held_by(platform.build, table.unit, one, row, case)
        for one, platform in zip(empty.cells, page.platform, strict=True)
    )
    incomparable = row.incomparable or (f"without a call that the published figure contains: {lacks}" if alone else "")
    if incomparable:
        cells = tuple(replace(one, ratio=None) for one in cells)
    why = "" if ours is not None else lacks or cell.detail or cell.refused or str(cell.outcome)
    return replace(empty, cells=cells, ours=ours, lane=cell.lane, case=row.case, why=why, incomparable=incomparable)


def _with_parts(ns: Estimate | None, row: PageRow, cases: Mapping[str, CaseSummary]) -> tuple[Estimate | None, str]:
    """(the time with that of the other calls that are in the figure, with an interval as if all errors pulled the same way; why there is none)."""
    for part in row.plus:
        case = cases.get(part.case)
        cell = _cell(part.library, part.implementation, case.cells) if case is not None else None
        if cell is None or cell.ns is None:
            return (
                None,
                f"{part.library}, {part.case}: {NOT_IN_RUN if cell is None else cell.detail or cell.refused or cell.outcome}",
            )
        if ns is not None:
            ends = zip((ns.low, ns.high), (cell.ns.low, cell.ns.high), strict=True)
            low, high = (None if one is None or other is None else one + other for one, other in ends)
            ns = Estimate(ns.value + cell.ns.value, low, high)
    return ns, ""


def _held(unit: Unit, cell: PublishedCell, ours: Estimate | None) -> PublishedCell:
    """The cell with the ratio of ours to it: a time is less where it is faster, a rate is more."""
    if cell.published is None or ours is None or unit in OWN_NUMBER:
        return cell
    less = unit == MICROSECONDS or unit in CALLS_OF
    ratio = cell.published / ours.value if less else ours.value / cell.published
    return replace(cell, ratio=ratio)


def _held_by(build: str, unit: Unit, cell: PublishedCell, row: PageRow, case: CaseSummary) -> PublishedCell:
    """The same of the one build that is like the platform; without a figure where the run has none of it."""
    found = _cell(build, row.implementation, case.cells)
    if found is None or found.ns is None:
        return cell
    ours = _ours(unit, found.ns, case.size_bytes or 1)
    return replace(_held(unit, cell, ours), ours=ours)


def _quotient(row: PageRow, lines: Mapping[str, PublishedLine]) -> PublishedLine:
    """One row over another, here and on each platform; `ratio` is ours over theirs, and says nothing about speed."""
    if row.parts:
        return _sum(row, lines)
    over, under = lines[row.over], lines[row.under]
    incomparable = over.incomparable or under.incomparable
    value = over.ours.value / under.ours.value if over.ours is not None and under.ours is not None else None
    cells = []
    for above, below in zip(over.cells, under.cells, strict=True):
        theirs = above.published / below.published if above.published is not None and below.published else None
        ratio = value / theirs if value is not None and theirs is not None and not incomparable else None
        cells.append(PublishedCell(significant(theirs, 3) if theirs is not None else NONE, theirs, ratio))
    ours = Estimate(value, None, None) if value is not None else None
    why = "" if ours is not None else over.why or under.why
    return PublishedLine(
        row.label,
        tuple(cells),
        ours,
        why=why,
        operation=row.operation,
        column=row.column,
        note=row.note,
        incomparable=incomparable,
    )


def _sum(row: PageRow, lines: Mapping[str, PublishedLine]) -> PublishedLine:
    """The time of a call of one row over the sum of those of others, all in calls a second: here, on each platform, and by the build that stands beside one."""
    over, parts = lines[row.over], [lines[label] for label in row.parts]
    ours = _share(_value(over.ours), [_value(one.ours) for one in parts])
    cells = []
    for number, above in enumerate(over.cells):
        below = [one.cells[number] for one in parts]
        theirs = _share(above.published, [one.published for one in below])
        beside = _share(_value(above.ours), [_value(one.ours) for one in below])
        ratio = ours / theirs if ours is not None and theirs is not None else None
        printed = significant(theirs, 3) if theirs is not None else NONE
        cells.append(PublishedCell(printed, theirs, ratio, ours=Estimate(beside) if beside is not None else None))
    why = "" if ours is not None else over.why or next((one.why for one in parts if one.why), "")
    return PublishedLine(row.label, tuple(cells), Estimate(ours) if ours is not None else None, why=why, operation=row.operation, column=row.column, note=row.note)  # fmt: skip


def _value(estimate: Estimate | None) -> float | None:
    return estimate.value if estimate is not None else None


def _share(rate: float | None, parts: Sequence[float | None]) -> float | None:
    """Time of one call over the sum of others', of calls a second; None where one is not known."""
    known = [part for part in parts if part is not None]
    if rate is None or len(known) < len(parts):
        return None
    return 1 / rate / sum(1 / part for part in known)


def _whole(unit: Unit, samples: int, row: PageRow, cell: CellSummary, empty: PublishedLine) -> PublishedLine:
    """A mean of whole processes; less is better, so that the ratio is theirs over ours. `samples`: of which the published mean is."""
    if cell.process is None:
        why = NO_PROCESSES if cell.outcome.timed else cell.detail or str(cell.outcome)
        return replace(empty, lane=cell.lane, case=row.case, why=why)
    spread, scale = (cell.process.cpu, 1e6) if unit == PROCESS_TIME else (cell.process.rss, 1.0)
    mean, made = spread.mean / scale, cell.process.samples
    deviation = spread.sd / scale if spread.sd is not None else None
    mine = _relative_error(mean, deviation, made)
    cells = tuple(
        replace(one, ratio=one.published / mean, noise=_noise(mine, one, samples)) if one.published is not None else one
        for one in empty.cells
    )
    return replace(
        empty,
        cells=cells,
        ours=Estimate(mean),
        lane=cell.lane,
        case=row.case,
        deviation=deviation,
        samples=made,
    )


def _relative_error(mean: float, deviation: float | None, samples: int) -> float | None:
    """The standard error of a mean over the mean, which is about that of its logarithm."""
    return None if deviation is None or not samples or not mean else deviation / mean / math.sqrt(samples)


def _noise(mine: float | None, cell: PublishedCell, samples: int) -> float | None:
    """The standard error of the logarithm of the ratio of two means, of what is known of it."""
    known = cell.published is not None and cell.deviation not in ("", NONE)
    theirs = _relative_error(cell.published or 0.0, float(cell.deviation), samples) if known else None
    errors = [one for one in (mine, theirs) if one is not None]
    return math.hypot(*errors) if errors else None


def _cell(library: str, implementation: str, cells: Sequence[CellSummary], preferred: str = "") -> CellSummary | None:
    """The cell of `library`: of the build that is preferred, else of the one that it names, else of the system's, else of the first of the run."""
    mine = [(Lane.parse(cell.lane), cell) for cell in cells]
    mine = [(lane, cell) for lane, cell in mine if lane.implementation == implementation and not lane.twin]
    first = next((cell for lane, cell in mine if preferred and lane.build_label == read_label(preferred)), None)
    if first is not None:
        return first
    named = (cell for lane, cell in mine if lane.build_label == read_label(library))
    return next(named, next((cell for lane, cell in mine if lane.library == library), None))


def _ours(unit: Unit, ns: Estimate, size_bytes: int) -> Estimate:
    if unit == MICROSECONDS or unit in CALLS_OF:
        over = SECOND_NS / CALLS_OF[unit] if unit in CALLS_OF else 1e3
        return Estimate(ns.value / over, *(end / over if end is not None else None for end in (ns.low, ns.high)))
    return _per_second(ns, (size_bytes if unit in BYTES else 1) / SCALES[unit])


def _per_second(ns: Estimate, work: float) -> Estimate:
    """`work` a call as a rate; the ends of the interval change places."""

    def rate(value: float) -> float:
        return work * SECOND_NS / value

    low, high = (rate(ns.high), rate(ns.low)) if ns.low is not None and ns.high is not None else (None, None)
    return Estimate(rate(ns.value), low, high)


def _factor(tables: Sequence[PublishedTables], number: int) -> list[float]:
    rows = (row for table in tables if table.unit != RATIO for row in table.rows)
    cells = (row.cells[number] for row in rows if row.case)  # a row that is made of others would count twice
    return [cell.ratio for cell in cells if cell.ratio is not None]


def _parted(table: PublishedTables, platforms: Sequence[PublishedPlatform]) -> PublishedTables:
    if table.unit == RATIO:
        return table
    rows = tuple(replace(row, cells=tuple(map(_apart, row.cells, platforms))) for row in table.rows)
    return replace(table, rows=rows)


def _apart(cell: PublishedCell, platform: PublishedPlatform) -> PublishedCell:
    if cell.ratio is None or platform.factor is None:
        return cell
    return replace(cell, apart=cell.ratio / platform.factor)
