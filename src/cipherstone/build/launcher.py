# SPDX-License-Identifier: Apache-2.0
"""The program that starts one process and says what it took: `sdk/c/launch`, compiled once and cached by its content."""

from __future__ import annotations

from pathlib import Path

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.toolchain import OPTIMISATION, Toolchain, run_tool
from cipherstone.model.errors import BuildError

# Linked statically where that can be: what the launcher holds is the least that any process is seen to hold.
_LINKED = (("-static",), ())


def process_launcher(toolchain: Toolchain, root: Path, cache: Path) -> Path:
    """The launcher's path. Raises BuildError."""
    source = root / "sdk/c/launch/launch.c"
    target = cache / "launch" / digest_of([(source.name, source)], [toolchain.cc_version or ""]) / "launch"
    if kept(target):
        return target
    with scratch_beside(target.parent) as scratch:
        output = scratch / target.name
        for number, linked in enumerate(_LINKED, start=1):
            words = [toolchain.cc, "-std=c11", *OPTIMISATION, *linked, str(source), "-o", str(output)]
            try:
                run_tool(words, "launcher of processes: compiling")
                break
            except BuildError:
                if number == len(_LINKED):
                    raise
        publish(output, target)
    return target
