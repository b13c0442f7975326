# SPDX-License-Identifier: Apache-2.0
"""The processes of one pass: fresh for every build, one more for an A/A lane, each proven before anything in it is timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.objects import identified
from cipherstone.catalogue.conditions import conditions_of
from cipherstone.catalogue.vectors import Vector
from cipherstone.measure.hello_changes import hello_changes
from cipherstone.measure.proof import Answers, Capability, OperationProof, prove_operation
from cipherstone.measure.rounds import CALL_BY_CALL, harness_cost_ns, harness_under_ns
from cipherstone.model.errors import WorkerError
from cipherstone.model.identity import object_changes
from cipherstone.model.ids import Case, Lane, Params
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import CodeObject, ProofRecord
from cipherstone.protocol.messages import Hello, Refusal
from cipherstone.worker import WorkerProcess
from cipherstone.worker.environment import BOUND, preloading

Vectors = Callable[[str], Sequence[Vector]]  # algorithm -> its vectors


class Launch(msgspec.Struct, frozen=True):
    """How the worker of a build is started. `objects`: what its code was mapped from when it was found; None where it cannot tell. `hello`: how it introduced itself then; None where it was not asked."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = {}
    preload: Path | None = None
    patience: float = 1.0  # factor on every time limit
    objects: tuple[CodeObject, ...] | None = None
    hello: Hello | None = None

    def start(self, cpu: int | None = None, preload: Path | None = None, bound: bool = False) -> WorkerProcess:
        """A fresh process. `bound`: functions of shared libraries are found at its start, not in their first calls. Raises WorkerError."""
        return WorkerProcess(
            self.command,
            cpu=cpu,
            environment=preloading(
                {**BOUND, **self.environment} if bound else self.environment, preload or self.preload
            ),
            patience=self.patience,
        )

    def need_same_code(self, worker: WorkerProcess, preload: Path | None = None) -> None:
        """Raises WorkerError with outcome `unavailable` if a process introduces itself otherwise than when the build was found, or its code is another: a package was updated meanwhile, for instance.

        `preload`: an object of ours in that process, which does not count.
        """
        if self.hello is not None:
            changed = list(hello_changes(self.hello, worker.told or worker.hello()))
            if changed:
                raise WorkerError("unavailable", f"its identity changed while the run measured: {'; '.join(changed)}")
        if self.objects is None:
            return
        told = [one for one in worker.objects() or () if preload is None or one.path != str(preload.resolve())]
        changed = list(object_changes(self.objects, identified(told)))
        if changed:
            raise WorkerError("unavailable", f"its code changed while the run measured: {'; '.join(changed)}")


