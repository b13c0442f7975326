# SPDX-License-Identifier: Apache-2.0
"""No number without proof. The call that will be timed first computes known answers, in the same process.

`prove_operation` runs the published vectors (negatives must be rejected). `ProvenCase` is a prepared case whose output at the very inputs that are timed was
confirmed by the oracle; the timing code takes nothing else, so a cell cannot be timed without proof.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from itertools import cycle, islice

import msgspec

from cipherstone.catalogue.algorithms import catalogue_of_checkout, output_room
from cipherstone.catalogue.conditions import KEYS, bare, call_conditions, without_conditions, worker_params
from cipherstone.catalogue.failures import FailureClass
from cipherstone.catalogue.vectors import Vector
from cipherstone.model.deviations import Deviation, outcome_with
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, params_text
from cipherstone.model.outcomes import Outcome
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.oracle import expected_output, random_output_problem, verb_of
from cipherstone.operations.ring import member_inputs
from cipherstone.operations.scheme import SMALL
from cipherstone.protocol.messages import Computed, Empty, Refusal, one_line
from cipherstone.worker import WorkerProcess

# Case numbers (below 1024): vectors count up from here and wrap, so that pipelined prepares do not close each other too early.
VECTOR_CASE = 960
VECTOR_CASES = 32
MAX_FAILURES_KEPT = 8
# How verbs that draw are proven: with two calls, so that a generator that stands still is found.
DRAWN = "round-trip"
# Inputs that an honest implementation does not take: not authentic, or a key that must not be used. (Implicit rejection is an output: its vectors state it.)
REFUSALS = frozenset({"rejected", "bad-key"})
REFUSALS_AT_SET_UP = frozenset({"setup-failed", "bad-key"})
# What there is no memory for is not computed, and nothing is wrong with what is.
NO_MEMORY = "out-of-memory"
NOT_FOR_THIS = frozenset({"unsupported-size", "unsupported-parameters"})


# What was asked of a process (operation, implementation, vector, calls, fields beside the inputs), and what it answered: to `prepare`, to the first call, to the second.
Question = tuple[object, ...]
Answers = dict[Question, tuple[object, object, object]]


class Capability(msgspec.Struct, frozen=True):
    """An operation (`ALGORITHM/VERB[/NAME=VALUE...]`) that a worker lists: what to ask for and which signature encoding it uses. `ring`: how many inputs take the calls in turn. `without`: conditions that it cannot be called under, and why."""

    operation: str
    implementation: str
    form: str | None = None
    library_name: str = ""
    ring: int = 1
    without: Mapping[str, str] = {}

    @property
    def case(self) -> Case:
        """The operation taken apart, without a size."""
        return Case.parse(self.operation)


class OperationProof(msgspec.Struct, frozen=True):
    """What the vectors said. `outcome` is one that is timed only if at least one known answer was reproduced and nothing failed; `unavailable` if the worker refused them all so.

    `failures`: one line each, with vector and class. `deviations`: what makes it `lax` or `strict`. `verdicts`: by vector that was asked `accepts`, `rejects`, `answers otherwise` or `fails`.
    """

    outcome: Outcome
    accepted: int
    rejected: int
    sources: tuple[str, ...]
    failures: tuple[str, ...]
    deviations: tuple[Deviation, ...] = ()
    verdicts: dict[str, str] = {}


class Between(msgspec.Struct, frozen=True):
    """What a worker does between the calls of a case, untimed. `cold`: every call begins with cold caches; `parted`: it does something, whatever that is."""

    cold: bool = False
    parted: bool = False

    @staticmethod
    def of(case: Case) -> Between:
        """As the conditions and the verb of a case ask for it."""
        cold = case.param("cache") == "cold"
        return Between(cold, cold or case.param("place") == "same" or verb_of(case.operation).aside)


class ProvenCase:
    """A prepared case on one worker whose output at the timed inputs is confirmed. Only `prove_case` makes one."""

    def __init__(
        self,
        worker: WorkerProcess,
        number: int,
        ring: Sequence[Expected],
        keys: Sequence[Expected],
        between: Between,
        _token: object,
    ) -> None:
        """`ring`: what each member gives, the timed inputs first; the case numbers of the others follow `number`. `keys`: what every key of a ring of keys gives, in the order of the calls; empty without one."""
        if _token is not _TOKEN:
            raise TypeError("a ProvenCase is made by prove_case only")
        self.worker = worker
        self.number = number
        self.expected = ring[0]
        self.cold = between.cold
        self.parted = between.parted
        self._members = tuple(ring)
        self._keys = tuple(keys)
        self._made = 0  # calls since the ring of keys began

    @property
    def ring(self) -> int:
        """How many cases take the calls in turn, this one first."""
        return len(self._members)

    def count(self, calls: int) -> None:
        """Told of every call that was made: who counts knows which key the last one had."""
        self._made += calls

    def still_right(self) -> str:
        """Looks at what the last timed calls left behind, in every member of the ring: "" if it is what was proven, else one line. Of a ring of keys the last, and then each in a call of its own."""
        if self._keys:
            last = self._keys[(self._made - 1) % len(self._keys)]
            return last.problem_left(self.worker, self.number) or self._all_keys()
        problems = (one.problem_left(self.worker, self.number + i) for i, one in enumerate(self._members))
        return next((problem for problem in problems if problem), "")

    def _all_keys(self) -> str:
        """One call for each key, from the one whose turn it is on: "" if all are right."""
        for _ in self._keys:
            one = self._keys[self._made % len(self._keys)]
            self.count(1)
            if problem := one.problem(one.compute(self.worker, self.number)):
                return problem
        return ""

    def close(self) -> None:
        """Frees the case and the members of its ring in the worker. Raises WorkerError and Refusal."""
        for number in range(self.number, self.number + self.ring):
            self.worker.close_case(number)


_TOKEN = object()


class Expected:
    """What a case must give: fixed bytes (kept as length and CRC-32), a valid signature or key pair, or acceptance without output."""

    def __init__(self, case: Case, form: str | None, member: int = 0) -> None:
        """`member` of a ring of inputs; 0 has the timed ones."""
        plain = bare(case)
        self._operation = plain.operation
        self._form = form
        values = member_inputs(case, form, member) if member else timed_inputs(case, form)
        self.inputs: dict[str, bytes] = {name: value.data for name, value in values.items()}
        texts = {name: value.protocol_text() for name, value in values.items()}
        self.texts: dict[str, str] = {**texts, **case_texts(case, self.inputs)}
        self.input_texts = texts
        self.expect(expected_output(plain.operation, self.inputs, form))

    def expect(self, output: bytes | None) -> None:
        """Takes the right answer; None where it is drawn."""
        self.random = output is None
        self.output_head = None if output is None else output[:64]
        self.length = None if output is None else len(output)
        self.crc32 = None if output is None else f"{zlib.crc32(output):08x}"

    def compute(self, worker: WorkerProcess, number: int) -> Computed:
        """One call, and as much of its output as decides."""
        return worker.compute(number, form="hex" if self.crc32 is None else "crc32")

    def problem_left(self, worker: WorkerProcess, number: int) -> str:
        """What is wrong with what the last call of case `number` left in the output buffer, or ""; no further call is made."""
        if self.crc32 is not None:
            return self.problem(worker.output(number))
        return self.problem(worker.ask("output", {"case": number, "form": "hex"}, Computed))

    def problem(self, computed: Computed) -> str:
        """ "" if `computed` is right, else what is wrong with it in one line."""
        if computed.result != "ok":
            return f"{_said(computed)} at the timed inputs"
        if self.crc32 is not None:
            length, crc = computed.len, computed.crc32
            if computed.out is not None:
                data = _bytes(computed.out)
                length, crc = (len(data), f"{zlib.crc32(data):08x}") if data is not None else (None, None)
            if (length, crc) != (self.length, self.crc32):
                return f"output at the timed inputs has length {length} and CRC-32 {crc}; expected {self.length} and {self.crc32}"
            return ""
        data = _bytes(computed.out or "")
        if data is None:
            return "output at the timed inputs is not hexadecimal"
        wrong = random_output_problem(self._operation, self.inputs, data, self._form)
        return f"at the timed inputs: {wrong}" if wrong else ""


def case_texts(case: Case, inputs: Mapping[str, bytes]) -> dict[str, str]:
    """The fields of `prepare` beyond inputs: parameters, and the room that the output may take."""
    room = output_room(case, inputs)
    params = worker_params(case.params)
    texts = {"params": params_text(params)} if params else {}
    return texts if room is None else {**texts, "room": str(room)}


class Expectations:
    """The expected results of cases, computed once a run by the oracle."""

    def __init__(self) -> None:
        self._made: dict[tuple[Case, str | None, int], Expected] = {}
        self._passing: dict[tuple[Case, str | None, int], Expected] = {}  # of large members, of one case

    def of(self, case: Case, form: str | None, member: int = 0) -> Expected:
        """What `case` must give in signature encoding `form`, at the inputs of a member of its ring."""
        key = (case, form, member)
        if member >= SMALL and self._passing and next(iter(self._passing))[0] != case:
            self._passing.clear()  # lanes of a case follow one another, and such a member is not asked for again
        if member >= SMALL:
            return self._passing.setdefault(key, self._passing.get(key) or Expected(case, form, member))
        if key not in self._made:
            self._made[key] = Expected(case, form, member)
        return self._made[key]


def prove_operation(
    worker: WorkerProcess,
    capability: Capability,
    vectors: Sequence[Vector],
    strict: bool = False,
    known: Answers | None = None,
) -> OperationProof:
    """Runs every vector of the operation on the worker. `strict`: what is lax or strict is wrong. `known`: what this very process answered already, and is not asked again; answers that may serve other operations too are added. WorkerError passes through, as `wrong` where an answer that came before it is."""
    asked = capability.case
    operation, plain_params = catalogue_of_checkout().known(asked.operation), dict(without_conditions(asked.params))
    chosen = [
        v
        for v in vectors
        if v.verb == asked.verb
        and (v.form is None or v.form == capability.form)
        and (v.params == plain_params if operation is None else operation.answers(v.params))
    ]
    drawn = verb_of(asked.operation).proof == DRAWN
    # A second message in one context finds what the first left behind; a few vectors are enough for it.
    calls = [2 if drawn or vector.brief else 1 for vector in chosen]
    asking: list[tuple[Question, bool]] = []
    requests: list[tuple[str, Mapping[str, object], type[object]]] = []
    numbers = cycle(range(VECTOR_CASE, VECTOR_CASE + VECTOR_CASES))
    for vector, count in zip(chosen, calls, strict=True):
        more = case_texts(asked, vector.inputs)
        if vector.params:
            more["params"] = params_text(tuple({**vector.params, **call_conditions(asked.params)}.items()))
        question = (asked.listed, capability.implementation, vector.id, count, *more.items())
        new = known is None or question not in known
        asking.append((question, new))
        if not new:
            continue
        number = next(numbers)
        texts = {name: f"hex:{data.hex()}" for name, data in vector.inputs.items()}
        prepare = {"case": number, "op": asked.listed, "impl": capability.implementation, **texts, **more}
        requests += [
            ("prepare", prepare, Empty),
            *[("compute", {"case": number}, Computed)] * count,
            ("close", {"case": number}, Empty),
        ]
    came: list[object] = []
    broken: WorkerError | None = None
    try:
        worker.ask_many(requests, answers=came)
    except WorkerError as error:
        broken = error
    answers = iter(came)
    shared = known is not None and operation is not None and bool(operation.varied)
    tally = _Tally()
    for vector, count, (question, new) in zip(chosen, calls, asking, strict=True):
        if new or known is None:
            mine = list(islice(answers, count + 2))
            if len(mine) < 2:
                break  # the worker broke
            told = (mine[0], mine[1], mine[2] if count > 1 and len(mine) > 2 else None)
            if shared and known is not None:
                known[question] = told
        else:
            told = known[question]
        tally.add(capability, vector, *told, vector.params != plain_params)
    if broken is not None:
        if problem := tally.first_failure(strict):  # who crashes after a lie has lied all the same
            raise WorkerError(Outcome.WRONG, f"{problem}; then {broken}", broken.stderr, broken.lost_s)
        raise broken
    return tally.proof(strict)


class _Tally:
    """The judgement of an operation, vector by vector."""

    def __init__(self) -> None:
        self._accepted = self._rejected = 0
        self._sources: dict[str, None] = {}
        self._failures: list[str] = []
        self._deviating: dict[FailureClass, list[str]] = {}
        self._unavailable = ""
        self._memory_alone = True  # nothing was unavailable but for a want of memory
        self._verdicts: dict[str, str] = {}

    def add(
        self,
        capability: Capability,
        vector: Vector,
        prepared: object,
        computed: object,
        again: object = None,
        others: bool = False,
    ) -> None:
        """Counts one vector; a size or parameters that the worker does not take and what it refuses for now are not judged. `again`: a second call in the same context. `others`: the vector is of other parameters than the operation, which the worker may not have."""
        if isinstance(prepared, Refusal) and (
            prepared.code in NOT_FOR_THIS or (others and prepared.code == "unavailable")
        ):
            return
        if isinstance(prepared, Refusal) and prepared.code in ("unavailable", NO_MEMORY):
            self._unavailable = str(prepared)
            self._memory_alone &= prepared.code == NO_MEMORY
            return
        problem, negative = _judge(capability, vector, prepared, computed)
        if not problem and again is not None:
            problem = _judge_again(capability, vector, prepared, computed, again)
        self._verdicts[vector.id] = _verdict(vector, prepared, computed, problem)
        if not problem:
            self._sources[vector.source] = None
            self._accepted += not negative
            self._rejected += negative
        elif _is_tolerable(vector, prepared, computed):
            self._deviating.setdefault(vector.failure, []).append(vector.id)
        else:
            self._failures.append(f"{vector.id} ({vector.failure.id}): {problem}")

    def first_failure(self, strict: bool) -> str:
        """What is known to be wrong so far, or ""; with `strict` also what would be tolerable."""
        tolerable = [f"{ids[0]} ({kind.id}): {kind.does}" for kind, ids in self._deviating.items()] if strict else []
        return next(iter(self._failures + tolerable), "")

    def proof(self, strict: bool) -> OperationProof:
        """The whole: any failure makes it `wrong`, whatever is tolerable beside it; with `strict` what is tolerable is a failure."""
        failures, found = list(self._failures), self._deviating
        if self._unavailable and not failures and not found and self._accepted == 0:
            return OperationProof(Outcome.UNAVAILABLE, 0, self._rejected, (), (self._unavailable,))
        if self._unavailable and not self._memory_alone:
            failures.append(f"some answers only: {self._unavailable}")
        if not failures and self._accepted == 0:
            failures.append("no known answer could be computed")
        if strict:
            failures += [f"{', '.join(ids)} ({kind.id}): {kind.does}" for kind, ids in found.items()]
            found = {}
        deviations = tuple(
            Deviation(kind.outcome, kind.id, kind.does, kind.means, kind.standard, tuple(ids), kind.harmless)
            for kind, ids in found.items()
        )
        outcome = Outcome.WRONG if failures else outcome_with(deviations)
        shown = tuple(failures[:MAX_FAILURES_KEPT])
        return OperationProof(
            outcome, self._accepted, self._rejected, tuple(self._sources), shown, deviations, self._verdicts
        )


def _verdict(vector: Vector, prepared: object, computed: object, problem: str) -> str:
    """What a worker made of a vector, right or wrong."""
    if isinstance(prepared, Refusal):
        return "rejects" if prepared.code in REFUSALS_AT_SET_UP else "fails"
    if not isinstance(computed, Computed):
        return "fails"
    if computed.result in REFUSALS:
        return "rejects"
    if computed.result != "ok":
        return "fails"
    asked_to_refuse = vector.expect in ("rejected", "bad-key")
    return "answers otherwise" if problem and not asked_to_refuse else "accepts"


def _is_tolerable(vector: Vector, prepared: object, computed: object) -> bool:
    """Whether a vector that is not met is of a class that is `lax`, and was accepted, or `strict`, and was refused. An error or a wrong output never is."""
    result = computed.result if isinstance(computed, Computed) else ""
    if vector.failure.outcome is Outcome.LAX:
        return vector.expect == "rejected" and result == "ok"
    refused = result in REFUSALS or (isinstance(prepared, Refusal) and prepared.code in REFUSALS_AT_SET_UP)
    return vector.failure.outcome is Outcome.STRICT and vector.expect == "ok" and refused


def _judge(capability: Capability, vector: Vector, prepared: object, computed: object) -> tuple[str, bool]:
    """(problem or "", whether the vector was rejected)."""
    if isinstance(prepared, Refusal):
        if vector.expect == "bad-key" and prepared.code != "bad-key":
            return f"must be refused as a bad key: refused at set-up: {prepared}", False
        if vector.expect in ("ok", "implicit"):
            return f"refused at set-up: {prepared.detail or prepared.code}", False
        return ("", True) if prepared.code in REFUSALS_AT_SET_UP else (f"refused: {prepared}", False)
    if isinstance(computed, Refusal) or not isinstance(computed, Computed):
        return f"no result: {computed}", False
    if vector.expect == "bad-key":
        said = "" if computed.result == "bad-key" else f"must be refused as a bad key: {_said(computed)}"
        return said, not said
    if vector.expect == "rejected":
        if computed.result in REFUSALS:
            return "", True
        return f"must be rejected: {_said(computed)}", False
    if computed.result in REFUSALS and vector.expect == "ok-or-rejected":
        return "", True
    if computed.result != "ok":
        return _said(computed), False
    data = _bytes(computed.out or "")
    if data is None:
        return "output is not hexadecimal", False
    proof = verb_of(capability.operation).proof
    if proof == "verified" or (proof == DRAWN and vector.output is None):
        # Signing may be randomised or deterministic by library: what counts is that an independent library accepts it.
        operation = bare(capability.case).operation
        return random_output_problem(operation, vector.inputs, data, capability.form), False
    if vector.output is not None and data != vector.output:
        return (
            f"got {data[:16].hex()}... ({len(data)} bytes), expected {vector.output[:16].hex()}... ({len(vector.output)} bytes)",
            False,
        )
    return "", vector.expect == "implicit"


def _judge_again(capability: Capability, vector: Vector, prepared: object, computed: object, again: object) -> str:
    """What a second call in the same context must be: what the first was, but for what draws, which must not draw the same twice, and with a seed must. "" or the problem."""
    if verb_of(capability.operation).proof != DRAWN:
        problem, _ = _judge(capability, vector, prepared, again)
        return f"second call in one context: {problem}" if problem else ""
    if vector.expect not in ("ok", "ok-or-rejected"):
        return ""
    if isinstance(computed, Computed) and computed.result in REFUSALS:  # nothing was drawn that could repeat
        refused = isinstance(again, Computed) and again.result == computed.result
        return "" if refused else f"refused at first, and then not: {again}"
    first, second = (one.out if isinstance(one, Computed) else None for one in (computed, again))
    if second is None:
        return f"no result of a second call: {again}"
    if "seed" in vector.inputs:
        return "" if first == second else "two calls with one seed give different outputs"
    return "two calls give the same output: nothing was drawn" if first == second else ""


def prove_case(
    worker: WorkerProcess,
    number: int,
    case: Case,
    capability: Capability,
    expected: Expected,
    ring: Sequence[Expected] = (),
) -> ProvenCase | str:
    """Prepares `case` as number `number` at its timed inputs, and the members of its `ring` as the numbers behind it; computes each once and compares. The proven case, or what is wrong in one line.

    Raises Refusal if the worker refuses the case, WorkerError if it breaks.
    """
    if case.param("key") == "fresh":
        return _prove_keys(worker, number, case, capability, (expected, *ring))
    for index, one in enumerate((expected, *ring)):
        worker.prepare(number + index, case.listed, capability.implementation, one.texts)
        if problem := one.problem(one.compute(worker, number + index)):
            return problem
    return ProvenCase(worker, number, (expected, *ring), (), Between.of(case), _TOKEN)


def members(case: Case, capability: Capability, able: Collection[str]) -> int:
    """How many inputs a case has in a worker that is `able` to do so much: those of a ring, or one for each key."""
    if case.param("key") == "fresh":
        return KEYS
    return capability.ring if "ring" in able else 1


def _prove_keys(
    worker: WorkerProcess, number: int, case: Case, capability: Capability, keys: Sequence[Expected]
) -> ProvenCase | str:
    """One case with a ring of keys; one call for each, in the order in which they were given."""
    first = keys[0]
    worker.prepare(number, case.listed, capability.implementation, first.texts)
    for one in keys[1:]:
        new = {name: text for name, text in one.input_texts.items() if text != first.input_texts[name]}
        worker.ask("add-key", {"case": number, **new}, Empty)
    for one in keys:
        if problem := one.problem(one.compute(worker, number)):
            return problem
    return ProvenCase(worker, number, keys[:1], keys, Between.of(case), _TOKEN)


def _said(computed: Computed) -> str:
    """`result 'error' (the worker's own words)`."""
    detail = f" ({one_line(computed.detail)})" if computed.detail else ""
    return f"result '{one_line(computed.result, 40)}'{detail}"


def _bytes(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None
