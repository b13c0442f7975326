# SPDX-License-Identifier: Apache-2.0
"""The modexp laboratory: its arithmetic against GMP in a C driver, its worker's rows against the oracle, its facts, what it refuses."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path

import pytest
from kept import Input, answered, headers, loaded
from scripts import ROOT

from cipherstone.build.installed import find_installation
from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workers import C_STANDARD, WARNINGS, WorkerExecutable, WorkerJob, build_worker
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_library
from cipherstone.labs.modexp.names import Method, method_told
from cipherstone.model.ids import Case, params_text
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.oracle import expected_output
from cipherstone.protocol.messages import Listed, Refusal
from cipherstone.worker import WorkerProcess

LAB = ROOT / "labs" / "modexp"
HERE = Path(__file__).parent
TOOLCHAIN = find_toolchain()
LIMBS = (15, 31, 32, 64)
PARTS = ("modexp_driver.c", "modexp_compare.c", "modexp_parts.c", "modexp_counts.c")
Objects = Callable[[], dict[str, Path]]
STRICT = ("-Wmissing-prototypes", "-Wstrict-prototypes", "-Werror")


def compile_object(source: Path, target: Path, *flags: str, compiler: str = TOOLCHAIN.cc) -> Path:
    """One source of the laboratory or the driver; warnings are errors."""
    command = [
        compiler,
        *C_STANDARD,
        *WARNINGS,
        *STRICT,
        *flags,
        "-I",
        str(LAB),
        "-MD",
        "-MF",
        str(target.with_suffix(".d")),
        "-c",
        str(source),
        "-o",
        str(target),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def link(objects: Iterable[Path], target: Path, *flags: str) -> Path:
    command = [TOOLCHAIN.cc, *flags, *map(str, objects), "-lgmp", "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Objects:
    """The driver and the portable sources by name, compiled where they are needed."""

    @cache
    def compiled() -> dict[str, Path]:
        folder = tmp_path_factory.mktemp("modexp")
        sources = [*(HERE / part for part in PARTS), LAB / "arena.c"]
        sources += [LAB / f"limbs_{bits}{kind}.c" for bits in LIMBS for kind in ("", "_counted")]
        return {
            source.stem: compile_object(
                source, folder / f"{source.stem}.o", "-O1" if "counted" in source.stem else "-O2"
            )
            for source in sources
        }

    return compiled


def said(
    objects: Objects, folder: Path, runs: Sequence[tuple[str, int, int]], flags: Sequence[str] = (), *inputs: Input
) -> AbstractContextManager[list[tuple[int, str]]]:
    """Status and words of the driver in some runs (part, seed, rounds), kept while all that it is made of is the same. `inputs`: what `objects` depends on beside the laboratory's folder and the driver's sources."""

    @cache
    def driver() -> Path:
        return link(objects().values(), folder / "driver", *flags)

    def run() -> list[tuple[int, str]]:
        found = []
        for part, seed, rounds in runs:
            command = [str(driver()), part, str(seed), str(rounds)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            found.append((done.returncode, done.stdout + done.stderr))
        return found

    def files() -> list[Path]:
        lists = [path.with_suffix(".d") for path in objects().values()]
        ours = (LAB.resolve(), folder.resolve())
        read = [path for path in headers(*lists) if not any(path.is_relative_to(one) for one in ours)]
        return [*read, *loaded(driver())]

    own = (LAB, *(HERE / part for part in PARTS), HERE / "modexp_driver.h", Path(__file__), TOOLCHAIN.cc_version or "")
    return answered("modexp", (*own, *inputs, *flags, repr(runs)), list[tuple[int, str]], run, files)


@pytest.mark.parametrize(
    ("part", "seed", "rounds", "at_least"),
    [
        # every reduction, limb size and scan; 1 to 640 bits, edges among them; products up to 1400 bits
        pytest.param("small", 7, 60, 100_000, id="small"),
        pytest.param("large", 2, 2, 4_000, id="512 to 8192 bits"),
        pytest.param("crt", 3, 8, 2_500, id="CRT"),
        pytest.param("above", 8, 60, 25_000, id="any base that fits the limbs, empty exponents"),
        pytest.param("refusals", 4, 1, 96, id="even, zero, too long"),
        pytest.param("counts", 5, 1, 3_000, id="counts by HAC's formulas"),
    ],
)
def test_the_arithmetic_agrees_with_gmp(
    objects: Objects, tmp_path: Path, part: str, seed: int, rounds: int, at_least: int
) -> None:
    with said(objects, tmp_path, [(part, seed, rounds)]) as ((status, words),):
        assert status == 0, words
        right = re.fullmatch(r"ok (\d+)\n", words)
        assert right is not None and int(right[1]) >= at_least, words


def test_clang_makes_the_same_of_it(objects: Objects, tmp_path: Path) -> None:
    """64-bit limbs have a form of their own there."""
    clang = next((name for name in ("clang-14", "clang-16", "clang") if shutil.which(name)), None)
    if clang is None:
        pytest.skip("no clang here")

    @cache
    def with_clang() -> dict[str, Path]:
        made = compile_object(LAB / "limbs_64.c", tmp_path / "limbs_64.o", "-O3", compiler=clang)
        return objects() | {"limbs_64": made}

    version = subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout
    with said(with_clang, tmp_path, [("small", 1, 60)], (), version) as ((status, words),):
        assert status == 0, words


def test_no_undefined_behaviour_and_no_byte_beyond_the_arena(objects: Objects, tmp_path: Path) -> None:
    """The driver's blocks are as long as the laboratory says and no longer."""
    flags = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    checked = {f"limbs_{bits}": LAB / f"limbs_{bits}.c" for bits in LIMBS} | {
        "modexp_compare": HERE / "modexp_compare.c"
    }

    @cache
    def watched() -> dict[str, Path]:
        made = {name: compile_object(source, tmp_path / f"{name}.o", *flags) for name, source in checked.items()}
        return objects() | made

    with said(watched, tmp_path, [("small", 6, 4), ("crt", 6, 1), ("above", 6, 5)], flags) as runs:
        for status, words in runs:
            assert status == 0, words


