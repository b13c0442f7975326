# SPDX-License-Identifier: Apache-2.0
"""x86-64 functions, System V calling convention, Intel syntax: `void symbol(const void *in, void *out, uint64_t turns)`."""

from __future__ import annotations

from cipherstone.isa.program import RING_STEP, KernelProgram, Register

# Other systems than macOS tell the type and the size of a function, and call it as C does without an underscore.
HEAD = """\
#ifdef __APPLE__
#define NAMED(symbol) _##symbol
#define TYPED(symbol)
#define SIZED(symbol)
#else
#define NAMED(symbol) symbol
#define TYPED(symbol) .type symbol, @function
#define SIZED(symbol) .size symbol, .- symbol
#endif
.intel_syntax noprefix
.text
"""
TAIL = '#ifndef __APPLE__\n.section .note.GNU-stack,"",@progbits\n#endif\n'
# What the loop adds to the block: counting that leaves the carry flag alone, and the jump.
LOOP_MNEMONICS = ("dec", "jne")
_SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")


def function(program: KernelProgram, once: bool = False) -> list[str]:
    """The lines of one program. In the loop RDI is the address of the memory and RSI counts down. `once`: its first element, without a loop."""
    symbol = program.symbol + ("_once" if once else "")
    saved = [name for name in _SAVED if any(register.name == name for register in program.registers)]
    lines = [f".globl NAMED({symbol})", f"TYPED({symbol})", f"NAMED({symbol}):"]
    lines += [f"push {name}" for name in saved]
    lines.append("push rdx")
    if program.widest > 16:
        lines.append("vzeroupper")
    if program.ring:
        lines += _ring(program)
    else:
        for word in range(program.words):
            lines += [f"mov rax, [rdi+{8 * word}]", f"mov [rsi+{8 * word}], rax"]
    at = 8 * program.words
    for register in program.registers:
        if register.name in program.pointers:
            lines.append(f"mov {register.name}, rsi")
        else:
            lines.append(f"{_move(register)} {register.name}, [rdi+{at}]")
        at += register.bytes
    # TEST clears the carry and the overflow flag. LFENCE waits for the call before: else its chain and this one run side by side for as long as the
    # scheduler is deep, and a latency comes out 1 % short.
    lines += ["mov rdi, rsi", "pop rsi", "test rdi, rdi", "lfence", ".p2align 6", f"{symbol}.loop:"]
    lines += program.block[: program.element] if once else (*program.block, "dec rsi", f"jne {symbol}.loop")
    lines.append(f"{symbol}.end:")
    lines += [f"sub {name}, rdi" for name in program.pointers]
    if program.ring:
        lines += [f"sub [rdi+{8 * word}], rdi" for word in range(program.words)]
    at = 8 * program.words
    for register in program.registers:
        lines.append(f"{_move(register)} [rdi+{at}], {register.name}")
        at += register.bytes
    if program.widest > 16:
        lines.append("vzeroupper")
    lines += [f"pop {name}" for name in reversed(saved)]
    return [*lines, "ret", f"SIZED({symbol})"]


def _ring(program: KernelProgram) -> list[str]:
    lines = []
    for word in range(program.words):
        lines += [f"lea rax, [rsi+{8 * ((word + RING_STEP) % program.words)}]", f"mov [rsi+{8 * word}], rax"]
    return lines


def _move(register: Register) -> str:
    return {8: "mov", 16: "movdqu", 32: "vmovdqu", 64: "vmovdqu64"}[register.bytes]
