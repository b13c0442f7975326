# SPDX-License-Identifier: Apache-2.0
"""A run on this machine: survey, plan, bundle, measure, summarise, seal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

import msgspec

from cipherstone import METHOD_VERSION, __version__
from cipherstone.build.launcher import process_launcher
from cipherstone.build.workers import heap_preload
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.published_pages import is_scored, kernels_of
from cipherstone.catalogue.verbs import verb_named
from cipherstone.execute.classic_score import measure_reference
from cipherstone.execute.code_bytes import with_code_bytes
from cipherstone.execute.counting.jobs import Job
from cipherstone.execute.counting.run_counts import RunCounting, counting_plan
from cipherstone.execute.energy import energies
from cipherstone.execute.memory_limit import need_room
from cipherstone.execute.resume import plan_again
from cipherstone.execute.spectrum import kernel_lab, measure_spectrum
from cipherstone.execute.stored_run import Derive
from cipherstone.execute.survey import Announce, Found
from cipherstone.host.facts import allowed_cpus, machine_facts, measuring_cpu
from cipherstone.host.ipc import IpcReferences
from cipherstone.host.lock import MachineLock
from cipherstone.host.private import Private
from cipherstone.measure.aftertiming import Once, by_case
from cipherstone.measure.facts import needed, tell_facts
from cipherstone.measure.parallel import counting_cpus
from cipherstone.measure.plan import Plan
from cipherstone.measure.pool import PassPool
from cipherstone.measure.processes import Processes, able_cells, left_s, proven, timing_bound
from cipherstone.measure.progress import Progress
from cipherstone.measure.proof import Capability
from cipherstone.measure.session import Session
from cipherstone.measure.start import Start
from cipherstone.measure.turns import Instrument, TurnProgress, Turns
from cipherstone.measure.watch import AwayFrom
from cipherstone.model.awake_clock import awake_s, noticing_stops
from cipherstone.model.errors import BuildError, InterruptedRun, StoreError, UsageError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.instruments import TurnRecord
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    BuildRecord,
    FactsRecord,
    FirstCallRecord,
    LaneSamples,
    Manifest,
    MemoryRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    Record,
    Settings,
)
from cipherstone.model.request import RunRequest
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import showable_struct
from cipherstone.model.units import counted
from cipherstone.operations.kernels import native_isa
from cipherstone.operations.vectors import vectors_of
from cipherstone.stats.probes import IMUL_TOLERANCE
from cipherstone.store.bundle import Bundle
from cipherstone.store.layout import new_run_id, read_manifest, resume_hint
from cipherstone.store.summary_tables import result_tables
from cipherstone.store.writer import BundleWriter
from cipherstone.views.plausible import models_for
from cipherstone.views.run.summarise import REFERENCE_OF_RUN, summarise
from cipherstone.worker.single import CAPABILITY as ONCE

OnCells = Callable[[int, int], None] | None  # hears how many are done, and of how many


class Listeners(msgspec.Struct, frozen=True):
    """What hears of a run while it measures. `progress`: of the timing; `memory` and `processes`: how many cells are done, and of how many; `counts`: how many cells are counted; `turns`: of an instrument's; `announce`: lines for the user."""

    progress: Callable[[Progress], None] | None = None
    memory: OnCells = None
    processes: OnCells = None
    counts: Callable[[int], None] | None = None
    turns: Callable[[TurnProgress], None] = lambda looked: None
    announce: Announce = lambda text: None


NONE_HEARS = Listeners()


class RunResult(msgspec.Struct, frozen=True):
    """A run that ended: where its bundle is, what it says, whether it was cut short."""

    path: Path
    summary: RunSummary
    interrupted: bool
    notes: tuple[str, ...] = ()


class PreparedRun(msgspec.Struct, frozen=True):
    """A run before it begins: its plan and settings, the builds that were surveyed, what its cases are counted with as far as the filter `selection` leaves them, and the request that all of it was made of. `instruments`: what is measured instead of cases, one after another. `lock`: of the machine, if it is held already."""

    plan: Plan
    settings: Settings
    found: tuple[Found, ...]
    jobs: tuple[Job, ...] = ()
    selection: str = ""
    request: RunRequest = RunRequest()
    instruments: tuple[Instrument, ...] = ()
    lock: MachineLock | None = None


