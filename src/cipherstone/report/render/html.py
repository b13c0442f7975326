# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML file: no network, readable without JavaScript, light, dark and printed."""

from __future__ import annotations

import base64
import hashlib
import math
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cipherstone.model.identity import code_text
from cipherstone.model.later import Later
from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.model.units import format_size, significant
from cipherstone.report.blocks import sections
from cipherstone.report.blocks.cells import CasePage, build_anchor, build_facts, case_pages
from cipherstone.report.blocks.columns import in_order
from cipherstone.report.blocks.counts import QUESTION as COUNTS
from cipherstone.report.blocks.counts import counts_section
from cipherstone.report.blocks.figure import Figure, Sketchbook, family_chart, rank_anchor, ranking_figure
from cipherstone.report.blocks.firstcall import phase_figures
from cipherstone.report.blocks.grid import (
    FAMILY_TITLES,
    MARKS,
    MOST_FASTER,
    STATES,
    STEADINESS,
    GridCell,
    RunView,
    reason_of,
)
from cipherstone.report.blocks.live import live_data
from cipherstone.report.blocks.pairs import pairs_section
from cipherstone.report.blocks.processes import processes_section
from cipherstone.report.blocks.published import published_section
from cipherstone.report.blocks.roofline import roofline_section
from cipherstone.report.blocks.tables import cells_csv, data_link, packed_link
from cipherstone.report.blocks.wire import wire_section
from cipherstone.report.charts import palette
from cipherstone.report.charts.drawing import drawing
from cipherstone.report.charts.parts import MARK_PX, VARIANTS
from cipherstone.report.charts.svg import shared_shapes
from cipherstone.report.render.firstscreen import first_screen, search_names
from cipherstone.report.render.folds import Folds, is_large
from cipherstone.report.rooms import Room, lab_page
from cipherstone.report.words.breadth import run_words as breadth_words
from cipherstone.report.words.method import method_paragraphs
from cipherstone.report.words.numbers import (
    distribution_text,
    interval_text,
    learning_text,
    rate_text,
    ratio_beside_interval,
    ratio_text,
    two_speeds_text,
)
from cipherstone.report.words.sentences import (
    FLAGS,
    TRUST,
    answer,
    deviations,
    faster_text,
    leads_words,
    list_words,
    machine_words,
    marks_words,
    run_noise_words,
)

if TYPE_CHECKING:
    import jinja2
    import markupsafe
else:
    jinja2, markupsafe = Later("jinja2"), Later("markupsafe")

SHEET = "<!--shapes-->"  # where shapes that several charts share are written, once
TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = (
    "hiding.js",
    "packed.js",
    "answers.js",
    "scoreboard.js",
    "search.js",
    "overview.js",
    "tables.js",
    "charts.js",
    "report.js",
)
# What stands in the marker of a third and of a fourth build, as in charts; the same in the units of the marker's shape.
INSIDE = {2: '<circle cx="50%" cy="50%" r="15%"/>', 3: '<rect x="18%" y="40%" width="64%" height="20%"/>'}
INSIDE_IN_PLACE = {2: '<circle r=".42"/>', 3: '<rect x="-.9" y="-.28" width="1.8" height=".56"/>'}
# Of a summary in print, so that it is one page. A row of the grid, or of the table of builds, is `ROW` of the height of the rest.
LARGEST_ZOOM, LEAST_ZOOM = 0.8, 0.5
ROW = 0.031
DEEPEST_COST = 10.0  # the grid's colour scale ends here, so that two reports look alike
DARK_TEXT_UNTIL = 0.55
SYMBOLS = {
    "unsupported": "\u2013",
    "unavailable": "\u2205",
    "wrong": "\u2715",
    "crashed": "\u26a1\ufe0e",
    "timed-out": "\u2026",
    "contended": "\u2248",
    "withheld": "?",
    "processes": "\u2192",
    "not-run": "\u00b7",
}


