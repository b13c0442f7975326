# SPDX-License-Identifier: Apache-2.0
"""Instructions of operations on other machines, counted under emulation: workers cross-built from the same adapters and SDK, proven by the same known answers, each count made twice.

Everything that could move a count is fixed: the environment, the words that start the program, its folder, and what a process does before the call that is counted. Each cell has fresh processes of its own,
so that its count does not depend on what else was counted; on a board the machine begins anew instead (`boards`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import msgspec

from cipherstone.build.baremetal import Bare
from cipherstone.build.counter import Tally, counting_plugin, markers, plugin_words, tallies
from cipherstone.build.onelink import OneLinks, links_of
from cipherstone.build.targets import Target, emulator_of, on_target, toolchain_for
from cipherstone.build.twin import twin_of
from cipherstone.build.upstream import prepare
from cipherstone.build.workers import build_worker
from cipherstone.catalogue.algorithms import LAB_FAMILIES, Catalogue, Operation
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.conditions import asked_for
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.vectors import Vector
from cipherstone.fleet.boards import Boards
from cipherstone.fleet.survey import Announce, Found
from cipherstone.fleet.workshop import Workshop
from cipherstone.measure.plan import OF_LANES, Offer, all_cases, cell_facts
from cipherstone.measure.pool import Launch, PassPool, outcome_of
from cipherstone.measure.proof import NO_MEMORY, NOT_FOR_THIS, Capability, Expectations, Expected
from cipherstone.model.counts import Count, CountedTarget, Counting, Counts
from cipherstone.model.errors import BuildError, WorkerError
from cipherstone.model.ids import HARNESS_EMPTY, Case, Lane, build_label, joined_build
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import Build, ProofRecord
from cipherstone.operations.vectors import vectors_of
from cipherstone.protocol.messages import Empty, Refusal
from cipherstone.worker import WorkerProcess
from cipherstone.worker.process import end_workers

# An emulated call takes some fifty times as long as a native one.
PATIENCE = 10.0
# The first call of a process may do what later ones need not; the last is the one that counts.
CALLS = 2
PROCESSES = 2


class Job(msgspec.Struct, frozen=True):
    """A build of a library on a target."""

    target: Target
    library: Library
    build: BuildSpec


class Done(msgspec.Struct, frozen=True):
    """What an earlier part of a run counted of a build on a target: (case, lane). `worker_hash`: of what it was counted with."""

    worker_hash: str
    cells: frozenset[tuple[str, str]]


class Asked(msgspec.Struct, frozen=True):
    """What is to be counted: what `selection` leaves of `cases`; None: of every operation, at the sizes that it names, or the headline one.

    `all_vectors`: proven with every known answer, else with those that are marked as brief. `done`: by (target, build).
    """

    selection: Filter | None = None
    cases: tuple[Case, ...] | None = None
    all_vectors: bool = False
    done: Mapping[tuple[str, str], Done] = {}


class Reached(msgspec.Struct, frozen=True):
    """A worker that runs on its target. `start`: the words before those of its emulator. `twin`: what tells its heap; `brought`: code that its rows bring into a program."""

    job: Job
    found: Found
    start: tuple[str, ...]
    emulator: str
    worker: Path
    plugin: Path
    between: tuple[int, int]
    told: CountedTarget
    twin: Launch
    brought: OneLinks
    boards: Boards | None = None

    def words(self, out: Path) -> tuple[str, ...]:
        """What starts it so that its calls are counted into this file."""
        counting = plugin_words(self.plugin, self.between, out)
        return (*self.start, *self.job.target.words(self.emulator, f"./{self.worker.name}", counting, again=True))

    def process(self, out: Path) -> WorkerProcess:
        """A fresh one."""
        return WorkerProcess(self.words(out), padding_bytes=0, patience=PATIENCE)


class Known:
    """What is due, for several threads: loaders of data and oracles are asked by one at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._expectations = Expectations()
        self._vectors: dict[str, tuple[Vector, ...]] = {}
        self.stop = threading.Event()  # whoever waits for the counts does no longer

    def vectors(self, algorithm: str) -> Sequence[Vector]:
        """The known answers of an algorithm."""
        with self._lock:
            if algorithm not in self._vectors:
                self._vectors[algorithm] = vectors_of(self._root, algorithm)
            return self._vectors[algorithm]

    def expected(self, case: Case, form: str | None) -> Expected:
        """What a case must give."""
        with self._lock:
            return self._expectations.of(case, form)


