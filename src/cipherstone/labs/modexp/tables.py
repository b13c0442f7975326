# SPDX-License-Identifier: Apache-2.0
"""Tables of the modexp laboratory: as published, what stands behind each row, beside libraries, limb sizes, moduli, compilers, arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.catalogue.published_tables import Published
from cipherstone.labs.modexp.names import REDUCTIONS
from cipherstone.labs.modexp.results import (
    PRIVATE,
    PUBLIC,
    Compilers,
    ModexpRow,
    best_by_build,
    competing,
    first_of,
    in_order,
    leading,
    modulus_bits,
    over,
    row_of,
    rows_of,
    title_of,
    with_crt,
)
from cipherstone.labs.modexp.results import PublicationLine as Line
from cipherstone.model.ids import Lane, variant_of
from cipherstone.model.summary import CaseSummary
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.grid import RunView, reason_of
from cipherstone.report.blocks.room_page import (
    NO_FIGURE,
    bytes_item,
    count_item,
    lane_words,
    ratio_item,
    stack_item,
    time_item,
)
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.words.numbers import ratio_text, time_text
from cipherstone.report.words.sentences import some_words, tie_words
from cipherstone.views.run.leaders import standing_of

ROW_HEAD = (
    "case", "lane", "title", "outcome", "ns_per_call", "ns_low", "ns_high", "factor", "factor_low", "factor_high", "memory_bytes", "memory_kind", "memory_factor",
    "mul", "sqr", "red", "limb_mul", "table_bytes", "key_bytes", "stack_bytes", "code_bytes", "leak", "published_ms", "published_factor", "published_memory_bytes",
    "published_memory_factor", "factor_over_published", "memory_factor_over_published",
)  # fmt: skip


def csv_row(case: str, row: ModexpRow) -> tuple[object, ...]:
    """A row in the columns of `ROW_HEAD`."""
    ns = (row.ns.value, row.ns.low, row.ns.high) if row.ns is not None else (None,) * 3
    factor = (row.factor.value, row.factor.low, row.factor.high) if row.factor is not None else (None,) * 3
    theirs = row.published
    printed = (
        (theirs.time_ms, theirs.factor, theirs.memory_bytes, theirs.memory_factor)
        if theirs is not None
        else (None,) * 4
    )
    return (
        case, row.lane, row.title, str(row.outcome), *ns, *factor, row.memory_bytes, row.memory_kind, row.memory_factor, row.mul, row.sqr, row.red, row.limb_mul,
        row.table_bytes, row.key_bytes, row.stack_bytes, row.code_bytes, row.leak, *printed, row.factor_ratio, row.memory_ratio,
    )  # fmt: skip


def rows_csv(case: str, rows: Sequence[ModexpRow]) -> str:
    """CSV of rows of one case."""
    return csv_text(ROW_HEAD, (csv_row(case, row) for row in rows))


def case_words(case: CaseSummary) -> str:
    """`2048 bits with CRT, private`."""
    way = "public exponent 65537" if case.verb == PUBLIC else "private"
    crt = (" with CRT" if with_crt(case.case) else " without CRT") if case.verb == PRIVATE else ""
    return f"{modulus_bits(case.case)} bits{crt}, {way}"


def publication_table(lines: Sequence[Line], with_theirs: bool) -> Table:
    """Time, factor, memory, factor; beside them the published four and the ratio of the time factors."""
    head = ["algorithm", "time", "x", "memory", "x"]
    if with_theirs:
        head += ["published", "x there", "x/x", "memory there", "x there"]
    rows = []
    for line in lines:
        ours, theirs = line.ours, line.theirs
        row = [item(line.title)]
        if ours is None:
            row += [item("not run"), *(item(NO_FIGURE) for _ in range(3))]
        else:
            row += [
                time_item(ours.ns, "no figure" if ours.outcome.timed else str(ours.outcome)),
                ratio_item(ours.factor),
                bytes_item(ours.memory_bytes, exact=True),
                ratio_item(ours.memory_factor),
            ]
        if with_theirs and theirs is None:
            row += [item("none"), *(item(NO_FIGURE) for _ in range(4))]
        elif with_theirs and theirs is not None:
            row += [
                item(f"{theirs.time_ms:.2f} ms", theirs.time_ms),
                ratio_item(theirs.factor),
                ratio_item(ours.factor_ratio if ours is not None else None),
                bytes_item(theirs.memory_bytes, exact=True),
                ratio_item(theirs.memory_factor),
            ]
        rows.append(tuple(row))
    return Table("as-published", tuple(head), tuple(rows))


def published_csv(lines: Sequence[Line], case: str) -> str:
    """The same as CSV, with published rows that were not measured."""
    out: list[tuple[object, ...]] = []
    for line in lines:
        if line.ours is not None:
            out.append(csv_row(case, line.ours))
        elif line.theirs is not None:
            theirs = line.theirs
            empty: list[object] = [None] * len(ROW_HEAD)
            empty[0], empty[2], empty[3] = case, line.title, "not-run"
            place = ROW_HEAD.index("published_ms")
            empty[place : place + 4] = [theirs.time_ms, theirs.factor, theirs.memory_bytes, theirs.memory_factor]
            out.append(tuple(empty))
    return csv_text(ROW_HEAD, out)


def others_figure(published: Published, footer: str) -> Figure | None:
    """The shorter tables of the same source as printed, and the gains that its text states; None without any."""
    if not published.other:
        return None
    lines = [(one.title, row) for one in published.other for row in one.row]
    table = Table(
        "published-others",
        ("compiler", "algorithm", "time", "x", "memory", "x"),
        tuple(
            (
                item(title),
                item(title_of(row.key)),
                item(f"{row.time_ms:.2f} ms", row.time_ms),
                ratio_item(row.factor),
                bytes_item(row.memory_bytes, exact=True),
                ratio_item(row.memory_factor),
            )
            for title, row in lines
        ),
        words=2,
    )
    head = ("compiler", "row", "time_ms", "factor", "memory_bytes", "memory_factor")
    data = ((t, row.key, row.time_ms, row.factor, row.memory_bytes, row.memory_factor) for t, row in lines)
    return Figure(
        "lab-publication-others",
        "What did the publication have with other compilers?",
        table,
        csv_text(head, data),
        footer=footer,
        notes=["As printed, of the same machine as the table above."],
        remarks=claim_lines(published),
        whole=True,
    )


def claim_lines(published: Published) -> list[str]:
    """A sentence for each gain that the text states: whether its own times give it."""
    told = []
    for claim in published.claim:
        gain = published.gain(claim)
        right = round(gain, 1) == claim.percent
        told.append(
            f"Its text gives {claim.percent:.1f} % for {claim.what}: {'right' if right else f'wrong, its times give {gain:.1f} %'}."
        )
    return told


def counts_figure(case: CaseSummary, footer: str) -> Figure | None:
    """What stands behind each row: operations, table, stack, code, what leaks."""
    rows = [r for r in rows_of(case) if r.method is not None]
    if not any(r.mul is not None for r in rows):
        return None
    head = ("lane", "mul", "sqr", "red", "limb products", "table", "arena", "key", "stack", "code", "leaks")
    table = Table(
        "counts",
        head,
        tuple(
            (
                item(Lane.parse(r.lane).implementation),
                count_item(r.mul),
                count_item(r.sqr),
                count_item(r.red),
                count_item(r.limb_mul),
                bytes_item(r.table_bytes),
                bytes_item(r.memory_bytes, exact=True),
                bytes_item(r.key_bytes),
                stack_item(r.stack_bytes),
                bytes_item(r.code_bytes),
                item(r.leak or "not said"),
            )
            for r in rows
        ),
        tail=1,
    )
    constant = sum(r.leak.startswith("constant-time") for r in rows)
    return Figure(
        "lab-counts",
        f"What does one call do, {case_words(case)}?",
        table,
        rows_csv(case.case, rows),
        answer=f"{constant} of {len(rows)} rows are meant to run in constant time; the label says what the others leak.",
        footer=footer,
        notes=[
            "mul, sqr, red: modular multiplications, squarings, and reductions that are counted apart. Limb products: single multiplications of two limbs.",
            "Table: the window's table, part of the arena. Key: constants of the modulus, kept beside it. Code: the functions that the row names, from the symbol table; what was inlined is in its callers.",
            "The label is by construction: evidence of constant time is not part of this run.",
        ],
        folded=True,
    )


def libraries_figure(view: RunView, case: CaseSummary, footer: str) -> Figure | None:
    """Libraries' own exponentiations beside our best row of each reduction; None without a library in the case."""
    rows = rows_of(case)
    others = [r for r in rows if r.method is None]
    if not any(r.ns is not None for r in others):
        return None
    ours = _best_of_each(case, rows)
    best = first_of(case, ours)
    cells = {c.lane: c for c in competing(case)}
    shown = in_order(case, [*ours, *others])
    reference = cells[best.lane] if best is not None else None
    lines = []
    for row in shown:
        lane = Lane.parse(row.lane)
        title = f"{row.title}, {row.method.limb_bits} bits" if row.method is not None else lane_words(view, row.lane)
        kind = f" {row.memory_kind}" if row.memory_kind == "heap" else ""
        memory = bytes_item(row.memory_bytes, exact=row.memory_kind == "arena")
        lines.append(
            (
                Item(title, None, lane.library),
                time_item(row.ns, row.why_not),
                ratio_item(over(cells[row.lane], reference) if reference is not None else None),
                Item(memory.text + kind, memory.number),
                stack_item(row.stack_bytes),
                item(row.leak or "not said"),
            )
        )
    return Figure(
        "lab-libraries-" + anchor_of(case),
        f"How do libraries stand beside it, {case_words(case)}?",
        Table(
            "libraries-" + anchor_of(case), ("lane", "time", "x ours", "memory", "stack", "leaks"), tuple(lines), tail=1
        ),
        rows_csv(case.case, shown),
        answer=_libraries_answer(view, case, shown, best),
        timed=case.timed,
        footer=footer,
        notes=[
            "x ours: its time over that of our best row. Memory of ours is the arena; of a library, marked heap, what it holds between calls plus the peak of one call, without its stack."
        ],
    )


