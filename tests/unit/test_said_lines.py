# SPDX-License-Identifier: Apache-2.0
"""Lines for people on standard error: as wide as the terminal, with commands in one piece; notes of a run on one line."""

from __future__ import annotations

import io
import os
import sys

import pytest

from cipherstone.cli import environment as env
from cipherstone.cli.run import brief_note

LONG = "the run's bound cut 1187 of 1292 cases short: md5/hash 16 KiB; sha-1/hash 16 KiB; and 23 operations more"
COMMAND = "cipherstone run --resume /a/folder/with/a/long/name/20261127-034244-9f2a --worker /another/long/path"


COLUMNS = 60


class Terminal(io.StringIO):
    """Keeps what is written to it."""

    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    """What a terminal gets of a line."""
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setattr(env.shutil, "get_terminal_size", lambda fallback: os.terminal_size((COLUMNS, 24)))
    env.say(text)
    return found.getvalue()


def test_a_line_wraps_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, f"  plan: {LONG}").splitlines()
    assert len(lines) == 3 and all(len(line) <= COLUMNS for line in lines)
    assert lines[0].startswith("  plan: ") and lines[1].startswith("    ") and lines[1][4] != " "
    assert " ".join(" ".join(lines).split()) == f"plan: {LONG}"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (f"interrupted: what was measured is kept. Resume it: {COMMAND}", COMMAND),
        (f"all of it: {COMMAND}   the report: cipherstone report latest", COMMAND),
        (f"hint: {COMMAND}; it goes on where it was", COMMAND),
        ("hint: see what is here and what is not, and why, in `cipherstone list --why openssl`", "`cipherstone list --why openssl`"),
    ],
)  # fmt: skip
def test_a_command_stays_in_one_piece(monkeypatch: pytest.MonkeyPatch, text: str, command: str) -> None:
    lines = shown(monkeypatch, text).splitlines()
    assert len(lines) > 1 and any(command in line for line in lines) and "\0" not in "".join(lines)


def test_a_pipe_gets_the_line_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    env.say(LONG)
    assert capsys.readouterr().err == f"{LONG}\n"


def test_lines_of_others_are_not_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"a.c:1:2: error: {LONG}\n   in the call of {LONG}"
    assert shown(monkeypatch, text) == f"{text}\n"


@pytest.mark.parametrize(
    ("note", "told"),
    [
        (LONG, "the run's bound cut 1187 of 1292 cases short: cipherstone show --notes"),
        ("the run's bound cut 2 of 4 cases short: a/hash 1 KiB; b/sign", None),
        ("whole processes: 0 of 30 rounds, too few for an interval: the run's bound leaves no more time", None),
    ],
)
def test_a_note_that_lists_much_says_where_the_rest_is(note: str, told: str | None) -> None:
    assert brief_note(note) == (told or note)
    assert told is None or len(f"note: {told}") <= 80
