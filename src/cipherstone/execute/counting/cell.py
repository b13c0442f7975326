# SPDX-License-Identifier: Apache-2.0
"""One cell on its target: proven by known answers, then called twice and more where the two differ, each call counted and its output looked at; heap by the worker's twin, whose call is made only where the calls that were counted entered the allocator.

A call is repeated as often as it takes to know that it repeats, and no oftener. A board has no chance but the bytes that it reads of its host: two calls on it that took the same are the figure, if it read none.
Processes of a system differ by addresses as well: there another process has to agree. Whatever differs is counted in two processes or on two machines that begin anew, the second call of each.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import msgspec

from cipherstone.build.counter import Tally, Watching, plugin_words, tallies
from cipherstone.build.operation_code import OneLinks
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.vectors import Vector
from cipherstone.execute.counting.board import BoardEmulator
from cipherstone.execute.survey import Found
from cipherstone.isa.modelled import Model
from cipherstone.measure.pool import Launch, PassPool, outcome_of
from cipherstone.measure.proof import NO_MEMORY, NOT_FOR_THIS, Capability, Expectations, Expected
from cipherstone.model.counts import Count, CountedTarget, Counting
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import HARNESS_EMPTY, Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import ProofRecord
from cipherstone.operations.vectors import vectors_of
from cipherstone.protocol.messages import Memory, Prepared, Refusal
from cipherstone.worker import WorkerProcess

SAYS = "counter: "  # the plugin, on stderr
# An emulated call takes some fifty times as long as a native one.
PATIENCE = 10.0
# The first call of a process may do what later ones need not; the last is the one that counts.
CALLS = 2
_DEAR = ("dh", "bignum")  # what has a key there is a multiple of a point, or a power

Ready = Callable[[WorkerProcess], Prepared]
Problem = Callable[[WorkerProcess], str]


class Reached(msgspec.Struct, frozen=True):
    """A worker that runs on its target. `isa`: of `isa.mnemonics`; `board`: whether it has no operating system; `lab`: whether it is one. `counting`: the words that start it with a plugin; `twin`: what tells its heap; `brought`: code that its rows bring into a program; `allocator`: where that lies; `model`: of its cycles, where they are asked for; `lacks`: see `Target`."""

    isa: str
    board: bool
    lab: bool
    found: Found
    counting: Callable[[tuple[str, ...]], tuple[str, ...]]
    plugin: Path
    between: tuple[int, int]
    told: CountedTarget
    twin: Launch
    brought: OneLinks
    allocator: tuple[tuple[int, int], ...]
    model: Model | None = None
    lacks: str = ""

    def process(self, out: Path) -> WorkerProcess:
        """A fresh one, whose calls are counted into this file."""
        watching = Watching(self.allocator, taken=self.model is not None, lacks=self.lacks)
        asked = plugin_words(self.plugin, self.between, out, watching)
        words = self.counting(asked)
        return WorkerProcess(words, padding_bytes=0, patience=PATIENCE)


class Known:
    """Right answers, for several threads: loaders of data and oracles are asked by one at a time."""

    def __init__(self, root: Path, catalogue: Catalogue) -> None:
        self._root = root
        self.catalogue = catalogue
        self._dear = {
            one.listed
            for one in catalogue.operations.values()
            if one.family in _DEAR
            and (verb := catalogue.verbs[one.verb]).proof == "known-answer"
            and "key" in verb.inputs
        }
        self._lock = threading.Lock()
        self._expectations = Expectations()
        self._vectors: dict[str, tuple[Vector, ...]] = {}
        self.stop = threading.Event()  # the counts are no longer wanted

    def vectors(self, algorithm: str) -> Sequence[Vector]:
        """The known answers of an algorithm."""
        with self._lock:
            if algorithm not in self._vectors:
                self._vectors[algorithm] = vectors_of(self._root, algorithm)
            return self._vectors[algorithm]

    def once(self, algorithm: str, brief: bool, board: bool = False) -> Sequence[Vector]:
        """Those that an emulator is asked, each computed once: that a second call in one context is right as well is seen at the timed inputs.

        `board`: of multiples of points and of powers, each of which takes as long as what is counted, the first that must be met to the last bit and the first that must be refused.
        """
        if not brief:
            asked = self.vectors(algorithm)
        elif not board:
            asked = [one for one in self.vectors(algorithm) if one.brief]
        else:
            firsts = {self._kind(algorithm, one): one for one in reversed(self.vectors(algorithm)) if one.brief}
            asked = [one for one in self.vectors(algorithm) if firsts.get(self._kind(algorithm, one)) is one]
        return [msgspec.structs.replace(vector, brief=False) for vector in asked]

    def _kind(self, algorithm: str, vector: Vector) -> tuple[object, ...]:
        """What vectors have in common of which a board is asked one."""
        own = () if f"{algorithm}/{vector.verb}" in self._dear else (vector.id,)
        return vector.verb, vector.expect, *sorted(vector.params.items()), *own

    def expected(self, case: Case, form: str | None) -> Expected:
        """What a case must give."""
        with self._lock:
            return self._expectations.of(case, form)


class Called(msgspec.Struct, frozen=True):
    """What the calls of one process executed, one after another. `drew`: bytes that a board read of its host, None of what has a system."""

    tallies: tuple[Tally, ...]
    stack: int | None = None
    drew: int | None = None

    def less(self, null: Called) -> tuple[Tally, ...]:
        """Less what the empty call takes in its place."""
        return tuple(one.without(none) for one, none in zip(self.tallies, null.tallies, strict=False))


class WrongError(Exception):
    """A call that was counted computed something wrong; the text says what."""


class Benches:
    """Of one worker as many as there are threads that count its cells at a time; each is lent to one of them."""

    def __init__(self, reached: Reached, known: Known, brief: bool) -> None:
        self._reached, self._known, self._brief = reached, known, brief
        self._lock = threading.Lock()
        self._idle: list[CountingBench] = []

    @contextmanager
    def one(self) -> Iterator[CountingBench]:
        """For as long as the caller needs it."""
        with self._lock:
            bench = self._idle.pop() if self._idle else None
        bench = bench or CountingBench(self._reached, self._known, self._brief)
        try:
            yield bench
        finally:
            with self._lock:
                self._idle.append(bench)

    def close(self) -> None:
        """Ends those that are not in use."""
        while self._idle:
            self._idle.pop().close()


class CountingBench:
    """Emulators of one worker, for one thread that counts cells."""

    def __init__(self, reached: Reached, known: Known, brief: bool) -> None:
        self._reached, self._known = reached, known
        found = reached.found
        assert found.build is not None and found.launch is not None
        launches = {f"{found.id}@{found.build.build}": found.launch}
        self._pool = PassPool(launches, lambda name: known.once(name, brief, reached.board), None, False, 0)
        self._folder = tempfile.TemporaryDirectory(prefix="cipherstone-")
        self._out = Path(self._folder.name) / "calls"
        self._seen = 0
        self._board = BoardEmulator(self._counting)
        self._twin = BoardEmulator(reached.twin.start)

    def close(self) -> None:
        """Ends them."""
        self._pool.close()
        self._board.close()
        self._twin.close()
        self._folder.cleanup()

    def _counting(self) -> WorkerProcess:
        """A fresh process whose calls are counted."""
        self._out.unlink(missing_ok=True)
        self._seen = 0
        return self._reached.process(self._out)

    def proof(self, lane: Lane, capability: Capability) -> ProofRecord:
        """What the known answers say of an operation on the target."""
        try:
            record = self._pool.prove(lane, capability)
            assert record is not None  # every operation of a lane comes once
            return record
        except WorkerError as error:
            self._pool.discard(lane)
            return ProofRecord(capability.operation, lane.id, 0, outcome_of(error), failures=(reason_of(error),))

    def null(self) -> Called:
        """What the empty call executes. Raises WorkerError and Refusal."""

        def ready(worker: WorkerProcess) -> Prepared:
            return worker.prepare(0, HARNESS_EMPTY, "sdk", {})

        def problem(worker: WorkerProcess) -> str:
            worker.compute(0)
            return ""

        found, again = (self.called(ready, problem, lambda _: "") for _ in range(2))
        if found.tallies != again.tallies:
            told = " and ".join(str(one.tallies[-1].instructions) for one in (found, again))
            raise WorkerError("crashed", f"its empty call does not repeat: {told} instructions")
        return found

    def called(self, ready: Ready, problem: Problem, left: Problem, calls: int = CALLS) -> Called:
        """What calls executed in a fresh process that does nothing else, or on a board that begins anew. `problem`: makes one and says what is wrong with it; `left`: says what is wrong with what `memory` computed. Raises WorkerError, Refusal, WrongError."""
        if self._reached.board:
            return self._on_board(ready, problem, left)
        with self._counting() as worker:
            worker.hello()
            ready(worker)
            for _ in range(calls):
                _need(problem(worker))
            found = self._new(calls)
            stack = worker.memory(0).stack_bytes if calls == CALLS else None
        return Called(found, stack)

    def _on_board(self, ready: Ready, problem: Problem, left: Problem) -> Called:
        """Of the two calls the first tells the stack."""
        with self._board.anew() as worker:
            ready(worker)
            told = worker.memory(0)
            _need(left(worker))
            _need(problem(worker))
            found = self._new(CALLS)
        return Called(found, told.stack_bytes, _drawn(told))

    def _new(self, calls: int) -> tuple[Tally, ...]:
        """What the plugin wrote since it was looked at."""
        reached = self._reached
        lines = tallies(self._out, reached.isa, self._seen, reached.model) if self._out.is_file() else []
        if len(lines) != calls:
            raise WorkerError("crashed", f"the emulator counted {len(lines)} calls, {calls} were made")
        self._seen += calls
        return tuple(lines)

    def heap(self, ready: Ready, left: Problem, allocates: bool) -> tuple[int | None, int | None]:
        """(the peak of a call, what is held between calls), told by the worker's twin, whose calls are not counted; None where it ends. `allocates`: whether a call entered the allocator; where none did, what was made ready is held and nothing else."""
        try:
            with self._fresh_twin() as worker:
                made = ready(worker)
                if not allocates:
                    held = made.held_bytes
                    return (None, None) if held is None else (0, max(0, held))
                told = worker.memory(0)
                if told.allocations:  # what a first call makes for good is none of a later one
                    told = worker.memory(0)
                if left(worker):
                    return None, None
                return told.heap_peak_bytes, told.held_bytes
        except (WorkerError, Refusal):
            return None, None

    def _fresh_twin(self) -> AbstractContextManager[WorkerProcess]:
        return self._twin.anew() if self._reached.board else _started(self._reached.twin)

    def facts(self, ready: Ready) -> Mapping[str, int | str]:
        """What the worker tells of a case beside its count, in a process that is not counted; nothing where it ends."""
        assert self._reached.found.launch is not None
        try:
            with _started(self._reached.found.launch) as worker:
                ready(worker)
                return worker.facts(0)
        except (WorkerError, Refusal):
            return {}

    def count(self, case: Case, lane: Lane, capability: Capability, null: Called, proof: ProofRecord) -> Count:
        """The cell, whatever becomes of it."""
        reached, replace = self._reached, msgspec.structs.replace
        made = Count(
            target=reached.told.target, case=case.id, lane=lane.id, outcome=Counting.WRONG, proof=proof.outcome
        )
        if not proof.outcome.timed:
            return replace(made, outcome=_outcome(proof.outcome), reason="; ".join(proof.failures))
        expected = self._known.expected(case, capability.form)

        def ready(worker: WorkerProcess) -> Prepared:
            return worker.prepare(0, case.listed, capability.implementation, expected.texts)

        def problem(worker: WorkerProcess) -> str:
            return expected.problem(expected.compute(worker, 0))

        def left(worker: WorkerProcess) -> str:
            return expected.problem_left(worker, 0)

        try:
            tally, seen, stack, allocates = self._repeated(null, ready, problem, left)
        except Refusal as refusal:
            refused = refusal.code in {*NOT_FOR_THIS, NO_MEMORY, "unavailable"}
            return replace(made, outcome=Counting.UNAVAILABLE if refused else Counting.WRONG, reason=str(refusal))
        except WorkerError as error:
            return replace(made, outcome=_outcome(outcome_of(error)), reason=reason_of(error))
        except WrongError as error:
            return replace(made, reason=str(error))
        if len({*seen}) > 1:
            reason = f"does not repeat: {' and '.join(map(str, seen))}"
            return replace(made, outcome=Counting.VARIES, seen=seen, reason=reason)
        facts = self.facts(ready) if reached.lab else {}
        heap, held = self.heap(ready, left, allocates)
        return replace(
            made,
            outcome=Counting.COUNTED,
            instructions=tally.instructions,
            classes=tally.classes,
            modelled_cycles=tally.cycles,
            stack_bytes=stack,
            heap_bytes=heap,
            held_bytes=held,
            code=reached.brought.of(case.listed, capability.implementation),
            facts=facts,
        )

    def _repeated(
        self, null: Called, ready: Ready, problem: Problem, left: Problem
    ) -> tuple[Tally, tuple[int, ...], int | None, bool]:
        """(what the second call executed, what was seen of it, its stack, whether any call entered the allocator)."""
        made = self.called(ready, problem, left)
        first, second = made.less(null)
        agreed = first == second and made.drew == 0
        if first == second and not self._reached.board:
            agreed = self.called(ready, problem, left, 1).less(null) == (second,)
        allocates = any(one.watched for one in made.tallies)
        if agreed:
            return second, (second.instructions,), made.stack, allocates
        again = self.called(ready, problem, left)
        seen = (second.instructions, again.less(null)[-1].instructions)
        allocates = allocates or any(one.watched for one in again.tallies)
        return second, seen, made.stack if made.stack == again.stack else None, allocates


def reason_of(error: WorkerError | Refusal) -> str:
    """What it says, with what the counter said of a program that it ended."""
    printed = error.stderr.splitlines() if isinstance(error, WorkerError) else []
    return ": ".join((str(error), *[line.removeprefix(SAYS) for line in printed if line.startswith(SAYS)][-1:]))


@contextmanager
def _started(launch: Launch) -> Iterator[WorkerProcess]:
    """A fresh process that was greeted."""
    with launch.start() as worker:
        worker.hello()
        yield worker


def _need(said: str) -> None:
    if said:
        raise WrongError(said)


def _drawn(told: Memory) -> int | None:
    """Bytes that were read of the host until a call had ended."""
    before, during = told.system_random_before, told.system_random_bytes
    return None if before is None or during is None else before + during


def _outcome(outcome: Outcome) -> Counting:
    """What is made of an operation that is not proven."""
    known = {
        Outcome.UNAVAILABLE: Counting.UNAVAILABLE,
        Outcome.CRASHED: Counting.CRASHED,
        Outcome.TIMED_OUT: Counting.TIMED_OUT,
    }
    return known.get(outcome, Counting.WRONG)
