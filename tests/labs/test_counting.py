# SPDX-License-Identifier: Apache-2.0
"""Counted instructions: two unrelated counters agree to the last digit, classes are what the code says, counts repeat whatever else is counted, and what cannot be counted has a reason.

Machines without an operating system: test_counting_bare.py.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from counted import TOOLCHAIN, calls, emulated, need, toy_for
from scripts import ROOT, CommandLine

from cipherstone.build.counter import BEGIN, END, counting_plugin, markers
from cipherstone.build.systems import this_system
from cipherstone.build.targets import TARGETS
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_library
from cipherstone.execute.counting.cell import Called, CountingBench, Known
from cipherstone.execute.counting.jobs import CountRequest, Job, count_everything, reach
from cipherstone.model.counts import Counting
from cipherstone.model.errors import BuildError

LAB = "own-aes"
WIDE = ("x86-64", "aarch64", "ppc64le", "riscv64")


@pytest.fixture
def cli(new_cli: Callable[..., CommandLine]) -> CommandLine:
    """Of this checkout."""
    return new_cli(root=ROOT)


@pytest.fixture(scope="session")
def toys(tmp_path_factory: pytest.TempPathFactory, worker_cache: Path) -> Callable[[str], Path]:
    """The SDK's library that is none, for a target."""
    return functools.cache(lambda target: toy_for(target, tmp_path_factory.mktemp(target), worker_cache))


def native(toy: Path, sizes: list[int], folder: Path) -> list[int]:
    """What callgrind counts on this processor, less the empty call."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("no valgrind")
    out = folder / "callgrind"
    between = (f"--zero-before={BEGIN}", f"--dump-before={END}")
    calls((valgrind, "--tool=callgrind", f"--callgrind-out-file={out}", *between, str(toy)), sizes)
    parts = sorted(folder.glob("callgrind.*"), key=lambda path: int(path.suffix[1:]))[: len(sizes) + 1]
    null, *found = [int(re.findall(r"^(?:summary|totals): (\d+)", path.read_text(), re.MULTILINE)[0]) for path in parts]
    return [one - null for one in found]


@pytest.mark.parametrize("target", ["x86-64", "i386"])
@pytest.mark.skipif(platform.machine() != "x86_64", reason="another machine")
def test_two_counters_agree(target: str, toys: Callable[[str], Path], worker_cache: Path, tmp_path: Path) -> None:
    """A plugin in an emulator, and callgrind on the processor itself: the same numbers to the last digit."""
    toy, sizes = toys(target), [1, 100, 5000, 65536]
    ours = [one.instructions for one in emulated(target, toy, sizes, tmp_path, worker_cache)]
    assert ours == native(toy, sizes, tmp_path) and ours[0] > 0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="another machine")
def test_no_library_is_offered_what_the_emulator_computes_wrongly(tmp_path: Path) -> None:
    """VAES on 256 bits: wolfSSL's AES-CTR was `wrong` under emulation, and right on the processor."""
    target = TARGETS["x86-64"]
    need("x86-64")
    source, program = tmp_path / "asks.c", tmp_path / "asks"
    source.write_text(
        'int main(void) { return (__builtin_cpu_supports("aes") ? 0 : 2) | (__builtin_cpu_supports("vaes") ? 1 : 0); }\n'
    )
    subprocess.run([TOOLCHAIN.cc, "-static", "-o", program, source], check=True)
    assert subprocess.run([target.emulator, "-cpu", target.processor, program], check=False).returncode == 0


@pytest.mark.parametrize("target", TARGETS)
def test_classes_are_what_the_code_does(
    target: str, toys: Callable[[str], Path], worker_cache: Path, tmp_path: Path
) -> None:
    """A sum takes for every byte one load, on 64 bits one multiplication, and one branch, for two bytes on POWER, where the compiler unrolls; nothing is stored or divided. Twice the bytes more are twice the instructions more."""
    first, second, third = emulated(target, toys(target), [1000, 2000, 4000], tmp_path, worker_cache)
    more = second.without(first)
    assert third.without(second).instructions == 2 * more.instructions and more.instructions % 500 == 0
    narrow = TARGETS[target].plain not in WIDE
    seen = more.classes
    if target == "cortex-m0plus":  # a product of 64 bits by a constant is made of shifts there
        assert seen["multiply"] == 0
    else:
        assert seen["multiply"] >= 2000 if narrow else seen["multiply"] == 1000
    assert seen["branch"] == (500 if target == "ppc64le" else 1000) and seen["divide"] == 0
    assert (seen["load"], seen["store"]) == (1000, 0) or narrow