@drawing()
def render_html(
    run: RunSummary, cards: Sequence[tuple[str, str]], reproduce: str, rooms: Sequence[Room] = (), brief: bool = False
) -> str:
    """The page. `cards`: (question, case id) of the first screen, may be empty; `reproduce`: the command that measures this run again;
    `rooms`: the laboratories that there are; `brief`: the first screen and the grid alone, one page when printed."""
    view, book, folds = RunView(run), Sketchbook(), Folds()
    chosen = view.cards(cards)
    manifest = run.manifest
    footer = f"{manifest.machine.cpu_model}; {manifest.created[:10]}; run {manifest.run_id}"
    script = _script()
    timed = manifest.settings.timed
    lab = lab_page(view, rooms, book, footer) if timed else None
    roofline = roofline_section(view, book, footer)
    competition = timed and (lab is None or lab.competition)
    ranked = view.headline if competition else []
    rankings = [(case, ranking_figure(view, case, footer)) for case in ranked]
    for case, figure in rankings:
        figure.answer, figure.search = _answer_line(view, case), f"{view.case_title(case)} {case.case}"
        figure.remarks += deviations(view, [case])
    screen = first_screen(view)
    context: dict[str, Any] = {
        **screen,
        "names_json": search_names(view),
        "run": run,
        "brief": brief,
        "zoom": _zoom(view) if competition else LARGEST_ZOOM,
        "lab": lab,
        "competition": competition,
        "roofline": roofline,
        "published": published_section(view, footer),
        "processes": processes_section(view, footer),
        "counts_of": counts_section(view, footer),
        "pairs": pairs_section(view, footer),
        "wire": wire_section(view, footer) if competition else None,
        "timed": timed,
        "heading": lab.question if lab is not None else "Which library is fastest here?" if timed else COUNTS,
        "manifest": manifest,
        "view": view,
        "policy": _policy(script),
        "style": page_style(),
        "script": markupsafe.Markup(script),
        "markers": markupsafe.Markup(_marker_sheet()),
        "looked": breadth_words(run.cases),
        "trust_means": _sentence(TRUST.get(run.trust, "")),
        "machine": machine_words(manifest.machine),
        "noise_line": run_noise_words(run),
        "wall": _duration(manifest.wall_s),
        "cards": [(question, case, answer(view, case), rank_anchor(case)) for question, case in chosen],
        "columns": [(c, view.build_title(c), c.partition("@")[2], c.partition("@")[0]) for c in screen["order"]],
        "grid": _grid(view, screen["order"]),
        "states": _states_seen(view),
        "marks": marks_words(c for case in run.cases for c in case.cells),
        "deviations": deviations(view, run.cases),
        "families": _families(view, book, rankings),
        "sizes": sections.size_figures(view, book, footer) if competition else [],
        "implementations": sections.implementation_figures(view, book, footer) if competition else [],
        "phases": phase_figures(view, book, [c for _, c in chosen], footer) if competition else [],
        "noise": sections.noise_figure(view, footer),
        "pages": _by_family(view, case_pages(view, book)),
        "builds": [(b, build_anchor(b), view.build_title(b), build_facts(view, b)) for b in view.builds],
        "live": live_data(view, {case.case for case in (*ranked, *(case for _, case in chosen))})
        if competition
        else "",
        "sized": list(dict.fromkeys(format_size(c.size_bytes) for c in run.cases if c.size_bytes is not None)),
        "method": method_paragraphs(manifest),
        "reproduce": reproduce,
        "book": book,
        "flag_words": FLAGS,
        "all_data": cells_csv(view, ((case, cell) for case in run.cases for cell in case.cells), with_passes=True),
        "as_markdown": f"cipherstone report {shlex.quote(manifest.run_id)} --markdown",
        "folds": folds,
        "counts": _counts(run),
        "unsteady": [(word, meaning) for word, meaning in STEADINESS.items() if word in _steadiness_seen(view)],
    }
    text = _environment(view).get_template("report.html").render(context)
    whole = shared_shapes(folds.in_place(text), SHEET)
    return shared_shapes(folds.packed(text), SHEET) if is_large(whole) else whole


def _zoom(view: RunView) -> float:
    rows = len(view.headline) + len(view.families(view.headline)) + len(view.columns)
    return round(max(LEAST_ZOOM, min(LARGEST_ZOOM, 1.9 / (1 + ROW * rows))), 3)


def _families(
    view: RunView, book: Sketchbook, rankings: Sequence[tuple[CaseSummary, Figure]]
) -> list[tuple[str, str, list[str], list[Figure]]]:
    """(title, who leads, chart, rankings) of each family."""
    return [
        (
            title,
            leads_words(view, members),
            family_chart(view, book, title, members),
            [figure for case, figure in rankings if case in members],
        )
        for title, members in view.families([case for case, _ in rankings])
    ]


