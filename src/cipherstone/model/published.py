# SPDX-License-Identifier: Apache-2.0
"""A published page beside a run, as a run stores it."""

from __future__ import annotations

import msgspec

from cipherstone.model.bounds import Float, Int
from cipherstone.model.estimate import Estimate

# Units that are seconds for so many calls: less is better.
CALLS_OF = {"s/200": 200, "s/500": 500, "s/16384": 16384}
# Of them, those whose number is ours alone: the page does not say of how many its figures are, so that no ratio follows.
OWN_NUMBER = frozenset({"s/16384"})


class PublishedPlatform(msgspec.Struct, frozen=True, omit_defaults=True):
    """A machine of the publication. `factor`: median over the rows of ours over theirs: how much faster this machine, its compiler and this version are in all; `rows`: how many it is the median of. `reference_us`: what the publication's score divides by, 0 where it has none; `versions`: of its libraries; `build`: of ours that stands beside it, "" for the rows' own."""

    id: str
    cpu: str
    compiler: str
    factor: Float | None = None
    rows: Int = 0
    reference_us: Float = 0.0
    versions: str = ""
    build: str = ""


class PublishedCell(msgspec.Struct, frozen=True, omit_defaults=True):
    """One published figure beside ours. `printed`: as it stands there; `published`: in the table's unit, None where nothing was; `ratio`: ours over it, or it over ours where less is better: more is better here; `apart`: that ratio over the platform's factor, 1.0 where the row moved as all did. `ours`: of the build that stands beside the platform, None where the row's own does.

    `deviation`: the standard deviation as it stands there; `noise`: the standard error of the logarithm of `ratio` as far as both means have deviations, None where they have none.
    """

    printed: str = ""
    published: Float | None = None
    ratio: Float | None = None
    apart: Float | None = None
    ours: Estimate | None = None
    deviation: str = ""
    noise: Float | None = None


class PublishedLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row: `ours` in the table's unit, or None with `why` there is none; `lane`: whose figure it is. `operation` and `column`: where it stands in a table that has libraries across; `note`: what is known to be other than here, or wrong. `deviation`: the standard deviation of ours, of a mean; `samples`: of how many. `incomparable`: why there is no ratio although both figures are there."""

    label: str
    cells: tuple[PublishedCell, ...]
    ours: Estimate | None = None
    lane: str = ""
    case: str = ""
    why: str = ""
    operation: str = ""
    column: str = ""
    note: str = ""
    deviation: Float | None = None
    samples: Int = 0
    incomparable: str = ""


class PublishedTables(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table of the page. `units`: of its printed figures, one a platform; `unit`: of ours, `MB/s` (10^6 bytes), `call/s`, `us` a call, `s/200` for that many calls, `ratio` of two rows, `ms/process` or `KiB/process`."""

    title: str
    unit: str
    units: tuple[str, ...]
    rows: tuple[PublishedLine, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The libraries that stand across, in the page's order; none where its rows are of one library."""
        return tuple(dict.fromkeys(row.column for row in self.rows if row.column))


NEAR = 1.2  # two ratios that are no further from each other are called near


class PublishedPair(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two rows of a page on one platform that compute one function, the faster there first: `published` times as fast. `counted`: instructions of the slower over those of the faster; None where one of them has no count.

    `mixes`: shares of what each executes, in words, where fewer instructions are slower.
    """

    faster: str
    slower: str
    published: Float
    counted: Float | None = None
    mixes: tuple[str, str] | None = None

    @property
    def agrees(self) -> bool:
        """Whether the one with fewer instructions is the faster one."""
        return self.counted is not None and (self.counted >= 1 or self.published == 1)

    @property
    def near(self) -> bool:
        """Whether both say about the same factor."""
        return self.counted is not None and 1 / NEAR <= self.counted / self.published <= NEAR


class PlatformPairs(msgspec.Struct, frozen=True, omit_defaults=True):
    """The pairs of a platform (`id`, `cpu`: as the page calls them) beside the counts of a target. `build`: whose counts they are, "" of none; `spread`: standard deviation of the logarithm of one ratio over the other; None of fewer than two."""

    id: str
    cpu: str
    target: str
    pairs: tuple[PublishedPair, ...]
    build: str = ""
    spread: Float | None = None

    @property
    def counted(self) -> list[PublishedPair]:
        """Those of which both have a count."""
        return [pair for pair in self.pairs if pair.counted is not None]

    @property
    def disagreeing(self) -> list[PublishedPair]:
        """Those where fewer instructions are slower, what the page tells apart most first."""
        return sorted((pair for pair in self.counted if not pair.agrees), key=lambda pair: -pair.published)


class InstructionLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of a published table of instructions: `values` as printed, one a core. `ours`: in the table's unit, of a kernel of this machine, `cycles` the same in core cycles; None with `why`."""

    label: str
    values: tuple[str, ...]
    kernel: str = ""
    ours: Float | None = None
    cycles: Float | None = None
    why: str = ""


class InstructionTables(msgspec.Struct, frozen=True, omit_defaults=True):
    """A published table of instructions beside this machine. `unit`: `cycles` or `ns` an instruction, or `us`: of a function whose instructions were exchanged, where ours is a kernel over that of the first row."""

    title: str
    unit: str
    cores: tuple[str, ...]
    rows: tuple[InstructionLine, ...]
    notes: tuple[str, ...] = ()


class BarGroup(msgspec.Struct, frozen=True):
    """Rows of tables, by label, that stand together in a chart."""

    label: str
    rows: tuple[str, ...]


class PublishedBars(msgspec.Struct, frozen=True, omit_defaults=True):
    """A bar chart of the page, drawn from the rows of its tables."""

    title: str
    groups: tuple[BarGroup, ...]
    note: str = ""


class PublishedFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Figures of the page that no run has beside them, as printed: a label and a value for each column. `where`: the command that shows ours."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    where: str = ""
    notes: tuple[str, ...] = ()


class Beside(msgspec.Struct, frozen=True, omit_defaults=True):
    """A published page and this run. `nearest`: number of the platform that is likest to this machine, which disagreements are ranked by. `reference_us`: the publication's reference test on this machine, None where it was not run. `instructions`: its tables of instructions; `bars`: its charts; `facts`: what else it prints."""

    title: str
    source: str
    conditions: str
    notes: tuple[str, ...]
    platforms: tuple[PublishedPlatform, ...]
    tables: tuple[PublishedTables, ...]
    nearest: Int = 0
    reference_us: Float | None = None
    instructions: tuple[InstructionTables, ...] = ()
    bars: tuple[PublishedBars, ...] = ()
    facts: tuple[PublishedFacts, ...] = ()
