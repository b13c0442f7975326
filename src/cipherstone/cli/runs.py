# SPDX-License-Identifier: Apache-2.0
"""`cipherstone runs`: the stored runs, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import msgspec
import typer

from cipherstone.cli import environment as env
from cipherstone.cli.tables import show_table, show_text
from cipherstone.model.text import brief
from cipherstone.model.units import counted
from cipherstone.report.render.screen_table import ScreenColumn
from cipherstone.store.listing import ListedRun, listed_runs

SHOWN = 20
NAMED = 3  # libraries


def runs(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORDS]...",
            help="Only runs of which each word is the beginning of the id, the name, the suite, a library or the word of trust.",
            show_default=False,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help=f"All of them, not the newest {SHOWN} alone.")] = False,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """List the stored runs: id or name, age, suite, libraries, trust."""
    every = listed_runs(output)
    found = [run for run in every if all(_is_about(run, word) for word in named or ())]
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    shown = found if all_ else found[:SHOWN]
    if shown:
        _show(shown)
    for run in shown:
        if run.problem:
            show_text(f"{run.id}: {brief(run.problem)}")
    if len(found) > len(shown):
        show_text(f"{len(found) - len(shown)} older: --all")
    if not found:
        where = f"in {output}"
        env.say(
            f"no run {where}: make one with `cipherstone run`"
            if not every
            else f"none of {counted(len(every), 'run')} {where} is about {' '.join(named or ())}"
        )


def _is_about(run: ListedRun, word: str) -> bool:
    texts = (run.id, run.name, run.suite, run.trust, run.status, *run.libraries)
    return any(text.lower().startswith(word.lower()) for text in texts)


def _show(found: Sequence[ListedRun]) -> None:
    now = datetime.now(UTC)
    columns = [
        ScreenColumn("run", words=True),
        *(ScreenColumn(head, words=True) for head in ("age", "suite", "libraries", "cases", "trust")),
    ]
    rows = [
        (
            f"{run.name} ({run.id})" if run.name else run.id,
            age_text(run.created, now),
            run.foreign or run.suite,
            _some(run.libraries),
            str(run.cases) if run.cases else "",
            state_words(run),
        )
        for run in found
    ]
    show_table(columns, rows)


def state_words(run: ListedRun) -> str:
    """What a reader may make of the run, in a word: that of its summary, or why it has none."""
    if run.problem:
        return "unreadable"
    if run.foreign:
        return "imported"
    return run.trust or "" if run.finished else run.status or "unknown"


def _some(libraries: Sequence[str]) -> str:
    more = len(libraries) - NAMED
    return ", ".join(libraries[:NAMED]) + (f" +{more}" if more > 0 else "")


def age_text(created: str, now: datetime) -> str:
    """`5 min`, `3 h`, `12 d` since a moment in ISO 8601; "" for what is no moment."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return ""
    seconds = (now - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))).total_seconds()
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"