def page_text(template: str, context: Mapping[str, Any]) -> str:
    """A page that is no report, of one of the templates beside this file."""
    return _plain_environment().get_template(template).render(context)


def _plain_environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data_link"] = data_link
    return environment


def _environment(view: RunView) -> jinja2.Environment:
    environment = _plain_environment()

    def marker(library: str, variant: int = 0) -> markupsafe.Markup:
        place = palette.marker_index(view.libraries, library)
        colour, shape = place % len(palette.LIBRARY_COLOURS), place % len(palette.SHAPES)
        kind = f" v{variant % VARIANTS}" if variant % VARIANTS else ""
        return markupsafe.Markup(
            f'<svg class="mark l{colour}{kind}"><use href="#m{shape}"/>{INSIDE.get(variant % VARIANTS, "")}</svg>'
        )

    def head_marker(library: str, variant: int = 0) -> markupsafe.Markup:
        """The same, drawn in place: Chromium prints what heads refer to in the wrong size on every page but the first."""
        place, kind = palette.marker_index(view.libraries, library), variant % VARIANTS
        colour = place % len(palette.LIBRARY_COLOURS)
        shape = f'<path d="{palette.library_shape(place)}"/>{INSIDE_IN_PLACE.get(kind, "")}'
        return markupsafe.Markup(
            f'<svg class="mark l{colour}{f" v{kind}" if kind else ""}" viewBox="-1.4 -1.4 2.8 2.8">{shape}</svg>'
        )

    environment.globals.update(marker=marker, head_marker=head_marker, code_text=code_text)
    environment.filters.update(
        packed_link=packed_link,
        plain=_plain,
        foldable=lambda text: markupsafe.Markup("+<wbr>").join(text.split("+")),
        names=lambda names: list_words(list(names)),
        safe_svg=markupsafe.Markup,
        nobreak=lambda text: text.replace(" %", "\u00a0%"),
    )
    return environment