class Run:
    """One run here. Made by `new_run` or `resume_run`; `measure` does the work. `path`: of its bundle; `instruments`: what is measured instead of cases."""

    def __init__(
        self,
        workshop: Workshop,
        catalogue: Catalogue,
        prepared: PreparedRun,
        writer: BundleWriter,
        lock: MachineLock,
        earlier: Sequence[Record] = (),
    ) -> None:
        """`lock`: of the machine, which is held already. `earlier`: what the bundle of a resumed run holds."""
        found = prepared.found
        self._lock = lock
        self.instruments = prepared.instruments
        self._private = Private.here()
        self._workshop = workshop
        self._catalogue = catalogue
        self._plan = prepared.plan
        self._vectors = cache(partial(vectors_of, workshop.root))
        self._writer = writer
        writer.warnings += [lock.remark] if lock.remark else []
        self._earlier = list(earlier)
        self._records = [_light(record) for record in earlier]  # and those of now
        self._counting = RunCounting(workshop, catalogue, prepared.jobs, writer.manifest, earlier)
        self._references = IpcReferences(workshop.cache / "ipc-reference.json")
        self._launches = {
            f"{f.id}@{f.build.build}": f.launch for f in found if f.build is not None and f.launch is not None
        }
        # An older worker lists no facts, and most operations have none: no process is started for them.
        self._with_facts = {
            (f"{f.id}@{f.build.build}", row.op, row.impl)
            for f in found
            if f.build is not None
            for row in f.listed
            if row.facts
        }
        # Builds whose worker can be started for one call.
        self._single = {
            f"{f.id}@{f.build.build}" for f in found if f.build and f.hello and ONCE in f.hello.capabilities
        }
        self.path = writer.path
        self.warnings = tuple(writer.warnings)

    def measure(
        self,
        derive: Derive,
        hears: Listeners = NONE_HEARS,
    ) -> RunResult:
        """Measures until done or interrupted (KeyboardInterrupt ends the run in good order). `derive`: what completes a summary before it is stored. StoreError: what was stored before is safe."""
        manifest = self._writer.manifest
        machine, settings = manifest.machine, manifest.settings
        known, _ = self._references.known(machine.cpu_model, machine.hypervisor)
        reference = max(filter(None, (known, manifest.ipc_reference)), default=None)
        began = awake_s()
        # What the bound counts is in the journal, however the run ended: the manifest's time has the description of the machine in it, and is missing after a kill.
        ends = [r.start_s + r.wall_s for r in self._earlier if isinstance(r, PassRecord | NoiseRecord | TurnRecord)]
        spent_s = max(ends, default=0.0)
        before_s = max(manifest.wall_s, spent_s)
        session = Session(
            Plan(manifest.plan if settings.timed else (), self._plan.lanes, self._plan.capabilities),
            self._launches,
            self._vectors,
            msgspec.structs.replace(settings, max_time_s=timing_bound(settings)),
            Start(reference, spent_s, self._earlier if settings.timed else ()),
            hears.progress,
        )
        interrupted = False
        with self._lock, noticing_stops():
            try:
                if settings.timed:
                    with AwayFrom(settings.cpu):
                        self._time(session, reference, spent_s, hears)
                # All CPUs may take part: nothing is timed any more.
                with closing(self._counting.records(hears.counts, hears.announce)) as counts:
                    self._keep(counts)
            except KeyboardInterrupt:
                interrupted = True
                self._keep(session.interrupt())
            except StoreError:
                self._writer.close()
                raise
        wall = before_s + awake_s() - began
        try:
            return self._close(session, derive, wall, interrupted, reference)
        except KeyboardInterrupt:
            raise self._interrupted_at_its_end(wall) from None

    def _keep(self, source: Iterable[Record]) -> None:
        """Stores records as they come."""
        for record in map(self._private.record, source):
            self._writer.append(record)
            self._records.append(_light(record))

    def _time(self, session: Session, reference: float | None, spent_s: float, hears: Listeners) -> None:
        """What is timed on this machine, and what follows from it."""
        manifest = self._writer.manifest
        settings = manifest.settings
        if not self._earlier:
            self._keep(self._plan.outcomes)
        self._keep(BuildRecord(f"{b.library}@{b.build}", b.identity, b.objects) for b in manifest.builds)
        self._know_machine(settings, reference)
        self._keep(session.run())
        began = awake_s()
        for instrument in self.instruments:
            spent = spent_s + awake_s() - began
            turns = Turns(instrument, settings, reference, self._earlier, spent, hears.turns)
            self._keep(turns.run())
            session.notes |= {turns.note} - {""}
        if settings.processes:
            with PassPool(self._launches, self._vectors, settings.cpu, False, 0, settings.strict) as pool:
                untimed = self._timed_cells(None, untimed=True)
                self._keep(proven(untimed, pool, lambda: left_s(settings, session.elapsed_s) == 0))
            left = left_s(settings, session.elapsed_s)
            self._keep(self._processes(settings, session, left, hears.processes))
        counter = self._heap_counter() if settings.memory else None
        told = tell_facts(self._facts_cells(), self._launches, counter, counting_cpus(settings.cpu))
        self._keep(with_code_bytes(told, self._launches))
        self._keep(energies(manifest.plan, self._records, self._timed_cells(None), self._launches, settings))
        if settings.memory:
            self._keep(self._once(settings, session, hears.memory))

    def _close(
        self, session: Session, derive: Derive, wall_s: float, interrupted: bool, reference: float | None
    ) -> RunResult:
        """What follows the measuring: what was learnt of the machine, the summary, the seal unless the run was cut short."""
        machine, before = self._writer.manifest.machine, self._writer.manifest.notes
        notes = tuple(sorted(map(self._private.text, session.notes | self._counting.notes)))
        where = (
            self._references.known(machine.cpu_model, machine.hypervisor)[1]
            if reference is not None
            else REFERENCE_OF_RUN
        )
        if reference is not None and (session.ipc_reference or 0.0) > reference:
            where += ", raised by this run"
        self._learn(session.ipc_reference, session.sure_level)
        self._writer.amend(ipc_reference=session.ipc_reference, ipc_reference_from=where, notes=(*before, *notes))
        status = RunStatus.INTERRUPTED if interrupted else RunStatus.FINISHED
        self._writer.set_status(status, wall_s)
        # From what is stored: batches are not kept here, and an interruption may have come between storing a record and seeing it.
        summary = summarise(
            msgspec.structs.replace(self._writer.manifest, status=str(status)),
            Bundle.open(self.path).records(),
            self._catalogue,
            models=models_for(self._writer.manifest, self._workshop.root),
        )
        # What the figures were judged by: all readings of the passes tell it, the session's own one is of a sample, with readings of a core that was looked at and left.
        judged_by = summary.noise.ipc_reference
        self._writer.amend(ipc_reference=judged_by)
        amended = msgspec.structs.replace(summary.manifest, ipc_reference=judged_by)
        summary = derive(showable_struct(msgspec.structs.replace(summary, manifest=amended)))
        if not interrupted:
            self._writer.finish(result_tables(summary), summary)
        self._writer.close()
        return RunResult(self.path, summary, interrupted, notes)

    def _interrupted_at_its_end(self, wall_s: float) -> InterruptedRun:
        """Leaves the run so that it can be resumed, and says so; one whose seal was on the disk already is finished."""
        if read_manifest(self.path).status == RunStatus.FINISHED:
            return InterruptedRun("interrupted", f"the run is finished and sealed: {self.path}")
        self._writer.set_status(RunStatus.INTERRUPTED, wall_s)
        self._writer.close()
        return InterruptedRun(
            "interrupted: everything was measured and is kept",
            f"finish the run with: {resume_hint(self.path).strip('`')}",
        )

    def _once(self, settings: Settings, session: Session, on_cells: OnCells) -> Iterator[Record]:
        """First calls and memory of every timed cell that the plan has them of, within their time. Notes in the session what there was no time for."""
        plan = self._writer.manifest.plan
        memories, firsts = (by_case(plan, self._timed_cells(kind)) for kind in (MemoryRecord, FirstCallRecord))
        once = Once(memories, firsts, self._launches, self._heap_counter(), settings.cpu, session.once_s())
        yield from once.run(on_cells)
        if once.note:
            session.notes.add(once.note)

    def _heap_counter(self) -> Path | None:
        """What counts the heap of a process that it is loaded into, where there is one."""
        return heap_preload(self._workshop.toolchain, self._workshop.root, self._workshop.cache)

    def _processes(
        self, settings: Settings, session: Session, seconds: float | None, on_rounds: OnCells
    ) -> Iterator[Record]:
        """Whole processes of every proven cell whose worker can be started for one call, timed or not. Notes in the session what there was no time for."""
        timed = self._timed_cells(None) + self._timed_cells(None, untimed=True)
        cells = able_cells(timed, self._single)
        if len(cells) < len(timed):
            without = counted(len(timed) - len(cells), "cell")
            session.notes.add(f"whole processes: not of {without}, which cannot be one call of a fresh worker")
        try:
            launcher = process_launcher(self._workshop.toolchain, self._workshop.root, self._workshop.cache)
        except BuildError as error:
            session.notes.add(f"whole processes: {error}")
            return
        processes = Processes(cells, self._launches, launcher, settings, seconds, self._records)
        yield from processes.run(on_rounds)
        if processes.note:
            session.notes.add(processes.note)

    def _facts_cells(self) -> list[tuple[Case, Lane, Capability]]:
        """The timed cells of which a worker has something to tell that is not stored yet."""
        cells = [
            (case, lane, capability)
            for case, lane, capability in self._timed_cells(FactsRecord)
            if (lane.build_id, capability.case.listed, capability.implementation) in self._with_facts
        ]
        told = {(record.case, record.lane) for record in self._records if isinstance(record, FactsRecord)}
        return needed(cells, told, _facts_of)

    def _timed_cells(
        self, kind: type[MemoryRecord | FirstCallRecord | FactsRecord] | None, untimed: bool = False
    ) -> list[tuple[Case, Lane, Capability]]:
        """What was timed and is still good, without the A/A lane and without what has a record of this kind already, in the order of the plan. `untimed`: what was not, instead."""
        records = self._records
        done = {(record.case, record.lane) for record in records if kind is not None and isinstance(record, kind)}
        bad = {(record.case, record.lane) for record in records if isinstance(record, OutcomeRecord)}
        timed = {
            (record.case, samples.lane)
            for record in records
            if isinstance(record, PassRecord)
            for samples in record.lanes
        }
        cells: list[tuple[Case, Lane, Capability]] = []
        for planned in self._writer.manifest.plan:
            case = Case.parse(planned.case)
            for name in planned.lanes:
                lane, key = self._plan.lanes[name], (planned.case, name)
                if not lane.twin and (key in timed) != untimed and key not in bad and key not in done:
                    cells.append((case, lane, self._plan.capabilities[case.operation, name]))
        return cells

    def _know_machine(self, settings: Settings, reference: float | None) -> None:
        """Stores this machine's spectrum, once a run and before anything else is timed; nothing where the checkout holds no such laboratory."""
        wanted = settings.spectrum and self._writer.manifest.spectrum is None
        if wanted and kernel_lab(self._workshop.root) is not None:
            also = kernels_of(self._workshop.root, self._writer.manifest.suite, native_isa())
            spectrum = measure_spectrum(
                self._workshop, settings.cpu, reference=reference, move=settings.move, also=also
            )
            if is_scored(self._workshop.root, self._writer.manifest.suite):
                classic_us = measure_reference(self._workshop, settings.cpu)
                spectrum = msgspec.structs.replace(spectrum, classic_us=classic_us)
            self._writer.amend(spectrum=spectrum)

    def _learn(self, seen: float | None, sure: float | None) -> None:
        """Keeps this machine's undisturbed IPC for later runs, if the calibrating chain was sound: a higher one (`seen`), and one that much of the run was at (`sure`), whatever was known."""
        ratios = [r.imul_ratio for r in self._records if isinstance(r, NoiseRecord) and r.imul_ratio is not None]
        sound = bool(ratios) and all(abs(ratio / 3.0 - 1) <= IMUL_TOLERANCE for ratio in ratios[-3:])
        machine = self._writer.manifest.machine
        if seen is not None and sound:
            self._references.learn(
                machine.cpu_model, machine.hypervisor, seen if sure is None else sure, sure is not None
            )


