# SPDX-License-Identifier: Apache-2.0
"""What stands in the place of the SDK in a minimal program: a plain loop around an adapter (`sdk/c/minimal`), which shares no line with what times in a worker. What the adapter's own encodings need (`encoding.c`) is the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.toolchain import OPTIMISATION, Toolchain, run_tool

_ENCODING = "sdk/c/src/encoding.c"
_WORDS = ("-std=c11", "-D_GNU_SOURCE", *OPTIMISATION, "-Wall", "-Wextra", "-Wshadow")


def minimal_source(root: Path) -> Path:
    """The loop, and what adapters ask for."""
    return root / "sdk/c/minimal/minimal.c"


def minimal_objects(toolchain: Toolchain, root: Path, cache: Path, machine: Sequence[str] = ()) -> list[Path]:
    """The objects that are linked with an adapter in place of the SDK's. `machine`: flags that all objects of a program must have. Raises BuildError."""
    folders = ("include", "src", "minimal")
    headers = sorted(header for folder in folders for header in (root / "sdk/c" / folder).glob("*.h"))
    objects = []
    for source in (minimal_source(root), root / _ENCODING):
        words = (*_WORDS, *machine)
        named = [(path.name, path) for path in (source, *headers)]
        target = cache / "minimal" / digest_of(named, [toolchain.cc_version or "", *words]) / (source.stem + ".o")
        if not kept(target):
            with scratch_beside(target.parent) as scratch:
                made = scratch / target.name
                command = [toolchain.cc, *words, "-I", str(root / "sdk/c/include"), "-c", str(source), "-o", str(made)]
                run_tool(command, f"minimal program: compiling {source.name}")
                publish(made, target)
        objects.append(target)
    return objects
