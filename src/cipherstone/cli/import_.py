# SPDX-License-Identifier: Apache-2.0
"""`cipherstone import`: published reports of another program as runs that are marked foreign."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cipherstone.cli import environment as env
from cipherstone.imports.bundles import PROGRAMS, read_publication, records_of, write_bundle
from cipherstone.model.errors import CipherstoneError, ExitCode, UsageError
from cipherstone.store.summary_tables import result_tables
from cipherstone.views.run.summarise import summarise


def import_(
    program: Annotated[str, typer.Argument(help="Whose reports they are: " + ", ".join(PROGRAMS) + ".")],
    files: Annotated[list[Path], typer.Argument(help="Raw report files, as that program wrote them.")],
    output: env.OutputOption = env.DEFAULT_OUTPUT,
) -> None:
    """Import published reports of another program as runs marked foreign."""
    failed = 0
    for file in files:
        try:
            _import_one(file, program, output)
        except CipherstoneError as error:
            if len(files) == 1 or isinstance(error, UsageError):
                raise
            failed += 1
            env.say(f"cipherstone: error: {error.message}")
    if failed:
        env.say(f"{failed} of {len(files)} files were not imported")
        sys.exit(ExitCode.FAILURE)


def _import_one(file: Path, program: str, output: Path) -> None:
    publication = read_publication(file, program)
    writer = write_bundle(output, publication, env.command_line())
    with writer:
        writer.finish(result_tables(summarise(writer.manifest, records_of(publication))))
    missing = sum(figure.ns is None and figure.cycles is None for figure in publication.figures)
    counts = f"{len(publication.figures) - missing} figures" + (f", {missing} missing" if missing else "")
    print(f"{writer.manifest.run_id}: {publication.machine}, {counts}")
