# SPDX-License-Identifier: Apache-2.0
"""The page of the modexp laboratory: the table as published, time against memory, the cost model, and where libraries stand."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.catalogue.published_tables import Published
from cipherstone.labs.modexp.cards import modexp_cards
from cipherstone.labs.modexp.costmodel import COSTS, CostModel, cost_models, leading_model
from cipherstone.labs.modexp.names import LAB, REDUCTIONS
from cipherstone.labs.modexp.results import (
    PRIVATE,
    PUBLIC,
    ModexpRow,
    PortableRow,
    arithmetic,
    compilers,
    lab_builds,
    over,
    pareto,
    portable,
    private_cases,
    publication,
    published_gains,
    rows_of,
)
from cipherstone.labs.modexp.tables import (
    anchor_of,
    arithmetic_figure,
    case_words,
    compilers_figure,
    counts_figure,
    libraries_figure,
    limbs_figure,
    others_figure,
    publication_table,
    published_csv,
    rows_csv,
    sizes_figure,
)
from cipherstone.model.ids import Lane, variant_of
from cipherstone.model.summary import CaseSummary
from cipherstone.model.units import format_time
from cipherstone.report.blocks.figure import Figure, Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import (
    LabPage,
    LabSection,
    bits_words,
    bytes_item,
    lane_words,
    ratio_item,
    time_item,
)
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.charts.measures import MemoryPoint, WindowPoint, errors, time_memory, windows
from cipherstone.report.charts.rows import dots
from cipherstone.report.charts.vega_lite import Dot
from cipherstone.report.words.numbers import bytes_text, interval_text, percent_text, ratio_text, time_text
from cipherstone.report.words.sentences import some_words, tie_words
from cipherstone.views.run.leaders import standing_of

NOT_FITTED = "table read in constant time"


def modexp_page(view: RunView, book: Sketchbook, published: Published, footer: str) -> LabPage | None:
    """The page; None if the run has no row of the laboratory."""
    cases = private_cases(view.run)
    if not cases:
        return None
    main = next((c for c in cases if c.case == published.case), cases[0])
    models = cost_models(main)
    exponentiations = [c for c in view.run.cases if c.verb in (PRIVATE, PUBLIC)]
    sections = [
        LabSection(
            "lab-table",
            "Table",
            "The table, as published",
            "Every way of exponentiation, in time and in working memory. x is a factor against Basic, fast: above 1 it is faster, or needs more memory. "
            "The published figures are of another machine: only the factors compare.",
            _only(
                _publication_figure(main, published, footer),
                others_figure(published, footer) if main.case == published.case else None,
                counts_figure(main, footer),
            ),
        ),
        LabSection(
            "lab-pareto",
            "Time and memory",
            "What does speed cost in memory?",
            "Left is less memory, down is less time. The line joins what more memory buys: each row on it is faster than the one before. Every other row needs at least as much memory as one on the line, and is not faster than it.",
            _only(_pareto_figure(main, book, footer)),
        ),
        LabSection(
            "lab-model",
            "Cost model",
            "Does counting explain the time?",
            "Each row's time from its operation counts and one fitted cost for a multiplication, a squaring and a reduction. Lines are predicted, dots measured.",
            _only(*_model_figures(main, models, book, footer)),
        ),
        LabSection(
            "lab-portable",
            "Portable C",
            "Is the portable C as fast as that of libraries?",
            "Builds without assembly and without intrinsics only: our best row, OpenSSL and Mbed TLS without assembly, LibTomMath, BearSSL.",
            _only(*(_portable_figure(view, c, book, footer) for c in exponentiations)),
        ),
        LabSection(
            "lab-libraries",
            "Libraries",
            "Libraries' own exponentiations",
            "All that libraries offer, assembly included, beside the best row of each of our reductions.",
            _only(*(libraries_figure(view, c, footer) for c in exponentiations)),
        ),
        LabSection(
            "lab-limbs",
            "Limbs and sizes",
            "Limb sizes, moduli, single operations",
            "The same algorithms over smaller limbs, other moduli, and what the operations cost that they are made of.",
            _only(
                *(limbs_figure(c, footer) for c in cases),
                sizes_figure(cases, footer),
                arithmetic_figure(view, arithmetic(view.run), footer),
            ),
        ),
        LabSection(
            "lab-compilers",
            "Compilers",
            "Compilers",
            "The same source, built by other compilers and with other flags.",
            [compilers_figure(view, found, footer) for found in compilers(view.run)],
        ),
    ]
    return LabPage(
        "Which exponentiation is fastest here, and what does it need?",
        modexp_cards(view, main, models, exponentiations, published),
        [s for s in sections if s.figures],
    )


def _only(*figures: Figure | None) -> list[Figure]:
    return [f for f in figures if f is not None]


def _publication_figure(case: CaseSummary, published: Published, footer: str) -> Figure | None:
    lines = publication(case, published)
    if not lines:
        return None
    beside = case.case == published.case
    gains = published_gains(lines)
    answer = ""
    if gains is not None:
        answer = f"Against Basic, fast, our rows gain {gains.least:.2f} to {gains.most:.2f} times what the published ones gain (median {gains.median:.2f})."
    notes = [
        f"Ours: build {lab_builds(case)[0]}, 64-bit limbs, a fixed arena by exact accounting. x: time of Basic, fast over this time; memory over that of Basic, fast. x/x: our x of the time over the published one."
    ]
    remarks = []
    if beside:
        remarks = [f"Published: {published.title}. {published.conditions}. Source: {published.source}."]
        remarks += [f"Known about the published table: {note}" for note in published.note]
    return Figure(
        "lab-publication",
        f"Which exponentiation is fastest, {case_words(case)}?",
        publication_table(lines, beside),
        published_csv(lines, case.case),
        answer=answer,
        timed=case.timed,
        footer=footer,
        notes=notes,
        remarks=remarks,
        whole=beside,
    )


def _pareto_figure(case: CaseSummary, book: Sketchbook, footer: str) -> Figure | None:
    builds = lab_builds(case)
    rows = [r for r in rows_of(case) if r.method is not None and Lane.parse(r.lane).build == builds[0]]
    known = [r for r in rows if r.ns is not None and r.memory_bytes]
    front = pareto(case, (r for r in known if r.method is not None and r.method.is_portable))
    if len(front) < 2:
        return None
    on_front = {r.lane for r in front}
    places = [
        MemoryPoint(r.method.exponentiation, REDUCTIONS[r.method.reduction], r.memory_bytes, r.ns, r.lane in on_front)
        for r in known
        if r.method is not None and r.ns is not None and r.memory_bytes is not None
    ]
    kinds = [k for k in REDUCTIONS.values() if any(p.kind == k for p in places)]
    question = f"What does speed cost in memory, {case_words(case)}?"
    small, fast = front[0], front[-1]
    answer = ""
    cells = {c.lane: c for c in case.cells}
    gain = over(cells[small.lane], cells[fast.lane])
    if gain is not None and small.memory_bytes and fast.memory_bytes:
        answer = (
            f"From {bytes_text(small.memory_bytes)} ({_short(small)}) to {bytes_text(fast.memory_bytes)} ({_short(fast)}): "
            f"{fast.memory_bytes / small.memory_bytes:.1f} times the memory buys {ratio_text(gain)} times the speed."
        )
    table = Table(
        "pareto",
        ("row of the front", "memory", "time", "x", "window's table"),
        tuple(
            (
                item(_short(r)),
                bytes_item(r.memory_bytes, exact=True),
                time_item(r.ns),
                ratio_item(r.factor),
                bytes_item(r.table_bytes),
            )
            for r in front
        ),
    )
    return Figure(
        "lab-pareto-plot",
        question,
        table,
        rows_csv(case.case, known),
        book.draw("labs", time_memory(places, kinds), question),
        answer=answer,
        footer=footer,
        notes=[
            "Both axes are logarithmic; intervals are drawn, mostly shorter than their dot.",
            "The front is of our portable C: IFMA needs its instructions. Libraries are not drawn: heap and stack buffers are not accounted in the same way as an arena.",
        ],
    )


def _short(row: ModexpRow) -> str:
    """`mont-64-rm5`, the row's own name."""
    return Lane.parse(row.lane).implementation if row.method is not None else row.title


