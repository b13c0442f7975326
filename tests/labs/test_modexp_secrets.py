# SPDX-License-Identifier: Apache-2.0
"""What the modexp laboratory's rows say that they hide, held against the machine code of every listed build: portable rows under valgrind's
memcheck with the secret undefined, IFMA's gather by disassembly, since valgrind has no AVX-512. Whole exponentiations of IFMA: test_modexp_steps.py."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

import msgspec
import pytest
from kept import Input, Kept, answered, headers
from scripts import ROOT

from cipherstone.build.installed import find_installation
from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import OPTIMISATION, find_toolchain, program_version, toolchain_of
from cipherstone.build.workers import C_STANDARD, WARNINGS, WorkerJob, build_worker
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import load_library
from cipherstone.worker import WorkerProcess

LAB = ROOT / "labs" / "modexp"
HARNESS = Path(__file__).parent / "modexp_secrets.c"
TOOLCHAIN = find_toolchain()
LIBRARY = load_library(LAB, load_catalogue(ROOT))
BUILDS = {build.variant: build for build in LIBRARY.builds}
LIMBS = (15, 31, 32, 64)
# Only what valgrind itself may lack; a machine with it runs all of this.
VALGRIND = shutil.which("valgrind") is not None and Path("/usr/include/valgrind/memcheck.h").exists()
needs_valgrind = pytest.mark.skipif(not VALGRIND, reason="no valgrind with its headers (Debian: valgrind)")
x86_only = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the back end is for x86-64")


class Run(msgspec.Struct, frozen=True):
    """One row with one secret. `limbs`: of the modulus; `findings`: jumps and addresses that depended on the secret."""

    row: str
    kind: str
    limbs: int
    secret: str
    findings: int
    reaches_the_result: bool
    label: str

    @property
    def hides(self) -> bool:
        """Whether the label says so."""
        return self.label.startswith("constant-time")


def has_compiler(build: BuildSpec) -> bool:
    return shutil.which(toolchain_of(build, TOOLCHAIN).cc) is not None


@cache
def versions() -> list[str]:
    """Of what works on objects and programs, beside compilers."""
    return [program_version(name) or "" for name in ("as", "ld", "objdump", "valgrind")]


def inputs_of(build: BuildSpec, lab: Path = LAB) -> list[Input]:
    """All that decides what a build makes of the laboratory, but the files that `read_by` tells."""
    own = toolchain_of(build, TOOLCHAIN)
    flags = [*C_STANDARD, *(build.flags or OPTIMISATION), *WARNINGS]
    return [own.cc, own.cc_version or "", TOOLCHAIN.cc_version or "", *versions(), *flags, lab, Path(__file__)]


def read_by(folder: Path, lab: Path = LAB) -> list[Path]:
    """What the compilers that wrote into a folder read, beside the laboratory."""
    return [path for path in headers(*folder.glob("*.d")) if not path.is_relative_to(lab.resolve())]


def compile_lab(build: BuildSpec, names: Sequence[str], folder: Path, lab: Path = LAB) -> list[Path]:
    """Sources of the laboratory as the worker's are compiled: by the build's compiler with the build's flags."""
    made = []
    for name in names:
        target = folder / f"{Path(name).stem}.o"
        flags = [*C_STANDARD, *(build.flags or OPTIMISATION), *WARNINGS, "-MD", "-I", str(lab)]
        subprocess.run(
            [toolchain_of(build, TOOLCHAIN).cc, *flags, "-c", str(lab / name), "-o", str(target)], check=True
        )
        made.append(target)
    return made


def make_harness(build: BuildSpec, folder: Path, lab: Path = LAB) -> Path:
    folder.mkdir(parents=True)
    objects = compile_lab(build, [f"limbs_{bits}.c" for bits in LIMBS] + ["arena.c", "leak.c"], folder, lab)
    target = folder / "secrets"
    strict = [*C_STANDARD, *WARNINGS, "-Werror", "-Wmissing-prototypes", "-O1", "-I", str(lab)]
    strict += ["-MD", "-MF", str(folder / "harness.d")]
    subprocess.run([TOOLCHAIN.cc, *strict, str(HARNESS), *map(str, objects), "-o", str(target)], check=True)
    return target


