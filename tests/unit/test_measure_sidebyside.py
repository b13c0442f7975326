# SPDX-License-Identifier: Apache-2.0
"""What is measured beside the timing: memory, first calls, whole processes, and the order in which they have their time. Workers are objects of this file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cipherstone.measure import aftertiming, firstcall, memory, pool, processes
from cipherstone.measure.aftertiming import Once, by_case, most_s
from cipherstone.measure.firstcall import measure_first_calls
from cipherstone.measure.memory import measure_memory
from cipherstone.measure.pool import Launch, PassPool, outcome_of
from cipherstone.measure.processes import Processes, able_cells, empty_lane, proven, timing_bound
from cipherstone.measure.proof import Capability, OperationProof
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import (
    CodeObject,
    FirstCallRecord,
    MemoryRecord,
    OutcomeRecord,
    PlannedCase,
    ProcessRecord,
    Record,
    Settings,
)
from cipherstone.protocol.messages import Batch, Closed, Computed, Memory, Prepared, Refusal
from cipherstone.worker.single import Single

CASE, OTHER = Case("sha-256", "hash", 64), Case("md5", "hash", 64)
A, B = Lane("alpha", "1.0"), Lane("beta", "2.0")
HASHING = Capability("sha-256/hash", "default")
CELLS = [(CASE, A, HASHING), (CASE, B, HASHING), (OTHER, A, Capability("md5/hash", "default"))]
BROKEN = WorkerError("crashed", "signal 11", "last words")


def late_after(calls: int) -> Callable[[], bool]:
    asked = count(1)
    return lambda: next(asked) > calls


# -- memory ----------------------------------------------------------------------------------------------------------------------


def counted(monkeypatch: pytest.MonkeyPatch, rows: list[Any]) -> list[Any]:
    """What each process tells, or raises; what each was asked."""
    asked: list[Any] = []

    def one(*arguments: Any) -> Any:
        asked.append(arguments)
        row = rows[(len(asked) - 1) % len(rows)]
        if isinstance(row, Exception):
            raise row
        return row

    monkeypatch.setattr(memory, "_counted", one)
    return asked


def test_of_three_processes_the_largest_and_of_random_bytes_the_median(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each figure from the call that it is of."""
    rows = [
        (Memory(10 * k, 20 * k, 0, 0, 0, 0, 5 * k, 7 * k), Memory(0, 30 * k, 40 * k, 50 * k, 60 * k, 70 * k, 80 * k, 0))
        for k in (2, 3, 1)
    ]
    asked = counted(monkeypatch, rows)
    launches: Any = {A.build_id: "launch"}
    (record,) = measure_memory(CELLS[:1], launches, "expected", Path("counter.so"), (3,))  # type: ignore[arg-type]
    assert record == MemoryRecord(CASE.id, A.id, 30, 60, 90, 120, 150, 180, 140, 14, 10, 160)
    assert asked == [("launch", CASE, HASHING, "expected", Path("counter.so"), 3)] * 3


def test_what_a_process_cannot_tell_is_left_out_of_its_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    counted(
        monkeypatch, [(Memory(), Memory()), (Memory(5), Memory(random_bytes=4)), (Memory(3), Memory(random_bytes=9))]
    )
    (record,) = measure_memory(CELLS[:1], {A.build_id: None}, None, None, (None,))  # type: ignore[arg-type, dict-item]
    assert (record.held_bytes, record.random_bytes, record.stack_bytes, record.max_rss_kib) == (5, 4, None, None)


def test_a_cell_that_breaks_gives_no_record_and_a_bound_begins_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    fine = (Memory(1), Memory(1))
    launches: Any = {A.build_id: None, B.build_id: None}
    for error in (BROKEN, Refusal("bad-request", ""), memory._WrongError()):
        asked = counted(monkeypatch, [error, fine, fine, fine, fine, fine, fine])
        found = list(measure_memory(CELLS, launches, None, None, (None,)))  # type: ignore[arg-type]
        assert [(one.case, one.lane) for one in found] == [(CASE.id, B.id), (OTHER.id, A.id)] and len(asked) == 7
    counted(monkeypatch, [fine])
    found = list(measure_memory(CELLS, launches, None, None, (None,), late_after(2)))  # type: ignore[arg-type]
    assert [(one.case, one.lane) for one in found] == [(CASE.id, A.id), (CASE.id, B.id)]


# -- first calls -----------------------------------------------------------------------------------------------------------------


