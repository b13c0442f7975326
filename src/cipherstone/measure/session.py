# SPDX-License-Identifier: Apache-2.0
"""The measuring of a run: passes over all open cases in shuffled order, until every case has stopped or the time bound comes.

Yields records as they become true, so that nothing is lost when the run ends early.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from cipherstone.host.facts import allowed_cpus, load_1min, steal_and_total_ticks, steal_ratio
from cipherstone.measure.breadth import Asker, Breadth, wrong_lanes
from cipherstone.measure.casestate import CaseState
from cipherstone.measure.memoization import MemoizationCheck
from cipherstone.measure.memory_placement import spread_out
from cipherstone.measure.pass_control import PassControl
from cipherstone.measure.plan import Plan
from cipherstone.measure.pool import Launch, PassPool, Vectors, outcome_of
from cipherstone.measure.progress import Progress
from cipherstone.measure.proof import NOT_FOR_THIS, Capability, Expectations, ProvenCase, members, prove_case
from cipherstone.measure.rounds import Contestant, LaneCrashed, LaneFailed, cost_of_call, run_rounds
from cipherstone.measure.schedule import chosen, left_out, left_s, no_more_begun, pass_order
from cipherstone.measure.start import FRESH, Start
from cipherstone.measure.watch import CpuWatch, plausible
from cipherstone.measure.worker_failures import LINGERS, WorkerFailures
from cipherstone.model.awake_clock import awake_s
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Lane
from cipherstone.model.later import Later
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    CaseEndRecord,
    LaneSamples,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    Record,
    Settings,
)
from cipherstone.protocol.messages import Refusal
from cipherstone.stats.batches import readings
from cipherstone.stats.probes import MAX_IPC

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


class Session:
    """One run's measuring. `run()` yields records; `request_stop` makes it end after the batch in hand."""

    def __init__(
        self,
        plan: Plan,
        launches: Mapping[str, Launch],
        vectors: Vectors,
        settings: Settings,
        start: Start = FRESH,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """`launches`: by build id, of all builds that the plan's lanes are of."""
        self._lanes = lanes = plan.lanes
        self._capabilities = plan.capabilities
        self._launches = launches
        self._vectors = vectors
        self._settings = settings
        self._random = np.random.default_rng(settings.seed)  # drawn anew for every pass
        self._expectations = Expectations()
        self._cases = [CaseState(planned, settings) for planned in plan.cases]
        self._by_id = {state.case_id: state for state in self._cases}
        self._on_progress = on_progress
        self._before_s = start.elapsed_s
        self._started = awake_s() - start.elapsed_s
        self._pass_index = 0
        self._failures = WorkerFailures()
        allowed = allowed_cpus()
        self._watch = CpuWatch(settings, tuple(launches.values()), start.ipc_reference, allowed)
        self._control = PassControl(settings, self._watch, allowed, lambda: self.elapsed_s, self._on_wait)
        self.notes: set[str] = set()
        pairs = {(s.case.operation, lane) for s in self._cases for lane in s.lanes if not lanes[lane].twin}
        self._memoization = MemoizationCheck(settings)
        self._breadth = Breadth(settings, Counter(operation for operation, _ in pairs))
        for record in start.earlier:
            self._replay(record)

    def run(self) -> Iterator[Record]:
        """Measures until every case has stopped. The time bound counts from here."""
        self._started = awake_s() - self._before_s
        try:
            self._control.survey()
            for state in self._cases:
                if state.end is None and state.processes_only:
                    yield state.finish(CaseEnd.PROCESSES)
            while open_cases := [state for state in self._cases if state.end is None]:
                yield from self._one_pass(chosen(open_cases, self._control.remaining_s(), self._settings))
                self._pass_index += 1
            yield from self._last_in_breadth()
            self.notes |= {note for note in (left_out(self._cases),) if note}
        finally:
            self._watch.close()

    def once_s(self) -> float | None:
        """Seconds that memory and first calls may take from now on: what the timing left of the bound, and their share beyond it; None without a bound."""
        bound, left = self._settings.max_time_s, self._control.remaining_s()
        return None if bound is None or left is None else max(0.0, left) + self._settings.once_share * bound

    @property
    def elapsed_s(self) -> float:
        """Seconds of measuring, those before a resumption with them: what the time bound counts."""
        return awake_s() - self._started

    @property
    def ipc_reference(self) -> float | None:
        """IPC of an undisturbed core as it is known now."""
        return self._watch.reference

    @property
    def sure_level(self) -> float | None:
        """The IPC that a fifth or more of all readings crowded at, None if they did not."""
        return self._watch.sure_level

    def interrupt(self) -> Iterator[Record]:
        """Records that end what is still open, after a KeyboardInterrupt or a failure of the store."""
        for state in self._cases:
            if state.end is None:
                yield state.finish(CaseEnd.INTERRUPTED)

    # -- one pass over all open cases --------------------------------------------------------------------------------------------

    def _one_pass(self, open_cases: list[CaseState]) -> Iterator[Record]:
        # By pass, so that a resumed run does not draw the orders of its beginning again.
        self._random = np.random.default_rng((self._settings.seed, self._pass_index))
        ticks, started, start_s = steal_and_total_ticks(), awake_s(), self.elapsed_s
        imul: float | None = None
        brief, strict = self._pass_index > 0, self._settings.strict
        self._breadth.begin(self._pass_index, {state.case.operation for state in open_cases})
        with PassPool(self._launches, self._vectors, self._watch.cpu, brief, self._pass_index, strict) as pool:
            self._control.on_move = pool.move
            tried, first = 0, self._pass_index == 0 and self._settings.max_time_s is not None
            for number, state in enumerate(pass_order(open_cases, self._random, first)):
                full = first and no_more_begun(open_cases, self._control.remaining_s(), self._settings)
                if full or self._control.given_up or self._out_of_time(state):
                    continue  # a shorter one may still fit
                tried += 1
                self._tell(state, number, len(open_cases))
                gc.disable()  # a collection between two batches costs milliseconds of round trip
                try:
                    yield from self._one_case(state, pool)
                finally:
                    gc.enable()
                yield from self._first_sights(state, pool)
                yield from self._in_breadth(state, pool)
                if imul is None:
                    imul = self._imul_ratio(state, pool)
            self.notes |= pool.notes
        yield from self._lingering(pool)
        self._settle_validity()
        if self._control.given_up or not tried:
            yield from self._end_all(CaseEnd.CONTENDED if self._control.given_up else CaseEnd.TIME_BOUND)
        for state in open_cases:
            record = state.decide()
            if record is not None:
                yield record
        yield NoiseRecord(
            pass_index=self._pass_index,
            start_s=round(start_s, 3),
            wall_s=round(awake_s() - started, 3),
            load_1min=load_1min(),
            steal_ratio=steal_ratio(ticks, steal_and_total_ticks()),
            imul_ratio=imul,
        )

    def _one_case(self, state: CaseState, pool: PassPool) -> Iterator[Record]:
        """Proves and measures one case; a lane that fails is dropped and the rest is measured again at once."""
        while True:
            began = awake_s()
            contestants: list[Contestant] = []
            broken = False
            for lane_id in list(state.lanes):
                lane = self._lanes[lane_id]
                capability = self._capabilities[state.case.operation, lane_id]
                outcome: OutcomeRecord | None = None
                try:
                    proof = pool.prove(lane, capability)
                    if proof is not None:
                        yield proof
                    outcome = self._enter(state, lane, capability, pool, contestants)
                except WorkerError as error:
                    outcome = self._broken(state, lane, error, pool)
                    broken = True
                if outcome is not None:
                    yield outcome
                    yield from self._drop(state, lane_id, outcome)
                if broken or self._control.late():
                    break
            if self._control.late():
                for contestant in contestants:
                    self._release(contestant, pool)
                return
            if broken:
                continue  # lanes of the same build that had entered went down with their process: all enter again
            if not contestants or all(self._lanes[c.lane].twin for c in contestants):
                yield state.finish(CaseEnd.NO_LANES)
                return
            try:
                for contestant in contestants:
                    if state.ns_per_call.get(contestant.lane) is None:
                        cost = cost_of_call(contestant.lane, contestant.proven, self._settings.batch_us * 1e3)
                        state.ns_per_call[contestant.lane] = cost
                    contestant.ns_per_call = state.ns_per_call[contestant.lane]
                spread_out(
                    contestants, state.case, self._capabilities, self._expectations, self._settings, self._pass_index
                )
                self._control.share_out(self._cases)
                rounds = run_rounds(contestants, self._settings, self._random, self._control)
            except LaneCrashed as crash:
                outcome = self._broken(state, self._lanes[crash.lane], crash.error, pool)
                yield outcome
                yield from self._drop(state, crash.lane, outcome)
                continue
            except LaneFailed as failure:
                outcome = OutcomeRecord(state.case_id, failure.lane, Outcome.WRONG, failure.detail)
                yield outcome
                yield from self._drop(state, failure.lane, outcome)
                pool.discard(self._lanes[failure.lane])
                continue
            for contestant in contestants:
                self._release(contestant, pool)
            wall = awake_s() - began
            record = PassRecord(
                case=state.case_id,
                index=self._pass_index,
                start_s=round(self.elapsed_s - wall, 3),
                wall_s=round(wall, 6),
                timed_s=round(rounds.timed_ns / 1e9, 6),
                lanes=tuple(self._plausible(lane) for lane in rounds.samples),
                order=rounds.order,
                harness_ns=tuple(
                    round(pool.harness_ns(self._lanes[c.lane], c.proven.ring, state.case), 4) for c in contestants
                ),
                cpus=rounds.cpus,
                waited_s=round(rounds.waited_s, 6),
            )
            self._watch.count(plausible(rounds.readings))
            yield state.add(record, self._watch.reference)
            self._control.look_around(rounds.readings)
            return

    def _enter(
        self, state: CaseState, lane: Lane, capability: Capability, pool: PassPool, contestants: list[Contestant]
    ) -> OutcomeRecord | None:
        """Adds a proven lane to `contestants`, or says why it cannot compete."""
        if not pool.is_proven(lane, capability):
            return OutcomeRecord(state.case_id, lane.id, *pool.failure(lane, capability))
        worker = pool.worker(lane)
        expected, *ring = (
            self._expectations.of(state.case, capability.form, member)
            for member in range(members(state.case, capability, worker.capabilities))
        )
        number = sum(one.proven.ring for one in contestants if one.proven.worker is worker)
        try:
            proven = prove_case(worker, number, state.case, capability, expected, ring)
        except Refusal as refusal:
            kind = Outcome.UNSUPPORTED if refusal.code in NOT_FOR_THIS else Outcome.UNAVAILABLE
            return OutcomeRecord(state.case_id, lane.id, kind, str(refusal))
        if isinstance(proven, ProvenCase):
            pool.harness_ns(lane, proven.ring, state.case)
            contestants.append(Contestant(lane.id, proven, 0.0, state.distribution))
            return None
        return OutcomeRecord(state.case_id, lane.id, Outcome.WRONG, proven)

    def _wrong(self, operation: str, lane_id: str, detail: str) -> Iterator[Record]:
        """Takes an operation of a lane out of the run."""
        for state in self._cases:
            if state.case.operation == operation and lane_id in state.lanes:
                outcome = OutcomeRecord(state.case_id, lane_id, Outcome.WRONG, detail)
                yield outcome
                yield from self._drop(state, lane_id, outcome)

    def _first_sights(self, state: CaseState, pool: PassPool) -> Iterator[Record]:
        """Looks, once a run and case, whether lanes remember results by input."""
        if not self._memoization.wants(state.case, self._pass_index):
            return
        self._memoization.begin(state.case, self._pass_index)
        for lane_id in list(state.lanes):
            lane, capability = self._lanes[lane_id], self._capabilities[state.case.operation, lane_id]
            ns = state.ns_per_call.get(lane_id)
            if lane.twin or ns is None or not pool.is_proven(lane, capability):
                continue
            try:
                said = self._memoization.look(pool.worker(lane), state.case, capability, ns)
            except WorkerError as error:
                outcome = self._broken(state, lane, error, pool)
                yield outcome
                yield from self._drop(state, lane_id, outcome)
                continue
            if said:
                yield from self._wrong(state.case.operation, lane_id, said)

    def _last_in_breadth(self) -> Iterator[Record]:
        """Random inputs for lanes that were asked too few, in processes of their own, once everything is timed."""
        ended = [CaseEnd.CONVERGED, CaseEnd.MAX_PASSES]
        first = {state.case.operation: state for state in self._cases if state.end in ended and state.lanes}
        lacking = {op for op, state in first.items() if any(self._breadth.lacks(op, lane) for lane in state.lanes)}
        remaining = self._control.remaining_s()
        if not lacking or (remaining is not None and remaining <= 0):
            return
        self._breadth.begin_last(self._pass_index, lacking, remaining)
        with PassPool(
            self._launches, self._vectors, self._watch.cpu, True, self._pass_index, self._settings.strict
        ) as pool:
            for operation in sorted(lacking):
                state = first[operation]
                for lane_id in list(state.lanes):
                    lane = self._lanes[lane_id]
                    if lane.twin or not self._breadth.lacks(operation, lane_id):
                        continue
                    try:
                        proof = pool.prove(lane, self._capabilities[operation, lane_id])
                        if proof is not None:
                            yield proof
                    except WorkerError as error:
                        outcome = self._broken(state, lane, error, pool)
                        yield outcome
                        yield from self._drop(state, lane_id, outcome)
                yield from self._in_breadth(state, pool)

    def _in_breadth(self, state: CaseState, pool: PassPool) -> Iterator[Record]:
        """Random inputs of the operation of a case, once a pass, of every lane whose proven process is there. A wrong answer takes the operation of that lane out of the run."""
        operation = state.case.operation
        if not self._breadth.wants(operation):
            return
        askers = []
        for lane_id in state.lanes:
            lane, capability = self._lanes[lane_id], self._capabilities[operation, lane_id]
            if not lane.twin and pool.is_proven(lane, capability):
                askers.append(Asker(lane_id, capability, pool.worker(lane), state.ns_per_call.get(lane_id, 0.0)))
        record, broken = self._breadth.ask(operation, askers)
        if record is not None:
            yield record
            for one in wrong_lanes(record):
                yield from self._wrong(operation, one.lane, one.failures[0])
        for lane_id, error in broken:
            outcome = self._broken(state, self._lanes[lane_id], error, pool)
            yield outcome
            yield from self._drop(state, lane_id, outcome)

    def _release(self, contestant: Contestant, pool: PassPool) -> None:
        try:
            for place in contestant.all_places:
                place.close()
        except (WorkerError, Refusal):
            pool.discard(self._lanes[contestant.lane])  # its figures stand: they were taken and checked before this

    def _broken(self, state: CaseState, lane: Lane, error: WorkerError, pool: PassPool) -> OutcomeRecord:
        pool.discard(lane)
        outcome = outcome_of(error)
        self._failures.add(lane.build_id, outcome)
        self._give_back(error.lost_s)
        return OutcomeRecord(state.case_id, lane.id, outcome, str(error), error.stderr)

    def _drop(self, state: CaseState, lane_id: str, outcome: OutcomeRecord) -> Iterator[Record]:
        """Takes a lane out of a case; its A/A twin goes with it. A build that keeps breaking leaves every case."""
        state.drop(lane_id, self._lanes)
        build = self._lanes[lane_id].build_id
        if not self._failures.out(build):
            return
        changed = outcome.outcome is Outcome.UNAVAILABLE
        text = f"not tried again: its worker broke too often; the last: {outcome.detail}"
        # What it answered wrongly is wrong here; elsewhere it only broke.
        kind = Outcome.CRASHED if outcome.outcome is Outcome.WRONG else outcome.outcome
        yield from self._leave(build, kind, outcome.detail if changed else text)

    def _leave(self, build: str, outcome: Outcome, detail: str) -> Iterator[Record]:
        """Takes a build out of every case."""
        for state in self._cases:
            for gone in [name for name in state.lanes if self._lanes[name].build_id == build]:
                state.drop(gone, self._lanes)
                if not self._lanes[gone].twin:
                    yield OutcomeRecord(state.case_id, gone, outcome, detail)

    def _lingering(self, pool: PassPool) -> Iterator[Record]:
        """Counts builds whose processes did not end when told to: one whose processes do so again and again takes the others' time and core."""
        for build, lost_s in pool.lingering.items():
            self._give_back(lost_s)
            if self._failures.linger(build):
                yield from self._leave(build, Outcome.TIMED_OUT, f"not tried again: {LINGERS}")

    def _give_back(self, lost_s: float) -> None:
        """Time in which nothing but a worker that hung was waited for is not taken from the others."""
        self._started += lost_s

    # -- probes, time, progress ------------------------------------------------------------------------------------------------

    def _on_wait(self, waiting_s: float) -> None:
        still_open = [state for state in self._cases if state.end is None]
        if still_open:
            self._tell(still_open[0], 0, len(still_open), waiting_s=waiting_s)

    def _plausible(self, samples: LaneSamples) -> LaneSamples:
        """The samples, without probe readings if their median says what no core can do: nonsense would make every honest pass look contended, in later runs too.

        Single readings may be off: an interruption makes one chain look slow.
        """
        seen = readings(samples)
        if self._watch.unsound:
            self.notes.add(self._watch.unsound)
            return msgspec.structs.replace(samples, chain_ns=(), tput_ns=())
        if not seen.size or plausible(seen).size:
            return samples
        self.notes.add(
            f"a worker's probes tell of more than {MAX_IPC:g} additions a cycle: such passes are used without them"
        )
        return msgspec.structs.replace(samples, chain_ns=(), tput_ns=())

    def _settle_validity(self) -> None:
        """What later passes tell may unmask earlier ones: every pass is judged by the reference as it is now."""
        self._watch.settle()
        for state in self._cases:
            state.judge(self._watch.reference)

    def _imul_ratio(self, state: CaseState, pool: PassPool) -> float | None:
        for lane_id in state.lanes:
            try:
                ratio = pool.worker(self._lanes[lane_id]).check_probe().imul_ratio
            except (WorkerError, Refusal):
                pool.discard(self._lanes[lane_id])
                continue
            if ratio is not None:  # a worker in another language may have no probe; one beside it speaks for the core
                return ratio
        return None

    def _end_all(self, end: CaseEnd) -> Iterator[Record]:
        for state in self._cases:
            if state.end is None:
                yield state.decide() or (state.given_up() if end is CaseEnd.CONTENDED else state.finish(end))

    def _out_of_time(self, state: CaseState) -> bool:
        remaining = self._control.remaining_s()
        return remaining is not None and remaining < state.quickest_s

    def _tell(self, state: CaseState, number: int, count: int, waiting_s: float = 0.0) -> None:
        if self._on_progress is None:
            return
        remaining = self._control.remaining_s()
        left = left_s(self._cases)
        self._on_progress(
            Progress(
                case=state.case_id,
                pass_index=self._pass_index,
                min_passes=self._settings.min_passes,
                case_number=number,
                cases_open=count,
                cases_done=sum(other.end is not None for other in self._cases),
                cases_all=len(self._cases),
                passes_valid=sum(other.valid for other in self._cases),
                disturbed=self._watch.disturbed_share,
                passes_tried=sum(other.tried for other in self._cases),
                elapsed_s=self.elapsed_s,
                left_s=left if left is None or remaining is None else min(left, max(0.0, remaining)),
                left_most_s=None if remaining is None else max(0.0, remaining),
                waiting_s=waiting_s,
                lead=state.lead,
            )
        )

    # -- resuming --------------------------------------------------------------------------------------------------------------------

    def _replay(self, record: Record) -> None:
        """Takes over what an earlier part of this run already recorded."""
        match record:
            case PassRecord():
                state = self._by_id.get(record.case)
                if state is not None:
                    for samples in record.lanes:
                        self._watch.learn(plausible(readings(samples)))
                    state.add(record, self._watch.reference)
                self._pass_index = max(self._pass_index, record.index + 1)
            case OutcomeRecord():
                state = self._by_id.get(record.case)
                if state is not None and record.lane in state.lanes:
                    state.drop(record.lane, self._lanes)
            case CaseEndRecord():
                state = self._by_id.get(record.case)
                if state is not None and record.end not in (CaseEnd.INTERRUPTED, CaseEnd.TIME_BOUND):
                    state.end = record.end
            case NoiseRecord():
                self._pass_index = max(self._pass_index, record.pass_index + 1)
            case _:
                pass
