# SPDX-License-Identifier: Apache-2.0
"""The twin of a worker that is linked statically: the same objects, with every call of the allocator sent through a counter (`sdk/c/heap`). Where nothing can be loaded before a program, it tells the heap; it is never timed or counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherstone.build.toolchain import OPTIMISATION, Toolchain, run_tool

SUFFIX = "-heap"
# What the linker sends through the counter.
_EVERYWHERE = ("malloc", "calloc", "realloc", "free", "memalign")
_HOSTED = ("aligned_alloc", "posix_memalign", "mmap", "munmap")
ALLOCATOR = (*_EVERYWHERE, *_HOSTED)


def twin_source(root: Path) -> Path:
    """The counter."""
    return root / "sdk/c/heap/heap_wrap.c"


def twin_of(worker: Path) -> Path:
    """Where the twin of a worker is."""
    return worker.with_name(worker.name + SUFFIX)


def twin_words(toolchain: Toolchain, root: Path, scratch: Path, machine: Sequence[str], hosted: bool) -> list[str]:
    """What the linker takes besides; the counter is compiled into `scratch`. `machine`: flags of the target. Raises BuildError."""
    source, output = twin_source(root), scratch / "heap_wrap.o"
    system = ("-DCS_HEAP_HOSTED",) if hosted else ()
    command = [toolchain.cc, "-std=c11", *OPTIMISATION, *machine, *system, "-c", str(source), "-o", str(output)]
    run_tool(command, "heap counter: compiling")
    names = (*_EVERYWHERE, *(_HOSTED if hosted else ()))
    return [*(f"-Wl,--wrap={name}" for name in names), str(output)]
