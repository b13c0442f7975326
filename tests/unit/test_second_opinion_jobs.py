# SPDX-License-Identifier: Apache-2.0
"""The job file of a minimal program, and how its output is read. No process is started."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cipherstone.execute.opinion import loops as loops_module
from cipherstone.execute.opinion.loops import ROUGH_WARM_US, LoopPrograms, Loops
from cipherstone.measure.minimal import NOTHING, Before, MinimalProgram, job_text, not_for_loops, read_repetitions
from cipherstone.measure.proof import Capability, Expected
from cipherstone.model.agreement import FRESH, HEAP, WORK, Repetitions
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case


def test_a_job_names_the_row_and_holds_the_inputs() -> None:
    case = Case.parse("sha-256/hash/bytes=16")
    text = job_text(Capability("sha-256/hash", "default"), [Expected(case, None), Expected(case, None)])
    message = Expected(case, None).inputs["msg"]
    assert text == b"op sha-256/hash default\nroom 32\n" + 2 * (b"case\ninput msg 16\n" + message + b"\n")


def test_other_cases_stand_before_the_own_one() -> None:
    case, other = Case.parse("sha-256/hash/bytes=16"), Case.parse("sha-512/hash/bytes=16")
    own, expected = Capability("sha-256/hash", "default"), Expected(case, None)
    before = Expected(other, None)
    text = job_text(own, [expected], [(Capability("sha-512/hash", "fast"), before)])
    due = b"once sha-512/hash fast\nroom 64\ncase\ninput msg 16\n" + before.inputs["msg"] + b"\nend\n"
    assert text == due + job_text(own, [expected])


def test_conditions_are_not_for_plain_loops() -> None:
    assert "key" in not_for_loops(Capability("aes-128-gcm/seal/key=fresh", "default"))
    assert not_for_loops(Capability("modexp/private/bits=2048,crt=yes", "default")) == ""


def test_an_output_that_is_wrong_before_or_after_the_loop_is_refused() -> None:
    expected = Expected(Case.parse("sha-256/hash/bytes=16"), None)
    assert expected.output_head is not None
    right, wrong = expected.output_head.hex(), "00" * 32
    middle = "empty 1.5\ncalls 3\nrep 300 290 0.5 0.125\nrep 0 0 0.5 0.125\n"
    taken = read_repetitions(f"output 0 {right}\n{middle}output 0 {right}\n", [expected], "toy")
    assert taken == Repetitions(3, 1.5, (300,), (290,), (0.5, 0.5), (0.125, 0.125))
    for first, last in ((wrong, right), (right, wrong)):
        with pytest.raises(WorkerError, match="CRC-32"):
            read_repetitions(f"output 0 {first}\n{middle}output 0 {last}\n", [expected], "toy")
    with pytest.raises(WorkerError, match="rejected"):
        read_repetitions(f"output 1 \n{middle}output 0 {right}\n", [expected], "toy")
    with pytest.raises(WorkerError, match="ends early"):
        read_repetitions(f"output 0 {right}\n{middle}", [expected], "toy")


def test_of_three_processes_one_has_a_used_heap_and_one_did_other_work_of_its_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Short calls of the same build, never its own case; what they are is drawn for each process."""
    own, short, long, foreign = (
        ("sha-256/hash/bytes=16", "aa@1"),
        ("sha-512/hash/bytes=16", "aa@1"),
        ("sha-384/hash/bytes=16", "aa@1"),
        ("sha-512/hash/bytes=16", "bb@1"),
    )
    took = {("sha-384/hash", "aa@1"): 3e6}
    begun: list[Before] = []

    def run(_: object, capability: Capability, *rest: object) -> Repetitions:
        before = rest[-1]
        assert isinstance(before, Before)
        begun.append(before)
        ns = round(took.get((capability.operation, capability.library_name), 100.0))
        return Repetitions(1, 0.0, (ns,) * 8, (ns,) * 8, (0.5,) * 9, (0.125,) * 9)

    monkeypatch.setattr(loops_module, "run_minimal", run)
    known = {}
    for case, lane in (own, short, long, foreign):
        operation = Case.parse(case).operation
        known[operation, lane] = Capability(operation, "default", library_name=lane)
    loops = Loops(LoopPrograms(None, ()), known, (), None)  # type: ignore[arg-type]
    loops._programs._made = {"aa@1": MinimalProgram(Path("aa")), "bb@1": MinimalProgram(Path("bb"))}
    for one in (own, short, long, foreign):
        loops.rough(one)
    assert {*begun} == {msgspec.structs.replace(NOTHING, warm_us=ROUGH_WARM_US)}
    begun.clear()
    for _ in range(60):
        loops.round([own])
    assert [one.before for one in loops._taken[own]] == [FRESH, HEAP, WORK] * 20
    fresh, heap, work = begun[::3], begun[1::3], begun[2::3]
    assert {*fresh} == {NOTHING} and {one.once for one in heap} == {()} and all(one.heap for one in (*heap, *work))
    assert len({one.heap for one in (*heap, *work)}) == 40
    assert {tuple(one.operation for one, _ in before.once) for before in work} == {(), ("sha-512/hash",)}
