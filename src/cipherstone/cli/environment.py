# SPDX-License-Identifier: Apache-2.0
"""What the environment says, read once, and the options that every command shares."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO, TypeVar

import typer

from cipherstone.build.seals import check_private
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.paths import data_root
from cipherstone.cli import complete
from cipherstone.execute.loaded_from import remarks
from cipherstone.host.private import Private
from cipherstone.model.later import need_report_parts
from cipherstone.model.text import showable
from cipherstone.store.bundle import Bundle
from cipherstone.store.find import find_bundle, remarks_on
from cipherstone.store.sealindex import SealIndex

if TYPE_CHECKING:
    from cipherstone.execute.survey import Found

T = TypeVar("T")
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache", help="Folder for built workers (default: $XDG_CACHE_HOME/cipherstone).", show_default=False
    ),
]
OutputOption = Annotated[Path, typer.Option("--runs", help="Folder that holds the runs.")]
FileOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File to write (- is standard output).", show_default=False),
]
PatienceOption = Annotated[
    float,
    typer.Option(
        "--patience", min=0.01, max=1000, help="Factor on the time limits of workers, for slow or emulated machines."
    ),
]
StrictOption = Annotated[
    bool,
    typer.Option("--strict", help="Count as wrong, and do not time, what is lax or strict with rare vectors."),
]
NameOption = Annotated[
    str,
    typer.Option("--name", help="Call the run so, for `compare before after`.", show_default=False),
]


def page_wanted(value: T) -> T:
    """The value of an option that asks for a page of HTML. Raises CipherstoneError where nothing here can write one: before anything is measured."""
    if value:
        need_report_parts("jinja2", "vl_convert")
    return value


ReportOption = Annotated[
    bool, typer.Option("--report", help="Write the HTML report beside the run.", callback=page_wanted)
]
DryOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be built and measured, and end: nothing is.")
]
WaitOption = Annotated[
    bool, typer.Option("--wait", help="Wait while another run measures on this machine, instead of ending at once.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Every table and remark, not the answer on one screen.")]
RunArgument = Annotated[
    str,
    typer.Argument(
        help="A run: its name, its folder, its id or the beginning of it, latest, latest~1.",
        autocompletion=complete.runs,
    ),
]
VerifyOption = Annotated[
    bool, typer.Option("--verify/--no-verify", help="Compare finished runs with their checksums before reading them.")
]


class Format(StrEnum):
    """How a command writes its result."""

    TEXT = "text"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="text for people, json for programs.")]

DEFAULT_OUTPUT = Path("runs")
# In a message: what stands between backquotes, and a command of ours up to what ends it.
_COMMAND = re.compile(r"`[^`]*`|\bcipherstone [a-z].*?(?=   |[;:] |$)")
_KEPT = "\0"  # stands for a space that ends no line; no message has it


def cache_folder() -> Path:
    """Where what can be made again is kept. Honours XDG_CACHE_HOME."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cipherstone"


def open_run(path: Path, verify: bool = True) -> Bundle:
    """The bundle at `path`, as it was sealed unless `verify` is False. What was verified before and not touched since is not hashed again. Raises StoreError."""
    index = SealIndex(cache_folder() / "seals.json")
    bundle = Bundle.open(path, verify, index)
    index.save()
    return bundle


def workshop(cache: Path | None = None) -> Workshop:
    """Where things are. Honours CC, CXX and XDG_CACHE_HOME."""
    base = cache or cache_folder()
    if base.exists():
        check_private(base)
    return Workshop.find(data_root(), base, os.environ.get("CC"), os.environ.get("CXX"))


def colour_wanted() -> bool:
    """Colours only on a terminal that did not say no (NO_COLOR, TERM=dumb)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def chosen_run(root: Path, text: str) -> Path:
    """The run that `text` names, with what is to be said of it if it may not be what was meant. Raises StoreError."""
    path = find_bundle(root, text)
    for remark in remarks_on(root, text, path):
        say(f"note: {text}: {path.name}: {remark}")
    return path


def as_typed(path: Path) -> str:
    """A run as a command of a hint names it, for a shell: its id in the default folder, else its path. Folders may have any name."""
    text = path.name if path.name and path.parent == DEFAULT_OUTPUT else str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)


def width() -> int:
    """Columns of the terminal, or as many as COLUMNS asks for, also in a pipe; 80 where there is neither; 40 at least."""
    asked = os.environ.get("COLUMNS", "")
    return max(40, shutil.get_terminal_size((80, 24)).columns) if sys.stdout.isatty() or asked.isdecimal() else 80


def may_install() -> bool:
    """Whether missing packages may be installed: INSTALL=no turns it off."""
    return os.environ.get("INSTALL", "yes").lower() not in ("no", "0", "false", "off")


# What moves a loader, an allocator or a library: the caller's are not passed to workers.
_STEERS = ("LD_", "DYLD_", "GLIBC_TUNABLES", "MALLOC_", "OPENSSL_", "LIBGCRYPT_", "NETTLE_", "GNUTLS_", "BOTAN_")


def say_loading(found: Iterable[Found]) -> None:
    """One line for what of the caller's environment no worker gets, and one for each library that was loaded from an unexpected place."""
    names = sorted(name for name, text in os.environ.items() if text and name.startswith(_STEERS))
    if names:
        say(
            f"note: {', '.join(names)}: set here, not passed to workers; a build sets its own with [build.env] in library.toml"
        )
    for one in found:
        for remark in remarks(one, os.environ):
            say(f"note: {remark}")


def command_line() -> str:
    """What was typed, to be shown in the report: without what names a person or a machine."""
    return Private.here().text(shlex.join(["cipherstone", *sys.argv[1:]]))


def in_the_terminal(text: str, stream: TextIO) -> str:
    """A line as a terminal shows it best: wrapped between words, what follows set in. A command stays in one piece, so that it can be copied."""
    if not stream.isatty() or "\n" in text:
        return text
    whole = _COMMAND.sub(lambda found: found[0].replace(" ", _KEPT), text)
    inner = " " * (len(text) - len(text.lstrip()) + 2)
    columns = max(40, shutil.get_terminal_size((80, 24)).columns)
    lines = textwrap.wrap(
        whole,
        columns,
        subsequent_indent=inner,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    return "\n".join(lines).replace(_KEPT, " ")


class _Line:
    """Whether a line that will be rewritten stands on the terminal."""

    shown = False


def rewrite_line(text: str) -> None:
    """Puts `text` in the place of the line that is rewritten; for a terminal."""
    with suppress(OSError):
        print(f"\r\x1b[K{showable(text)}", end="", file=sys.stderr, flush=True)
        _Line.shown = True


def clear_line() -> None:
    """Takes the line that is rewritten off the terminal, if one stands there."""
    if _Line.shown:
        _Line.shown = False
        with suppress(OSError):
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def say(text: str = "") -> None:
    """A line for people, on standard error: standard output is for results. Where it cannot be written, the command continues."""
    clear_line()
    try:
        print(in_the_terminal(showable(text), sys.stderr), file=sys.stderr, flush=True)
    except OSError:
        # What is still buffered goes nowhere, too: Python would try once more at its end, and turn the exit code into 120.
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stderr.fileno())
            os.close(nowhere)
