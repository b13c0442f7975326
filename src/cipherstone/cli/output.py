# SPDX-License-Identifier: Apache-2.0
"""Writing results: to the terminal, or into files that are opened only when there is something to write."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from cipherstone.cli import environment as env
from cipherstone.cli.rooms import rooms
from cipherstone.model.errors import StoreError
from cipherstone.model.summary import RunSummary
from cipherstone.report.export.json import export_json
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal


def show_summary(summary: RunSummary, format_: env.Format) -> None:
    """The comparison, for people or for programs."""
    if format_ is env.Format.JSON:
        print(export_json(summary, rooms()))
    else:
        print(render_terminal(summary, env.width(), env.colour_wanted(), summary.cards, rooms()))


def write_report(path: Path, summary: RunSummary, target: Path | None = None) -> Path:
    """The HTML report of the run at `path`; beside it unless `target` says where. The file that was written. Raises StoreError."""
    chosen = target or path.with_name(path.name + ".html")
    write_result(render_html(summary, summary.cards, summary.manifest.command, rooms()), chosen)
    return chosen


def write_result(text: str, target: Path | None) -> None:
    """To standard output (None or `-`), or to a file, whole or not at all. Raises StoreError."""
    if target is None or str(target) == "-":
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    temporary = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".cipherstone-", dir=target.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        # mkstemp makes files for the owner only; a report is for everybody who may read the folder.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise StoreError(f"cannot write {target}: {error.strerror}", "choose another file with -o") from None