def _script() -> str:
    """The page's script without indents and lines of comments, which a reader of the page does not need. No text of the script goes over a line's end."""
    lines = (line.strip() for name in SCRIPTS for line in (TEMPLATES / name).read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _policy(script: str) -> str:
    """Content security policy: nothing from anywhere; the page's one script by its hash, so that no text of a run can become a script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def page_style() -> markupsafe.Markup:
    """The style sheet of every page, with the colours of both schemes."""
    text = "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", "overview.css"))
    light, dark = palette.style_variables(dark=False), palette.style_variables(dark=True)
    text += "".join(f".l{i}{{color:var(--lib-{i})}}" for i in range(len(palette.LIBRARY_COLOURS)))
    return markupsafe.Markup(text.replace("/*light*/", light + ";").replace("/*dark*/", dark + ";"))


def _marker_sheet() -> str:
    symbols = "".join(
        f'<symbol id="m{i}" viewBox="-1.4 -1.4 2.8 2.8" overflow="visible"><path d="{path}"/></symbol>'
        for i, path in enumerate(palette.SHAPES)
    )
    symbols += "".join(
        f'<path id="p{i}" transform="scale({MARK_PX - 0.6})" d="{path}"/>' for i, path in enumerate(palette.SHAPES)
    )
    symbols += '<circle id="pdot" r="1.5"/><path id="pbar" d="M-3-.9H3V.9H-3Z"/>'
    return f'<svg class="sheet" width="0" height="0" aria-hidden="true"><defs>{symbols}{SHEET}</defs></svg>'


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "." if text else ""


def _duration(seconds: float) -> str:
    if seconds <= 0:
        return ""
    return f"{significant(seconds / 60, 2)} minutes" if seconds >= 120 else f"{significant(seconds, 2)} seconds"


def _answer_line(view: RunView, case: CaseSummary) -> str:
    found = answer(view, case)
    if not found.winners:
        return _sentence(found.sentence)
    return f"{list_words(found.winners)}: {found.rate}; {found.sentence}."


def _plain(text: str) -> markupsafe.Markup:
    """Text of an element: quotes stay as they are."""
    return markupsafe.Markup(text.replace("&", "&amp;").replace("<", "&lt;"))


def _by_family(view: RunView, pages: Sequence[CasePage]) -> list[tuple[str, str, list[CasePage]]]:
    """(title, who leads, pages)"""
    return [
        (
            FAMILY_TITLES.get(family, family.capitalize()),
            leads_words(view, [case for case in view.run.cases if case.family == family]),
            [p for p in pages if p.family == family],
        )
        for family in dict.fromkeys(p.family for p in pages)
    ]


def _grid(view: RunView, order: Sequence[str]) -> list[tuple[str, list[dict[str, Any]]]]:
    """(family title, rows); a row has the case, its anchor and a cell a column."""
    return [
        (
            title,
            [
                {"case": case, "title": view.case_title(case), "anchor": rank_anchor(case), "cells": [_cell(view, case, g) for g in in_order(view.grid_row(case), order)]}
                for case in cases
            ],
        )
        for title, cases in view.families(view.headline)
    ]  # fmt: skip


def _cell(view: RunView, case: CaseSummary, grid: GridCell) -> dict[str, Any]:
    library = grid.build.partition("@")[0]
    out: dict[str, Any] = {
        "library": library,
        "build": grid.build,
        "label": view.build_title(grid.build),
        "state": grid.state,
        "note": grid.implementation,
    }
    out["faster"] = [(faster_text(f), f.properties) for f in grid.faster[:MOST_FASTER]]
    out["trouble"] = f"{grid.troubled} wrong or crashed" if grid.troubled else ""
    if grid.state != "value" or grid.cell is None:
        reason = reason_of(case, grid.cell) if grid.cell is not None else STATES[grid.state][1]
        return out | {"word": STATES[grid.state][0], "symbol": SYMBOLS[grid.state], "hover": reason, "note": ""}
    rate = rate_text(grid.cell.ns, case.size_bytes) if grid.cell.ns is not None else ""
    if grid.ratio is None:
        return out | {"text": "no ratio", "number": None, "style": "", "deep": False, "tag": "", "hover": rate}
    depth = min(1.0, max(0.0, math.log(max(1.0, grid.ratio.value)) / math.log(DEEPEST_COST)))
    tag = "tie" if grid.tied else "best" if grid.best else ""
    for word in grid.steadiness:
        tag = f"{tag}, {word}" if tag else word
    if grid.two_speeds:
        rate = f"{rate}; at two speeds: {two_speeds_text(grid.cell)}"
    if grid.cell.learning is not None:
        rate = f"{rate}; learns over calls: {learning_text(grid.cell.learning)}"
    if grid.cell.distribution is not None:
        rate = f"{rate}; single calls: {distribution_text(grid.cell.distribution)}"
    for outcome, (mark, _) in MARKS.items():
        if mark in grid.marks:
            tag = f"{tag}, {outcome} {mark}" if tag else f"{outcome} {mark}"
    takes = f"takes {ratio_beside_interval(grid.ratio)} times as long as the best ({interval_text(grid.ratio)})"
    hover = f"{rate}; {'the others are compared with it' if _compared_with(view, case, grid.cell.lane) else takes}"
    return out | {
        "text": ratio_text(grid.ratio), "number": grid.ratio.value, "style": f"--t:{depth * 100:.0f}%", "deep": depth > DARK_TEXT_UNTIL, "tag": tag,
        "hover": f"{grid.implementation}: {hover}" if grid.implementation else hover,
    }  # fmt: skip


def _counts(run: RunSummary) -> tuple[int, int, int]:
    """Cases, cells as the plan counts them, and cells beside the plan, which no library offers."""
    planned = {(case.case, lane) for case in run.manifest.plan for lane in case.lanes}
    cells = {(case.case, cell.lane) for case in run.cases for cell in case.cells}
    return len(run.cases), run.manifest.planned_cells or len(cells), len(cells - planned) if planned else 0


def _steadiness_seen(view: RunView) -> set[str]:
    return {word for case in view.headline for g in view.grid_row(case) if g.state == "value" for word in g.steadiness}


def _compared_with(view: RunView, case: CaseSummary, lane: str) -> bool:
    """Whether the ratios of the case are over this lane."""
    found = view.ratios(case).get(lane)
    return found is not None and found.base == lane


def _states_seen(view: RunView) -> list[tuple[str, str, str, str]]:
    """(state, symbol, word, meaning) of the states that the grid shows."""
    seen = {g.state for case in view.headline for g in view.grid_row(case)}
    return [(s, SYMBOLS[s], word, meaning) for s, (word, meaning) in STATES.items() if s in seen]
