# SPDX-License-Identifier: Apache-2.0
"""Every cell's page: its figures, pass values, probes, build, proof and the command that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial

from cipherstone.catalogue.conditions import filter_terms
from cipherstone.model.deviations import means_words
from cipherstone.model.identity import code_text
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane
from cipherstone.model.summary import CaseSummary, CellSummary
from cipherstone.model.units import format_time, significant
from cipherstone.report.blocks.figure import Sketchbook, cell_anchor, energy_j
from cipherstone.report.blocks.grid import STATES, RunView, marks_of, reason_of, state_of
from cipherstone.report.charts.drawn import strip
from cipherstone.report.words.breadth import looked_words
from cipherstone.report.words.library import advisories_heading, advisories_of, lines_text
from cipherstone.report.words.numbers import (
    bytes_text,
    cycles_text,
    distribution_text,
    energy_text,
    interval_text,
    learning_text,
    rate_text,
    ratio_beside_interval,
    stack_text,
    time_and_range,
    time_text,
    two_speeds_text,
)
from cipherstone.report.words.properties import property_words
from cipherstone.report.words.sentences import FLAGS, answer, some_words
from cipherstone.stats.verdictwords import verdict_words


@dataclass
class CellPage:
    """One cell: `facts` are (name, text); its rows stand in the CSV of all cells, under `lane`."""

    anchor: str
    library: str
    title: str
    summary: str
    facts: list[tuple[str, str]]
    command: str
    lane: str


@dataclass
class CasePage:
    """A case with the strip of all its pass values, what the probes saw in it, and the pages of its cells."""

    case: str
    family: str
    anchor: str
    title: str
    timed: str
    svgs: list[str]
    cells: list[CellPage]
    search: str
    facts: list[tuple[str, str]]
    says: str


def cell_command(view: RunView, case: CaseSummary, cell: CellSummary) -> str:
    """The command that measures this cell again, beside the best of its case, because a time alone cannot be compared."""
    lane = Lane.parse(cell.lane)
    best = Lane.parse(case.ranking[0][0]) if case.ranking else lane
    libraries = sorted({lane.library, best.library})
    terms = filter_terms(case.operation) + ([f"bytes:{case.size_bytes}"] if case.size_bytes is not None else [])
    terms.append(f"library:{libraries[0]}" if len(libraries) == 1 else f"library:({' OR '.join(libraries)})")
    if lane.implementation != DEFAULT_IMPLEMENTATION or best.implementation != DEFAULT_IMPLEMENTATION:
        names = sorted({lane.implementation, best.implementation})
        terms.append(f"impl:{names[0]}" if len(names) == 1 else f"impl:({' OR '.join(names)})")
    return f"cipherstone run --filter {shlex.quote(' '.join(terms))}"


def case_pages(view: RunView, book: Sketchbook) -> list[CasePage]:
    """All cases of the run, in its order."""
    pages = []
    for case in view.run.cases:
        title = view.case_title(case)
        ordered = [cell for _, cell in view.ranked(case)] + view.without_figure(case)
        passes = [(view.lane_title(c.lane), Lane.parse(c.lane).library, c.pass_ns) for c in ordered if c.pass_ns]
        question = f"How steady were the passes of {title}?"
        svgs = book.keep("cells", partial(strip, passes, view.libraries, question)) if passes else []
        proofs = {fact for cell in ordered if cell.ns is not None for fact in _proof(cell)}
        shared = proofs if len(proofs) == 1 else set()
        cells = [_cell_page(view, case, cell, shared) for cell in ordered]
        anchor = "case-" + "".join(c if c.isalnum() else "-" for c in case.case)
        search = f"{title} {case.case}"
        pages.append(
            CasePage(
                case.case,
                case.family,
                anchor,
                title,
                case.timed,
                svgs,
                cells,
                search,
                [*_probes(view, case), *((f"{name} of every figure", text) for name, text in shared)],
                _says(view, case),
            )
        )
    return pages  # fmt: skip


def _says(view: RunView, case: CaseSummary) -> str:
    """`Libgcrypt and OpenSSL, 2.04 GB/s`: the line of the case's fold."""
    found = answer(view, case)
    return f"{some_words(found.winners)}, {found.rate}" if found.winners else "no winner"


