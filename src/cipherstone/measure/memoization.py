# SPDX-License-Identifier: Apache-2.0
"""Whether a worker remembers results: what it takes for inputs that its process has never seen, against what it takes for those that it has.

A ring of contexts is walked: the first part has inputs that were called before and leads in, the part behind it is one batch, a call each. In `new` the inputs of that batch were never seen; in `known` they were, and the contexts
are as new; in `again` it is the same batch a second time. Who computes takes about the same for all of them, and for the call that is timed; who looks results up does not. Keys stay: libraries may learn over those (wolfSSL's FP_ECC).
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from itertools import count
from typing import NamedTuple

import msgspec

from cipherstone.measure.proof import NOT_FOR_THIS, Capability, Expected
from cipherstone.model.ids import Case
from cipherstone.model.records import Settings
from cipherstone.operations import oracle
from cipherstone.operations.algorithm_folders import folder_code
from cipherstone.operations.ring import member_cost_s, members_known
from cipherstone.operations.scheme import SMALL
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import stream_number
from cipherstone.operations.values import InputValue
from cipherstone.protocol.messages import Empty, Refusal
from cipherstone.worker import WorkerProcess

FIRST_CASE = 800  # of the contexts, below those of vectors
MOST_EACH, SETS = 4, 3  # contexts of a set, and sets
TRIES = 8  # in which a difference has to stay: each adds its sets, and the least of all counts
ORACLE_S = 0.2  # what the new inputs of a try may take the independent library; all lanes of a case share them
TIME_SHARE, USUAL_S = 0.02, 240.0  # of the bound of a run, and of one without
LONG_BYTES = 1 << 16  # longer messages are looked at last: making them takes long
SPREAD = 4  # passes that cases are spread over
SET_NS = 1e6  # calls of a set take about as long at most
# Above these a worker remembers. By experiment (docs/decisions/0047-proof-in-breadth.md): honest libraries stay below with every operation and size.
BY_INPUT = 1.5  # new over known
LAST_INPUT = (
    3.0  # again over the timed call: one input for ever teaches predictors its path, which halves a modular inverse
)
BY_CONTEXT = 8.0  # new over the timed call: libraries make tables in the first call of a context
CONTEXT_NS = 600.0  # of a call: a context and a message that no cache holds


class Sight(NamedTuple):
    """ns of a call: at first sight of an input, in a context as new whose input is known, at second sight, and as it was timed. Each but the last the least of some sets."""

    new: float
    known: float
    again: float
    timed: float

    @property
    def remembers(self) -> bool:
        """Whether the difference is beyond what an honest worker shows."""
        return (
            self.new > BY_INPUT * self.known + CONTEXT_NS
            or self.again > LAST_INPUT * self.timed + CONTEXT_NS
            or self.new > BY_CONTEXT * self.timed + CONTEXT_NS
        )

    @property
    def sentence(self) -> str:
        """What is said of a lane that remembers."""
        seen = min(self.known, self.again, self.timed)
        return f"remembers results by input: {self.new:,.0f} ns a call for inputs that its process had not seen, {seen:,.0f} ns for those that it had"


def can_probe(case: Case, form: str | None) -> bool:
    """Whether a case has inputs enough that differ in more than the key, in time."""
    if case.param("key") == "fresh" or case.param("cache") == "cold" or case.param("place") == "same":
        return False
    if members_known(case, form) <= TRIES * MOST_EACH * (SETS + 1) or oracle.verb_of(case.operation).aside:
        return False
    # Of these nothing but keys can vary: a point that is seen again may be computed faster.
    keyed = (
        oracle.verb_of(case.operation).proof == "round-trip"
        or (case.algorithm, case.verb) in folder_code(case.algorithm).members
    )
    return not keyed and member_cost_s(case, form) * (SETS + 1) <= ORACLE_S


def first_sight(
    worker: WorkerProcess,
    case: Case,
    capability: Capability,
    timed_ns: float,
    numbers: Callable[[int], int],
    made: dict[tuple[str | None, int], Expected] | None = None,
) -> Sight | None:
    """Measures; None where it cannot be (`can_probe`, a worker without rings). `timed_ns`: the figure of a call as it stands; `numbers(i)`: members that this process has not seen; `made`: what was made of them for another lane of the case, and is kept for the next.

    Raises WorkerError, and Refusal where a context is refused or an output is wrong.
    """
    if "ring" not in worker.capabilities or not can_probe(case, capability.form):
        return None
    affordable = int(ORACLE_S / max(member_cost_s(case, capability.form), 1e-6))
    each = max(1, min(MOST_EACH, int(SET_NS / max(timed_ns, 1.0)), affordable // (SETS + 1)))
    members = _members(case, capability.form, numbers, {} if made is None else made)
    seen = [next(members) for _ in range(each)]
    _prepare(worker, case, capability, FIRST_CASE, seen)
    worker.run(FIRST_CASE, 2 * each, 0, ring=each)  # now the process has seen them
    found = Sight(float("inf"), float("inf"), float("inf"), timed_ns)
    for _ in range(TRIES):
        for _ in range(SETS):
            _prepare(worker, case, capability, FIRST_CASE + each, seen)
            known = _batch(worker, each)
            unseen = [next(members) for _ in range(each)]
            _prepare(worker, case, capability, FIRST_CASE + each, unseen)
            new = _batch(worker, each)
            if problem := unseen[-1].problem_left(worker, FIRST_CASE + 2 * each - 1):
                raise Refusal("wrong", f"at first sight of an input: {problem}")
            again = _batch(worker, each)
            found = Sight(min(found.new, new), min(found.known, known), min(found.again, again), timed_ns)
        if not found.remembers:
            break
    worker.ask_many([("close", {"case": FIRST_CASE + i}, Empty) for i in range(2 * each)])
    return found


class _Keyed(Expected):
    """Another private key for the same other side: where a message is missing, the key of the caller is what varies, which no library keeps tables of."""

    def __init__(self, case: Case, form: str | None, number: int) -> None:
        super().__init__(case, form)
        key = InputValue(schemes()[case.algorithm].key_pair(number)[0])
        self.inputs = self.inputs | {"key": key.data}
        self.texts = self.texts | {"key": key.protocol_text()}
        output = oracle.expected_output(msgspec.structs.replace(case, size_bytes=None).operation, self.inputs, form)
        self.expect(output)


def _members(
    case: Case, form: str | None, numbers: Callable[[int], int], made: dict[tuple[str | None, int], Expected]
) -> Iterator[Expected]:
    verb = oracle.verb_of(case.operation)
    keyed = case.algorithm in schemes() and verb.proof == "known-answer" and "msg" not in verb.needed
    for place in count():
        if (form, place) not in made:
            # Small numbers beyond a ring have one key and other messages.
            number = SMALL // 10 + place if verb.proof == "decides" else numbers(place)
            made[form, place] = _Keyed(case, form, number) if keyed else Expected(case, form, number)
        yield made[form, place]


def _prepare(worker: WorkerProcess, case: Case, capability: Capability, first: int, given: list[Expected]) -> None:
    head = {"op": case.listed, "impl": capability.implementation}
    asked = [("prepare", {"case": first + i, **head, **one.texts}, Empty) for i, one in enumerate(given)]
    for answer in worker.ask_many(asked):
        if isinstance(answer, Refusal):
            raise answer


def _batch(worker: WorkerProcess, each: int) -> float:
    """ns of a call of one batch behind a lead of as many."""
    return worker.run(FIRST_CASE, each, each, ring=2 * each).ns / each


class MemoizationCheck:
    """Which cases of a run are looked at, and when: each once, all its lanes in one pass, as long as there is time.

    A share of the bound is all that it may take, a part of it in each pass. First comes one case of every operation, none that is long, in passes that are spread; then the others. A short run looks at all.
    """

    def __init__(self, settings: Settings) -> None:
        self._left_s = TIME_SHARE * (settings.max_time_s or USUAL_S) if settings.breadth_share > 0 else 0.0
        self._pass_s = self._left_s / SPREAD
        self._in_pass_s, self._pass = 0.0, -1
        self._seed, self._spread = settings.seed, max(1, min(SPREAD, settings.min_passes))
        self._done: set[str] = set()
        self._operations: set[str] = set()
        self._made: dict[tuple[str | None, int], Expected] = {}
        self._numbers: Callable[[int], int] = int

    def wants(self, case: Case, pass_index: int) -> bool:
        """Whether a case is to be looked at in this pass."""
        spent_s = self._in_pass_s if self._pass == pass_index else 0.0
        if case.id in self._done or self._left_s <= 0 or spent_s >= self._pass_s:
            return False
        later = case.operation in self._operations or (case.size_bytes or 0) > LONG_BYTES
        first = self._spread - 1 if later else zlib.crc32(case.operation.encode()) % self._spread
        return pass_index >= first

    def begin(self, case: Case, pass_index: int) -> None:
        """Its lanes follow."""
        self._done.add(case.id)
        self._operations.add(case.operation)
        if self._pass != pass_index:
            self._in_pass_s, self._pass = 0.0, pass_index
        self._made = {}
        base = stream_number(stream_number(self._seed, pass_index), zlib.crc32(case.id.encode()))
        self._numbers = lambda place: stream_number(base, place)

    def look(self, worker: WorkerProcess, case: Case, capability: Capability, timed_ns: float) -> str:
        """What is wrong with a lane, or "". Raises WorkerError."""
        began = time.perf_counter()
        try:
            sight = first_sight(worker, case, capability, timed_ns, self._numbers, self._made)
        except Refusal as refusal:
            return "" if refusal.code in NOT_FOR_THIS else str(refusal)
        finally:
            spent_s = time.perf_counter() - began
            self._in_pass_s += spent_s
            self._left_s -= spent_s
        return sight.sentence if sight is not None and sight.remembers else ""
