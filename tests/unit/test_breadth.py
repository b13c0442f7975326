# SPDX-License-Identifier: Apache-2.0
"""Random inputs beyond the vectors: they are what they say, a function that is wrong for one input in some is found, and forgeries that are taken too."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import pytest

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.measure import breadth
from cipherstone.measure.breadth import Asker, Breadth, Questions, look, numbers_of, problem_of
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import NotAuthentic, WorkerError
from cipherstone.model.ids import Case
from cipherstone.model.records import Settings
from cipherstone.operations import breadth as questions
from cipherstone.operations import oracle
from cipherstone.operations.breadth import FORGED_EVERY, can_ask, question, sizes_of
from cipherstone.protocol.messages import Computed, Empty, Refusal

DEAR = ("slh-dsa", "scrypt", "argon2id", "modexp/private", "ml-dsa-87/verify", "tls/", "harness/")
ASKED = [
    operation.case(sizes_of(operation.sizes)[0] if operation.sizes else None)
    for operation in catalogue_of_checkout().operations.values()
    if not operation.id.startswith(DEAR)
]


@pytest.mark.parametrize("case", ASKED, ids=lambda case: case.id)
def test_questions_differ_and_forgeries_are_forgeries(case: Case) -> None:
    if not can_ask(case):
        assert case.verb in ("parse", "verify-chain", "issue")
        return
    numbers = [FORGED_EVERY * place + rest for place, rest in ((7, 0), (8, 1), (10**14, 3), (10**14 + 1, 3))]
    asked = [question(case, None, number) for number in numbers]
    drawn = case.verb in ("keygen", "paramgen", "fetch")
    assert drawn or len({str(sorted(one.data.items())) for one in asked}) == len(asked)
    assert question(case, None, numbers[0]).data == asked[0].data
    refusing = {"open", "unwrap", "verify"} | ({"private-decrypt"} if "oaep" in case.algorithm else set())
    forges = case.verb in refusing | {"decaps"}
    assert [one.forged for one in asked] == [False, False, forges, forges]
    assert [one.refused for one in asked] == [False, False] + [case.verb in refusing] * 2
    for one in asked:
        if case.verb == "verify":
            assert oracle.signature_is_valid(case.operation, one.data, one.data["sig"]) != one.forged
        elif one.refused:
            with pytest.raises(NotAuthentic):
                oracle.expected_output(case.operation, one.data)
        elif one.due is not None:
            assert oracle.expected_output(case.operation, one.data) == one.due


def test_key_and_message_vary() -> None:
    for text in ("hmac-sha-256/mac/bytes=64", "ecdsa-p256-sha256/sign", "aes-128-gcm/open/bytes=64", "ed25519/verify"):
        case = Case.parse(text)
        one, two = (question(case, None, number).data for number in (4 * 10**9, 4 * 10**9 + 1))
        assert all(one[name] != two[name] for name in one)


class Worker:
    """Answers what the oracle says, and for some inputs something else."""

    def __init__(self, operation: str, errs: Callable[[int, Computed], object]) -> None:
        self.operation, self.errs = operation, errs
        self.number, self.groups = 0, 0

    def ask_many_ahead(self, requests: Iterable[tuple[str, Mapping[str, Any], type]]) -> Callable[[], list[object]]:
        answers: list[object] = []
        data: dict[str, bytes] = {}
        self.groups += 1
        for verb, fields, _ in requests:
            if verb == "prepare":
                from cipherstone.operations.values import InputValue

                data = {n: InputValue.parse(v).data for n, v in fields.items() if str(v).startswith(("hex:", "gen:"))}
                answers.append(Empty())
                continue
            try:
                output = oracle.expected_output(self.operation, data)
                answer = Computed("ok", (oracle.made(self.operation, data) if output is None else output).hex())
            except NotAuthentic:
                answer = Computed("rejected")
            self.number += 1
            answers.append(self.errs(self.number, answer))
        return lambda: answers

    def ask_many(self, requests: object) -> list[object]:
        return []


def looked(operation: str, errs: Callable[[int, Computed], object], count: int = 64) -> breadth.Looked:
    questions = Questions(operation, None, numbers_of(3, 0))
    capability = Capability(operation, "default")
    asked = (questions.at(place) for place in range(count))
    return look(Asker("x@1", capability, Worker(operation, errs)), asked)  # type: ignore[arg-type]


def flipped(answer: Computed) -> Computed:
    out = bytearray.fromhex(answer.out or "00")
    out[-1] ^= 1
    return Computed("ok", out.hex())


@pytest.mark.parametrize(
    "operation",
    ["sha-256/hash", "aes-128-gcm/seal", "x25519/derive", "ecdsa-p256-sha256/sign", "ed25519/sign"],
)
def test_one_wrong_answer_in_some_is_found_and_named(operation: str) -> None:
    right = looked(operation, lambda number, answer: answer).result
    assert (right.genuine, right.forged, right.wrong) == (64, 0, 0)
    found = looked(operation, lambda number, answer: flipped(answer) if number == 41 else answer).result
    assert (found.genuine, found.wrong) == (64, 1)
    named = numbers_of(3, 0)(40)
    assert found.failures[0].startswith(f"random input {named}: ")


@pytest.mark.parametrize("operation", ["ecdsa-p256-sha256/verify", "aes-128-gcm/open", "aes-128-kw/unwrap"])
def test_a_forgery_that_is_taken_and_a_genuine_input_that_is_refused_are_found(operation: str) -> None:
    taken = looked(operation, lambda number, answer: Computed("ok", answer.out or "")).result
    assert taken.forged and taken.wrong == taken.forged
    assert taken.failures[0].startswith("forged input") and "a forgery must be rejected" in taken.failures[0]
    refused = looked(operation, lambda number, answer: Computed("rejected")).result
    assert refused.wrong == refused.genuine and "a genuine input is refused" in refused.failures[0]


def test_a_generator_that_stands_still_is_found() -> None:
    questions = Questions("p-256/keygen", None, numbers_of(3, 0))
    from cipherstone.operations.schemes import schemes

    key, pub = schemes()["p-256"].key_pair(5)
    worker = Worker("p-256/keygen", lambda number, answer: answer)
    worker.ask_many_ahead = lambda requests: lambda: [Empty(), Computed("ok", (key + pub).hex())] * (len(requests) // 2)  # type: ignore[method-assign, arg-type, assignment]
    asked = (questions.at(place) for place in range(4))
    found = look(Asker("x@1", Capability("p-256/keygen", "default"), worker), asked).result  # type: ignore[arg-type]
    assert (found.genuine, found.wrong) == (4, 3) and "drawn before" in found.failures[0]


def test_what_is_not_judged_and_what_breaks() -> None:
    one = question(Case.parse("sha-256/hash/bytes=64"), None, 12)
    capability = Capability("sha-256/hash", "default")
    for code in ("unsupported-size", "unavailable", "out-of-memory"):
        assert problem_of(one, capability, Refusal(code, ""), Refusal("no-such-case", "")) is None
    assert "set-up" in (problem_of(one, capability, Refusal("setup-failed", ""), Empty()) or "")
    assert "no result" in (problem_of(one, capability, Empty(), Refusal("error", "")) or "")
    assert "hexadecimal" in (problem_of(one, capability, Empty(), Computed("ok", "zz")) or "")
    forged = question(Case.parse("aes-128-gcm/open/bytes=64"), None, 15)
    opening = Capability("aes-128-gcm/open", "default")
    assert problem_of(forged, opening, Refusal("setup-failed", ""), Empty()) == ""

    def breaks(number: int, answer: Computed) -> object:
        raise WorkerError("crashed", "gone")

    found = looked("sha-256/hash", breaks)
    assert found.broken is not None and found.result.looked == 0


def test_time_is_kept_and_what_is_left_over_goes_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()
    monkeypatch.setattr(breadth.time, "perf_counter", lambda: next(clock) * 1e-3)
    settings = Settings(min_passes=1, max_time_s=10.0, breadth_share=0.05, breadth=10_000, seed=5)
    spent = Breadth(settings, {"sha-256/hash": 1, "md5/hash": 1})
    spent.begin(0, {"sha-256/hash", "md5/hash"})
    assert spent.wants("sha-256/hash")
    capability = Capability("sha-256/hash", "default")
    worker = Worker("sha-256/hash", lambda number, answer: answer)
    record, broken = spent.ask("sha-256/hash", [Asker("x@1", capability, worker)])  # type: ignore[arg-type]
    assert record is not None and not broken and record.lanes[0].wrong == 0
    # Half of half a second, by a clock of which each look takes a millisecond.
    assert 10 < record.lanes[0].looked < 500
    assert not spent.wants("sha-256/hash") and spent.wants("md5/hash")
    spent.begin(1, {"sha-256/hash"})
    assert spent.wants("sha-256/hash")
    assert not Breadth(Settings(), {"md5/hash": 1}).wants("md5/hash")


def test_a_dear_lane_saves_its_part_until_a_question_fits() -> None:
    settings = Settings(min_passes=10, max_time_s=100.0, breadth_share=0.01, seed=5)
    spent = Breadth(settings, {"sha-256/hash": 1})
    worker = Worker("sha-256/hash", lambda number, answer: answer)
    asker = Asker("x@1", Capability("sha-256/hash", "default"), worker, ns=8e7)  # type: ignore[arg-type]
    found = []
    for number in range(12):
        spent.begin(number, {"sha-256/hash"})
        found.append(spent.ask("sha-256/hash", [asker])[0] is not None)
    # A pass has a tenth of a second, of which a part is for making questions; a question takes 0.16.
    assert not found[0] and any(found) and not all(found[1:])


def test_settings_are_off_where_nothing_says_otherwise() -> None:
    assert msgspec.json.decode(b"{}", type=Settings).breadth_share == 0.0


def numbers_at(signature: bytes) -> set[int]:
    """Where the octets of r and s are in a pair in DER, read step by step; without a zero octet in front."""
    at, found = 3 if signature[1] & 0x80 else 2, set[int]()
    for _ in "rs":
        tag, length = signature[at], signature[at + 1]
        assert tag == 2
        first = at + 2
        found |= {*range(first + (signature[first] == 0), first + length)}
        at = first + length
    assert at == len(signature)
    return found


@pytest.mark.parametrize("algorithm", ["ecdsa-p256-sha256", "ecdsa-p521-sha512", "dsa-2048-sha256"])
def test_a_forged_pair_has_another_number(algorithm: str) -> None:
    """Not another spelling of the same one: a library that reads BER would accept it, and be right about the numbers."""
    case, seen = Case.parse(f"{algorithm}/verify"), 0
    for number in range(3, 4 * 40, 4):
        forged = question(case, None, number).inputs["sig"].data
        genuine = questions._genuine(case, oracle.verb_of(case.operation), None, number)["sig"].data
        assert len(forged) == len(genuine)
        changed = {at for at, (a, b) in enumerate(zip(forged, genuine, strict=True)) if a != b}
        assert changed <= numbers_at(genuine)
        seen += len(changed)
    assert seen > 10
    # One whose bit fell on the tag between the numbers.
    if algorithm == "ecdsa-p256-sha256":
        first = question(case, None, 7470541561622133143).inputs["sig"].data
        assert numbers_at(first)
