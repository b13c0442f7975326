# SPDX-License-Identifier: Apache-2.0
"""Instructions of operations on other machines, counted under emulation: workers cross-built from the same adapters and SDK, proven by the same known answers, each count made twice (`cell`).

Everything that could move a count is fixed: the environment, the words that start the program, its folder, and what a process does before the call that is counted. Each cell has fresh processes of its own,
so that its count does not depend on what else was counted; on a board the machine begins anew instead (`board`).
"""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from queue import SimpleQueue

import msgspec

from cipherstone.build.baremetal import Bare
from cipherstone.build.counter import counting_plugin, markers, stretches
from cipherstone.build.heap_counting import ALLOCATOR, twin_of
from cipherstone.build.objects import archives_text
from cipherstone.build.operation_code import links_of
from cipherstone.build.processors import refusing_words, telling_words
from cipherstone.build.targets import Target, emulator_of, on_target, toolchain_for
from cipherstone.build.upstream import prepare
from cipherstone.build.workers import WorkerJob, build_worker
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import LAB_FAMILIES, Catalogue, Operation
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.conditions import asked_for
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.vectors import Vector
from cipherstone.execute.counting.cell import PATIENCE, Benches, Called, Known, Reached, reason_of
from cipherstone.execute.counting.thread_pool import ThreadPool
from cipherstone.execute.survey import Announce, Found
from cipherstone.isa.modelled import MODELS
from cipherstone.measure.plan import OF_LANES, Offer, all_cases, cell_facts
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability
from cipherstone.model.counts import Count, CountedTarget, Counting, Counts
from cipherstone.model.errors import BuildError, WorkerError
from cipherstone.model.ids import Case, Lane, build_label, joined_build
from cipherstone.model.records import Build
from cipherstone.protocol.messages import Refusal
from cipherstone.worker.process import end_workers

Record = CountedTarget | Count


class Job(msgspec.Struct, frozen=True):
    """A build of a library on a target."""

    target: Target
    library: Library
    build: BuildSpec


class Done(msgspec.Struct, frozen=True):
    """What an earlier part of a run counted of a build on a target: (case, lane). `worker_hash`: of what it was counted with."""

    worker_hash: str
    cells: frozenset[tuple[str, str]]


class CountRequest(msgspec.Struct, frozen=True):
    """What is to be counted: what `selection` leaves of `cases`; None: of every operation, at the sizes that it names, or the headline one.

    `all_vectors`: proven with every known answer, else with those that are marked as brief. `done`: by (target, build). `modelled`: with cycles by a model, on targets that have one.
    """

    selection: Filter | None = None
    cases: tuple[Case, ...] | None = None
    all_vectors: bool = False
    done: Mapping[tuple[str, str], Done] = {}
    modelled: bool = False


def count_everything(
    workshop: Workshop,
    jobs: Sequence[Job],
    catalogue: Catalogue,
    asked: CountRequest,
    announce: Announce,
    on_record: Callable[[Record], None] = lambda record: None,
) -> Counts:
    """Every cell that is asked for, on every target. A target that cannot be reached has a problem and no counts. `on_record` hears of each as it becomes true, in the caller's thread."""

    def heard() -> Iterator[tuple[tuple[int, int], Record]]:
        for place, record in _counted(workshop, jobs, catalogue, asked, announce):
            on_record(record)
            yield place, record

    # In the order of the jobs and of their cells, whichever came to its end first.
    found = sorted(heard(), key=lambda one: one[0])
    targets = {number: record for (number, _), record in found if isinstance(record, CountedTarget)}
    counts = (one for (number, _), one in found if isinstance(one, Count) and not targets[number].problem)
    return Counts(tuple(targets.values()), tuple(counts))


def count_each(
    workshop: Workshop, jobs: Sequence[Job], catalogue: Catalogue, asked: CountRequest, announce: Announce
) -> Generator[Record, None, None]:
    """The same as it becomes true: of a job its target first, then its counts. A caller that wants no more of them closes the iterator, which ends what runs."""
    for _, record in _counted(workshop, jobs, catalogue, asked, announce):
        yield record


