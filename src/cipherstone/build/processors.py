# SPDX-License-Identifier: Apache-2.0
"""What a program under emulation finds out of its processor, where the emulator tells something else than the machine that is meant would.

What a machine lacks and every processor of its emulator has is hidden from programs that ask for it (`sdk/c/lacks`, linked in), while the counter (`sdk/c/count`) ends those that do not ask.
QEMU shows this machine's /proc/cpuinfo: a library that reads it, as Nettle does on Arm, took an ARMv7-A for an ARMv5.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.targets import Target
from cipherstone.build.toolchain import OPTIMISATION, Toolchain, run_tool


def hiding_source(root: Path) -> Path:
    """What answers in the place of the system."""
    return root / "sdk/c/lacks/getauxval_wrap.c"


def hiding_words(toolchain: Toolchain, root: Path, scratch: Path, machine: Sequence[str]) -> list[str]:
    """What the linker takes besides; it is compiled into `scratch`. `machine`: flags of the target. Raises BuildError."""
    source, output = hiding_source(root), scratch / "getauxval_wrap.o"
    words = [toolchain.cc, "-std=c11", *OPTIMISATION, *machine, "-c", str(source), "-o", str(output)]
    run_tool(words, "what the machine lacks: compiling")
    return ["-Wl,--wrap=getauxval", str(output)]


def refusing_words(plugin: Path, lacks: str) -> tuple[str, ...]:
    """Arguments of the emulator for a program that is not counted: the counter ends it all the same. Nothing where nothing is lacking."""
    return ("-plugin", f"{str(plugin).replace(',', ',,')},lacks={lacks}") if lacks else ()


def telling_words(target: Target, cache: Path) -> tuple[str, ...]:
    """Arguments of the emulator under which a program reads the target's /proc/cpuinfo, which is kept in the cache. Nothing where it has no text of its own."""
    if not target.cpuinfo:
        return ()
    root = cache / "cpuinfo" / digest_of([], [target.cpuinfo])
    if not kept(root):
        with scratch_beside(root.parent) as scratch:
            file = scratch / "root" / "proc" / "cpuinfo"
            file.parent.mkdir(parents=True)
            file.write_text(target.cpuinfo, encoding="ascii")
            publish(scratch / "root", root)
    return "-L", str(root)
