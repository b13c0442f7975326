# SPDX-License-Identifier: Apache-2.0
"""The judgement of an operation, answer by answer: what is a reproduced answer, what a refusal that was due, what is tolerable and what is wrong, and what the whole of them makes of a lane."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cipherstone.catalogue.failures import ORDINARY, Expectation, FailureClass
from cipherstone.catalogue.vectors import Vector
from cipherstone.measure import proof as module
from cipherstone.measure.proof import Capability, OperationProof, _is_tolerable, _judge, _judge_again, _Tally
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Computed, Empty, Refusal

DUE = bytes(range(32))
LAX = FailureClass("ber-encoding", Outcome.LAX, "*", (), "accepts BER", "Spellings.", "X.690.")
STRICT = FailureClass("point-duplication", Outcome.STRICT, "*", (), "refuses a doubling", "Rare.", "SEC 1.")
HASHING = Capability("sha-256/hash", "default")
READY, RIGHT = Empty(), Computed("ok", out=DUE.hex())


def vector(expect: Expectation = "ok", output: bytes | None = DUE, name: str = "v", failure: FailureClass = ORDINARY, source: str = "a source", **inputs: bytes) -> Vector:  # fmt: skip
    return Vector(name, "hash", dict(inputs), output, expect, None, False, source, "", failure=failure)


def refused(code: str, detail: str = "") -> Refusal:
    return Refusal(code, detail)


@pytest.mark.parametrize(
    ("expect", "prepared", "computed", "problem", "negative"),
    [
        ("ok", READY, RIGHT, "", False),
        ("ok-or-rejected", READY, RIGHT, "", False),
        ("implicit", READY, RIGHT, "", True),
        ("ok-or-rejected", READY, Computed("rejected"), "", True),
        ("ok-or-rejected", READY, Computed("bad-key"), "", True),
        ("rejected", READY, Computed("rejected"), "", True),
        ("rejected", READY, Computed("bad-key"), "", True),
        ("bad-key", READY, Computed("bad-key"), "", True),
        ("rejected", refused("setup-failed"), RIGHT, "", True),
        ("rejected", refused("bad-key"), RIGHT, "", True),
        ("ok-or-rejected", refused("bad-key"), RIGHT, "", True),
        ("bad-key", refused("bad-key"), RIGHT, "", True),
        ("bad-key", refused("setup-failed", "no"), RIGHT, "must be refused as a bad key: refused at set-up", False),
        ("rejected", refused("bad-request", "no"), RIGHT, "refused: ", False),
        ("ok", refused("bad-key", "a reason"), RIGHT, "refused at set-up: a reason", False),
        ("implicit", refused("bad-key"), RIGHT, "refused at set-up: bad-key", False),
        ("ok", READY, refused("bad-request", "gone"), "no result: ", False),
        ("rejected", READY, refused("bad-key"), "no result: ", False),
        ("ok", READY, Empty(), "no result: ", False),
        ("bad-key", READY, Computed("rejected"), "must be refused as a bad key: result 'rejected'", False),
        ("bad-key", READY, RIGHT, "must be refused as a bad key: result 'ok'", False),
        ("rejected", READY, RIGHT, "must be rejected: result 'ok'", False),
        ("rejected", READY, Computed("error", detail="lost\nit"), "must be rejected: result 'error' (lost", False),
        ("ok", READY, Computed("rejected"), "result 'rejected'", False),
        ("implicit", READY, Computed("rejected"), "result 'rejected'", False),
        ("ok-or-rejected", READY, Computed("error", detail="x"), "result 'error' (x)", False),
        ("ok", READY, Computed("ok", out="0g"), "output is not hexadecimal", False),
        ("ok", READY, Computed("ok"), "got ... (0 bytes), expected 000102030405060708090a0b0c0d0e0f... (32 bytes)", False),
        ("ok", READY, Computed("ok", out="ff" * 17), f"got {'ff' * 16}... (17 bytes), ", False),
    ],
)  # fmt: skip
def test_an_answer_is_judged_by_what_is_due(
    expect: Expectation, prepared: object, computed: object, problem: str, negative: bool
) -> None:
    found, rejected = _judge(HASHING, vector(expect), prepared, computed)
    assert (found.startswith(problem), bool(found), rejected) == (True, bool(problem), negative)
    assert "\n" not in found


@pytest.mark.parametrize(
    ("proof", "output", "verified"),
    [("verified", DUE, True), ("verified", None, True), ("round-trip", None, True), ("round-trip", DUE, False), ("exact", DUE, False), ("exact", None, False)],
)  # fmt: skip
def test_what_is_drawn_is_verified_and_what_is_fixed_compared(
    monkeypatch: pytest.MonkeyPatch, proof: str, output: bytes | None, verified: bool
) -> None:
    """By its verb: whatever is told of an output that is due, a signature may be another one."""
    asked: list[Any] = []

    def problem(*arguments: Any) -> str:
        asked.append(arguments)
        return "does not verify"

    monkeypatch.setattr(module, "verb_of", lambda operation: SimpleNamespace(proof=proof))
    monkeypatch.setattr(module, "random_output_problem", problem)
    capability = Capability("ed25519/sign", "default", "der")
    said, negative = _judge(capability, vector("ok", output, msg=b"m"), READY, RIGHT)
    assert negative is False and said == ("does not verify" if verified else "")
    assert asked == ([("ed25519/sign", {"msg": b"m"}, DUE, "der")] if verified else [])


@pytest.mark.parametrize(
    ("failure", "expect", "prepared", "computed", "tolerable"),
    [
        (LAX, "rejected", READY, RIGHT, True),
        (LAX, "rejected", READY, Computed("error"), False),
        (LAX, "rejected", READY, refused("bad-key"), False),
        (LAX, "bad-key", READY, RIGHT, False),
        (LAX, "ok", READY, Computed("rejected"), False),
        (STRICT, "ok", READY, Computed("rejected"), True),
        (STRICT, "ok", READY, Computed("bad-key"), True),
        (STRICT, "ok", refused("setup-failed"), refused("bad-request"), True),
        (STRICT, "ok", refused("bad-key"), refused("bad-request"), True),
        (STRICT, "ok", refused("bad-request"), refused("bad-request"), False),
        (STRICT, "ok", READY, Computed("error"), False),
        (STRICT, "ok", READY, RIGHT, False),  # another output
        (STRICT, "rejected", READY, RIGHT, False),
        (ORDINARY, "rejected", READY, RIGHT, False),
        (ORDINARY, "ok", READY, Computed("rejected"), False),
    ],
)
def test_what_is_tolerable(
    failure: FailureClass, expect: Expectation, prepared: object, computed: object, tolerable: bool
) -> None:
    """To accept what should be refused, of a class that is lax; to refuse what is right, of one that is strict. Nothing else."""
    assert _is_tolerable(vector(expect, failure=failure), prepared, computed) is tolerable


@pytest.mark.parametrize(
    ("proof", "expect", "seeded", "computed", "again", "problem"),
    [
        ("exact", "ok", False, RIGHT, RIGHT, ""),
        ("exact", "ok", False, RIGHT, Computed("ok", out="00"), "second call in one context: got 00..."),
        ("exact", "rejected", False, Computed("rejected"), RIGHT, "second call in one context: must be rejected"),
        ("round-trip", "ok", False, RIGHT, Computed("ok", out="00"), ""),
        ("round-trip", "ok", False, RIGHT, RIGHT, "two calls give the same output: nothing was drawn"),
        ("round-trip", "ok-or-rejected", False, RIGHT, RIGHT, "two calls give the same output: nothing was drawn"),
        ("round-trip", "rejected", False, RIGHT, RIGHT, ""),
        ("round-trip", "ok", True, RIGHT, RIGHT, ""),
        ("round-trip", "ok", True, RIGHT, Computed("ok", out="00"), "two calls with one seed give different outputs"),
        ("round-trip", "ok", False, RIGHT, refused("bad-request"), "no result of a second call: "),
        ("round-trip", "ok", False, RIGHT, Computed("ok"), "no result of a second call: "),
        ("round-trip", "ok-or-rejected", False, Computed("rejected"), Computed("rejected"), ""),
        ("round-trip", "ok-or-rejected", False, Computed("rejected"), Computed("bad-key"), "refused at first, and then not: "),
        ("round-trip", "ok-or-rejected", False, Computed("bad-key"), RIGHT, "refused at first, and then not: "),
        ("round-trip", "ok-or-rejected", False, Computed("rejected"), refused("rejected"), "refused at first, and then not: "),
    ],
)  # fmt: skip
def test_a_second_call_in_one_context(
    monkeypatch: pytest.MonkeyPatch, proof: str, expect: Expectation, seeded: bool, computed: object, again: object, problem: str
) -> None:  # fmt: skip
    monkeypatch.setattr(module, "verb_of", lambda operation: SimpleNamespace(proof=proof))
    due = vector(expect, **({"seed": b"s"} if seeded else {}))
    found = _judge_again(HASHING, due, READY, computed, again)
    assert found.startswith(problem) and bool(found) == bool(problem)


# -- the whole -------------------------------------------------------------------------------------------------------------------

Answer = tuple[Vector, object, object]
FINE: Answer = (vector(name="fine", source="FIPS"), READY, RIGHT)
DENIED: Answer = (vector("rejected", name="denied", source="Wycheproof"), READY, Computed("rejected"))
FALSE: Answer = (vector(name="false"), READY, Computed("ok", out="00"))
SPELT: Answer = (vector("rejected", name="spelt", failure=LAX), READY, RIGHT)
DOUBLED: Answer = (vector(name="doubled", failure=STRICT), READY, Computed("rejected"))
GONE: Answer = (vector(name="gone"), refused("unavailable", "no AVX here"), refused("bad-request"))
NO_ROOM: Answer = (vector(name="room"), refused("out-of-memory", "1 GiB"), refused("bad-request"))
TOO_LONG: Answer = (vector(name="long"), refused("unsupported-size"), refused("bad-request"))
OTHER: Answer = (vector(name="other"), refused("unsupported-parameters"), refused("bad-request"))


def whole(*answers: Answer, strict: bool = False) -> OperationProof:
    tally = _Tally()
    for due, prepared, computed in answers:
        tally.add(HASHING, due, prepared, computed)
    return tally.proof(strict)


@pytest.mark.parametrize(
    ("answers", "outcome", "accepted", "rejected"),
    [
        ((FINE,), Outcome.OK, 1, 0),
        ((FINE, FINE, DENIED), Outcome.OK, 2, 1),
        ((FINE, TOO_LONG, OTHER), Outcome.OK, 1, 0),
        ((FINE, FALSE), Outcome.WRONG, 1, 0),
        ((FINE, SPELT), Outcome.LAX, 1, 0),
        ((FINE, DOUBLED), Outcome.STRICT, 1, 0),
        ((FINE, DOUBLED, SPELT), Outcome.LAX, 1, 0),
        ((FINE, DOUBLED, SPELT, FALSE), Outcome.WRONG, 1, 0),
        ((FINE, GONE), Outcome.WRONG, 1, 0),
        ((FINE, NO_ROOM), Outcome.OK, 1, 0),  # what there is no memory for is not computed
        ((FINE, NO_ROOM, GONE), Outcome.WRONG, 1, 0),
        ((FINE, GONE, NO_ROOM), Outcome.WRONG, 1, 0),
        ((GONE,), Outcome.UNAVAILABLE, 0, 0),
        ((GONE, DENIED), Outcome.UNAVAILABLE, 0, 1),
        ((NO_ROOM,), Outcome.UNAVAILABLE, 0, 0),
        ((GONE, FALSE), Outcome.WRONG, 0, 0),
        ((GONE, SPELT), Outcome.WRONG, 0, 0),
        ((NO_ROOM, SPELT), Outcome.WRONG, 0, 0),
        ((DENIED,), Outcome.WRONG, 0, 1),  # nothing that is right was computed
        ((SPELT,), Outcome.WRONG, 0, 0),
        ((TOO_LONG,), Outcome.WRONG, 0, 0),
        ((), Outcome.WRONG, 0, 0),
    ],
)
def test_what_all_answers_make_of_a_lane(
    answers: tuple[Answer, ...], outcome: Outcome, accepted: int, rejected: int
) -> None:
    found = whole(*answers)
    assert (found.outcome, found.accepted, found.rejected) == (outcome, accepted, rejected)
    assert bool(found.failures) is (outcome in (Outcome.WRONG, Outcome.UNAVAILABLE))


def test_what_is_told_of_the_answers() -> None:
    found = whole(FINE, DENIED, DOUBLED, SPELT, FALSE)
    assert found.sources == ("FIPS", "Wycheproof")
    assert found.failures == (f"false (ordinary): got 00... (1 bytes), expected {DUE[:16].hex()}... (32 bytes)",)
    assert [(one.outcome, one.kind, one.vectors) for one in found.deviations] == [
        (Outcome.STRICT, "point-duplication", ("doubled",)),
        (Outcome.LAX, "ber-encoding", ("spelt",)),
    ]
    assert (found.deviations[1].does, found.deviations[1].means, found.deviations[1].standard) == ("accepts BER", "Spellings.", "X.690.")  # fmt: skip
    assert found.verdicts == {"fine": "accepts", "denied": "rejects", "doubled": "rejects", "spelt": "accepts", "false": "answers otherwise"}  # fmt: skip
    two = (vector("rejected", name="spelt-2", failure=LAX), READY, RIGHT)
    assert [one.vectors for one in whole(FINE, SPELT, two).deviations] == [("spelt", "spelt-2")]


def test_strictly_what_is_tolerable_is_a_failure() -> None:
    found = whole(FINE, SPELT, DOUBLED, strict=True)
    assert (found.outcome, found.deviations) == (Outcome.WRONG, ())
    assert found.failures == ("spelt (ber-encoding): accepts BER", "doubled (point-duplication): refuses a doubling")
    assert whole(FINE, strict=True).outcome is Outcome.OK


def test_why_there_is_no_answer() -> None:
    assert whole(GONE, DENIED).failures == (str(GONE[1]),) and whole(GONE).sources == ()
    assert whole(FINE, GONE).failures == (f"some answers only: {GONE[1]}",)
    assert whole(DENIED).failures == ("no known answer could be computed",)
    assert whole(SPELT, NO_ROOM).failures == ("no known answer could be computed",)
    assert len(whole(*[FALSE] * 9).failures) == module.MAX_FAILURES_KEPT == 8


def test_a_second_call_counts_only_where_the_first_was_right() -> None:
    tally = _Tally()
    tally.add(HASHING, vector(name="same"), READY, RIGHT, RIGHT)
    tally.add(HASHING, vector(name="other"), READY, RIGHT, Computed("ok", out="00"))
    tally.add(HASHING, vector(name="wrong"), READY, Computed("ok", out="01"), RIGHT)
    found = tally.proof(False)
    assert found.accepted == 1 and [one.partition(":")[0] for one in found.failures] == ["other (ordinary)", "wrong (ordinary)"]  # fmt: skip
    assert "second call" in found.failures[0] and "second call" not in found.failures[1]
