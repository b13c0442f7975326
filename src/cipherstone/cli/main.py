# SPDX-License-Identifier: Apache-2.0
"""The command line's entry: the table of commands, and errors as one line with a hint."""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

from cipherstone import METHOD_VERSION, __version__
from cipherstone.cli import environment as env
from cipherstone.cli.here import check, doctor, list_, setup
from cipherstone.cli.lab import lab
from cipherstone.cli.look import compare, export, report, show
from cipherstone.cli.machine import import_, machine
from cipherstone.cli.replay import replay
from cipherstone.cli.run import run
from cipherstone.model.errors import BuildError, CipherstoneError, ExitCode, WorkerError

app = typer.Typer(
    name="cipherstone",
    help="Measure cryptographic libraries side by side: checked before timed, interleaved, an interval on every ratio.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command, name in (
    (run, "run"),
    (show, "show"),
    (compare, "compare"),
    (report, "report"),
    (export, "export"),
    (machine, "machine"),
    (import_, "import"),
    (list_, "list"),
    (check, "check"),
    (replay, "replay"),
    (doctor, "doctor"),
    (setup, "setup"),
):
    app.command(name)(command)
app.add_typer(lab)


def _version(asked: bool) -> None:
    if asked:
        print(f"cipherstone {__version__} (method {METHOD_VERSION})")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Measure cryptographic libraries side by side: checked before timed, interleaved, an interval on every ratio."""


def main() -> None:
    """Runs the command line; every failure that a person can act on is one line with a hint, no stack trace."""
    try:
        try:
            code = app(standalone_mode=False)
        finally:
            sys.stdout.flush()  # here and not at the very end, where nobody can catch what it raises
        sys.exit(code if isinstance(code, int) else ExitCode.OK)
    except TyperException as error:
        if not str(getattr(error, "message", "") or error).strip():  # the help was shown because nothing was asked
            sys.exit(ExitCode.USAGE)
        env.say(f"cipherstone: error: {_one_line(error)}")
        env.say("hint: `cipherstone --help` lists the commands, `cipherstone COMMAND --help` its options")
        sys.exit(ExitCode.USAGE)
    except CipherstoneError as error:
        env.say(f"cipherstone: error: {error.message}")
        if isinstance(error, BuildError) and error.output:
            env.say(error.output)
        if isinstance(error, WorkerError) and error.stderr:
            env.say(error.stderr)
        if error.hint:
            env.say(f"hint: {error.hint}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        env.say("interrupted")
        sys.exit(ExitCode.FAILURE)
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing more to say, and nothing to flush into.
        _give_up_standard_output()
        sys.exit(ExitCode.OK)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO):
            raise
        _give_up_standard_output()
        env.say(f"cipherstone: error: standard output: {error.strerror}")
        sys.exit(ExitCode.FAILURE)


def _one_line(error: TyperException) -> str:
    """A usage error of the command line's own parser, in the words of all the others: lower case, no final full stop."""
    text = " ".join(str(getattr(error, "message", "") or error).split()).rstrip(".").removeprefix("Value error, ")
    option = getattr(getattr(error, "param", None), "opts", None)
    text = f"{option[0]}: {text}" if option and option[0] not in text else text
    return text[:1].lower() + text[1:]


def _give_up_standard_output() -> None:
    """What is still buffered goes nowhere, silently."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
