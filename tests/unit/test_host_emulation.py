# SPDX-License-Identifier: Apache-2.0
"""Signs of an emulator: of one program, of a machine; and none where there is none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cipherstone.host import facts
from cipherstone.host.emulation import (
    elf_machine,
    emulated_machine,
    emulated_program,
    emulation_of,
    family_of,
    family_of_cpuinfo,
)
from cipherstone.host.facts import machine_facts

AMD = "vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\nflags\t\t: fpu vme hypervisor\n"
ARM = "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"
PYTHON = sys.executable


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("x86_64", "x86"), ("AMD64", "x86"), ("i686", "x86"), ("i386", "x86"), ("aarch64", "arm"), ("arm64", "arm"), ("armv7l", "arm"),
        ("riscv64", "riscv"), ("ppc64le", "ppc"), ("powerpc64", "ppc"), ("s390x", "s390"), ("mips64", "mips"), ("loongarch64", "loongarch"), ("sparc64", "sparc"), ("vax", ""),
    ],
)  # fmt: skip
def test_families_of_architectures(name: str, family: str) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (AMD, "x86"), (ARM, "arm"), ("", ""), ("isa\t: rv64imafdc\n", "riscv"), ("cpu\t\t: POWER9, altivec supported\n", "ppc"),
        ("vendor_id       : IBM/S390\n", "s390"), ("vendor_id\t: unknown\nflags\t: a b\n", ""),
    ],
)  # fmt: skip
def test_families_of_processors(text: str, family: str) -> None:
    assert family_of_cpuinfo(text) == family


def machine(architecture: str = "x86_64", cpuinfo: str = AMD, program: str | None = None, clocks: str = "tsc kvm-clock", translated: bool = False) -> str:  # fmt: skip
    return emulated_machine(architecture, cpuinfo, program, clocks, translated)


@pytest.mark.parametrize("architecture", ["x86_64", "i686", "vax"])
def test_a_machine_and_its_own_programs_are_no_emulation(architecture: str) -> None:
    """Also where the kernel is asked to call itself an older one."""
    assert machine(architecture) == ""
    assert machine("aarch64", ARM) == machine("armv7l", ARM) == machine("aarch64", "") == ""


def test_an_architecture_on_a_processor_of_another_is_one() -> None:
    """What was quoted: `aarch64` beside an AMD EPYC."""
    assert machine("aarch64") == "architecture aarch64 on a processor of AuthenticAMD"
    assert machine("riscv64") == "architecture riscv64 on a processor of AuthenticAMD"
    assert machine("x86_64", ARM) == "architecture x86_64 on a processor of arm"


def test_what_the_system_runs_for_a_program_tells() -> None:
    """An emulator that shows a processor of its own hides itself under the program's usual name alone."""
    assert machine("aarch64", ARM, "/usr/bin/qemu-aarch64-static") == "qemu-aarch64-static"
    assert machine("x86_64", AMD, PYTHON) == machine("x86_64", AMD, "/gone/python3.11") == ""


@pytest.mark.parametrize(
    "program",
    [
        "/usr/bin/qemu-aarch64", "/usr/libexec/qemu-binfmt/aarch64-binfmt-P/qemu-arm", "/usr/libexec/valgrind/memcheck-amd64-linux",
        "/usr/lib/valgrind/anything", "/opt/box64", "/usr/bin/FEXInterpreter", "/media/psf/rosetta", "/opt/dr/bin64/drrun",
    ],
)  # fmt: skip
def test_emulators_of_one_program_are_known_by_name(program: str) -> None:
    assert emulated_program(program, "x86_64") == Path(program).name


def test_an_executable_of_another_machine_is_emulated(tmp_path: Path) -> None:
    def program(number: int, order: int = 1) -> str:
        path = tmp_path / f"p{number}-{order}"
        head = bytearray(b"\x7fELF\x02" + bytes([order]) + bytes(14))
        head[18:20] = number.to_bytes(2, "little" if order == 1 else "big")
        path.write_bytes(bytes(head) + bytes(44))
        return str(path)

    assert emulated_program(program(62), "x86_64") == emulated_program(program(3), "x86_64") == ""
    assert emulated_program(program(40), "aarch64") == emulated_program(program(22, 2), "s390x") == ""
    assert emulated_program(program(183), "x86_64") == "p183-1, which is of arm and this system of x86"
    assert emulated_program(program(9999), "x86_64").endswith("which is of machine 9999 and this system of x86")
    assert emulated_program(program(183), "vax") == ""
    assert elf_machine(program(21, 2)) == 21 and elf_machine(tmp_path / "none") is None
    (tmp_path / "script").write_text("#!/bin/sh\nexit 0\n# longer than a header\n")
    (tmp_path / "short").write_bytes(b"\x7fELF")
    assert elf_machine(tmp_path / "script") is elf_machine(tmp_path / "short") is None


@pytest.mark.parametrize("model", ["QEMU TCG CPU version 2.5+", "VirtualApple @ 2.50GHz"])
def test_processors_that_only_translators_show(model: str) -> None:
    assert machine(cpuinfo=AMD.replace("AMD EPYC", model)) == f"the processor calls itself '{model}'"


def test_qemus_usual_model_is_one_where_no_hypervisor_gives_a_clock() -> None:
    """KVM shows it too if nobody names another."""
    text = AMD.replace("AMD EPYC", "QEMU Virtual CPU version 2.5+")
    assert machine(cpuinfo=text) == machine(cpuinfo=text, clocks="hyperv_clocksource tsc") == ""
    assert machine(cpuinfo=text, clocks="tsc hpet acpi_pm").endswith("and no hypervisor gives a clock")


def test_a_processor_without_an_implementer_and_a_system_that_translates() -> None:
    nobody = ARM.replace("0x41", "0x00")
    assert machine("aarch64", nobody) == "the processor has no implementer, as QEMU's 'max' has none"
    assert machine("x86_64", AMD, translated=True) == "Rosetta: the system translates this program"


def test_this_machine_says_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "emulation", lambda cpuinfo: "a film" if cpuinfo else "")
    assert machine_facts().emulated == ("a film" if Path("/proc/cpuinfo").exists() else "")


@pytest.mark.skipif(not Path("/proc/self/exe").exists(), reason="no /proc")
def test_a_process_that_runs_by_itself_is_not_emulated() -> None:
    with subprocess.Popen([PYTHON, "-IS", "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert emulation_of(process.pid) == ""
        assert process.stdin is not None
        process.stdin.close()
    assert emulation_of(1 << 30) == ""


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="not installed: valgrind")
def test_a_process_under_valgrind_is() -> None:
    command = ["valgrind", "-q", "--tool=none", shutil.which("cat") or "cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"x\n")
        process.stdin.flush()
        process.stdout.readline()
        assert emulation_of(process.pid).startswith("none-")
        process.stdin.close()