def _facts_of(verb: str) -> str:
    """The verb that tells the facts of this one too, or ""."""
    found = verb_named(verb)
    return found.facts_of if found is not None else ""


def _light(record: Record) -> Record:
    """A record without its batches: what is needed of them is in the journal."""
    if not isinstance(record, PassRecord):
        return record
    lanes = tuple(LaneSamples(samples.lane, samples.calls, ()) for samples in record.lanes)
    return msgspec.structs.replace(record, lanes=lanes, order=())


def new_run(
    workshop: Workshop, catalogue: Catalogue, suite: str, prepared: PreparedRun, runs: Path, command: str
) -> Run:
    """Takes the machine's lock, opens the bundle below `runs` (before anything is measured) and returns the run. CipherstoneError if another run measures. `suite`: the name of its suite; `command`: what was typed."""
    plan, settings, found = prepared.plan, prepared.settings, prepared.found
    machine = machine_facts()
    if machine.emulated and settings.timed and not settings.allow_emulated:
        raise UsageError(
            f"this machine is emulated by {machine.emulated}: times would be the emulator's",
            "`cipherstone check` and --no-time --on TARGETS work here; --allow-emulated measures without figures",
        )
    need_room(plan, machine)
    lock = prepared.lock or MachineLock()
    lock.acquire()  # before there is a bundle: a run that has to wait leaves none behind
    created = datetime.now(UTC)
    references = IpcReferences(workshop.cache / "ipc-reference.json")
    reference, source = references.known(machine.cpu_model, machine.hypervisor)
    used = {lane.build_id for lane in plan.lanes.values()}
    private = Private.here()
    problems = tuple(private.text(f"{f.name}: {f.status}: {f.problem}") for f in found if f.status != "ready")
    problems += (lock.remark,) if lock.remark else ()
    manifest = Manifest(
        format=BUNDLE_FORMAT,
        method=METHOD_VERSION,
        tool_version=__version__,
        run_id=new_run_id(created),
        created=created.isoformat(timespec="seconds"),
        command=command,
        suite=suite,
        status=RunStatus.RUNNING,
        settings=settings,
        machine=machine,
        builds=tuple(
            private.build(f.build) for f in found if f.build is not None and f"{f.id}@{f.build.build}" in used
        ),
        plan=plan.cases,
        ipc_reference=reference,
        ipc_reference_from=source,
        notes=problems,
        name=prepared.request.name,
        counting=counting_plan(prepared.jobs, prepared.selection),
        request=private.request(prepared.request),
        instruments=tuple(one.plan for one in prepared.instruments),
    )
    return Run(workshop, catalogue, prepared, BundleWriter.create(runs, manifest), lock)