def _counted(
    workshop: Workshop, jobs: Sequence[Job], catalogue: Catalogue, asked: CountRequest, announce: Announce
) -> Iterator[tuple[tuple[int, int], Record]]:
    """((number of the job, of the record in it), record) as they come; several jobs and several cells of each at a time."""
    known = Known(workshop.root, catalogue)
    arrived: SimpleQueue[tuple[int, tuple[int, Record] | None]] = SimpleQueue()
    cpus = max(1, os.cpu_count() or 1)

    # One job more than there are CPUs is made ready, so that no thread has to help at another meanwhile.
    with closing(ThreadPool(cpus)) as pool, ThreadPoolExecutor(cpus + 1) as threads:

        def one(number: int) -> None:
            try:
                submit = functools.partial(pool.submit, number)
                for record in _count_job(workshop, jobs[number], asked, announce, known, submit):
                    arrived.put((number, record))
            finally:
                arrived.put((number, None))

        try:
            running = [threads.submit(one, number) for number in range(len(jobs))]
            for _ in jobs:
                while (came := arrived.get())[1] is not None:
                    yield (came[0], came[1][0]), came[1][1]
                running[came[0]].result()  # raises what it ended with
        except BaseException:
            known.stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            end_workers()  # threads are waited for: what they wait for ends
            raise


def _count_job(
    workshop: Workshop,
    job: Job,
    asked: CountRequest,
    announce: Announce,
    known: Known,
    submit: Callable[[Callable[[], list[Count]]], Future[list[Count]]],
) -> Iterator[tuple[int, Record]]:
    """(place among the records of the job, record), the target first. `submit`: has something done by another thread."""
    name = build_label(job.library.id, job.build.variant)
    counted = 0
    benches: Benches | None = None
    running: list[tuple[int, Future[list[Count]]]] = []

    def without(problem: str) -> tuple[int, Record]:
        return 0, CountedTarget(job.target.id, name, job.target.title, problem=problem, library=job.library.title)

    try:
        reached = reach(workshop, job, announce)
        if asked.modelled:
            reached = msgspec.structs.replace(reached, model=MODELS.get(job.target.id))
        before = asked.done.get((job.target.id, reached.told.build))
        if before is not None and before.worker_hash != reached.told.worker_hash:
            raise BuildError("its worker is made of other things than in the part of the run before", "start a new run")
        benches = Benches(reached, known, not asked.all_vectors)
        with benches.one() as bench:
            null = bench.null()
        if before is None:
            yield 0, msgspec.structs.replace(reached.told, null_instructions=null.tallies[-1].instructions)
        for group in sorted(_groups(reached, asked, known), key=_Group.begins):
            running.append((group.place, submit(functools.partial(group.counts, benches, known, null))))
        for place, future in running:
            for index, count in enumerate(future.result()):
                counted += count.outcome is Counting.COUNTED
                yield place + index, count
    except BuildError as error:
        yield without(error.message if not error.hint else f"{error.message} ({error.hint})")
        return
    except (WorkerError, Refusal) as error:
        yield without(f"the worker does not start: {reason_of(error)}")
        return
    finally:
        for _, future in running:
            if not future.cancel():
                with suppress(Exception):  # what came of it is said above
                    future.result()
        if benches is not None:
            benches.close()
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
    made = WorkerJob(library, installation, toolchain, workshop.root, workshop.cache, linked, bare, True, target.lacks)
    worker = build_worker(made)
    plugin = counting_plugin(workshop.toolchain, workshop.root, workshop.cache)
    telling = telling_words(target, workshop.cache)
    uncounted = (*telling, *refusing_words(plugin, target.lacks))
    # Its own folder: the length of a path would lie on its stack, and move what is above it.
    start = (env, "-C", str(worker.path.parent))
    launch = Launch((*start, *target.words(emulator, f"./{worker.path.name}", uncounted)), patience=PATIENCE)
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
    archives = {str(Path(word).resolve()) for word in installation.libs if word.endswith(".a")}
    told = CountedTarget(
        target.id,
        Lane(library.id, described.build).build_id,
        target.title,
        hello.compiler,
        hello.flags,
        version,
        target.processor_told,
        worker.digest,
        library=library.title,
        archives=archives_text(one for one in worker.linked if one.path in archives),
    )
    heap = target.words(emulator, f"./{twin_of(worker.path).name}", uncounted, again=True)

    def counting(words: tuple[str, ...]) -> tuple[str, ...]:
        return (*start, *target.words(emulator, f"./{worker.path.name}", (*telling, *words), again=True))

    return Reached(
        target.isa,
        target.board is not None,
        library.lab,
        found,
        counting,
        plugin,
        markers(worker.path),
        told,
        Launch((*start, *heap), patience=PATIENCE),
        links_of(worker.path),
        stretches(worker.path, ALLOCATOR),
        lacks=target.lacks,
    )


