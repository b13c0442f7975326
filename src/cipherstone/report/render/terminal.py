# SPDX-License-Identifier: Apache-2.0
"""The comparison on a terminal of any width from 40 columns: the machine, one table a family, implementations, noise, trust, answers."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import in_one_line
from cipherstone.report.blocks.counts import QUESTION as COUNTS
from cipherstone.report.blocks.counts import counted_cases, notes, reasons, whole_table
from cipherstone.report.blocks.grid import RunView, marks_of
from cipherstone.report.blocks.pairs import QUESTION as PAIRS
from cipherstone.report.blocks.pairs import disagreement_lines, tally_table
from cipherstone.report.blocks.processes import (
    EMPTY,
    empty_table,
    line_table,
    line_title,
    process_cases,
    process_operations,
    process_table,
)
from cipherstone.report.blocks.processes import QUESTION as PROCESSES
from cipherstone.report.blocks.published import (
    ADVICE,
    apart_lines,
    facts_remarks,
    facts_table,
    lead,
    published_table,
    row_remarks,
)
from cipherstone.report.blocks.published import QUESTION as PUBLISHED
from cipherstone.report.blocks.published_instructions import instruction_remarks, instruction_table
from cipherstone.report.blocks.roofline import summary_table
from cipherstone.report.blocks.tables import Table
from cipherstone.report.blocks.wire import QUESTION as WIRE
from cipherstone.report.blocks.wire import wire_table
from cipherstone.report.render.pen import Pen
from cipherstone.report.render.room_text import fitted_lines, lab_answers, lab_lines, split_lines
from cipherstone.report.render.terminal_tables import SHORT, TWO_SPEEDS, comparison, label
from cipherstone.report.rooms import NoCharts, Room, lab_page
from cipherstone.report.words.advice import advice_lines
from cipherstone.report.words.breadth import run_words as breadth_words
from cipherstone.report.words.numbers import rate_text, ratio_text
from cipherstone.report.words.sentences import (
    LEARNERS,
    TRUST,
    answer,
    deviations,
    distributions,
    faster_by_name,
    learners,
    list_words,
    machine_words,
    marks_words,
    run_noise_words,
    two_speeds,
    without_figure,
)

WITHOUT_SHOWN = 8


def render_terminal(
    run: RunSummary, console_width: int, colour: bool, cards: Sequence[tuple[str, str]] = (), rooms: Sequence[Room] = ()
) -> str:
    """Lines of at most `console_width` columns (40 at least), joined; colour codes only if `colour`. `cards` and `rooms` as in `html.render_html`.

    The machine first, and the answer last: what is longer than the screen has scrolled away but for its end.
    """
    view, pen = RunView(run), Pen(console_width, colour)
    lines = [*_what(view, pen), ""]
    if not run.manifest.settings.timed:
        return _joined([*lines[:-1], *_counts(view, pen), *_pairs(view, pen), *_trust(view, pen)])
    lab = lab_page(view, rooms, NoCharts())
    if lab is not None:
        lines += lab_lines(lab, pen.width, lambda text: "\n".join(pen.heading(text)))
    if lab is None or lab.competition:
        lines += comparison(view, pen)
    if lab is None:  # a laboratory's tables name every implementation already
        lines += _implementations(view, pen)
    if lab is None or lab.competition:
        lines += _legend(view, pen)
        lines += _without(view, pen)
        lines += _faster(view, pen)
        lines += _two_speeds(view, pen)
        lines += _learners(view, pen)
        lines += _distributions(view, pen)
        lines += _deviations(view, pen)
    lines += _processes(view, pen)
    lines += _counts(view, pen)
    lines += _pairs(view, pen)
    lines += _published(view, pen)
    lines += _titled(pen, wire_table(view), WIRE)
    lines += _titled(pen, summary_table(view), "How much do the instructions of this machine leave?")
    lines += pen.wrapped(f"noise: {run_noise_words(run)}", "       ")
    for warning in run.warnings:
        lines += pen.wrapped(f"warning: {warning}", "         ")
    lines += ["", *_trust(view, pen), ""]
    if lab is not None:
        lines += lab_answers(lab, pen.width, lambda text: "\n".join(pen.heading(text)))
    else:
        lines += _answers(view, pen, cards)
    return _joined(lines)


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _what(view: RunView, pen: Pen) -> list[str]:
    """The machine, and which run of it this is."""
    manifest = view.run.manifest
    called = f"{manifest.name}, " if manifest.name else ""
    run = f"run {called}{manifest.run_id}, suite {manifest.suite}, {manifest.created}"
    return [*pen.wrapped(machine_words(manifest.machine), "  "), *pen.wrapped(run, "  ")]


def _trust(view: RunView, pen: Pen) -> list[str]:
    run = view.run
    style = {"publishable": "green", "contended": "red", "empty": "red", "emulated": "red"}.get(run.trust, "yellow")
    lines = pen.wrapped(f"{run.trust}: {run.trust_reason}", "  ")
    if said := breadth_words(run.cases):
        lines += pen.wrapped(said, "  ")
    word = in_one_line(run.trust)
    if lines[0].startswith(word):
        lines[0] = pen.styled(word, "bold", style) + lines[0][len(word) :]
    if run.trust in TRUST:
        lines += pen.wrapped(f"({TRUST[run.trust]})", "  ", "  ")
    return lines


def _answers(view: RunView, pen: Pen, cards: Sequence[tuple[str, str]]) -> list[str]:
    lines = pen.heading("Which library is fastest here?")
    for question, case in view.cards(cards):
        found = answer(view, case)
        asked = question if question.endswith("?") else f"{question}:"
        if not found.winners:
            lines += pen.wrapped(f"{asked} {found.sentence}", "      ", "  ")
            continue
        names = list_words(found.winners)
        lines += pen.wrapped(f"{asked} {names}, {found.rate}; {found.sentence}", "      ", "  ")
    return lines


def _implementations(view: RunView, pen: Pen) -> list[str]:
    lines: list[str] = []
    for build, groups in view.several_implementations:
        title = f"Implementations inside {view.build_title(build)}"
        lines += pen.titled(title, "(cost relative to the best library)")
        for case, cells in groups:
            ratios = view.ratios(case)
            rate = f" {rate_text(cells[0].ns, case.size_bytes)}" if cells[0].ns is not None else ""
            parts = []
            for cell in cells:
                found = ratios.get(cell.lane)
                name = Lane.parse(cell.lane).implementation
                name = "own-choice" if name == DEFAULT_IMPLEMENTATION else name
                parts.append(f"{name}\u00a0{ratio_text(found.ratio) if found and found.ratio else '?'}{marks_of(cell)}")
            parts[0] += rate.replace(" ", "\u00a0").join(("\u00a0[", "]")).replace("[\u00a0", "[") if rate else ""
            head = f"{label(case, with_size=True)}: "
            lines += [line.replace("\u00a0", " ") for line in pen.wrapped(head + "  ".join(parts), "      ", "  ")]
        lines.append("")
    return lines  # fmt: skip


def _titled(pen: Pen, table: Table | None, title: str) -> list[str]:
    """A table under its title; nothing without one."""
    return [] if table is None else ["", *pen.heading(title), *fitted_lines(table, pen.width, pen.colour), ""]


def _processes(view: RunView, pen: Pen) -> list[str]:
    """Whole processes: the empty ones, then a table a case."""
    cases = process_cases(view)
    if not cases and not view.run.empty_processes:
        return []
    lines = ["", *pen.heading(PROCESSES)]
    tables = [(EMPTY, empty_table(view)), *((view.case_title(case), process_table(view, case)) for case in cases)]
    tables += [(line_title(view, name), line_table(view, name, lines)) for name, lines in process_operations(view)]
    for title, table in tables:
        lines += ["", *pen.heading(title), *fitted_lines(table, pen.width, pen.colour)]
    return [*lines, ""]


def _counts(view: RunView, pen: Pen) -> list[str]:
    """Instructions on other machines, and why some have none."""
    if not view.run.counted:
        return []
    lines = ["", *pen.heading(COUNTS), *fitted_lines(whole_table(view), pen.width, pen.colour)]
    told = [(case, text) for case in counted_cases(view) for _, text in reasons(view, case)]
    for case, text in told[:WITHOUT_SHOWN]:
        lines += pen.wrapped(f"{case.case}: {text}", "    ", "  ")
    if len(told) > WITHOUT_SHOWN:
        lines += pen.wrapped(f"{len(told) - WITHOUT_SHOWN} more without a count; the report has them", "    ", "  ")
    return [*lines, *(line for text in notes(view) for line in pen.wrapped(text, "    ", "  ")), ""]


def _pairs(view: RunView, pen: Pen) -> list[str]:
    """How often the counts name the winner of the published page, and the pairs where they do not."""
    found = view.run.pairs
    if not found:
        return []
    lines = ["", *pen.heading(PAIRS), *fitted_lines(tally_table(found), pen.width, pen.colour)]
    return [*lines, *(line for text in disagreement_lines(found) for line in pen.wrapped(text, "    ", "  ")), ""]


def _published(view: RunView, pen: Pen) -> list[str]:
    """The page that the suite is made after: its tables with ours beside them, and where they part."""
    found = view.run.published
    if found is None:
        return []
    lines = ["", *pen.heading(PUBLISHED), *pen.wrapped(lead(found))]
    for table in found.tables:
        lines += ["", *pen.heading(table.title), *split_lines(published_table(found, table), pen.width, pen.colour)]
        lines += [line for told in row_remarks(table) for line in pen.wrapped(told, "    ", "  ")]
    for one in found.instructions:
        lines += ["", *pen.heading(one.title), *split_lines(instruction_table(one), pen.width, pen.colour)]
        lines += [line for told in instruction_remarks(one) for line in pen.wrapped(told, "    ", "  ")]
    for facts in found.facts:
        lines += ["", *pen.heading(facts.title), *split_lines(facts_table(facts), pen.width, pen.colour)]
        lines += [line for told in facts_remarks(facts) for line in pen.wrapped(told, "    ", "  ")]
    lines += ["", *pen.heading("Furthest from what all rows lead one to expect")]
    lines += [line for text in apart_lines(found) for line in pen.wrapped(text, "    ", "  ")]
    advice = [line for text in advice_lines(found) for line in pen.wrapped(text, "    ", "  ")]
    return [*lines, *(["", *pen.heading(ADVICE), *advice] if advice else []), ""]


def _distributions(view: RunView, pen: Pen) -> list[str]:
    """Lanes whose calls differ by what they draw."""
    lines = [line for text in distributions(view, view.headline) for line in pen.wrapped(text, "    ", "  ")]
    return [*pen.heading("Single calls, which differ by what they draw"), *lines, ""] if lines else []


def _two_speeds(view: RunView, pen: Pen) -> list[str]:
    """The lanes of the table above that have two, and how many others of the run."""
    shown = two_speeds(view, view.headline)
    others = len(two_speeds(view, view.run.cases)) - len(shown)
    lines = [line for text in shown for line in pen.wrapped(f"{TWO_SPEEDS} {text}", "    ", "  ")]
    if others:
        lines += pen.wrapped(f"{others} more at other sizes; the report has them", "    ", "  ")
    return [*pen.heading("At two speeds"), *lines, ""] if lines else []


def _learners(view: RunView, pen: Pen) -> list[str]:
    """Whose first calls in a process cost more; later ones are what ranks."""
    shown = learners(view, view.run.cases)
    lines = [line for text in shown for line in pen.wrapped(text, "    ", "  ")]
    return [*pen.heading(LEARNERS), *lines, ""] if lines else []


def _without(view: RunView, pen: Pen) -> list[str]:
    """What the table has no figure for though it was tried, with the reason in full."""
    found = without_figure(view, view.headline)
    lines = [line for text in found[:WITHOUT_SHOWN] for line in pen.wrapped(text, "    ", "  ")]
    if len(found) > WITHOUT_SHOWN:
        lines += pen.wrapped(f"{len(found) - WITHOUT_SHOWN} more; the report has them", "    ", "  ")
    return [*pen.heading("Without a figure"), *lines, ""] if lines else []


def _faster(view: RunView, pen: Pen) -> list[str]:
    """Implementations that are faster than what a library takes by itself, with what is known of them."""
    lines = [line for text in faster_by_name(view, view.headline) for line in pen.wrapped(text, "    ", "  ")]
    return [*pen.heading("Faster than the library's own choice"), *lines, ""] if lines else []


def _deviations(view: RunView, pen: Pen) -> list[str]:
    """What the marks of lax and strict lanes stand for, with the vectors."""
    lines = [line for text in deviations(view, view.run.cases) for line in pen.wrapped(text, "    ", "  ")]
    return [*pen.heading("Not to the letter of the standard"), *lines, ""] if lines else []


def _legend(view: RunView, pen: Pen) -> list[str]:
    grids = [g for case in view.headline for g in view.grid_row(case)]
    seen = {g.state for g in grids}
    parts = ["= tied with the best: not shown to be slower by 1 % or more"] if any(g.tied for g in grids) else []
    parts += ["~ too few passes for an interval"] if any(g.ratio and g.ratio.low is None for g in grids) else []
    parts += [f"{short} {meaning}" for state, (short, meaning) in SHORT.items() if state in seen]
    parts += [f"{mark} {words}" for mark, words in marks_words(c for case in view.run.cases for c in case.cells)]
    several = any(g.others for g in grids if g.state == "value")
    parts += (
        ["a library stands with its own choice, or the first in the ranking where it leaves the choice"]
        if several
        else []
    )
    return pen.wrapped("; ".join(parts)) if parts else []
