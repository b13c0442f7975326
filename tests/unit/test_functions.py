# SPDX-License-Identifier: Apache-2.0
"""The size of functions: none of `src` has more than six parameters or more than eighty lines.

`self` and `cls` do not count. A parameter that declares an option of the command line does not count either, nor do its lines: a command has as many as it has options.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "cipherstone"
MOST_PARAMETERS, MOST_LINES = 6, 80
Size = tuple[int, int]  # parameters, lines


def is_option(parameter: ast.arg) -> bool:
    """Whether a parameter declares an option or argument of the command line: by `Annotated`, or by a name such as `env.CacheOption`."""
    kind = parameter.annotation.value if isinstance(parameter.annotation, ast.Subscript) else parameter.annotation
    name = kind.attr if isinstance(kind, ast.Attribute) else kind.id if isinstance(kind, ast.Name) else ""
    return name == "Annotated" or name.endswith("Option")


def size_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Size:
    """Parameters and lines of a function, without its options."""
    asked = function.args
    plain = [*asked.posonlyargs, *asked.args, *asked.kwonlyargs]
    more = [one for one in (asked.vararg, asked.kwarg) if one is not None]
    options = [one for one in plain if is_option(one)]
    counted = [one for one in (*plain, *more) if one not in options and one.arg not in ("self", "cls")]
    lines = {line for one in options for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
    whole = (function.end_lineno or function.lineno) - function.lineno + 1
    return len(counted), whole - len(lines)


def functions(text: str, prefix: str = "") -> Iterator[tuple[str, Size]]:
    """(name, size) of every function of a source, those within others and in classes among them."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, size_of(node)


def is_large(size: Size) -> bool:
    return size[0] > MOST_PARAMETERS or size[1] > MOST_LINES


@pytest.fixture(scope="module")
def large() -> dict[str, Size]:
    """The functions of the package that are too large; of several of one name in a file, the largest of each kind."""
    found: dict[str, Size] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for name, size in functions(path.read_text(), f"{path.relative_to(PACKAGE).as_posix()}:"):
            if is_large(size):
                before = found.get(name, (0, 0))
                found[name] = max(before[0], size[0]), max(before[1], size[1])
    return found


def test_no_function_is_too_large(large: dict[str, Size]) -> None:
    """Group parameters that travel together in a frozen value, or split the function: there is no other way out."""
    assert not large, f"more than {MOST_PARAMETERS} parameters or {MOST_LINES} lines: {large}"


SEVEN = "def f(a, b, c, d, e, g, h):\n    pass\n"
IN_A_CLASS = "class A:\n    def f(self, a, b, c, *, d, e, g, **h):\n        pass\n"
COMMAND = "def f(a: env.CacheOption, b: Annotated[str, typer.Option(\n'--b')], c, d, e, g, h, i):\n    pass\n"


@pytest.mark.parametrize(
    ("text", "size", "too_large"),
    [
        (SEVEN, (7, 2), True),
        (SEVEN.replace(", h", ""), (6, 2), False),
        (IN_A_CLASS, (7, 2), True),
        (IN_A_CLASS.replace("self", "this"), (8, 2), True),
        (COMMAND, (6, 1), False),
        (COMMAND.replace("CacheOption", "Cache").replace("Annotated", "Also"), (8, 3), True),
        ("def f():\n" + "    pass\n" * 79, (0, 80), False),
        ("async def f():\n" + "    pass\n" * 80, (0, 81), True),
    ],
)
def test_what_counts(text: str, size: Size, too_large: bool) -> None:
    assert list(functions(text)) == [("f", size)] and is_large(size) is too_large
