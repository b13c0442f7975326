# SPDX-License-Identifier: Apache-2.0
"""The sections of the page after the first screen: sizes, implementations inside a library, first call, noise."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane
from cipherstone.model.summary import CaseSummary, CellSummary, Crossover, Estimate, FitSummary
from cipherstone.model.units import counted, format_rate, format_size, format_time, significant
from cipherstone.report.blocks.figure import Figure, Note, Sketchbook, lane_dots, lane_item
from cipherstone.report.blocks.grid import STATES, RunView, state_of
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.charts import vega_lite as charts
from cipherstone.report.charts.curves import curves
from cipherstone.report.charts.rows import dots
from cipherstone.report.charts.svg import draw
from cipherstone.report.words.numbers import (
    cycles_text,
    percent_text,
    rate_text,
    ratio_text,
    stack_text,
    supported_digits,
)
from cipherstone.report.words.properties import property_words
from cipherstone.report.words.sentences import crossover_sentence, short_noise_words, sizes_words

FEWEST_SIZES = 3  # below, there is no curve
MOST_TOLD = 3  # changes of places in words; more are counted


def _named(lane: str, view: RunView) -> Item:
    parsed = Lane.parse(lane)
    return Item(view.lane_title(lane), None, parsed.library, variant=view.variant(parsed.build_id))


def size_figures(view: RunView, book: Sketchbook, footer: str) -> list[Figure]:
    """One figure an operation that was measured at three sizes or more: curves, crossovers, overhead and rate."""
    figures = []
    for headline in view.headline:
        cases = view.sizes_of(headline.operation)
        if len(cases) < FEWEST_SIZES:
            continue
        question = f"How does {headline.title} depend on the size?"
        name = "sizes-" + "".join(c if c.isalnum() else "-" for c in headline.operation)
        shown = [g.cell.lane for g in view.grid_row(headline) if g.state == "value" and g.cell is not None]
        crossings = [x for x in view.run.crossovers if x.operation == headline.operation]
        lines = _lines(view, cases, shown)
        svgs = _curves(view, book, cases, lines, crossings, question)
        notes = _changes_of_places(view, lines, cases, crossings)
        data = [case.case for case in cases]
        figures.append(
            Figure(
                name, question, _fit_table(view, view.fits_of(headline.operation), name), data, svgs, answer=sizes_words(view, cases), timed=headline.timed, footer=footer, notes=notes,
                more=_size_table(view, cases, f"{name}-all"), search=f"{headline.title} {headline.case}",
            )
        )  # fmt: skip
    return figures


@dataclass(frozen=True)
class _Lines:
    """What the charts of an operation draw: lanes, and a curve for each."""

    lanes: list[str]
    rates: list[charts.Curve]


def _lines(view: RunView, cases: list[CaseSummary], shown: list[str]) -> _Lines:
    found = _Lines(shown, [])
    for lane in shown:
        cells = [
            (case.size_bytes or 0, c)
            for case in cases
            for c in case.cells
            if c.lane == lane and state_of(case, c) == "value"
        ]
        own = Lane.parse(lane)
        rates = tuple((n, _inverse(c.ns, n * 1e3)) for n, c in cells if c.ns is not None)
        variant = view.variant(own.build_id)
        found.rates.append(charts.Curve(view.lane_title(lane), own.library, rates, lane, cases[0].operation, variant))
    return found


def _changes_of_places(view: RunView, lines: _Lines, cases: list[CaseSummary], crossings: list[Crossover]) -> list[str]:
    """Changes of the lead in words, the other ones and lines that cross without a finding as numbers; that no lines cross, if none do: all of the very values that are drawn."""
    shown = lines.lanes
    drawn = [x for x in crossings if x.small in shown and x.large in shown]
    named = _leading(view, cases, drawn)[:MOST_TOLD]
    notes: list[str] = [Note.of(crossover_sentence(view, x) + ".", (x.small, x.large)) for x in named]
    told = {frozenset((x.small, x.large)) for x in drawn}
    if more := len(drawn) - len(named):
        words = "1 other pair of lines changes" if more == 1 else f"{more} other pairs of lines change"
        notes.append(f"{words} places, most of them behind the fastest.")
    crossed = {frozenset((shown[i], shown[j])) for i, j, _, _ in charts.crossing_lines(lines.rates)} - told
    if crossed:
        words = "1 pair of lines crosses" if len(crossed) == 1 else f"{len(crossed)} pairs of lines cross"
        notes.append(f"{words} by less than this run can tell: no change of places.")
    if not notes and len(shown) > 1:
        notes.append("No two of the lines drawn cross between the sizes measured.")
    apart = [x for x in crossings if x not in drawn]
    notes += [
        Note.of(f"{crossover_sentence(view, x)}; not both are drawn.", (x.small, x.large)) for x in apart[:MOST_TOLD]
    ]
    if len(apart) > MOST_TOLD:
        notes.append(f"{len(apart) - MOST_TOLD} more changes of places are of lines of which not both are drawn.")
    return notes


def _curves(
    view: RunView,
    book: Sketchbook,
    cases: list[CaseSummary],
    lines: _Lines,
    crossings: list[Crossover],
    question: str,
) -> list[str]:
    marks = [
        charts.CrossingLabel(
            x.size_bytes,
            f"{view.lane_title(x.large)} from {significant(x.size_bytes, 2)} B up",
            tuple(sorted({Lane.parse(x.small).library, Lane.parse(x.large).library})),
        )
        for x in _leading(view, cases, [x for x in crossings if x.small in lines.lanes and x.large in lines.lanes])
    ]
    svgs: list[str] = []
    if any(c.points for c in lines.rates):
        svgs += book.keep("sizes", lambda: curves(lines.rates, view.libraries, question, "MB/s (up is better)", marks))
    return svgs


def _leading(view: RunView, cases: list[CaseSummary], crossings: list[Crossover]) -> list[Crossover]:
    """Crossovers at which the lead changes, first; the others only if there is none."""
    first = {case.size_bytes: set(case.ranking[0]) for case in cases if case.ranking}
    lead = [x for x in crossings if x.large in first.get(x.above_bytes, ()) and x.small in first.get(x.below_bytes, ())]
    return lead or [x for x in crossings if x.large in first.get(x.above_bytes, ())] or crossings


def _inverse(ns: Estimate, scale: float) -> Estimate:
    return Estimate(scale / ns.value, scale / ns.high if ns.high else None, scale / ns.low if ns.low else None)


def _fit_table(view: RunView, fits: list[FitSummary], name: str) -> Table:
    head = ("library", "overhead of a call", "rate beyond it", "half of the time at", "line misses by")
    rows = []
    for fit in fits:
        overhead = item("not given")
        if fit.overhead_ns is not None:
            value = fit.overhead_ns.value
            overhead = item(format_time(value, supported_digits(fit.overhead_ns)) if value > 0 else "none seen", value)
        rate = item(f"withheld: {fit.withheld}" if fit.withheld else "not given")
        if fit.per_byte_ns is not None and not fit.withheld:
            rate = item(
                format_rate(fit.per_byte_ns.value, 1, supported_digits(fit.per_byte_ns)), 1 / fit.per_byte_ns.value
            )
        half = item("not given")
        if fit.half_size_bytes is not None and fit.half_size_bytes > 0:
            half = item(f"{significant(fit.half_size_bytes, 2)} B", fit.half_size_bytes)
        rows.append(
            (
                _named(fit.lane, view),
                overhead,
                rate,
                half,
                item(percent_text(fit.rms_relative_error), fit.rms_relative_error),
            )
        )
    return Table(name, head, tuple(rows))  # fmt: skip


def _size_table(view: RunView, cases: list[CaseSummary], name: str) -> Table:
    lanes = list(dict.fromkeys(c.lane for case in cases for c in case.cells if not Lane.parse(c.lane).twin))
    rows = []
    for lane in sorted(lanes):
        line = [_named(lane, view)]
        for case in cases:
            cell = next((c for c in case.cells if c.lane == lane), None)
            state = "not-run" if cell is None else state_of(case, cell)
            if cell is None or cell.ns is None or state != "value":
                line.append(item(STATES[state][0]))
                continue
            cycles = f" ({cycles_text(cell.cycles, case.size_bytes)} c/B)" if cell.cycles is not None else ""
            line.append(item(rate_text(cell.ns, case.size_bytes) + cycles, 1 / cell.ns.value))
        rows.append(tuple(line))
    return Table(name, ("library", *(format_size(c.size_bytes or 0) for c in cases)), tuple(rows))


def implementation_figures(view: RunView, book: Sketchbook, footer: str) -> list[Figure]:
    """One figure a library with several implementations: small charts, one an operation, all on one axis."""
    figures = []
    for build, groups in view.several_implementations:
        title = view.build_title(build)
        all_rows = [dot for case, cells in groups for dot in lane_dots(view, case, [(0, c) for c in cells])]
        domain = charts.ratio_domain(all_rows)
        svgs: list[str] = []
        notes = []
        for case, cells in groups:
            rows = [
                replace(dot, label=_implementation(c))
                for c, dot in zip(cells, lane_dots(view, case, [(0, c) for c in cells]), strict=True)
            ]
            name = f"{title}: {view.case_title(case)}"
            drawn = book.keep("implementations", partial(dots, rows, view.libraries, name, domain))
            svgs += [f"{svg}\n" for svg in drawn]
            notes.append(view.case_title(case) if drawn else "")
        name = "impl-" + "".join(c if c.isalnum() else "-" for c in build)
        data = [case.case for case, _ in groups]
        figures.append(
            Figure(
                name,
                f"Which implementation inside {title} is fastest, and how far from the best library?",
                _implementation_table(view, groups, name),
                data,
                svgs,
                _first_of_most(groups),
                footer=footer,
                notes=[n for n in notes if n],
            )
        )
    return figures  # fmt: skip


def _first_of_most(groups: list[tuple[CaseSummary, list[CellSummary]]]) -> str:
    """`aes_x86ni is first in the ranking in 6 of 9 operations.`"""
    (name, count), *_ = Counter(_implementation(cells[0]) for _, cells in groups).most_common(1)
    if len(groups) == 1:
        return f"{name} is first in the ranking."
    return f"{name} is first in the ranking in {count} of {counted(len(groups), 'operation')}."


def _implementation(cell: CellSummary) -> str:
    name = Lane.parse(cell.lane).implementation
    return "the library's choice" if name == DEFAULT_IMPLEMENTATION else name


def _implementation_table(view: RunView, groups: list[tuple[CaseSummary, list[CellSummary]]], name: str) -> Table:
    rows = []
    for case, cells in groups:
        ratios = view.ratios(case)
        for cell in cells:
            found = ratios.get(cell.lane)
            ratio = found.ratio if found is not None else None
            stack = cell.memory.stack_bytes if cell.memory is not None else None
            rows.append(
                (
                    item(view.case_title(case)),
                    Item(_implementation(cell), None, Lane.parse(cell.lane).library, lane_item(view, case, cell).link),
                    item(ratio_text(ratio), ratio.value) if ratio is not None else item("no ratio"),
                    item(rate_text(cell.ns, case.size_bytes), 1 / cell.ns.value)
                    if cell.ns is not None
                    else item("withheld"),
                    item(cycles_text(cell.cycles, case.size_bytes), cell.cycles.value)
                    if cell.cycles is not None
                    else item("not given"),
                    item("unknown") if stack is None else item(stack_text(stack), stack),
                    item(property_words(cell.properties) or "nothing"),
                )
            )
    return Table(name, ("operation", "implementation", "cost against the best library", "rate", "cycles per byte or call", "stack", "known of it"), tuple(rows), 2)  # fmt: skip


def noise_figure(view: RunView, footer: str) -> Figure:
    """Was the machine quiet: probe IPC of every pass over the run, and the figures of the noise line one by one."""
    noise, settings = view.run.noise, view.run.manifest.settings
    question = "Was the machine quiet while this was measured?"
    svgs = []
    if noise.ipc_by_pass:
        drawn = draw(charts.noise(noise.ipc_by_pass, noise.ipc_reference, settings.clean_threshold), question)
        svgs = [drawn] if drawn else []

    def number(value: float | None, text: str) -> str:
        return "this machine cannot tell" if value is None else text

    def share(value: float | None) -> str:
        return number(value, percent_text(value) if value is not None else "")

    def plain(value: float | None, unit: str = "") -> str:
        return number(value, significant(value, 3) + unit if value is not None else "")

    rows = [
        ("batches disturbed", share(noise.disturbed_ratio), "another program used the core before or after; not counted"),
        ("passes complete", f"{noise.passes_valid} of {noise.passes_tried}", "every library had enough undisturbed batches"),
        ("waited for a free core", format_time(noise.waited_s * 1e9) if noise.waited_s else "no", "by looking, inside the passes"),
        ("measured on CPU", ", ".join(map(str, noise.cpus)) or "not pinned", "the freest one of those allowed"),
        ("probe IPC, median", plain(noise.ipc_median), "instructions per cycle of a loop that a neighbour on the same core slows down"),
        ("probe IPC, undisturbed", plain(noise.ipc_reference), f"reference from: {view.run.manifest.ipc_reference_from or 'this run'}"),
        ("core clock, lowest", plain(noise.ghz_low, " GHz"), "seen by a chain of dependent additions"),
        ("core clock, highest", plain(noise.ghz_high, " GHz"), "seen by a chain of dependent additions"),
        ("slow batches", share(noise.slow_batches_ratio), "more than 1.2 times their floor"),
        ("involuntary switches a batch", plain(noise.nivcsw_per_batch), "how often another process took the CPU"),
        ("steal time", share(noise.steal_ratio), "CPU time that the host gave to others"),
        ("wall time over CPU time", plain(noise.wall_over_cpu), "1 means that nothing else ran in between"),
        ("load, 1 minute", plain(noise.load_1min), "1 is this measurement itself"),
        ("A/A offset, median", share(noise.aa_offset_median), "a library against itself: what this run cannot see below"),
        ("A/A half-width, median", share(noise.aa_halfwidth_median), "how well that is known"),
        ("A/A offset, worst", share(noise.aa_worst), "of all cases"),
        ("A/A verdicts that are false", f"{noise.aa_false_positives} of {noise.aa_cases}", "a library called faster than itself"),
        ("cost of the empty call", plain(noise.harness_ns, " ns"), "what the instrument adds to each call"),
        ("time inside timed batches", share(noise.timed_share), "of the measuring time"),
        ("multiply over add latency", plain(noise.imul_ratio), "3.00 means that the clock probe may be believed"),
    ]  # fmt: skip
    table = Table("noise", ("what", "seen", "meaning"), tuple(tuple(item(t) for t in row) for row in rows), 3)
    data = csv_text(("start_s", "ipc"), noise.ipc_by_pass)
    return Figure("noise", question, table, data, svgs, f"{short_noise_words(noise)}.", footer=footer)