def _model_figures(case: CaseSummary, models: Sequence[CostModel], book: Sketchbook, footer: str) -> list[Figure]:
    """The windows chart and the table of models, then the error of every row."""
    if not models:
        return []
    most = max(m.limb_bits for m in models)
    build = models[0].build
    shown = [m for m in models if m.build == build and m.limb_bits == most]
    kinds = [REDUCTIONS[m.reduction] for m in shown]
    cells = {c.lane: c for c in case.cells}
    svgs: list[str] = []
    for form, words in (("fw", "fixed window (FW)"), ("rm", "sliding window (RM)")):
        points = [
            WindowPoint(REDUCTIONS[m.reduction], p.method.window, ns, p.predicted_ns)
            for m in shown
            for p in m.rows
            if p.fitted and p.method.form == form and p.method.window is not None
            for ns in [cells[p.lane].ns]
            if ns is not None
        ]
        if points:
            svgs += book.draw("labs", windows(points, kinds, words), f"Time over the window, {words}")
    worst = max((m for m in shown), key=lambda m: abs(m.worst))
    answer = (
        f"The model meets the {sum(len([p for p in m.rows if p.fitted]) for m in shown)} rows to within {percent_text(abs(worst.worst))}; "
        + _windows_words(case, shown)
    )
    table = Table(
        "cost-model",
        ("model", "best FW", "measured", "best RM", "measured", "worst", "R²", "mul", "sqr", "red", "start"),
        tuple(_model_line(m) for m in models),
    )
    main = Figure(
        "lab-windows",
        f"Which window is best, {case_words(case)}?",
        table,
        _model_csv(models),
        svgs,
        answer=answer,
        footer=footer,
        notes=[
            "Best windows: by the model (within 1 % of its best), and by the measurement (those that it does not tell from the first; a disturbed run needs more passes to tell them apart).",
            "mul, sqr, red, start: fitted cost of a multiplication, a squaring, a reduction that is counted apart, and of what a call does once; 'in others' where its cost cannot be separated from theirs.",
            "Rows that read their table in constant time (.ct) are predicted as if they read it plainly: the error is the price of that.",
        ],
    )
    rows = [
        (Lane.parse(p.lane).implementation, REDUCTIONS[m.reduction] if p.fitted else NOT_FITTED, p)
        for m in shown
        for p in m.rows
    ]
    question = f"How far is each row from its prediction, {case_words(case)}?"
    detail = Figure(
        "lab-model-errors",
        question,
        Table(
            "model-errors",
            ("row", "measured", "predicted", "error", "fitted"),
            tuple(
                (
                    item(name),
                    item(format_time(p.measured_ns, 3), p.measured_ns),
                    item(format_time(p.predicted_ns, 3), p.predicted_ns),
                    item(f"{p.error * 100:+.1f} %", p.error),
                    item("yes" if p.fitted else "no"),
                )
                for name, _, p in rows
            ),
        ),
        _model_csv(models),
        book.draw(
            "labs", errors([(kind, p.measured_ns, p.error) for _, kind, p in rows], [*kinds, NOT_FITTED]), question
        ),
        footer=footer,
        folded=True,
    )
    return [main, detail]