def resume_run(
    workshop: Workshop,
    catalogue: Catalogue,
    path: Path,
    found: Sequence[Found],
    jobs: Sequence[Job] = (),
    instruments: Sequence[Instrument] = (),
) -> Run:
    """Resumes an unfinished bundle. Refuses if a library that it measures has changed since: two builds are not one lane. `instruments`: made ready again, where the run has some."""
    bundle = Bundle.open(path)
    if bundle.manifest.method != METHOD_VERSION:
        raise UsageError(
            f"resume: {path.name} was measured by method {bundle.manifest.method}, this is {METHOD_VERSION}",
            "start a new run",
        )
    choose_cpu(bundle.manifest.settings.cpu)
    _need_same(instruments, bundle.manifest)
    plan = plan_again(bundle.manifest, found, catalogue)
    here = machine_facts()
    need_room(plan, here)
    if here.fingerprint != bundle.manifest.machine.fingerprint:
        raise UsageError(
            f"resume: {path.name} was begun on another machine ({bundle.manifest.machine.cpu_model})",
            "start a new run here",
        )
    lock = MachineLock()
    lock.acquire()
    writer = BundleWriter.resume(path)
    if lock.remark and lock.remark not in writer.manifest.notes:
        writer.amend(notes=(*writer.manifest.notes, lock.remark))
    prepared = PreparedRun(plan, writer.manifest.settings, tuple(found), tuple(jobs), instruments=tuple(instruments))
    return Run(workshop, catalogue, prepared, writer, lock, list(Bundle.open(path).records()))


def _need_same(instruments: Sequence[Instrument], manifest: Manifest) -> None:
    """Raises UsageError if the instruments would measure something else than the run does so far."""
    plans = tuple(one.plan for one in instruments)
    if msgspec.json.encode(plans) != msgspec.json.encode(manifest.instruments):
        raise UsageError(
            f"resume: {manifest.run_id}: its programs, or what they can do, are others now", "start a new run"
        )


def choose_cpu(asked: int | None) -> int | None:
    """The CPU that workers are pinned to. Raises UsageError for one that this process may not use."""
    allowed = allowed_cpus()
    if asked is not None and allowed and asked not in allowed:
        raise UsageError(f"--cpu {asked}: this process may use {', '.join(map(str, allowed))}", "choose one of these")
    return measuring_cpu(asked)