def _cell_page(view: RunView, case: CaseSummary, cell: CellSummary, shared: Collection[tuple[str, str]]) -> CellPage:
    """`shared`: facts that the page of the case tells for all its cells."""
    state = state_of(case, cell)
    summary = (
        STATES[state][0]
        if state != "value"
        else f"{rate_text(cell.ns, case.size_bytes)} {marks_of(cell)}".rstrip()
        if cell.ns
        else ""
    )
    facts = [*_figures(view, case, cell), *_quality(cell), *_memory(cell), *_energy(cell), *_first_call(cell)]
    if reason_of(case, cell):
        facts.insert(0, ("no figure because", reason_of(case, cell)))
    facts += [fact for fact in _proof(cell) if fact not in shared] + _deviations(cell)
    library = Lane.parse(cell.lane).library
    return CellPage(cell_anchor(case, cell), library, view.lane_title(cell.lane), summary, facts, cell_command(view, case, cell), cell.lane)  # fmt: skip


def _figures(view: RunView, case: CaseSummary, cell: CellSummary) -> list[tuple[str, str]]:
    facts = [("lane", cell.lane)]
    if known := property_words(cell.properties):
        facts.append(("known of it", known))
    if cell.ns is not None:
        ends = (
            f" ({format_time(cell.ns.low, 4)} to {format_time(cell.ns.high, 4)})"
            if cell.ns.low and cell.ns.high
            else " (too few passes for an interval)"
        )
        also = "" if cell.typical_ns is None else f"; with disturbances {format_time(cell.typical_ns)}"
        facts.append(("time of a call", time_text(cell.ns) + ends + also))
    if cell.cycles is not None:
        facts.append(("cycles per byte" if case.size_bytes else "cycles", cycles_text(cell.cycles, case.size_bytes)))
    found = view.ratios(case).get(cell.lane)
    if found is not None and found.base == cell.lane:
        facts.append(("cost", "1: what the others are compared with"))
    elif found is not None and found.ratio is not None:
        text = f"{ratio_beside_interval(found.ratio)} ({interval_text(found.ratio)}), {verdict_words(found.verdict, found.ratio, found.threshold)}"
        facts.append((f"cost against {view.lane_title(found.base)}", text))
    return facts  # fmt: skip


def _quality(cell: CellSummary) -> list[tuple[str, str]]:
    facts = []
    passes = []
    if cell.passes_used:
        passes.append(f"{cell.passes_used} used")
    if cell.pass_ns:
        low, high = min(cell.pass_ns), max(cell.pass_ns)
        passes.append(f"{format_time(low)} to {format_time(high)}, {significant((high / low - 1) * 100, 2)} % apart")
    if cell.batches:
        passes.append(f"{cell.batches} batches of about {cell.calls_per_batch} calls")
    if passes:
        facts.append(("passes", "; ".join(passes)))
    if cell.slow:
        facts.append(("clock", "CPU time, one call a batch, because it is slow"))
    if cell.levels:
        facts.append(("two speeds", two_speeds_text(cell)))
    if cell.learning is not None:
        facts.append(("first calls of a process", learning_text(cell.learning)))
    if cell.distribution is not None:
        facts.append(("single calls", distribution_text(cell.distribution)))
    facts += [(f"flag {flag}", FLAGS.get(flag, "see the method")) for flag in cell.flags]
    return facts  # fmt: skip


def _probes(view: RunView, case: CaseSummary) -> list[tuple[str, str]]:
    """What the probes saw: passes of this case, clock and IPC of the whole run."""
    noise = view.run.noise
    facts = [("passes of the case", f"{case.passes_valid} complete of {case.passes_tried}")]
    if noise.ghz_low is not None and noise.ghz_high is not None:
        facts.append(("core clock in the run", f"{noise.ghz_low:.2f} to {noise.ghz_high:.2f} GHz"))
    if noise.ipc_median is not None:
        facts.append(("probe IPC in the run", significant(noise.ipc_median, 3)))
    sources = dict.fromkeys(source for cell in case.cells for source in cell.proof_sources)
    return facts + [("vectors from", ", ".join(sources))] * bool(sources)


