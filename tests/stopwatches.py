# SPDX-License-Identifier: Apache-2.0
"""Finds in the syntax of tests what they ask of time that a busy machine may answer otherwise. The rule, with what may be asked all the same: unit/test_no_stopwatch.py.

A neighbour makes everything longer, by any factor, and one of two stretches more than the other. Found are, in assertions and everywhere else:

- a time bounded from above, a time that is about a figure, two times beside each other, and any bound of a share or a rate of time;
- a limit below a minute for work that is meant to be done in it, and a bound below ten for a run;
- a sleep, which may be to let something else happen.

A time from below, against a number, is kept by a busy machine and is not found; nor is a wait until a deadline a minute away, nor a figure to a hundredth, which a measured time never keeps. Times are known by name (`TIME`), by the clocks
of Python, and through the variables and functions of the file that hold them. What comes through a name that says nothing of time (`figure`, `low`) is not seen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
FILES = sorted(TESTS.rglob("*.py"))
TIME = re.compile(r"^(ns|us|ms|cycles|each|wall|elapsed|took|waited|.*_(ns|us|ms|s|seconds|cycles)|(ns|us|ms)_.*)$")
# A neighbour makes them smaller or larger: no bound of them is safe.
RATE = re.compile(
    r"^(over|share|shares|ratio|ratio_estimate|rate|rates|ipc|hz|ghz|mhz|.*_(share|ratio|rate|hz|ghz|mhz|per_s))$"
)
CLOCKS = {"awake_s", "clock_gettime", "clock_gettime_ns", "getrusage", "cpu_clock_of"} | {
    f"{name}{unit}" for name in ("monotonic", "perf_counter", "process_time", "thread_time") for unit in ("", "_ns")
}
STARTS = {"subprocess", "Popen", "posix_spawn", "fork", "WorkerProcess", "Launch", "Conversation", "CommandLine"}
# Calls whose result is a time where an argument is one; every other call has the name of what it gives.
PASSES_ON = set(
    "abs float int list map max mean median median_low min next pow quantile round set sorted sum tuple zip log exp".split()
)
ABOUT = {"approx", "isclose", "allclose", "assert_allclose"}
LIMITS = {"timeout", "timeout_s", "within_s", "max_s", "patience"}
WAITS = {"settimeout": 0, "join": 0, "wait": 0, "wait_for": 1}
EXACT = 0.01  # no clock tells a time that closely twice: what is asked so exactly is scripted, and fails everywhere if it is not
MINUTE_S = 60
SHORT_BOUND = re.compile(r"\d+s|[1-9]m(in)?")  # of a run that measures for real: nine minutes at most
BESIDE, ABOVE, FIGURE = "two times beside each other", "a time bounded from above", "a time that is about a figure"
RATE_BOUND, SHORT, SLEEPS = "a bound of a share or a rate", "a limit below a minute", "a sleep"
SHORT_S = 0.05  # what looks again and again sleeps no longer


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """All of a tree; each is looked through several times."""
    return list(ast.walk(tree))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def name_of(node: ast.AST) -> str:
    """The last word of a name, an attribute, a key or a call; "" of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call):
        return name_of(node.func)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return node.slice.value
    return ""


def number(node: ast.AST, known: dict[str, float] | None = None) -> float | None:
    """A number that is written down, here or as a constant of the file; the least of two. None of anything else."""
    if isinstance(node, ast.Name):
        return (known or {}).get(node.id)
    if isinstance(node, ast.IfExp):
        return min((one for one in (number(node.body, known), number(node.orelse, known)) if one is not None), default=None)  # fmt: skip
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def constants(tree: ast.Module) -> dict[str, float]:
    """Numbers that the file has a name for."""
    named = [(node.targets[0], number(node.value)) for node in tree.body if isinstance(node, ast.Assign)]
    return {name_of(target): value for target, value in named if value is not None}