@pytest.mark.parametrize(
    ("file", "right", "wrong", "limbs", "part", "says"),
    [
        ("mont_columns.h", "over -= borrow;", "over = 0 * borrow;", "limbs_64", "small", "wrong"),
        ("mont_columns.h", "key->shift != 0)", "key->shift == 1000)", "limbs_15", "small", "wrong"),
        ("div_knuth.h", "if (u[j + n] < borrow)", "if (0)", "limbs_15", "small", "basic"),
        ("scan_fixed.h", "if (digit != 0)", "if (1)", "limbs_31_counted", "counts", "counts differ"),
    ],
    ids=["second subtraction lost", "settled once", "no add-back", "a product too many"],
)
def test_the_driver_sees_a_fault(
    objects: Objects, tmp_path: Path, file: str, right: str, wrong: str, limbs: str, part: str, says: str
) -> None:
    lab = tmp_path / "lab"
    shutil.copytree(LAB, lab)
    text = (lab / file).read_text()
    assert right in text
    (lab / file).write_text(text.replace(right, wrong))

    @cache
    def faulty() -> dict[str, Path]:
        return objects() | {limbs: compile_object(lab / f"{limbs}.c", tmp_path / "faulty.o", "-O1")}

    with said(faulty, tmp_path, [(part, 7, 60)], (), file, right, wrong, limbs) as ((status, words),):
        assert status == 1 and says in words


# -- the worker --


@pytest.fixture(scope="module")
def executable(worker_cache: Path) -> WorkerExecutable:
    library = load_library(LAB, load_catalogue(ROOT))
    build = library.default_builds[0]
    return build_worker(
        WorkerJob(
            library, find_installation(library, TOOLCHAIN, this_system(), build), TOOLCHAIN, ROOT, worker_cache, build
        )
    )


@pytest.fixture(scope="module")
def worker(executable: WorkerExecutable) -> Iterator[WorkerProcess]:
    with WorkerProcess([str(executable.path)]) as process:
        process.hello()
        yield process


def texts(inputs: Mapping[str, bytes]) -> dict[str, str]:
    return {name: f"hex:{data.hex()}" for name, data in inputs.items()}


def full(one: Listed) -> str:
    """The operation of a row as the catalogue calls it: every row of the laboratory is made for one set of parameters."""
    return f"{one.op}/{one.params}" if one.params else one.op


def prepare(worker: WorkerProcess, number: int, operation: str, impl: str, inputs: Mapping[str, bytes]) -> None:
    case = Case.parse(operation)
    worker.prepare(number, case.listed, impl, {"params": params_text(case.params), **texts(inputs)})


def inputs_of(operation: str) -> dict[str, bytes]:
    return {name: value.data for name, value in timed_inputs(Case.parse(operation)).items()}


