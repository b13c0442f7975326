# SPDX-License-Identifier: Apache-2.0
"""The modexp laboratory as tables: what each way of exponentiation costs in time and memory, beside a published table and beside libraries."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import msgspec

from cipherstone.catalogue.published_tables import Published, PublishedRow
from cipherstone.labs.modexp.names import LAB, Method, is_row, method_of, published_keys, table_order
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary
from cipherstone.views.run.leaders import by_rank, standing_of
from cipherstone.views.run.pairs import case_pairs, paired_ratio

PRIVATE, PUBLIC = "private", "public"
# Verbs of the arithmetic family, in the order of the table.
ARITHMETIC = ("mod-add", "mod-mul", "montmul", "mod-sqr", "mod-inv", "mod-sqrt", "div-mod")


class ModexpRow(msgspec.Struct, frozen=True):
    """One lane in one case. What is not known is None; `leak` is "" then.

    `factor`: time of `basic-LIMB-fast` of the same build over this row's time, so more is faster (the publication's way); `memory_factor`: this row's memory over that
    row's. `memory_kind`: `arena` (exact accounting of a fixed arena) or `heap` (what a library holds between calls plus the peak of a call, without its stack).
    `key_bytes`: constants of the modulus, kept beside the arena. Counts are of one call: modular multiplications, squarings, reductions that are counted apart, products of single limbs.
    `factor_ratio`: our factor over the published one; `memory_ratio`: our memory factor over the published one.
    """

    lane: str
    title: str
    method: Method | None
    outcome: Outcome
    ns: Estimate | None
    why_not: str
    factor: Estimate | None
    memory_bytes: int | None
    memory_kind: str
    memory_factor: float | None
    mul: int | None
    sqr: int | None
    red: int | None
    limb_mul: int | None
    table_bytes: int | None
    key_bytes: int | None
    stack_bytes: int | None
    code_bytes: int | None
    leak: str
    published: PublishedRow | None = None
    factor_ratio: float | None = None
    memory_ratio: float | None = None


class PublicationLine(msgspec.Struct, frozen=True):
    """A line of the table as published: ours, theirs, or both."""

    key: str
    title: str
    ours: ModexpRow | None
    theirs: PublishedRow | None


def _count(facts: Mapping[str, int | str], key: str) -> int | None:
    value = facts.get(key)
    return value if isinstance(value, int) else None


def lab_cells(case: CaseSummary) -> list[CellSummary]:
    """Cells of the laboratory in a case, the A/A lane left out."""
    return [c for c in competing(case) if Lane.parse(c.lane).library == LAB]


def competing(case: CaseSummary) -> list[CellSummary]:
    """The cells of a case without its A/A lane."""
    return [c for c in case.cells if not Lane.parse(c.lane).twin]


def over(a: CellSummary, b: CellSummary) -> Estimate | None:
    """Cost of a over cost of b, paired by pass; None if no pass holds both."""
    return paired_ratio(a, b)


def memory_of(cell: CellSummary) -> tuple[int | None, str]:
    """(bytes, kind) of the working memory of a call."""
    arena = _count(cell.facts, "arena_bytes")
    if arena is not None:
        return arena, "arena"
    memory = cell.memory
    if memory is None or memory.held_bytes is None or memory.warm_peak_bytes is None:
        return None, ""
    return memory.held_bytes + memory.warm_peak_bytes, "heap"


def baseline(case: CaseSummary, cell: CellSummary) -> CellSummary | None:
    """`basic-LIMB-fast` of the same build and limb size (64 for the 52 of IFMA, which has no such row); None for a library's lane or where it was not measured."""
    lane, method = Lane.parse(cell.lane), method_of(cell)
    if method is None:
        return None
    wanted = Method("basic", 64 if method.limb_bits == 52 else method.limb_bits, "fast")
    mine = (c for c in lab_cells(case) if Lane.parse(c.lane).build == lane.build)
    return next((c for c in mine if method_of(c) == wanted), None)


