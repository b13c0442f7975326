# SPDX-License-Identifier: Apache-2.0
"""Machines that workers are compiled for and run on under emulation: compiler, flags, emulator, packages. One map; what is missing here is asked for only where a target is named."""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cipherstone.build.toolchain import (
    CROSS,
    OPTIMISATION,
    Toolchain,
    find_toolchain,
    is_clang,
    program_version,
    run_tool,
)
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.composed import FLAG_WORDS, MULTILIB
from cipherstone.model.errors import BuildError, UsageError, nearest

_VERSION = re.compile(r"version (?P<major>\d+)\.\d+")
# Majors of QEMU whose plugins have version 1 of the interface among theirs; 7.2 is what it was written and tried with.
MAJORS = range(5, 9)
MASK = "~"  # as in the name of a build


class Board(msgspec.Struct, frozen=True):
    """A machine without an operating system. `words`: the emulator's for it. `rom`, `ram`, `ram_bytes`: where its code and its data lie."""

    words: tuple[str, ...]
    rom: int
    ram: int
    ram_bytes: int

    @property
    def link_words(self) -> tuple[str, ...]:
        """What the linker has to know of it (sdk/c/bare/board.ld)."""
        places = {"rom": self.rom, "ram": self.ram, "ram_bytes": self.ram_bytes, "stack_bytes": STACK_BYTES}
        return tuple(f"-Wl,--defsym=cs_{name}={value:#x}" for name, value in places.items())


class Target(msgspec.Struct, frozen=True):
    """A machine. `machine`: the kind of the system that runs its programs as they are; "" if there is none. `prefix`: of the cross compiler's commands. `flags`: of everything but the C library.

    `native`: flags where the system's own compiler makes its programs too. `processor`: that is emulated. `packages`: of Debian, beside the emulator's; `native_packages` where this machine is `machine`.
    `board`: of one without an operating system, whose `flags` the SDK is compiled with too. `lacks`: what the emulated processor has and this machine has not: hidden from its programs, which the counter ends where they execute it. `cpuinfo`: what they read in /proc/cpuinfo; "": what this machine's kernel says (`build.processors`).
    """

    id: str
    title: str
    machine: str
    prefix: str
    emulator: str
    processor: str
    packages: tuple[str, ...]
    flags: tuple[str, ...] = ()
    native: tuple[str, ...] = ()
    native_packages: tuple[str, ...] = ()
    board: Board | None = None
    lacks: str = ""
    cpuinfo: str = ""

    @property
    def plain(self) -> str:
        """Its name without masks: the machine that it is but for what they take away."""
        return self.id.partition(MASK)[0]

    @property
    def is_masked(self) -> bool:
        """Whether something is taken away from it. Such a machine is counted on where it is named, and nowhere else."""
        return self.plain != self.id

    @property
    def isa(self) -> str:
        """Its instruction set, as `isa.mnemonics` calls it."""
        return "arm" if self.machine == "armv7l" or self.board is not None else self.plain

    @property
    def word_bits(self) -> int:
        """Of its registers."""
        return 64 if self.plain in ("x86-64", "aarch64", "ppc64le", "riscv64") else 32

    @property
    def architecture(self) -> str:
        """As publications and kernels call it."""
        return {"x86-64": "x86_64", "cortex-m0plus": "armv6-m"}.get(self.plain, self.plain)

    @property
    def processor_told(self) -> str:
        """What is emulated, and what of it is out of reach."""
        return f"{self.processor} without {self.lacks}" if self.lacks else self.processor

    @property
    def linking(self) -> tuple[str, ...]:
        """Flags of a whole program: the emulator finds no shared libraries. A board has none."""
        return ("-static",) if self.board is None else ()

    @property
    def is_native(self) -> bool:
        """Whether the system's own compiler makes its programs."""
        return platform.machine() == self.machine

    @property
    def cxx_package(self) -> str:
        """Debian's with its C++ compiler, or with that compiler's library where compiler and C++ are one package."""
        if self.board is not None:
            return EMBEDDED_CXX
        own = (*self.native_packages, NATIVE_CXX) if self.is_native else self.packages
        return own[0].replace("gcc-", "g++-", 1)

    @property
    def said(self) -> str:
        """What to type to have all that it needs."""
        emulators = EMULATORS if self.board is None else BOARD_EMULATORS
        return f"on Debian: apt-get install {' '.join((*(self.native_packages if self.is_native else self.packages), emulators))}"

    def words(self, emulator: str, program: str, counting: Sequence[str] = (), again: bool = False) -> tuple[str, ...]:
        """What runs `program`. `counting`: the emulator's words for a plugin; `again`: on a board it begins anew when it has ended, until no more is asked."""
        if self.board is None:
            return emulator, "-cpu", self.processor, *counting, program
        calls = f"{_CALLS},arg=again" if again else _CALLS
        return emulator, *self.board.words, *_BARE, "-semihosting-config", calls, *counting, "-kernel", program


