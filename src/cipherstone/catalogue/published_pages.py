# SPDX-License-Identifier: Apache-2.0
"""Published pages that a suite is made after: `references/NAME/tables.toml` of the suite NAME. Figures as printed, with the case and the implementation of ours that compute the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.catalogue.references import pages_with, read_values, shown_place
from cipherstone.catalogue.suites import Suite, load_suite, suite_names
from cipherstone.model.errors import DataError
from cipherstone.model.ids import read_label

Unit = Literal["MB/s", "kB/s", "call/s", "us", "s/200", "s/500", "s/16384", "ratio", "ms/process", "KiB/process"]
SCALES: dict[Unit, float] = {
    "MB/s": 1e6,
    "kB/s": 1e3,
    "call/s": 1.0,
    "us": 1.0,
    "s/200": 1.0,
    "s/500": 1.0,
    "s/16384": 1.0,
    "ratio": 1.0,
    "ms/process": 1.0,
    "KiB/process": 1.0,
}
# Of whole processes: less is better.
PROCESS_TIME: Unit = "ms/process"
PROCESS_MEMORY: Unit = "KiB/process"
BYTES = frozenset[Unit](("MB/s", "kB/s"))
CALLS: Unit = "call/s"
NONE = "-"
TABLES = "tables.toml"
_FIGURE = re.compile(r"[0-9]+(\.[0-9]+)?\Z")
# Of an instruction; in parentheses: cycles for which it stops the next one.
_COST = re.compile(r"[0-9]+(\.[0-9]+)?(\([0-9]+\))?\Z")


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A machine of the publication, in its words. `architecture`: as the kernel of such a machine calls itself. `reference_us`: what a time is divided by to get the publication's score, 0 where it has none; `versions`: of its libraries.

    `build`: the one of ours, as in `bearssl@0.6+Os+i386`, whose figures stand beside this platform's; "": the row's.
    """

    id: str
    cpu: str
    compiler: str
    architecture: str
    reference_us: float = 0.0
    versions: str = ""
    build: str = ""


class FigurePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call that is in a published figure beside the row's own: `library` as in a row."""

    case: str
    implementation: str
    library: str


class PageRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row as printed: `values`, one a platform; `-` where none was published. `case` and `implementation`: of ours that compute the same, or `why` there is none.

    `library`: whose figure it is, where the page is of several; with a build, as in `libtomcrypt+gmp`, of this one alone. `operation` and `column`: where it stands in a table that has libraries across.
    `plus`: calls that the figure contains besides, whose times are added to ours. `deviations`: standard deviations as printed, one a value. `incomparable`: why our figure and the printed one are not of one task, so that they have no ratio.
    `over` and `under`: labels of the rows whose quotient it is, in a table of ratios, which has no figures of its own; or `over` and `parts`: the time of a call of the one over the sum of those of the others. `parts` alone, in a table of calls a second: so many that do one of each. `note`: what is known to be other than here, or wrong.
    """

    label: str
    values: tuple[str, ...] = ()
    case: str = ""
    implementation: str = ""
    why: str = ""
    library: str = ""
    operation: str = ""
    column: str = ""
    over: str = ""
    under: str = ""
    parts: tuple[str, ...] = ()
    note: str = ""
    plus: tuple[FigurePart, ...] = ()
    deviations: tuple[str, ...] = ()
    incomparable: str = ""


class PublishedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`units` of its values, one a platform, or one for all: 10^6 or 10^3 bytes, or calls a second, of which more is better; of what follows less is: microseconds a call, seconds for 200, 500 or 16384 calls, CPU time or largest resident set of a
    whole process; or ratios of two rows. `unit`: that of the first, in which ours are given. `library`: whose figures they are, "" for the page's or the row's."""

    title: str
    units: tuple[Unit, ...]
    row: tuple[PageRow, ...]
    library: str = ""

    @property
    def unit(self) -> Unit:
        """The table's own."""
        return self.units[0]

    def value(self, row: PageRow, platform: int) -> float | None:
        """The figure of a platform in the table's unit, None where none was published."""
        printed = row.values[platform]
        return None if printed == NONE else float(printed) * SCALES[self.unit_of(platform)] / SCALES[self.unit]

    def unit_of(self, platform: int) -> Unit:
        """The unit in which the figures of a platform are printed."""
        return self.units[platform] if len(self.units) > 1 else self.units[0]


