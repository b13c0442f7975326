# SPDX-License-Identifier: Apache-2.0
"""`cipherstone openssl nettle gcm`: names without a command are a question, and `run` answers it in seconds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from cipherstone.model.errors import UsageError, nearest

BOUND = "10s"
_OF_RUN = ("--suite", "--quick", "--precise", "--plan", "--resume")  # they say what is measured, or for how long
_OF_TIME = ("--max-time", "--precise", "--plan", "--resume")


def as_question(
    args: Sequence[str], commands: Collection[str], of_words: Callable[[Sequence[str]], object]
) -> list[str]:
    """The arguments as those of a brief `run`. `args`: one or more, of which the first is none of the `commands`. `of_words` raises UsageError for a word that is no name. Raises UsageError where the first is none."""
    try:
        of_words(args[:1])
    except UsageError as error:
        close = nearest(args[0], commands)
        if not close.startswith("did you mean"):
            close = error.hint if error.hint.startswith("did you mean") else "`cipherstone --help` lists the commands"
        raise UsageError(f"'{args[0]}' is neither a command nor a name", close) from None
    more = [] if _has(args, _OF_RUN) else ["--quick"]
    more += [] if _has(args, _OF_TIME) else ["--max-time", BOUND]
    return ["run", *more, *args]


def _has(args: Sequence[str], options: Collection[str]) -> bool:
    return any(word.partition("=")[0] in options for word in args)
