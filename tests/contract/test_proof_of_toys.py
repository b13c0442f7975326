# SPDX-License-Identifier: Apache-2.0
"""The orchestrator's judgement of real workers: keys that must not be used, parameters that a row is not made for, faults that only canaries see."""

from __future__ import annotations

import pytest
from toy_library import fnv

from cipherstone.catalogue.vectors import Vector
from cipherstone.measure.proof import Capability, prove_operation
from cipherstone.model.outcomes import Outcome
from cipherstone.worker import WorkerProcess

SUM = bytes.fromhex("af63dc4c8601ec8c")  # of the byte 0x61


def vector(name: str, verb: str, expect: str, output: bytes | None, params: str = "", **inputs: bytes) -> Vector:
    named = dict(part.split("=") for part in params.split(",") if part)
    return Vector(name, verb, inputs, output, expect, None, True, "by hand", params=named)  # type: ignore[arg-type]


GOOD = vector("good", "hash", "ok", SUM, msg=b"a")


def proved(worker: list[str], operation: str, *vectors: Vector) -> tuple[Outcome, int, int, str]:
    with WorkerProcess(worker) as process:
        proof = prove_operation(process, Capability(operation, "default"), vectors)
    return proof.outcome, proof.accepted, proof.rejected, "; ".join(proof.failures)


def test_a_key_that_must_be_refused_is_refused_at_set_up_or_by_the_call(worker: list[str]) -> None:
    agreed = vector("agreed", "derive", "ok", bytes.fromhex("089c4407b545986a"), key=b"a", pub=b"b")
    refused = [
        vector("no key", "derive", "rejected", None, key=b"", pub=b"b"),
        vector("no point", "derive", "rejected", None, key=b"a", pub=b""),
    ]
    outcome, accepted, rejected, failures = proved(worker, "toy-pair/derive", agreed, *refused)
    assert (accepted, rejected, failures) == (1, 2, "") and outcome is Outcome.OK
    taken = vector("taken", "derive", "rejected", None, key=b"a", pub=b"b")
    outcome, _, _, failures = proved(worker, "toy-pair/derive", agreed, taken)
    assert outcome is Outcome.WRONG and "taken" in failures and "must be rejected" in failures


@pytest.mark.parametrize(
    ("params", "output"), [("out=4,mode=sum", SUM[:4]), ("out=8,mode=sum", SUM), ("mode=copy", b"a")]
)
def test_an_operation_is_proven_by_the_vectors_of_its_own_parameters(
    worker: list[str], params: str, output: bytes
) -> None:
    mine = vector("mine", "hash", "ok", output, params, msg=b"a")
    other = vector("other", "hash", "ok", b"never", "out=2,mode=sum", msg=b"a")
    assert proved(worker, f"toy-cut/hash/{params}", mine, other) == (Outcome.OK, 1, 0, "")


def test_parameters_that_no_row_is_made_for_are_not_judged(worker: list[str]) -> None:
    five = vector("five", "hash", "ok", SUM[:5], "out=5,mode=sum", msg=b"a")
    outcome, accepted, _, failures = proved(worker, "toy-cut/hash/out=5,mode=sum", five)
    assert (outcome, accepted) == (Outcome.WRONG, 0) and "no known answer could be computed" in failures


PAIR = bytes.fromhex("af63dc4c8601ec8c") + fnv(bytes.fromhex("af63dc4c8601ec8c")).to_bytes(8, "big")
STANDING = fnv(b"").to_bytes(8, "big")


def test_a_seed_gives_the_same_pair_twice_and_no_seed_must_not(worker: list[str]) -> None:
    seeded = vector("seeded", "keygen", "ok", PAIR, seed=b"a")
    assert proved(worker, "toy-pair/keygen", seeded) == (Outcome.OK, 1, 0, "")
    still = vector("still", "keygen", "ok", STANDING + fnv(STANDING).to_bytes(8, "big"))
    outcome, accepted, _, failures = proved(worker, "toy-pair/keygen", still)
    assert (outcome, accepted) == (Outcome.WRONG, 0) and "still" in failures and "nothing was drawn" in failures


def test_a_seed_that_the_interface_does_not_take_is_not_judged(worker: list[str]) -> None:
    with WorkerProcess(worker) as process:
        seeded = vector("seeded", "keygen", "ok", PAIR, seed=b"a")
        proof = prove_operation(process, Capability("toy-pair/keygen", "unseeded"), [seeded])
    assert proof.failures == ("no known answer could be computed",)


def test_implicit_rejection_is_a_negative_with_an_output(worker: list[str]) -> None:
    agreed = bytes.fromhex("089c4407b545986a")
    good = vector("good", "derive", "ok", agreed, key=b"a", pub=b"b")
    forged = vector("forged", "derive", "implicit", agreed, key=b"a", pub=b"b")
    assert proved(worker, "toy-pair/derive", good, forged) == (Outcome.OK, 1, 1, "")
    for name, inputs in (("said", {"key": b"a", "pub": b""}), ("refused", {"key": b"", "pub": b"b"})):
        loud = vector(name, "derive", "implicit", agreed, **inputs)
        outcome, _, _, failures = proved(worker, "toy-pair/derive", good, loud)
        assert outcome is Outcome.WRONG and name in failures
    other = vector("other", "derive", "implicit", bytes(8), key=b"a", pub=b"b")
    assert proved(worker, "toy-pair/derive", good, other)[0] is Outcome.WRONG


def test_a_bad_key_needs_the_status_of_its_own(worker: list[str]) -> None:
    good = vector("good", "derive", "ok", bytes.fromhex("089c4407b545986a"), key=b"a", pub=b"b")
    at_set_up = vector("at set-up", "derive", "bad-key", None, key=b"", pub=b"b")
    in_call = vector("in call", "derive", "bad-key", None, key=b"a", pub=b"")
    assert proved(worker, "toy-pair/derive", good, at_set_up, in_call) == (Outcome.OK, 1, 2, "")
    taken = vector("taken", "derive", "bad-key", None, key=b"a", pub=b"b")
    outcome, _, _, failures = proved(worker, "toy-pair/derive", good, taken)
    assert outcome is Outcome.WRONG and "must be refused as a bad key" in failures
    failed = vector("failed", "hash", "bad-key", None, msg=b"a")
    outcome, _, _, failures = proved(worker, "toy-unset/hash", failed)
    assert outcome is Outcome.WRONG and "must be refused as a bad key" in failures


@pytest.mark.parametrize("operation", ["toy-changing/hash", "toy-beside/hash", "toy-overrun/hash"])
def test_a_right_result_beside_a_stray_write_is_wrong(worker: list[str], operation: str) -> None:
    assert proved(worker, "toy-sum/hash", GOOD)[0] is Outcome.OK
    outcome, accepted, _, failures = proved(worker, operation, GOOD)
    assert (outcome, accepted) == (Outcome.WRONG, 0) and "the call" in failures
