# SPDX-License-Identifier: Apache-2.0
"""Commands that would be silent for long say their step: one line that is rewritten on a terminal, a line a step in a pipe."""

from __future__ import annotations

import sys

import pytest
from test_said_lines import Terminal

from cipherstone.cli import environment as env
from cipherstone.cli.steps import Steps

CLEAR = "\r\x1b[K"


def test_a_terminal_shows_one_line_that_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Steps() as step:
        step("checking 2 builds")
        step("checking", "1 done, openssl sha-256/hash")
        step("checking", "2 done, openssl md5/hash")
    shown = ("checking 2 builds", "checking: 1 done, openssl sha-256/hash", "checking: 2 done, openssl md5/hash", "")
    assert terminal.getvalue() == "".join(f"{CLEAR}{text}" for text in shown)


def test_a_line_that_stays_goes_above_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Steps() as step:
        step("making ready", "lab tls")
        step.said("built the worker")
        env.say("note: as other parts of the program say it")
    text = f"{CLEAR}making ready: lab tls{CLEAR}built the worker\n{CLEAR}making ready: lab tls{CLEAR}note: as other parts of the program say it\n"
    assert terminal.getvalue() == text


def test_no_step_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with Steps() as step:
        step("checking", "x" * 500 + "\n")
    lines = [line for line in terminal.getvalue().split(CLEAR) if line]
    assert len(lines) == 1 and "\n" not in lines[0] and len(lines[0]) < 500


def test_a_pipe_hears_of_each_step_once(capsys: pytest.CaptureFixture[str]) -> None:
    with Steps() as step:
        for number in range(5):
            step("checking 2 builds", f"{number} done")
        step("counting")
        step.said("without x")
    with Steps(plain=False) as brief:
        brief("reading the run", "latest")
    assert capsys.readouterr().err == "checking 2 builds\ncounting\nwithout x\n"


def test_an_error_leaves_no_line_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(ValueError, match="broken"), Steps() as step:
        step("reading")
        raise ValueError("broken")
    assert terminal.getvalue() == f"{CLEAR}reading{CLEAR}"
