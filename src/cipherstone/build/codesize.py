# SPDX-License-Identifier: Apache-2.0
"""Code bytes of named functions in an executable, from its symbol table (`nm -S`).

Compilers split a function (`name.cold`, `name.part.0`) and clone it (`name.constprop.0`): such pieces count with their function. A function that was inlined everywhere has
no symbol; its code is in its callers, which a row names too.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection
from functools import cache
from pathlib import Path

import msgspec

_LINE = re.compile(r"[0-9a-fA-F]+ (?P<size>[0-9a-fA-F]+) (?P<kind>[tTwWiuV]) (?P<name>\S+)\Z")
_LIMIT_S = 30


class CodeSize(msgspec.Struct, frozen=True):
    """`code_bytes` of the functions that have a symbol; `missing`: those that have none."""

    code_bytes: int
    missing: tuple[str, ...]


def code_size(executable: Path, functions: Collection[str]) -> CodeSize | None:
    """Code of `functions` in `executable`, each once; None if its symbols cannot be read (no `nm`, stripped) or none of them is there."""
    sizes = _symbols(executable)
    found = {name: sizes[name] for name in dict.fromkeys(functions) if name in sizes}
    if not found:
        return None
    return CodeSize(sum(found.values()), tuple(name for name in dict.fromkeys(functions) if name not in found))


@cache
def _symbols(executable: Path) -> dict[str, int]:
    """Bytes by function, its split and cloned pieces included; empty if there is nothing to read."""
    try:
        done = subprocess.run(
            ["nm", "-S", "--defined-only", str(executable)],
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return parse_symbols(done.stdout) if done.returncode == 0 else {}


def parse_symbols(text: str) -> dict[str, int]:
    """Functions and their bytes from the output of `nm -S`; pieces of a function are added to it, lines of data are left out."""
    sizes: dict[str, int] = {}
    for line in text.splitlines():
        found = _LINE.match(line.strip())
        if found is not None:
            name = found["name"].partition(".")[0] or found["name"]
            sizes[name] = sizes.get(name, 0) + int(found["size"], 16)
    return sizes