def _windows_words(case: CaseSummary, models: Sequence[CostModel]) -> str:
    lead = leading_model(case, models)
    parts = []
    for window in lead.windows:
        if window.predicted and window.measured:
            said = "the measurement agrees" if window.agree else f"measured {bits_words(window.measured)}"
            parts.append(f"{window.form.upper()} {bits_words(window.predicted)} bits ({said})")
    return (
        f"best windows for {REDUCTIONS[lead.reduction]}: {' and '.join(parts)}."
        if parts
        else "no windows were measured."
    )


def _model_line(model: CostModel) -> tuple[Item, ...]:
    costs = [item("in others") if c is None else item(format_time(c, 3), c) for c in model.unit_ns]
    windows_ = [item(bits_words(w) or "none") for best in model.windows for w in (best.predicted, best.measured)]
    build = variant_of(model.build)
    start, mul, sqr, red = costs
    return (
        item(f"{model.title}{', ' + build if build else ''}"),
        *windows_,
        item(f"{model.worst * 100:+.1f} %", abs(model.worst)),
        item(f"{model.r2:.4f}", model.r2),
        mul,
        sqr,
        red,
        start,
    )


def _model_csv(models: Sequence[CostModel]) -> str:
    head = ("case", "build", "reduction", "limb_bits", *(f"{name}_ns" for name in COSTS), "r2", "rms_error", "worst_error", "lane", "measured_ns", "predicted_ns", "error", "fitted")  # fmt: skip
    rows = [
        (m.case, m.build, m.reduction, m.limb_bits, *m.unit_ns, m.r2, m.rms, m.worst, p.lane, p.measured_ns, p.predicted_ns, p.error, p.fitted)
        for m in models
        for p in m.rows
    ]  # fmt: skip
    return csv_text(head, rows)


