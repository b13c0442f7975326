# SPDX-License-Identifier: Apache-2.0
"""Proof in breadth: random inputs beyond the vectors, asked of the processes that are timed, between two cases, and every answer looked at.

Vectors find a function that is wrong; a function that is wrong for six inputs in a thousand is found by asking thousands. Key and message vary; what is drawn (keys, signatures, encapsulations) is held by using it with the independent library.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.conditions import bare
from cipherstone.measure.proof import (
    DRAWN,
    NO_MEMORY,
    NOT_FOR_THIS,
    REFUSALS,
    REFUSALS_AT_SET_UP,
    Capability,
    case_texts,
)
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case
from cipherstone.model.records import BreadthRecord, LaneBreadth, Settings
from cipherstone.operations import oracle
from cipherstone.operations.breadth import RandomInput, can_ask, question, sizes_of
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import stream_number
from cipherstone.protocol.messages import Computed, Empty, Refusal, one_line
from cipherstone.worker import WorkerProcess

BREADTH_CASE = 1000
GROUP = 48  # questions that are sent at once: what two changes between the processes cost is shared by so many
MOST_FAILURES = 3
USUAL_S = 240.0  # what a share is of, in a run without a time bound
FIRST_GUESS_S = 2e-4  # of a question before one was asked
SLACK_S = 5.0  # beyond its usual time limit, of a group
MAKING_SHARE = 0.4  # of an operation's time, at most, for the inputs and what must come of them
PAIRS_WEIGHT = 2
LACKING = 0.9  # of what is wanted: below it a lane is asked once more at the end
LAST_SHARE = 0.25  # of the time to the bound
GROUP_S = 0.25  # a group takes about as long at most, so that the end of the time is met


class Questions:
    """The random inputs of an operation in one form, made when they are first asked for; every lane gets the same. `numbers(i)` names the input at place i."""

    def __init__(self, operation: str, form: str | None, numbers: Callable[[int], int]) -> None:
        """`operation`: as a capability names it. What is no operation of the catalogue, or has no random inputs, has none."""
        asked = Case.parse(operation)
        known = catalogue_of_checkout().known(operation)
        self._sizes = () if known is None else sizes_of(known.sizes)
        self._case, self._form, self._numbers = asked, form, numbers
        self._made: list[tuple[RandomInput, dict[str, str]]] = []
        self.made_s = 0.0  # what making them took so far
        first = None if known is None else known.case(self._sizes[0] if self._sizes else None)
        self.any = first is not None and can_ask(first)
        self.case = bare(first) if first is not None else asked

    def at(self, place: int) -> tuple[RandomInput, dict[str, str]]:
        """The input at a place, and the fields of `prepare` that ask it."""
        while len(self._made) <= place:
            began = time.perf_counter()
            self._made.append(self.of(self._numbers(len(self._made))))
            self.made_s += time.perf_counter() - began
        return self._made[place]

    def first(self, count: int, most_s: float) -> Iterator[tuple[RandomInput, dict[str, str]]]:
        """The first `count`; no further ones are made once making them took `most_s`."""
        for place in range(count):
            if place >= len(self._made) and self.made_s >= most_s:
                return
            yield self.at(place)

    def of(self, number: int) -> tuple[RandomInput, dict[str, str]]:
        """The input of a number."""
        size = self._sizes[number // 64 % len(self._sizes)] if self._sizes else None
        case = msgspec.structs.replace(self.case, size_bytes=size)
        made = question(case, self._form, number)
        texts = {name: value.protocol_text() for name, value in made.inputs.items()}
        return made, {**texts, **case_texts(case, made.data)}


def numbers_of(seed: int, pass_index: int) -> Callable[[int], int]:
    """The numbers of a pass of a run."""
    base = stream_number(seed, pass_index)
    return lambda place: stream_number(base, place)


def problem_of(asked: RandomInput, capability: Capability, prepared: object, computed: object) -> str | None:
    """ "" if an answer is right, else what is wrong in one line; None for what is not judged: the worker does not take this size, or nothing for now."""
    if isinstance(prepared, Refusal):
        if prepared.code in NOT_FOR_THIS or prepared.code in ("unavailable", NO_MEMORY):
            return None
        right = asked.refused and prepared.code in REFUSALS_AT_SET_UP
        return "" if right else f"refused at set-up: {prepared}"
    if not isinstance(computed, Computed):
        return f"no result: {computed}"
    detail = f" ({one_line(computed.detail)})" if computed.detail else ""
    said = f"result '{one_line(computed.result, 40)}'{detail}"
    if asked.refused:
        return "" if computed.result in REFUSALS else f"a forgery must be rejected: {said}"
    if computed.result != "ok":
        return f"a genuine input is refused: {said}" if computed.result in REFUSALS else said
    try:
        data = bytes.fromhex(computed.out or "")
    except ValueError:
        return "output is not hexadecimal"
    if asked.due is None:
        return oracle.random_output_problem(asked.case.operation, asked.data, data, capability.form)
    return (
        "" if data == asked.due else f"got {data[:16].hex()}... ({len(data)} bytes), expected {asked.due[:16].hex()}..."
    )


class _Tally:
    """What a lane gave."""

    def __init__(self, lane: str, capability: Capability) -> None:
        self._lane, self._capability = lane, capability
        self._draws = oracle.verb_of(capability.case.operation).proof == DRAWN
        self._seen: set[str] = set()
        self._genuine = self._forged = 0
        self._wrong = 0
        self._failures: list[str] = []
        self.judged = 0

    def add(self, asked: RandomInput, prepared: object, computed: object) -> None:
        problem = problem_of(asked, self._capability, prepared, computed)
        if problem is None:
            return
        self.judged += 1
        self._genuine += not asked.forged
        self._forged += asked.forged
        if not problem and self._draws and isinstance(computed, Computed) and computed.out:
            problem = "what was drawn was drawn before" if computed.out in self._seen else ""
            self._seen.add(computed.out)
        if problem:
            self._wrong += 1
            kind = "forged" if asked.forged else "random"
            if len(self._failures) < MOST_FAILURES:
                self._failures.append(f"{kind} input {asked.number}: {problem}")

    def result(self) -> LaneBreadth:
        return LaneBreadth(self._lane, self._genuine, self._forged, self._wrong, tuple(self._failures))


class Asker(NamedTuple):
    """A lane that is asked: its id, what it offers, its proven process, and ns of a timed call (0: not known)."""

    lane: str
    capability: Capability
    worker: WorkerProcess
    ns: float = 0.0


class Looked(NamedTuple):
    """What became of one lane: the answers, the seconds it took, and the error of a worker that broke."""

    result: LaneBreadth
    took_s: float
    broken: WorkerError | None = None


def look(
    asker: Asker,
    questions: Iterable[tuple[RandomInput, Mapping[str, str]]],
    budget_s: float | None = None,
    guess_s: float = FIRST_GUESS_S,
    aside_s: Callable[[], float] = lambda: 0.0,
) -> Looked:
    """Asks one lane, as long as the next group fits into `budget_s` (None: all). `guess_s`: what a question takes; `aside_s`: seconds so far that are not the lane's, since making questions is for all lanes. The answers of a group are judged while the next is computed."""
    worker, capability = asker.worker, asker.capability
    tally, began = _Tally(asker.lane, capability), time.perf_counter() - aside_s()

    def took() -> float:
        return time.perf_counter() - aside_s() - began

    waiting: tuple[list[RandomInput], Callable[[], list[Empty | Computed | Refusal]]] | None = None
    source, sent, cost_s = iter(questions), 0, guess_s
    error: WorkerError | None = None
    try:
        while True:
            left = None if budget_s is None else budget_s - took()
            fits = min(GROUP_S, left if left is not None else GROUP_S) / cost_s
            size = min(GROUP, max(int(fits), 1 if left is None or not sent else 0))
            group = list(islice(source, size))
            ahead = (_asked(worker, capability, group)) if group else None
            if waiting is not None:
                _judge(tally, *waiting)
                cost_s = max(took() / sent, 1e-6)
            if ahead is None:
                break
            sent += len(group)
            waiting = ([asked for asked, _ in group], ahead)
        worker.ask_many([("close", {"case": BREADTH_CASE}, Empty)])
    except WorkerError as broken:
        error = broken
    return Looked(tally.result(), took(), error)


