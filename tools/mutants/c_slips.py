# SPDX-License-Identifier: Apache-2.0
"""The slips of a C file of the SDK, from its text: no parser, so a slip that does not compile is left out by whoever judges it."""

from __future__ import annotations

import re

from tools.mutants.slips import Slip, numbered

HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.DOTALL | re.MULTILINE)  # fmt: skip
SWAPS = {
    "<=": "<",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "<": "<=",
    ">": ">=",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
    "+=": "-=",
    "-=": "+=",
    "/": "*",
    "%": "/",
}
OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||\+=|-=|<|>|\+|-|/|%)(?= )")
NUMBER = re.compile(r"(?<![\w.])(\d+)(?=[uUlL]*\b)(?![\w.]*[.x])")
CONDITION = re.compile(r"\b(?:if|while) \(")
STATEMENT = re.compile(r"^[ \t]+((?:[a-z_]\w*\([^;{}]*\)|[\w.\->\[\]]+ (?:\+|-)?= [^;{}]*|return [^;{}]+|continue|break));[ \t]*$", re.MULTILINE)  # fmt: skip
# An assignment of alternatives or of a sum, of which one may be lost: two terms without parentheses.
TERMS = re.compile(
    r"(?<== )([\w.\->\[\]]+) (?:\||\+) ([\w.\->\[\]]+)(?=;)|(?<=, )([\w.\->\[\]]+) \| ([\w.\->\[\]]+)(?=\))"
)
FUNCTION = re.compile(r"^[a-z][\w \*]*?(\w+)\([^;{]*\)[ \n]*\{", re.MULTILINE)


def c_slips(path: str, text: str) -> list[Slip]:
    """Every slip of a file, in the order of the text."""
    code = HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    functions = [(match.start(), match[1]) for match in FUNCTION.finditer(code)]

    def slip(kind: str, begin: int, end: int, now: str) -> Slip:
        within = next((name for start, name in reversed(functions) if start <= begin), "")
        line = text.count("\n", 0, begin) + 1
        return Slip(path, within, kind, begin, end, line, text[begin:end], now, text.splitlines()[line - 1].strip())

    first = functions[0][0] if functions else len(code)
    found = [slip("operator", m.start(1), m.end(1), SWAPS[m[1]]) for m in OPERATOR.finditer(code)]
    found += [slip("constant", m.start(1), m.end(1), str(int(m[1]) + 1)) for m in NUMBER.finditer(code)]
    for match in TERMS.finditer(code):
        for term in filter(None, match.groups()):
            found.append(slip("term lost", match.start(), match.end(), term))
    for match in CONDITION.finditer(code):
        end = _closing(code, match.end())
        inside = text[match.end() : end]
        found.append(slip("condition turned", match.end(), end, f"!({inside})"))
    for match in STATEMENT.finditer(code):
        if not match[1].startswith("return") or match[1].split()[1:] == ["0"]:
            found.append(slip("statement dropped", match.start(1), match.end(1), ""))
    return numbered(sorted((one for one in found if one.begin >= first), key=lambda one: (one.begin, one.end, one.now)))


def _closing(code: str, start: int) -> int:
    """Where the parenthesis closes that opens right before `start`."""
    depth = 1
    for place in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return len(code)
