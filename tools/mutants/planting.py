# SPDX-License-Identifier: Apache-2.0
"""Which blocks of the sources a test runs: a copy of the checkout whose blocks report themselves. Own processes of a test report too, whatever their environment."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

RUNTIME = Path(__file__).with_name("hits.py")
CACHES = ("cache", "lru_cache")


@dataclass(frozen=True)
class Block:
    """Statements that run one after the other. `offset`: lines from the head of the function; `once`: its function keeps its answers, so that only the first caller runs it."""

    path: str
    within: str
    offset: int
    first: int
    last: int
    once: bool = False

    @property
    def key(self) -> str:
        """Stays as it is when the file changes elsewhere."""
        return f"{self.path}|{self.within}|{self.offset}"


def blocks_of(path: str, text: str) -> list[Block]:
    """The blocks of every function of a file, in the order in which they are numbered."""
    planter = _Planter(path, 0)
    planter.visit(ast.parse(text))
    return planter.blocks


def planted(path: str, text: str, start: int) -> tuple[str, list[Block]]:
    """The file with a report at the head of every block, numbered from `start`."""
    planter = _Planter(path, start)
    tree = ast.fix_missing_locations(planter.visit(ast.parse(text)))
    lines = ast.unparse(tree).splitlines()
    # Imports from __future__ come first, after the docstring.
    head = max((i for i, line in enumerate(lines) if line.startswith("from __future__")), default=None)
    if head is None:
        return text, []
    lines.insert(head + 1, "from cipherstone._hits import hit as _cs_hit, once as _cs_once")
    return "\n".join(lines) + "\n", planter.blocks


class _Planter(ast.NodeTransformer):
    def __init__(self, path: str, start: int) -> None:
        self._path, self._start = path, start
        self._within: list[str] = []
        self._heads: list[int] = []
        self.blocks: list[Block] = []

    def _report(self, statements: list[ast.stmt], once: bool = False) -> ast.stmt:
        first, last = statements[0].lineno, statements[-1].end_lineno or 0
        self.blocks.append(Block(self._path, ".".join(self._within), first - self._heads[-1], first, last, once))
        number = ast.Constant(self._start + len(self.blocks) - 1)
        return ast.Expr(ast.Call(ast.Name("_cs_hit", ast.Load()), [number], []))

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._within.append(node.name)
        node.body = [self.visit(one) for one in node.body]
        self._within.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._within.append(node.name)
        self._heads.append(node.lineno)
        described = ast.get_docstring(node) is not None and len(node.body) > 1
        once = any(_name(one).rpartition(".")[2] in CACHES for one in node.decorator_list)
        number = self._start + len(self.blocks)
        report = self._report(node.body[described:], once)
        body = [self.visit(one) for one in node.body]
        node.body = [*body[:described], report, *body[described:]]
        if once:
            node.decorator_list.insert(0, ast.Call(ast.Name("_cs_once", ast.Load()), [ast.Constant(number)], []))
        self._heads.pop()
        self._within.pop()
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        reports = {}
        if self._heads:
            for field in ("body", "orelse", "finalbody"):
                statements = getattr(node, field, None)
                if isinstance(statements, list) and statements:
                    reports[field] = self._report(statements)
        super().generic_visit(node)
        for field, report in reports.items():
            setattr(node, field, [report, *getattr(node, field)])
        return node


def _name(decorator: ast.expr) -> str:
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