@pytest.mark.parametrize("target", ["x86-64", "aarch64"])
def test_a_count_does_not_depend_on_what_else_is_counted(target: str, cli: CommandLine, tmp_path: Path) -> None:
    """A laboratory, proven and counted: twice the same, alone or with others; a comparison without tolerance."""
    need(target)
    words = ("count", "--on", target, "-l", LAB, "--format", "json")
    whole, part = cli(*words).no_trace(), cli(*words, "-f", "aes-128-cbc/encrypt").no_trace()
    assert (whole.code, part.code) == (0, 0), whole.err
    counts = {(one["case"], one["lane"]): one for one in json.loads(whole.out)["counts"]}
    again = {(one["case"], one["lane"]): one for one in json.loads(part.out)["counts"]}
    assert len(counts) == 12 and len(again) == 2
    assert {key: counts[key] for key in again} == again
    for one in counts.values():
        assert one["outcome"] == "counted" and one["proof"] == "ok" and one["instructions"] > 5000
    (told,) = json.loads(whole.out)["targets"]
    assert told["null_instructions"] > 0 and "7.2" in told["emulator"] and told["worker_hash"]

    file = tmp_path / "before.json"
    file.write_text(whole.out)
    asked = ("count", "--on", target, "-l", LAB, "-f", "aes-128-cbc/encrypt", "--against", str(file))
    same, forced = cli(*asked).no_trace(), cli(*asked, "--force").no_trace()
    known = f"{file} and what is counted now are the same code ({LAB}@O3 on {target}: worker {told['worker_hash']})"
    assert same.code == 1 and "aes-128-cbc/encrypt" in same.out and f"{known}: nothing to compare" in same.err
    assert forced.code == 0 and f"warning: {known}: what follows is what no difference looks like" in forced.err
    file.write_text(whole.out.replace("aes-128-cbc/encrypt", "aes-128-cbc/decrypt"))
    apart = cli(*asked).no_trace()
    assert apart.code == 1 and "no case is counted there that is counted now" in apart.err
    changed = json.loads(whole.out)
    for one in changed["counts"]:
        one["instructions"] += one["case"].startswith("aes-128-cbc/encrypt")
    file.write_text(json.dumps(changed))
    other = cli("count", "--on", target, "-l", LAB, "-f", "aes-128-cbc/encrypt", "--against", str(file))
    assert other.code == 3 and "2 counts of" in other.err and "(-1, -0.0" in other.err
    assert "though the code is the same (" in other.err


def reached(target: str, cache: Path) -> tuple[Workshop, Job]:
    need(target)
    workshop = Workshop(ROOT, cache, TOOLCHAIN, this_system())
    library = load_library(ROOT / "labs" / LAB, load_catalogue(ROOT))
    return workshop, Job(TARGETS[target], library, library.builds[0])


def test_a_count_that_does_not_repeat_is_none(worker_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what was seen; the empty call must repeat, or nothing counts."""
    workshop, job = reached("x86-64", worker_cache)
    real, extra = CountingBench.called, iter(range(100, 100_000, 100))

    def moving(one: CountingBench, *rest: object) -> Called:
        found, more = real(one, *rest), next(extra)  # type: ignore[arg-type]
        moved = (msgspec.structs.replace(tally, instructions=tally.instructions + more) for tally in found.tallies)
        return msgspec.structs.replace(found, tallies=tuple(moved))

    catalogue = load_catalogue(ROOT)
    bench = CountingBench(reach(workshop, job, print), Known(ROOT, catalogue), True)
    null = bench.null()
    bench.close()
    monkeypatch.setattr(CountingBench, "null", lambda _: null)
    monkeypatch.setattr(CountingBench, "called", moving)
    found = count_everything(workshop, [job], catalogue, CountRequest(), lambda _: None)
    assert {one.outcome for one in found.counts} == {Counting.VARIES}
    assert all(
        one.instructions is None and len({*one.seen}) == 2 and "does not repeat" in one.reason for one in found.counts
    )
    monkeypatch.undo()
    monkeypatch.setattr(CountingBench, "called", moving)
    (none,) = count_everything(workshop, [job], catalogue, CountRequest(), lambda _: None).targets
    assert "its empty call does not repeat" in none.problem and none.null_instructions is None


def test_a_target_that_cannot_be_reached_has_a_reason(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An emulator of another version: the others are counted all the same."""
    need("x86-64")
    (tmp_path / "bin").mkdir()
    for name, text in (("qemu-aarch64", "qemu-aarch64 version 10.0.2"), ("aarch64-linux-gnu-gcc", "gcc 12.2.0")):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\necho '{text}'\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    done = cli("count", "--on", "x86-64,aarch64", "-l", LAB, "-f", "aes-128-cbc/encrypt").no_trace()
    assert done.code == 1 and "10.0.2" in done.err and "another interface" in done.err
    assert "aes-128-cbc/encrypt" in done.out


REFUSED = """
import ctypes, sys
class Version(ctypes.Structure):
    _fields_ = [("min", ctypes.c_int), ("cur", ctypes.c_int)]
class Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("version", Version), ("system", ctypes.c_bool), ("cpus", ctypes.c_int * 2)]
plugin = ctypes.CDLL(sys.argv[1], mode=1)  # RTLD_LAZY: the emulator is not here
info = Info(b"aarch64", Version(int(sys.argv[2]), int(sys.argv[3])), False)
plugin.qemu_plugin_install.argtypes = (ctypes.c_uint64, ctypes.POINTER(Info), ctypes.c_int, ctypes.c_void_p)
print(plugin.qemu_plugin_install(1, ctypes.byref(info), 0, None))
"""


@pytest.mark.parametrize(
    ("least", "most", "said"),
    [
        (2, 4, "counter: is written for version 1 of the plugin interface, this emulator has 2 to 4"),
        (0, 0, "has 0 to 0"),
        (0, 1, "needs begin=HEX"),
    ],
)
def test_the_plugin_refuses_another_interface(least: int, most: int, said: str, worker_cache: Path) -> None:
    plugin = counting_plugin(TOOLCHAIN, ROOT, worker_cache)
    words = [sys.executable, "-c", REFUSED, str(plugin), str(least), str(most)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "-1\n" and said in done.stderr and done.stderr.count("\n") == 1
    assert ctypes.c_int.in_dll(ctypes.CDLL(str(plugin), mode=1), "qemu_plugin_version").value == 1


def test_a_worker_without_the_markers_is_not_counted(tmp_path: Path) -> None:
    program = tmp_path / "program"
    subprocess.run(
        [TOOLCHAIN.cc, "-x", "c", "-", "-o", str(program)],
        input="int main(void) { return 0; }\n",
        text=True,
        check=True,
    )
    with pytest.raises(BuildError, match="has no cs_count_begin"):
        markers(program)
    with pytest.raises(BuildError, match="cannot be read"):
        markers(tmp_path / "none")
