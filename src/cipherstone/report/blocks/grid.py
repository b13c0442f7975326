# SPDX-License-Identifier: Apache-2.0
"""From a run's summary to what is shown: headline cases, one column a build, the state of every cell in a word."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane, variant_of, version_of
from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.records import Build
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, FitSummary, RatioSummary, RunSummary
from cipherstone.model.units import format_size
from cipherstone.report.words.properties import property_words
from cipherstone.views.run.leaders import by_rank, tied_builds

USUAL_SIZE = 16384  # the size wanted where a run's cases do not agree on one
MOST_CARDS = 8
MOST_FASTER = 2  # implementations by name under a cell; the section of implementations has all
FAMILY_TITLES = {
    "hash": "Hash functions",
    "mac": "Message authentication",
    "kdf": "Key derivation and passwords",
    "cipher": "Encryption without authentication",
    "aead": "Authenticated encryption",
    "dh": "Key agreement",
    "sig": "Signatures",
    "kem": "Key encapsulation",
    "pke": "Public-key encryption",
    "random": "Random bytes",
    "keys": "Import of keys",
    "x509": "Certificates",
    "bignum": "Modular arithmetic",
}
# Words for a cell without a figure: state -> (word, what it means). `value` is the only state with a figure.
STATES = {
    "unsupported": ("unsupported", "the library does not offer this"),
    "unavailable": ("unavailable", "the library has it, but not on this CPU or in this build"),
    "wrong": ("wrong", "it computed a wrong result, so it was not timed"),
    "crashed": ("crashed", "the process ended while it worked"),
    "timed-out": ("timed out", "no answer in time"),
    "contended": ("contended", "something else used the core; too few undisturbed batches"),
    "withheld": ("withheld", "measured, but the figures are too few or too uncertain to publish"),
    "processes": ("processes", "timed as whole processes alone"),
    "not-run": ("not run", "not part of this run"),
}
# Marks behind a figure whose lane deviates from its standard, and what they mean; the sentences with the vectors stand under the tables.
MARKS = {
    Outcome.LAX: ("\u2020", "accepts what its standard forbids, though no forgery"),
    Outcome.STRICT: ("\u2021", "refuses a valid input that does not occur by chance"),
}
UNSETTLED = 0  # instead of the number of a group
# Which state speaks for a build whose lanes all have no figure.
_LOUDEST = ("wrong", "crashed", "timed-out", "contended", "withheld", "processes", "unavailable", "unsupported")

# The way back rarely changes who wins; it gets no card of its own unless the suite asks.
_INVERSE_VERBS = frozenset(("decrypt", "open", "private-decrypt"))


def state_of(case: CaseSummary, cell: CellSummary) -> str:
    """`value`, or the key in `STATES` that says why there is no figure."""
    if not cell.outcome.timed:
        return str(cell.outcome)
    if cell.ns is not None and not cell.refused:
        return "value"  # whatever its ratio to a base without a figure is
    if case.end == CaseEnd.PROCESSES:
        return "processes"
    verdicts = {r.verdict for r in (*case.to_best, *case.to_base) if r.lane == cell.lane}
    if Verdict.CONTENDED in verdicts or case.end == CaseEnd.CONTENDED:
        return "contended"
    return "withheld"


def reason_of(case: CaseSummary, cell: CellSummary) -> str:
    """Why there is no figure, in words; "" if there is one."""
    state = state_of(case, cell)
    return "" if state == "value" else cell.refused or cell.detail or STATES[state][1]


def marks_of(cell: CellSummary) -> str:
    """The marks of a lax or strict cell, "" of any other."""
    outcomes = {one.outcome for one in cell.deviations}
    return "".join(mark for outcome, (mark, _) in MARKS.items() if outcome in outcomes)


def steadiness(cell: CellSummary) -> list[str]:
    """Words for a lane that runs at two speeds, or whose time moved during the run."""
    two, drifts = bool(cell.levels or "bimodal" in cell.flags), "drift" in cell.flags
    return [word for word, seen in zip(STEADINESS, (two, drifts), strict=True) if seen]


# Words of `steadiness`, and what they mean to a reader of the figure.
STEADINESS = {
    "two speeds": "it runs at two speeds; both are given with the figure",
    "drifting": "its time moved steadily during the run",
}


@dataclass(frozen=True)
class Faster:
    """A named implementation that is faster than its library's own choice. `ratio`: cost over the best of the case; `properties`: what is known of it, in words."""

    lane: str
    ratio: Estimate | None
    properties: str

    @property
    def implementation(self) -> str:
        """Its name."""
        return Lane.parse(self.lane).implementation


