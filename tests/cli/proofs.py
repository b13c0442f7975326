# SPDX-License-Identifier: Apache-2.0
"""What `cipherstone check` says of the libraries here, kept by library: by the code that runs (worker, mapped objects, environment: the identity that `list` tells), the catalogue and the
known answers, and the modules that the command loaded. What none of these changed is not proven again; everything is where there is nothing to go by."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kept import Kept
from scripts import ROOT, CommandLine

Rows = list[dict[str, Any]]
PATIENCE = 5  # a prime of 2048 bits, on a busy machine
# What the same inputs give again; a crash or a time limit is the machine's.
SETTLED = {"ok", "lax", "strict", "wrong"}
# A program: the command line, which says at its end what modules of ours it had loaded.
WITNESS = f"""import atexit
import json
import os
import sys

from cipherstone.cli.main import main


def tell():
    files = {{str(getattr(module, "__file__", "")) for module in list(sys.modules.values())}}
    with open(os.environ["CS_MODULES"], "w") as file:
        json.dump(sorted(path for path in files if path.startswith({str(ROOT / "src")!r})), file)


atexit.register(tell)
main()
"""


def library_of(row: dict[str, Any]) -> str:
    """Of a proof record."""
    return str(row["lane"]).partition("@")[0]


def listed(cli: CommandLine, words: Sequence[str]) -> dict[str, Rows]:
    """What `list` says of each library that is ready."""
    done = cli("list", *words, "--format", "json", "--cache", cli.cache).no_trace()
    assert done.code == 0, done.err
    found: dict[str, Rows] = {}
    for row in done.json():
        if row["identity"] is not None:
            found.setdefault(row["library"], []).append(row)
    return found


def place_of(library: str, rows: Rows, words: Sequence[str]) -> Kept[Rows]:
    """Where the proof of a library is kept. Modules count by their names, too: a new one may be found by its folder."""
    modules = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*.py"))
    shared = (ROOT / "vectors", ROOT / "algorithms", ROOT / "libraries" / library, Path(__file__))
    return Kept("proof", ("check", *words, json.dumps(rows), *shared, *modules), Rows)


@contextmanager
def proven(cli: CommandLine, session: pytest.Session, *words: str) -> Iterator[Rows]:
    """The proof records of every library that `words` (options of `list` and `check`) leave. They are kept if no test failed within."""
    (cli.home / "witness.py").write_text(WITNESS)
    told = cli.home / "modules.json"
    witness = replace(cli, module="witness", environment={**cli.environment, "CS_MODULES": str(told)})
    places = {name: place_of(name, rows, words) for name, rows in listed(cli, words).items()}
    known = {name: rows for name, place in places.items() if (rows := place.read()) is not None}
    fresh: Rows = []
    if len(known) < len(places) or not places:
        missing = [name for name in places if name not in known]
        some = ("--filter", f"library:({' OR '.join(missing)})") if known else ()
        options = ("--patience", PATIENCE, "--format", "json", "--cache", cli.cache)
        done = witness("check", *words, *some, *options).no_trace()
        assert done.out, done.err
        fresh = done.json()
    failed = session.testsfailed
    yield sorted((*fresh, *(row for rows in known.values() for row in rows)), key=library_of)
    if session.testsfailed > failed:
        for place in places.values():
            place.forget()
        return
    for name in {library_of(row) for row in fresh} & places.keys():
        rows = [row for row in fresh if library_of(row) == name]
        if {row["outcome"] for row in rows} <= SETTLED:
            places[name].keep(rows, map(Path, json.loads(told.read_text())))
