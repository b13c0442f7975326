# SPDX-License-Identifier: Apache-2.0
"""The modexp laboratory's AVX-512 IFMA back end against GMP, in a C driver; what it says where it cannot run."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from scripts import ROOT

from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workers import C_STANDARD, WARNINGS

LAB = ROOT / "labs" / "modexp"
SOURCES = ("ifma.c", "ifma_convert.c", "ifma_kernels.c", "ifma_power.c")
DRIVER = Path(__file__).parent / "modexp_ifma_driver.c"
TOOLCHAIN = find_toolchain()
UNAVAILABLE = 77  # the driver's exit status

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the back end is for x86-64")


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The back end and the driver in one program; warnings are errors."""
    target = tmp_path_factory.mktemp("ifma") / "driver"
    sources = [str(LAB / name) for name in SOURCES] + [str(DRIVER)]
    command = [TOOLCHAIN.cc, *C_STANDARD, *WARNINGS, "-Werror", "-Wmissing-prototypes", "-O2", "-I", str(LAB), *sources]
    done = subprocess.run([*command, "-lgmp", "-o", str(target)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def compared(driver: Path, mode: str, bits: int, turns: int) -> str:
    """What the driver says of `turns` turns with numbers of `bits` bits; skips where the CPU has no IFMA."""
    done = subprocess.run(
        [str(driver), mode, str(bits), str(turns), str(bits + turns)], capture_output=True, text=True, check=False
    )
    if done.returncode == UNAVAILABLE:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout
    return done.stdout


# every length of the catalogue, the shortest, and lengths whose blocks have lanes to spare; turns go round windows 0 to
# 7, constant time or not, patterns of moduli, bases and exponents
@pytest.mark.parametrize(
    ("bits", "turns"),
    [(256, 400), (512, 400), (640, 200), (1024, 160), (1472, 80), (2048, 48), (3072, 32), (4096, 16), (8192, 8)],
)
def test_powers_are_those_of_gmp(driver: Path, bits: int, turns: int) -> None:
    assert compared(driver, "power", bits, turns) == f"{2 * turns} right\n"


@pytest.mark.parametrize("bits", [320, 512, 1024, 1088, 1536, 2048, 4096])
def test_two_powers_at_once_are_those_of_gmp(driver: Path, bits: int) -> None:
    turns = max(16, 80 * 1024 // bits // 4)
    assert compared(driver, "pair", bits, turns) == f"{2 * turns} right\n"


@pytest.mark.parametrize("bits", [256, 512, 576, 1024, 2048, 4096, 8192])
def test_products_are_those_of_gmp(driver: Path, bits: int) -> None:
    assert compared(driver, "product", bits, 1000) == "1000 right\n"


def test_even_short_and_empty_moduli_are_refused(driver: Path) -> None:
    assert compared(driver, "refused", 1024, 3) == "3 right\n"


@pytest.mark.parametrize("bits", [192, 500, 8256])
def test_lengths_that_it_does_not_take(driver: Path, bits: int) -> None:
    done = subprocess.run([str(driver), "power", str(bits), "1", "1"], capture_output=True, text=True, check=False)
    if done.returncode == UNAVAILABLE:
        pytest.skip(done.stdout.strip())
    assert (done.returncode, done.stdout) == (3, "length not taken\n")


def test_says_what_the_cpu_lacks(driver: Path) -> None:
    """An emulated processor without AVX-512: one line, and no illegal instruction."""
    qemu = shutil.which("qemu-x86_64")
    if qemu is None:
        pytest.skip("no qemu-x86_64 (Debian: qemu-user)")
    done = subprocess.run(
        [qemu, "-cpu", "Haswell", str(driver), "power", "512", "1", "1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == UNAVAILABLE, done.stdout + done.stderr
    assert done.stdout == "unavailable: the system does not save AVX-512 registers\n"
