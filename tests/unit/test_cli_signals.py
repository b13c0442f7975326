# SPDX-License-Identifier: Apache-2.0
"""A signal ends a command wherever Python is when it comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from cipherstone.cli.signals import ending_signals


class Interrupted:
    """Is interrupted while it is deleted, where an exception is dropped."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):  # the handler runs between two of these
            pass


def test_an_interruption_that_python_drops_comes_once_more() -> None:
    never = threading.Event()
    with ending_signals() as ended, pytest.raises(KeyboardInterrupt), ended.raising():
        Interrupted()
        never.wait(600)
    assert ended.number == signal.SIGTERM and ended.code == 143


def test_other_exceptions_that_python_drops_are_shown_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    class Fails:
        def __del__(self) -> None:
            raise ValueError("of its own")

    hook = sys.unraisablehook
    with ending_signals() as ended, ended.raising():
        inside = sys.unraisablehook
        sys.unraisablehook = lambda lost: inside(lost)
        Fails()
        assert ended.number is None
    assert sys.unraisablehook is hook
    assert "ValueError: of its own" in capsys.readouterr().err


def program(*lines: str) -> tuple[int, str, str]:
    """(exit code, standard output, standard error) of a program with `ended` at hand, and `hit(number)`."""
    begin = (
        "import os, signal, sys",
        "from cipherstone.cli.signals import ending_signals",
        "def hit(number):",
        "    os.kill(os.getpid(), number)",
        "    for _ in range(1000): pass",
        "with ending_signals() as ended:",
    )
    text = "\n".join((*begin, *(f"    {line}" for line in lines)))
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_signal_before_the_command_ends_the_program() -> None:
    assert program("hit(signal.SIGHUP)", "print('goes on')") == (129, "", "interrupted\n")


def test_a_signal_after_the_command_lets_it_clean_up() -> None:
    """No code is left there that would catch an exception: it came out as a stack trace."""
    clean = ("with ended.raising():", "    pass", "hit(signal.SIGINT)", "print(ended.number, ended.code, flush=True)")
    assert program(*clean) == (0, "None 130\n", "")
    code, out, err = program(*clean, "hit(signal.SIGINT)", "print('goes on')")
    assert (code, out) == (130, "None 130\n") and err.strip().startswith("interrupted again")


def test_a_second_signal_ends_a_command_that_does_not() -> None:
    lines = ("with ended.raising():", "    try:", "        hit(signal.SIGINT)", "    except KeyboardInterrupt:", "        hit(signal.SIGTERM)", "print('goes on')")  # fmt: skip
    code, out, err = program(*lines)
    assert (code, out) == (143, "") and err.strip().startswith("interrupted again")
