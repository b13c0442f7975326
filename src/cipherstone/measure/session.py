# SPDX-License-Identifier: Apache-2.0
"""The measuring of a run: passes over all open cases in shuffled order, until every case has stopped or the time bound comes.

Yields records as they become true, so that whoever stores them loses nothing when the run ends early.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from cipherstone.host.facts import load_1min, steal_and_total_ticks
from cipherstone.measure.casestate import CaseState
from cipherstone.measure.pool import Launch, PassPool, Vectors, outcome_of
from cipherstone.measure.progress import Progress
from cipherstone.measure.proof import Capability, Expectations, ProvenCase, prove_case
from cipherstone.measure.rounds import Contestant, LaneCrashed, LaneFailed, calibrate, run_rounds
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    CaseEndRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    PlannedCase,
    ProofRecord,
    Record,
    Settings,
)
from cipherstone.protocol.messages import Refusal
from cipherstone.stats.probes import median_ipc, session_reference

# A build whose worker broke this often is not started again in this run.
MAX_CRASHES = 3
# If more than half of a pass over all cases was contended the run waits before it tries again, longer each time.
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
# Eight chains of dependent additions cannot give more additions than this for each one of a single chain.
MAX_IPC = 8
# Waiting for a contended machine to become free, in all: after that, open cases end as contended.
WAIT_BUDGET_S = 60.0


class Session:
    """One run's measuring. `run()` yields records; `request_stop` makes it end after the batch in hand."""

    def __init__(
        self,
        cases: Sequence[PlannedCase],
        lanes: Mapping[str, Lane],
        capabilities: Mapping[tuple[str, str], Capability],
        launches: Mapping[str, Launch],
        vectors: Vectors,
        settings: Settings,
        *,
        ipc_reference: float | None = None,
        elapsed_s: float = 0.0,
        earlier: Iterable[Record] = (),
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._lanes = lanes
        self._capabilities = capabilities
        self._launches = launches
        self._vectors = vectors
        self._settings = settings
        self._random = np.random.default_rng(settings.seed)  # drawn anew for every pass
        self._expectations = Expectations()
        self._cases = [CaseState(planned, settings) for planned in cases]
        self._by_id = {state.case_id: state for state in self._cases}
        self._on_progress = on_progress
        self._before_s = elapsed_s
        self._started = time.monotonic() - elapsed_s
        self._pass_index = 0
        self._crashes: dict[str, int] = {}
        self._waited_s = 0.0
        self._next_wait_s = FIRST_WAIT_S
        self.ipc_reference = ipc_reference
        self._stored_reference = ipc_reference
        self._pass_ipc: list[float] = []
        self.notes: set[str] = set()
        for record in earlier:
            self._replay(record)

    def run(self) -> Iterator[Record]:
        """Measures until every case has stopped. The time bound counts from here."""
        self._started = time.monotonic() - self._before_s
        while open_cases := [state for state in self._cases if state.end is None]:
            yield from self._one_pass(open_cases)
            self._pass_index += 1
        return

    def interrupt(self) -> Iterator[Record]:
        """Records that end what is still open, after a KeyboardInterrupt or a failure of the store."""
        for state in self._cases:
            if state.end is None:
                yield state.finish(CaseEnd.INTERRUPTED)

    # -- one pass over all open cases --------------------------------------------------------------------------------------------

    def _one_pass(self, open_cases: list[CaseState]) -> Iterator[Record]:
        # By pass, so that a resumed run does not draw the orders of its beginning again.
        self._random = np.random.default_rng((self._settings.seed, self._pass_index))
        ticks, started, start_s = steal_and_total_ticks(), time.monotonic(), self._elapsed()
        tried_before = sum(state.tried for state in self._cases)
        valid_before = sum(state.valid for state in self._cases)
        imul: float | None = None
        with PassPool(
            self._launches, self._vectors, self._settings.cpu, self._pass_index > 0, self._pass_index
        ) as pool:
            for number, index in enumerate(self._random.permutation(len(open_cases))):
                state = open_cases[int(index)]
                if self._out_of_time(state):
                    yield from self._end_all(open_cases, CaseEnd.TIME_BOUND)
                    break
                self._tell(state, number, len(open_cases))
                gc.disable()  # a collection between two batches costs milliseconds of round trip
                try:
                    yield from self._one_case(state, pool)
                finally:
                    gc.enable()
                if imul is None:
                    imul = self._imul_ratio(state, pool)
            self.notes |= pool.pin_errors
        self._settle_validity()
        for state in open_cases:
            record = state.decide()
            if record is not None:
                yield record
        yield NoiseRecord(
            pass_index=self._pass_index,
            start_s=round(start_s, 3),
            wall_s=round(time.monotonic() - started, 3),
            load_1min=load_1min(),
            steal_ratio=_steal(ticks, steal_and_total_ticks()),
            imul_ratio=imul,
        )
        tried = sum(state.tried for state in self._cases) - tried_before
        valid = sum(state.valid for state in self._cases) - valid_before
        yield from self._wait_if_contended(tried, valid)

    def _one_case(self, state: CaseState, pool: PassPool) -> Iterator[Record]:
        """Proves and measures one case; a lane that fails is dropped and the rest is measured again at once."""
        while True:
            began = time.monotonic()
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
                if broken:
                    break
            if broken:
                continue  # lanes of the same build that had entered went down with their process: all enter again
            if not contestants or all(self._lanes[c.lane].twin for c in contestants):
                yield state.finish(CaseEnd.NO_LANES)
                return
            try:
                for contestant in contestants:
                    if state.ns_per_call.get(contestant.lane) is None:
                        cost = calibrate(contestant.lane, contestant.proven, self._settings.batch_us * 1e3)
                        state.ns_per_call[contestant.lane] = cost
                    contestant.ns_per_call = state.ns_per_call[contestant.lane]
                rounds = run_rounds(contestants, self._settings, self._random)
            except LaneCrashed as crash:
                outcome = self._broken(state, self._lanes[crash.lane], crash.error, pool)
                yield outcome
                yield from self._drop(state, crash.lane, outcome)
                continue
            except LaneFailed as failure:
                outcome = OutcomeRecord(state.case_id, failure.lane, Outcome.INCORRECT, failure.detail)
                yield outcome
                yield from self._drop(state, failure.lane, outcome)
                pool.discard(self._lanes[failure.lane])
                continue
            for contestant in contestants:
                self._release(contestant, pool)
            wall = time.monotonic() - began
            chain, tput = self._plausible(rounds.chain_ns, rounds.tput_ns)
            record = PassRecord(
                case=state.case_id,
                index=self._pass_index,
                start_s=round(self._elapsed() - wall, 3),
                wall_s=round(wall, 6),
                timed_s=round(rounds.timed_ns / 1e9, 6),
                lanes=rounds.samples,
                order=rounds.order,
                chain_ns=tuple(round(x, 5) for x in chain),
                tput_ns=tuple(round(x, 5) for x in tput),
                harness_ns=tuple(round(pool.harness_ns(self._lanes[c.lane]), 4) for c in contestants),
                cpu=self._settings.cpu,
            )
            self._learn_reference(record)
            yield state.add(record, self.ipc_reference)
            return

    def _enter(
        self, state: CaseState, lane: Lane, capability: Capability, pool: PassPool, contestants: list[Contestant]
    ) -> OutcomeRecord | None:
        """Adds a proven lane to `contestants`, or says why it cannot compete."""
        if not pool.is_proven(lane, capability):
            return OutcomeRecord(state.case_id, lane.id, *pool.failure(lane, capability))
        expected = self._expectations.of(state.case, capability.form)
        try:
            proven = prove_case(pool.worker(lane), len(contestants), state.case, capability, expected)
        except Refusal as refusal:
            kind = Outcome.UNSUPPORTED if refusal.code == "unsupported-size" else Outcome.UNAVAILABLE
            return OutcomeRecord(state.case_id, lane.id, kind, str(refusal))
        if isinstance(proven, ProvenCase):
            contestants.append(Contestant(lane.id, proven, 0.0))
            return None
        return OutcomeRecord(state.case_id, lane.id, Outcome.INCORRECT, proven)

    def _release(self, contestant: Contestant, pool: PassPool) -> None:
        try:
            contestant.proven.worker.close_case(contestant.proven.number)
        except (WorkerError, Refusal):
            pool.discard(self._lanes[contestant.lane])  # its figures stand: they were taken and checked before this

    def _broken(self, state: CaseState, lane: Lane, error: WorkerError, pool: PassPool) -> OutcomeRecord:
        pool.discard(lane)
        self._crashes[lane.build_id] = self._crashes.get(lane.build_id, 0) + 1
        return OutcomeRecord(state.case_id, lane.id, outcome_of(error), str(error), error.stderr)

    def _drop(self, state: CaseState, lane_id: str, outcome: OutcomeRecord) -> Iterator[Record]:
        """Takes a lane out of a case; its A/A twin goes with it. A build that keeps breaking leaves every case."""
        state.drop(lane_id, self._lanes)
        build = self._lanes[lane_id].build_id
        if self._crashes.get(build, 0) < MAX_CRASHES:
            return
        for other in self._cases:
            for gone in [name for name in other.lanes if self._lanes[name].build_id == build]:
                other.drop(gone, self._lanes)
                if not self._lanes[gone].twin:
                    text = f"not tried again after {MAX_CRASHES} broken workers; the last: {outcome.detail}"
                    yield OutcomeRecord(other.case_id, gone, outcome.outcome, text)

    # -- contention, time, progress ------------------------------------------------------------------------------------------------

    def _plausible(
        self, chain_ns: Sequence[float], tput_ns: Sequence[float]
    ) -> tuple[Sequence[float], Sequence[float]]:
        """The probe readings, without any if their median says what no core can do: nonsense would make every honest pass look contended, in later runs too.

        Single readings may be off: an interruption makes one chain look slow.
        """
        middle = median_ipc(chain_ns, tput_ns)
        if middle is None or middle <= MAX_IPC:
            return chain_ns, tput_ns
        self.notes.add(
            f"a worker's probes tell of more than {MAX_IPC} additions a cycle: such passes are used without them"
        )
        return (), ()

    def _learn_reference(self, record: PassRecord) -> None:
        seen = median_ipc(record.chain_ns, record.tput_ns)
        if seen is not None:
            self._pass_ipc.append(seen)
            self.ipc_reference = session_reference(self._pass_ipc, self._stored_reference)

    def _settle_validity(self) -> None:
        """What later passes tell may unmask earlier ones: every pass is judged by the reference as it is now."""
        for state in self._cases:
            state.judge(self.ipc_reference)

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

    def _wait_if_contended(self, tried: int, valid: int) -> Iterator[Record]:
        if tried == 0 or valid * 2 > tried:
            self._next_wait_s = FIRST_WAIT_S
            return
        still_open = [state for state in self._cases if state.end is None]
        if not still_open:
            return
        if self._waited_s >= WAIT_BUDGET_S:
            yield from self._end_all(still_open, CaseEnd.CONTENDED)
            return
        self._tell(still_open[0], 0, len(still_open), waiting_s=self._next_wait_s)
        time.sleep(self._next_wait_s)
        self._waited_s += self._next_wait_s
        self._next_wait_s = min(2 * self._next_wait_s, LONGEST_WAIT_S)

    def _end_all(self, states: Iterable[CaseState], end: CaseEnd) -> Iterator[Record]:
        for state in states:
            if state.end is None:
                yield state.decide() or state.finish(end)

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _out_of_time(self, state: CaseState) -> bool:
        bound = self._settings.max_time_s
        return bound is not None and self._elapsed() + state.last_wall_s > bound

    def _tell(self, state: CaseState, number: int, count: int, waiting_s: float = 0.0) -> None:
        if self._on_progress is None:
            return
        bound = self._settings.max_time_s
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
                passes_tried=sum(other.tried for other in self._cases),
                elapsed_s=self._elapsed(),
                left_s=self._left_s(),
                left_most_s=None if bound is None else max(0.0, bound - self._elapsed()),
                waiting_s=waiting_s,
            )
        )

    def _left_s(self) -> float | None:
        bound = self._settings.max_time_s
        if any(state.end is None and state.tried == 0 for state in self._cases):
            known = [state.last_wall_s for state in self._cases if state.tried]
            if len(known) < 0.25 * len(self._cases):
                return None
            default = sum(known) / len(known)
        else:
            default = 0.0
        left = sum(
            state.expected_passes() * (state.last_wall_s or default) for state in self._cases if state.end is None
        )
        return left if bound is None else min(left, max(0.0, bound - self._elapsed()))

    # -- resuming --------------------------------------------------------------------------------------------------------------------

    def _replay(self, record: Record) -> None:
        """Takes over what an earlier part of this run already recorded."""
        match record:
            case PassRecord():
                state = self._by_id.get(record.case)
                if state is not None:
                    self._learn_reference(record)
                    state.add(record, self.ipc_reference)
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
            case ProofRecord():
                pass
            case _:
                pass


def _steal(before: tuple[int, int] | None, after: tuple[int, int] | None) -> float | None:
    if before is None or after is None or after[1] <= before[1]:
        return None
    return round((after[0] - before[0]) / (after[1] - before[1]), 5)
