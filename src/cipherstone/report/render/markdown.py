# SPDX-License-Identifier: Apache-2.0
"""The report's twin for pasting into an issue: trust line, answers, grid, rankings, noise line, command."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.report.blocks.counts import MADE, count_table, counted_cases, made_table, notes, reasons
from cipherstone.report.blocks.counts import QUESTION as COUNTS
from cipherstone.report.blocks.counts import lead as counts_lead
from cipherstone.report.blocks.grid import STATES, UNSETTLED, GridCell, RunView, marks_of, state_of
from cipherstone.report.blocks.pairs import QUESTION as PAIRS
from cipherstone.report.blocks.pairs import (
    disagreement_lines,
    every_title,
    pairs_table,
    tally_table,
)
from cipherstone.report.blocks.pairs import lead as pairs_lead
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
from cipherstone.report.blocks.processes import lead as processes_lead
from cipherstone.report.blocks.published import ADVICE, apart_lines, facts_remarks, lead, published_table, row_remarks
from cipherstone.report.blocks.published import QUESTION as PUBLISHED
from cipherstone.report.blocks.published_instructions import instruction_remarks, instruction_table
from cipherstone.report.blocks.roofline import summary_table
from cipherstone.report.blocks.tables import markdown_table, markdown_text
from cipherstone.report.blocks.wire import QUESTION as WIRE
from cipherstone.report.blocks.wire import wire_table
from cipherstone.report.render.room_text import lab_markdown
from cipherstone.report.rooms import NoCharts, Room, lab_page
from cipherstone.report.words.advice import advice_lines
from cipherstone.report.words.breadth import run_words as breadth_words
from cipherstone.report.words.library import advisories_of
from cipherstone.report.words.numbers import interval_text, rate_text, ratio_beside_interval, ratio_text
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
)

MOST_GRID_COLUMNS = 12  # wider tables are cut off where they are pasted
MOST_RANKINGS = 120


def render_markdown(
    run: RunSummary, cards: Sequence[tuple[str, str]] = (), reproduce: str = "", rooms: Sequence[Room] = ()
) -> str:
    """Markdown text, one document. Arguments as for `html.render_html`."""
    view = RunView(run)
    manifest = run.manifest
    if not manifest.settings.timed:
        parts = [f"## {COUNTS}", _trust(view), *_counts(view)[1:], *_pairs(view)]
        return "\n\n".join([*parts, *([f"Reproduce:\n\n{_fenced(reproduce)}"] if reproduce else [])]) + "\n"
    lab = lab_page(view, rooms, NoCharts())
    parts = ["## Which library is fastest here?", _trust(view)]
    if lab is not None:
        heading, *blocks = lab_markdown(lab)
        parts = [heading, _trust(view), *blocks]
    answers = []
    for question, case in view.cards(cards) if lab is None else ():
        found = answer(view, case)
        answers.append(
            (
                question,
                list_words(found.winners) or found.sentence.partition(":")[0],
                found.rate or "\u2013",
                found.sentence,
            )
        )
    if answers:
        parts.append(markdown_table(("task", "fastest", "rate", "by how much"), answers, words=4))
    if lab is None or lab.competition:
        parts += _competition(view)
    parts += _processes(view)
    parts += _counts(view)
    parts += _pairs(view)
    parts += _published(view)
    for title, table in (
        (WIRE, wire_table(view)),
        ("How much do the instructions of this machine leave?", summary_table(view)),
    ):
        if table is not None:
            parts += [f"### {title}", markdown_table(table.head, ([it.text for it in row] for row in table.rows))]
    parts.append(f"Noise: {markdown_text(run_noise_words(run))}.")
    if run.warnings:
        parts.append("Warnings:\n\n" + "\n".join(f"- {markdown_text(w)}" for w in run.warnings))
    builds = ", ".join(f"{b.title} {b.version}" + (f" ({b.package})" if b.package else "") for b in manifest.builds)
    parts.append(
        f"Measured: {markdown_text(builds)}; method {markdown_text(manifest.method)}, cipherstone {markdown_text(manifest.tool_version)}."
    )
    if old := [f"{b.title} {b.version} is {b.upkeep}" for b in manifest.builds if b.upkeep]:
        parts.append("Upkeep:\n\n" + "\n".join(f"- {markdown_text(line)}" for line in dict.fromkeys(old)))
    if told := [f"{b.title} {b.version}, {line}" for b in manifest.builds for line in advisories_of(b)]:
        dates = ", ".join(sorted({b.advisories_as_of for b in manifest.builds if b.advisories}))
        parts.append(
            f"<details><summary>Known advisories that touch what is measured here, as of {dates}</summary>\n\n"
            + "\n".join(f"- {markdown_text(line)}" for line in dict.fromkeys(told))
            + "\n\n</details>"
        )
    if reproduce:
        parts.append(f"Reproduce:\n\n{_fenced(reproduce)}")
    return "\n\n".join(parts) + "\n"  # fmt: skip


def _competition(view: RunView) -> list[str]:
    """The grid and the rankings."""
    parts = _grids(view)
    parts.append(
        "### Rankings\n\nCost relative to the best and its 95 % interval; `=` joins what this run cannot tell apart."
    )
    ranked = view.headline[:MOST_RANKINGS]
    parts.append(
        markdown_table(
            ("operation", "from fastest to slowest"), [(view.case_title(c), _ranking(view, c)) for c in ranked], words=2
        )
    )
    named = faster_by_name(view, view.headline)
    if named:
        parts.append(
            "Faster than the library's own choice, by name:\n\n"
            + "\n".join(f"- {markdown_text(text)}" for text in named)
        )
    levels = two_speeds(view, view.headline)
    if levels:
        parts.append("At two speeds:\n\n" + "\n".join(f"- {markdown_text(text)}" for text in levels))
    learnt = learners(view, view.run.cases)
    if learnt:
        parts.append(f"{LEARNERS}:\n\n" + "\n".join(f"- {markdown_text(text)}" for text in learnt))
    drawn = distributions(view, view.headline)
    if drawn:
        parts.append(
            "Single calls, which differ by what they draw:\n\n"
            + "\n".join(f"- {markdown_text(text)}" for text in drawn)
        )
    parts += _deviations(view)
    if len(view.headline) > len(ranked):
        parts.append(f"{len(view.headline) - len(ranked)} more operations are in the run and not shown here.")
    return parts


def _deviations(view: RunView) -> list[str]:
    """The marks, and what stands behind each."""
    told = deviations(view, view.run.cases)
    if not told:
        return []
    marks = "; ".join(
        f"{mark} {words}" for mark, words in marks_words(c for case in view.run.cases for c in case.cells)
    )
    lines = "\n".join(f"- {markdown_text(text)}" for text in told)
    return [f"Not to the letter of the standard: {markdown_text(marks)}.\n\n{lines}"]


def _processes(view: RunView) -> list[str]:
    """Whole processes, a table a case."""
    cases = process_cases(view)
    if not cases and not view.run.empty_processes:
        return []
    tables = [(EMPTY, empty_table(view)), *((view.case_title(case), process_table(view, case)) for case in cases)]
    tables += [(line_title(view, name), line_table(view, name, lines)) for name, lines in process_operations(view)]
    parts = [f"### {PROCESSES}", markdown_text(processes_lead(view))]
    for title, table in tables:
        rows = ([it.text for it in row] for row in table.rows)
        parts += [f"{markdown_text(title)}:", markdown_table(table.head, rows)]
    return parts


def _counts(view: RunView) -> list[str]:
    """Instructions on other machines, a table a case."""
    if not view.run.counted:
        return []
    parts = [f"### {COUNTS}", markdown_text(counts_lead(view))]
    for case in counted_cases(view):
        table = count_table(view, case)
        rows = ([it.text for it in row] for row in table.rows)
        parts += [f"{markdown_text(view.case_title(case))}:", markdown_table(table.head, rows)]
        if told := reasons(view, case):
            parts.append("\n".join(f"- {markdown_text(text)}" for _, text in told))
    made = made_table(view)
    parts += [MADE, markdown_table(made.head, ([it.text for it in row] for row in made.rows), words=made.words)]
    without = notes(view)
    return [*parts, "\n".join(f"- {markdown_text(text)}" for text in without)] if without else parts


def _pairs(view: RunView) -> list[str]:
    """Pairs of the page that the suite is made after, beside counts; all of them folded."""
    found = view.run.pairs
    if not found:
        return []
    tally = tally_table(found)
    parts = [f"### {PAIRS}", markdown_text(pairs_lead(found))]
    parts.append(markdown_table(tally.head, ([it.text for it in row] for row in tally.rows), words=tally.words))
    if told := disagreement_lines(found):
        parts.append("\n".join(f"- {markdown_text(text)}" for text in told))
    for one in found:
        table = pairs_table(one)
        rows = ([it.text for it in row] for row in table.rows)
        shown = markdown_table(table.head, rows, words=table.words)
        parts.append(f"<details><summary>{markdown_text(every_title(one))}</summary>\n\n{shown}\n\n</details>")
    return parts


def _published(view: RunView) -> list[str]:
    """The page that the suite is made after, beside the run."""
    found = view.run.published
    if found is None:
        return []
    parts = [f"### {PUBLISHED}", markdown_text(lead(found))]
    for table in found.tables:
        shown = published_table(found, table)
        rows = ([it.text for it in row] for row in shown.rows)
        parts += [f"{markdown_text(table.title)}:", markdown_table(shown.head, rows)]
        parts += _bullets(row_remarks(table))
    for one in found.instructions:
        shown = instruction_table(one)
        rows = ([it.text for it in row] for row in shown.rows)
        parts += [f"{markdown_text(one.title)}:", markdown_table(shown.head, rows)]
        parts += _bullets(instruction_remarks(one))
    for facts in found.facts:
        parts += [f"{markdown_text(facts.title)}:", markdown_table(("row", *facts.columns), facts.rows)]
        parts += _bullets(facts_remarks(facts))
    parts += _bullets(apart_lines(found))
    advice = advice_lines(found)
    return [*parts, *([f"**{ADVICE}**", *_bullets(advice)] if advice else [])]


def _bullets(texts: Sequence[str]) -> list[str]:
    return ["\n".join(f"- {markdown_text(text)}" for text in texts)] if texts else []


def _trust(view: RunView) -> str:
    run = view.run
    meaning = f" ({TRUST[run.trust]})" if run.trust in TRUST else ""
    looked = "".join(f"{markdown_text(said)}\n\n" for said in (breadth_words(run.cases),) if said)
    where = f"{machine_words(run.manifest.machine)}; {run.manifest.created[:10]}; run {run.manifest.run_id}"
    return (
        f"**{markdown_text(run.trust)}**{meaning}: {markdown_text(run.trust_reason)}\n\n{looked}{markdown_text(where)}"
    )


def _grids(view: RunView) -> list[str]:
    columns = view.columns[:MOST_GRID_COLUMNS]
    head = ("operation", *(view.build_title(c) for c in columns))
    rows = [(view.case_title(case), *(_word(view.grid_cell(case, c)) for c in columns)) for case in view.headline]
    left = len(view.columns) - len(columns)
    more = f" {left} more builds are in the run and not shown here." if left else ""
    return ["Cost relative to the best: 1.00 is the best, 2.00 takes twice as long, `=` is tied with the best: not shown to be slower by 1 % or more." + more, markdown_table(head, rows)]  # fmt: skip


def _word(cell: GridCell) -> str:
    if cell.state != "value":
        return STATES[cell.state][0]
    if cell.ratio is None:
        return "no ratio"
    return (
        f"{'= ' if cell.tied else ''}{ratio_text(cell.ratio)}{cell.marks}{' (two speeds)' if cell.two_speeds else ''}"
    )


def _ranking(view: RunView, case: CaseSummary) -> str:
    ratios = view.ratios(case)
    groups: dict[int, list[str]] = {}
    for number, cell in view.ranked(case):
        found = ratios.get(cell.lane)
        ratio = found.ratio if found is not None else None
        text = view.lane_title(cell.lane) + marks_of(cell)
        if number == 1 and cell.ns is not None:
            text += f" {rate_text(cell.ns, case.size_bytes)}"
        elif ratio is not None:
            text += f" {ratio_beside_interval(ratio)} ({interval_text(ratio)})"
        groups.setdefault(number, []).append(text)
    aside = groups.pop(UNSETTLED, [])
    parts = [" = ".join(names) for names in groups.values()] + [f"{text} not settled" for text in aside]
    parts += [f"{view.lane_title(c.lane)} {STATES[state_of(case, c)][0]}" for c in view.without_figure(case)]
    return ", ".join(parts)


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