def _asked(
    worker: WorkerProcess, capability: Capability, group: Sequence[tuple[RandomInput, Mapping[str, str]]]
) -> Callable[[], list[Empty | Computed | Refusal]]:
    requests: list[tuple[str, Mapping[str, object], type[Empty | Computed]]] = []
    for _, texts in group:
        head = {"case": BREADTH_CASE, "op": capability.case.listed, "impl": capability.implementation}
        requests.append(("prepare", {**head, **texts}, Empty))
        requests.append(("compute", {"case": BREADTH_CASE}, Computed))
    return worker.ask_many_ahead(requests)


def _judge(
    tally: _Tally, asked: Sequence[RandomInput], answers: Callable[[], list[Empty | Computed | Refusal]]
) -> None:
    found = answers()
    for index, one in enumerate(asked):
        tally.add(one, found[2 * index], found[2 * index + 1])


class Breadth:
    """The random inputs of a run: each operation once a pass, as many as the time allows.

    A pass has its part of the share. Operations of it come in random order, each with its part of what is left, so that what cheap ones do not need goes to slow ones. What a lane did not have time for, since one question takes
    longer than its part, is kept for it: RSA keys are asked every few passes. What a pass did not need goes to the next. Lanes that have fewer results at the end than are wanted are asked once more, where the run's bound is far.
    """

    def __init__(self, settings: Settings, lanes: Mapping[str, int]) -> None:
        """`lanes`: by operation, how many lanes it has."""
        self._settings, self._lanes = settings, lanes
        whole = settings.breadth_share * (settings.max_time_s or USUAL_S)
        self._pass_s = whole / max(1, settings.min_passes)
        self._looked: Counter[tuple[str, str]] = Counter()
        self._most = -(-settings.breadth // max(1, settings.min_passes))
        self._saved: dict[tuple[str, str], float] = {}
        self._cost: dict[tuple[str, str], float] = {}
        self._pass, self._left_s, self._done = -1, 0.0, set[str]()

    def begin(self, pass_index: int, operations: Iterable[str]) -> None:
        """A pass begins, in which these operations may come."""
        self._pass, self._left_s = pass_index, self._left_s + self._pass_s
        self._done = set(self._lanes) - set(operations)

    def begin_last(self, pass_index: int, operations: Iterable[str], remaining_s: float | None) -> None:
        """What still lacks results is asked for all of them: with the time that is left of the share, and a part of what is left to the bound, which a loaded machine may need."""
        self.begin(pass_index, operations)
        self._left_s = max(0.0, self._left_s - self._pass_s, LAST_SHARE * (remaining_s or 0.0))
        self._most = self._settings.breadth

    def lacks(self, operation: str, lane: str) -> bool:
        """Whether fewer results of a lane were looked at than are wanted."""
        return self._pass_s > 0 and self._looked[operation, lane] < LACKING * self._settings.breadth

    def wants(self, operation: str) -> bool:
        """Whether the operation is to be asked in this pass: it was not yet."""
        return self._pass_s > 0 and operation not in self._done

    def _weight(self, operation: str) -> int:
        """Parts of the time: an operation with key pairs has more, because it takes longer and its errors are rarer."""
        lanes = self._lanes.get(operation, 1)
        return lanes * (PAIRS_WEIGHT if Case.parse(operation).algorithm in schemes() else 1)

    def ask(
        self, operation: str, askers: Sequence[Asker]
    ) -> tuple[BreadthRecord | None, list[tuple[str, WorkerError]]]:
        """Asks the lanes of an operation: the record, None where there was nothing to ask or no time, and the workers that broke."""
        rest = sum(self._weight(name) for name in self._lanes if name not in self._done) or 1
        self._done.add(operation)
        numbers = numbers_of(self._settings.seed, self._pass)
        by_form: dict[str | None, Questions] = {}
        found: list[LaneBreadth] = []
        broken: list[tuple[str, WorkerError]] = []
        share_s = self._left_s * min(1.0, self._weight(operation) / rest)
        spent_s = 0.0
        making_s = share_s * (MAKING_SHARE + (1 - MAKING_SHARE) * 0.6 / max(1, len(askers)))
        for index, one in enumerate(askers):
            form = one.capability.form
            questions = by_form.setdefault(form, Questions(operation, form, numbers))
            if not questions.any:
                return None, []
            key = (operation, one.lane)
            guess_s = self._cost.get(key) or max(FIRST_GUESS_S, 2e-9 * one.ns)
            made_s = sum(each.made_s for each in by_form.values())
            part_s = max(0.0, share_s - max(made_s, making_s)) / (len(askers) - index)
            budget_s = part_s + self._saved.get(key, 0.0)
            if budget_s < guess_s:
                self._saved[key] = budget_s
                continue
            asked = questions.first(min(self._most, self._settings.breadth - self._looked[key]), making_s)
            looked = look(one, asked, budget_s, guess_s, lambda q=questions: q.made_s)  # type: ignore[misc]
            self._saved[key] = 0.0
            spent_s += looked.took_s
            share_s -= min(looked.took_s, part_s)
            if looked.result.looked:
                self._cost[key] = looked.took_s / looked.result.looked
                self._looked[key] += looked.result.looked
                found.append(looked.result)
            if looked.broken is not None:
                broken.append((one.lane, looked.broken))
        self._left_s -= spent_s + sum(each.made_s for each in by_form.values())
        return (BreadthRecord(operation, self._pass, tuple(found)) if found else None), broken


def wrong_lanes(record: BreadthRecord) -> Iterator[LaneBreadth]:
    """Those of a record that gave something wrong."""
    return (one for one in record.lanes if one.wrong)