def row_of(case: CaseSummary, cell: CellSummary, base: CellSummary | None = None) -> ModexpRow:
    """The row of one cell; `base`: what its factors refer to (default: `baseline`)."""
    lane, facts = Lane.parse(cell.lane), cell.facts
    method, reference = method_of(cell), base or baseline(case, cell)
    memory, kind = memory_of(cell)
    base_memory = memory_of(reference)[0] if reference is not None else None
    return ModexpRow(
        lane=cell.lane,
        title=method.title if method is not None else lane.label,
        method=method,
        outcome=cell.outcome,
        ns=cell.ns,
        why_not="" if cell.ns is not None else cell.refused or cell.detail or "no figure",
        factor=over(reference, cell) if reference is not None else None,
        memory_bytes=memory,
        memory_kind=kind,
        memory_factor=memory / base_memory if memory is not None and base_memory else None,
        mul=_count(facts, "mul"),
        sqr=_count(facts, "sqr"),
        red=_count(facts, "red"),
        limb_mul=_count(facts, "limb_mul"),
        table_bytes=_count(facts, "table_bytes"),
        key_bytes=_count(facts, "key_bytes"),
        stack_bytes=cell.memory.stack_bytes if cell.memory is not None else None,
        code_bytes=_count(facts, "code_bytes"),
        leak=str(facts.get("leak", "")),
    )


def rows_of(case: CaseSummary) -> list[ModexpRow]:
    """All rows of a case: the laboratory in the order of the published table, then libraries in that of the ranking, those without a figure last."""
    rows = [row_of(case, cell) for cell in competing(case)]
    ours = sorted((r for r in rows if r.method is not None), key=lambda r: (Lane.parse(r.lane).build, *_order(r)))
    # Of the laboratory's lanes, `default` is one of the rows again; a row that could not run told no facts, and stands by its name.
    silent = {c.lane for c in lab_cells(case) if is_row(Lane.parse(c.lane)) and not c.facts}
    others = [r for r in rows if r.outcome is not Outcome.UNSUPPORTED and (Lane.parse(r.lane).library != LAB or r.lane in silent)]  # fmt: skip
    return ours + in_order(case, others)


def in_order(case: CaseSummary, rows: Iterable[ModexpRow]) -> list[ModexpRow]:
    """Rows in the order of the case's ranking, those without a figure last."""
    mine = {row.lane: row for row in rows}
    ranked = [mine[cell.lane] for cell in by_rank(case, case.cells) if cell.lane in mine]
    return ranked + sorted((row for row in mine.values() if row.ns is None), key=lambda row: row.lane)


def leading(case: CaseSummary, rows: Iterable[ModexpRow]) -> list[ModexpRow]:
    """The rows that the method puts first of these: one, or several that it does not tell from the first. Empty without a figure."""
    mine = {row.lane: row for row in rows}
    return [mine[lane] for lane in standing_of(case, mine).leaders]


def first_of(case: CaseSummary, rows: Iterable[ModexpRow]) -> ModexpRow | None:
    """The one that stands for those that lead."""
    return next(iter(leading(case, rows)), None)


def _order(row: ModexpRow) -> tuple[int, int, int, int, int]:
    return table_order(row.method) if row.method is not None else (99, 0, 0, 0, 0)


def lab_builds(case: CaseSummary) -> list[str]:
    """Builds of the laboratory in a case, the one with most rows first."""
    counts: dict[str, int] = {}
    for cell in lab_cells(case):
        if is_row(Lane.parse(cell.lane)):
            counts[Lane.parse(cell.lane).build] = counts.get(Lane.parse(cell.lane).build, 0) + 1
    return sorted(counts, key=lambda build: -counts[build])


def private_cases(run: RunSummary) -> list[CaseSummary]:
    """Cases of a private exponentiation with rows of the laboratory, the most rows first."""
    cases = [c for c in run.cases if c.verb == PRIVATE and lab_builds(c)]
    return sorted(cases, key=lambda c: -len(lab_cells(c)))