class Worker:
    """One process: what `prepare`, `run` and `close` tell, in order."""

    def __init__(
        self, *batches: Batch, capabilities: tuple[str, ...] = ("phases",), prepared: Prepared | None = None
    ) -> None:
        self.batches = list(batches)
        self.asked: list[tuple[Any, ...]] = []
        self.capabilities = capabilities
        self.prepared = prepared or Prepared(1, 2, 3, 4, 5)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.asked.append(("end",))

    def prepare(self, *arguments: Any) -> Prepared:
        self.asked.append(("prepare", *arguments))
        return self.prepared

    def run(self, *arguments: Any, **named: Any) -> Batch:
        self.asked.append(("run", *arguments, *named.items()))
        return self.batches.pop(0)

    def hello(self) -> None:
        self.asked.append(("hello",))

    def close_case(self, number: int) -> Closed:
        self.asked.append(("close", number))
        return Closed(99)


def expected(*problems: str) -> Any:
    left = list(problems)
    return SimpleNamespace(texts={"msg": "gen:1:64"}, problem_left=lambda worker, number: left.pop(0) if left else "")


def started(worker: Worker) -> Any:
    return SimpleNamespace(start=lambda cpu: worker, need_same_code=lambda worker: worker.asked.append(("same code",)))


def test_the_first_call_is_the_first_that_a_process_makes() -> None:
    """Nobody asks it anything before; what it left is looked at before its time is used."""
    worker = Worker(Batch(9000, 0), Batch(300, 0), Batch(1, 0, (99_000, 333_000, 66_600, 133_200, 166_500)))
    told = firstcall._process(started(worker), CASE, HASHING, expected(), 3)
    assert told == (Prepared(1, 2, 3, 4, 5), 9000, 133_200 / 333, 99)
    assert worker.asked == [
        ("prepare", 0, "sha-256/hash", "default", {"msg": "gen:1:64", "known": "1"}),
        ("run", 0, 1, 0),
        ("same code",),
        ("hello",),
        ("run", 0, 1, 0),
        ("run", 0, 333, 0, ("batches", 5)),
        ("close", 0),
        ("end",),
    ]
    asking = Worker()
    assert firstcall._asked(started(asking), CASE, HASHING, expected(), 3) == 2
    assert asking.asked[0] == ("prepare", 0, "sha-256/hash", "default", {"msg": "gen:1:64"})


@pytest.mark.parametrize(("again", "steady", "calls"), [(1_000_000, 1e6, None), (999_999, 999.0, 1), (100_000, 999.0, 1), (50_000, 999.0 / 2, 2), (0, 0.00999, 100_000)])  # fmt: skip
def test_a_later_call_is_the_median_of_batches(again: int, steady: float, calls: int | None) -> None:
    """A call of a millisecond and more is a batch."""
    worker: Any = Worker(Batch(again, 0), Batch(1, 0, (1, 1, 999, 5000, 7000)))
    assert firstcall._steady_ns(worker, expected()) == pytest.approx(steady)
    assert len(worker.asked) == (1 if calls is None else 2)
    if calls is not None:
        assert worker.asked[1] == ("run", 0, calls, 0, ("batches", 5))


def test_a_call_that_failed_or_left_something_else_gives_no_figure() -> None:
    worker: Any = None
    assert firstcall._right(worker, Batch(5, 0), expected()).ns == 5
    for batch, problem in ((Batch(5, 1), ""), (Batch(5, 0), "other bytes"), (Batch(5, 2), "other bytes")):
        with pytest.raises(firstcall._NoFigureError):
            firstcall._right(worker, batch, expected(problem))
    blind = Worker(Batch(9000, 0), Batch(300, 0), capabilities=())
    with pytest.raises(firstcall._NoFigureError):
        firstcall._process(started(blind), CASE, HASHING, expected(), None)


def first_calls(monkeypatch: pytest.MonkeyPatch, process: Callable[[Lane, int], Any], asked: Callable[[Lane, int], Any], late: Callable[[], bool] = lambda: False) -> list[FirstCallRecord]:  # fmt: skip
    """Of both lanes of a case; `process` and `asked`: what the process of this number tells."""

    def telling(what: Callable[[Lane, int], Any]) -> Callable[..., Any]:
        numbers = {A.build_id: count(), B.build_id: count()}

        def one(launch: Any, *_: Any) -> Any:
            answer = what(launch, next(numbers[launch.build_id]))
            if isinstance(answer, Exception):
                raise answer
            return answer

        return one

    monkeypatch.setattr(firstcall, "_process", telling(process))
    monkeypatch.setattr(firstcall, "_asked", telling(asked))
    launches: Any = {lane.build_id: lane for lane in (A, B)}
    expectations: Any = SimpleNamespace(of=lambda case, form: None)
    return list(measure_first_calls(CELLS[:2], launches, expectations, None, late))


