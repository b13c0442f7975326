# SPDX-License-Identifier: Apache-2.0
"""Whether a program computes on this machine's processor, or is emulated: its times are then the emulator's. Signs that cost nothing; what an emulator of a whole machine hides well is not found here (`measure.watch` times instructions)."""

from __future__ import annotations

import ctypes
import platform
import re
import sys
from contextlib import suppress
from pathlib import Path

from cipherstone.host.reading import cpuinfo_field, read_text

# Machine numbers of ELF, by the family whose processors run them.
FAMILIES: dict[str, frozenset[int]] = {
    "x86": frozenset({3, 62}),
    "arm": frozenset({40, 183}),
    "riscv": frozenset({243}),
    "ppc": frozenset({20, 21}),
    "s390": frozenset({22}),
    "mips": frozenset({8}),
    "loongarch": frozenset({258}),
    "sparc": frozenset({2, 18, 43}),
}
NAMED: dict[str, str] = {"x86_64": "x86", "amd64": "x86", "aarch64": "arm", "arm64": "arm", "s390x": "s390"}
PREFIXES = ("riscv", "ppc", "powerpc", "s390", "mips", "loongarch", "sparc", "arm")
# Files that a process is, in truth, while it seems to be its own executable.
_EMULATORS = re.compile(
    r"(?P<name>qemu|box64|box86|FEX|rosetta|valgrind|memcheck|callgrind|cachegrind|lackey|none-|drrun|pinbin)[^/]*\Z"
)
_VALGRIND = re.compile(r"/valgrind/")
ELF_HEADER = 20
# Of the models that QEMU's own translator has and no hypervisor shows.
TRANSLATED = ("QEMU TCG CPU", "VirtualApple")
QEMU = "QEMU Virtual CPU"  # also what its KVM shows if no model is named
PARAVIRTUAL = ("kvm-clock", "hyperv", "xen")


def family_of(architecture: str) -> str:
    """`x86`, `arm`, ... of a name as `uname -m` has it; "" for one that is not known."""
    name = architecture.lower()
    if name in NAMED:
        return NAMED[name]
    if re.fullmatch(r"i[3-6]86", name):
        return "x86"
    return next((("ppc" if prefix == "powerpc" else prefix) for prefix in PREFIXES if name.startswith(prefix)), "")


def family_of_cpuinfo(cpuinfo: str) -> str:
    """Whose processor /proc/cpuinfo describes, "" where its fields do not tell."""
    if cpuinfo_field(cpuinfo, "CPU implementer"):
        return "arm"
    if (cpuinfo_field(cpuinfo, "isa") or "").startswith("rv"):
        return "riscv"
    vendor = cpuinfo_field(cpuinfo, "vendor_id") or ""
    if vendor.startswith("IBM/S390"):
        return "s390"
    if vendor and "fpu" in (cpuinfo_field(cpuinfo, "flags") or "").split():
        return "x86"
    return "ppc" if (cpuinfo_field(cpuinfo, "cpu") or "").startswith("POWER") else ""


def elf_machine(path: str | Path) -> int | None:
    """The machine that an executable is for; None for a file that is no ELF executable, or cannot be read."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(ELF_HEADER)
    except OSError:
        return None
    if len(head) < ELF_HEADER or head[:4] != b"\x7fELF":
        return None
    return int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")


def emulated_machine(
    architecture: str, cpuinfo: str, program: str | None, clocks: str, translated: bool = False
) -> str:
    """By what this machine is emulated, as this program sees it, in a few words; "" if nothing says so.

    `program`: the file that the system runs for this process, in the system's own words (an emulator of one program hides it from that program only under its usual name). `clocks`: clock sources of the
    system. `translated`: the system says itself that it translates this program.
    """
    if translated:
        return "Rosetta: the system translates this program"
    mine, theirs = family_of(architecture), family_of_cpuinfo(cpuinfo)
    if program is not None and (found := emulated_program(program, architecture)):
        return found
    if mine and theirs and mine != theirs:
        return f"architecture {architecture} on a processor of {cpuinfo_field(cpuinfo, 'vendor_id', 'model name') or theirs}"
    model = cpuinfo_field(cpuinfo, "model name", "Model") or ""
    if any(name in model for name in TRANSLATED):
        return f"the processor calls itself '{model}'"
    if QEMU in model and not any(name in clocks for name in PARAVIRTUAL):
        return f"the processor calls itself '{model}', and no hypervisor gives a clock"
    if mine == "arm" and (cpuinfo_field(cpuinfo, "CPU implementer") or "").lower() in ("0x0", "0x00"):
        return "the processor has no implementer, as QEMU's 'max' has none"
    return ""


def emulated_program(program: str, architecture: str) -> str:
    """By what a process is emulated whose file is `program` as the system sees it (`/proc/PID/exe`), on a system of `architecture`; "" if it runs by itself."""
    name = Path(program).name
    if _EMULATORS.match(name) or _VALGRIND.search(program):
        return name
    machine, family = elf_machine(program), family_of(architecture)
    known = FAMILIES.get(family)
    if machine is not None and known is not None and machine not in known:
        theirs = next((one for one, numbers in FAMILIES.items() if machine in numbers), f"machine {machine}")
        return f"{name}, which is of {theirs} and this system of {family}"
    return ""


def emulation(cpuinfo: str) -> str:
    """By what this machine is emulated, "" if nothing says so. `cpuinfo`: text of /proc/cpuinfo."""
    program: str | None = None
    for place in ("/proc/thread-self/exe", "/proc/self/exe"):
        with suppress(OSError):
            program = str(Path(place).readlink())
            break
    clocks = read_text("/sys/devices/system/clocksource/clocksource0/available_clocksource") or ""
    return emulated_machine(platform.machine(), cpuinfo, program, clocks, _translated())


def emulation_of(pid: int) -> str:
    """By what another process of ours is emulated, "" if by nothing, or the system does not tell."""
    try:
        program = str(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return ""
    return emulated_program(program, platform.machine())


def _translated() -> bool:
    """Whether macOS says that it translates this process."""
    if sys.platform != "darwin":
        return False
    value, size = ctypes.c_int(0), ctypes.c_size_t(4)
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        if library.sysctlbyname(b"sysctl.proc_translated", ctypes.byref(value), ctypes.byref(size), None, 0) == 0:
            return value.value == 1
    return False
