# SPDX-License-Identifier: Apache-2.0
"""The modexp laboratory's AVX-512 IFMA back end against GMP, in a C driver; what it says where it cannot run."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path

import pytest
from kept import answered, headers, loaded
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
def driver(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """The back end and the driver in one program, made where it is needed; warnings are errors."""

    @cache
    def made() -> Path:
        target = tmp_path_factory.mktemp("ifma") / "driver"
        sources = [str(LAB / name) for name in SOURCES] + [str(DRIVER)]
        strict = [*C_STANDARD, *WARNINGS, "-Werror", "-Wmissing-prototypes", "-O2", "-I", str(LAB)]
        command = [TOOLCHAIN.cc, *strict, "-MD", *sources, "-lgmp", "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return target

    return made


def ran(
    driver: Callable[[], Path], words: Sequence[str], before: Sequence[str] = ()
) -> AbstractContextManager[tuple[int, str]]:
    """Status and words of the driver, kept while all that it is made of is the same. `before`: the program that runs it, and its options."""

    def run() -> tuple[int, str]:
        done = subprocess.run([*before, str(driver()), *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def files() -> list[Path]:
        read = headers(*driver().parent.glob("*.d"))
        return [*(path for path in read if not path.is_relative_to(LAB.resolve())), *loaded(driver())]

    inputs = (LAB, DRIVER, Path(__file__), TOOLCHAIN.cc_version or "", *words, *before, *map(Path, before[:1]))
    return answered("ifma", inputs, tuple[int, str], run, files)


@contextmanager
def compared(driver: Callable[[], Path], mode: str, bits: int, turns: int) -> Iterator[str]:
    """What the driver says of `turns` turns with numbers of `bits` bits; skips where the CPU has no IFMA."""
    with ran(driver, [mode, str(bits), str(turns), str(bits + turns)]) as (status, said):
        if status == UNAVAILABLE:
            pytest.skip(said.strip())
        assert status == 0, said
        yield said


# every length of the catalogue, the shortest, and lengths whose blocks have lanes to spare; turns go round windows 0 to
# 7, constant time or not, patterns of moduli, bases and exponents
@pytest.mark.parametrize(
    ("bits", "turns"),
    [(256, 400), (512, 400), (640, 200), (1024, 160), (1472, 80), (2048, 48), (3072, 32), (4096, 16), (8192, 8)],
)
def test_powers_are_those_of_gmp(driver: Callable[[], Path], bits: int, turns: int) -> None:
    with compared(driver, "power", bits, turns) as said:
        assert said == f"{2 * turns} right\n"


@pytest.mark.parametrize("bits", [320, 512, 1024, 1088, 1536, 2048, 4096])
def test_two_powers_at_once_are_those_of_gmp(driver: Callable[[], Path], bits: int) -> None:
    turns = max(16, 80 * 1024 // bits // 4)
    with compared(driver, "pair", bits, turns) as said:
        assert said == f"{2 * turns} right\n"


@pytest.mark.parametrize("bits", [256, 512, 576, 1024, 2048, 4096, 8192])
def test_products_are_those_of_gmp(driver: Callable[[], Path], bits: int) -> None:
    with compared(driver, "product", bits, 1000) as said:
        assert said == "1000 right\n"


def test_even_short_and_empty_moduli_are_refused(driver: Callable[[], Path]) -> None:
    with compared(driver, "refused", 1024, 3) as said:
        assert said == "3 right\n"


@pytest.mark.parametrize("bits", [192, 500, 8256])
def test_lengths_that_it_does_not_take(driver: Callable[[], Path], bits: int) -> None:
    with ran(driver, ["power", str(bits), "1", "1"]) as (status, said):
        if status == UNAVAILABLE:
            pytest.skip(said.strip())
        assert (status, said) == (3, "length not taken\n")


def test_says_what_the_cpu_lacks(driver: Callable[[], Path]) -> None:
    """An emulated processor without AVX-512: one line, and no illegal instruction."""
    qemu = shutil.which("qemu-x86_64")
    if qemu is None:
        pytest.skip("no qemu-x86_64 (Debian: qemu-user)")
    with ran(driver, ["power", "512", "1", "1"], [qemu, "-cpu", "Haswell"]) as (status, said):
        assert status == UNAVAILABLE, said
        assert said == "unavailable: the system does not save AVX-512 registers\n"