def told(lane: Lane, number: int) -> Any:
    return Prepared(open_ns=number, setup_ns=10 + number if lane == A else None), 100 + number, 1.5 + number, 7 + number


def test_seven_processes_of_each_cell_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = first_calls(monkeypatch, told, lambda lane, number: 50 + number)
    assert (first.case, first.lane, second.lane) == (CASE.id, A.id, B.id)
    assert first.first_call_ns == tuple(range(100, 107)) and first.steady_call_ns == tuple(1.5 + k for k in range(7))
    assert (first.open_ns, first.setup_ns, second.setup_ns) == (tuple(range(7)), tuple(range(10, 17)), ())
    assert first.teardown_ns == tuple(range(7, 14)) and first.available_ns == tuple(range(50, 57))
    assert first.seed_ns == first.fetch_ns == ()


def test_a_step_that_one_process_lacks_is_none_of_the_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    def process(lane: Lane, number: int) -> Any:
        return Prepared(open_ns=None if number == 3 else 5), 100, 1.5, None if number == 6 else 3

    (first, _) = first_calls(monkeypatch, process, lambda lane, number: None)
    assert (first.open_ns, first.teardown_ns, first.available_ns) == ((), (), ())


@pytest.mark.parametrize("error", [BROKEN, Refusal("bad-request", ""), firstcall._NoFigureError()])
def test_a_cell_that_breaks_gives_no_first_call(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def breaking(lane: Lane, number: int) -> Any:
        return error if (lane, number) == (B, 4) else told(lane, number)

    (only,) = first_calls(monkeypatch, breaking, lambda lane, number: 1)
    assert only.lane == A.id and len(only.first_call_ns) == 7
    (only,) = first_calls(monkeypatch, told, lambda lane, number: error if lane == A else 1)
    assert only.lane == B.id


@pytest.mark.parametrize(
    ("processes", "told_of", "available"),
    [(11, [6], [0]), (12, [6, 6], [0, 0]), (13, [7, 6], [0, 0]), (25, [7, 7], [6, 0]), (26, [7, 7], [6, 6])],
)
def test_what_the_bound_cuts_short(
    monkeypatch: pytest.MonkeyPatch, processes: int, told_of: list[int], available: list[int]
) -> None:
    """Six processes give an interval, fewer no record; availability is asked last."""
    found = first_calls(monkeypatch, told, lambda lane, number: 1, late_after(processes))
    assert [len(one.first_call_ns) for one in found] == told_of
    assert [len(one.available_ns) for one in found] == available


# -- the order -------------------------------------------------------------------------------------------------------------------


def test_cases_come_by_their_place() -> None:
    plan = [
        PlannedCase(OTHER.id, (), once=1),
        PlannedCase(CASE.id, (), once=2),
        PlannedCase("sha-1/hash/bytes=64", (), once=3),
    ]
    cells: Any = CELLS
    assert by_case(plan, cells) == [[CELLS[2]], CELLS[:2]]
    assert by_case([PlannedCase(CASE.id, ())], cells) == by_case(plan, []) == []
    assert aftertiming.MOST_PROCESSES == 17
    assert most_s(Settings(max_time_s=200.0, once_share=0.25)) == 50.0 and most_s(Settings(max_time_s=None)) is None


def of_once(
    monkeypatch: pytest.MonkeyPatch, seconds: float | None, ticks: float = 1.0
) -> tuple[Once, list[tuple[int, int]], list[str]]:
    """Memory of two cases and first calls of one; every look at the clock takes `ticks`."""
    clock = count()
    monkeypatch.setattr(aftertiming, "awake_s", lambda: ticks * next(clock))

    def measured(what: str) -> Callable[..., Iterator[str]]:
        def each(cells: Any, *arguments: Any) -> Iterator[str]:
            for cell in cells:
                if arguments[-1]():
                    return
                yield f"{what} {cell}"

        return each

    monkeypatch.setattr(aftertiming, "measure_memory", measured("memory"))
    monkeypatch.setattr(aftertiming, "measure_first_calls", measured("first"))
    made = Once([["a", "b"], ["c"]], [["a", "b"]], {}, None, None, seconds)  # type: ignore[list-item]
    told: list[tuple[int, int]] = []
    return made, told, [str(record) for record in made.run(lambda done, all_of: told.append((done, all_of)))]


def test_memory_of_all_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    made, told, records = of_once(monkeypatch, None)
    assert records == ["memory a", "memory b", "memory c", "first a", "first b"]
    assert told == [(0, 5), (2, 5), (3, 5)] and made.note == ""


@pytest.mark.parametrize(
    ("seconds", "records", "note"),
    [
        (1.0, 0, "memory of 0 of 3 cells, first calls of 0 of 2 cells"),
        (2.0, 1, "memory of 1 of 3 cells, first calls of 0 of 2 cells"),
        (4.5, 4, "memory of 3 of 3 cells, first calls of 1 of 2 cells"),
        (6.0, 5, ""),
    ],
)
def test_the_bound_cuts_between_two_cells(
    monkeypatch: pytest.MonkeyPatch, seconds: float, records: int, note: str
) -> None:
    made, _, found = of_once(monkeypatch, seconds)
    assert len(found) == records and made.note.partition(":")[0] == note
    assert not note or made.note.endswith(f"leaves {seconds:.3g} s for them")


# -- whole processes ----------------------------------------------------------------------------------------------------------------


def whole(monkeypatch: pytest.MonkeyPatch, answer: Callable[[dict[str, Any]], Any], cells: Any = CELLS[:2], problem: str = "") -> tuple[Processes, list[Record], list[Any]]:  # fmt: skip
    """Two rounds; `answer`: by the fields of the request."""
    asked: list[Any] = []

    def single(starter: Any, launch: Any, fields: dict[str, Any]) -> Single:
        asked.append((launch, fields))
        found = answer({**fields, "launch": launch})
        if isinstance(found, Exception):
            raise found
        return Single(1000, 2000, 3000, Computed("ok"))

    told = SimpleNamespace(texts={"msg": "gen:1:64"}, inputs={}, problem=lambda computed: problem)
    monkeypatch.setattr(processes, "_started", single)
    monkeypatch.setattr(processes, "Expectations", lambda: SimpleNamespace(of=lambda case, form: told))
    launches: Any = {lane.build_id: lane.build_id for _, lane, _ in cells}
    made = Processes(cells, launches, Path("/nowhere"), Settings(processes=2, seed=1), None)
    return made, list(made.run()), asked


def test_a_task_and_an_empty_process_are_recorded_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    _, records, asked = whole(monkeypatch, lambda fields: None)
    samples = {("harness/empty", "alpha@1.0:sdk"), ("harness/empty", "beta@2.0:sdk"), (CASE.id, A.id), (CASE.id, B.id)}
    expected_records = {
        ProcessRecord(case, lane, number, 1000, 2000, 3000) for case, lane in samples for number in (0, 1)
    }
    assert len(records) == 8 and {*records} == expected_records
    assert [record.round for record in records if isinstance(record, ProcessRecord)] == [0] * 4 + [1] * 4
    assert asked.count((A.build_id, {"op": "harness/empty", "impl": "sdk"})) == 2
    assert asked.count((B.build_id, {"op": "sha-256/hash", "impl": "default", "known": 1, "msg": "gen:1:64"})) == 2


def test_a_process_that_breaks_is_told_once_and_asked_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = WorkerError("timed-out", "no end", "last words")

    def answer(fields: dict[str, Any]) -> Any:
        empty = fields["op"] == "harness/empty"
        return broken if (fields["launch"], empty) in ((A.build_id, False), (B.build_id, True)) else None

    _, records, _ = whole(monkeypatch, answer)
    outcomes = [record for record in records if isinstance(record, OutcomeRecord)]
    said = f"as a process of its own: {broken}"
    assert {(one.case, one.lane, one.outcome, one.detail, one.stderr) for one in outcomes} == {
        (CASE.id, A.id, Outcome.TIMED_OUT, said, "last words"),
        ("harness/empty", "beta@2.0:sdk", Outcome.TIMED_OUT, said, "last words"),
    }
    assert len(outcomes) == 2 and len(records) == 2 + 4


def test_a_process_that_computed_something_else_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    _, records, _ = whole(monkeypatch, lambda fields: None, CELLS[:1], "other bytes")
    assert OutcomeRecord(CASE.id, A.id, Outcome.WRONG, "as a process of its own: other bytes") in records
    assert sum(isinstance(record, OutcomeRecord) for record in records) == 1 and len(records) == 2


class Proving:
    """A pool: what proving a lane gives, and whether it is then proven."""

    def __init__(self, proof: Any, good: bool) -> None:
        self._proof, self._good = proof, good

    def prove(self, lane: Lane, capability: Capability) -> Any:
        if isinstance(self._proof, Exception):
            raise self._proof
        return self._proof

    def is_proven(self, lane: Lane, capability: Capability) -> bool:
        return self._good

    def failure(self, lane: Lane, capability: Capability) -> tuple[Outcome, str]:
        return Outcome.WRONG, "its vectors failed"


@pytest.mark.parametrize(
    ("proof", "good", "records"),
    [
        ("proof", True, ["proof"]),
        (None, True, []),
        ("proof", False, ["proof", OutcomeRecord(CASE.id, A.id, Outcome.WRONG, "its vectors failed")]),
        (None, False, [OutcomeRecord(CASE.id, A.id, Outcome.WRONG, "its vectors failed")]),
        (BROKEN, True, [OutcomeRecord(CASE.id, A.id, Outcome.CRASHED, str(BROKEN), "last words")]),
    ],
)
def test_a_cell_that_no_pass_came_to_is_proven_before_it_has_samples(
    proof: Any, good: bool, records: list[Any]
) -> None:
    assert list(proven(CELLS[:1], Proving(proof, good))) == records  # type: ignore[arg-type]


def test_which_cells_have_processes_and_what_they_leave_the_timing() -> None:
    cold = (Case.parse("sha-256/hash/bytes=64,cache=cold"), A, HASHING)
    assert able_cells([*CELLS, cold], [A.build_id]) == [CELLS[0], CELLS[2]]
    assert empty_lane(B) == "beta@2.0:sdk"
    assert timing_bound(Settings(max_time_s=100.0, processes=3)) == 50.0
    assert (
        timing_bound(Settings(max_time_s=100.0)) == 100.0
        and timing_bound(Settings(max_time_s=None, processes=3)) is None
    )


# -- processes of a pass ----------------------------------------------------------------------------------------------------------


def test_a_process_must_hold_the_code_that_was_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """But for what was loaded by us."""
    monkeypatch.setattr(pool, "identified", tuple)
    known = (CodeObject("/lib/libx.so.1", "library", "ab" * 32),)
    counter = tmp_path / "counter.so"

    def process(*objects: CodeObject) -> Any:
        return SimpleNamespace(objects=lambda: objects)

    launch, other = Launch(("worker",), objects=known), CodeObject("/lib/libx.so.1", "library", "cd" * 32)
    launch.need_same_code(process(*known))
    launch.need_same_code(process(*known, CodeObject(str(counter), "other", "ef" * 32)), counter)
    Launch(("worker",)).need_same_code(process(other))
    for objects in ((other,), (*known, CodeObject("/lib/liby.so", "library", "ef" * 32)), ()):
        with pytest.raises(WorkerError) as caught:
            launch.need_same_code(process(*objects))
        assert caught.value.outcome == "unavailable" and "its code changed while the run measured" in str(caught.value)


def test_what_becomes_of_what_is_not_proven() -> None:
    made = PassPool({}, lambda algorithm: (), None, False, 0)
    key = (A.build_id, False, HASHING.operation, HASHING.implementation)
    assert not made.is_proven(A, HASHING) and made.failure(A, HASHING)[0] is Outcome.WRONG
    for outcome, good, said in (
        (Outcome.OK, True, ""),
        (Outcome.LAX, True, ""),
        (Outcome.WRONG, False, "its vectors failed: see the proof record"),
        (Outcome.UNAVAILABLE, False, "one; two"),
    ):
        made._proofs[key] = OperationProof(outcome, 1, 0, (), ("one", "two"))
        assert made.is_proven(A, HASHING) is good and (good or made.failure(A, HASHING) == (outcome, said))
    twin = Lane("alpha", "1.0", twin=True)
    assert not made.is_proven(twin, HASHING) and not made.is_proven(B, HASHING)


def test_a_broken_worker_stands_for_an_outcome() -> None:
    found = [outcome_of(WorkerError(word, "")) for word in ("timed-out", "unavailable", "crashed", "whatever")]
    assert found == [Outcome.TIMED_OUT, Outcome.UNAVAILABLE, Outcome.CRASHED, Outcome.CRASHED]


def test_processes_are_moved_together() -> None:
    made, pinned = PassPool({}, lambda algorithm: (), 1, False, 0), list[Any]()
    made._workers = {
        (name, False): SimpleNamespace(alive=alive, pin=lambda cpu, name=name: pinned.append((name, cpu)))  # type: ignore[misc]
        for name, alive in (("a", True), ("b", False), ("c", True))
    }
    made.move(None)
    made.move(1)
    assert pinned == [] and made.cpu == 1
    made.move(2)
    assert pinned == [("a", 2), ("c", 2)] and made.cpu == 2