def publication(case: CaseSummary, published: Published, limb_bits: int = 64) -> list[PublicationLine]:
    """The table as published, in its order, from the laboratory's main build; `ours` is None for a row that was not measured.

    Montgomery is our `mont` (product, squaring, reduction as three functions); where that was not measured, `cios`. The row that the publication lacks is put in.
    """
    builds = lab_builds(case)
    if not builds:
        return []
    by_key = _by_key(case, builds[0], limb_bits)
    same_case = case.case == published.case
    lines = []
    for key in published_keys(published):
        theirs = published.rows.get(key)
        ours = by_key.get(key) or by_key.get(key.replace("mont-", "cios-"))
        if ours is not None and theirs is not None and same_case:
            ours = _beside(ours, theirs)
        if ours is not None or theirs is not None:
            lines.append(PublicationLine(key, title_of(key), ours, theirs if same_case else None))
    return [line for line in lines if line.ours is not None or line.theirs is not None]


def title_of(key: str) -> str:
    """Of a published row."""
    reduction, _, exponentiation = key.partition("-")
    window = int(exponentiation[2:]) if exponentiation[:2] in ("fw", "rm") else None
    return Method(reduction, 64, exponentiation if window is None else exponentiation[:2], window).title


def _by_key(case: CaseSummary, build: str, limb_bits: int) -> dict[str, ModexpRow]:
    found = {}
    for cell in lab_cells(case):
        lane = Lane.parse(cell.lane)
        method = method_of(cell)
        if method is not None and lane.build == build and method.limb_bits == limb_bits and not method.constant_time:
            found[method.key] = row_of(case, cell)
    return found


def _beside(ours: ModexpRow, theirs: PublishedRow) -> ModexpRow:
    factor = ours.factor.value / theirs.factor if ours.factor is not None else None
    memory = ours.memory_factor / theirs.memory_factor if ours.memory_factor is not None else None
    return msgspec.structs.replace(ours, published=theirs, factor_ratio=factor, memory_ratio=memory)


class PublishedGains(msgspec.Struct, frozen=True):
    """Our gains over Basic, fast over the published ones, of `rows` rows: `median`, `least`, `most`. Figure and card show these."""

    median: float
    least: float
    most: float
    rows: int


def published_gains(lines: Iterable[PublicationLine]) -> PublishedGains | None:
    """None without a row that both have."""
    known = [line.ours.factor_ratio for line in lines if line.ours is not None and line.ours.factor_ratio is not None]
    return PublishedGains(statistics.median(known), min(known), max(known), len(known)) if known else None


def published_order(case: CaseSummary, lines: Sequence[PublicationLine]) -> bool | None:
    """Whether the reductions at their best stand in the published order: False if some pair is the other way round, None if some pair is not decided."""
    both = [line for line in lines if line.ours is not None and line.ours.ns is not None and line.theirs is not None]
    kinds = list(dict.fromkeys(line.key.partition("-")[0] for line in both))
    theirs = {kind: min(line.theirs.time_ms for line in both if line.theirs and line.key.startswith(f"{kind}-")) for kind in kinds}  # fmt: skip
    ours = {kind: first_of(case, [line.ours for line in both if line.ours and line.key.startswith(f"{kind}-")]) for kind in kinds}  # fmt: skip
    found = standing_of(case, [row.lane for row in ours.values() if row is not None])
    verdicts = [
        found.verdict(slow.lane, quick.lane)
        for i, j in combinations(sorted(kinds, key=lambda kind: theirs[kind]), 2)
        for quick, slow in [(ours[i], ours[j])]
        if quick is not None and slow is not None
    ]
    if Verdict.FASTER in verdicts:
        return False
    return True if all(one is Verdict.SLOWER for one in verdicts) else None


def pareto(case: CaseSummary, rows: Iterable[ModexpRow]) -> list[ModexpRow]:
    """What more memory buys, from little memory to much: each row told faster than the one before. A row that is not here needs at least as much memory as one that is and is not told faster than it."""
    known = [row for row in in_order(case, rows) if row.ns is not None and row.memory_bytes is not None]
    pairs = case_pairs(case)
    front: list[ModexpRow] = []
    for row in sorted(known, key=lambda row: row.memory_bytes or 0):
        if not front or pairs.verdict(row.lane, front[-1].lane) is Verdict.FASTER:
            front.append(row)
    return front


