# SPDX-License-Identifier: Apache-2.0
"""Whether a built worker holds the kernels that the table tells: the loop of each is disassembled and its instructions are counted."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from cipherstone.build.toolchain import run_tool
from cipherstone.isa.program import KernelProgram
from cipherstone.isa.sources import loop_mnemonics, programs
from cipherstone.isa.table import Isa
from cipherstone.model.errors import BuildError

_SYMBOL = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
_INSTRUCTION = re.compile(r"^ *[0-9a-f]+:\t([^\t]*)")
# The disassembler's own names for carry-less products by their immediate operand.
_ALIASES = {
    f"{prefix}pclmul{a}q{b}qdq": f"{prefix}pclmulqdq" for prefix in ("", "v") for a in ("l", "h") for b in ("l", "h")
}
# What the assembler fills gaps with; only a row with `padding` may have it, and it never runs.
_PADDING = frozenset({"nop", "nopw", "nopl", "data16", "cs", "xchg"})
_PREFIXES = frozenset({"cs", "data16"})


def check_kernels(executable: Path, root: Path, isa: Isa, cc: str) -> str:
    """Raises BuildError for the first kernel whose loop is not what its row tells. Returns a note for the build: what was checked, or why it was not.

    `cc`: the compiler that built it; it knows the disassembler of its target.
    """
    objdump = find_objdump(cc)
    if objdump is None:
        return "kernels not checked by disassembly: no objdump here"
    chosen = programs(root, isa)
    try:
        loops = disassembled_loops(executable, objdump, isa)
    except BuildError as error:
        return f"kernels not checked by disassembly: {error.message}"
    compare_loops(chosen, loops)
    return f"{len(chosen)} loops checked by disassembly"


def find_objdump(cc: str) -> str | None:
    """The disassembler for what `cc` compiles for, or None."""
    try:
        said = subprocess.run(
            [cc, "-print-prog-name=objdump"], capture_output=True, text=True, timeout=20, check=False
        ).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return None
    return shutil.which(said or "objdump")


def disassembled_loops(executable: Path, objdump: str, isa: Isa) -> dict[str, Counter[str]]:
    """How often each mnemonic stands in the loop of each kernel symbol. Raises BuildError if the disassembler fails."""
    style = ["-M", "intel"] if isa == "x86-64" else []
    text = run_tool([objdump, "-d", "--no-show-raw-insn", *style, str(executable)], "disassembly")
    loops: dict[str, Counter[str]] = {}
    current: Counter[str] | None = None
    for line in text.splitlines():
        if symbol := _SYMBOL.match(line):
            name, _, part = symbol[1].rpartition(".")
            current = loops.setdefault(name, Counter()) if part == "loop" else None
        elif current is not None and (found := _INSTRUCTION.match(line)):
            words = found[1].split() or ["(nothing)"]
            while len(words) > 1 and words[0] in _PREFIXES:
                words.pop(0)
            current[_ALIASES.get(words[0], words[0])] += 1
    return loops


def compare_loops(chosen: Iterable[KernelProgram], loops: dict[str, Counter[str]]) -> None:
    """Raises BuildError, in one line, for the first program that is missing or differs from its loop."""
    for one in chosen:
        found = loops.get(one.symbol)
        where = f"kernels: {one.operation}"
        if found is None:
            raise BuildError(f"{where}: no loop called {one.symbol}.loop in the worker", "was it stripped?")
        due = one.mnemonics + Counter(loop_mnemonics(one.isa))
        extra, lacking = found - due, due - found
        if one.padding:
            extra = Counter({name: count for name, count in extra.items() if name not in _PADDING})
        if extra or lacking:
            raise BuildError(
                f"{where}: the loop is not what the table tells: {_told(extra, 'too many')}{'; ' if extra and lacking else ''}"
                f"{_told(lacking, 'missing')}",
                "does the row use an alias, or an instruction that the assembler replaces?",
            )


def _told(counts: Counter[str], what: str) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) + f" {what}" if counts else ""