def _libraries_answer(view: RunView, case: CaseSummary, shown: Sequence[ModexpRow], best: ModexpRow | None) -> str:
    lead = leading(case, shown)
    if not lead or lead[0].ns is None:
        return ""
    names = {r.lane: r.title if r.method is not None else lane_words(view, r.lane) for r in lead}
    found = standing_of(case, [r.lane for r in shown])
    text = f"{some_words(list(names.values()))}: {tie_words(found, list(names), names.__getitem__)}"
    if len(lead) == 1:
        text = f"{names[lead[0].lane]} is fastest, {time_text(lead[0].ns)}"
    ratio = found.estimate(best.lane, lead[0].lane) if best is not None and best.lane not in names else None
    if best is None or ratio is None:
        return text + "."
    than = "" if len(lead) == 1 else f" as {names[lead[0].lane]}"
    return f"{text}; our best row, {best.title}, takes {ratio_text(ratio)} times as long{than}."


def _best_of_each(case: CaseSummary, rows: Sequence[ModexpRow]) -> list[ModexpRow]:
    """Our row of each reduction that stands first in the ranking, over all limb sizes and builds."""
    best: dict[str, ModexpRow] = {}
    for row in in_order(case, rows):
        if row.method is not None and row.ns is not None:
            best.setdefault(row.method.reduction, row)
    return list(best.values())


