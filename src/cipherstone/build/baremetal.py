# SPDX-License-Identifier: Apache-2.0
"""Workers for machines without an operating system: what stands in for one (`sdk/c/bare`), and how they are linked."""

from __future__ import annotations

from pathlib import Path

import msgspec

_SUFFIXES = (".c", ".h", ".ld")


class Bare(msgspec.Struct, frozen=True):
    """`flags`: of the processor, which every object has to be compiled with. `places`: words for the linker that say where its memory is."""

    flags: tuple[str, ...]
    places: tuple[str, ...]

    def link_words(self, root: Path) -> tuple[str, ...]:
        """In the place of the libraries of a system."""
        script = root / "sdk/c/bare/board.ld"
        return (*self.flags, "-nostartfiles", "-Wl,--gc-sections", *self.places, "-T", str(script))


def bare_sources(root: Path) -> list[Path]:
    """What is compiled beside the SDK."""
    return sorted((root / "sdk/c/bare").glob("*.c"))


def bare_files(root: Path) -> list[tuple[str, Path]]:
    """All that a worker of this kind depends on, by its path."""
    folder = root / "sdk/c/bare"
    return [(str(path.relative_to(folder)), path) for path in sorted(folder.rglob("*")) if path.suffix in _SUFFIXES]


def bare_includes(root: Path) -> tuple[str, ...]:
    """Before the C library's own headers."""
    return "-I", str(root / "sdk/c/bare/include")