def _portable_figure(view: RunView, case: CaseSummary, book: Sketchbook, footer: str) -> Figure | None:
    rows = portable(case)
    if not rows:
        return None
    question = f"Whose portable C is fastest, {case_words(case)}?"
    name = "portable-" + anchor_of(case)
    chart = [Dot(lane_words(view, r.lane), Lane.parse(r.lane).library, r.to_best) for r in rows]
    table = Table(
        name,
        ("lane", "time", "over ours", "interval"),
        tuple(
            (
                Item(lane_words(view, r.lane), None, Lane.parse(r.lane).library),
                time_item(r.ns),
                ratio_item(r.to_ours),
                item(_interval(r)),
            )
            for r in rows
        ),
    )
    answer = _portable_answer(view, case, rows)
    lanes = {r.lane for r in rows}
    data = rows_csv(case.case, [r for r in rows_of(case) if r.lane in lanes])
    return Figure(
        "lab-" + name, question, table, data, book.keep("labs", lambda: dots(chart, view.libraries, question)), answer=answer, timed=case.timed, footer=footer
    )  # fmt: skip


def _portable_answer(view: RunView, case: CaseSummary, rows: Sequence[PortableRow]) -> str:
    lead = [r.lane for r in rows if r.leads]
    text = f"{some_words([lane_words(view, lane) for lane in lead])}, {time_text(rows[0].ns)}"
    if len(lead) > 1:
        text += f"; {tie_words(standing_of(case, lead), lead, lambda lane: lane_words(view, lane))}"
    mine = Lane.parse(lead[0]).library == LAB
    other = next((r for r in rows if not r.leads and (Lane.parse(r.lane).library == LAB) is not mine), None)
    if other is not None and other.to_best is not None:
        than = "" if len(lead) == 1 else f" as {lane_words(view, lead[0])}"
        text += f"; {'the next library, ' if mine else 'ours, '}{lane_words(view, other.lane)}, takes {ratio_text(other.to_best)} times as long{than}"
    return text + "."


def _interval(row: PortableRow) -> str:
    if row.to_ours is None:
        return "no interval"
    return "compared with" if row.to_ours.low == row.to_ours.high == 1.0 else interval_text(row.to_ours)
