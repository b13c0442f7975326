# SPDX-License-Identifier: Apache-2.0
"""`make mutants` itself: what a bench says of a slip, what it does when it is stopped or ended, and what stays judged."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tools.mutants import __main__ as module
from tools.mutants import judge
from tools.mutants.c_slips import c_slips
from tools.mutants.covering import Cost, Covering, questions
from tools.mutants.judge import Bench, Deadline, Verdict
from tools.mutants.python_slips import python_slips
from tools.mutants.slips import Slip

SOURCE = "src/cipherstone/half.py"
CODE = """from __future__ import annotations


def half(number: int) -> int:
    while number > 1000:
        number = number - 1000
    return number // 2 + 0
"""
TESTS = """from cipherstone.half import half


def test_half() -> None:
    assert half(8) == 4 and half(2008) == 4 and half(1000) == 500
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small one, with the tool."""
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(module.ROOT / "tools" / "mutants", root / "tools" / "mutants", ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    files = {
        "src/cipherstone/__init__.py": "",
        SOURCE: CODE,
        "tests/test_half.py": TESTS,
        "tests/mutants.toml": 'python = ["tests/test_*.py"]\nfile = []\n',
        "tests/equivalent.toml": "slip = []\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


@pytest.fixture(scope="module")
def bench(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(checkout, tmp_path_factory.mktemp("bench"))
    yield made
    made.close()


def slip(was: str, now: str) -> Slip:
    (found,) = [one for one in python_slips(SOURCE, CODE) if (one.was, one.now) == (was, now)]
    return found


WRONG, SAME = slip("number - 1000", "(number + 1000)"), slip("0", "1")
ASKED = [(["tests/test_half.py"], {"tests/test_half.py::test_half": 0.1})]
KEPT = slip("number // 2", "(number / 2)")


def test_what_a_bench_says(bench: Bench) -> None:
    """The copy is what it was before; a text that is no program is invalid."""
    (doubled,) = [one for one in python_slips(SOURCE, CODE) if one.was == "2"]
    found = bench.judge(doubled, ASKED)
    assert (found.state, found.by) == ("noticed", "tests/test_half.py::test_half")
    assert bench.judge(KEPT, ASKED).state == "survived"  # 4.0 is 4
    assert bench.judge(replace(doubled, now="("), ASKED).state == "invalid"
    assert (bench.target / SOURCE).read_text() == CODE
    assert bench.judge(doubled, []).state == "survived"


def test_what_cannot_be_asked_is_no_verdict(bench: Bench) -> None:
    with pytest.raises(RuntimeError, match=r"test_gone\.py: exit .* without a slip, too"):
        bench.judge(SAME, [(["tests/test_gone.py"], {})])
    assert (bench.target / SOURCE).read_text() == CODE


def test_a_process_that_was_ended_says_nothing_of_a_slip(bench: Bench) -> None:
    """It is started again, whether it was ended between questions or under one."""
    bench._process.kill()
    assert bench.judge(KEPT, ASKED).state == "survived"
    bench._process.kill()
    bench._process.wait()
    assert bench.judge(SAME, ASKED).state == "noticed"


def test_what_waits_for_ever_is_noticed_by_the_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "PATIENCE_S", 0.0)
    monkeypatch.setattr(judge, "STEP_S", 0.05)
    found = bench.judge(WRONG, ASKED)
    assert (found.state, found.by) == ("noticed", "time")
    monkeypatch.setattr(judge, "PATIENCE_S", 60.0)
    assert bench.judge(KEPT, ASKED).state == "survived"


def test_what_takes_long_without_a_slip_too_has_more_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine: the time tells of a slip only where the honest text keeps it."""
    answers, asked = ["time", "time", "time", None], []

    def question(_: object, limit_s: float) -> dict[str, str | None]:
        asked.append((limit_s, (bench.target / SOURCE).read_text() == CODE))
        return {"failed": answers.pop(0)}

    monkeypatch.setattr(bench, "question", question)
    found = bench.judge(KEPT, ASKED)
    assert (found.state, found.by) == ("noticed", "time") and (bench.target / SOURCE).read_text() == CODE
    first = asked[0][0]
    assert asked == [(first, False), (first, True), (4 * first, False), (4 * first, True)]
    answers.extend(["time", "time", None])
    assert bench.judge(KEPT, ASKED).state == "survived"


