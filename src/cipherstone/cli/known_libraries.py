# SPDX-License-Identifier: Apache-2.0
"""The libraries that a command works with: all that can be read. One that cannot be read is named on standard error and left out, so that a mistake in one folder stops no other."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import Library, load_labs, load_libraries
from cipherstone.cli import environment as env
from cipherstone.model.errors import DataError

_left_out: dict[str, DataError] = {}


def known_libraries(root: Path) -> dict[str, Library]:
    """Libraries under `root`, by id in rising order, read once a process. Prints a line for each that cannot be read: what is wrong, and a hint."""
    return dict(_read(root)[0])


def known_with_labs(root: Path) -> dict[str, Library]:
    """`known_libraries`, and then the laboratories."""
    libraries, labs = _read(root)
    return libraries | labs


def names_left_out() -> frozenset[str]:
    """Names of the folders that could not be read."""
    return frozenset(_left_out)


def named_left_out(message: str) -> str:
    """A hint for an error whose message quotes the name of a library that was left out, or of a build of it; "" for any other message."""
    for name, error in _left_out.items():
        if re.search(rf"'{re.escape(name)}['@+~=]", message):
            return f"{error.message}: mend that file first"
    return ""


@cache
def _read(root: Path) -> tuple[dict[str, Library], dict[str, Library]]:
    catalogue = catalogue_at(root)
    found = load_libraries(root, catalogue, _left_out), load_labs(root, catalogue, _left_out)
    for error in _left_out.values():
        env.say(f"warning: left out: {error.message}" + (f"; {error.hint}" if error.hint else ""))
    return found
