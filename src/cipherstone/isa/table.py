# SPDX-License-Identifier: Apache-2.0
"""The kernel table, `labs/instructions/kernels/ISA*.toml`: one row for each kernel. Its language is described in labs/instructions/README.md."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.document import read_toml, shown
from cipherstone.model.errors import DataError, nearest

FOLDER = Path("labs/instructions/kernels")
Isa = Literal["x86-64", "aarch64"]
ISAS: tuple[Isa, ...] = ("x86-64", "aarch64")
Verb = Literal["latency", "throughput", "sequence"]
VERBS: tuple[Verb, ...] = ("latency", "throughput", "sequence")
# What the adapter can ask the processor for, by instruction set (labs/instructions/features.c has the same words).
FEATURES: dict[str, frozenset[str]] = {
    "x86-64": frozenset(
        "aes pclmulqdq ssse3 avx avx2 bmi1 bmi2 adx sha sha512 vaes vpclmulqdq gfni avx512f avx512bw avx512vl "
        "avx512ifma avx512vbmi".split()
    ),
    "aarch64": frozenset("aes pmull sha1 sha2 sha512 sha3".split()),
}
GROUPS: dict[str, str] = {
    "scalar": "Scalar integer",
    "carry": "Carry chains",
    "multiply": "Multiplication",
    "rotate": "Rotations and shifts",
    "memory": "Loads and stores",
    "branch": "Branches",
    "vector": "Vector integer",
    "shuffle": "Byte shuffles",
    "ifma": "52-bit multiply-add",
    "aes": "AES",
    "carry-less": "Carry-less multiplication",
    "sha": "SHA-1, SHA-256 and SHA-512",
    "galois": "Galois field",
    "sequence": "Sequences of big-number code",
}
MAX_CHAINS = 12
MAX_BLOCK = 1040
MAX_WORDS = 64  # of memory that a kernel may use
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_OPERAND = re.compile(r"%(\d)")


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One verb of a kernel.

    `code`: one element, instructions separated by `;` or lines, with register placeholders; it is repeated over `chains` sets of registers until a block has
    about `block` instructions. `per`: units of work in an element, 0 for its number of instructions; `unit`: what one is. `cycles`: expected cycles of a unit;
    it only decides how long a call is. `memory`: 64-bit words at `{m0}`, `{m1}`, ...; `ring`: these words are addresses, each of the word three further.
    `rotate`: placeholders whose registers move on by one from element to element. `padding`: the assembler may fill up with instructions that never run.
    """

    code: str
    cycles: float
    chains: int = 1
    per: int = 0
    unit: str = "instruction"
    memory: int = 0
    ring: bool = False
    rotate: tuple[str, ...] = ()
    padding: bool = False
    block: int = 512
    note: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """Instructions, labels and directives of one element."""
        return tuple(line.strip() for line in re.split(r"[;\n]", self.code) if line.strip())

    @property
    def units(self) -> int:
        """Units of work in one element."""
        return self.per or sum(is_instruction(line) for line in self.lines)


class Kernel(msgspec.Struct, frozen=True):
    """One row. `spectrum`: the verbs that belong to the machine's spectrum; `assembled` False: listed, but no assembler here need know it."""

    isa: Isa
    name: str
    group: str
    why: str
    features: tuple[str, ...]
    spectrum: tuple[Verb, ...]
    forms: dict[Verb, Form]
    assembled: bool

    @property
    def algorithm(self) -> str:
        """`x86-64.mulx`."""
        return f"{self.isa}.{self.name}"


class KernelTable(msgspec.Struct, frozen=True):
    """The kernels of one instruction set, by algorithm id in the table's order."""

    isa: Isa
    kernels: dict[str, Kernel]

    def kernel(self, algorithm: str) -> Kernel:
        """The row of `x86-64.NAME`. Raises DataError with the nearest name."""
        found = self.kernels.get(algorithm)
        if found is None:
            raise DataError(f"kernels: {shown(algorithm)} is not in the table", nearest(algorithm, self.kernels))
        return found

    @property
    def operations(self) -> tuple[tuple[Kernel, Verb], ...]:
        """Every (kernel, verb) in order."""
        return tuple((kernel, verb) for kernel in self.kernels.values() for verb in VERBS if verb in kernel.forms)


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    group: str
    why: str
    features: tuple[str, ...] = ()
    spectrum: tuple[Verb, ...] = ()
    latency: Form | None = None
    throughput: Form | None = None
    sequence: Form | None = None
    like: str | None = None
    replace: dict[str, str] = {}
    assembled: bool = True


class _File(msgspec.Struct, forbid_unknown_fields=True):
    kernel: list[_Row]


def is_instruction(line: str) -> bool:
    """Whether a line of a kernel is an instruction: labels end in `:` or stand before it, directives begin with `.`."""
    return not (line.startswith(".") or line.endswith(":"))