def limbs_figure(case: CaseSummary, footer: str) -> Figure | None:
    """Reductions down, limb sizes across: the best row of each; None with one limb size of portable C only."""
    rows = [r for r in rows_of(case) if r.method is not None and r.ns is not None]
    limbs = sorted({r.method.limb_bits for r in rows if r.method is not None})
    if len({r.method.limb_bits for r in rows if r.method is not None and r.method.is_portable}) < 2:
        return None
    lead = leading(case, rows)
    lines = []
    for reduction, title in REDUCTIONS.items():
        line = [item(title)]
        for limb in limbs:
            mine = [r for r in rows if r.method and r.method.reduction == reduction and r.method.limb_bits == limb]
            row = first_of(case, mine)
            exponentiation = row.method.exponentiation if row is not None and row.method is not None else ""
            text = f"{time_text(row.ns)} ({exponentiation})" if row is not None and row.ns is not None else NO_FIGURE
            line.append(item(text, row.ns.value if row is not None and row.ns is not None else None))
        if any(cell.number is not None for cell in line[1:]):
            lines.append(tuple(line))
    answer = ""
    if lead and lead[0].ns is not None:
        names = {r.lane: f"{r.title} with {r.method.limb_bits}-bit limbs" for r in lead if r.method is not None}
        answer = f"Fastest: {some_words(list(names.values()))}, {time_text(lead[0].ns)}"
        answer += f"; {tie_words(standing_of(case, names), list(names), names.__getitem__)}." if len(names) > 1 else "."
    return Figure(
        "lab-limbs-" + anchor_of(case),
        f"What do limb size and reduction cost, {case_words(case)}?",
        Table("limbs-" + anchor_of(case), ("reduction", *(f"{limb} bits" for limb in limbs)), tuple(lines)),
        rows_csv(case.case, rows),
        answer=answer,
        footer=footer,
        notes=["Each place shows the row of its reduction and limb size that stands first, and which it is."],
    )


def sizes_figure(cases: Sequence[CaseSummary], footer: str) -> Figure | None:
    """Best row of ours and of each other library by modulus; None with one modulus only."""
    if len({modulus_bits(c.case) for c in cases}) < 2:
        return None
    ordered = sorted(cases, key=lambda c: (not with_crt(c.case), modulus_bits(c.case)))
    lines, data = [], []
    for case in ordered:
        rows = [r for r in rows_of(case) if r.ns is not None]
        ours = first_of(case, (r for r in rows if r.method is not None))
        theirs = first_of(case, (r for r in rows if r.method is None))
        portable = first_of(case, (r for r in rows if r.method is not None and r.method.is_portable))
        cells = {c.lane: c for c in case.cells}
        ratio = over(cells[ours.lane], cells[theirs.lane]) if ours is not None and theirs is not None else None
        lines.append(
            (
                item(case_words(case).removesuffix(", private"), modulus_bits(case.case)),
                _named(portable),
                _named(ours),
                _named(theirs),
                ratio_item(ratio),
            )
        )
        data += [csv_row(case.case, row) for row in rows]
    return Figure(
        "lab-sizes",
        "How does it grow with the modulus?",
        Table("sizes", ("modulus", "our portable best", "our best", "best library", "ours/theirs"), tuple(lines)),
        csv_text(ROW_HEAD, data),
        footer=footer,
        notes=[
            "Twice the bits without CRT is about eight times the work: twice the operations of four times the size."
        ],
    )