def is_portable(cell: CellSummary) -> bool:
    """Whether a lane is C without assembly and without intrinsics, as far as its build says.

    The laboratory but for its AVX-512 back end; OpenSSL and Mbed TLS in builds that say `noasm`; LibTomMath and BearSSL, which have no assembly for big numbers.
    """
    lane = Lane.parse(cell.lane)
    if lane.library == LAB:
        method = method_of(cell)
        return method is not None and method.is_portable
    if lane.library in ("libtommath", "bearssl"):
        return True
    return "noasm" in lane.variant.replace("+", "-").split("-")


class PortableRow(msgspec.Struct, frozen=True):
    """The first portable lane of a build. `to_ours`: its cost over the laboratory's first portable row, above 1 where ours is faster; `to_best`: over the first of all; `leads`: it is not told from that one."""

    lane: str
    ns: Estimate
    to_ours: Estimate | None
    to_best: Estimate | None
    leads: bool


def portable(case: CaseSummary) -> list[PortableRow]:
    """The portable C lane of each build that stands first in the ranking, in order; empty without one of the laboratory and one of a library."""
    best: dict[str, CellSummary] = {}
    for cell in by_rank(case, competing(case)):
        if is_portable(cell):
            best.setdefault(Lane.parse(cell.lane).build_id, cell)
    cells = {cell.lane: cell for cell in best.values()}
    found = standing_of(case, cells)
    libraries = {Lane.parse(lane).library: lane for lane in reversed(found.order)}
    if LAB not in libraries or len(libraries) < 2:
        return []
    ours, first = libraries[LAB], found.order[0]
    return [
        PortableRow(lane, ns, found.estimate(lane, ours), found.estimate(lane, first), lane in found.leaders)
        for lane in found.order
        if (ns := cells[lane].ns) is not None
    ]


class Compilers(msgspec.Struct, frozen=True):
    """Implementations of the laboratory by build: `rows[i]` holds, for each of `builds`, the cell or None."""

    case: CaseSummary
    builds: tuple[str, ...]
    rows: tuple[tuple[str, tuple[CellSummary | None, ...]], ...]


def compilers(run: RunSummary) -> list[Compilers]:
    """Cases in which an implementation of the laboratory was measured in two builds or more."""
    found = []
    for case in run.cases:
        cells: dict[str, dict[str, CellSummary]] = {}
        for cell in lab_cells(case):
            lane = Lane.parse(cell.lane)
            cells.setdefault(lane.implementation, {})[lane.build] = cell
        several = {name: by_build for name, by_build in cells.items() if len(by_build) > 1}
        builds = tuple(sorted({build for by_build in several.values() for build in by_build}))
        if several:
            rows = tuple((name, tuple(by.get(b) for b in builds)) for name, by in several.items())
            found.append(Compilers(case, builds, rows))
    return found


def arithmetic(run: RunSummary) -> list[CaseSummary]:
    """Cases of the arithmetic family, by size and in the order of `ARITHMETIC`."""
    cases = [c for c in run.cases if c.verb in ARITHMETIC and c.case.startswith("bignum/")]
    return sorted(cases, key=lambda c: (modulus_bits(c.case), ARITHMETIC.index(c.verb)))


def modulus_bits(case_id: str) -> int:
    """2048 for `modexp/private/bits=2048,crt=yes`; 0 for an operation that has no such parameter."""
    bits = Case.parse(case_id).param("bits") or ""
    return int(bits) if bits.isdecimal() else 0


def with_crt(case_id: str) -> bool:
    """Whether the private exponentiation of this case goes through both primes."""
    return Case.parse(case_id).param("crt") == "yes"


def best_by_build(case: CaseSummary) -> dict[str, CellSummary]:
    """The cell of each build that stands first in the ranking, in its order."""
    best: dict[str, CellSummary] = {}
    for cell in by_rank(case, competing(case)):
        best.setdefault(Lane.parse(cell.lane).build_id, cell)
    return best