EMULATORS, BOARD_EMULATORS = "qemu-user", "qemu-system-arm"
STACK_BYTES = 1 << 18
# Nothing but the processor and its memory; the conversation goes over the host's own files.
_BARE = ("-nodefaults", "-display", "none", "-serial", "none", "-monitor", "none")
_CALLS = "enable=on,target=native"
NATIVE_CXX, EMBEDDED_CXX = "g++", "libstdc++-arm-none-eabi-newlib"
_EMBEDDED = ("gcc-arm-none-eabi", "libnewlib-arm-none-eabi")


def _cortex(name: str, title: str, processor: str, board: Board) -> Target:
    """A Cortex-M. Its compiler gets `name`, and no position-independent code, which some recipes ask for and firmware does not use."""
    flags = (f"-mcpu={name}", "-mthumb", "-fno-pic", "-ffunction-sections", "-fdata-sections")
    return Target(name, title, "", "arm-none-eabi-", "qemu-system-arm", processor, _EMBEDDED, flags, board=board)


def _mps2(model: str, ram: int = 0x21000000, rom: int = 0x0) -> Board:
    """A board for one processor of many: 4 MiB for code, 16 MiB for data."""
    return Board(("-M", f"mps2-{model}"), rom, ram, 16 << 20)


# The one board with an M0, a microbit, has 16 KiB: room for an operation, not for what asks for it and proves it. The model of its chip takes more.
_M0 = Board(
    ("-M", "microbit", "-global", f"nrf51-soc.flash-size={4 << 20}", "-global", f"nrf51-soc.sram-size={16 << 20}"),
    0x0,
    0x20000000,
    16 << 20,
)
# x86: no `rep movsb`, of which every byte would count as an instruction; no VAES, whose round on 256 bits QEMU 7.2 computes wrongly in the upper half, so that a library that is right would be `wrong`.
_X86 = "max,-erms,-vaes"
# The compiler may use NEON where the processor has it; Debian's own flags have no NEON. Both have one interface of functions, and the same C library.
_NEON = "-mfpu=neon-vfpv4"


# What a kernel says of a Cortex-A15, in its order; the emulated one has all of it.
_FEATURES = ("swp half thumb fastmult vfp edsp thumbee ", "vfpv3 tls vfpv4 idiva idivt vfpd32 lpae ")


def _arm(name: str, title: str, *flags: str, neon: bool = True) -> Target:
    """An ARMv7-A, whose C library is Debian's with registers for floating point."""
    packages = ("gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross")
    processor, flags = ("cortex-a15", (*flags, _NEON)) if neon else ("cortex-a15,neon=off", flags)
    features = ("neon " if neon else "").join(_FEATURES)
    cpuinfo = f"processor\t: 0\nFeatures\t: {features}\nCPU implementer\t: 0x41\nCPU architecture: 7\n"
    return Target(name, title, "armv7l", "arm-linux-gnueabihf-", "qemu-arm", processor, packages, flags, flags, cpuinfo=cpuinfo)  # fmt: skip


def _masked(plain: Target, mask: str, title: str, processor: str = "", lacks: str = "") -> Target:
    """A machine without something: emulated by a processor that has it not or, where there is none, `lacks` says what is hidden."""
    name, words = f"{plain.id}{MASK}{mask}", f"{plain.title}, {title}"
    return msgspec.structs.replace(plain, id=name, title=words, processor=processor or plain.processor, lacks=lacks)