class PassPool:
    """Workers of one pass, started when first needed. A crashed one is replaced by a fresh one, which is proven anew."""

    def __init__(
        self,
        launches: Mapping[str, Launch],
        vectors: Vectors,
        cpu: int | None,
        brief: bool,
        pass_index: int,
        strict: bool = False,
    ) -> None:
        """`strict`: what is lax or strict counts as wrong."""
        self._launches = launches
        self._vectors = vectors
        self.cpu = cpu
        self._brief = brief
        self._pass_index = pass_index
        self._strict = strict
        self._workers: dict[tuple[str, bool], WorkerProcess] = {}
        self._harness: dict[tuple[str, bool], tuple[float, float]] = {}
        self._under: dict[tuple[str, bool], dict[tuple[Params, bool], float]] = {}
        self._proofs: dict[tuple[str, bool, str, str], OperationProof] = {}
        self._answers: dict[tuple[str, bool], Answers] = {}
        self.notes: set[str] = set()
        self.lingering: dict[
            str, float
        ] = {}  # builds whose processes had to be killed at the end, and the seconds that they were waited for

    def move(self, cpu: int | None) -> None:
        """Pins every process to another CPU, and those that are still to come."""
        if cpu is None or cpu == self.cpu:
            return
        self.cpu = cpu
        for worker in self._workers.values():
            if worker.alive:
                worker.pin(cpu)

    def worker(self, lane: Lane) -> WorkerProcess:
        """The running process of a lane. WorkerError if it does not start or does not answer."""
        key = (lane.build_id, lane.twin)
        worker = self._workers.get(key)
        if worker is None or not worker.alive:
            launch = self._launches[lane.build_id]
            worker = launch.start(self.cpu, bound=True)
            if worker.pin_error:
                self.notes.add(worker.pin_error)
            try:
                worker.hello()
                launch.need_same_code(worker)
                self._harness[key] = harness_cost_ns(worker)
                self.notes |= {f"{lane.words}: {worker.clock_note}"} if worker.clock_note else set()
                self._under.pop(key, None)
                if min(self._harness[key]) <= 0:
                    raise WorkerError("crashed", f"its empty call takes {min(self._harness[key]):g} ns")
            except Refusal as refusal:
                worker.close(0.0)
                raise WorkerError("crashed", f"it cannot be started: {refusal}", worker.stderr_tail()) from None
            except BaseException:
                worker.close(0.0)
                raise
            self._workers[key] = worker
            self._answers[key] = {}
            self._proofs = {known: proof for known, proof in self._proofs.items() if known[:2] != key}
        return worker

    def harness_ns(self, lane: Lane, ring: int = 1, case: Case | None = None) -> float:
        """Cost of the empty call in the lane's process, alone or in a ring, under the conditions of a case. WorkerError where it is not known yet and the worker breaks."""
        key = (lane.build_id, lane.twin)
        wanted = tuple((n, v) for n, v in conditions_of(case.params if case else ()).items() if n in CALL_BY_CALL)
        if not wanted:
            return self._harness[key][ring > 1]
        known = self._under.setdefault(key, {})
        if (wanted, ring > 1) not in known:
            known[wanted, ring > 1] = harness_under_ns(self.worker(lane), wanted, 2 if ring > 1 else 1)
        return known[wanted, ring > 1]

    def prove(self, lane: Lane, capability: Capability) -> ProofRecord | None:
        """Proves an operation in the lane's process, once a process: the record, or None if it was proven before. A vector that several operations are proven by, since their parameters vary, is asked once a process. WorkerError passes through."""
        worker = self.worker(lane)
        key = (lane.build_id, lane.twin, capability.operation, capability.implementation)
        if key in self._proofs:
            return None
        vectors = [v for v in self._vectors(capability.operation.partition("/")[0]) if v.brief or not self._brief]
        proof = prove_operation(worker, capability, vectors, self._strict, self._answers[key[:2]])
        self._proofs[key] = proof
        return ProofRecord(
            operation=capability.operation,
            lane=lane.id,
            pass_index=self._pass_index,
            outcome=proof.outcome,
            accepted=proof.accepted,
            rejected=proof.rejected,
            sources=proof.sources,
            failures=proof.failures,
            deviations=proof.deviations,
        )

    def verdicts(self, lane: Lane, capability: Capability) -> dict[str, str]:
        """What the lane's present process made of each vector of an operation that `prove` asked it."""
        return self._proofs[lane.build_id, lane.twin, capability.operation, capability.implementation].verdicts

    def is_proven(self, lane: Lane, capability: Capability) -> bool:
        """Whether this operation passed its vectors in the lane's present process."""
        proof = self._proofs.get((lane.build_id, lane.twin, capability.operation, capability.implementation))
        return proof is not None and proof.outcome.timed

    def failure(self, lane: Lane, capability: Capability) -> tuple[Outcome, str]:
        """What became of an operation that is not proven, in one line."""
        proof = self._proofs.get((lane.build_id, lane.twin, capability.operation, capability.implementation))
        if proof is None or proof.outcome is Outcome.WRONG:
            return Outcome.WRONG, "its vectors failed: see the proof record"
        return proof.outcome, "; ".join(proof.failures)

    def discard(self, lane: Lane) -> None:
        """Ends the lane's process: what comes next gets a fresh one."""
        worker = self._workers.pop((lane.build_id, lane.twin), None)
        if worker is not None:
            worker.close(0.0)

    def close(self) -> None:
        """Ends every process; `lingering` says who did not end when told to."""
        for (build_id, _), worker in self._workers.items():
            lost_s = worker.close()
            if lost_s:
                self.lingering[build_id] = self.lingering.get(build_id, 0.0) + lost_s
        self._workers.clear()

    def __enter__(self) -> PassPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def outcome_of(error: WorkerError) -> Outcome:
    """The outcome that a broken worker stands for: `wrong` where it had answered wrongly before."""
    known = {one.value: one for one in (Outcome.TIMED_OUT, Outcome.UNAVAILABLE, Outcome.WRONG)}
    return known.get(error.outcome, Outcome.CRASHED)
