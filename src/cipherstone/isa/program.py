# SPDX-License-Identifier: Apache-2.0
"""From a row of the table to a program: registers chosen, block unrolled, call length fixed. The assembly and the interpreter both start from it."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.isa.table import MAX_BLOCK, Form, Isa, Kernel, KernelTable, is_instruction, mnemonic
from cipherstone.model.errors import DataError, nearest

KERNEL, ADD_CHAIN, ROR_CHAIN = "kernel", "add-chain", "ror-chain"
IMPLEMENTATIONS = (KERNEL, ADD_CHAIN, ROR_CHAIN)
# A call takes about this many cycles, 3 to 5 microseconds: entry and exit are then below 0.5 %, and a batch of 100 microseconds has 20 calls and more.
CALL_CYCLES = 14_000
RING_STEP = 3
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9]*)\}")
_ROTATION = {"x86-64": "ror {d}, 13", "aarch64": "ror {d}, {d}, #13"}
_ADDITION = {"x86-64": "add {d}, {s}", "aarch64": "add {d}, {d}, {s}"}
_X86_GENERAL = tuple("r8 r9 r10 r11 r12 r13 r14 r15 rbx rbp rax rcx rdx".split())
_ARM_GENERAL = tuple(f"x{i}" for i in (*range(2, 18), *range(19, 29)))
_ARM_VECTOR = tuple(f"v{i}" for i in (*range(8), *range(16, 32)))  # the low halves of v8 to v15 belong to the caller
_WIDTH = {"x": 16, "y": 32, "z": 64}
# Registers that an instruction uses without naming them.
_IMPLICIT = {"mul": ("rax", "rdx"), "mulx": ("rdx",), "sha256rnds2": ("xmm0",)}
_LOWER = "32"  # what a placeholder ends with that names the lower half of a general register
_LITERAL = {
    "x86-64": re.compile(r"(?<![{\w])(r[a-d]x|rbp|r\d+|cl|[xyz]mm\d+)(?![\w}])"),
    "aarch64": re.compile(r"(?<![{\w])(x\d+|v\d+|q\d+)(?![\w}])"),
}


class Register(msgspec.Struct, frozen=True):
    """A register of a program. `name`: as the assembler calls it; `bytes`: 8, or a vector's width; `shared`: a source that every chain reads."""

    name: str
    bytes: int
    shared: bool


class KernelProgram(msgspec.Struct, frozen=True):
    """A kernel as it is run. A call executes `block` `iterations` times.

    `block`: lines of assembly, `element` of them the first element; `instructions` of them count; `units`: units of work in a block. The state is `words` 64-bit words of memory, then the
    registers in order; `length` bytes. `pointers`: registers that hold an address in the ring.
    """

    isa: Isa
    operation: str
    implementation: str
    symbol: str
    block: tuple[str, ...]
    units: int
    iterations: int
    registers: tuple[Register, ...]
    words: int
    ring: bool
    padding: bool
    pointers: tuple[str, ...]
    element: int = 1
    first: tuple[tuple[str, str], ...] = ()  # placeholder and register of the first chain

    @property
    def instructions(self) -> int:
        """Instructions in the block."""
        return sum(is_instruction(line) for line in self.block)

    @property
    def mnemonics(self) -> Counter[str]:
        """How often each mnemonic stands in the block."""
        return Counter(mnemonic(line) for line in self.block if is_instruction(line))

    @property
    def length(self) -> int:
        """Bytes of state."""
        return 8 * self.words + sum(register.bytes for register in self.registers)

    @property
    def units_per_call(self) -> int:
        """Units of work in one call."""
        return self.units * self.iterations

    @property
    def widest(self) -> int:
        """Bytes of the widest register."""
        return max((register.bytes for register in self.registers), default=8)


def program(table: KernelTable, algorithm: str, verb: str) -> KernelProgram:
    """The program of one operation's kernel. Raises DataError for an operation that the table lacks or a row that cannot be assembled."""
    kernel = table.kernel(algorithm)
    form = kernel.forms.get(verb)  # type: ignore[call-overload]
    if form is None:
        raise DataError(f"kernels: {algorithm}: has no {shown(verb)}", nearest(verb, kernel.forms))
    return _build(kernel.isa, f"{algorithm}/{verb}", KERNEL, form)


def calibrator(isa: Isa, implementation: str) -> KernelProgram:
    """The calibrating chain `add-chain` or `ror-chain`: dependent instructions of one cycle each."""
    code = {ADD_CHAIN: _ADDITION[isa], ROR_CHAIN: _ROTATION[isa]}[implementation]
    return _build(isa, f"{isa}.{implementation}", implementation, Form(code=code, cycles=1.0, block=512))


@lru_cache(maxsize=1024)
def _build(isa: Isa, operation: str, implementation: str, form: Form) -> KernelProgram:
    allocation = _Allocation(isa, operation, form)
    per_element = sum(is_instruction(line) for line in form.lines)
    turn = len(form.rotate) or form.chains  # elements after which the registers repeat
    # Odd numbers of everything: an even number of exclusive ors, or 64 rotations, would leave what was there before and prove nothing.
    elements = _odd(form.block / per_element / turn) * turn
    if elements * per_element > MAX_BLOCK:
        raise DataError(
            f"kernels: {operation}: a block of {elements * per_element} instructions",
            f"at most {MAX_BLOCK}: fewer chains, or a shorter element",
        )
    block: list[str] = []
    for element in range(elements):
        block += allocation.element(element)
    units = elements * form.units
    iterations = max(3, _odd(CALL_CYCLES / (units * form.cycles)))
    registers = allocation.registers()
    pointers = tuple(register.name for register in registers if form.ring and not register.shared)
    words = form.memory
    symbol = "cs_k_" + re.sub(r"[^a-z0-9]", "_", operation)
    return KernelProgram(
        isa,
        operation,
        implementation,
        symbol,
        tuple(block),
        units,
        iterations,
        registers,
        words,
        form.ring,
        form.padding,
        pointers,
        len(form.lines),
        allocation.first(),
    )


