# SPDX-License-Identifier: Apache-2.0
"""The house: a level imports lower levels only, and only `cli` prints, exits or reads the environment. The table is read from docs/concepts/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "cipherstone"
TABLE_ROW = re.compile(r"^\| L(\d) \| `(\w+)` \|", re.MULTILINE)
LEVELS = {name: int(level) for level, name in TABLE_ROW.findall((ROOT / "docs/concepts/architecture.md").read_text())}
FILES = sorted(PACKAGE.rglob("*.py"))


def package_of(path: Path) -> str:
    """The package of a source file; "" for files beside the packages."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def imported(tree: ast.AST, path: Path) -> Iterator[tuple[str, int]]:
    """(module, line) of every import, wherever it stands; relative ones are resolved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = ("cipherstone", *path.relative_to(PACKAGE).parts)[: -node.level]
                base = ".".join([*up, base] if base else up)
            # `from cipherstone import stats` imports a package as well
            yield from (
                (f"{base}.{alias.name}" if base == "cipherstone" else base, node.lineno) for alias in node.names
            )


def violations(path: Path, text: str, package: str) -> list[str]:
    """Imports of `package` that point to its own level or above."""
    found = []
    for module, line in imported(ast.parse(text), path):
        parts = module.split(".")
        if parts[0] != "cipherstone" or len(parts) < 2 or parts[1] not in LEVELS or parts[1] == package:
            continue
        if LEVELS[parts[1]] >= LEVELS[package]:
            found.append(f"line {line}: {package} (L{LEVELS[package]}) imports {parts[1]} (L{LEVELS[parts[1]]})")
    return found


def test_the_table_names_every_package() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages <= set(LEVELS), f"not in the table: {packages - set(LEVELS)}"
    assert set(LEVELS) == packages, f"in the table only: {set(LEVELS) - packages}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_level_imports_lower_levels_only(path: Path) -> None:
    package = package_of(path)
    if not package:  # __main__ starts the command line
        return
    assert violations(path, path.read_text(), package) == []


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ("catalogue", "from cipherstone.stats.ratio import ratio_estimate"),
        ("catalogue", "import cipherstone.stats"),
        ("catalogue", "def f():\n    from cipherstone import stats"),
        ("model", "from ..catalogue import paths"),
        ("views", "from cipherstone.cli.main import main"),
    ],
)
def test_the_check_sees_what_it_is_for(package: str, text: str) -> None:
    assert violations(PACKAGE / package / "x.py", text, package)


class Outside(ast.NodeVisitor):
    """What only `cli` may do: print, exit, look at arguments, environment or standard streams."""

    CALLS = frozenset({"print", "input", "exit", "quit", "breakpoint"})
    ATTRIBUTES = frozenset(
        {
            ("os", "environ"),
            ("os", "environb"),
            ("os", "getenv"),
            ("os", "putenv"),
            ("os", "_exit"),
            ("sys", "exit"),
            ("sys", "argv"),
            ("sys", "stdout"),
            ("sys", "stderr"),
            ("sys", "stdin"),
        }
    )

    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in self.CALLS:
            self.found.append(f"line {node.lineno}: {node.func.id}()")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and (node.value.id, node.attr) in self.ATTRIBUTES:
            self.found.append(f"line {node.lineno}: {node.value.id}.{node.attr}")
        self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if (node.module, alias.name) in self.ATTRIBUTES:
                self.found.append(f"line {node.lineno}: from {node.module} import {alias.name}")

    def visit_Raise(self, node: ast.Raise) -> None:
        name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if isinstance(name, ast.Name) and name.id == "SystemExit":
            self.found.append(f"line {node.lineno}: raise SystemExit")
        self.generic_visit(node)


def outside(text: str) -> list[str]:
    visitor = Outside()
    visitor.visit(ast.parse(text))
    return visitor.found


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if package_of(path) not in ("", "cli")],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_the_command_line_prints_exits_or_reads_the_environment(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    # `python -m cipherstone.X` of a generator is a program of its own below this line.
    main = [node for node in tree.body if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)]
    tree.body = [node for node in tree.body if node not in main]
    assert outside(ast.unparse(tree)) == []


@pytest.mark.parametrize(
    "text",
    [
        "print(1)",
        "import os\nos.environ['X']",
        "from os import getenv",
        "raise SystemExit(2)",
        "import sys\nsys.exit()",
    ],
)
def test_the_other_check_sees_what_it_is_for(text: str) -> None:
    assert outside(text)


def test_no_file_is_called_after_nothing() -> None:
    """Names that say nothing about what is inside."""
    vague = {"utils", "util", "helpers", "helper", "manager", "misc", "common", "stuff"}
    assert [str(path) for path in FILES if path.stem in vague or path.parent.name in vague] == []
