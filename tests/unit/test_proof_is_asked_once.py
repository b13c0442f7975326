# SPDX-License-Identifier: Apache-2.0
"""Operations of which parameters vary are proven by the same vectors: a process is asked each of them once, and every operation is judged by what it answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from cipherstone.catalogue.vectors import Vector
from cipherstone.measure.proof import Answers, Capability, prove_operation
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Computed, Empty

FULL = "tls/handshake-client/version=1.3,group=x25519,cert=p-256,mode=full"
OLDER = "tls/handshake-client/version=1.2,group=x25519,cert=p-256,mode=full"
SERVER = "tls/handshake-server/version=1.3,group=x25519,cert=p-256,mode=full"
HASH = "sha-256/hash"


class Process:
    """Answers as it is told, by the host that it is asked for; what it was asked stands in `asked`."""

    def __init__(self, wrong: str = "") -> None:
        self.asked: list[str] = []
        self._wrong = wrong.encode().hex()

    def ask_many(self, requests: Sequence[Any], *, answers: list[object]) -> list[object]:
        for what, fields, _ in requests:
            if what == "prepare":
                self.asked.append(f"{fields['op']} {fields.get('params', '')} {fields['impl']}")
                self._is_wrong = bool(self._wrong) and self._wrong in fields.get("host", "")
            answers.append(Computed("ok", out="00" if self._is_wrong else "aa") if what == "compute" else Empty())
        return answers


def vector(name: str, version: str, verb: str = "handshake-client", brief: bool = False) -> Vector:
    params = {"version": version, "group": "x25519", "cert": "p-256", "mode": "full"}
    inputs = {"host": name.encode()}
    return Vector(name, verb, inputs, b"\xaa", "ok", None, brief, "by hand", params=params)


VECTORS = (vector("new", "1.3", brief=True), vector("old", "1.2"), vector("server", "1.3", "handshake-server"))


@pytest.fixture(autouse=True)
def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """These inputs are not whole."""
    monkeypatch.setattr("cipherstone.measure.proof.case_texts", lambda case, inputs: {})


def prove(process: Process, operation: str, known: Answers | None, implementation: str = "default") -> Any:
    return prove_operation(process, Capability(operation, implementation), VECTORS, known=known)  # type: ignore[arg-type]


def test_the_second_operation_is_judged_by_the_answers_to_the_first() -> None:
    process, known = Process(), Answers()
    first, second = (prove(process, operation, known) for operation in (FULL, OLDER))
    assert first == second and first.outcome is Outcome.OK and first.accepted == 2
    assert len(process.asked) == 2
    assert prove(process, SERVER, known).accepted == 1 and len(process.asked) == 3


def test_what_was_wrong_for_the_one_is_wrong_for_the_other() -> None:
    process, known = Process(wrong="old"), Answers()
    first, second = (prove(process, operation, known) for operation in (FULL, OLDER))
    assert first == second and first.outcome is Outcome.WRONG
    assert [text.partition(" ")[0] for text in first.failures] == ["old"]


def test_another_implementation_and_another_process_are_asked_anew() -> None:
    known = Answers()
    process = Process()
    for implementation in ("default", "other"):
        prove(process, FULL, known, implementation)
    assert len(process.asked) == 4
    for _ in range(2):  # a process of which nothing is kept
        prove(process, FULL, None)
    assert len(process.asked) == 8


def test_a_vector_that_was_asked_once_is_asked_again_where_two_calls_are_due() -> None:
    """In a full proof and in a brief one the same vector is the same question; of another number of calls it is another."""
    process, known = Process(), Answers()
    prove(process, FULL, known)
    once = [vector("new", "1.3")]
    prove_operation(process, Capability(FULL, "default"), once, known=known)  # type: ignore[arg-type]
    assert len(process.asked) == 3


def test_answers_of_operations_that_share_no_vectors_are_not_kept() -> None:
    process, known = Process(), Answers()
    one = Vector("a", "hash", {"msg": b"a"}, b"\xaa", "ok", None, False, "by hand")
    proof = prove_operation(process, Capability(HASH, "default"), [one], known=known)  # type: ignore[arg-type]
    assert proof.outcome is Outcome.OK and not known