def count_everything(
    workshop: Workshop,
    jobs: Sequence[Job],
    catalogue: Catalogue,
    selection: Filter | None,
    announce: Announce,
    all_vectors: bool = False,
) -> Counts:
    """Every cell that the selection leaves, on every target. A target that cannot be reached has a problem and no counts."""
    asked = Asked(selection, all_vectors=all_vectors)
    # In the order of the jobs, whichever came to its end first.
    found = sorted(_counted(workshop, jobs, catalogue, asked, announce), key=lambda one: one[0])
    targets = {number: record for number, record in found if isinstance(record, CountedTarget)}
    counts = (one for number, one in found if isinstance(one, Count) and not targets[number].problem)
    return Counts(tuple(targets.values()), tuple(counts))


def count_each(
    workshop: Workshop, jobs: Sequence[Job], catalogue: Catalogue, asked: Asked, announce: Announce
) -> Generator[CountedTarget | Count, None, None]:
    """The same as it becomes true: of a job its target first, then its counts. Whoever takes no more of them closes the iterator, which ends what runs."""
    for _, record in _counted(workshop, jobs, catalogue, asked, announce):
        yield record


def _counted(
    workshop: Workshop, jobs: Sequence[Job], catalogue: Catalogue, asked: Asked, announce: Announce
) -> Iterator[tuple[int, CountedTarget | Count]]:
    """(number of the job, record) as they come; several jobs at a time."""
    known = Known(workshop.root)
    arrived: SimpleQueue[tuple[int, CountedTarget | Count | None]] = SimpleQueue()

    def one(number: int) -> None:
        try:
            for record in _count_job(workshop, jobs[number], catalogue, asked, announce, known):
                arrived.put((number, record))
        finally:
            arrived.put((number, None))

    with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as threads:
        try:
            running = [threads.submit(one, number) for number in range(len(jobs))]
            for _ in jobs:
                while (came := arrived.get())[1] is not None:
                    yield came  # type: ignore[misc]  # the loop ends at None
                running[came[0]].result()  # raises what it ended with
        except BaseException:
            known.stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            end_workers()  # threads are waited for: what they wait for ends
            raise


def _count_job(
    workshop: Workshop, job: Job, catalogue: Catalogue, asked: Asked, announce: Announce, known: Known
) -> Iterator[CountedTarget | Count]:
    name = build_label(job.library.id, job.build.variant)
    boards, counted = None, 0

    def without(problem: str) -> CountedTarget:
        return CountedTarget(job.target.id, name, job.target.title, problem=problem, library=job.library.title)

    try:
        reached = reach(workshop, job, announce)
        if job.target.board is not None:
            boards = Boards(reached.process, job.target.isa)
            reached = msgspec.structs.replace(reached, boards=boards)
        before = asked.done.get((job.target.id, reached.told.build))
        if before is not None and before.worker_hash != reached.told.worker_hash:
            raise BuildError("its worker is made of other things than in the part of the run before", "start a new run")
        null = _null(reached)
        if before is None:
            yield msgspec.structs.replace(reached.told, null_instructions=null.instructions)
        for count in _counts(reached, catalogue, asked, known, null):
            counted += count.outcome is Counting.COUNTED
            yield count
    except BuildError as error:
        yield without(error.message if not error.hint else f"{error.message} ({error.hint})")
        return
    except (WorkerError, Refusal) as error:
        yield without(f"the worker does not start: {error}")
        return
    finally:
        if boards is not None:
            boards.close()
    announce(f"{job.target.id}: {name}: {counted} counted")


