# SPDX-License-Identifier: Apache-2.0
"""The command `replay`: whether a worker keeps to the protocol."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.paths import data_root
from cipherstone.cli import environment as env
from cipherstone.model.errors import ExitCode, UsageError, nearest
from cipherstone.worker.attacks import attack_all, attack_names, requests_of
from cipherstone.worker.conversation import BrokenProtocol, Conversation
from cipherstone.worker.replay import TOY, ReplayVerdict, exchanges, needs_toy, replay_all, transcripts


def replay(
    worker: Annotated[Path, typer.Argument(help="The executable of a worker, in whatever language.")],
    attacks: Annotated[bool, typer.Option("--attacks/--no-attacks", help="Also send malformed requests.")] = True,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="This conversation or attack alone, by name; may be given again.")
    ] = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Hold a worker against the protocol's golden conversations, and attack it."""
    if not worker.is_file() or not os.access(worker, os.X_OK):
        raise UsageError(f"replay {worker}: no executable file", "name the worker itself, e.g. ./my-worker")
    verdicts = []
    for kind, one in _verdicts([str(worker.resolve())], attacks, only or ()):
        verdicts.append((kind, one))
        if format_ is env.Format.TEXT:
            _show(kind, one)
    wrong = sum(one.right is False for _, one in verdicts)
    held = sum(one.right is not None for _, one in verdicts)
    if format_ is env.Format.JSON:
        rows = [{"kind": kind, **msgspec.to_builtins(one)} for kind, one in verdicts]
        print(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
    else:
        left = len(verdicts) - held
        others = f"; {left} are about the toy library, which it does not hold (protocol/TOY.md)" if left else ""
        print(f"{held - wrong} of {held} are right{others}")
    sys.exit(ExitCode.FAILURE if wrong or not held else ExitCode.OK)


def _verdicts(command: list[str], attacks: bool, only: Collection[str]) -> Iterator[tuple[str, ReplayVerdict]]:
    paths = transcripts(data_root())
    names = [*(path.stem for path in paths), *attack_names()]
    for name in only:
        if name not in names:
            raise UsageError(f"--only {name}: no such conversation or attack", nearest(name, names))
    try:
        with Conversation(command) as talk:
            toy = talk.ask("1 hello protocol=2").get("library") == TOY
    except (BrokenProtocol, OSError, subprocess.SubprocessError) as error:
        told = error.strerror if isinstance(error, OSError) else str(error)
        yield "conversation", ReplayVerdict("hello", False, f"> 1 hello protocol=2\n{told}")
        return
    for path in (path for path in paths if not only or path.stem in only):
        yield from (("conversation", one) for one in replay_all(command, [path], toy))
    if attacks:
        held = [exchanges(path) for path in paths if toy or not needs_toy(path)]
        yield from (("attack", one) for one in attack_all(command, requests_of(held), only))


def _show(kind: str, one: ReplayVerdict) -> None:
    word = {True: "right", False: "WRONG", None: f"not held: {one.said}"}[one.right]
    print(f"{kind:12} {one.name:24} {word}", flush=True)
    if one.right is False:
        for line in one.said.splitlines():
            print(f"    {''.join(c if c.isprintable() else '?' for c in line)}", flush=True)