_NUMBER = re.compile(r"\d+")


class _Group(msgspec.Struct, frozen=True):
    """Cells of one operation in one lane, which are proven together. `place`: of the first among the records of its job; `capability`: or why there is none."""

    target: str
    place: int
    lane: Lane
    capability: Capability | str
    cases: tuple[Case, ...]

    def begins(self) -> tuple[bool, int, int]:
        """What takes longest begins first, so that no thread has it alone at the end: operations without a length, big numbers before small ones."""
        largest = max(map(int, _NUMBER.findall(self.cases[0].id)), default=0)
        return self.cases[0].size_bytes is not None, -largest, self.place

    def counts(self, benches: Benches, known: Known, null: Called) -> list[Count]:
        """What becomes of each; fewer if no more are wanted."""
        if not isinstance(self.capability, Capability):
            return [
                Count(
                    target=self.target,
                    case=case.id,
                    lane=self.lane.id,
                    outcome=Counting.UNAVAILABLE,
                    reason=self.capability,
                )
                for case in self.cases
            ]
        found: list[Count] = []
        with benches.one() as bench:
            proof = None
            for case in self.cases:
                if known.stop.is_set():
                    break
                proof = proof or bench.proof(self.lane, self.capability)
                found.append(bench.count(case, self.lane, self.capability, null, proof))
        return found


def _groups(reached: Reached, asked: CountRequest, known: Known) -> Iterator[_Group]:
    """Every cell of a build on its target that was not counted before."""
    offer, target = reached.found.offer(known.catalogue), reached.told.target
    before = asked.done.get((target, reached.told.build))
    done = before.cells if before is not None else frozenset()
    place = 1
    for operation, lane, planned in _cells(offer, known.catalogue, asked, reached.lab):
        cases = tuple(case for case in planned if (case.id, lane.id) not in done)
        if not cases:
            continue
        capability = offer.capability(operation, lane.implementation)
        if reached.board and _forks(known.vectors(cases[0].algorithm), cases[0].verb):
            capability = "is proven by a fork, and a board has no processes"
        reason = offer.unavailable.get((operation.base_id, lane.implementation), "")
        yield _Group(target, place, lane, capability or reason, cases)
        place += len(cases)


def _forks(vectors: Sequence[Vector], verb: str) -> bool:
    """Whether known answers of a verb ask for a second process."""
    return any(vector.verb == verb and "fork" in vector.inputs for vector in vectors)


def _cells(
    offer: Offer, catalogue: Catalogue, asked: CountRequest, lab: bool
) -> Iterator[tuple[Operation, Lane, list[Case]]]:
    """(operation, lane, cases) of what is asked for."""
    selection = asked.selection
    planned = {} if asked.cases is None else _by_base(asked.cases, catalogue)
    keys = selection.keys if selection is not None else frozenset()
    for base_id, implementation in sorted({*offer.capabilities, *offer.unavailable}):
        base = catalogue.operations.get(base_id)
        if base is None:
            continue
        lane = Lane(offer.library, offer.build, implementation)
        if asked.cases is None and base_id not in planned:
            planned[base_id] = list(_due(base, catalogue, selection, keys, lab))
        for operation, cases in planned.get(base_id, ()):
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
    base: Operation, catalogue: Catalogue, selection: Filter | None, keys: frozenset[str], lab: bool
) -> Iterator[tuple[Operation, list[Case]]]:
    """Of sizes those that the selection, which has `keys`, names, else the headline one; big numbers of a laboratory, or named."""
    if base.family in LAB_FAMILIES and not lab and not keys - OF_LANES:
        return
    for operation in asked_for(base, selection, catalogue.conditions):
        every = all_cases(operation, selection)
        yield operation, [one for one in every if "bytes" in keys or one.size_bytes in (None, operation.headline_size)]
