# SPDX-License-Identifier: Apache-2.0
"""The comparison on a terminal of any width from 60 columns: the machine, one table a family, implementations, noise, trust, answers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane, build_label, variant_of
from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.model.units import format_size
from cipherstone.report.blocks.grid import GridCell, RunView, marks_of
from cipherstone.report.blocks.roofline import summary_table
from cipherstone.report.render.room_text import fitted_lines, lab_answers, lab_lines
from cipherstone.report.render.screen_table import Cell, Column, Styled, blocks, table_lines
from cipherstone.report.rooms import NoCharts, Room, lab_page
from cipherstone.report.words.numbers import rate_text, ratio_text
from cipherstone.report.words.sentences import (
    TRUST,
    answer,
    deviations,
    distributions,
    faster_by_name,
    list_words,
    machine_words,
    marks_words,
    noise_words,
    two_speeds,
    without_figure,
)

LEAST_WIDTH = 60
TWO_SPEEDS = "\u00b2"
LEAST_LABEL = 16
RATE_WIDTH = 12
WITHOUT_SHOWN = 8
SHORT = {
    "unsupported": ("n/a", "not offered by the library"),
    "unavailable": ("no cpu", "not on this CPU or build"),
    "wrong": ("WRONG", "a wrong result, not timed"),
    "crashed": ("crash", "the process ended"),
    "timed-out": ("hung", "no answer in time"),
    "contended": ("busy", "too few undisturbed batches"),
    "withheld": ("held", "too uncertain to publish"),
    "not-run": ("-", "not in this run"),
}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_STYLES = {"bold": "1", "green": "32", "red": "31", "yellow": "33", "dim": "2"}


class _Pen:
    """Text with or without colour codes; control characters of a library's own text never reach the terminal."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width = max(LEAST_WIDTH, width)
        self.colour = colour

    def styled(self, text: str, *styles: str) -> str:
        if not self.colour or not styles:
            return text
        return f"\x1b[{';'.join(_STYLES[s] for s in styles)}m{text}\x1b[0m"

    def wrapped(self, text: str, later: str = "", first: str = "") -> list[str]:
        """Lines of `text`; the first is indented by `first`, the others by `later`."""
        clean = _CONTROL.sub(" ", text)
        # Names of vectors and implementations have hyphens and are searched for.
        lines = textwrap.wrap(clean, self.width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
        return lines or [""]

    def titled(self, title: str, remark: str) -> list[str]:
        """A bold title, its remark beside it or on the next line."""
        clean = _CONTROL.sub(" ", title)[: self.width]
        if len(clean) + 1 + len(remark) <= self.width:
            return [f"{self.styled(clean, 'bold')} {remark}"]
        return [self.styled(clean, "bold"), *self.wrapped(remark)]


def render_terminal(
    run: RunSummary, console_width: int, colour: bool, cards: Sequence[tuple[str, str]] = (), rooms: Sequence[Room] = ()
) -> str:
    """Lines of at most `console_width` columns (60 at least), joined; colour codes only if `colour`. `cards` and `rooms` as in `html.render_html`.

    The machine first, and the answer last: what is longer than the screen has scrolled away but for its end.
    """
    view, pen = RunView(run), _Pen(console_width, colour)
    lines = [*_what(view, pen), ""]
    lab = lab_page(view, rooms, NoCharts())
    if lab is not None:
        lines += lab_lines(lab, pen.width, lambda text: pen.styled(text, "bold"))
    if lab is None or lab.competition:
        lines += _tables(view, pen)
    if lab is None:  # a laboratory's tables name every implementation already
        lines += _implementations(view, pen)
    if lab is None or lab.competition:
        lines += _legend(view, pen)
        lines += _without(view, pen)
        lines += _faster(view, pen)
        lines += _two_speeds(view, pen)
        lines += _distributions(view, pen)
        lines += _deviations(view, pen)
    lines += _roofline(view, pen)
    lines += pen.wrapped(f"noise: {noise_words(run.noise)}", "       ")
    for warning in run.warnings:
        lines += pen.wrapped(f"warning: {warning}", "         ")
    lines += ["", *_trust(view, pen), ""]
    if lab is not None:
        lines += lab_answers(lab, pen.width, lambda text: pen.styled(text, "bold"))
    else:
        lines += _answers(view, pen, cards)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _what(view: RunView, pen: _Pen) -> list[str]:
    """The machine, and which run of it this is."""
    manifest = view.run.manifest
    called = f"{manifest.name}, " if manifest.name else ""
    run = f"run {called}{manifest.run_id}, suite {manifest.suite}, {manifest.created}"
    return [*pen.wrapped(machine_words(manifest.machine), "  "), *pen.wrapped(run, "  ")]


def _trust(view: RunView, pen: _Pen) -> list[str]:
    run = view.run
    style = {"publishable": "green", "contended": "red", "empty": "red"}.get(run.trust, "yellow")
    lines = pen.wrapped(f"{run.trust}: {run.trust_reason}", "  ")
    word = _CONTROL.sub(" ", run.trust)
    if lines[0].startswith(word):
        lines[0] = pen.styled(word, "bold", style) + lines[0][len(word) :]
    if run.trust in TRUST:
        lines += pen.wrapped(f"({TRUST[run.trust]})", "  ", "  ")
    return lines


def _answers(view: RunView, pen: _Pen, cards: Sequence[tuple[str, str]]) -> list[str]:
    lines = [pen.styled("Which library is fastest here?", "bold")]
    for question, case in view.cards(cards):
        found = answer(view, case)
        if not found.winners:
            lines += pen.wrapped(f"{question}: {found.sentence}", "      ", "  ")
            continue
        names = list_words(found.winners)
        lines += pen.wrapped(f"{question}: {names}, {found.rate}; {found.sentence}", "      ", "  ")
    return lines


def _tables(view: RunView, pen: _Pen) -> list[str]:
    """A block for every family (and size): rows operations, columns builds; several blocks of columns if they do not fit."""
    lines = pen.titled("Cost relative to the best", "(1.00 = best, 2.00 = takes twice as long)")
    widths = [max([len(_label(c, with_size=False)) for c in view.headline] + [12])]
    widths += [_column_width(view, column) for column in view.columns]
    parts = blocks(widths, pen.width, first=LEAST_LABEL)
    label = min(widths[0], max(LEAST_LABEL, pen.width - sum(widths[1:]) - len(view.columns)))
    for family, members in view.families(view.headline):
        sizes = {c.size_bytes for c in members}
        shared = next(iter(sizes)) if len(sizes) == 1 else None
        heading = f"{family}, {format_size(shared)}" if shared is not None else family
        for part in parts:
            chosen = [view.columns[number - 1] for number in part]
            wide = label + sum(widths[number] + 1 for number in part)
            with_rate = len(parts) == 1 and pen.width - wide >= RATE_WIDTH
            columns = [Column(words=True, least=label)]
            columns += [Column(_head(view, c)[: widths[n]], least=widths[n]) for c, n in zip(chosen, part, strict=True)]
            columns += [Column("best is", least=RATE_WIDTH - 1)] if with_rate else []
            rows: list[Sequence[Cell]] = [
                [
                    _label(case, with_size=shared is None),
                    *(_cell(view.grid_cell(case, column)) for column in chosen),
                    *([_best_rate(case)] if with_rate else []),
                ]
                for case in members
            ]
            lines += ["", pen.styled(heading[: pen.width], "bold")]
            lines += table_lines(columns, rows, pen.width, colour=pen.colour, first=LEAST_LABEL)
    return [*lines, ""]


def _best_rate(case: CaseSummary) -> str:
    best = next((c for c in case.cells if case.ranking and c.lane == case.ranking[0][0]), None)
    return rate_text(best.ns, case.size_bytes) if best is not None and best.ns is not None else ""


def _label(case: CaseSummary, with_size: bool) -> str:
    text = case.title
    if with_size and case.size_bytes is not None:
        text += f" {format_size(case.size_bytes)}"
    return _CONTROL.sub(" ", text)


def _head(view: RunView, column: str) -> str:
    """The library; with its version, or better the name of the build, where several of it are in the run."""
    library, _, build = column.partition("@")
    if sum(c.partition("@")[0] == library for c in view.columns) == 1:
        return library
    variant = variant_of(build)
    short = build_label(library, variant)
    alone = sum(build_label(c.partition("@")[0], variant_of(c.partition("@")[2])) == short for c in view.columns) == 1
    return short if variant and alone else column


def _column_width(view: RunView, column: str) -> int:
    return max(6, min(18, len(_head(view, column))))


def _cell(grid: GridCell) -> Styled:
    if grid.state != "value":
        style = "red" if grid.state in ("wrong", "crashed", "timed-out") else "dim"
        return Styled(f"{SHORT[grid.state][0]}{grid.marks}", style)
    if grid.ratio is None:
        return Styled("?", "dim")
    text = f"{'=' if grid.tied else ''}{ratio_text(grid.ratio)}{TWO_SPEEDS if grid.two_speeds else ''}{grid.marks}"
    return Styled(text, "bold green" if grid.best else "")


def _implementations(view: RunView, pen: _Pen) -> list[str]:
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
            head = f"{_label(case, with_size=True)}: "
            lines += [line.replace("\u00a0", " ") for line in pen.wrapped(head + "  ".join(parts), "      ", "  ")]
        lines.append("")
    return lines  # fmt: skip


def _roofline(view: RunView, pen: _Pen) -> list[str]:
    """How much of what the instructions allow the first result of each ranking reaches."""
    table = summary_table(view)
    if table is None:
        return []
    return [
        "",
        pen.styled("How much do the instructions of this machine leave?", "bold"),
        *fitted_lines(table, pen.width, pen.colour),
        "",
    ]


def _distributions(view: RunView, pen: _Pen) -> list[str]:
    """Lanes whose calls differ by what they draw."""
    lines = [line for text in distributions(view, view.headline) for line in pen.wrapped(text, "    ", "  ")]
    return [pen.styled("Single calls, which differ by what they draw", "bold"), *lines, ""] if lines else []


def _two_speeds(view: RunView, pen: _Pen) -> list[str]:
    """The lanes of the table above that have two, and how many others of the run."""
    shown = two_speeds(view, view.headline)
    others = len(two_speeds(view, view.run.cases)) - len(shown)
    lines = [line for text in shown for line in pen.wrapped(f"{TWO_SPEEDS} {text}", "    ", "  ")]
    if others:
        lines += pen.wrapped(f"{others} more at other sizes; the report has them", "    ", "  ")
    return [pen.styled("At two speeds", "bold"), *lines, ""] if lines else []


def _without(view: RunView, pen: _Pen) -> list[str]:
    """What the table has no figure for though it was tried, with the reason in full."""
    found = without_figure(view, view.headline)
    lines = [line for text in found[:WITHOUT_SHOWN] for line in pen.wrapped(text, "    ", "  ")]
    if len(found) > WITHOUT_SHOWN:
        lines += pen.wrapped(f"{len(found) - WITHOUT_SHOWN} more; the report has them", "    ", "  ")
    return [pen.styled("Without a figure", "bold"), *lines, ""] if lines else []


def _faster(view: RunView, pen: _Pen) -> list[str]:
    """Implementations that are faster than what a library takes by itself, with what is known of them."""
    lines = [line for text in faster_by_name(view, view.headline) for line in pen.wrapped(text, "    ", "  ")]
    return [pen.styled("Faster than the library's own choice", "bold"), *lines, ""] if lines else []


def _deviations(view: RunView, pen: _Pen) -> list[str]:
    """What the marks of lax and strict lanes stand for, with the vectors."""
    lines = [line for text in deviations(view, view.run.cases) for line in pen.wrapped(text, "    ", "  ")]
    return [pen.styled("Not to the letter of the standard", "bold"), *lines, ""] if lines else []


def _legend(view: RunView, pen: _Pen) -> list[str]:
    grids = [g for case in view.headline for g in view.grid_row(case)]
    seen = {g.state for g in grids}
    parts = ["= tied with the best"] if any(g.tied for g in grids) else []
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