@dataclass(frozen=True)
class GridCell:
    """One build in one case. `cell` is the build's `default`, what a user gets; the first lane in the ranking (or the one that speaks for it) of a build that has none here; None if it was not in the run.

    `ratio`: cost over the best of the case. `best`: in the first group; `tied`: that group has a lane of another build.
    `others`: lanes of the same build in this case beside this one. `troubled`: of them, those with a wrong result or a crash.
    `faster`: of them, those that the ranking puts before it, the fastest first; all that have a time if it has none.
    """

    build: str
    state: str
    cell: CellSummary | None = None
    ratio: Estimate | None = None
    best: bool = False
    tied: bool = False
    others: int = 0
    troubled: int = 0
    faster: tuple[Faster, ...] = ()

    @property
    def two_speeds(self) -> bool:
        """Whether the lane that stands here runs at one of two speeds."""
        return self.cell is not None and bool(self.cell.levels)

    @property
    def steadiness(self) -> list[str]:
        """`two speeds`, `drifting`: what of its passes a reader of the figure must know."""
        return steadiness(self.cell) if self.cell is not None else []

    @property
    def marks(self) -> str:
        """Marks of the lane that stands here, if it is lax or strict."""
        return marks_of(self.cell) if self.cell is not None else ""

    @property
    def implementation(self) -> str:
        """Name of the implementation, or "" where the library chooses."""
        if self.cell is None:
            return ""
        name = Lane.parse(self.cell.lane).implementation
        return "" if name == DEFAULT_IMPLEMENTATION else name