def test_seconds_in_which_nobody_ran_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stops this process for ten minutes stops the tests, too."""
    monkeypatch.setattr(judge, "STEP_S", 0.01)
    clock = itertools.count(0, 600.0)
    monkeypatch.setattr(judge.time, "monotonic", lambda: next(clock))
    late: list[int] = []
    deadline = Deadline(0.19, lambda: late.append(1))
    deadline._thread.join(600)
    assert deadline.end() and late == [1] and next(clock) == 600.0 * 11  # ten steps of twice 0.01 s, and the beginning
    assert deadline.stood_still


TEST = "tests/test_half.py::test_half"


@pytest.mark.parametrize(
    ("answers", "state"),
    [
        ([(TEST, False), (TEST, False)], "noticed"),
        ([("tests/test_half.py", False)], "noticed"),  # which cannot be read
        ([(TEST, False), (None, False), (None, False)], "survived"),
        ([(TEST, False), (None, False), (TEST, False), (TEST, False)], "noticed"),
        ([(TEST, True), (None, False)], "survived"),
        ([(TEST, True), (TEST, False), (TEST, False)], "noticed"),
        ([(TEST, True)] * 5, "noticed"),
        ([(None, True)], "survived"),
    ],
)
def test_what_fails_by_chance_or_while_all_stands_still_is_asked_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, answers: list[tuple[str | None, bool]], state: str
) -> None:
    """A test that failed has to fail again by itself. Tests have limits by the clock, which goes on while nobody runs."""
    left, asked = list(answers), []

    def question(one: dict[str, object], _: float) -> dict[str, str | None]:
        asked.append(one)
        failed, bench._stood_still = left.pop(0)
        return {"failed": failed}

    monkeypatch.setattr(bench, "question", question)
    assert bench.judge(KEPT, ASKED).state == state and not left
    alone = {"files": ["tests/test_half.py"], "usual_s": {TEST: 0.1}, "record": None}
    assert all(one == alone for one in asked)


def test_a_deadline_that_is_kept_calls_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "STEP_S", 0.01)
    late: list[int] = []
    deadline = Deadline(60.0, lambda: late.append(1))
    assert not deadline.end() and not late and not deadline.stood_still


def test_a_survivor_is_judged_again_where_more_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was noticed stays noticed until its file changes; a survivor until a test does, or more seconds of tests are allowed."""
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "EQUIVALENT", tmp_path / "tests" / "equivalent.toml")
    for name in (SOURCE, "tests/test_half.py", "tests/sdk/half.c", "tests/equivalent.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")

    def known(most_s: float = 20.0) -> list[str | None]:
        judged = module.Judged(tmp_path / "journal")
        return [found.state if found else None for found in (judged.get(one, most_s) for one in (SAME, WRONG))]

    assert known() == [None, None]
    judged = module.Judged(tmp_path / "journal")
    judged.put(SAME, Verdict("survived", "", 1.0), 20.0)
    judged.put(WRONG, Verdict("noticed", "a test", 1.0), 20.0)
    assert known() == known(5.0) == ["survived", "noticed"] and known(20.5) == [None, "noticed"]
    (tmp_path / "tests" / "equivalent.toml").write_text("slip = []")
    assert known() == ["survived", "noticed"]
    (tmp_path / "tests" / "sdk" / "half.c").write_text("int half;")
    assert known() == [None, "noticed"]
    (tmp_path / SOURCE).write_text("x = 1")
    assert known() == [None, None]


def test_a_fixture_is_paid_once_in_each_portion() -> None:
    """By the first test that shares it; tests of one file stand together."""
    shared = {"fixture a": 2.0}
    tests = {
        "a.py::one": Cost(0.5),
        "b.py::one": Cost(0.5),
        "a.py::two": Cost(0.5, shared),
        "b.py::two": Cost(0.5),
        "a.py::three": Cost(0.5, shared),
        "b.py::three": Cost(7.0),
    }
    found = questions(tests, 100.0)
    assert found == [
        {"a.py::one": 0.5, "b.py::one": 0.5},
        {"a.py::two": 2.5, "a.py::three": 0.5, "b.py::two": 0.5},
        {"b.py::three": 7.0},
    ]
    assert list(found[1]) == ["a.py::two", "a.py::three", "b.py::two"]
    assert questions(tests, 3.5) == [{"a.py::one": 0.5, "b.py::one": 0.5}, {"a.py::two": 2.5}]
    assert questions(tests, 0.1) == [{"a.py::one": 0.5}]
    assert questions({}, 1.0) == []


def test_files_of_tests_are_measured_by_several_at_once(checkout: Path, tmp_path: Path) -> None:
    """Each once; the map then knows who runs a place."""
    covering = Covering(checkout, tmp_path / "store")
    assert covering.stale() == ["tests/test_half.py"]
    bench = Bench(checkout, tmp_path / "bench")
    told: list[str] = []
    names = iter(covering.stale())
    covering.measure([SOURCE], bench.target, bench.question, told.append, names)
    bench.close()
    assert told == ["tests/test_half.py: 1 tests"] and not list(names) and not covering.stale()
    assert list(covering.tests(WRONG)) == ["tests/test_half.py::test_half"]


def test_every_excuse_is_of_a_slip_that_exists() -> None:
    """A line for one that is gone, or is mistyped, excuses nothing."""
    ids = {one.id for one in module.every_slip()}
    assert [one for one in module.equivalents() if one not in ids] == []


# -- slips that look plausible where examples let two candidates coincide ----------------------------------------------------


@pytest.mark.parametrize(
    ("code", "kind", "planted"),
    [
        ("x = lead + timed", "term lost", {"(lead)", "(timed)"}),
        ("x = wall - waited", "term lost", {"(wall)"}),
        ("x = failed | lead_failed", "term lost", {"(failed)", "(lead_failed)"}),
        ("x = max(a, 3 * b, c)", "sum for maximum", {"sum((a, 3 * b, c))"}),
        ("x = sum(one.ns for one in lanes)", "maximum for sum", {"max(((one.ns for one in lanes)), default=0)"}),
        ("x = all(one.clock for one in lanes)", "one for all", {"[*lanes][:1]"}),
        ("x = [f(a) for a in b.c()]", "one for all", {"[*b.c()][:1]"}),
        ("x = 'a' + name", "term lost", set()),
        ("x = max(values)", "sum for maximum", set()),
    ],
)
def test_lost_terms_sums_for_maxima_and_one_for_all(code: str, kind: str, planted: set[str]) -> None:
    found = {slip.now for slip in python_slips("a.py", code) if slip.kind == kind}
    assert found == planted
    for slip in python_slips("a.py", code):
        compile(code[: slip.begin] + slip.now + code[slip.end :], "a.py", "exec")


def test_terms_lost_in_c() -> None:
    code = "int f(void)\n{\n    cs_slot_after(slot, timing.status | lead_status);\n    total = run->lead + aside;\n    return 0;\n}\n"
    found = {slip.now for slip in c_slips("a.c", code) if slip.kind == "term lost"}
    assert found == {"timing.status", "lead_status", "run->lead", "aside"}
