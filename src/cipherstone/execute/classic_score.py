# SPDX-License-Identifier: Apache-2.0
"""The classic single score of a machine: a small compiled loop, built by several compilers and flags, because that is what it depends on."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec

from cipherstone.build.cache import kept, publish, scratch_beside
from cipherstone.build.toolchain import find_toolchain, run_tool
from cipherstone.build.workshop import Workshop
from cipherstone.model.errors import BuildError
from cipherstone.stats.quantiles import quantile

SOURCE = Path("labs", "classic", "classic.c")
ITERATIONS = 120  # of about 5 ms each
TIME_LIMIT_S = 300
# The original is compiled with -O2; the others show what the score owes to the compiler.
FLAGS = (("-O2",), ("-O2", "-fno-tree-vectorize"), ("-O3",))


class ClassicTime(msgspec.Struct, frozen=True):
    """One build of the loop. `us`: median CPU time of an iteration; `low_us`, `high_us`: 10 % and 90 % quantile; `checksum`: the same for every build."""

    compiler: str
    flags: str
    us: float
    low_us: float
    high_us: float
    checksum: str


def measure_reference(workshop: Workshop, cpu: int | None = None) -> float | None:
    """Median CPU time of an iteration in microseconds, as scores refer to it: the compiler of the workers with -O2; None where it could not be built or run. About a second."""
    compiler = workshop.toolchain.cc
    try:
        program = _build(workshop, workshop.root / SOURCE, compiler, FLAGS[0])
        return _run(program, compiler, FLAGS[0], cpu).us
    except BuildError:
        return None


def measure_classic(
    workshop: Workshop, cpu: int | None = None, announce: Callable[[str], None] | None = None
) -> tuple[ClassicTime, ...]:
    """Builds and times the loop: the first with the compiler of the workers and -O2, as the original; then other flags and compilers.

    Raises BuildError: the compiler refuses, a program does not end as it should, or two builds do not compute the same.
    """
    source = workshop.root / SOURCE
    first = workshop.toolchain.cc
    others = [name for name in ("gcc", "clang") if shutil.which(name) and not _same(name, first)]
    builds = [(first, flags) for flags in FLAGS] + [(name, FLAGS[0]) for name in others]
    found = []
    for compiler, flags in builds:
        if announce is not None:
            announce(f"classic test: {compiler} {' '.join(flags)}")
        program = _build(workshop, source, compiler, flags)
        found.append(_run(program, compiler, flags, cpu))
    sums = {one.checksum for one in found}
    if len(sums) != 1:
        raise BuildError(f"classic test: {len(sums)} builds compute different results", "a compiler is wrong: see CC=")
    return tuple(found)


def _same(a: str, b: str) -> bool:
    """Whether two commands are one compiler, by what they say of themselves."""
    return find_toolchain(a, a).cc_version == find_toolchain(b, b).cc_version


def _build(workshop: Workshop, source: Path, compiler: str, flags: tuple[str, ...]) -> Path:
    try:
        content = source.read_bytes()
    except OSError as error:
        raise BuildError(f"classic test: {source}: {error.strerror}", "is the checkout complete?") from None
    version = find_toolchain(compiler, compiler).cc_version or ""
    key = hashlib.sha256(b"|".join([content, compiler.encode(), version.encode(), " ".join(flags).encode()]))
    folder = workshop.cache / "classic"
    target = folder / key.hexdigest()[:16]
    if not kept(target):
        with scratch_beside(folder) as scratch:
            fresh = scratch / target.name
            words = [compiler, "-std=c11", *flags, "-o", str(fresh), str(source)]
            run_tool(words, f"classic test with {' '.join(flags)}")
            publish(fresh, target)
    return target


def _run(program: Path, compiler: str, flags: tuple[str, ...], cpu: int | None) -> ClassicTime:
    what = f"classic test: {compiler} {' '.join(flags)}"
    # Pinned by the child itself before it begins; where that is not allowed, it runs where it may.
    pin = ["taskset", "-c", str(cpu)] if cpu is not None and shutil.which("taskset") else []
    try:
        done = subprocess.run(
            [*pin, str(program), str(ITERATIONS)], capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise BuildError(
            f"{what}: did not end within {TIME_LIMIT_S} s", "is something else using this machine?"
        ) from None
    lines = done.stdout.split()
    if done.returncode != 0 or len(lines) != ITERATIONS + 2:
        raise BuildError(
            f"{what}: ended with status {done.returncode} after {len(lines)} words", "", done.stderr[-500:]
        )
    us = [int(line) / 1e3 for line in lines[:ITERATIONS]]
    version = find_toolchain(compiler, compiler).cc_version or compiler
    low, middle, high = (quantile(us, q) for q in (0.1, 0.5, 0.9))
    return ClassicTime(version, " ".join(flags), middle, low, high, lines[-1])