def reach(workshop: Workshop, job: Job, announce: Announce) -> Reached:
    """The worker of a build, compiled for its target, linked statically, and what it says of itself. Raises BuildError and WorkerError."""
    target, library = job.target, job.library
    toolchain, (emulator, version) = toolchain_for(target, workshop.toolchain), emulator_of(target)
    env = shutil.which("env")
    if env is None:
        raise BuildError(f"{target.id}: no program 'env'")
    build = on_target(job.build, target)
    installation = prepare(library, build, toolchain, workshop.system, workshop.cache, announce)
    if installation.problem:
        raise BuildError(f"{target.id}: {installation.problem}", target.said)
    linked = msgspec.structs.replace(
        build, variant=f"{build.variant}-on-{target.id}", flags=(*build.flags, *target.linking), masks=()
    )
    bare = Bare(target.flags, target.board.link_words) if target.board is not None else None
    worker = build_worker(library, installation, toolchain, workshop.root, workshop.cache, linked, bare, twin=True)
    # Its own folder: the length of a path would lie on its stack, and move what is above it.
    start = (env, "-C", str(worker.path.parent))
    launch = Launch((*start, *target.words(emulator, f"./{worker.path.name}")), patience=PATIENCE)
    with launch.start() as process:
        hello, listed = process.hello(), process.operations()
    described = Build(
        library=library.id,
        build=joined_build(hello.version, job.build.variant),
        version=hello.version,
        version_from=hello.version_from,
        title=library.title,
        licence=library.licence,
        compiler=hello.compiler,
        flags=hello.flags,
        cpu_path=hello.cpu_path,
        worker_hash=worker.digest,
    )
    found = Found(library.id, library.title, "ready", library=library, hello=hello, listed=tuple(listed), launch=launch, build=described)  # fmt: skip
    told = CountedTarget(
        target.id,
        Lane(library.id, described.build).build_id,
        target.title,
        hello.compiler,
        hello.flags,
        version,
        target.processor,
        worker.digest,
        library=library.title,
    )
    plugin = counting_plugin(workshop.toolchain, workshop.root, workshop.cache)
    twin = Launch((*start, *target.words(emulator, f"./{twin_of(worker.path).name}")), patience=PATIENCE)
    return Reached(
        job, found, start, emulator, worker.path, plugin, markers(worker.path), told, twin, links_of(worker.path)
    )


def _counts(reached: Reached, catalogue: Catalogue, asked: Asked, known: Known, null: Tally) -> Iterator[Count]:
    """Every cell of a build on its target that was not counted before."""
    build, launch = reached.found.build, reached.found.launch
    assert build is not None and launch is not None
    offer, target = reached.found.offer(catalogue), reached.job.target.id
    before = asked.done.get((target, reached.told.build))
    done = before.cells if before is not None else frozenset()
    brief = not asked.all_vectors
    with PassPool({f"{reached.found.id}@{build.build}": launch}, known.vectors, None, brief, 0) as pool:
        for operation, lane, planned in _cells(offer, catalogue, asked, reached.job.library.lab):
            cases = [case for case in planned if (case.id, lane.id) not in done]
            if not cases:
                continue
            capability = offer.capability(operation, lane.implementation)
            if reached.boards is not None and _forks(known.vectors(cases[0].algorithm), cases[0].verb):
                capability = "is proven by a fork, and a board has no processes"
            reason = offer.unavailable.get((operation.base_id, lane.implementation), "")
            if not isinstance(capability, Capability):
                for case in cases:
                    yield Count(
                        target=target,
                        case=case.id,
                        lane=lane.id,
                        outcome=Counting.UNAVAILABLE,
                        reason=capability or reason,
                    )
                continue
            if known.stop.is_set():
                return
            proof = _proof(pool, lane, capability)
            for case in cases:
                if known.stop.is_set():
                    return
                yield _count(reached, case, lane, capability, known, null, proof)