def test_the_rows_are_the_whole_table(worker: WorkerProcess) -> None:
    listed = [one for one in worker.operations() if not one.op.startswith("harness/")]
    assert len({(full(one), one.impl) for one in listed}) == len(listed) <= 4000
    assert all(one.status == "ok" or (one.impl.startswith("ifma") and one.reason) for one in listed)
    by_op = {op: {one.impl for one in listed if full(one) == op} for op in {full(one) for one in listed}}
    private = by_op["modexp/private/bits=2048,crt=no"]
    windows = [f"{kind}{k}{ct}" for k in range(1, 8) for kind, ct in (("fw", ""), ("fw", ".ct"), ("rm", ""))]
    for reduction in ("basic", "barrett", "cios", "mont", "mont.k"):
        assert {f"{reduction}-64-{scan}" for scan in ("fast", "ladder", *windows)} <= private
    for reduction in ("basic", "barrett", "cios", "fios", "mont", "mont.k"):
        for bits in LIMBS:
            assert {
                f"{reduction}-{bits}-{scan}" for scan in ("fast", "ladder", "fw4", "fw5", "fw5.ct", "rm4", "rm5")
            } <= private
            assert f"{reduction}-{bits}-fast" in by_op["modexp/public/bits=8192"]
    assert private == by_op["modexp/private/bits=2048,crt=yes"] == by_op["modexp/private/bits=8192,crt=no"]
    assert {"mont-64", "mont.k-15", "fios-32", "cios-31"} <= by_op["bignum/montmul/bits=4096"]
    assert {"basic-15", "barrett-64"} <= by_op["bignum/mod-mul/bits=4096"] & by_op["bignum/mod-sqr/bits=2048"]
    assert all("default" in impls for impls in by_op.values())


def test_every_row_of_the_small_sizes_is_right_and_so_is_each_kind_of_the_large(worker: WorkerProcess) -> None:
    right: Counter[str] = Counter()
    expected: dict[str, bytes | None] = {}
    for one in worker.operations():
        if one.op.startswith("harness/") or one.status != "ok":
            continue
        if (
            not (
                full(one) == "modexp/private/bits=512,crt=no"
                or (full(one) == "modexp/private/bits=1024,crt=yes" and "fw5" in one.impl)
            )
            and "private" in full(one)
            and one.impl not in ("default", "mont-64-fw5", "mont.k-64-rm5", "mont.k-32-fw5", "ifma-52-fw5.ct")
        ):
            continue
        inputs = inputs_of(full(one))
        prepare(worker, 1, full(one), one.impl, inputs)
        done = worker.compute(1)
        if full(one) not in expected:
            expected[full(one)] = expected_output(full(one), inputs)
        assert done.out is not None and bytes.fromhex(done.out) == expected[full(one)], (full(one), one.impl)
        worker.close_case(1)
        right[full(one)] += 1
    assert len(right) == 6 + 6 + 5 + 4 + 4 and min(right.values()) >= 3 and right.total() > 400


def test_facts_tell_memory_by_the_shape_and_counts_by_the_exponent(worker: WorkerProcess) -> None:
    inputs = inputs_of("modexp/private/bits=2048,crt=no")
    exponent = int.from_bytes(inputs["key"], "big")

    def facts(impl: str) -> dict[str, int | str]:
        prepare(worker, 2, "modexp/private/bits=2048,crt=no", impl, inputs)
        return worker.facts(2)

    fast, ladder, window, sliding = (facts(f"cios-64-{scan}") for scan in ("fast", "ladder", "fw5.ct", "rm5"))
    assert (fast["mul"], fast["sqr"]) == (exponent.bit_count() - 1 + 1, exponent.bit_length() - 1)
    assert (ladder["mul"], ladder["sqr"]) == (2048 + 1, 2048)
    # 2048 = 3 + 409 windows of 5: a product each, 15 for the odd powers, one into Montgomery form
    assert (window["mul"], window["sqr"], window["red"]) == (409 + 15 + 1, 2045 + 15, 1)
    limbs = 32
    assert window["limb_mul"] == (425 + 2060) * (2 * limbs**2 + limbs) + limbs**2 + limbs
    assert (fast["table_bytes"], window["table_bytes"], sliding["table_bytes"]) == (0, 32 * 256, 16 * 256)
    # result, room for a product, base: 256 bytes each; the masked scan has one more for what it gathers
    assert (fast["arena_bytes"], window["arena_bytes"]) == (3 * 256, 3 * 256 + 32 * 256)
    told = [method_told(one) for one in (fast, ladder, window, sliding)]
    cios = [Method("cios", 64, "fast"), Method("cios", 64, "ladder"), Method("cios", 64, "fw", 5, True)]
    assert told == [*cios, Method("cios", 64, "rm", 5)]
    assert (window["leak"], window["limb_bits"], window["window"]) == ("constant-time by construction", 64, 5)
    assert "branch" in str(fast["leak"]) and "branch" in str(facts("basic-64-fw5.ct")["leak"])
    # what is counted is what is timed: facts leave the result of the next call right
    done = worker.compute(2)
    assert done.out is not None and bytes.fromhex(done.out) == expected_output(
        "modexp/private/bits=2048,crt=no", inputs
    )


