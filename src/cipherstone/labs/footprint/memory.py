# SPDX-License-Identifier: Apache-2.0
"""Heap and stack of a program at their peak: the very file that is measured, watched by a library that is loaded before it (`labs/footprint/watch`); on a board it tells them itself: the stack below main, and what the C library's allocator has taken, its own bookkeeping with it."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.toolchain import OPTIMISATION, run_tool
from cipherstone.build.workshop import Workshop
from cipherstone.labs.footprint.ladder import FOLDER, TLS_CLIENT, Tls
from cipherstone.labs.footprint.machine import TargetMachine
from cipherstone.labs.footprint.proof import YES, Setting, handshake, meeting, run_program
from cipherstone.labs.footprint.questions import Question
from cipherstone.labs.footprint.results import PeakMemory
from cipherstone.model.errors import BuildError

_NAME = "libfootprint.so"


def measured_memory(
    program: Path, name: str, tls: Tls, asked: Sequence[Question], machine: TargetMachine, workshop: Workshop
) -> PeakMemory | None:
    """Of one handshake, or of the longest known answer; None where the watching library cannot be built or loaded (another C library than glibc)."""
    watching = {}
    if machine.board is None:
        try:
            library = _watcher(workshop, machine)
        except BuildError:
            return None
        # What the loader would bind while main runs would stand on its stack.
        watching = {"LD_PRELOAD": str(library), "LD_BIND_NOW": "1"}
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told"
        command, environment = machine.command(program, {**watching, "FOOTPRINT_WATCH": str(told)})
        if name == TLS_CLIENT:
            right = handshake(command, meeting(tls), Setting(environment)).done
        else:
            longest = max((one for one in asked if one.answer is not None), key=lambda one: len(one.given))
            right = run_program(command, longest.given, Setting(environment)).status == YES
        try:
            heap, stack = _read(told, machine)
        except (OSError, ValueError, struct.error):
            return None
    return PeakMemory(heap, stack) if right and stack >= 0 else None


def _read(told: Path, machine: TargetMachine) -> tuple[int, int]:
    if machine.board is not None:
        heap, stack = struct.unpack("<2I", told.read_bytes())
    else:
        heap, stack = map(int, told.read_text(encoding="ascii").split())
    return heap, stack


def _watcher(workshop: Workshop, machine: TargetMachine) -> Path:
    root, toolchain = workshop.root, workshop.toolchain
    sources = [*sorted((root / "sdk/c/preload").glob("*.c")), root / FOLDER / "watch/watch.c"]
    key = digest_of([(path.name, path) for path in sources], [toolchain.cc_version or "", *machine.flags])
    target = workshop.cache / "footprint" / f"watch-{key}" / _NAME
    if not kept(target):
        with scratch_beside(target.parent) as scratch:
            output = scratch / _NAME
            includes = ["-I", str(root / "sdk/c/include")]
            words = [
                toolchain.cc,
                "-std=c11",
                *OPTIMISATION,
                *machine.flags,
                "-shared",
                "-fPIC",
                *includes,
                *map(str, sources),
            ]
            run_tool([*words, "-o", str(output), "-lpthread", "-ldl"], "footprint: compiling what watches memory")
            publish(output, target)
    return target