def _forks(vectors: Sequence[Vector], verb: str) -> bool:
    """Whether known answers of a verb ask for a second process."""
    return any(vector.verb == verb and "fork" in vector.inputs for vector in vectors)


def _cells(offer: Offer, catalogue: Catalogue, asked: Asked, lab: bool) -> Iterator[tuple[Operation, Lane, list[Case]]]:
    """(operation, lane, cases) of what is asked for."""
    selection = asked.selection
    planned = None if asked.cases is None else _by_base(asked.cases, catalogue)
    for base_id, implementation in sorted({*offer.capabilities, *offer.unavailable}):
        base = catalogue.operations.get(base_id)
        if base is None:
            continue
        lane = Lane(offer.library, offer.build, implementation)
        due = _due(base, catalogue, selection, lab) if planned is None else planned.get(base_id, ())
        for operation, cases in due:
            usual = catalogue.usual(operation)
            left = [
                case
                for case in cases
                if selection is None or selection.matches(usual | cell_facts(operation, case, lane))
            ]
            if left:
                yield operation, lane, left


def _by_base(cases: Sequence[Case], catalogue: Catalogue) -> dict[str, list[tuple[Operation, list[Case]]]]:
    """The cases by operation, and these by their id without conditions."""
    by_operation: dict[str, list[Case]] = {}
    for case in cases:
        by_operation.setdefault(case.operation, []).append(case)
    found: dict[str, list[tuple[Operation, list[Case]]]] = {}
    for name, members in by_operation.items():
        operation = catalogue.known(name)
        if operation is not None:
            found.setdefault(operation.base_id, []).append((operation, members))
    return found


def _due(
    base: Operation, catalogue: Catalogue, selection: Filter | None, lab: bool
) -> Iterator[tuple[Operation, list[Case]]]:
    """Of sizes those that the selection names, else the headline one; big numbers of a laboratory, or named."""
    keys = selection.keys if selection is not None else frozenset()
    if base.family in LAB_FAMILIES and not lab and not keys - OF_LANES:
        return
    for operation in asked_for(base, selection, catalogue.conditions):
        every = all_cases(operation, selection)
        yield operation, [one for one in every if "bytes" in keys or one.size_bytes in (None, operation.headline_size)]


def _proof(pool: PassPool, lane: Lane, capability: Capability) -> ProofRecord:
    """What the known answers say of an operation on the target."""
    try:
        record = pool.prove(lane, capability)
        assert record is not None  # every operation of a lane comes once
        return record
    except WorkerError as error:
        pool.discard(lane)
        return ProofRecord(capability.operation, lane.id, 0, outcome_of(error), failures=(str(error),))


def _count(
    reached: Reached, case: Case, lane: Lane, capability: Capability, known: Known, null: Tally, proof: ProofRecord
) -> Count:
    made = Count(target=reached.job.target.id, case=case.id, lane=lane.id, outcome=Counting.WRONG, proof=proof.outcome)
    replace = msgspec.structs.replace
    if not proof.outcome.timed:
        return replace(made, outcome=_outcome(proof.outcome), reason="; ".join(proof.failures))
    expected = known.expected(case, capability.form)

    def ready(worker: WorkerProcess) -> None:
        worker.prepare(0, case.listed, capability.implementation, expected.texts)

    def problem(worker: WorkerProcess) -> str:
        return expected.problem(expected.compute(worker, 0))

    try:
        found = [_in_a_process(reached, ready, problem, number) for number in range(PROCESSES)]
    except Refusal as refusal:
        refused = refusal.code in {*NOT_FOR_THIS, NO_MEMORY, "unavailable"}
        return replace(made, outcome=Counting.UNAVAILABLE if refused else Counting.WRONG, reason=str(refusal))
    except WorkerError as error:
        return replace(made, outcome=_outcome(outcome_of(error)), reason=str(error))
    except _WrongError as error:
        return replace(made, reason=str(error))
    own = [tally.without(null) for tally, _ in found]
    seen, stacks = tuple(one.instructions for one in own), {stack for _, stack in found}
    if len({*seen}) > 1:
        return replace(
            made, outcome=Counting.VARIES, seen=seen, reason=f"does not repeat: {' and '.join(map(str, seen))}"
        )
    stack = stacks.pop() if len(stacks) == 1 else None
    facts = _facts(reached, ready) if reached.job.library.lab else {}
    heap, held = _heap(reached, ready, problem)
    return replace(
        made,
        outcome=Counting.COUNTED,
        instructions=seen[0],
        classes=own[0].classes,
        stack_bytes=stack,
        heap_bytes=heap,
        held_bytes=held,
        code=reached.brought.of(case.listed, capability.implementation),
        facts=facts,
    )