class RunView:
    """Indexes over one run. Figures are taken from the summary, never computed anew, but for scaling to a unit."""

    def __init__(self, run: RunSummary) -> None:
        self.run = run
        self.builds: dict[str, Build] = {f"{b.library}@{b.build}": b for b in run.manifest.builds}
        self.cases: dict[str, CaseSummary] = {c.case: c for c in run.cases}

    @cached_property
    def columns(self) -> list[str]:
        """Build ids, sorted by library and version; those without a build record come from the lanes."""
        seen = {Lane.parse(cell.lane).build_id for case in self.run.cases for cell in case.cells}
        return sorted(seen | set(self.builds))

    @cached_property
    def libraries(self) -> list[str]:
        """Library ids, sorted; those that are counted alone among them."""
        builds = [*self.columns, *(one.build for one in self.run.counted if not one.problem)]
        return sorted({build.partition("@")[0] for build in builds})

    def library_title(self, library: str) -> str:
        """`Mbed TLS` for `mbedtls`; the id itself if no build says more."""
        titles = {b.build: b.title for b in self.run.manifest.builds if b.library == library and b.title}
        plain = next((title for build, title in titles.items() if "+" not in build), "")
        return plain or next((title.partition(", ")[0] for title in titles.values()), library)

    def build_title(self, build_id: str) -> str:
        """`OpenSSL`; where several builds of one library are in the run, with the version, or the build's own title: `OpenSSL 3.0.19`, `OpenSSL, 3.6 without assembly`."""
        library, _, build = build_id.partition("@")
        mine = [c.partition("@")[2] for c in self.columns if c.partition("@")[0] == library]
        if len(mine) == 1:
            return self.library_title(library)
        version, variant = version_of(build), variant_of(build)
        title = self.library_title(library)
        if not variant:
            return f"{title} {version}"
        own = self.builds[build_id].title if build_id in self.builds else ""
        return own if own and own != title else f"{title}, {variant}"

    def variant(self, build_id: str) -> int:
        """Number of a build among the columns of its library, from 0: what tells builds apart that share a colour and a marker."""
        library = build_id.partition("@")[0]
        mine = [c for c in self.columns if c.partition("@")[0] == library]
        return mine.index(build_id) if build_id in mine else 0

    def lane_variant(self, lane_id: str) -> int:
        """`variant` of a lane's build."""
        return self.variant(Lane.parse(lane_id).build_id)

    def lane_title(self, lane_id: str) -> str:
        """`OpenSSL`, `BearSSL aes_ct64`."""
        lane = Lane.parse(lane_id)
        title = self.build_title(lane.build_id)
        if lane.implementation != DEFAULT_IMPLEMENTATION:
            title += f" {lane.implementation}"
        return title + (" (again)" if lane.twin else "")

    def case_title(self, case: CaseSummary) -> str:
        """`AES-128-GCM seal, 16 KiB`."""
        return case.title if case.size_bytes is None else f"{case.title}, {format_size(case.size_bytes)}"

    @cached_property
    def headline(self) -> list[CaseSummary]:
        """One case an operation, in the order of the run: the size that most operations share, or the nearest to it."""
        sized = Counter(c.size_bytes for c in self.run.cases if c.size_bytes is not None)
        top = max(sized.values(), default=0)
        candidates = [size for size, count in sized.items() if count == top and size]
        wanted = min(candidates, key=lambda s: abs(math.log(s / USUAL_SIZE)), default=USUAL_SIZE)
        chosen: dict[str, CaseSummary] = {}
        for case in self.run.cases:
            held = chosen.get(case.operation)
            if held is None or _distance(case, wanted) < _distance(held, wanted):
                chosen[case.operation] = case
        return list(chosen.values())

    def families(self, cases: Iterable[CaseSummary]) -> list[tuple[str, list[CaseSummary]]]:
        """(title, cases) by family, in the order in which the run names them."""
        grouped: dict[str, list[CaseSummary]] = defaultdict(list)
        for case in cases:
            grouped[case.family].append(case)
        return [(FAMILY_TITLES.get(family, family.capitalize()), members) for family, members in grouped.items()]

    def sizes_of(self, operation: str) -> list[CaseSummary]:
        """The cases of an operation that have a size, smallest first."""
        cases = [c for c in self.run.cases if c.operation == operation and c.size_bytes is not None]
        return sorted(cases, key=lambda c: c.size_bytes or 0)

    def fits_of(self, operation: str) -> list[FitSummary]:
        """Line fits of an operation, a lane each."""
        return [f for f in self.run.fits if f.operation == operation]

    def ratios(self, case: CaseSummary) -> dict[str, RatioSummary]:
        """Lane id -> its cost over the best."""
        return {r.lane: r for r in case.to_best}

    def grid_cell(self, case: CaseSummary, build_id: str) -> GridCell:
        """What the grid shows for `build_id` in `case`."""
        cells = [c for c in case.cells if Lane.parse(c.lane).build_id == build_id and not Lane.parse(c.lane).twin]
        if not cells:
            return GridCell(build_id, "not-run")
        states = {c.lane: state_of(case, c) for c in cells}
        troubled = sum(s in ("wrong", "crashed", "timed-out") for s in states.values())
        timed = by_rank(case, [c for c in cells if states[c.lane] == "value"])
        chosen = next((c for c in cells if Lane.parse(c.lane).implementation == DEFAULT_IMPLEMENTATION), None)
        if chosen is None and timed:
            chosen = timed[0]
        cell = chosen or min(cells, key=lambda c: _LOUDEST.index(states[c.lane]))
        faster = self._faster(case, cell, timed)
        troubled -= states[cell.lane] in ("wrong", "crashed", "timed-out")
        if states[cell.lane] != "value":
            return GridCell(build_id, states[cell.lane], cell, others=len(cells) - 1, troubled=troubled, faster=faster)
        first = case.ranking[0] if case.ranking else ()
        found = self.ratios(case).get(cell.lane)
        ratio = found.ratio if found is not None else None
        best = cell.lane in first
        tied = best and tied_builds(first, cell.lane)
        return GridCell(build_id, "value", cell, ratio, best, tied, len(cells) - 1, troubled, faster)

    def _faster(self, case: CaseSummary, cell: CellSummary, timed: Sequence[CellSummary]) -> tuple[Faster, ...]:
        """Of `timed`, fastest first: those of an earlier group of the ranking than `cell`, or all if it has no time."""
        groups = {lane: number for number, group in enumerate(case.ranking) for lane in group}
        last = len(case.ranking)
        mine = groups.get(cell.lane, last)
        ratios = self.ratios(case)
        return tuple(
            Faster(c.lane, found.ratio if (found := ratios.get(c.lane)) else None, property_words(c.properties))
            for c in timed
            if c.lane != cell.lane and groups.get(c.lane, last) < mine
        )

    def grid_row(self, case: CaseSummary) -> list[GridCell]:
        """A cell a column."""
        return [self.grid_cell(case, column) for column in self.columns]

    def ranked(self, case: CaseSummary) -> list[tuple[int, CellSummary]]:
        """(group number from 1, cell) in the order of the ranking; then timed cells that the ranking leaves out, because nothing is settled of them, as `UNSETTLED`."""
        cells = {c.lane: c for c in case.cells}
        rows = [(i, cells[lane]) for i, group in enumerate(case.ranking, 1) for lane in group if lane in cells]
        seen = {cell.lane for _, cell in rows}
        rest = [c for c in case.cells if c.lane not in seen and state_of(case, c) == "value" and not _is_twin(c.lane)]
        return rows + [(UNSETTLED, c) for c in by_rank(case, rest)]

    def without_figure(self, case: CaseSummary) -> list[CellSummary]:
        """Cells of the case that have no figure, the loudest first."""
        rows = [c for c in case.cells if state_of(case, c) != "value" and not _is_twin(c.lane)]
        return sorted(rows, key=lambda c: (_LOUDEST.index(state_of(case, c)), c.lane))

    @cached_property
    def several_implementations(self) -> list[tuple[str, list[tuple[CaseSummary, list[CellSummary]]]]]:
        """(build, [(headline case, its timed cells)]) for builds that offer more than one implementation of an operation."""
        found = []
        for column in self.columns:
            rows = []
            for case in self.headline:
                cells = [c for _, c in self.ranked(case) if Lane.parse(c.lane).build_id == column]
                if len(cells) > 1:
                    rows.append((case, cells))
            if rows:
                found.append((column, rows))
        return found

    def cards(self, cards: Sequence[tuple[str, str]]) -> list[tuple[str, CaseSummary]]:
        """(question, case): the suite's, where their case is in the run; else the headline case of each family's first operations."""
        asked = [(question, self.cases[case]) for question, case in cards if case in self.cases]
        if asked:
            return asked[:MOST_CARDS]
        chosen = {(c.family, c.verb): c for c in reversed(self.headline) if c.ranking and c.verb not in _INVERSE_VERBS}
        return [(self.case_title(c), c) for c in self.headline if c in chosen.values()][:MOST_CARDS]


def _distance(case: CaseSummary, wanted: int) -> float:
    return 0.0 if case.size_bytes is None else abs(math.log(max(1, case.size_bytes) / wanted))


def _is_twin(lane: str) -> bool:
    return Lane.parse(lane).twin
