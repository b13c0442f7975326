# SPDX-License-Identifier: Apache-2.0
"""The command line's entry: errors as one line with a hint."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from cipherstone import METHOD_VERSION, __version__
from cipherstone.cli import environment as env
from cipherstone.cli.commands import COMMANDS, COMPLETING, SETTINGS, Loaded, named_left_out, names_of_catalogue, offered
from cipherstone.cli.question import as_question
from cipherstone.cli.signals import Ended, ending_signals
from cipherstone.model.errors import BuildError, CipherstoneError, ExitCode, InterruptedRun, WorkerError, nearest
from cipherstone.model.later import Later
from cipherstone.model.text import brief
from cipherstone.worker.descendants import end_all

shells = Later("typer._completion_classes")
LONGEST = 2000  # characters of an error or a hint: what is quoted in it may be a stranger's


class _Commands(TyperGroup):
    """The commands, whose interruptions and refused writes are ours to tell."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Loaded()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, for which none has to be loaded."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.short) for name, place in COMMANDS.items()])

    def make_context(self, info_name: Any, args: list[str], *arguments: Any, **more: Any) -> Any:
        asked = [*args[1:], "--help"] if args[:1] == ["help"] else args
        return _told(lambda: super(_Commands, self).make_context(info_name, asked, *arguments, **more))

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Commands and options, and the names that may stand for a command."""
        return [*super().shell_complete(ctx, incomplete), *map(shells.CompletionItem, offered(incomplete))]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is asked for; without one, names of the catalogue are a question to `run`."""
        question = as_question(args, COMMANDS, names_of_catalogue()) if args and args[0] not in COMMANDS else None
        return super().resolve_command(ctx, args if question is None else question)

    def invoke(self, ctx: Any) -> Any:
        return _told(lambda: super(_Commands, self).invoke(ctx))


def _told(call: Callable[[], Any]) -> Any:
    """What `call` returns. Help that was printed because nothing was asked ends with 2; an interruption or a refused write goes past the parser."""
    try:
        try:
            return call()
        except TyperException as error:
            if type(error).__name__ != "NoArgsIsHelpError":  # the parser does not export it
                raise
            print(error.ctx.get_help())  # type: ignore[attr-defined]
            raise SystemExit(ExitCode.USAGE) from None
    except (KeyboardInterrupt, OSError) as error:
        raise _Outside(error) from error


app = typer.Typer(
    name="cipherstone",
    cls=_Commands,
    help="Measure cryptographic libraries side by side: checked before timed, interleaved, an interval on every ratio.",
    no_args_is_help=True,
    **SETTINGS,
)


def _version(asked: bool) -> None:
    if asked:
        print(f"cipherstone {__version__} (method {METHOD_VERSION})")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Measure cryptographic libraries side by side: checked before timed, interleaved, an interval on every ratio."""


def main() -> None:
    """Runs the command line; every failure that a person can act on is one line with a hint, no stack trace."""
    with ending_signals() as ended:
        try:
            code = _run(ended)
        finally:
            end_all()
    if ended.number is not None:
        # A query or a build that does not end by itself is not waited for; and where the signal came while a text of Python was computed (a named tuple, an annotation), the
        # interpreter would in its end send it to itself once more.
        os._exit(ended.code)
    sys.exit(code)


def _run(ended: Ended) -> int:
    """The exit code of the command, after everything there is to say of how it ended."""
    try:
        with ended.raising():
            try:
                if COMPLETING in os.environ:
                    shells.completion_init()
                code = app(standalone_mode=False)
            finally:
                sys.stdout.flush()  # here and not at the very end, where an error could not be caught
        return code if isinstance(code, int) else ExitCode.OK
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else ExitCode.FAILURE
    except TyperException as error:
        env.say(f"cipherstone: error: {_one_line(error)}")
        env.say(f"hint: {_hint_for(error)}")
        return ExitCode.USAGE
    except InterruptedRun as error:
        env.say(f"{error.message}; {error.hint}")
        return error.exit_code
    except CipherstoneError as error:
        env.say(f"cipherstone: error: {brief(error.message, LONGEST)}")
        if isinstance(error, BuildError) and error.output:
            env.say(error.output)
        if isinstance(error, WorkerError) and error.stderr:
            env.say(error.stderr)
        if hint := _of_left_out(error) or error.hint:
            env.say(f"hint: {brief(hint, LONGEST)}")
        return error.exit_code
    except _Outside as error:
        return _ended_from_outside(error.cause)
    except (KeyboardInterrupt, OSError) as error:
        return _ended_from_outside(error)
    except Exception:
        # A signal comes out of other code as whatever that code makes of it (DuckDB: a RuntimeError).
        if ended.number is None:
            raise
        return _ended_from_outside(KeyboardInterrupt())


def _of_left_out(error: CipherstoneError) -> str:
    """The hint for a name that is unknown because its library cannot be read; "" for any other error."""
    return named_left_out(error.message) if error.exit_code is ExitCode.USAGE else ""


class _Outside(Exception):
    """Carries an interruption or a refusal of the system past the parser, which would end the program its own way."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _ended_from_outside(error: BaseException) -> int:
    """Says how an interruption or a refusal of the system ended the command; its exit code."""
    if isinstance(error, BrokenPipeError):
        # The reader (head, less) has gone: nothing more to say, and nothing to flush into.
        _give_up_standard_output()
        return ExitCode.OK
    if isinstance(error, OSError):
        where = str(error.filename) if error.filename is not None else "standard output"
        if error.filename is None:
            _give_up_standard_output()
        env.say(f"cipherstone: error: {brief(where)}: {error.strerror or brief(str(error))}")
        return ExitCode.FAILURE
    _give_up_standard_output()
    env.say("interrupted")
    return ExitCode.INTERRUPTED


def _one_line(error: TyperException) -> str:
    """A usage error of the command line's own parser, in the words of all the others: lower case, no final full stop."""
    text = " ".join(str(getattr(error, "message", "") or error).split()).rstrip(".").removeprefix("Value error, ")
    option = getattr(getattr(error, "param", None), "opts", None)
    text = f"{option[0]}: {text}" if option and option[0] not in text else text
    return brief(text[:1].lower() + text[1:], LONGEST)


def _hint_for(error: TyperException) -> str:
    """The option that a mistyped one is close to, else where they are listed."""
    mistyped, context = str(getattr(error, "option_name", "") or ""), getattr(error, "ctx", None)
    if mistyped.startswith("--") and context is not None:
        options = [name for param in context.command.params for name in (*param.opts, *param.secondary_opts)]
        close = nearest(mistyped, [*(name for name in options if name.startswith("--")), "--help"])
        if close.startswith("did you mean"):
            return close
    return "`cipherstone --help` lists the commands, `cipherstone COMMAND --help` its options"


def _give_up_standard_output() -> None:
    """What is still buffered goes nowhere, silently."""
    with suppress(OSError, ValueError):  # not a file at all: a program that holds this one
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


if __name__ == "__main__":
    main()
