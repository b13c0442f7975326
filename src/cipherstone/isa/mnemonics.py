# SPDX-License-Identifier: Apache-2.0
"""Classes of instructions by the names that a disassembler gives them: branches, multiplications, divisions. Loads and stores are seen as accesses to memory, not by names."""

from __future__ import annotations

import re
from functools import cache

# By instruction set. A call and a return are branches; a product of polynomials is a multiplication. `/pc`: writes the program counter (32-bit Arm).
_ARM_CONDITION = r"(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al)?"
_X86 = {
    "branch": r"(bnd_|notrack_|repz?_|repne_)*(j[a-z]+|call[a-z]*|i?ret[a-z]*|loop[a-z]*|syscall|int)",
    "multiply": r"i?mul[a-z]*|v?p?clmul[a-z]*|v?pm(ul|add)[a-z0-9]*|v?f?mul[a-z]+",
    "divide": r"i?div[a-z]*|v?div[a-z]+",
}
_ARM = {
    "branch": rf"b[lx]?{_ARM_CONDITION}(\.[wn])?|blx{_ARM_CONDITION}|cbn?z|tb[bh]|svc{_ARM_CONDITION}|.*/pc",
    "multiply": rf"(mul|mla|mls|muls|[us]mulls?|[us]mlals?|umaal|smul[bt][bt]|smla[bt][bt]|smmul|smmla|vmul[a-z.0-9]*|vml[as][a-z.0-9]*){_ARM_CONDITION}(\.[a-z0-9]+)*",
    "divide": rf"[us]div{_ARM_CONDITION}|vdiv[a-z.0-9]*",
}
_AARCH64 = {
    "branch": r"b(\.[a-z]+)?|bl|blr[a-z]*|br[a-z]*(?<!brk)|ret[a-z]*|cbn?z|tbn?z|svc",
    "multiply": r"(f|f?n|s|u|pm?)?mul[lh]?2?|m(add|sub|neg|la|ls)|[us]m(add|sub|neg|la|ls)l2?|[us]?mull2?|pmull2?|fm(add|sub|la|ls)",
    "divide": r"[usf]div",
}
_PPC64LE = {
    "branch": r"b(?!permd|r[dhw]\b|cd)[a-z]*[+-]?|sc",
    "multiply": r"mul[a-z]*\.?|madd[a-z]*|v?p?m(sum|ul)[a-z0-9]*|vpmsum[a-z]|vmul[a-z]+|xv?s?mul[a-z]*|fmul[a-z]*\.?",
    "divide": r"div[a-z]*\.?|mod[su][dw]|fdiv[a-z]*\.?",
}
_RISCV64 = {
    "branch": r"(c\.)?(b(eq|ne|lt|ge|gt|le)[uz]{0,2}|j|jr|jal|jalr|call|tail|ret|ecall)",
    "multiply": r"mulh?(s?u)?w?|f?mul(\.[sd])?",
    "divide": r"(div|rem)u?w?|fdiv\.[sd]",
}
_OF = {"x86-64": _X86, "i386": _X86, "arm": _ARM, "aarch64": _AARCH64, "ppc64le": _PPC64LE, "riscv64": _RISCV64}
_PATTERNS = {isa: {kind: re.compile(text) for kind, text in classes.items()} for isa, classes in _OF.items()}


@cache
def class_of(isa: str, mnemonic: str) -> str:
    """`branch`, `multiply`, `divide`, or "" for every other. `isa`: x86-64, i386, arm, aarch64, ppc64le or riscv64."""
    return next((kind for kind, pattern in _PATTERNS[isa].items() if pattern.fullmatch(mnemonic)), "")
