# SPDX-License-Identifier: Apache-2.0
"""The kernel table: what must stand in it, what it refuses, and the programs and sources that are made from it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from scripts import ROOT

from cipherstone.isa.program import (
    ADD_CHAIN,
    CALL_CYCLES,
    IMPLEMENTATIONS,
    KERNEL,
    ROR_CHAIN,
    _build,
    calibrator,
    program,
)
from cipherstone.isa.sources import generated_sources
from cipherstone.isa.table import (
    FEATURES,
    FOLDER,
    ISAS,
    MAX_WORDS,
    Form,
    Isa,
    KernelTable,
    _check,
    _kernel,
    _Row,
    load_table,
)
from cipherstone.model.errors import DataError
from cipherstone.model.ids import Case
from cipherstone.operations.kernel_proof import _state, kernel_inputs
from cipherstone.operations.kernels import is_kernel, kernel_catalogue, kernel_suite
from cipherstone.operations.splitmix import splitmix64

X86 = load_table(ROOT, "x86-64")
TABLES = [load_table(ROOT, isa) for isa in ISAS]
# Names that the roofline models and the spectrum may use.
BOTH = (
    "add adc mul mulx imul lea rorx ror shl load store xor-and-not aesenc-xmm vaesenc-ymm vaesenc-zmm pclmulqdq-xmm vpclmulqdq-ymm vpclmulqdq-zmm "
    "sha1rnds4 sha1msg1 sha1nexte sha256rnds2 sha256msg1 sha256msg2 vpmadd52-xmm vpmadd52-ymm vpmadd52-zmm gf2p8mulb-xmm gf2p8mulb-zmm pshufb-xmm "
    "vpshufb-ymm vpshufb-zmm paddd-xmm vpaddd-ymm vpaddd-zmm pxor-xmm vpxor-ymm vpxord-zmm pslld-xmm vpslld-ymm vprold-zmm vpternlog-zmm vpmuludq-xmm "
    "vpmuludq-ymm vpmuludq-zmm andn branch"
).split()
SEQUENCES = "mul-adc mul-add-adc mulx-adcx-adox mulx-only mont-inner mont-inner-plain mont-inner-nomul mont-inner-imul mov-add".split()


def changed(tmp_path: Path, old: str, new: str, file: str = "x86-64-scalar.toml") -> Path:
    """A root whose table differs in one place."""
    shutil.copytree(ROOT / FOLDER, tmp_path / FOLDER)
    path = tmp_path / FOLDER / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return tmp_path


def test_the_names_that_models_use_are_there() -> None:
    due = {f"x86-64.{name}/{verb}" for name in BOTH for verb in ("latency", "throughput")}
    due |= {f"x86-64.{name}/sequence" for name in SEQUENCES} | {"x86-64.adcx-adox/throughput"}
    assert due - set(kernel_catalogue(ROOT, "x86-64").operations) == set()


def test_every_kernel_that_a_roofline_model_uses_belongs_to_the_spectrum() -> None:
    used = set()
    for path in (ROOT / "roofline").glob("*.toml"):
        used |= set(re.findall(r"(?:x86-64|aarch64)\.[a-z0-9-]+/(?:latency|throughput|sequence)", path.read_text()))
    assert used
    for table in TABLES:
        marked = {f"{k.algorithm}/{verb}" for k, verb in table.operations if verb in k.spectrum}
        assert {name for name in used if name.startswith(f"{table.isa}.")} - marked == set()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "adc"', 'name = "add"', "'add' stands twice"),
        ('name = "adc"', 'name = "A dc"', "'A dc' is not a name"),
        ('group = "carry"', 'group = "cary"', "'cary' is not a group"),
        ('features = ["adx"]', 'features = ["adex"]', "'adex' cannot be asked for"),
        ("chains = 8", "chains = 13", "'13' is not in 1 .. 12"),
        ("chains = 8", "chain = 8", "unknown key 'chain'"),
        ("cycles = 0.25", "cycles = 0", "'0.0' is not in 0.01 .. 1000"),
        ('code = "add {d}, {s}"', 'code = ";"', "has no instruction"),
        ('spectrum = ["throughput"]', 'spectrum = ["sequence"]', "spectrum: it has no 'sequence'"),
        ("memory = 8, ring", "memory = 4, ring", "ring: '4' words of memory"),
        ('spectrum = ["throughput"]', 'spectrum = ["sequences"]', "invalid enum value 'sequences'"),
    ],
)
def test_a_broken_row_is_told_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(DataError) as failure:
        load_table(changed(tmp_path, old, new), "x86-64")
    assert said in failure.value.message
    assert "\n" not in failure.value.message
    assert "x86-64-scalar.toml" in failure.value.message


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"memory": MAX_WORDS}, ""),
        ({"memory": MAX_WORDS + 1}, f"memory: '{MAX_WORDS + 1}' is not in 0 .. {MAX_WORDS}"),
        ({"memory": -1}, "memory: '-1'"),
        ({"per": 1}, ""),
        ({"per": -1}, "per: '-1' is negative"),
        ({"chains": 1}, ""),
        ({"chains": 12}, ""),
        ({"chains": 0}, "chains: '0' is not in 1 .. 12"),
        ({"block": 1040}, ""),
        ({"block": 1041}, "block: '1041'"),
        ({"block": 0}, "block: '0'"),
        ({"cycles": 0.01}, ""),
        ({"cycles": 1000}, ""),
        ({"cycles": 1000.5}, "cycles: '1000.5'"),
        ({"ring": True, "memory": 8}, ""),
        ({"ring": True}, "ring: '0' words of memory"),
        ({"code": ".p2align 4; 1:"}, "has no instruction"),
    ],
)
def test_the_numbers_of_a_row_at_their_ends(changes: dict[str, Any], said: str) -> None:
    form = Form(**{"code": "nop", "cycles": 1.0, **changes})
    if not said:
        _check("where", form)
        return
    with pytest.raises(DataError) as failure:
        _check("where", form)
    assert said in failure.value.message


def test_a_row_says_why_and_what(tmp_path: Path) -> None:
    form = Form(code="nop", cycles=1.0)
    assert _kernel("where", "x86-64", _Row("a", "scalar", "why", latency=form), {}).forms == {"latency": form}
    for row, said in ((_Row("a", "scalar", " ", latency=form), "why: is empty"), (_Row("a", "scalar", "why"), "has no latency, throughput")):  # fmt: skip
        with pytest.raises(DataError, match=said):
            _kernel("where", "x86-64", row, {})
    with pytest.raises(DataError, match=r"no labs/instructions/kernels/x86-64\*\.toml under"):
        load_table(tmp_path, "x86-64")


def test_a_block_has_so_many_instructions_and_no_more() -> None:
    """Whole turns of all chains, an odd number of them."""
    fits = _build("x86-64", "a/b", KERNEL, Form(code="add {d}, {s}", cycles=1.0, chains=8, block=1040))
    assert len(fits.block) == 8 * 129
    with pytest.raises(DataError, match="a block of 1044 instructions"):
        _build("x86-64", "a/b", KERNEL, Form(code="add {d}, {s}", cycles=1.0, chains=12, block=1040))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('like = "mont-inner"', 'like = "mont-iner"', "'mont-iner' does not stand before it"),
        ('replace = { adcx = "add %0, %1"', 'replace = { adcc = "add %0, %1"', "'adcc' does not occur"),
        ('adcx = "add %0, %1"', 'adcx = "add %0, %4"', "asks for an operand"),
    ],
)
def test_a_row_made_from_another_names_what_is_there(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(DataError) as failure:
        load_table(changed(tmp_path, old, new, "x86-64-sequences.toml"), "x86-64")
    assert said in failure.value.message


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("add {d}, {d1}; add {d2}, {d3}", "more registers than there are"),
        ("mov {d}, [{m3}]", "word 3 of memory"),
        # The upper sixteen are there for what is written with the longest ones.
        ("paddd {x}, {x1}; paddd {x2}, {xs}", "more registers than there are"),
    ],
)
def test_a_row_that_cannot_be_assembled_says_so(tmp_path: Path, code: str, said: str) -> None:
    root = changed(
        tmp_path, 'throughput = { code = "add {d}, {s}", chains = 8', f'throughput = {{ code = "{code}", chains = 8'
    )
    with pytest.raises(DataError) as failure:
        program(load_table(root, "x86-64"), "x86-64.add", "throughput")
    assert said in failure.value.message


def test_an_unknown_kernel_or_verb_gets_the_nearest_name() -> None:
    with pytest.raises(DataError) as failure:
        X86.kernel("x86-64.mulxx")
    assert "mulx" in failure.value.hint
    with pytest.raises(DataError) as failure:
        program(X86, "x86-64.mulx", "sequence")
    assert "x86-64.mulx" in failure.value.message


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.isa)
def test_programs_are_long_enough_and_end(table: KernelTable) -> None:
    """The loop's own two instructions are below 1 % of a block, and every call is near the length of a calibrating chain's."""
    for kernel, verb in table.operations:
        one = program(table, kernel.algorithm, verb)
        assert one.instructions >= 240, one.operation
        expected = one.units_per_call * kernel.forms[verb].cycles
        assert CALL_CYCLES * 0.8 < expected < CALL_CYCLES * 1.2, one.operation
        assert one.length > 0 and "{" not in "".join(one.block).replace("{v", ""), one.operation
        assert kernel.features == () or set(kernel.features) <= FEATURES[table.isa]
    for name in (ADD_CHAIN, ROR_CHAIN):
        assert calibrator(table.isa, name).units_per_call == calibrator(table.isa, ADD_CHAIN).units_per_call


def test_chains_have_registers_of_their_own() -> None:
    one = program(X86, "x86-64.aesenc-xmm", "throughput")
    written = [line.split()[1].rstrip(",") for line in one.block[:12]]
    assert len(set(written)) == 12
    assert one.block[12:24] == one.block[:12]


def test_names_move_on_in_a_rotation() -> None:
    one = program(X86, "x86-64.mont-inner", "sequence")
    step = one.instructions // 9
    first = next(line for line in one.block if line.startswith("adcx"))
    second = next(line for line in one.block[step:] if line.startswith("adcx"))
    assert first != second and one.units == 144


@pytest.mark.parametrize("isa", ISAS)
def test_sources_name_every_operation_in_three_implementations(isa: Isa) -> None:
    sources = generated_sources(ROOT, isa)
    assert set(sources) == {"kernels.S", "kernels_table.c"}
    operations = kernel_catalogue(ROOT, isa).operations
    found = re.findall(r'\.id = "([^"]+)", \.impl = "([^"]+)"', sources["kernels_table.c"])
    assert sorted(found) == sorted((op, impl) for op in operations for impl in IMPLEMENTATIONS)
    for text in sources.values():
        assert text.startswith("/* SPDX-License-Identifier: Apache-2.0")
    assert sources == generated_sources(ROOT, isa)


def test_the_catalogue_and_the_suite_cover_the_table() -> None:
    catalogue = kernel_catalogue(ROOT)
    assert all(is_kernel(operation.algorithm) for operation in catalogue.operations.values())
    assert not is_kernel("sha-256") and not is_kernel("x86-64")
    suite = kernel_suite(ROOT, "x86-64")
    assert {case.operation for case in suite.cases} == set(kernel_catalogue(ROOT, "x86-64").operations)
    spectrum = kernel_suite(ROOT, "x86-64", spectrum=True)
    assert 25 <= len(spectrum.cases) <= 60
    assert all(Case.parse(case.id) == case for case in suite.cases)


def test_inputs_are_deterministic_and_sources_are_odd() -> None:
    case = Case("x86-64.imul", "throughput")
    state = kernel_inputs(case, KERNEL)["msg"].data
    assert state == kernel_inputs(case, KERNEL)["msg"].data
    one = program(X86, "x86-64.imul", "throughput")
    shared = [index for index, register in enumerate(one.registers) if register.shared]
    assert shared and all(state[8 * index] & 1 for index in shared)
    assert kernel_inputs(case, ADD_CHAIN) != kernel_inputs(case, KERNEL)


@pytest.mark.parametrize("isa", ISAS)
def test_every_word_of_a_source_is_odd(isa: Isa) -> None:
    """Wherever in the state it stands: behind memory, and behind registers of other lengths."""
    table = load_table(ROOT, isa)
    seen = 0
    for kernel, verb in table.operations:
        if not kernel.assembled:
            continue
        one = program(table, kernel.algorithm, verb)
        state, at = kernel_inputs(Case(kernel.algorithm, verb), KERNEL)["msg"].data, 8 * one.words
        for register in one.registers:
            words = range(at, at + register.bytes, 8)
            assert not register.shared or all(state[word] & 1 for word in words), one.operation
            seen += register.shared
            at += register.bytes
        assert at == len(state)
    assert seen > 10


@pytest.mark.parametrize("name", ["x86-64.mulx", "x86-64.load", "aarch64.umlal"])
def test_states_are_streams_but_for_the_lowest_bit_of_what_is_shared(name: str) -> None:
    table = TABLES[0] if name.startswith("x86") else TABLES[1]
    one = program(table, name, "throughput")
    due = bytearray(splitmix64(7, one.length))
    at, even = 8 * one.words, 0
    for register in one.registers:
        for word in range(at, at + register.bytes, 8):
            even += not register.shared and due[word] % 2 == 0
            due[word] |= register.shared
        at += register.bytes
    assert _state(one, 7) == due and even > 0