class Times:
    """Which expressions of a function hold a time; `told` are names of functions that give one."""

    def __init__(self, function: ast.AST, told: set[str]) -> None:
        self.names: set[str] = set()
        self._told = told
        before = -1
        while before != len(self.names):
            before = len(self.names)
            for node in nodes(function):
                if isinstance(node, ast.Assign):
                    for target in node.targets:
                        self._learn(target, node.value)
                elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign) and node.value is not None:
                    self._learn(node.target, node.value)
                elif isinstance(node, ast.For | ast.comprehension):
                    self._learn(node.target, node.iter)
                elif isinstance(node, ast.Call) and name_of(node) in ("append", "extend") and isinstance(node.func, ast.Attribute):  # fmt: skip
                    for value in node.args:
                        self._learn(node.func.value, value)

    def _learn(self, target: ast.AST, value: ast.AST) -> None:
        both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts)
        if both:
            for one, other in zip(target.elts, value.elts, strict=True):  # type: ignore[attr-defined]
                self._learn(one, other)
        elif isinstance(target, ast.Name) and self.of(value):
            self.names.add(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._learn(one, value)

    def of(self, node: ast.AST) -> str:
        """ "rate" or "time" for what holds one, "" for what holds neither."""
        name = name_of(node)
        if name == "each" and isinstance(node, ast.Name | ast.Call):  # no key of a reply
            name = ""
        if RATE.match(name):
            return "rate"
        if (
            TIME.match(name)
            or name in CLOCKS
            or name in self.names
            or (isinstance(node, ast.Call) and name in self._told)
        ):
            return "time"
        if isinstance(node, ast.Call):
            keyed = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            inner: Iterable[ast.AST] = node.args if name in PASSES_ON else ()
            if any(map(TIME.match, keyed)):
                return "time"
            return self._any([*inner, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])])
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
            return self.of(node.value)
        if isinstance(node, ast.BinOp):
            kinds = [self.of(node.left), self.of(node.right)]
            # Over a number it is a time still; over a time, or less another, it is no longer longer at a load.
            if isinstance(node.op, ast.Div) and kinds[1]:
                return "rate"
            if isinstance(node.op, ast.Sub) and kinds[1] and name_of(node.left) not in CLOCKS:
                return "rate"
            return "rate" if "rate" in kinds else max(kinds)
        if isinstance(node, ast.IfExp):
            return self._any([node.body, node.orelse])
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            return self.of(node.elt)
        if isinstance(node, ast.List | ast.Tuple | ast.BoolOp):
            return self._any(node.elts if not isinstance(node, ast.BoolOp) else node.values)
        return self.of(node.operand) if isinstance(node, ast.UnaryOp) else ""

    def _any(self, nodes: Iterable[ast.AST]) -> str:
        kinds = [self.of(node) for node in nodes]
        return "rate" if "rate" in kinds else "time" if "time" in kinds else ""


def deadlines(function: ast.AST) -> set[str]:
    """Names of moments a minute away at least: `end = time.monotonic() + 60`."""
    return {
        name_of(node.targets[0])
        for node in nodes(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BinOp)
        and isinstance(node.value.op, ast.Add)
        and name_of(node.value.left) in CLOCKS
        # A parameter is looked at where it is given.
        and (number(node.value.right) or MINUTE_S) >= MINUTE_S
    }


def about(left: ast.AST, right: ast.AST, times: Times) -> str:
    """Of a time that is about something: about another time, or by more than a measured one could ever keep."""
    calls = [side for side in (left, right) if isinstance(side, ast.Call) and name_of(side) in ABOUT]
    if not calls or not times.of(left if calls[0] is right else right):
        return ""
    if any(map(times.of, calls[0].args)):
        return BESIDE
    widths = [number(word.value) for word in calls[0].keywords if word.arg in ("rel", "abs", "rel_tol", "abs_tol")]
    return FIGURE if any(width is None or width > EXACT for width in widths) else ""