class PublishedInstruction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a table of instructions: `values`, one a core, as printed. `here`: by instruction set, the kernel of ours (`aarch64.mul/latency`) that costs the same or plays the same part; `why`: why none does on the others. `each`: by instruction set, of how many instructions the unit of that kernel is, where it is none of one."""

    label: str
    values: tuple[str, ...]
    here: dict[str, str] = {}
    why: str = ""
    each: dict[str, float] = {}


class InstructionTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What instructions cost on `cores`. `unit`: `cycles` or `ns` an instruction; or `us` of a whole function whose instructions were exchanged row by row: then a kernel of ours stands for it, and what is compared is each row over the first."""

    title: str
    unit: Literal["cycles", "ns", "us"]
    cores: tuple[str, ...]
    row: tuple[PublishedInstruction, ...]
    note: tuple[str, ...] = ()


class FactRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of figures that are no times of an operation: `values` as printed, one a column."""

    label: str
    values: tuple[str, ...]


class FactTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of the page that no run has beside them. `where`: the command that shows ours, "" for none."""

    title: str
    columns: tuple[str, ...]
    row: tuple[FactRow, ...]
    where: str = ""
    note: tuple[str, ...] = ()


class PageGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group of bars: labels of rows that stand together."""

    label: str
    rows: tuple[str, ...]


class PublishedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bar chart of the page, to be drawn from the rows of its tables."""

    title: str
    group: tuple[PageGroup, ...]
    note: str = ""


class PublishedPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published page. `library`: whose figures they are where a row does not say it; `note`: what is known about them, a sentence each. `build`: of that library, whose figures are ours if the run has them; "": the system's. `samples`: of which its means and deviations are, 0 for single figures. `facts`: what else it prints."""

    title: str
    source: str
    library: str
    conditions: str
    note: tuple[str, ...]
    platform: tuple[Platform, ...]
    table: tuple[PublishedTable, ...]
    build: str = ""
    instructions: tuple[InstructionTable, ...] = ()
    figure: tuple[PublishedFigure, ...] = ()
    samples: int = 0
    facts: tuple[FactTable, ...] = ()

    def kernels(self, isa: str | None) -> frozenset[str]:
        """The kernels of an instruction set that stand beside its tables of instructions."""
        return frozenset(row.here[isa] for table in self.instructions for row in table.row if isa in row.here)


def load_page(root: Path, suite: Suite) -> PublishedPage | None:
    """The page that `suite` is made after; None for a suite of our own. Raises DataError: one line, the first thing that is wrong: a row that stands twice, too many values, a case that the suite does not measure."""
    if suite.name not in pages_with(root, TABLES):
        return None
    where = shown_place(suite.name, TABLES)
    page = read_values(root, suite.name, TABLES, PublishedPage)
    measured = {case.id for case in suite.cases}
    made = {read_label(name) for name in suite.builds}
    for build in (page.build, *(platform.build for platform in page.platform)):
        if build and read_label(build) not in made:
            raise DataError(f"{where}: build: {shown(build)} is not measured by the suite", "see `builds` in suites/")
    seen: set[str] = set()
    rates: set[str] = set()
    for table in page.table:
        _check_table(f"{where}: {shown(table.title)}", table, len(page.platform))
        for row in table.row:
            here = f"{where}: {shown(row.label)}"
            if row.label in seen:
                raise DataError(f"{here}: stands twice", "remove one of them")
            if table.unit == "ratio":
                _check_quotient(here, row, seen, rates)
            elif row.parts:
                if row.values or row.case or row.why or row.over or not {*row.parts} <= rates:
                    raise DataError(f"{here}: parts: needs labels of rows in calls a second before it, nothing else", "")  # fmt: skip
            else:
                _check_row(here, row, len(page.platform), measured)
            seen.add(row.label)
            if table.unit == CALLS:
                rates.add(row.label)
    _check_more(where, page, seen)
    return page


