# SPDX-License-Identifier: Apache-2.0
"""A signal ends a command wherever Python is when it comes."""

from __future__ import annotations

import os
import signal
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
    with ending_signals() as ended, pytest.raises(KeyboardInterrupt):
        Interrupted()
        never.wait(600)
    assert ended.number == signal.SIGTERM and ended.code == 143


def test_other_exceptions_that_python_drops_are_shown_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    class Fails:
        def __del__(self) -> None:
            raise ValueError("of its own")

    hook = sys.unraisablehook
    with ending_signals() as ended:
        inside = sys.unraisablehook
        sys.unraisablehook = lambda lost: inside(lost)
        Fails()
        assert ended.number is None
    assert sys.unraisablehook is hook
    assert "ValueError: of its own" in capsys.readouterr().err
