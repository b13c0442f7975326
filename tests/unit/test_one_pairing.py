# SPDX-License-Identifier: Apache-2.0
"""The structure that keeps pairs paired: ratios of lanes' times are formed in `stats/pairing.py`, winners are named by `views/run/leaders.py`, and by nothing else.

Read from the syntax of every file of `src` and `bench`: quotients of two times, orders and extremes by time, comparisons of two times, other means than the median, calls of
what forms ratios and groups, and sentences that name a winner. What may do so all the same stands here with its reason, by function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("src", "bench") for path in (ROOT / folder).rglob("*.py"))
# A name or attribute that holds a time of a call, core cycles, or one side of a ratio.
TIME = re.compile(
    r"^(ns|cycles|measured|floors?|means|ours|theirs|f_i|f_j|factor|pass_ns|.*_ns|.*_ms|.*_us|ns_.*|times_ms)$"
)
ORDERS = {"min", "max", "sorted", "sort", "argmin", "nsmallest"}
MEANS = {"geometric_mean", "gmean", "harmonic_mean"}
FORMS = {"log_ratios", "ratio_estimate", "log_estimate", "pair", "alike", "itself", "divide", "rank"}
WINNER = re.compile(
    r"\b(is fastest|are fastest|equally fast|as fast as|times faster|% faster|told apart|told from|tied with|shown to be slower|shown to differ|clear winner|told slower|tie\b)"
)

RULES, STANDING, PAIRS = (
    "src/cipherstone/stats",
    "src/cipherstone/views/run/leaders.py",
    "src/cipherstone/views/run/pairs.py",
)
MEASURE, VIEWS, REPORT = "src/cipherstone/measure", "src/cipherstone/views", "src/cipherstone/report"
LABS = "src/cipherstone/labs"
ALLOWED = {
    # What forms pairs and groups, and who may ask for the parts of it.
    f"{RULES}/pairing.py": "the module that forms pairs",
    f"{RULES}/ratio.py": "logarithms of values by pass, which pairs are made of",
    f"{RULES}/flags.py:contention_sensitive": "two estimates of the pair that it is given",
    f"{RULES}/verdict.py": "the rule of groups",
    f"{RULES}/line.py:crossover": "where two drawn lines cross, between sizes whose verdicts differ",
    f"{PAIRS}": "asks for pairs, by lane and by cell",
    f"{STANDING}:standing_of": "ranks some lanes of a case by the rule",
    f"{STANDING}:_by_time": "the order in which the rule takes lanes",
    f"{VIEWS}/run/ranking.py:ranking": "ranks a case by the rule",
    f"{VIEWS}/run/estimates.py:aa_estimate": "asks for the pair of the A/A lane",
    f"{MEASURE}/casestate.py:_pairs": "asks for the pairs that the stopping rule waits for",
    f"{MEASURE}/lead.py": "ranks a case by the rule, for the progress line",
    f"{VIEWS}/comparison.py:divide": "the quotient of two independent ratios, with the widest interval",
    f"{VIEWS}/compare.py:_row": "two runs, each lane over its anchor",
    f"{LABS}/instructions/results.py:kernel_ratio": "two kernels are two cases: nothing to pair, so the widest interval",
    f"{LABS}/instructions/results.py:cheapest": "ranks kernels by the rule",
    "bench/handloop.py:run": "asks for the ratio, by the number of the pass",
    # Times of one lane, or of none.
    f"{MEASURE}/rounds.py": "calls a batch, from the cost of one lane",
    f"{MEASURE}/warm.py": "how many calls of one lane a length of time holds",
    f"{MEASURE}/clock.py": "one worker's claims against what the system counted",
    f"{RULES}/passvalue.py": "one lane in one pass, its batches",
    f"{VIEWS}/run/passes.py:pass_values": "one lane: is its call longer than a batch",
    f"{VIEWS}/run/estimates.py:_cycles": "one lane: its time over the clock of its pass",
    f"{VIEWS}/run/noise.py": "one worker: wall time over CPU time",
    f"{REPORT}/blocks/processes.py:line_table": "one lane: how many bytes cost as much as its start",
    f"{VIEWS}/compare.py:_no_figure": "which of two cells without a figure speaks",
    # Against something that is no lane.
    f"{VIEWS}/roofline.py": "a result against a bound",
    f"{VIEWS}/machines.py": "shares of bounds; their geometric means are named where they stand",
    f"{LABS}/modexp/costmodel.py": "predictions of a model beside each other, and beside what they predict",
    f"{LABS}/modexp/results.py:_beside": "our factor, which is paired, over a published one",
    f"{LABS}/modexp/results.py:published_order": "the published order",
    f"{LABS}/tls/sockets/results.py:_divided": "asks for the ratio of two tasks of one client, by the number of the pass",
    f"{LABS}/tls/sockets/results.py:_system": "one client: its time in the system",
    f"{VIEWS}/figures.py:_ratio": "asks for pairs of an instrument's lanes",
    f"{VIEWS}/compare_figures.py:between_runs": "two runs, each lane over the base beside it",
    f"{VIEWS}/compare_figures.py:_pair": "asks for pairs of an instrument's lanes",
    f"{LABS}/tls/networks/page.py:_cells": "what was measured beside the model of the same network",
    "src/cipherstone/views/published.py": "figures of a page beside ours: nothing is ranked by them",
    "src/cipherstone/catalogue/published_tables.py": "checks a published table against itself",
    "src/cipherstone/catalogue/roofline.py:bound": "terms of a bound",
    "src/cipherstone/execute/opinion/cells.py:ratios": "two programs' quotients beside each other: nothing is ranked by them",
    "src/cipherstone/execute/opinion/loops.py:rough": "one loop: about how long a call takes",
    "src/cipherstone/execute/opinion/loops.py:_repetitions": "the same",
    "src/cipherstone/execute/opinion/loops.py:values": "one loop: cycles of its empty call",
    "src/cipherstone/stats/agreement.py:_by_empty": "another program's figure beside ours",
    "src/cipherstone/model/agreement.py": "another program's figure beside ours",
    "bench/spread.py": "the sequential protocol that ours is held against",
    "bench/programs/section.py": "another program's figures beside ours",
    "bench/handshakes.py": "another program's figures beside ours",
    "bench/lanes.py:_measure": "time inside batches over time of the run",
    "src/cipherstone/worker/claims.py": "one worker's claims against what its asker saw",
    "src/cipherstone/worker/process.py:_need_shorter": "a claim against what its asker saw",
    # How things are drawn and written, whoever they are of.
    f"{REPORT}/charts/measures.py:errors": "the range of an axis",
    f"{REPORT}/charts/firsts.py:firsts": "the range of an axis",
    "src/cipherstone/model/units.py:format_time": "a time in a unit",
    "src/cipherstone/model/units.py:format_cycles": "the same of cycles",
    f"{RULES}/probes.py:ipc": "numpy's divide: one probe over the other",
}  # fmt: skip
# Who may put a finding of the method into words; cards and figures take theirs from the first.
SENTENCES = {
    f"{VIEWS}/plausible.py:_sentence": "a result against a bound",
    f"{REPORT}/words/sentences.py": "the sentences of the report",
    f"{REPORT}/words/verdict.py": "counts first places that the ranking gives",
    f"{REPORT}/words/method.py:method_paragraphs": "what a tie is",
    f"{REPORT}/charts/rows.py:_brackets": "a group of the ranking",
    f"{REPORT}/blocks/figure.py:ranking_table": "a group of the ranking",
    f"{REPORT}/render/html.py:_cell": "a group of the ranking",
    f"{REPORT}/render/markdown.py:_grids": "what a mark of a group means",
    f"{REPORT}/render/terminal.py:_legend": "what a mark of a group means",
    f"{LABS}/modexp/tables.py:compilers_figure": "what a mark of a group means",
    f"{REPORT}/blocks/room_page.py:times_words": "a paired ratio with its interval in words",
    f"{REPORT}/blocks/pairs.py:pair_text": "two printed rates of a published page",
    f"{LABS}/modexp/tables.py:_libraries_answer": "a single leader of a standing",
    f"{LABS}/modexp/tables.py:_wins_words": "in how many standings a build leads alone",
    f"{LABS}/instructions/page.py:_change": "a verdict on two kernels",
    f"{LABS}/instructions/page.py:_cards": "kernels of a group that the rule made",
    f"{LABS}/instructions/page.py:_arithmetic_cards": "a verdict on two kernels",
}


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""  # fmt: skip


def of_time(node: ast.AST) -> bool:
    """Whether a time stands anywhere in an expression."""
    names = [n.attr if isinstance(n, ast.Attribute) else n.id for n in ast.walk(node) if isinstance(n, ast.Attribute | ast.Name)]  # fmt: skip
    return any(map(TIME.match, names))


def forms_a_ratio(node: ast.AST) -> str:
    """What a node does that only pairs and standings do, or ""."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv):
        both = of_time(node.left) and of_time(node.right)
        bare = all(isinstance(side, ast.Attribute) and side.attr == "value" for side in (node.left, node.right))
        return "a quotient of two times" if both or bare else ""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return "compares two times" if of_time(node.left) and all(map(of_time, node.comparators)) else ""
    if not isinstance(node, ast.Call):
        return ""
    name = called(node)
    keys = [word.value for word in node.keywords if word.arg == "key"]
    if name in ORDERS and any(map(of_time, keys)):
        return "orders by time"
    if name in ORDERS and not keys and name != "max" and any(isinstance(a, ast.ListComp | ast.GeneratorExp) and of_time(a.elt) for a in node.args):  # fmt: skip
        return "orders by time"
    if name in MEANS:
        return "a mean"
    return f"calls {name}" if name in FORMS else ""


