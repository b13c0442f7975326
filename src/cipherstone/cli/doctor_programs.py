# SPDX-License-Identifier: Apache-2.0
"""`cipherstone doctor --programs`: cells against minimal programs."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.suites import load_suite
from cipherstone.cli import environment as env
from cipherstone.cli.builds import traits_of
from cipherstone.cli.known_libraries import known_libraries, known_with_labs
from cipherstone.cli.requests import parse_time, report_problems
from cipherstone.cli.run import as_measured
from cipherstone.cli.selection import chosen_libraries, known_values, parsed, written
from cipherstone.cli.stored import refuse_foreign
from cipherstone.cli.tables import show_table, show_text
from cipherstone.execute.opinion.cells import SETTINGS, OpinionBench
from cipherstone.execute.opinion.sample import Candidate, candidates_of
from cipherstone.execute.resume import plan_again
from cipherstone.execute.run import choose_cpu
from cipherstone.execute.stored_run import bundle_summary
from cipherstone.execute.survey import survey
from cipherstone.host.lock import MachineLock
from cipherstone.measure.plan import plan_run
from cipherstone.model.agreement import LIMIT, LONG_LIMIT, CellOpinion, SecondOpinion
from cipherstone.model.errors import CipherstoneError, ExitCode
from cipherstone.model.ids import Lane
from cipherstone.model.summary import RunSummary
from cipherstone.model.units import counted
from cipherstone.report.render.screen_table import ScreenColumn

SUITE = "full"  # every operation, every implementation
BASE = "openssl"


class Sampling(msgspec.Struct, frozen=True):
    """Which cells get a second opinion. `run`: of this stored run; None: of a run that is made for this. `count` are drawn by `seed` (None: random) of those that the filter `text` leaves ("" for all). `max_time`: for how long, as typed; `cpu`: the CPU to measure on, None: the last one allowed."""

    run: str | None
    count: int
    seed: int | None
    text: str
    max_time: str
    cpu: int | None


def second_opinion(asked: Sampling, cache: Path | None, output: Path, format_: env.Format) -> None:
    """Cells of a stored run, or of a run that is made for this, and what loops say of them. Ends with 1 if one disagrees and nothing is known to make it."""
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    libraries = known_libraries(workshop.root)
    run, count = asked.run, asked.count
    drawn = secrets.randbits(32) if asked.seed is None else asked.seed
    most_s = parse_time("--max-time", asked.max_time)
    known = known_values(catalogue, libraries)
    text = written(asked.text, known, (), traits_of(workshop, libraries))
    selection = parsed(text, known)
    settings = msgspec.structs.replace(SETTINGS, cpu=choose_cpu(asked.cpu), seed=drawn, base=BASE)

    stored = env.open_run(env.chosen_run(output, run)) if run is not None else None
    if stored is None:
        here = chosen_libraries(text, catalogue, libraries, built=workshop.has_built)
        found = survey(workshop, here, announce=env.say)
        report_problems(found)
        found = [one for one in found if one.status == "ready"]
        offers = [one.offer(catalogue) for one in found]
        plan = plan_run(catalogue, libraries, offers, load_suite(workshop.root, SUITE, catalogue), selection, BASE)
        candidates, bases = candidates_of(plan, catalogue, BASE)
        bench = OpinionBench(workshop, catalogue, found, plan.capabilities, settings, env.say)
        with MachineLock():
            cells, left_out = bench.sample(candidates, count, drawn, bases)
            told = bench.compare(cells, drawn, most_s)
    else:
        refuse_foreign(stored, "doctor --programs")
        manifest = stored.manifest
        summary = bundle_summary(stored, catalogue, lambda one: one)
        before = as_measured(known_with_labs(workshop.root), manifest)
        found = survey(
            workshop, before, announce=env.say, builds={b.name for one in before.values() for b in one.builds}
        )
        plan = plan_again(manifest, found, catalogue)
        candidates, bases = candidates_of(plan, catalogue, manifest.settings.base)
        candidates = _with_times(candidates, summary)
        bench = OpinionBench(workshop, catalogue, found, plan.capabilities, settings, env.say)
        with MachineLock():
            cells, left_out = bench.sample(candidates, count, drawn, bases)
            told = bench.of_run(summary, cells, stored.records(), drawn, most_s)
    told = msgspec.structs.replace(told, left_out=(*left_out, *told.left_out))
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(as_json(told))).decode())
    else:
        _show(told)
    if any(one.unexplained for one in told.cells):
        sys.exit(ExitCode.FAILURE)
    if not told.compared:
        raise CipherstoneError("doctor --programs: nothing could be compared", "each line above says why")


def _with_times(candidates: Sequence[Candidate], summary: RunSummary) -> list[Candidate]:
    """Those that have a figure."""
    times = {(cell.case, cell.lane): cell.ns.value for case in summary.cases for cell in case.cells if cell.ns}
    return [
        msgspec.structs.replace(one, ns=times[one.case, one.lane])
        for one in candidates
        if (one.case, one.lane) in times
    ]


def as_json(told: SecondOpinion) -> dict[str, object]:
    """All of it, with what is computed from it."""
    cells = [
        {**msgspec.to_builtins(one), "difference": one.difference, "limit": one.limit, "beyond": one.beyond}
        for one in told.cells
    ]
    beyond = sum(one.beyond for one in told.cells)
    return {**msgspec.to_builtins(told), "cells": cells, "median": told.median, "beyond": beyond}


def _show(told: SecondOpinion) -> None:
    """The farthest first; those within the limit as one line."""
    ordered = sorted(told.compared, key=lambda one: -abs(one.difference or 0.0))
    if ordered:
        head = [
            ScreenColumn("cell", words=True),
            ScreenColumn("lane", words=True),
            *map(ScreenColumn, ("ours ns", "loop ns", "away %")),
        ]
        show_table(head, [_row(one) for one in ordered])
        print()
    for one in ordered:
        if one.beyond:
            tries = f", measured {counted(one.tries, 'time')}" if one.tries > 1 else ""
            show_text(f"{Lane.parse(one.lane).label} {one.case}{tries}: {one.reason or 'NOT EXPLAINED'}")
    for one in told.cells:
        if one.difference is None:
            show_text(f"{Lane.parse(one.lane).label} {one.case}: not compared: {one.refused}")
    for line in told.left_out:
        show_text(f"left out: {line}")
    for line in summary_lines(told):
        show_text(line)


def _row(one: CellOpinion) -> tuple[str, ...]:
    away = f"{100 * (one.difference or 0.0):+.2f}"
    return one.case, Lane.parse(one.lane).label, f"{one.ours_ns:,.1f}", f"{one.loop_ns:,.1f}", away


def summary_lines(told: SecondOpinion) -> list[str]:
    """Median, worst, how many are beyond the limit."""
    if told.median is None:
        return []
    beyond = [one for one in told.cells if one.beyond]
    without = [one for one in beyond if not one.reason]
    worst = max(told.compared, key=lambda one: abs(one.difference or 0.0))
    of_what = f"of run {told.run}" if told.run else "measured for this"
    return [
        f"{counted(len(told.compared), 'cell')} {of_what}, drawn by --seed {told.seed}, in {told.wall_s:.0f} s"
        + (f" at a load of {told.load:.1f}" if told.load is not None else ""),
        f"median {100 * told.median:.2f} %, farthest {100 * (worst.difference or 0.0):+.2f} % ({Lane.parse(worst.lane).label} {worst.case})",
        f"{len(beyond)} beyond {100 * LIMIT:g} % ({100 * LONG_LIMIT:g} % for calls above 1 ms), {len(without)} of them not explained",
    ]