def test_symbols_that_rows_name_are_in_the_executable(worker: WorkerProcess, executable: WorkerExecutable) -> None:
    listing = subprocess.run(["nm", str(executable.path)], capture_output=True, text=True, check=True).stdout
    there = {line.split()[-1] for line in listing.splitlines()}
    for one in worker.operations():
        if (
            full(one)
            in (
                "modexp/private/bits=512,crt=no",
                "modexp/private/bits=1024,crt=yes",
                "bignum/montmul/bits=512",
                "bignum/mod-sqr/bits=2048",
            )
            and one.status == "ok"
        ):
            prepare(worker, 3, full(one), one.impl, inputs_of(full(one)))
            told = worker.facts(3)
            named = str(told.get("symbols", "")).split()
            assert named or one.impl == "ifma-52"
            assert set(named) <= there, (full(one), one.impl, set(named) - there)


def flipped(data: bytes, index: int, mask: int) -> bytes:
    return (
        data[:index] + bytes([data[index] ^ mask]) + data[index + 1 :]
        if index >= 0
        else flipped(data, len(data) + index, mask)
    )


@pytest.mark.parametrize("impl", ["mont-64-fw5.ct", "basic-15-fast", "barrett-31-rm4", "cios-32-ladder"])
def test_bad_numbers_are_refused_in_one_line(worker: WorkerProcess, impl: str) -> None:
    good = inputs_of("modexp/private/bits=512,crt=no")
    crt = inputs_of("modexp/private/bits=1024,crt=yes")
    cases = {
        "even": ("bits=512,crt=no", good | {"pub": flipped(good["pub"], -1, 1)}),
        "exactly 512 bits": ("bits=512,crt=no", good | {"pub": good["pub"][1:]}),
        "top one set": ("bits=512,crt=no", good | {"pub": flipped(good["pub"], 0, 0x80)}),
        "not below the modulus": ("bits=512,crt=no", good | {"msg": good["pub"]}),
        "must have 1 number(s) of 64": ("bits=512,crt=no", good | {"msg": good["msg"] + b"\0"}),
        "p, q, dP, dQ, qInv of 64": ("bits=1024,crt=yes", crt | {"key": crt["key"][1:]}),
        "not below p q": ("bits=1024,crt=yes", crt | {"msg": b"\xff" * 128}),
        "qInv is not below p": ("bits=1024,crt=yes", crt | {"key": crt["key"][:-64] + crt["key"][:64]}),
        "is even": ("bits=1024,crt=yes", crt | {"key": flipped(crt["key"], 63, 1)}),
    }
    for says, (operation, inputs) in cases.items():
        with pytest.raises(Refusal) as refused:
            prepare(worker, 4, f"modexp/private/{operation}", impl, inputs)
        assert says in str(refused.value) and "\n" not in str(refused.value), says
    prepare(worker, 4, "modexp/private/bits=512,crt=no", impl, good)


def test_an_empty_exponent_is_zero_and_no_row_takes_a_base_above_the_modulus(worker: WorkerProcess) -> None:
    good = inputs_of("modexp/private/bits=512,crt=no")
    one = (1).to_bytes(64, "big")
    rows = [o.impl for o in worker.operations() if full(o) == "modexp/private/bits=512,crt=no" and o.status == "ok"]
    assert len(rows) > 200
    for impl in rows:
        prepare(worker, 5, "modexp/private/bits=512,crt=no", impl, good | {"key": b""})
        assert worker.facts(5)["sqr"] == 0
        done = worker.compute(5)
        assert done.out is not None and bytes.fromhex(done.out) == one, impl
        worker.close_case(5)
        with pytest.raises(Refusal, match="not below the modulus"):
            prepare(worker, 5, "modexp/private/bits=512,crt=no", impl, good | {"msg": b"\xff" * 64})


def test_labels_name_what_there_is_to_leak(worker: WorkerProcess) -> None:
    """A row without an exponent leaks none; Knuth's division tells its operands in every row."""
    for one in worker.operations():
        if one.status != "ok" or full(one) not in (
            "bignum/montmul/bits=2048",
            "bignum/mod-mul/bits=2048",
            "modexp/public/bits=512",
        ):
            continue
        prepare(worker, 6, full(one), one.impl, inputs_of(full(one)))
        leak = str(worker.facts(6)["leak"])
        assert ("exponent" in leak) == ("modexp" in full(one)), (full(one), one.impl)
        assert ("division" in leak) == one.impl.startswith("basic"), (full(one), one.impl)
        worker.close_case(6)