def docstrings(tree: ast.AST) -> set[int]:
    """Nodes that are documentation."""
    owners = [n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    return {id(n.body[0].value) for n in owners if n.body and isinstance(n.body[0], ast.Expr)}


def questions(tree: ast.AST) -> set[int]:
    """Nodes that are parts of a question: it names nobody."""
    whole = [n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) and n.values]
    asked = [n for n in whole if isinstance(n.values[-1], ast.Constant) and str(n.values[-1].value).endswith("?")]
    return {id(part) for n in asked for part in n.values}


def names_a_winner(node: ast.AST, documented: set[int]) -> str:
    """A text that names one; questions name nobody."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in documented:
        return ""
    found = WINNER.search(node.value)
    return f"says '{found[0]}'" if found and not node.value.rstrip().endswith("?") else ""


def findings(tree: ast.AST, sentences: bool) -> Iterator[tuple[str, int, str]]:
    """(function, line, what) of everything that only some may do."""
    documented = docstrings(tree) | questions(tree)

    def below(node: ast.AST, function: str) -> Iterator[tuple[str, int, str]]:
        if isinstance(node, ast.FunctionDef):
            function = node.name
        what = names_a_winner(node, documented) if sentences else forms_a_ratio(node)
        if what:
            yield function, getattr(node, "lineno", 0), what
        for child in ast.iter_child_nodes(node):
            yield from below(child, function)

    yield from below(tree, "")


def strangers(allowed: dict[str, str], sentences: bool, files: list[Path]) -> tuple[list[str], set[str]]:
    """(what is not allowed, the entries of `allowed` that something needed)."""
    found, used = [], set()
    for path in files:
        name = str(path.relative_to(ROOT))
        for function, line, what in findings(ast.parse(path.read_text(encoding="utf-8")), sentences):
            key = next((key for key in (name, f"{name}:{function}") if key in allowed), None)
            if key is None:
                found.append(f"{name}:{line}: {function}: {what}")
            else:
                used.add(key)
    return found, used


def test_nothing_else_forms_ratios_or_orders_lanes() -> None:
    found, used = strangers(ALLOWED, False, FILES)
    assert found == []
    assert used == set(ALLOWED), "an entry that nothing needs"


def test_nothing_else_names_a_winner() -> None:
    files = [path for path in FILES if {"report", "views", "labs"} & set(path.parts)]
    found, used = strangers(SENTENCES, True, files)
    assert found == []
    assert used == set(SENTENCES), "an entry that nothing needs"


def test_the_checks_see_what_they_are_for() -> None:
    for text in (
        "a.ns.value / b.ns.value",
        "small.value / large.value",
        "floor_ns / best_ns",
        "min(cells, key=lambda c: c.ns.value)",
        "sorted(rows, key=lambda r: r.measured_ns)",
        "min(c.ns.value for c in cells)",
        "row.ns.value < best.ns.value",
        "geometric_mean(ratios)",
        "ratio_estimate(a, b)",
        "rank(lanes, pair)",
    ):
        assert list(findings(ast.parse(f"def f():\n    return {text}"), False)), text
    for text in ('f"{name} is fastest"', '"all equally fast"', 'f"{a} cannot be told apart"'):
        assert list(findings(ast.parse(f"def f():\n    return {text}"), True)), text
    for text in ('"Which library is fastest?"', "1e9 / cell.ns.value", "memory / base", "max(c.ns.value for c in x)"):
        assert not list(findings(ast.parse(f"def f():\n    return {text}"), False)), text
        assert not list(findings(ast.parse(f"def f():\n    return {text}"), True)), text
