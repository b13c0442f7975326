# SPDX-License-Identifier: Apache-2.0
"""Kernels of an instruction set that this machine does not have: compiled by a cross compiler, proven under an emulator, never timed there."""

from __future__ import annotations

import platform
import shutil

import msgspec

from cipherstone.build.installed import find_installation
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workers import WorkerJob, build_worker
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library, load_library
from cipherstone.execute.check import check_everything
from cipherstone.execute.survey import Announce, Found
from cipherstone.isa.table import ISAS, Isa
from cipherstone.measure.pool import Launch
from cipherstone.model.errors import BuildError, UsageError, WorkerError, nearest
from cipherstone.model.ids import joined_build
from cipherstone.model.records import Build, ProofRecord
from cipherstone.operations.kernel_proof import kernel_vectors
from cipherstone.operations.kernels import FAMILY as LAB
from cipherstone.operations.kernels import kernel_catalogue, native_isa
from cipherstone.worker import WorkerProcess

# An emulated call takes some fifty times as long as a native one.
PATIENCE = 10.0


class Cross(msgspec.Struct, frozen=True):
    """How an instruction set is reached from another machine. `packages`: what brings compiler, C library and emulator on Debian."""

    compiler: str
    emulator: str
    packages: str


CROSS: dict[Isa, Cross] = {
    "aarch64": Cross("aarch64-linux-gnu-gcc", "qemu-aarch64", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"),
    "x86-64": Cross("x86_64-linux-gnu-gcc", "qemu-x86_64", "gcc-x86-64-linux-gnu libc6-dev-amd64-cross qemu-user"),
}


def known_isa(name: str) -> Isa:
    """The instruction set called `name`. Raises UsageError with the nearest."""
    for isa in ISAS:
        if name == isa:
            return isa
    raise UsageError(f"instruction set: '{name}' has no kernels", nearest(name, ISAS))


def why_not_timed(isa: Isa) -> str:
    """Why cycles of an instruction set cannot be measured here, in one line; "" where they can."""
    if native_isa() == isa:
        return ""
    return f"{isa}: not timed: this machine is {platform.machine()}, and an emulator's times say nothing about a core"


def prove_foreign(workshop: Workshop, isa: Isa, announce: Announce | None = None) -> list[ProofRecord]:
    """Every implementation of every kernel of `isa` against the interpreter: two known answers each, and the state after a whole call.

    Natively if this machine is of that kind, else under emulation. One record an (operation, implementation); kernels that the emulated processor lacks
    are left out. Raises BuildError in one line if compiler or emulator are missing, the worker does not compile, or its loops are not what the table tells;
    WorkerError if the worker does not start.
    """
    catalogue = kernel_catalogue(workshop.root, isa)
    found = found_elsewhere(workshop, isa, load_library(workshop.root / "labs" / LAB, catalogue), announce)
    return list(check_everything([found], catalogue, kernel_vectors))


def found_elsewhere(workshop: Workshop, isa: Isa, library: Library, announce: Announce | None = None) -> Found:
    """The first build of a laboratory for `isa`, linked statically: on a machine of that kind as it is, elsewhere under emulation. Raises as `prove_foreign`."""
    cross = CROSS[isa]
    native = native_isa() == isa
    if not native:
        lacking = [name for name in (cross.compiler, cross.emulator) if shutil.which(name) is None]
        if lacking:
            raise BuildError(
                f"{isa} kernels: no {' and no '.join(lacking)} here", f"on Debian: apt-get install {cross.packages}"
            )
    toolchain = workshop.toolchain if native else find_toolchain(cross.compiler, cross.compiler)
    own = library.builds[0]
    build = BuildSpec(
        variant=f"{isa}-emulated",
        why="proof of another machine's code",
        flags=("-O2", "-g0", "-static"),
        version=own.version,
    )
    installation = find_installation(library, toolchain, workshop.system, build)
    worker = build_worker(WorkerJob(library, installation, toolchain, workshop.root, workshop.cache, build))
    if announce is not None:
        announce(f"{isa}: {worker.note}")
    launch = Launch(((str(worker.path),) if native else (cross.emulator, str(worker.path))), patience=PATIENCE)
    with WorkerProcess(launch.command, patience=launch.patience) as process:
        hello, listed = process.hello(), process.operations()
    if hello.library != library.id:
        raise WorkerError("crashed", f"the worker calls itself '{hello.library}'")
    described = Build(
        library=library.id,
        build=joined_build(hello.version, build.variant),
        version=hello.version,
        version_from=hello.version_from,
        title=library.title,
        licence=library.licence,
        compiler=hello.compiler,
        flags=hello.flags,
        cpu_path=hello.cpu_path,
        worker_hash=worker.digest,
    )
    return Found(
        library.id,
        library.title,
        "ready",
        library=library,
        hello=hello,
        listed=tuple(listed),
        launch=launch,
        build=described,
    )