_X86_64 = Target("x86-64", "x86-64", "x86_64", "x86_64-linux-gnu-", "qemu-x86_64", _X86, ("gcc-x86-64-linux-gnu", "libc6-dev-amd64-cross"))  # fmt: skip
_AARCH64 = Target("aarch64", "AArch64", "aarch64", "aarch64-linux-gnu-", "qemu-aarch64", "max", ("gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"))  # fmt: skip
_ALL = (
    _X86_64,
    Target("i386", "x86, 32 bits", "x86_64", "i686-linux-gnu-", "qemu-i386", _X86, ("gcc-i686-linux-gnu", "libc6-dev-i386-cross"), (), FLAG_WORDS["i386"], (MULTILIB,)),
    _AARCH64,
    _arm("armv7a", "ARMv7-A, A32, NEON", "-marm"),
    _arm("armv7a-thumb", "ARMv7-A, T32, NEON", "-mthumb"),
    Target("ppc64le", "POWER8, little-endian", "ppc64le", "powerpc64le-linux-gnu-", "qemu-ppc64le", "power8", ("gcc-powerpc64le-linux-gnu", "libc6-dev-ppc64el-cross")),
    Target("riscv64", "RISC-V, RV64GC", "riscv64", "riscv64-linux-gnu-", "qemu-riscv64", "rv64", ("gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross")),
    _cortex("cortex-m0plus", "Cortex-M0+, ARMv6-M", "cortex-m0", _M0),
    _cortex("cortex-m3", "Cortex-M3, ARMv7-M", "cortex-m3", _mps2("an385")),
    _cortex("cortex-m4", "Cortex-M4, ARMv7E-M", "cortex-m4", _mps2("an386")),
    _cortex("cortex-m7", "Cortex-M7, ARMv7E-M", "cortex-m7", _mps2("an500", ram=0x60000000)),
    _cortex("cortex-m33", "Cortex-M33, ARMv8-M", "cortex-m33", _mps2("an505", ram=0x80000000, rom=0x10000000)),
    # Masked ones last: where nothing says which, a plain one is meant.
    _masked(_X86_64, "noaes", "without AES and PCLMULQDQ", processor=f"{_X86},-aes,-pclmulqdq"),
    _masked(_AARCH64, "nocrypto", "without the cryptographic extensions", lacks="crypto"),
    _arm("armv7a~noneon", "ARMv7-A, A32, without NEON", "-marm", neon=False),
    _arm("armv7a-thumb~noneon", "ARMv7-A, T32, without NEON", "-mthumb", neon=False),
)  # fmt: skip
TARGETS = {target.id: target for target in _ALL}


def chosen_targets(names: Sequence[str]) -> list[Target]:
    """The targets called so, each once, in the order of the map. Raises UsageError."""
    for name in names:
        if name not in TARGETS:
            raise UsageError(f"--on: there is no target '{name}'", nearest(name, tuple(TARGETS)))
    return [target for target in _ALL if target.id in names]


def toolchain_for(target: Target, toolchain: Toolchain) -> Toolchain:
    """What compiles for a target: `toolchain` where this machine is of its kind. Raises BuildError if it is not here."""
    found = toolchain if target.is_native else find_toolchain(f"{target.prefix}gcc", f"{target.prefix}g++")
    if found.cc_version is None:
        raise BuildError(f"{target.id}: no compiler '{found.cc}'", target.said)
    return found


def emulator_of(target: Target) -> tuple[str, str]:
    """(path of the emulator, the first line of its version). Raises BuildError if it is not here, or of a version whose plugins are other ones."""
    path = shutil.which(target.emulator)
    version = program_version(path) if path is not None else None
    if path is None or version is None:
        raise BuildError(f"{target.id}: no emulator '{target.emulator}'", target.said)
    match = _VERSION.search(version)
    if match is None or int(match["major"]) not in MAJORS:
        raise BuildError(
            f"{target.id}: {target.emulator} has another interface for plugins than the counter: {version}",
            "Debian 12 has QEMU 7.2, which the counter is written for",
        )
    return path, version


def missing(target: Target, toolchain: Toolchain) -> str:
    """One line if a target cannot be reached here, "" if it can. Whether its C library is there is seen when something is linked."""
    try:
        toolchain_for(target, toolchain)
        emulator_of(target)
    except BuildError as error:
        return error.message
    return ""


def _headers(target: Target) -> tuple[str, ...]:
    """Where Clang finds the C library of a machine without an operating system; of the others it knows itself."""
    if target.board is None:
        return ()
    words = [f"{target.prefix}gcc", "-print-file-name=libc.a"]
    library = Path(run_tool(words, f"{target.id}: looking for the C library", target.said).strip())
    return "-isystem", str(library.resolve().parent.parent / "include")


def on_target(build: BuildSpec, target: Target) -> BuildSpec:
    """A build as the target's toolchain makes it: without masks, whose names are those of another processor. Clang compiles for every target, and the target's own compiler links what it made. Raises BuildError for a build that names another compiler, which makes nothing for another machine."""
    flags = target.native if target.is_native else target.flags
    if build.cc and not target.is_native:
        if not is_clang(build.cc):
            raise BuildError(f"{target.id}: build '{build.name}' is compiled by {build.cc}, for this machine alone")
        flags = (f"{CROSS}{target.prefix.rstrip('-')}", *_headers(target), *flags)
    return msgspec.structs.replace(build, flags=(*(build.flags or OPTIMISATION), *flags), masks=(), env={})