def own_clock(node: ast.AST) -> bool:
    """Whether it is what has passed by a clock of Python: `time.monotonic() - began`."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and name_of(node.left) in CLOCKS


def compares(node: ast.Compare, times: Times, ends: set[str], known: dict[str, float]) -> str:
    """What a comparison asks of time that a busy machine may answer otherwise, or ""."""
    sides = [node.left, *node.comparators]
    for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
        if isinstance(operator, ast.Eq | ast.NotEq) and (what := about(left, right, times)):
            return what
        if not isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            continue
        less, more = (left, right) if isinstance(operator, ast.Lt | ast.LtE) else (right, left)
        kinds = times.of(less), times.of(more)
        if name_of(less) in CLOCKS and isinstance(more, ast.Name) and more.id in ends:
            continue
        if own_clock(less) and (number(more, known) or 0) >= MINUTE_S:  # there to end what hangs
            continue
        if not any(kinds) or (number(less) == 0 and kinds[1]):
            continue
        if all(kinds):
            return BESIDE
        if "rate" in kinds:
            return RATE_BOUND
        if kinds[0]:
            return ABOVE
    return ""


def hurries(node: ast.Call, limits: dict[str, int], known: dict[str, float], told_by: set[str]) -> str:
    """What a call says of a limit that is too short for a busy machine, or of a sleep, or "". `told_by`: names in its function."""
    name = name_of(node)
    if name in ("wait_for_timeout", "sleep"):
        return "" if node.args and 0 <= (number(node.args[0], known) or MINUTE_S) <= SHORT_S else SLEEPS
    given = [(word.value, 1 if word.arg == "patience" else MINUTE_S) for word in node.keywords if word.arg in LIMITS]
    at = {**WAITS, **limits}.get(name)
    if at is not None and len(node.args) > at:
        given.append((node.args[at], MINUTE_S))
    given += [(value, 1) for word, value in pairwise(node.args) if isinstance(word, ast.Constant) and word.value == "--patience"]  # fmt: skip
    if "timed_by_script" not in told_by:
        bounds = [value for word, value in pairwise(node.args) if isinstance(word, ast.Constant) and word.value == "--max-time"]  # fmt: skip
        if any(SHORT_BOUND.fullmatch(str(getattr(value, "value", ""))) for value in bounds):
            return SHORT
    told = [(number(value, known), least) for value, least in given]
    return SHORT if any(value is not None and value < least for value, least in told) else ""


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """(name, node) of every function that is in no other, and of what stands outside of all."""
    outside = ast.Module([n for n in tree.body if not isinstance(n, ast.FunctionDef | ast.ClassDef)], [])
    yield "", outside
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from (
                (f"{node.name}.{n.name}" if isinstance(n, ast.FunctionDef) else node.name, n) for n in node.body
            )


def told_times(tree: ast.Module) -> set[str]:
    """Functions of a file that give a time."""
    told: set[str] = set()
    before = -1
    while before != len(told):
        before = len(told)
        for _, function in functions(tree):
            times = Times(function, told)
            for inner in (node for node in nodes(function) if isinstance(node, ast.FunctionDef)):
                gives = [n.value for n in nodes(inner) if isinstance(n, ast.Return | ast.Yield) and n.value is not None]
                if any(map(times.of, gives)):
                    told.add(inner.name)
    return told


def limits_of(trees: Iterable[ast.Module]) -> dict[str, int]:
    """Where functions of the tests that have a limit take it by place: {"gone": 1}."""
    made = [node for tree in trees for node in nodes(tree) if isinstance(node, ast.FunctionDef)]
    return {
        node.name: at
        for node in made
        for at, argument in enumerate(one for one in node.args.args if one.arg != "self")
        if argument.arg in LIMITS - {"patience"}
    }


def findings(tree: ast.Module, limits: dict[str, int]) -> Iterator[tuple[str, int, str]]:
    """(function, line, what) of everything that a busy machine may answer otherwise."""
    told, known = told_times(tree), constants(tree)
    repeats = "least" if "undisturbed" in imports(tree) else None
    for name, function in functions(tree):
        times, ends = Times(function, told), deadlines(function)
        told_by = {name_of(node) for node in nodes(function) if isinstance(node, ast.Name)}
        until = {id(part) for node in nodes(function) if name_of(node) == repeats for part in nodes(node)}
        for node in nodes(function):
            what = ""
            if isinstance(node, ast.Compare):
                what = compares(node, times, ends, known)
            elif isinstance(node, ast.Call):
                what = hurries(node, limits, known, told_by)
            if what and id(node) not in until:  # of `undisturbed.least`: asked again until it holds
                yield name, getattr(node, "lineno", 0), what


# -- which files can reach a clock ----------------------------------------------------------------------------------------------


def modules() -> dict[str, Path]:
    """Every module that a test may import, by the name under which it does."""
    found = {path.stem: path for path in FILES if path.name != "conftest.py"}
    for folder in ("src", "."):
        for package in ("cipherstone", "bench", "tools"):
            for path in sorted((ROOT / folder / package).rglob("*.py")):
                parts = path.relative_to(ROOT / folder).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def uses_a_clock(tree: ast.Module) -> bool:
    """Whether it reads one or starts a process, in its own words."""
    return any(isinstance(node, ast.Name | ast.Attribute) and name_of(node) in CLOCKS | STARTS for node in nodes(tree))


def imports(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


class Reach:
    """Which files of tests can reach a clock: by their own words, by what they import (and their helpers import), by a fixture of a conftest that can."""

    def __init__(self) -> None:
        self._modules = modules()
        self._known: dict[Path, bool] = {}
        self._fixtures = {name for path in FILES if path.name == "conftest.py" for name in self._live(path)}

    def _live(self, conftest: Path) -> Iterator[str]:
        """Fixtures that give a command or a conversation."""
        for node in tree_of(conftest).body:
            decorators = map(ast.unparse, node.decorator_list) if isinstance(node, ast.FunctionDef) else ()
            if any("fixture" in one for one in decorators) and self.of(conftest):
                yield node.name  # type: ignore[attr-defined]

    def of(self, path: Path) -> bool:
        if path not in self._known:
            self._known[path] = False  # of a circle, the others decide
            self._known[path] = self._found(path)
        return self._known[path]

    def _found(self, path: Path) -> bool:
        tree = tree_of(path)
        if uses_a_clock(tree):
            return True
        for module in imports(tree) & self._modules.keys():
            other = self._modules[module]
            # A helper is a part of the test; of the program only what itself reads a clock or starts something.
            if self.of(other) if TESTS in other.parents else uses_a_clock(tree_of(other)):
                return True
        asked = {arg.arg for n in nodes(tree) if isinstance(n, ast.FunctionDef) for arg in n.args.args}
        return path.name.startswith("test_") and bool(asked & self._fixtures)


def reads_a_clock(function: ast.AST) -> bool:
    return any(name_of(node) in CLOCKS for node in nodes(function) if isinstance(node, ast.Name | ast.Attribute))
