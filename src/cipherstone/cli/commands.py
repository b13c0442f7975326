# SPDX-License-Identifier: Apache-2.0
"""The table of commands. A command's module is imported when it is asked for: all of them take as long to load as many a command takes to run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import Any, NamedTuple

import typer
import typer.main

from cipherstone.model.later import imported, undisturbed


class CommandPlace(NamedTuple):
    """Where a command is: a module of `package` and a name in it, a function or a group; `short`: its line in the list of commands."""

    module: str
    name: str
    short: str
    package: str = "cipherstone.cli"


COMMANDS = {
    "run": CommandPlace("run", "run", "Measure libraries side by side and store the result as a run."),
    "plan": CommandPlace("plan", "plan", "Write what `run` would measure as a file, for another machine."),
    "show": CommandPlace("show", "show", "Show a stored run in the terminal."),
    "runs": CommandPlace("runs", "runs", "List the stored runs, newest first."),
    "compare": CommandPlace("compare", "compare", "Compare two runs, or two lanes of one run."),
    "upgrade": CommandPlace("upgrade", "upgrade", "Measure versions of a library: what gets faster, what slower."),
    "bisect": CommandPlace("bisect", "bisect", "Find the commit of a library that made an operation slower."),
    "report": CommandPlace("report", "report", "Write the report of a run: one HTML file."),
    "export": CommandPlace("export", "export", "Write the figures of a run for other programs."),
    "machine": CommandPlace("machine", "machine", "Describe a machine by what its instructions cost."),
    "import": CommandPlace("import_", "import_", "Import published reports of another program."),
    "list": CommandPlace("list", "list_", "List what each library offers here, what it lacks, and why."),
    "check": CommandPlace("check", "check", "Prove, without timing, that results are right."),
    "count": CommandPlace("count", "count", "Count instructions on other machines, under emulation."),
    "replay": CommandPlace("replay", "replay", "Replay the protocol's conversations and attacks against a worker."),
    "build": CommandPlace("build", "build", "Build libraries from upstream's pinned sources."),
    "doctor": CommandPlace("doctor", "doctor", "Say whether this machine is fit to measure."),
    "setup": CommandPlace("setup", "setup", "Install the libraries' packages that are missing."),
    "completion": CommandPlace("completion", "completion", "Print what makes a shell complete names and options."),
    "lab": CommandPlace("lab", "lab", "Laboratories: why a result is what it is."),
    # Of a laboratory, whose own command measures: this one only tries.
    "interop": CommandPlace(
        "command", "interop", "Try every TLS library as client of every other.", "cipherstone.labs.tls.interop"
    ),
    "footprint": CommandPlace(
        "command", "command", "Measure how small a library gets in a program that works.", "cipherstone.labs.footprint"
    ),
}
COMPLETING = "_CIPHERSTONE_COMPLETE"  # a shell asks for completions; the parser's name for it
# Of every parser here. Rich's panels give a third of 80 columns to the text.
SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class Loaded(MutableMapping[str, Any]):
    """The parser's commands by name, each made when it is asked for first."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            with undisturbed():  # the parser evaluates the texts of annotations
                self._made[name] = _made(name, COMMANDS[name])
        return self._made[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._made[name] = command

    def __delitem__(self, name: str) -> None:
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _made(name: str, place: CommandPlace) -> Any:
    found = getattr(imported(f"{place.package}.{place.module}"), place.name)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    alone = typer.Typer(**SETTINGS)
    alone.command(name, short_help=place.short)(found)
    return typer.main.get_command(alone)


def offered(begun: str) -> list[str]:
    """Names of the catalogue that a word may become, for a shell."""
    found: list[str] = imported("cipherstone.cli.complete").words(begun)
    return found


def named_left_out(message: str) -> str:
    """The hint for an error whose message names a library that cannot be read; "" for any other."""
    found: str = imported("cipherstone.cli.known_libraries").named_left_out(message)
    return found


def names_of_catalogue() -> Callable[[Sequence[str]], object]:
    """What reads words without an option, with the catalogue that it needs: most command lines need neither."""
    found: Callable[[Sequence[str]], object] = imported("cipherstone.cli.select_options").of_words
    return found
