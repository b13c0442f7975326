# SPDX-License-Identifier: Apache-2.0
"""Tables of the modexp laboratory: as published, what stands behind each row, beside libraries, limb sizes, moduli, compilers, arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.catalogue.published import Published
from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary, CellSummary
from cipherstone.report.figure import Figure
from cipherstone.report.figures import ratio_text, time_text
from cipherstone.report.grid import RunView, reason_of
from cipherstone.report.lab_page import NO_FIGURE, bytes_item, count_item, lane_words, ratio_item, time_item
from cipherstone.report.tables import Item, Table, csv_text, item
from cipherstone.views.modexp import (
    Compilers,
    ModexpRow,
    best_by_build,
    competing,
    fastest,
    modulus_bits,
    over,
    row_of,
    rows_of,
    with_crt,
)
from cipherstone.views.modexp import PublicationLine as Line
from cipherstone.views.modexp_names import REDUCTIONS

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
    way = "public exponent 65537" if case.verb == "modexp-public" else "private"
    crt = (" with CRT" if with_crt(case.case) else " without CRT") if case.verb == "modexp-private" else ""
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
                item(f"{theirs.time_ms:.1f} ms", theirs.time_ms),
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


def other_tables(published: Published) -> list[str]:
    """A sentence for each shorter table of the same source."""
    sentences = []
    for other in published.other:
        base = other.times_ms.get(published.baseline)
        parts = [f"{key} {ms:g} ms" + (f" ({base / ms:.2f}x)" if base else "") for key, ms in other.times_ms.items()]
        sentences.append(f"The same source, {other.title}: {', '.join(parts)}.")
    return sentences


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
                bytes_item(r.stack_bytes),
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
    ours = _best_of_each(rows)
    best = fastest(ours)
    cells = {c.lane: c for c in competing(case)}
    shown = sorted([*ours, *others], key=lambda r: (r.ns is None, r.ns.value if r.ns is not None else 0.0))
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
                bytes_item(row.stack_bytes),
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
        answer=_libraries_answer(view, shown, best, cells),
        timed=case.timed,
        footer=footer,
        notes=[
            "x ours: its time over that of our best row. Memory of ours is the arena; of a library, marked heap, what it holds between calls plus the peak of one call, without its stack."
        ],
    )


def _libraries_answer(
    view: RunView, shown: Sequence[ModexpRow], best: ModexpRow | None, cells: dict[str, CellSummary]
) -> str:
    first = shown[0]
    if first.ns is None:
        return ""
    name = first.title if first.method is not None else lane_words(view, first.lane)
    text = f"{name} is fastest, {time_text(first.ns)}"
    if best is None or best.lane == first.lane:
        return text + "."
    ratio = over(cells[best.lane], cells[first.lane])
    return (
        f"{text}; our best row, {best.title}, takes {ratio_text(ratio)} times as long." if ratio is not None else text
    )


def _best_of_each(rows: Sequence[ModexpRow]) -> list[ModexpRow]:
    """Our fastest row of each reduction, over all limb sizes and builds."""
    best: dict[str, ModexpRow] = {}
    for row in rows:
        if row.method is None or row.ns is None:
            continue
        held = best.get(row.method.reduction)
        if held is None or held.ns is None or row.ns.value < held.ns.value:
            best[row.method.reduction] = row
    return list(best.values())


def limbs_figure(case: CaseSummary, footer: str) -> Figure | None:
    """Reductions down, limb sizes across: the best row of each; None with one limb size of portable C only."""
    rows = [r for r in rows_of(case) if r.method is not None and r.ns is not None]
    limbs = sorted({r.method.limb_bits for r in rows if r.method is not None})
    if len({r.method.limb_bits for r in rows if r.method is not None and r.method.is_portable}) < 2:
        return None
    best = fastest(rows)
    lines = []
    for reduction, title in REDUCTIONS.items():
        line = [item(title)]
        for limb in limbs:
            mine = [r for r in rows if r.method and r.method.reduction == reduction and r.method.limb_bits == limb]
            row = fastest(mine)
            exponentiation = row.method.exponentiation if row is not None and row.method is not None else ""
            text = f"{time_text(row.ns)} ({exponentiation})" if row is not None and row.ns is not None else NO_FIGURE
            line.append(item(text, row.ns.value if row is not None and row.ns is not None else None))
        if any(cell.number is not None for cell in line[1:]):
            lines.append(tuple(line))
    answer = ""
    if best is not None and best.method is not None and best.ns is not None:
        answer = f"Fastest: {best.title} with {best.method.limb_bits}-bit limbs, {time_text(best.ns)}."
    return Figure(
        "lab-limbs-" + anchor_of(case),
        f"What do limb size and reduction cost, {case_words(case)}?",
        Table("limbs-" + anchor_of(case), ("reduction", *(f"{limb} bits" for limb in limbs)), tuple(lines)),
        rows_csv(case.case, rows),
        answer=answer,
        footer=footer,
        notes=["Each place shows the fastest row of its reduction and limb size, and which it is."],
    )


def sizes_figure(cases: Sequence[CaseSummary], footer: str) -> Figure | None:
    """Best row of ours and of each other library by modulus; None with one modulus only."""
    if len({modulus_bits(c.case) for c in cases}) < 2:
        return None
    ordered = sorted(cases, key=lambda c: (not with_crt(c.case), modulus_bits(c.case)))
    lines, data = [], []
    for case in ordered:
        rows = [r for r in rows_of(case) if r.ns is not None]
        ours, theirs = fastest(r for r in rows if r.method is not None), fastest(r for r in rows if r.method is None)
        portable = fastest(r for r in rows if r.method is not None and r.method.is_portable)
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
    builds = [b for b in view.columns if any(b in best_by_build(competing(c)) for c in cases)]
    lines, data = [], []
    for case in cases:
        best = best_by_build(competing(case))
        lead = min((c.ns.value for c in best.values() if c.ns is not None), default=0.0)
        line = [item(view.case_title(case))]
        for build in builds:
            cell = best.get(build)
            if cell is None or cell.ns is None:
                line.append(item(NO_FIGURE))
            else:
                line.append(item(f"{time_text(cell.ns)} {cell.ns.value / lead:.1f}x", cell.ns.value))
        lines.append(tuple(line))
        data += [csv_row(case.case, row_of(case, cell)) for cell in competing(case)]
    return Figure(
        "lab-arithmetic",
        "What do the single operations cost?",
        Table("arithmetic", ("operation", *(view.build_title(b) for b in builds)), tuple(lines)),
        csv_text(ROW_HEAD, data),
        footer=footer,
        notes=["A time, and how many times that of the best here. A library with several implementations stands with its fastest."],
    )  # fmt: skip


def compilers_figure(view: RunView, found: Compilers, footer: str) -> Figure:
    """Rows of the laboratory down, compilers and flags across: times the best of the row."""
    lines = []
    wins: dict[str, int] = {}
    for name, cells in found.rows:
        timed = [c for c in cells if c is not None and c.ns is not None]
        best = min(timed, key=lambda c: c.ns.value if c.ns is not None else 0.0) if timed else None
        line = [item(name)]
        for build, cell in zip(found.builds, cells, strict=True):
            if cell is None or cell.ns is None or best is None:
                line.append(item(reason_of(found.case, cell) if cell is not None else NO_FIGURE))
                continue
            ratio = over(cell, best)
            text = time_text(cell.ns) if cell is best or ratio is None else f"{ratio_text(ratio)}x"
            line.append(item(text, cell.ns.value))
            wins[build] = wins.get(build, 0) + (cell is best)
        lines.append(tuple(line))
    best_build = max(wins, key=lambda b: wins[b]) if wins else ""
    answer = f"{_flags(best_build)} is fastest in {wins[best_build]} of {len(lines)} rows." if best_build else ""
    rows = [row_of(found.case, c) for _, cells in found.rows for c in cells if c is not None]
    return Figure(
        "lab-compilers-" + anchor_of(found.case),
        f"What do compiler and flags do, {case_words(found.case)}?",
        Table("compilers-" + anchor_of(found.case), ("row", *(_flags(b) for b in found.builds)), tuple(lines)),
        rows_csv(found.case.case, rows),
        answer=answer,
        footer=footer,
        notes=["The best of a row stands with its time, the others with their cost over it."],
    )


def _flags(build: str) -> str:
    """`gcc-O3` of `1.0+gcc-O3`."""
    return build.partition("+")[2] or build


def anchor_of(case: CaseSummary) -> str:
    """Letters, digits and `-` of its id."""
    return "".join(c if c.isalnum() else "-" for c in case.case)
