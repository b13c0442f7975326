# SPDX-License-Identifier: Apache-2.0
"""Modules that are imported when they are asked for first: a command that has no use for them does not wait for them, and an installation need not have them."""

from __future__ import annotations

import importlib
import importlib.util
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from types import ModuleType
from typing import Any

from cipherstone.model.errors import CipherstoneError

# What a node that only measures does without: some systems have no such packages (docs/decisions/0056-a-core-that-measures.md).
REPORT_PARTS = frozenset({"duckdb", "jinja2", "markupsafe", "vl_convert"})
_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Within, signals that ask for an end wait. An exception in the midst of an import, or of what a text of Python computes, comes out as something else, or not at all."""
    waiting: list[int] = []
    before = {}
    # No other thread can set handlers, and none is interrupted by them.
    if threading.current_thread() is threading.main_thread():
        for number in _ASKING:
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for asked in waiting:
            signal.raise_signal(asked)


@contextmanager
def by_ctypes() -> Iterator[None]:
    """Within, nothing finds cffi, unless it is loaded already. PyCryptodome then calls its C code by ctypes, as it does where cffi is not installed; cffi would load a parser of C, which takes 30 ms of each process that proves."""
    hidden = "cffi" not in sys.modules
    if hidden:
        sys.modules["cffi"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if hidden:
            del sys.modules["cffi"]


def imported(name: str) -> Any:
    """The module `name`; signals that ask for an end wait until it is there."""
    with undisturbed(), by_ctypes() if name.startswith("Crypto.") else nullcontext():
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name not in REPORT_PARTS:
                raise
            raise missing(error.name) from None


def is_here(name: str) -> bool:
    """Whether a module of others can be imported."""
    return name in sys.modules or importlib.util.find_spec(name) is not None


def missing(*names: str) -> CipherstoneError:
    """What is said where parts of the report are asked for and not installed."""
    return CipherstoneError(
        f"this needs the report parts: no {', '.join(names)} here", "pip install 'cipherstone[report]'"
    )


def need_report_parts(*names: str) -> None:
    """Raises CipherstoneError if a part is not installed: for what should be refused before it has cost anything."""
    if lacking := [name for name in names if not is_here(name)]:
        raise missing(*lacking)


class Later(ModuleType):
    """Stands for the module `NAME` until an attribute of it is asked for. For type checkers the plain import stands beside it, under TYPE_CHECKING."""

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(imported(self.__name__), attribute)
        setattr(self, attribute, found)
        return found
