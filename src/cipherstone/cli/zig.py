# SPDX-License-Identifier: Apache-2.0
"""`zig cc` as one command, which recipes and build systems take for a compiler: `cipherstone-zig-cc`, `cipherstone-zig-cxx`.

Zig is an optional part of this package's environment. Unlike gcc and clang it compiles for the CPU that it runs on unless an option says otherwise: here it gets the architecture's baseline, which
an `-march` of the build overrides. It compiles its own runtime at first use, into the user's cache.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import NoReturn

from cipherstone.build.zig import HINT


def cc() -> NoReturn:
    """The C compiler. Ends with status 127 where zig is not installed."""
    _become("cc")


def cxx() -> NoReturn:
    """The C++ compiler."""
    _become("c++")


def _become(which: str) -> NoReturn:
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        sys.stderr.write(f"cipherstone: error: no ziglang in this environment\nhint: {HINT}\n")
        raise SystemExit(127)
    program = Path(next(iter(found.submodule_search_locations))) / "zig"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cipherstone" / "zig"
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(cache))
    os.execv(program, [str(program), which, "-mcpu=baseline", *sys.argv[1:]])
