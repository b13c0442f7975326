# SPDX-License-Identifier: Apache-2.0
"""What the IFMA rows of the modexp laboratory hide, held against the machine code of every listed build, which valgrind cannot run: exponentiations go instruction by instruction, and with
every secret the same instructions come by at the same addresses of memory. Which secrets there are is in the harness; what only another one would show is not seen, nor are times of single
instructions, nor which lanes a masked load reads."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

import msgspec
import pytest
from kept import answered
from test_modexp_secrets import BUILDS, LAB, LIBRARY, TOOLCHAIN, compile_lab, has_compiler, inputs_of, read_by

from cipherstone.build.workers import C_STANDARD, WARNINGS
from cipherstone.catalogue.builds import BuildSpec

HARNESS = Path(__file__).parent / "modexp_steps.c"
SOURCES = ("ifma.c", "ifma_convert.c", "ifma_kernels.c", "ifma_power.c")
UNAVAILABLE = 77  # the harness's exit status
SECRETS = 8
# As <sys/ucontext.h> numbers them.
REGISTERS = {f"%r{i}": i - 8 for i in range(8, 16)} | {
    name: number for number, name in enumerate(("%rdi", "%rsi", "%rbp", "%rbx", "%rdx", "%rax", "%rcx", "%rsp"), 8)
}
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*)$")
# They compute an address, or fill a place, and touch nothing; compilers pad with prefixes before them.
TOUCHES_NOTHING = re.compile(r"(?:(?:cs|ds|es|ss|fs|gs|data16|rex\S*)\s+)*(?:nop|lea)")
OPERAND = re.compile(r"\((%\w+)?(?:,(%\w+)(?:,(\d))?)?\)")

pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64") or shutil.which("objdump") is None,
    reason="the back end is for x86-64, and objdump reads its code",
)


class Shape(msgspec.Struct, frozen=True):
    """An exponentiation. `most`: steps that are looked at, 0 for all; a pair has exponents as long as its moduli, of which the table and the first windows are enough."""

    kind: str
    bits: int
    exponent_bits: int
    window: int
    constant_time: int = 1
    most: int = 0


WHOLE = [Shape("power", 512, 8, 3), Shape("power", 1024, 5, 2), Shape("power", 2048, 4, 2)]
PAIRS = [Shape("pair", 512, 0, 2, most=12_000), Shape("pair", 1024, 0, 2, most=24_000)]


class Seen(msgspec.Struct, frozen=True):
    """What went by with one secret."""

    steps: int
    way: str
    result: str


def memory_operands(program: Path) -> str:
    """The harness's table: the bounds of the code, then base, index and scale of each operand in memory."""
    command = ["objdump", "-d", "--no-show-raw-insn", "-w", str(program)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ours, lines, places = False, [], []
    for line in listing.splitlines():
        if line.endswith(">:"):
            ours = "ifma" in line
        if (one := INSTRUCTION.match(line)) is None:
            continue
        places.append(one[1])
        for base, index, scale in OPERAND.findall(one[2].partition("#")[0]):
            known = {name for name in (base, index) if name} <= REGISTERS.keys()
            # The C library has addresses in other registers, none of them where the back end calls it.
            assert known or not ours or base == "%rip", line
            if known and TOUCHES_NOTHING.match(one[2]) is None:
                lines.append(f"{one[1]} {REGISTERS.get(base, -1)} {REGISTERS.get(index, -1)} {scale or 1}")
    return "\n".join([f"{places[0]} {places[-1]}", *lines])


def make(build: BuildSpec, folder: Path, lab: Path = LAB) -> Path:
    """The harness with the back end as this build compiles it; at fixed addresses, the C library within."""
    folder.mkdir()
    objects = compile_lab(build, SOURCES, folder, lab)
    target = folder / "steps"
    strict = [*C_STANDARD, *WARNINGS, "-Werror", "-O1", "-mno-red-zone", "-I", str(lab)]
    fixed = ["-static", "-no-pie", "-fno-pie", "-MD", "-MF", str(folder / "harness.d")]
    subprocess.run([TOOLCHAIN.cc, *strict, *fixed, str(HARNESS), *map(str, objects), "-o", str(target)], check=True)
    (folder / "table").write_text(memory_operands(target))
    return target


def walked(program: Path, shape: Shape) -> list[Seen]:
    """What goes by with each secret; skips where the CPU has no IFMA."""
    words = [shape.kind, shape.bits, shape.exponent_bits, shape.window, shape.constant_time, shape.most]
    command = ["setarch", "-R", str(program), str(program.parent / "table"), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == UNAVAILABLE:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == SECRETS
    return [Seen(int(steps), way, result) for _, steps, way, result in rows]


def all_walked(
    build: BuildSpec, shapes: list[Shape], program: Callable[[], Path], lab: Path = LAB
) -> AbstractContextManager[list[list[Seen]]]:
    """What goes by with each secret in each shape, kept once what is asserted of it holds. `program`: makes the harness of the build where it is needed."""
    inputs = (*inputs_of(build, lab), HARNESS, Path(__file__), msgspec.json.encode(shapes))

    def files() -> list[Path]:
        libc = subprocess.run([TOOLCHAIN.cc, "-print-file-name=libc.a"], capture_output=True, text=True, check=True)
        return [*read_by(program().parent, lab), Path(libc.stdout.strip())]

    return answered("steps", inputs, list[list[Seen]], lambda: [walked(program(), shape) for shape in shapes], files)


@pytest.fixture(scope="module")
def program_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The harness of a build, made once."""
    folder = tmp_path_factory.mktemp("steps")

    @cache
    def program(variant: str) -> Path:
        if not has_compiler(BUILDS[variant]):
            pytest.skip(f"no compiler {BUILDS[variant].cc}")
        return make(BUILDS[variant], folder / variant)

    return program


@pytest.mark.parametrize("variant", BUILDS)
def test_every_secret_goes_the_same_way(program_of: Callable[[str], Path], variant: str) -> None:
    with all_walked(BUILDS[variant], WHOLE + PAIRS, lambda: program_of(variant)) as walks:
        for shape, seen in zip(WHOLE + PAIRS, walks, strict=True):
            assert len({(one.steps, one.way) for one in seen}) == 1, (shape, seen)
            assert seen[0].steps == shape.most or (not shape.most and seen[0].steps > 3000)
            assert len({one.result for one in seen}) > 1, "the secrets do not reach the result"


@pytest.mark.parametrize(("window", "same_steps"), [(0, False), (3, True)])
def test_rows_that_are_declared_leaky_show_it(program_of: Callable[[str], Path], window: int, same_steps: bool) -> None:
    """Bit by bit: other instructions. Windows by table address: the same ones at other addresses."""
    build = LIBRARY.default_builds[0]
    shape = Shape("power", 512, 8, window, constant_time=0)
    with all_walked(build, [shape], lambda: program_of(build.variant)) as (seen,):
        assert (len({one.steps for one in seen}) == 1) is same_steps
        assert len({one.way for one in seen}) > 1


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        (
            "ifma_power.c",
            "s->kernel->reduce(s->sum[p], s->key[p]);",
            "if (s->sum[p][8] % 2 != 0) s->kernel->reduce(s->sum[p], s->key[p]);",
        ),
        (
            "ifma_kernel.h",
            "for (unsigned e = 0; e < table->entries; e++) {",
            "for (unsigned e = index; e <= index; e++) {",
        ),
        ("ifma_carry.h", "(void)ifma_run(g, p, words, 0);", "if (g[0] != 0) (void)ifma_run(g, p, words, 0);"),
    ],
    ids=["subtraction", "gather", "carry"],
)
def test_a_fault_is_seen(tmp_path: Path, file: str, before: str, after: str) -> None:
    """A branch around the last subtraction, an entry by its address, a branch on carries."""
    lab = tmp_path / "lab"
    shutil.copytree(LAB, lab)
    text = (lab / file).read_text()
    assert before in text
    (lab / file).write_text(text.replace(before, after))
    build = LIBRARY.default_builds[0]
    program = cache(lambda: make(build, tmp_path / "build", lab))
    with all_walked(build, WHOLE[:1], program, lab) as (seen,):
        assert len({one.way for one in seen}) > 1