def _heap(
    reached: Reached, ready: Callable[[WorkerProcess], None], problem: Callable[[WorkerProcess], str]
) -> tuple[int | None, int | None]:
    """(the peak of a call, what is held between calls), told by the worker's twin, whose calls are not counted; None where it ends."""
    try:
        with reached.twin.start() as worker:
            worker.hello()
            ready(worker)
            if problem(worker):
                return None, None
            told = worker.memory(0)
            return told.heap_peak_bytes, told.heap_live_bytes
    except (WorkerError, Refusal):
        return None, None


def _facts(reached: Reached, ready: Callable[[WorkerProcess], None]) -> dict[str, int | str]:
    """What the worker tells of a case beside its count, in a process that is not counted; nothing where it ends."""
    assert reached.found.launch is not None
    try:
        with reached.found.launch.start() as worker:
            worker.hello()
            ready(worker)
            return worker.facts(0)
    except (WorkerError, Refusal):
        return {}


class _WrongError(Exception):
    """A call that was counted computed something wrong; the text says what."""


def _in_a_process(
    reached: Reached,
    ready: Callable[[WorkerProcess], None],
    problem: Callable[[WorkerProcess], str],
    number: int = 0,
) -> tuple[Tally, int | None]:
    """(what the last of a few calls executed, its stack) in a fresh process that does nothing else, or on a board that begins anew. Raises WorkerError, Refusal, _WrongError."""

    def call(worker: WorkerProcess) -> None:
        if said := problem(worker):
            raise _WrongError(said)

    if reached.boards is not None:
        return reached.boards.count(number, ready, call)
    with tempfile.TemporaryDirectory(prefix="cipherstone-") as folder:
        out = Path(folder) / "calls"
        with reached.process(out) as worker:
            worker.hello()
            ready(worker)
            for _ in range(CALLS):
                call(worker)
            stack = worker.memory(0).stack_bytes
        lines = tallies(out, reached.job.target.isa) if out.is_file() else []
    if len(lines) != CALLS:
        raise WorkerError("crashed", f"the emulator counted {len(lines)} calls, {CALLS} were made")
    return lines[-1], stack


def _null(reached: Reached) -> Tally:
    """What the empty call executes. Raises WorkerError and Refusal."""

    def ready(worker: WorkerProcess) -> None:
        worker.ask("prepare", {"case": 0, "op": HARNESS_EMPTY, "impl": "sdk"}, Empty)

    def problem(worker: WorkerProcess) -> str:
        worker.compute(0)
        return ""

    found = [_in_a_process(reached, ready, problem, number)[0] for number in range(PROCESSES)]
    if found[0] != found[-1]:
        told = " and ".join(str(tally.instructions) for tally in found)
        raise WorkerError("crashed", f"its empty call does not repeat: {told} instructions")
    return found[0]


def _outcome(outcome: Outcome) -> Counting:
    """What is made of an operation that is not proven."""
    known = {
        Outcome.UNAVAILABLE: Counting.UNAVAILABLE,
        Outcome.CRASHED: Counting.CRASHED,
        Outcome.TIMED_OUT: Counting.TIMED_OUT,
    }
    return known.get(outcome, Counting.WRONG)