def _named(row: ModexpRow | None) -> Item:
    if row is None or row.ns is None:
        return item(NO_FIGURE)
    lane = Lane.parse(row.lane)
    name = lane.implementation if row.method is not None else lane.label
    return Item(f"{time_text(row.ns)} {name}", row.ns.value, lane.library)


def arithmetic_figure(view: RunView, cases: Sequence[CaseSummary], footer: str) -> Figure | None:
    """Operations down, builds across: the best time of each."""
    if not cases:
        return None
    builds = [b for b in view.columns if any(b in best_by_build(c) for c in cases)]
    lines, data = [], []
    for case in cases:
        best = best_by_build(case)
        lead = next(iter(best.values()), None)
        line = [item(view.case_title(case))]
        for build in builds:
            cell = best.get(build)
            if cell is None or cell.ns is None:
                line.append(item(NO_FIGURE))
            else:
                ratio = over(cell, lead) if lead is not None else None
                text = f" {ratio_text(ratio)}x" if ratio is not None else ""
                line.append(item(time_text(cell.ns) + text, cell.ns.value))
        lines.append(tuple(line))
        data += [csv_row(case.case, row_of(case, cell)) for cell in competing(case)]
    return Figure(
        "lab-arithmetic",
        "What do the single operations cost?",
        Table("arithmetic", ("operation", *(view.build_title(b) for b in builds)), tuple(lines)),
        csv_text(ROW_HEAD, data),
        footer=footer,
        notes=["A time, and how many times that of the first of the ranking. A library with several implementations stands with the first of them."],
    )  # fmt: skip


def compilers_figure(view: RunView, found: Compilers, footer: str) -> Figure:
    """Rows of the laboratory down, compilers and flags across: times the best of the row."""
    lines = []
    wins: dict[str, int] = {}
    ties = 0
    for name, cells in found.rows:
        own = standing_of(found.case, [c.lane for c in cells if c is not None])
        ties += own.tied
        line = [item(name)]
        for build, cell in zip(found.builds, cells, strict=True):
            if cell is None or cell.ns is None or own.first is None:
                line.append(item(reason_of(found.case, cell) if cell is not None else NO_FIGURE))
                continue
            ratio = own.estimate(cell.lane, own.first)
            first = cell.lane == own.first
            text = time_text(cell.ns) if first else "no ratio" if ratio is None else f"{ratio_text(ratio)}x"
            line.append(item(f"= {text}" if own.tied and cell.lane in own.leaders else text, cell.ns.value))
            wins[build] = wins.get(build, 0) + (first and not own.tied)
        lines.append(tuple(line))
    answer = _wins_words(wins, ties, len(lines))
    rows = [row_of(found.case, c) for _, cells in found.rows for c in cells if c is not None]
    return Figure(
        "lab-compilers-" + anchor_of(found.case),
        f"What do compiler and flags do, {case_words(found.case)}?",
        Table("compilers-" + anchor_of(found.case), ("row", *(_flags(b) for b in found.builds)), tuple(lines)),
        rows_csv(found.case.case, rows),
        answer=answer,
        footer=footer,
        notes=[
            "The first of a row stands with its time, the others with their cost over it; = marks those that are not shown to be slower than the first, by 1 % or more."
        ],
    )


def _wins_words(wins: dict[str, int], ties: int, rows: int) -> str:
    """In how many rows which builds are fastest."""
    most = max(wins.values(), default=0)
    tied = f"{ties} {'is a tie' if ties == 1 else 'are ties'}" if ties else ""
    if not most:
        return f"Of {rows} rows {tied}." if tied else ""
    names = [_flags(build) for build in wins if wins[build] == most]
    each = "each " if len(names) > 1 else ""
    return f"{some_words(names)} {'is' if len(names) == 1 else 'are'} fastest in {each}{most} of {rows} rows{'; ' + tied if tied else ''}."


def _flags(build: str) -> str:
    """`gcc-O3` of `1.0+gcc-O3`."""
    return variant_of(build) or build


def anchor_of(case: CaseSummary) -> str:
    """Letters, digits and `-` of its id."""
    return "".join(c if c.isalnum() else "-" for c in case.case)
