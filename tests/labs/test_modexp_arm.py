# SPDX-License-Identifier: Apache-2.0
"""The modexp laboratory on 32-bit Arm, under emulation: UMAAL's products against portable C, whole exponentiations proven and counted on a Cortex-M4, and what each core is given."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from counted import TOOLCHAIN, need
from scripts import ROOT

from cipherstone.build.systems import this_system
from cipherstone.build.targets import TARGETS, emulator_of, toolchain_for
from cipherstone.build.workers import C_STANDARD, WARNINGS
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.filter import parse_filter
from cipherstone.catalogue.libraries import load_library
from cipherstone.catalogue.published_tables import load_published
from cipherstone.cli.selection import known_values
from cipherstone.execute.counting.jobs import CountRequest, Job, count_everything
from cipherstone.labs.modexp.counted import counted_rows, rows_wanted
from cipherstone.labs.modexp.names import LAB as NAME
from cipherstone.labs.modexp.names import PUBLISHED
from cipherstone.model.counts import Counting

LAB = ROOT / "labs" / "modexp"
DRIVER = Path(__file__).with_name("modexp_umaal.c")


def compiled(target: str, words: list[str]) -> None:
    need(target)
    own = [*C_STANDARD, *WARNINGS, "-Werror", *TARGETS[target].flags, "-I", str(LAB)]
    done = subprocess.run([toolchain_for(TARGETS[target], TOOLCHAIN).cc, *own, *words], capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("flags", [["-marm", "-O2"], ["-mthumb", "-O3"], ["-mthumb", "-Os"]])
def test_products_by_umaal_are_those_of_portable_code(flags: list[str], tmp_path: Path) -> None:
    """One limb to 40, numbers at random and at the edges: products, squares, the way into the form, powers."""
    program = tmp_path / "umaal"
    sources = [DRIVER, LAB / "limbs_32.c", LAB / "arena.c"]
    compiled("armv7a", [*flags, "-static", *map(str, sources), "-o", str(program)])
    words = TARGETS["armv7a"].words(emulator_of(TARGETS["armv7a"])[0], str(program))
    done = subprocess.run([*words, "11"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "20000 comparisons\n")


def steps(program: Path, kind: str, seed: int, log: Path) -> list[str]:
    """Addresses of all instructions that a run executes from the exponentiation on, in order, an instruction a line of the emulator's own log."""
    words = TARGETS["armv7a"].words(emulator_of(TARGETS["armv7a"])[0], f"./{program.name}", ("-singlestep", "-d", "exec,nochain", "-D", str(log)))  # fmt: skip
    done = subprocess.run([*words, kind, str(seed)], cwd=program.parent, env={}, capture_output=True, check=False)
    assert done.returncode == 0
    with log.open() as file:
        found = [line.split("/", 2)[1] for line in file if line.startswith("Trace")]
    symbols = subprocess.run([f"{TARGETS['armv7a'].prefix}nm", program], capture_output=True, text=True, check=True)
    (begin,) = (line.split()[0] for line in symbols.stdout.splitlines() if line.endswith(" power_plain_32"))
    return found[found.index(begin) :]


@pytest.mark.parametrize(("kind", "hides"), [("masked", True), ("ladder", True), ("window", False)])
def test_secrets_do_not_choose_instructions(kind: str, hides: bool, tmp_path: Path) -> None:
    """Other bases and exponents, zeros and ones among them: rows that hide them execute the same instructions in the same order; one that does not, others."""
    program = tmp_path / "umaal"
    compiled("armv7a", ["-O3", "-static", *map(str, (DRIVER, LAB / "limbs_32.c", LAB / "arena.c")), "-o", str(program)])
    first, *rest = [steps(program, kind, seed, tmp_path / "log") for seed in (1, 2, 4, 5, 8)]
    assert len(first) > 20_000 and all(one == first for one in rest) == hides


@pytest.mark.parametrize(("target", "umaal"), [("cortex-m0plus", 0), ("cortex-m3", 0), ("cortex-m4", 1)])
def test_a_core_is_given_umaal_only_if_it_has_it(target: str, umaal: int, tmp_path: Path) -> None:
    """And limbs of 64 bits nowhere: the file is empty."""
    for source in ("limbs_32.c", "limbs_64.c", "limbs_64_counted.c"):
        compiled(target, ["-O1", "-c", str(LAB / source), "-o", str(tmp_path / f"{source}.o")])
    assert (b"umaal_mul_32" in (tmp_path / "limbs_32.c.o").read_bytes()) == bool(umaal)
    assert b"modexp_64" not in (tmp_path / "limbs_64.c.o").read_bytes()


def test_exponentiations_on_a_cortex_m4_are_proven_and_few(worker_cache: Path) -> None:
    """RSA-2048 with CRT: below 50 million instructions in at most 10 KiB, below 55 in constant time, key included."""
    need("cortex-m4")
    catalogue = load_catalogue(ROOT)
    library = load_library(LAB, catalogue)
    text = f"{rows_wanted(32)} impl:/^(umaal-32-(rm5|fw4[.]ct)|mont-32-rm5)$/"
    selection = parse_filter(text, known_values(catalogue, (NAME,)))
    workshop = Workshop(ROOT, worker_cache, TOOLCHAIN, this_system())
    job = Job(TARGETS["cortex-m4"], library, library.default_builds[0])
    found = count_everything(workshop, [job], catalogue, CountRequest(selection), print)
    (told,) = found.targets
    assert told.problem == ""
    assert {one.outcome for one in found.counts if one.outcome is not Counting.UNAVAILABLE} == {Counting.COUNTED}
    rows = counted_rows(found.counts, told.target, told.build, load_published(ROOT, PUBLISHED))
    by_title = {row.method.title: row for row in rows}
    assert len(by_title) == 3
    for title, below in (
        ("Montgomery UMAAL, 5b, RM", 15e6),
        ("Montgomery UMAAL, 4b, FW, CT", 18e6),
        ("Montgomery, 5b, RM", 50e6),
    ):
        row = by_title[title]
        facts, count = row.count.facts, row.count
        assert count.proof == "ok" and count.instructions and 10e6 < count.instructions < below
        assert row.memory_bytes and isinstance(facts["key_bytes"], int) and count.stack_bytes
        assert row.memory_bytes + facts["key_bytes"] + count.stack_bytes <= 10 * 1024
        assert count.heap_bytes == 0 and count.held_bytes and count.held_bytes > row.memory_bytes
    assert by_title["Montgomery, 5b, RM"].cycles == pytest.approx(1.69, abs=0.3)
    assert by_title["Montgomery UMAAL, 5b, RM"].theirs is None
