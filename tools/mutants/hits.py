# SPDX-License-Identifier: Apache-2.0
"""Planted into a copy as `cipherstone._hits`: writes down the number of every block that runs, once in each context. A context is a test, a fixture that tests share, or a function that keeps its answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

# Where the copy's tests say what runs now, and processes write what they ran; put in when planted.
FOLDER = "@FOLDER@"
_seen: dict[str, set[int]] = {}
_files: dict[str, int] = {}
_stack: list[str] = []


def enter(context: str) -> None:
    """From here on hits belong to `context`."""
    _stack.append(context)
    _seen.setdefault(context, set())


def leave() -> None:
    """Back to the context before."""
    _stack.pop()


def forget(context: str) -> None:
    """It is over: what runs in it again is written again."""
    _seen.pop(context, None)
    if (file := _files.pop(context, None)) is not None:
        os.close(file)


def hit(number: int) -> None:
    """A block begins."""
    if not _stack:
        try:
            with open(f"{FOLDER}/now", encoding="utf-8") as file:  # noqa: PTH123 - as few imports as possible
                enter(file.read())
        except OSError:
            return
    context = _stack[-1]
    if number not in _seen[context]:
        _seen[context].add(number)
        if context not in _files:
            _files[context] = os.open(f"{FOLDER}/{context}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(_files[context], b"%d\n" % number)


def once(number: int) -> Callable[[Any], Any]:
    """Whoever calls a function that keeps its answers runs it, for all that matters here: what it does is written down under its own name."""

    def wrap(function: Any) -> Any:
        def call(*values: Any, **named: Any) -> Any:
            hit(number)
            enter(f"once-{number}")
            try:
                return function(*values, **named)
            finally:
                leave()

        call.__name__, call.__doc__ = function.__name__, function.__doc__
        call.__dict__.update(cache_clear=function.cache_clear, cache_info=function.cache_info, __wrapped__=function)
        return call

    return wrap