def _odd(value: float) -> int:
    """The odd number nearest to a positive `value`."""
    return max(1, 2 * round((value - 1) / 2) + 1)


class _Allocation:
    """Which register stands for which placeholder.

    x86-64: `{x..}`, `{y..}`, `{z..}` are vector registers of 16, 32, 64 bytes; AArch64: `{v..}` is a vector register, `{v..q}` the same called `q`. Others are
    general registers, `{..32}` the lower half of one. A name whose first letter (after that of a vector) is s, t, u or w is shared by all chains; the rest each chain has for itself.
    """

    def __init__(self, isa: Isa, operation: str, form: Form) -> None:
        self._isa = isa
        self._operation = operation
        self._form = form
        literal = dict.fromkeys("rcx" if name == "cl" else name for name in _LITERAL[isa].findall(form.code))
        general = _X86_GENERAL if isa == "x86-64" else _ARM_GENERAL
        vectors = tuple(f"mm{i}" for i in (*range(1, 16), 0)) if isa == "x86-64" else _ARM_VECTOR
        if isa == "x86-64" and "{z" in form.code:
            vectors = (*vectors, *(f"mm{i}" for i in range(16, 32)))
        for line in form.lines:
            if isa == "x86-64" and is_instruction(line):
                literal |= dict.fromkeys(_IMPLICIT.get(mnemonic(line), ()))
        self._free = [name for name in general if name not in literal]
        self._free_vectors = [name for name in vectors if name not in {text.lstrip("xyz") for text in literal}]
        self._names: dict[tuple[str, int], Register] = {}
        self._literal = tuple(_literal_register(isa, name) for name in literal)
        names = dict.fromkeys(name for name in _PLACEHOLDER.findall(form.code) if not _is_memory(name))
        for name in names:
            key = self._key(name)
            for chain in range(1 if self._shared(key) else form.chains):
                if (key, chain) not in self._names:
                    self._names[key, chain] = self._take(key)

    def _vector(self, name: str) -> bool:
        return name[0] in ("xyz" if self._isa == "x86-64" else "v")

    def _key(self, name: str) -> str:
        if not self._vector(name):
            return name.removesuffix(_LOWER)
        return name.removesuffix("q") if self._isa == "aarch64" and len(name) > 1 else name

    def _shared(self, key: str) -> bool:
        rest = key[1:] if self._vector(key) else key
        return rest[:1] in tuple("stuw")

    def _take(self, key: str) -> Register:
        pool = self._free_vectors if self._vector(key) else self._free
        if not pool:
            raise DataError(f"kernels: {self._operation}: more registers than there are", "fewer chains")
        name = pool.pop(0)
        if not self._vector(key):
            return Register(name, 8, self._shared(key))
        if self._isa == "x86-64":
            return Register(key[0] + name, _WIDTH[key[0]], self._shared(key))
        return Register(name, 16, self._shared(key))

    def element(self, index: int) -> list[str]:
        """The lines of element `index`, with its chain's registers."""
        chain = index % self._form.chains
        rotate = self._form.rotate

        def operand(match: re.Match[str]) -> str:
            name = match[1]
            if _is_memory(name):
                return self._address(int(name[1:]) if len(name) > 1 else chain)
            if name in rotate:
                name = rotate[(rotate.index(name) + index) % len(rotate)]
            key = self._key(name)
            register = self._names[key, 0 if self._shared(key) else chain].name
            if key == name:
                return register
            return register.replace("v", "q") if self._vector(name) else lower_half(self._isa, register)

        return [_PLACEHOLDER.sub(operand, line) for line in self._form.lines]

    def _address(self, word: int) -> str:
        if word >= self._form.memory:
            raise DataError(
                f"kernels: {self._operation}: word {word} of memory, but it has {self._form.memory}", "`memory` says"
            )
        return f"rdi+{8 * word}" if self._isa == "x86-64" else f"x0, #{8 * word}"

    def first(self) -> tuple[tuple[str, str], ...]:
        """Placeholders with the registers of the first chain."""
        return tuple((key, register.name) for (key, chain), register in self._names.items() if chain == 0)

    def registers(self) -> tuple[Register, ...]:
        """All registers of the program: those that the row names itself, then the placeholders'."""
        return (*self._literal, *self._names.values())


def lower_half(isa: Isa, register: str) -> str:
    """The name of a general register's lower 32 bits."""
    if isa == "aarch64":
        return register.replace("x", "w", 1)
    return f"{register}d" if register[1:].isdigit() else register.replace("r", "e", 1)


def _is_memory(name: str) -> bool:
    return re.fullmatch(r"m\d*", name) is not None


def _literal_register(isa: Isa, name: str) -> Register:
    if isa == "x86-64" and name[1:3] == "mm":
        return Register(name, _WIDTH[name[0]], shared=True)
    if isa == "aarch64" and name[0] in "vq":
        return Register(name.replace("q", "v"), 16, shared=True)
    return Register(name, 8, shared=True)


def needs(kernel: Kernel) -> str:
    """What the kernel asks of the processor, for people: `vaes, avx512f`."""
    return ", ".join(kernel.features)
