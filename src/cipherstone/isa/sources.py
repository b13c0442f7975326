# SPDX-License-Identifier: Apache-2.0
"""The sources that the laboratory's worker is built from beside its adapter: assembly of every kernel, and the adapter's table of operations."""

from __future__ import annotations

from pathlib import Path

from cipherstone.isa import assembly_aarch64, assembly_x86
from cipherstone.isa.examples import EXAMPLES
from cipherstone.isa.program import ADD_CHAIN, KERNEL, ROR_CHAIN, KernelProgram, calibrator, program
from cipherstone.isa.table import Isa, Kernel, Verb, load_table

_TARGETS = {"x86-64": assembly_x86, "aarch64": assembly_aarch64}
_LICENCE = "/* SPDX-License-Identifier: Apache-2.0\n *\n * Made from labs/instructions/kernels by cipherstone; not edited by hand.\n */\n"


def programs(root: Path, isa: Isa) -> list[KernelProgram]:
    """Every program of an instruction set that is assembled: the two calibrating chains, then the kernels in the table's order."""
    table = load_table(root, isa)
    kernels = [program(table, k.algorithm, verb) for k, verb in table.operations if k.assembled]
    return [calibrator(isa, ADD_CHAIN), calibrator(isa, ROR_CHAIN), *kernels]


def generated_sources(root: Path, isa: Isa) -> dict[str, str]:
    """File name -> text: `kernels.S`, and `kernels_table.c` for `labs/instructions/kernels.h`. Raises DataError."""
    return {"kernels.S": _assembly(root, isa), "kernels_table.c": _table(root, isa)}


def loop_mnemonics(isa: Isa) -> tuple[str, ...]:
    """What the loop itself adds to a block of kernel instructions."""
    found: tuple[str, ...] = _TARGETS[isa].LOOP_MNEMONICS
    return found


def _assembly(root: Path, isa: Isa) -> str:
    target = _TARGETS[isa]
    lines: list[str] = [line for one in programs(root, isa) for line in target.function(one)]
    lines += [
        line for one in programs(root, isa) if one.operation in EXAMPLES for line in target.function(one, once=True)
    ]
    # '#' begins a comment for the preprocessor of .S files in the first column only; AArch64 immediates stand further in.
    body = "\n".join(line if line.endswith(":") else f"    {line}" for line in lines)
    return f"{_LICENCE}{target.HEAD}{body}\n{target.TAIL}"


def _table(root: Path, isa: Isa) -> str:
    table = load_table(root, isa)
    chains = {ADD_CHAIN: calibrator(isa, ADD_CHAIN), ROR_CHAIN: calibrator(isa, ROR_CHAIN)}
    declared, kernels, operations = [], [], []
    for one in programs(root, isa):
        for symbol in (one.symbol, *((f"{one.symbol}_once",) if one.operation in EXAMPLES else ())):
            declared.append(f"void {symbol}(const void *in, void *out, uint64_t turns);")
    for kernel, verb in table.operations:
        rows = {KERNEL: program(table, kernel.algorithm, verb)} | chains
        for implementation, chosen in rows.items():
            kernels.append(_row(kernel, implementation, chosen))
            operations.append(_operation(kernel, verb, implementation, chosen, len(kernels) - 1))
    return "\n".join(
        [
            f'{_LICENCE}#include "kernels.h"\n',
            *declared,
            "",
            "static const cs_kernel kernels[] = {",
            *kernels,
            "};",
            "",
            "const cs_op cs_kernel_ops[] = {",
            *operations,
            "};",
            f"const size_t cs_kernel_n_ops = {len(operations)};",
            "",
        ]
    )


def _row(kernel: Kernel, implementation: str, chosen: KernelProgram) -> str:
    # The chains need nothing: an operation that the processor lacks is a case all the same, with a lane that says so.
    wanted = kernel.features if implementation == KERNEL else ()
    features = ", ".join([*(f'"{feature}"' for feature in wanted), "NULL"])
    run = chosen.symbol if kernel.assembled or implementation != KERNEL else "NULL"
    once = f"{chosen.symbol}_once" if chosen.operation in EXAMPLES else "NULL"
    return (
        f"    {{.run = {run}, .once = {once}, .turns = {chosen.iterations}, .state_bytes = {chosen.length}, .units = {chosen.units}, "
        f".instructions = {chosen.instructions}, .features = {{{features}}}}},"
    )


def _operation(kernel: Kernel, verb: Verb, implementation: str, chosen: KernelProgram, index: int) -> str:
    name = kernel.name if implementation == KERNEL else implementation
    return (
        f'    {{.id = "{kernel.algorithm}/{verb}", .impl = "{implementation}", .name = "{name}", .setup = cs_kernel_setup, '
        f'.call = cs_kernel_call, .teardown = cs_kernel_teardown, .param = &kernels[{index}], .form = "{implementation}", '
        f".unavailable = cs_kernel_unavailable, .facts = cs_kernel_facts}},"
    )
