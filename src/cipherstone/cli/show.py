# SPDX-License-Identifier: Apache-2.0
"""`cipherstone show`: a stored run in the terminal, or its tables by SQL."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.cli import environment as env
from cipherstone.cli.filtering import PartOption, part_of
from cipherstone.cli.output import show_summary
from cipherstone.cli.stored import show_foreign, summary_of
from cipherstone.cli.tables import show_text
from cipherstone.model.errors import ExitCode, UsageError
from cipherstone.model.text import showable, shown
from cipherstone.store.sql_query import QuestionLimits, ask


def show(
    run: env.RunArgument = "latest",
    filter_: PartOption = None,
    brief: Annotated[bool, typer.Option("--brief", help="The answer on one screen, as `run` ends with.")] = False,
    notes: Annotated[
        bool, typer.Option("--notes", help="Only the notes of the run, in full, one a paragraph.")
    ] = False,
    sql: Annotated[
        str | None,
        typer.Option(
            "--sql", help="Ask the run's tables (cells, ratios, samples, ...) in SQL; nothing else can be read."
        ),
    ] = None,
    sql_unsafe: Annotated[
        bool,
        typer.Option(
            "--sql-unsafe", help="With --sql: all of DuckDB, which may read and write other files and has no limits."
        ),
    ] = False,
    verify: Annotated[
        bool | None,
        typer.Option(
            "--verify/--no-verify",
            help="Compare every byte of the bundle with its checksums and say so; or do not look at them.",
            show_default=False,
        ),
    ] = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Show a stored run in the terminal."""
    path = env.chosen_run(output, run)
    if notes and (brief or sql is not None or filter_ is not None):
        raise UsageError("--notes: stands alone", "leave --brief, --filter and --sql out")
    if sql is not None and filter_ is not None:
        raise UsageError("--filter: not with --sql", "say it in the query: where ...")
    if sql is not None:
        _query(path, sql, verify is not False, sql_unsafe)
        return
    if sql_unsafe:
        raise UsageError("--sql-unsafe: nothing is asked", "give the question with --sql")
    bundle = env.open_run(path, verify is None)
    if verify:
        problems = bundle.verify()
        for problem in problems:
            env.say(f"changed since it was sealed: {problem}")
        if problems:
            sys.exit(ExitCode.FAILURE)
        env.say(
            f"{path}: every file is as it was sealed" if bundle.finished else f"{path}: not finished, hence not sealed"
        )
    if notes:
        _show_notes(bundle.manifest.notes, format_)
        return
    if bundle.manifest.foreign:
        show_foreign(bundle, format_)
        return
    show_summary(part_of(summary_of(bundle), filter_), format_, brief)


def _show_notes(notes: Sequence[str], format_: env.Format) -> None:
    """What the run said while it was made: what had no time, what was left out, what the machine did."""
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(notes)).decode())
        return
    for note in map(showable, notes):
        show_text(note)
    if not notes:
        env.say("this run has no notes")


def _query(path: Path, sql: str, verify: bool, unsafe: bool) -> None:
    env.open_run(path, verify)
    names, rows = ask(path, sql, None if unsafe else QuestionLimits())
    import csv

    writer = csv.writer(sys.stdout)
    # To a program go the values as they are; a terminal would do what they say.
    to_people = sys.stdout.isatty()
    writer.writerow(shown(names) if to_people else names)
    writer.writerows(shown(rows) if to_people else rows)
