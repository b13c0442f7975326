# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, get_type_hints

R = TypeVar("R")
Function = Callable[..., R]


def shares(asked: Callable[..., Any]) -> Callable[[Function[R]], Function[R]]:
    """A decorator: the command gets the options of `asked` before its own, and the value that they make as its first argument. What it decorates may be such an `asked` itself."""
    shared = inspect.signature(asked).parameters

    def decorated(command: Function[R]) -> Function[R]:
        own = list(inspect.signature(command).parameters.values())[1:]

        @wraps(command)
        def wrapped(**given: Any) -> R:
            return command(asked(**{name: given.pop(name, one.default) for name, one in shared.items()}), **given)

        hints = {**get_type_hints(asked, include_extras=True), **get_type_hints(command, include_extras=True)}
        # Those without a default first: the context of a command that has others below it.
        order = sorted((*shared.values(), *own), key=lambda one: one.default is not inspect.Parameter.empty)
        parameters = [one.replace(annotation=hints[one.name]) for one in order]
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {one.name: one.annotation for one in parameters}
        return wrapped

    return decorated
