# SPDX-License-Identifier: Apache-2.0
"""AArch64 functions, AAPCS64: `void symbol(const void *in, void *out, uint64_t turns)`. No kernel uses x18, x29, x30 or the vector registers that are the caller's."""

from __future__ import annotations

from cipherstone.isa.program import KernelProgram, Register

# Other systems than macOS tell the type and the size of a function, and call it as C does without an underscore.
HEAD = """\
#ifdef __APPLE__
#define NAMED(symbol) _##symbol
#define TYPED(symbol)
#define SIZED(symbol)
#else
#define NAMED(symbol) symbol
#define TYPED(symbol) .type symbol, %function
#define SIZED(symbol) .size symbol, .- symbol
#endif
.arch armv8-a+crypto
.text
"""
TAIL = '#ifndef __APPLE__\n.section .note.GNU-stack,"",%progbits\n#endif\n'
# What the loop adds to the block: counting without flags.
LOOP_MNEMONICS = ("sub", "cbnz")
_SAVED = tuple(f"x{i}" for i in range(19, 29))


def function(program: KernelProgram, once: bool = False) -> list[str]:
    """The lines of one program. In the loop X0 is the address of the memory and X1 counts down. `once`: its first element, without a loop."""
    symbol = program.symbol + ("_once" if once else "")
    used = {register.name for register in program.registers}
    saved = [name for name in _SAVED if name in used]
    lines = [f".globl NAMED({symbol})", f"TYPED({symbol})", f"NAMED({symbol}):"]
    lines += [f"str {name}, [sp, #-16]!" for name in saved]
    for word in range(program.words):
        lines += [f"ldr x9, [x0, #{8 * word}]", f"str x9, [x1, #{8 * word}]"]
    # The third argument waits in X29 (saved) until X2 may be needed for the state.
    lines += ["stp x29, x30, [sp, #-16]!", "mov x29, x2"]
    at = 8 * program.words
    for register in program.registers:
        lines.append(f"ldr {_name(register)}, [x0, #{at}]")
        at += register.bytes
    # ADDS clears the carry flag; DSB and ISB wait for the call before, whose chain would else run beside this one.
    lines += ["mov x0, x1", "mov x1, x29", "adds xzr, xzr, xzr", "dsb nsh", "isb", ".p2align 6", f"{symbol}.loop:"]
    lines += program.block[: program.element] if once else (*program.block, "sub x1, x1, #1", f"cbnz x1, {symbol}.loop")
    lines.append(f"{symbol}.end:")
    at = 8 * program.words
    for register in program.registers:
        lines.append(f"str {_name(register)}, [x0, #{at}]")
        at += register.bytes
    lines.append("ldp x29, x30, [sp], #16")
    lines += [f"ldr {name}, [sp], #16" for name in reversed(saved)]
    return [*lines, "ret", f"SIZED({symbol})"]


def _name(register: Register) -> str:
    return register.name.replace("v", "q")
