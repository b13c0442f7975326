# SPDX-License-Identifier: Apache-2.0
"""The house: a level imports lower levels only, and only `cli` prints, exits or reads the environment. The table is read from docs/concepts/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "cipherstone"
TABLE_ROW = re.compile(r"^\| L(\d) \| `(\w+)` \|", re.MULTILINE)
LEVELS = {name: int(level) for level, name in TABLE_ROW.findall((ROOT / "docs/concepts/architecture.md").read_text())}
FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def package_of(path: Path) -> str:
    """The package of a source file; "" for files beside the packages."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def is_command(path: Path) -> bool:
    """Whether a file is the command of a laboratory, which is a part of the command line."""
    return package_of(path) == "labs" and path.name == "command.py"


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
    for module, line in imported(parsed(text), path):
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


def importable(level: int) -> str:
    """The sentence of a package's docstring that says what it may import."""
    lower = ["May import no other package", "May import L0", "May import L0 and L1"]
    return lower[level] if level < len(lower) else f"May import L0 to L{level - 1}"


@pytest.mark.parametrize("package", LEVELS)
def test_a_package_says_its_level_and_what_it_may_import(package: str) -> None:
    text = ast.get_docstring(ast.parse((PACKAGE / package / "__init__.py").read_text())) or ""
    assert text.startswith(f"L{LEVELS[package]}: ")
    assert re.findall(r"May import [^.;]*", text) == [importable(LEVELS[package])]


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


def names_of(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The modules of an import statement; a relative one is ours."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return ["cipherstone" if node.level else node.module or ""]


def hidden_imports(text: str) -> list[str]:
    """Imports of our own modules that do not stand at the top of a module, where they could hide a circle, and imports by a name that is computed."""
    tree = parsed(text)
    found = []
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = [n for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)]
            found += [f"line {n.lineno}" for n in inner if any(name.startswith("cipherstone") for name in names_of(n))]
    found += [
        f"line {n.lineno}: {n.attr}"
        for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and n.attr in ("import_module", "__import__")
    ]
    # `Later` is for modules of others; what is its own is imported in the open
    named = [(n.func.id, n) for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    for name, call in named:
        ours = name == "Later" and not (
            isinstance(call.args[0], ast.Constant) and not str(call.args[0].value).startswith("cipherstone")
        )
        found += [f"line {call.lineno}: {name}"] if name == "imported" or ours else []
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_import_is_hidden(path: Path) -> None:
    if path in (
        PACKAGE / "cli" / "lab_discovery.py",  # finds the laboratories
        PACKAGE / "cli" / "commands.py",  # loads the one command that is asked for
        PACKAGE / "model" / "later.py",
        PACKAGE / "__main__.py",  # begins before anything is imported
    ):
        return
    assert hidden_imports(path.read_text()) == []


def test_a_hidden_import_is_seen() -> None:
    assert hidden_imports("def f():\n    from cipherstone import stats\n") == ["line 2"]
    assert hidden_imports("import importlib\nx = importlib.import_module('a')\n") == ["line 2: import_module"]
    assert hidden_imports("x = imported('cipherstone.stats')\n") == ["line 1: imported"]
    assert hidden_imports("x, y = Later('numpy'), Later('cipherstone.stats')\n") == ["line 1: Later"]


def circles(edges: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules that import each other, directly or around."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        left = [start]
        while left:
            for other in edges.get(left.pop(), set()) - seen:
                seen.add(other)
                left.append(other)
        return seen

    reach = {module: reached(module) for module in edges}
    found: list[set[str]] = []
    for module in sorted(edges):
        if module in reach[module] and not any(module in one for one in found):
            found.append({other for other in reach[module] if module in reach.get(other, set())})
    return found


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_modules_import_each_other() -> None:
    known = {module_name(path) for path in FILES}
    edges: dict[str, set[str]] = {}
    for path in FILES:
        found = edges.setdefault(module_name(path), set())
        for node in parsed(path.read_text()).body:  # what stands under TYPE_CHECKING does not run
            if isinstance(node, ast.ImportFrom) and node.module in known:
                assert node.module is not None
                parts = {f"{node.module}.{alias.name}" for alias in node.names} & known
                found |= parts or {node.module}
        # what is imported runs the packages above it first
        for other in tuple(found):
            while "." in (other := other.rpartition(".")[0]) and other in known:
                found.add(other)
        own = module_name(path)
        found -= {above for above in known if f"{own}.".startswith(f"{above}.")}
    assert circles(edges) == []


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]


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
    for node in parsed(text).body:
        # `python -m cipherstone.X` of a generator is a program of its own below this line.
        if not (isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)):
            visitor.visit(node)
    return visitor.found


# Who stands between the caller's environment and what others wrote, or is a program of its own.
OUTSIDE = {
    "build/checkout.py": "which settings of git's reach a checkout is chosen here",
    "build/sandbox.py": "what a build gets of the environment is chosen here",
    "build/supervisor.py": "a program of its own, which forks",
    "report/charts/renderer.py": "a program of its own, which answers",
    "host/lock.py": "where the system keeps locks is told by the environment alone",
}


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if package_of(path) not in ("", "cli") and not is_command(path)],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_the_command_line_prints_exits_or_reads_the_environment(path: Path) -> None:
    assert bool(outside(path.read_text())) == (str(path.relative_to(PACKAGE)) in OUTSIDE), outside(path.read_text())


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


# Tables 1 and 2 of three standards, each of which calls them so.
SAME_NAME = {"ParameterSet"}


def test_classes_of_different_packages_have_different_names() -> None:
    """A reader who looks for `Table` or `Program` finds one. A laboratory may have names of its own."""
    places: dict[str, list[str]] = {}
    for path in FILES:
        for node in parsed(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and package_of(path) != "labs":
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in SAME_NAME} == {}