def run_harness(harness: Path, limb_bits: int, row: str = "") -> list[Run]:
    """All rows with limbs of one size, or one of them."""
    command = [
        "valgrind",
        "-q",
        "--error-limit=no",
        f"--log-file={harness}.{limb_bits}.log",
        str(harness),
        str(limb_bits),
    ]
    done = subprocess.run([*command, *([row] if row else [])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    runs = []
    for line in done.stdout.splitlines():
        name, kind, limbs, secret, findings, depends, label = line.split(" ", 6)
        runs.append(Run(name, kind, int(limbs), secret, int(findings), depends == "HIDDEN", label))
    return runs


@pytest.fixture(scope="module")
def found(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Mapping[str, list[Run]]]:
    """Runs by build, of each build whose compiler is here. Those of a build of which nothing changed are kept, once no test failed."""
    folder, failed = tmp_path_factory.mktemp("secrets"), request.session.testsfailed
    here = [build for build in BUILDS.values() if has_compiler(build)]
    places = {build.variant: Kept("secrets", (*inputs_of(build), HARNESS), list[Run]) for build in here}
    known = {variant: runs for variant, place in places.items() if (runs := place.read()) is not None}
    fresh = searched([build for build in here if build.variant not in known], folder)
    yield known | fresh
    for variant, place in places.items():
        if request.session.testsfailed > failed:
            place.forget()
        elif variant in fresh:
            place.keep(fresh[variant], read_by(folder / variant))


def searched(here: Sequence[BuildSpec], folder: Path) -> dict[str, list[Run]]:
    """Runs by build; as many at once as there are CPUs, four at most."""
    with ThreadPoolExecutor(min(4, len(os.sched_getaffinity(0)))) as pool:
        names = [build.variant for build in here]
        made = pool.map(lambda build: make_harness(build, folder / build.variant), here)
        waiting: dict[str, list[Future[list[Run]]]] = {
            variant: [pool.submit(run_harness, harness, bits) for bits in LIMBS]
            for variant, harness in zip(names, made, strict=True)
        }
        return {variant: [run for one in futures for run in one.result()] for variant, futures in waiting.items()}


def runs_of(found: Mapping[str, list[Run]], variant: str) -> list[Run]:
    if variant not in found:
        pytest.skip(f"no compiler {BUILDS[variant].cc}")
    return found[variant]


# The first of these waits for all builds: about a minute and a half on two cores, unless nothing changed since.


@needs_valgrind
@pytest.mark.parametrize("variant", BUILDS)
def test_no_branch_and_no_address_depends_on_what_a_row_hides(found: Mapping[str, list[Run]], variant: str) -> None:
    hiding = [run for run in runs_of(found, variant) if run.hides]
    assert [run for run in hiding if run.findings] == []
    # what was marked did reach the result: the search looked at the whole way
    assert [run for run in hiding if not run.reaches_the_result] == []
    assert {run.secret for run in hiding} == {"exponent", "base", "operands"}


@needs_valgrind
@pytest.mark.parametrize("variant", BUILDS)
def test_rows_that_are_declared_leaky_show_it(found: Mapping[str, list[Run]], variant: str) -> None:
    leaky = [run for run in runs_of(found, variant) if not run.hides]
    assert [run for run in leaky if not run.findings] == []
    assert {run.kind for run in leaky} == {"power", "crt", "product", "square"}
    assert all("exponent" not in run.label for run in leaky if run.kind in ("product", "square"))
    assert all("division" in run.label for run in leaky if run.row.startswith("basic-"))


@needs_valgrind
@pytest.mark.parametrize(
    ("variant", "limb_bits", "row"), [("clang16-O3", 64, "mont.k-64-fw5.ct"), ("clang-Os", 31, "cios-31-fw5.ct")]
)
def test_without_the_barrier_a_compiler_branches_on_the_mask(
    tmp_path: Path, variant: str, limb_bits: int, row: str
) -> None:
    """Why the barrier is there, and that the search sees such a fault."""
    if not has_compiler(BUILDS[variant]):
        pytest.skip(f"no compiler {BUILDS[variant].cc}")
    lab = tmp_path / "lab"
    shutil.copytree(LAB, lab)
    text = (lab / "limb.h").read_text()
    assert '__asm__("" : "+r"(x));' in text
    (lab / "limb.h").write_text(text.replace('__asm__("" : "+r"(x));', ""))
    build, folder = BUILDS[variant], tmp_path / "build"
    inputs = (*inputs_of(build, lab), HARNESS, row)

    def compute() -> list[Run]:
        return run_harness(make_harness(build, folder, lab), limb_bits, row)

    with answered("barrier", inputs, list[Run], compute, lambda: read_by(folder, lab)) as runs:
        assert runs and all(run.hides for run in runs)
        assert any(run.findings for run in runs)


# -- the worker --


@pytest.fixture(scope="module")
def worker(worker_cache: Path) -> Iterator[WorkerProcess]:
    build = LIBRARY.default_builds[0]
    installation = find_installation(LIBRARY, TOOLCHAIN, this_system(), build)
    made = build_worker(WorkerJob(LIBRARY, installation, TOOLCHAIN, ROOT, worker_cache, build))
    with WorkerProcess([str(made.path)]) as process:
        process.hello()
        yield process


@needs_valgrind
def test_every_row_of_the_worker_was_looked_at(found: Mapping[str, list[Run]], worker: WorkerProcess) -> None:
    """All but `default`, which is one of the others by another name, and IFMA."""
    rows = {
        (one.impl, "crt" if one.params and "crt=yes" in one.params else "power")
        for one in worker.operations()
        if one.op.startswith("modexp/") and one.impl != "default" and not one.impl.startswith("ifma")
    }
    assert len(rows) > 400
    for variant, runs in found.items():
        assert rows <= {(run.row, run.kind) for run in runs}, variant


# -- IFMA --

GATHER = re.compile(r"^[0-9a-f]+ <(modexp_ifma_gather_\w+)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")


class Instruction(msgspec.Struct, frozen=True):
    at: int
    name: str
    operands: str

    @property
    def target(self) -> int | None:
        """Where a jump goes; None for what is no jump."""
        return int(self.operands.split()[0], 16) if self.name.startswith("j") else None


def gathers(listing: str) -> dict[str, list[Instruction]]:
    functions: dict[str, list[Instruction]] = {}
    current: list[Instruction] | None = None
    for line in listing.splitlines():
        if line.endswith(">:"):
            begun = GATHER.match(line)
            current = functions.setdefault(begun[1], []) if begun else None
        elif current is not None and (one := INSTRUCTION.match(line)):
            current.append(Instruction(int(one[1], 16), one[2], one[3]))
    return functions


def branches_between_loads(code: Sequence[Instruction]) -> list[Instruction]:
    """Jumps and calls inside the loops over the entries, other than those that a loop is made of: the one back and, where that has no condition, the one out."""
    loops = [(i.target, i) for i in code if i.target is not None and i.target <= i.at]
    bad: list[Instruction] = []
    for begin, end in loops:
        inside = [i for i in code if begin <= i.at < end.at]
        out = [i for i in inside if i.target is not None and i.target > end.at][: end.name == "jmp"]
        backs = [back for _, back in loops]
        bad += [i for i in inside if (i.target is not None and i not in out + backs) or i.name == "call"]
    assert any("zmm" in i.operands and "(" in i.operands for i in code if any(b <= i.at < e.at for b, e in loops)), "no loads in the loop"  # fmt: skip
    return bad


Code = dict[str, list[Instruction]]


def gather_code(build: BuildSpec, folder: Path, lab: Path = LAB) -> AbstractContextManager[Code]:
    """The code of each gather, kept once what is asserted of it holds."""
    inputs = inputs_of(build, lab)
    return answered("gather", inputs, Code, lambda: disassembled(build, folder, lab), lambda: read_by(folder, lab))


def disassembled(build: BuildSpec, folder: Path, lab: Path) -> Code:
    folder.mkdir()
    (made,) = compile_lab(build, ["ifma_kernels.c"], folder, lab)
    command = ["objdump", "-d", "--no-show-raw-insn", "-w", str(made)]
    found = gathers(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert len(found) == 12  # eight lengths, four of them for pairs too
    # gcc makes one of two that are alike, and a jump to it of the other
    return {name: code for name, code in found.items() if code[0].name != "jmp"}


@x86_only
@pytest.mark.parametrize("variant", BUILDS)
def test_no_branch_between_the_loads_of_an_ifma_gather(tmp_path: Path, variant: str) -> None:
    if not has_compiler(BUILDS[variant]) or shutil.which("objdump") is None:
        pytest.skip(f"no compiler {BUILDS[variant].cc} or no objdump")
    with gather_code(BUILDS[variant], tmp_path / "build") as code:
        assert len(code) >= 8
        assert {name: found for name, one in code.items() if (found := branches_between_loads(one))} == {}


@x86_only
def test_a_branch_in_an_ifma_gather_is_seen(tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    shutil.copytree(LAB, lab)
    text = (lab / "ifma_kernel.h").read_text()
    before = "const __m512i mask = _mm512_set1_epi64((long long)wanted);"
    assert before in text
    (lab / "ifma_kernel.h").write_text(text.replace(before, "if (wanted == 0) continue; " + before))
    with gather_code(LIBRARY.default_builds[0], tmp_path / "build", lab) as code:
        assert any(branches_between_loads(one) for one in code.values())