def mnemonic(line: str) -> str:
    """The mnemonic of an instruction line, a label before it left out."""
    return re.sub(r"^\d+:\s*", "", line).split()[0]


@lru_cache(maxsize=8)
def load_table(root: Path, isa: Isa) -> KernelTable:
    """The table of one instruction set under `root`. Raises DataError: one line, the first thing that is wrong."""
    paths = sorted((root / FOLDER).glob(f"{isa}*.toml"))
    if not paths:
        raise DataError(f"kernels: no {FOLDER}/{isa}*.toml under {root}", "is the checkout complete?")
    kernels: dict[str, Kernel] = {}
    for path in paths:
        name = f"{FOLDER}/{path.name}"
        for index, row in enumerate(read_toml(path, name, _File).kernel):
            kernel = _kernel(f"{name}: kernel[{index}]", isa, row, kernels)
            if kernel.algorithm in kernels:
                raise DataError(f"{name}: kernel[{index}].name: {shown(row.name)} stands twice", "names are unique")
            kernels[kernel.algorithm] = kernel
    return KernelTable(isa, kernels)


def _kernel(where: str, isa: Isa, row: _Row, known: dict[str, Kernel]) -> Kernel:
    if not _NAME.match(row.name):
        raise DataError(f"{where}.name: {shown(row.name)} is not a name", "lower-case letters, digits and -")
    if row.group not in GROUPS:
        raise DataError(f"{where}.group: {shown(row.group)} is not a group", nearest(row.group, GROUPS))
    if not row.why.strip():
        raise DataError(f"{where}.why: is empty", "say what in cryptography leans on it")
    for feature in row.features:
        if feature not in FEATURES[isa]:
            raise DataError(f"{where}.features: {shown(feature)} cannot be asked for", nearest(feature, FEATURES[isa]))
    forms: dict[Verb, Form] = {}
    for verb, form in zip(VERBS, (row.latency, row.throughput, row.sequence), strict=True):
        if form is not None:
            forms[verb] = form
    if row.like is not None:
        forms |= _derived(where, isa, row, known)
    if not forms:
        raise DataError(f"{where}: has no latency, throughput or sequence", "give it one of them, or `like`")
    for verb, form in forms.items():
        _check(f"{where}.{verb}", form)
    for verb in row.spectrum:
        if verb not in forms:
            raise DataError(f"{where}.spectrum: it has no {shown(verb)}", nearest(verb, forms))
    return Kernel(isa, row.name, row.group, row.why, row.features, row.spectrum, forms, row.assembled)


def _derived(where: str, isa: Isa, row: _Row, known: dict[str, Kernel]) -> dict[Verb, Form]:
    """The forms of another kernel with instructions exchanged."""
    original = known.get(f"{isa}.{row.like}")
    if original is None:
        names = [kernel.name for kernel in known.values()]
        raise DataError(f"{where}.like: {shown(row.like)} does not stand before it", nearest(str(row.like), names))
    found: dict[Verb, Form] = {}
    used: set[str] = set()
    for verb, form in original.forms.items():
        lines = []
        for line in form.lines:
            word, _, rest = line.partition(" ")
            new = row.replace.get(word)
            if new is None:
                lines.append(line)
                continue
            used.add(word)
            operands = [operand.strip() for operand in rest.split(",")]
            try:
                lines.append(_OPERAND.sub(lambda match, ops=operands: ops[int(match[1])], new))  # type: ignore[misc]
            except IndexError:
                raise DataError(
                    f"{where}.replace.{word}: {shown(new)} asks for an operand that '{line}' lacks", "%0 is the first"
                ) from None
        found[verb] = msgspec.structs.replace(form, code=";".join(lines))
    for word in row.replace:
        if word not in used:
            raise DataError(f"{where}.replace: {shown(word)} does not occur in {shown(row.like)}", "")
    return found


def _check(where: str, form: Form) -> None:
    if not any(is_instruction(line) for line in form.lines):
        raise DataError(f"{where}.code: has no instruction", "instructions, separated by ;")
    for field, value, most in (
        ("chains", form.chains, MAX_CHAINS),
        ("block", form.block, MAX_BLOCK),
    ):
        if not 1 <= value <= most:
            raise DataError(f"{where}.{field}: '{value}' is not in 1 .. {most}", "")
    if not 0 <= form.memory <= MAX_WORDS:
        raise DataError(f"{where}.memory: '{form.memory}' is not in 0 .. {MAX_WORDS}", "64-bit words")
    if form.per < 0:
        raise DataError(f"{where}.per: '{form.per}' is negative", "units of work in one element")
    if not 0.01 <= form.cycles <= 1000:
        raise DataError(f"{where}.cycles: '{form.cycles}' is not in 0.01 .. 1000", "expected cycles of one unit")
    if form.ring and form.memory != 8:
        raise DataError(f"{where}.ring: '{form.memory}' words of memory", "a ring has 8 of them: one cache line")
