# SPDX-License-Identifier: Apache-2.0
"""What the tests of counts share: toys for each target, and what the plugin counts of them.

`CS_REQUIRE_AARCH64=1` turns a missing compiler or emulator of AArch64 from a skip into a failure, `CS_REQUIRE_CORTEX_M=1` those of a Cortex-M.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from scripts import ROOT

from cipherstone.build.baremetal import Bare, bare_includes
from cipherstone.build.counter import Tally, counting_plugin, markers, plugin_words, tallies
from cipherstone.build.targets import TARGETS, emulator_of, toolchain_for
from cipherstone.build.toolchain import NARROW_SDK, find_toolchain
from cipherstone.build.workers import C_STANDARD, Stamp, sdk_objects
from cipherstone.model.errors import BuildError
from cipherstone.protocol.messages import Empty
from cipherstone.worker import WorkerProcess

TOOLCHAIN = find_toolchain()
SDK = ROOT / "sdk" / "c"
PATIENCE = 20.0
BARE = [target.id for target in TARGETS.values() if target.board is not None]
REQUIRED = {"aarch64": "CS_REQUIRE_AARCH64", "cortex-m": "CS_REQUIRE_CORTEX_M"}


def need(target: str) -> None:
    """Skips where a target cannot be reached."""
    try:
        toolchain_for(TARGETS[target], TOOLCHAIN)
        emulator_of(TARGETS[target])
    except BuildError as error:
        wish = REQUIRED.get("cortex-m" if target in BARE else TARGETS[target].plain, "")
        if os.environ.get(wish) == "1":
            pytest.fail(f"{wish}=1 and {error.message}")
        pytest.skip(error.message)


def toy_for(target: str, folder: Path, cache: Path, adapter: Path = SDK / "tests" / "toy_adapter.c") -> Path:
    """The SDK's library that is none, or another adapter, linked statically for a target, with the SDK's objects of `cache`."""
    need(target)
    one = TARGETS[target]
    toolchain = toolchain_for(one, TOOLCHAIN)
    machine = NARROW_SDK if target == "i386" and one.is_native else one.native if one.is_native else one.flags
    bare = None if one.board is None else Bare(one.flags, one.board.link_words)
    system = ["-static", "-lpthread"] if bare is None else [*bare_includes(ROOT), *bare.link_words(ROOT)]
    try:
        objects = sdk_objects(toolchain, ROOT, cache, Stamp("-O2"), () if bare else machine, bare)
    except BuildError as error:
        if target == "i386":
            pytest.skip(f"no libraries of 32 bits: {error.message}")
        raise
    own = [*C_STANDARD, "-O2", *machine, "-w", "-I", str(SDK / "include"), str(adapter)]
    words = [toolchain.cc, *own, *map(str, objects), *system, "-o", str(folder / "toy")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0 and target == "i386":
        pytest.skip("no libraries of 32 bits")
    assert done.returncode == 0, done.stderr
    return folder / "toy"


def calls(words: tuple[str, ...], sizes: list[int]) -> None:
    """The empty call, then a sum of so many bytes each, in one process."""
    with WorkerProcess(words, padding_bytes=0, patience=PATIENCE) as worker:
        worker.hello()
        worker.ask("prepare", {"case": 0, "op": "harness/empty", "impl": "sdk"}, Empty)
        worker.compute(0)
        for size in sizes:
            worker.prepare(1, "toy-sum/hash", "default", {"msg": f"gen:7:{size}"})
            assert worker.compute(1).result == "ok"


def emulated(target: str, toy: Path, sizes: list[int], folder: Path, cache: Path) -> list[Tally]:
    """What the plugin counts, less the empty call."""
    emulator, _ = emulator_of(TARGETS[target])
    out = folder / f"{target}-calls"
    plugin = plugin_words(counting_plugin(TOOLCHAIN, ROOT, cache), markers(toy), out)
    calls(TARGETS[target].words(emulator, str(toy), plugin), sizes)
    null, *found = tallies(out, TARGETS[target].isa)
    return [one.without(null) for one in found]