def kernels_of(root: Path, suite: str, isa: str | None) -> frozenset[str]:
    """The kernels of an instruction set that a run of the suite of this name shows beside a published page; none for a name that is no suite's."""
    if suite not in suite_names(root):
        return frozenset()
    page = load_page(root, load_suite(root, suite))
    return page.kernels(isa) if page is not None else frozenset()


def is_scored(root: Path, suite: str) -> bool:
    """Whether the suite of this name is made after a page that has a score, so that a run of it needs the score's reference test. False for a name that is no suite's."""
    if suite not in suite_names(root):
        return False
    page = load_page(root, load_suite(root, suite))
    return page is not None and any(one.reference_us for one in page.platform)


def _check_more(where: str, page: PublishedPage, labels: set[str]) -> None:
    for table in page.instructions:
        for line in table.row:
            here = f"{where}: {shown(table.title)}: {shown(line.label)}"
            if len(line.values) != len(table.cores):
                raise DataError(f"{here}: {len(line.values)} values", f"one for each of {len(table.cores)} cores")
            for value in line.values:
                if value != NONE and not _COST.match(value):
                    raise DataError(f"{here}: values: {shown(value)} is no cost", "as printed; - for none")
            if min(line.each.values(), default=1) <= 0 or not line.each.keys() <= line.here.keys():
                raise DataError(f"{here}: each: a positive number for an instruction set of `here`", "")
            for isa, kernel in line.here.items():
                if not kernel.startswith(f"{isa}."):
                    raise DataError(f"{here}: here: {shown(kernel)} is no kernel of {shown(isa)}", "")
    for facts in page.facts:
        for fact in facts.row:
            if len(fact.values) != len(facts.columns):
                raise DataError(f"{where}: {shown(facts.title)}: {shown(fact.label)}: {len(fact.values)} values", f"one for each of {len(facts.columns)} columns")  # fmt: skip
    for figure in page.figure:
        for label in (one for group in figure.group for one in group.rows):
            if label not in labels:
                raise DataError(f"{where}: {shown(figure.title)}: {shown(label)} is no row", "labels as in the tables")


def _check_table(where: str, table: PublishedTable, platforms: int) -> None:
    kinds = {unit if unit not in BYTES else "bytes" for unit in table.units}
    if len(table.units) not in (1, platforms) or len(kinds) != 1:
        raise DataError(f"{where}: units", "one for each platform, or one for all; all of bytes, or all the same")
    places = [(row.operation, row.column) for row in table.row]
    crossed = [place for place in places if any(place)]
    if crossed and (len(set(crossed)) < len(places) or not all(map(all, crossed))):
        raise DataError(f"{where}: operation, column: both in every row, and no place twice", "")


def _check_quotient(where: str, row: PageRow, seen: set[str], rates: set[str]) -> None:
    if row.parts:
        if row.values or row.case or row.why or row.under or not {row.over, *row.parts} <= rates:
            raise DataError(f"{where}: over, parts: needs labels of rows in calls a second before it, nothing else", "")
    elif row.values or row.case or row.why or not {row.over, row.under} <= seen:
        raise DataError(f"{where}: over, under: needs two labels of rows before it, and nothing else", "")


def _check_row(where: str, row: PageRow, platforms: int, measured: set[str]) -> None:
    if len(row.values) != platforms:
        raise DataError(f"{where}: {len(row.values)} values", f"one for each of {platforms} platforms")
    for value in row.values:
        if value != NONE and (not _FIGURE.match(value) or float(value) <= 0):
            raise DataError(f"{where}: values: {shown(value)} is no positive figure", "as printed; - for none")
    if row.deviations and len(row.deviations) != platforms:
        raise DataError(f"{where}: {len(row.deviations)} deviations", f"one for each of {platforms} platforms")
    for value in row.deviations:
        if value != NONE and not _FIGURE.match(value):
            raise DataError(f"{where}: deviations: {shown(value)} is no figure", "as printed; - for none")
    if bool(row.case) == bool(row.why) or bool(row.case) != bool(row.implementation):
        raise DataError(f"{where}: needs a case and an implementation, or why there is none", "")
    for case in (row.case, *(part.case for part in row.plus)):
        if case and case not in measured:
            raise DataError(f"{where}: case: {shown(case)} is not measured by the suite", "see suites/")
