# SPDX-License-Identifier: Apache-2.0
"""The slips of a Python file, from its syntax tree: exchanged operators and bounds, lost terms and alternatives, one for all, dropped conditions, arguments, filters and statements."""

from __future__ import annotations

import ast
from typing import cast

from tools.mutants.slips import Slip, numbered

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
ADDED = (ast.Add, ast.BitOr)  # of which a term may be lost


def python_slips(path: str, text: str) -> list[Slip]:
    """Every slip of a file, in the order of the text. Texts of errors, docstrings and annotations have none: no figure depends on them."""
    finder = _Finder(path, text)
    finder.visit(ast.parse(text))
    unique = {(slip.begin, slip.end, slip.now): slip for slip in finder.found if slip.was != slip.now}
    return numbered(sorted(unique.values(), key=lambda slip: (slip.begin, slip.end, slip.now)))


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        # Columns of the tree count bytes.
        self._lines = [line.encode() for line in text.splitlines(keepends=True)]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line.decode()))
        self._within: list[str] = []
        self.found: list[Slip] = []

    def _place(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())

    def _slip(self, node: ast.AST, kind: str, now: str) -> None:
        begin, end = self._places(node)
        spot, was = cast(ast.expr, node), self._text[begin:end]
        row = self._lines[spot.lineno - 1].decode().strip()
        self.found.append(Slip(self._path, ".".join(self._within), kind, begin, end, spot.lineno, was, now, row))

    def _places(self, node: ast.AST) -> tuple[int, int]:
        spot = cast(ast.expr, node)
        return self._place(spot.lineno, spot.col_offset), self._place(spot.end_lineno or 0, spot.end_col_offset or 0)

    def _source(self, node: ast.AST) -> str:
        begin, end = self._places(node)
        return self._text[begin:end]

    # -- what is left alone ------------------------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._within.append(node.name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for default in (*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)):
                self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self._within.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815
    visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            self._slip(node, "statement dropped", "pass")
        self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Texts, with what stands in them."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._slip(node, "error dropped", "pass")

    def visit_Assert(self, node: ast.Assert) -> None:
        """For the type checker."""

    # -- slips -------------------------------------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        if "TYPE_CHECKING" in self._source(node.test):
            return
        if not isinstance(node.test, ast.Compare | ast.UnaryOp):  # those have their own
            self._slip(node.test, "condition turned", f"(not ({self._source(node.test)}))")
        if isinstance(node, ast.If):
            self._slip(node.test, "condition never", "False")
            self._slip(node.test, "condition always", "True")
        self.generic_visit(node)

    visit_While = visit_If  # noqa: N815
    visit_IfExp = visit_If  # noqa: N815

    def visit_Compare(self, node: ast.Compare) -> None:
        for i, operator in enumerate(node.ops):
            changed = ast.Compare(node.left, list(node.ops), node.comparators)
            changed.ops[i] = COMPARISONS[type(operator)]()
            self._slip(node, "comparison", f"({ast.unparse(changed)})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if (other := OPERATORS.get(type(node.op))) is not None and not _of_text(node):
            self._slip(node, "operator", f"({ast.unparse(ast.BinOp(node.left, other(), node.right))})")
        if isinstance(node.op, (*ADDED, ast.Sub)) and not _of_text(node):
            self._slip(node, "term lost", f"({self._source(node.left)})")
            if isinstance(node.op, ADDED):
                self._slip(node, "term lost", f"({self._source(node.right)})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._slip(node, "and/or", f"({ast.unparse(ast.BoolOp(other, node.values))})")
        for i in range(len(node.values)):
            left = node.values[:i] + node.values[i + 1 :]
            now = left[0] if len(left) == 1 else ast.BoolOp(node.op, left)
            self._slip(node, "condition dropped", f"({ast.unparse(now)})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            self._slip(node, "not/minus dropped", f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        match node.value:
            case bool():
                self._slip(node, "constant", str(not node.value))
            case int():
                self._slip(node, "constant", str(node.value + 1))
            case float():
                self._slip(node, "constant", repr(node.value * 1.5 if node.value else 1.0))
            case _:
                pass

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in NAMES:
            self._slip(node, "bound", NAMES[node.id])

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Constant) and node.slice.value == 0:
            self._slip(node.slice, "first/last", "-1")
            self.visit(node.value)
        elif isinstance(node.slice, ast.UnaryOp) and ast.unparse(node.slice) == "-1":
            self._slip(node.slice, "first/last", "0")
            self.visit(node.value)
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if self._source(node.func).rpartition(".")[2].endswith(("Error", "Refusal", "cast", "TypeVar")):
            return
        name, given = self._source(node.func), ", ".join(map(self._source, node.args))
        if name == "max" and len(node.args) > 1 and not node.keywords:
            self._slip(node, "sum for maximum", f"sum(({given}))")
        elif name == "sum" and len(node.args) == 1 and not node.keywords:
            self._slip(node, "maximum for sum", f"max(({given}), default=0)")
        for i, keyword in enumerate(node.keywords):
            if keyword.arg is not None:
                fewer = ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
                self._slip(node, "argument dropped", ast.unparse(fewer))
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self._slip(condition, "filter dropped", "True")
        self._slip(node.iter, "one for all", f"[*{self._source(node.iter)}][:1]")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not isinstance(node.value, ast.Constant):
            self._slip(node, "nothing returned", "return None")
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._slip(node, "loop", "break")

    def visit_Break(self, node: ast.Break) -> None:
        self._slip(node, "loop", "continue")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._slip(node, "statement dropped", "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._slip(node, "statement dropped", "pass")
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == "__all__":
                return
        self.visit(node.value)


def _of_text(node: ast.BinOp) -> bool:
    """Whether an operand is visibly a text: texts are joined and formatted, never computed with. `X | None` is a type."""
    sides = (node.left, node.right)
    return any(isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and not isinstance(one.value, int | float)) for one in sides)  # fmt: skip