def _memory(cell: CellSummary) -> list[tuple[str, str]]:
    memory = cell.memory
    if memory is None:
        return []
    heap = (
        ("held between calls", memory.held_bytes),
        ("peak of the first call", memory.first_peak_bytes),
        ("of a later one", memory.warm_peak_bytes),
    )
    asked = (
        ("before the first call", memory.opening_system_random_bytes),
        ("in it", memory.first_system_random_bytes),
        ("in a later one", memory.warm_system_random_bytes),
    )
    drawn = (
        "what a call draws is not seen" if memory.random_bytes is None else f"{bytes_text(memory.random_bytes)} a call"
    )
    system = _counted(asked)
    process = "" if memory.max_rss_kib is None else bytes_text(memory.max_rss_kib * 1024)
    facts = [
        ("heap", _counted(heap)),
        ("stack", "" if memory.stack_bytes is None else stack_text(memory.stack_bytes)),
        ("memory of the process", process),
        ("random bytes", drawn + (f"; of the system {system}" if system else "")),
    ]
    return [(name, text) for name, text in facts if text]


def _energy(cell: CellSummary) -> list[tuple[str, str]]:
    joules = energy_j(cell)
    if joules is None:
        return []
    idle = cell.facts.get("energy_idle_pj")
    share = f", of which {energy_text(idle / 1e12)} would go without it" if isinstance(idle, int) else ""
    return [("energy of a call", f"{energy_text(joules)} of the whole package{share}")]


def _counted(rows: Iterable[tuple[str, int | None]]) -> str:
    """`900 B held between calls, 2700 B peak of the first call`; `none` if all are 0; what is not known is left out."""
    known = [(name, count) for name, count in rows if count is not None]
    if known and not any(count for _, count in known):
        return "none"
    return ", ".join(f"{bytes_text(count)} {name}" for name, count in known)


def _first_call(cell: CellSummary) -> list[tuple[str, str]]:
    """What the cell costs once, and its steps; a step that its lane has not is left out."""
    first = cell.first
    if first is None:
        return []
    rows = (
        ("asking whether it can run", first.available),
        ("opening the library", first.open),
        ("seeding", first.seed),
        ("fetching", first.fetch),
        ("set-up", first.setup),
        ("first call", first.call),
    )
    steps = ", ".join(f"{name} {time_and_range(estimate)}" for name, estimate in rows if estimate is not None)
    text = f"{time_and_range(first.once)}, median of {first.processes} processes: {steps}; a later call {time_and_range(first.steady)}"
    text += "" if first.teardown is None else f"; teardown {time_and_range(first.teardown)}"
    return [("paid once", text)]


def _proof(cell: CellSummary) -> list[tuple[str, str]]:
    if not (cell.proof_accepted or cell.proof_rejected or cell.proof_oracle):
        return [("proof", "none: so it was not timed")] if cell.ns is None else [("proof", "not recorded")]
    text = f"{cell.proof_accepted} known answers, {cell.proof_rejected} invalid inputs rejected, {cell.proof_oracle} timed inputs confirmed by another library"
    said = looked_words(cell.breadth_genuine, cell.breadth_forged, cell.breadth_wrong)
    return [("proof", text), *([("random inputs", said)] if said else [])]


def _deviations(cell: CellSummary) -> list[tuple[str, str]]:
    """Why a cell is lax or strict."""
    return [
        (
            f"{one.outcome}: {one.kind}",
            f"it {one.does} ({', '.join(one.vectors)}). {means_words(one, cell.breadth_genuine, cell.breadth_forged)} {one.standard}",
        )
        for one in cell.deviations
    ]


def build_facts(view: RunView, build_id: str) -> list[tuple[str, str]]:
    """What is known of a build, once a report; every cell of it refers here."""
    build = view.builds.get(build_id)
    if build is None:
        return []
    return [
        ("version", f"{build.title} {build.version}, says {build.version_from}"),
        ("package", build.package or "not from a package"),
        *([("upkeep", build.upkeep)] if build.upkeep else []),
        *(
            [("advisories", f"{advisories_heading(build)}: {' '.join(advisories_of(build))}")]
            if build.advisories
            else []
        ),
        *([("lines of code", f"{lines_text(build.lines)}, without tests")] if build.lines else []),
        ("compiler", build.compiler),
        ("flags", build.flags or "none"),
        ("CPU path", build.cpu_path or "the library does not say"),
        ("clock and probe", f"{build.clock or 'unknown'}; {build.probe or 'no probe on this CPU'}"),
        ("code (SHA-256)", code_text(build)),
        ("licence", build.licence),
        ("environment", " ".join(f"{name}={value}" for name, value in build.environment.items()) or "not recorded"),
        ("worker", build.worker_hash),
    ]


def build_anchor(build_id: str) -> str:
    """Anchor of a build: letters, digits and `-` only."""
    return "build-" + "".join(c if c.isalnum() else "-" for c in build_id)
